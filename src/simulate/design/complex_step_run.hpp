// A run repeated in complex numbers: derivatives of its steps without any rules of differentiation.
//
// Accelerations come from articulated bodies over ComplexStep (aba.hpp) on the mechanism of the file, not from the
// traced functions of the run itself; losses, which have no such method, from the interpreted traced function. With
// loops position, velocities and accelerations come from loop_position.hpp and projection.hpp over ComplexStep in the
// same way.
#pragma once

#include "eventful_run.hpp"

namespace lw {

// The time in a formula: at 0 some have an infinite slope, sqrt(t) say, which times a standstill is no number. Just
// after it has.
inline ComplexStep complex_time(double t) { return {t == 0.0 ? 1e-300 : t}; }

// ẏ at all the marks of the run, from ẏ at the beginning and ḃ. Events are passed with complex steps too: the instant
// of a crossing by one through its formula, what it sets and the rates before and after by others.
EventfulRun::Directions complex_step_along(const EventfulRun& run, std::span<const double> dy0,
                                           std::span<const double> db);

// What the system puts out at y (its q and v), all of them complex.
std::vector<ComplexStep> complex_outputs(const DesignSystem& system, const ComplexStep& t,
                                         std::span<const ComplexStep> u, std::span<const ComplexStep> y,
                                         std::span<const ComplexStep> b);

}  // namespace lw
