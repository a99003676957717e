// Inverse kinematics: configurations that bring a link's frame to a pose, or its origin to a point.
//
// Recognised arms (closed_form_arm.hpp) are solved in closed form; all others, and targets out of reach, by damped
// Gauss-Newton steps over the joints that carry the frame, within the coordinates' limits:
//
//   r = [w log(R_target Rᵀ); (p_target − p) / L],   (JᵀJ + λ 1) δ = Jᵀ r,   q ← q ⊕ δ
//
// with L the length of the stretched arm. λ decreases if a step helps and increases otherwise; a coordinate at its
// limit that would exceed it is fixed. Jᵀ r is the exact gradient (log is an eigenvector of its own derivative), so
// that out of reach the steps end at the least-squares pose. Starts are the given one, then others, the same in every
// run, until many in a row yield nothing new. Joints that do not carry the frame keep the start's values, regardless of
// limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../model/limits.hpp"
#include "../tree/workspace.hpp"

namespace lw {

struct IkTarget {
  Transform<double> pose;
  bool position_only = false;  // ignores pose.R
};

struct IkOptions {
  std::optional<CoordinateLimits> limits;  // none: unlimited
  int starts = 600;                        // maximum for the numerical method, the given one included
  int patience = 48;         // this many in a row without a new solution end the search, once there is one
  double tolerance = 1e-10;  // for a reached target: radians, and fractions of the arm's length L
  double radian = 0.1;       // w: out of reach, one radian weighs as much as this fraction of L
  bool closed_form = true;   // false: the numerical method for every arm
};

struct IkSolution {
  std::vector<double> q;
  double position_error = 0.0, rotation_error = 0.0;  // metres, radians
  bool reached = false;
  std::string branch;  // of a closed form; else empty
  int freedom = 0;     // dimension of the set of solutions around it; larger than the result's if the arm is singular
};

struct IkResult {
  std::vector<IkSolution> solutions;  // that reach the target, nearest to the start first; one of each connected set
  IkSolution nearest;                 // the first of these; out of reach: the least-squares pose
  bool closed_form = false;           // the solutions are all branches; else those found
  // Number of closed-form branches omitted because of limits; empty without a closed form.
  std::optional<int> beyond_limits;
  bool out_of_reach = false;  // certainly: by the closed form, or farther away than the arm is long
  // Dimension of the set of solutions in general position. If > 0, only one is given: the nearest to the start of those
  // found, each moved within the set towards the start.
  int freedom = 0;
};

// Angles are those nearest to the start's within the limits. Throws Error(usage) for a missing frame, vectors of wrong
// sizes, lower limits above upper limits, or no start.
IkResult inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target, In<double> start,
                            const IkOptions& options = {});

// The joints between a frame and the base, by their entries; no others move it.
struct Carriers {
  std::vector<bool> q, v;  // nq, nv
  int velocities = 0;      // how many of v
};
Carriers carriers(const Model<double>& model, int frame);

// The rows of the Jacobian required for a target, [ω; v] or v, by columns.
struct TaskJacobian {
  int rows = 6;
  std::vector<double> values;  // rows × nv
};
// After forward_kinematics.
TaskJacobian task_jacobian(const Model<double>& model, const Workspace<double>& work, int frame, bool position_only);
// Its rank in general position. A planar arm has 3 for any number of joints.
int general_rank(const Model<double>& model, int frame, bool position_only);

}  // namespace lw
