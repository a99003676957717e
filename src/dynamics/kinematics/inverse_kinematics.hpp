// Inverse kinematics: configurations that bring a link's frame to a pose, or its origin to a point.
//
// Arms that are recognised (closed_form_arm.hpp) are solved in closed form. All others, and targets out of reach, by
// damped Gauss-Newton steps over the joints on the frame's path, within the coordinates' limits:
//
//   r = [w log(R_target Rᵀ); (p_target − p) / L],   (JᵀJ + λ 1) δ = Jᵀ r,   q ← q ⊕ δ
//
// with L the length of the arm, all its parts in one line. λ falls where a step helps and grows where not; a coordinate
// at its limit that would leave is held. Jᵀ r is the exact gradient (log is an eigenvector of its own derivative), so
// that out of reach the steps end at the least-squares pose. From the given start, then from others, the same ones in
// every run, until many in a row bring nothing new. Joints that do not carry the frame keep the start's values,
// whatever their limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../../model/limits.hpp"
#include "../tree/workspace.hpp"

namespace lw {

struct IkTarget {
  Transform<double> pose;
  bool position_only = false;  // then pose.R does not matter
};

struct IkOptions {
  std::optional<CoordinateLimits> limits;  // none: coordinates go anywhere
  int starts = 600;                        // of the numerical method at most, the given one among them
  int patience = 48;                       // so many in a row without a new solution end it, where there is one
  double tolerance = 1e-10;                // radians, and parts of the arm's length L: what counts as reached
  double radian = 0.1;                     // w: out of reach, a radian off is as bad as this part of L
  bool closed_form = true;                 // false: the numerical method for every arm
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
  // Branches of a closed form that are left out for the limits; nothing where there is no closed form to count them.
  std::optional<int> beyond_limits;
  bool out_of_reach = false;  // for certain: by the closed form, or farther away than the arm is long
  // Dimension of the set of solutions in general position. Where > 0, one is given: of those that the search arrived at
  // and that were brought as near to the start as the set allows, the nearest.
  int freedom = 0;
};

// Angles that have no limits in their way are those nearest to the start's. Throws Error(usage) for a frame that the
// model does not have, vectors of wrong sizes, limits of which one is above the other, no start at all.
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
