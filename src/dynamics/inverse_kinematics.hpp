// Inverse kinematics: configurations that bring a link's frame to a pose, or its origin to a point.
//
// Arms that are recognised (closed_form_arm.hpp) are solved in closed form. All others, and targets out of reach, by damped
// Gauss-Newton steps over the joints on the frame's path, within the coordinates' limits:
//
//   r = [ℓ log(R_target Rᵀ); p_target − p],   (JᵀJ + λ 1) δ = Jᵀ r,   q ← q ⊕ δ
//
// λ falls where a step helps and grows where not; a coordinate at its limit that would leave is held. Jᵀ r is the exact
// gradient (log is an eigenvector of its own derivative), so that out of reach the steps end at the least-squares pose.
// From the given start, then from others, the same ones in every run. Joints that do not carry the frame keep the start's
// values, whatever their limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../model/limits.hpp"
#include "workspace.hpp"

namespace lw {

struct IkTarget {
  Transform<double> pose;
  bool position_only = false;  // then pose.R does not matter
};

struct IkOptions {
  std::optional<CoordinateLimits> limits;  // none: coordinates go anywhere
  int starts = 24;                         // of the numerical road, the given one among them
  double tolerance = 1e-10;                // metres and radians: what counts as reached
  double length = 0.1;                     // ℓ: so many metres off are as bad as a radian, out of reach
  bool closed_form = true;                 // false: the numerical road for every arm
};

struct IkSolution {
  std::vector<double> q;
  double position_error = 0.0, rotation_error = 0.0;  // metres, radians
  bool reached = false;
  std::string branch;  // of a closed form; else empty
  int freedom = 0;     // dimension of the set of solutions around it; more than the result's where the arm is singular
};

struct IkResult {
  std::vector<IkSolution> solutions;  // that reach the target, nearest to the start first; one of each connected set
  IkSolution nearest;                 // the first of these; out of reach: the least-squares pose
  bool closed_form = false;           // the solutions are all branches; else those that were found
  int beyond_limits = 0;              // branches of a closed form that are left out for the limits
  int freedom = 0;  // dimension of the set of solutions in general position; where > 0, only the nearest is given
};

// Angles that have no limits in their way are those nearest to the start's. Throws Error(usage) for a frame that the model
// does not have, vectors of wrong sizes, limits of which one is above the other, no start at all.
IkResult inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target, In<double> start,
                            const IkOptions& options = {});

// The joints between a frame and the base, by their entries: no other moves it.
struct Carriers {
  std::vector<bool> q, v;  // nq, nv
  int velocities = 0;      // how many of v
};
Carriers carriers(const Model<double>& model, int frame);

// The rows of the Jacobian that a target asks for, [ω; v] or v, by columns.
struct TaskJacobian {
  int rows = 6;
  std::vector<double> values;  // rows × nv
};
// After forward_kinematics.
TaskJacobian task_jacobian(const Model<double>& model, const Workspace<double>& work, int frame, bool position_only);
// Its rank in general position: what it has nearly everywhere. A planar arm has 3, however many its joints.
int general_rank(const Model<double>& model, int frame, bool position_only);

}  // namespace lw
