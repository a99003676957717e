// Notes and warnings about a mechanism or its state, common to `check` and the other commands.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/loops/loop_plan.hpp"
#include "../../model/model.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

// "friction and damping of 2 joints (a, b)"; empty if there are none.
std::string losses_of(const Mechanism& mechanism);
// The same with "are left out; --friction includes them (…)" behind it.
std::string losses_left_out(const Mechanism& mechanism);

// Independent velocities whose pivots in the mass matrix are none of a mechanism: zero, where nothing has inertia that
// moves with it alone, or negative, which impossible inertias can bring about. -1: there is none. A pivot is what is
// left of M_kk when everything further out is free to give way. Not next to a singular pose, where what moves fastest
// hides the inertia of the rest. Throws Error(data) where the matrix overflows.
struct BadPivots {
  int zero = -1, negative = -1;
};
BadPivots bad_pivots(const Model<double>& model, const LoopPlan& plan, const std::vector<double>& q);
inline constexpr int kAffordablePivots = 1000;  // velocities: the matrix is of order nv², its factors of order nv³

// To be called before computing accelerations: throws Error(data) if the torques do not determine them; warns of an
// unphysical mass matrix. `q`: all coordinates, with loops closed.
void judge_mass_matrix(const Arguments& arguments, const Model<double>& model, const LoopPlan& plan,
                       const std::vector<double>& q);
// The same at a random state, for commands that compute many states: a matrix singular there is singular everywhere.
void judge_mass_matrix(const Arguments& arguments, const Model<double>& model);

}  // namespace lw::cli
