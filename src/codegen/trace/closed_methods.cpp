#include "closed_pose.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../dynamics/linear/cholesky.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../graph/typical.hpp"

namespace lw {
namespace {

// Names for readers of the code: what the dependent joints do.
void name_motion_of(const ClosedMethod& method, const PlantWorkspace<Expr>& work, bool accelerates) {
  for (const int v : method.plan.dependent) {
    std::string joint = method.model.velocity_names[at(v)];
    std::replace_if(
        joint.begin(), joint.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    name_value(work.qd[at(v)], "qd_" + joint);
    if (accelerates) name_value(work.qdd[at(v)], "qdd_" + joint);
  }
}

}  // namespace

TreeTorques<Expr> with_names(const ClosedMethod& method, PlantWorkspace<Expr>& work, const TreeTorques<Expr>& torques) {
  return [&](In<Expr> q, In<Expr> qd, In<Expr> qdd, Out<Expr> tau) {
    name_motion_of(method, work, true);
    torques(q, qd, qdd, tau);
  };
}

void name_multipliers(const PlantWorkspace<Expr>& work) {
  for (std::size_t k = 0; k < work.multipliers.size(); ++k)
    name_value(work.multipliers[k], fmt::format("lambda{}", k + 1));
}

std::vector<Group> closed_inputs(const std::string& function, const LoopPlan& plan) {
  const std::size_t n = plan.freedoms();
  std::vector<Group> groups{{"q", plan.independent_q.size()}};
  const bool pose = function == "mass-matrix" || function == "kinematics" || function == "jacobian";
  const bool forces = function == "forward" || function == "forward-derivatives";
  if (function == "regressor")
    throw Error(ErrorCode::usage, "the regressor of a mechanism with loops is not made: that of trees is");
  if (!pose) groups.push_back({"qd", n});
  if (function == "inverse" || function == "friction" || function == "inverse-derivatives")
    groups.push_back({"qdd", n});
  if (forces) groups.push_back({"tau", plan.actuated.size()});
  groups.push_back({"guess", plan.dependent_q.size()});
  return groups;
}

std::vector<Group> closed_outputs(const std::string& function, const LoopPlan& plan, std::size_t parameters) {
  const std::size_t n = plan.freedoms(), actuated = plan.actuated.size();
  std::vector<Group> groups;
  if (function == "inverse") groups = {{"tau", actuated}};
  if (function == "friction") {
    for (const char* name : {"dynamic", "bearing", "at_joint", "transmission", "total", "motor"})
      groups.push_back({name, actuated});
  }
  if (function == "bias") groups = {{"bias", n}};
  if (function == "forward") groups = {{"qdd", n}};
  if (function == "mass-matrix") groups = {{"M", n * n, n}};
  if (function == "kinematics") groups = {{"position", 3}, {"rotation", 9, 3}};
  if (function == "jacobian") groups = {{"jacobian", 6 * n, 6}};
  if (function == "energy") groups = {{"kinetic", 1}, {"potential", 1}};
  if (function == "inverse-derivatives" || function == "forward-derivatives") {
    const bool forward = function == "forward-derivatives";
    const std::size_t rows = forward ? n : actuated;
    for (const char* name : {"d_q", "d_qd"}) groups.push_back({name, rows * n, rows});
    groups.push_back({forward ? "d_tau" : "d_qdd", rows * (forward ? actuated : n), rows});
    if (parameters > 0) groups.push_back({"d_p", rows * parameters, rows});
  }
  groups.push_back({"dependent", plan.dependent_q.size()});
  groups.push_back({"residual", plan.unknown.size()});
  return groups;
}

void trace_closed_torques(const ClosedMethod& method, const TreeTorques<Expr>& torques, bool still, const Arguments& in,
                          Results& out) {
  ClosedPose pose(method, in[0], in[still ? 2 : 3], out);
  set_pose<Expr>(method.model, method.plan, pose.work, pose.q());
  const bool redundant = !still && method.plan.actuated != method.plan.independent;
  if (!still) refuse_undriven(method.plan, method.model.name, method.model.velocity_names);
  if (redundant) complement_by_unit_velocities<Expr>(method.model, method.plan, pose.work);
  std::vector<Expr> force(method.plan.freedoms());
  const std::vector<Expr> qdd = still ? std::vector<Expr>(force.size(), Expr(0.0)) : in[2];
  projected_torques<Expr>(method.model, method.plan, pose.work, pose.q(), in[1], qdd, force,
                          with_names(method, pose.work, torques));
  name_multipliers(pose.work);
  if (still)
    out[0] = force;
  else
    distribute_torques<Expr>(method.plan, pose.work, force, {}, out[0]);
}

void trace_closed_mass_matrix(const ClosedMethod& method, const TreeMassMatrix<Expr>& mass, const Arguments& in,
                              Results& out) {
  ClosedPose pose(method, in[0], in[1], out);
  set_pose<Expr>(method.model, method.plan, pose.work, pose.q());
  projected_mass_matrix<Expr>(method.model, method.plan, pose.work, pose.q(), out[0], mass);
}

void trace_closed_forward(const ClosedMethod& method, const TreeTorques<Expr>& torques,
                          const TreeMassMatrix<Expr>& mass, const Arguments& in, Results& out) {
  ClosedPose pose(method, in[0], in[3], out);
  set_pose<Expr>(method.model, method.plan, pose.work, pose.q());
  PlantWorkspace<Expr>& work = pose.work;
  projected_mass_matrix<Expr>(method.model, method.plan, work, pose.q(), work.H, mass);
  projected_accelerations<Expr>(method.model, method.plan, work, pose.q(), in[1], in[2], out[0], work.H,
                                with_names(method, work, torques));
  name_multipliers(work);
}

void trace_closed_losses(const ClosedMethod& method, const Model<Expr>& lossy, const Arguments& in, Results& out) {
  ClosedPose pose(method, in[0], in[3], out);
  ClosedLosses<Expr> made(lossy, method.plan);
  made.inverse(pose.work, pose.q(), in[1], in[2]);
  const Losses<Expr>& l = made.losses;
  if (out.size() == 3) {
    out[0] = l.total;
    return;
  }
  std::size_t k = 0;
  for (const auto* part : {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor}) out[k++] = *part;
}

void trace_closed_forward_losses(const ClosedMethod& method, const Model<Expr>& lossy, const TreeMassMatrix<Expr>& mass,
                                 const Arguments& in, Results& out) {
  ClosedPose pose(method, in[0], in[3], out);
  ClosedLosses<Expr> made(lossy, method.plan);
  const bool drives_lose = std::any_of(
      made.motors().transmissions.begin(), made.motors().transmissions.end(), [](const Transmission<Expr>& t) {
        return std::any_of(t.drives.begin(), t.drives.end(),
                           [](const DriveLoss<Expr>& d) { return !d.efficiency.empty() || !is_zero(d.breakaway); });
      });
  if (made.feels_reactions() || drives_lose) {
    throw Error(ErrorCode::usage,
                "`forward` of a mechanism with loops is made with friction that does not depend on loads: bearings "
                "under load and "
                "drives that lose are for `linkwright forward --friction`");
  }
  set_pose<Expr>(method.model, method.plan, pose.work, pose.q());
  const std::size_t n = method.plan.freedoms();
  std::vector<Expr> H(n * n);
  projected_mass_matrix<Expr>(method.model, method.plan, pose.work, pose.q(), H, mass);
  const std::vector<Expr> R = pose.work.R;
  made.forces(pose.work, pose.q(), in[1], std::vector<Expr>(n, Expr(0.0)));
  pose.work.R = R;
  gather_torques<Expr>(method.plan, pose.work, in[2], out[0]);
  for (std::size_t k = 0; k < n; ++k) out[0][k] -= made.needed[k];
  cholesky_solve<Expr>(H, out[0]);
}

void trace_closed_pose(const ClosedMethod& method, const std::string& function, int frame, const Arguments& in,
                       Results& out) {
  ClosedPose pose(method, in[0], in[function == "energy" ? 2 : 1], out);
  PlantWorkspace<Expr>& work = pose.work;
  set_pose<Expr>(method.model, method.plan, work, pose.q());
  if (function == "kinematics") {
    const Transform<Expr> X = frame_pose<Expr>(method.model, work.tree, frame);
    for (int c = 0; c < 3; ++c) {
      out[0][at(c)] = X.p[c];
      for (int r = 0; r < 3; ++r) out[1][at(3 * c + r)] = X.R(r, c);
    }
  } else if (function == "jacobian") {
    frame_jacobian<Expr>(method.model, method.plan, work, frame, out[0]);
  } else {
    tree_velocities<Expr>(method.model, method.plan, work, in[1]);
    name_motion_of(method, work, false);
    forward_velocities<Expr>(method.model, work.tree, pose.q(), work.qd);
    const Energy<Expr> e = energy<Expr>(method.model, work.tree, pose.q(), work.qd);
    out[0][0] = e.kinetic;
    out[1][0] = e.potential;
  }
}

}  // namespace lw
