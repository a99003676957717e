// Benchmarks of the multibody field, run from their start through the instants of their references.
#pragma once

#include <span>

#include "evaluate.hpp"
#include "experiment.hpp"
#include "field_data.hpp"
#include "model/read/embedded.hpp"
#include "simulate/integrate/integrator.hpp"
#include "simulate/motion/driven.hpp"

namespace lw {

std::span<const EmbeddedFile> embedded_field_files();  // reproduce/field/*.yaml, generated (cmake/embed.cmake)

}  // namespace lw

namespace lw::reproduce {

// A file of reproduce/field, by its name without the ending.
Mechanism field_mechanism(const std::string& name);
// IFToMM A02: N four-bar windows of bars of 1 m and 1 kg. As tests/oracles/field/n_four_bar.py --model N prints it.
std::string n_four_bar_text(int windows);

// How a benchmark is integrated. The tolerances are relative and absolute alike.
struct FieldMethod {
  std::string integrator = "dormand-prince";
  double tolerance = 1e-13;
  bool afresh = false;  // from every instant on, with nothing remembered of how it came there
};

struct FieldRun {
  FieldMethod method;
  std::vector<MotionState> at;  // the instants
  double seconds = 0.0;         // of CPU time that the integration took, without reading and preparing the model
  long steps = 0;
};

// The state in which the problem's joints have these coordinates and velocities; other joints as at home, at rest.
MotionState field_state(const System& system, const FieldProblem& problem, const FieldState& given);
// Steps end at every instant.
FieldRun run_field(System& system, MotionState state, std::span<const double> instants, const FieldMethod& method = {});
Vector instants_of(const FieldProblem& problem);

// One row for the coordinates of the problem's joints and one for their velocities, at all samples (by rows).
void compare_field(Experiment& e, const FieldProblem& problem, const System& system, const FieldRun& run,
                   const Source& reference, const Tolerance& q, const Tolerance& v);
// "Ours: 0.012 s of CPU time, 1234 steps of … Published: 0.637 s by OpenSim …".
std::string field_note(const FieldRun& run, const FieldProblem& problem);

}  // namespace lw::reproduce
