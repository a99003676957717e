#include "closed_roads.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../dynamics/closed_losses.hpp"
#include "../dynamics/energy.hpp"
#include "../dynamics/formulations/cholesky.hpp"
#include "../dynamics/kinematics.hpp"
#include "../graph/typical.hpp"
#include "../model/displace.hpp"

namespace lw {
namespace {

// The pose of the function's inputs, closed; its own outputs, which stand last, are given.
class ClosedPose {
 public:
  ClosedPose(const ClosedRoad& road, const std::vector<Expr>& q, const std::vector<Expr>& guess, Results& out)
      : work(road.model, road.plan), position_(loop_position<Expr>(road.model, road.plan, q, guess, road.position)) {
    std::vector<Expr>& dependent = out[out.size() - 2];
    for (std::size_t k = 0; k < dependent.size(); ++k) dependent[k] = position_.q[at(road.plan.dependent_q[k])];
    out.back() = position_.residual;
  }
  const std::vector<Expr>& q() const { return position_.q; }

  ClosedWorkspace<Expr> work;

 private:
  LoopPosition<Expr> position_;
};

// Names for readers of the code: what the dependent joints do.
void name_motion_of(const ClosedRoad& road, const ClosedWorkspace<Expr>& work, bool accelerates) {
  for (const int v : road.plan.dependent) {
    std::string joint = road.model.velocity_names[at(v)];
    std::replace_if(joint.begin(), joint.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    name_value(work.qd[at(v)], "qd_" + joint);
    if (accelerates) name_value(work.qdd[at(v)], "qdd_" + joint);
  }
}

// Rᵀ(M q̈ + h) at the given independent accelerations.
void projected(const ClosedRoad& road, const TreeTorques& torques, ClosedWorkspace<Expr>& work, const std::vector<Expr>& q,
               const std::vector<Expr>& qd, const std::vector<Expr>& qdd, std::vector<Expr>& force) {
  closed_velocities<Expr>(road.model, road.plan, work, qd);
  closed_accelerations<Expr>(road.model, road.plan, work, q, qdd);
  name_motion_of(road, work, true);
  torques(q, work.qd, work.qdd, work.tau);
  project_torques<Expr>(road.plan, work, work.tau, force);
  for (std::size_t k = 0; k < work.multipliers.size(); ++k) name_value(work.multipliers[k], fmt::format("lambda{}", k + 1));
}

// H = Rᵀ M R, and R.
void reduced_mass_matrix(const ClosedRoad& road, const TreeMassMatrix& mass, ClosedPose& pose, std::vector<Expr>& H) {
  ClosedWorkspace<Expr>& work = pose.work;
  const std::size_t n = road.plan.freedoms(), nv = at(road.model.nv);
  complement_by_unit_velocities<Expr>(road.model, road.plan, work);
  mass(pose.q(), work.M);
  std::vector<Expr> column(nv);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < nv; ++i) {
      column[i] = 0.0;
      for (std::size_t j = 0; j < nv; ++j) column[i] += work.M[j * nv + i] * work.R[k * nv + j];
    }
    for (std::size_t l = 0; l <= k; ++l) {
      Expr sum(0.0);
      for (std::size_t i = 0; i < nv; ++i) sum += work.R[l * nv + i] * column[i];
      H[k * n + l] = H[l * n + k] = sum;
    }
  }
}

}  // namespace

std::vector<Group> closed_inputs(const std::string& function, const LoopPlan& plan) {
  const std::size_t n = plan.freedoms();
  std::vector<Group> groups{{"q", plan.independent_q.size()}};
  const bool pose = function == "mass-matrix" || function == "kinematics" || function == "jacobian";
  const bool forces = function == "forward" || function == "forward-derivatives";
  if (function == "regressor") throw Error(ErrorCode::usage, "the regressor of a mechanism with loops is not made: that of trees is");
  if (!pose) groups.push_back({"qd", n});
  if (function == "inverse" || function == "friction" || function == "inverse-derivatives") groups.push_back({"qdd", n});
  if (forces) groups.push_back({"tau", plan.actuated.size()});
  groups.push_back({"guess", plan.dependent_q.size()});
  return groups;
}

std::vector<Group> closed_outputs(const std::string& function, const LoopPlan& plan, std::size_t parameters) {
  const std::size_t n = plan.freedoms(), actuated = plan.actuated.size();
  std::vector<Group> groups;
  if (function == "inverse") groups = {{"tau", actuated}};
  if (function == "friction") {
    for (const char* name : {"dynamic", "bearing", "at_joint", "transmission", "total", "motor"}) groups.push_back({name, actuated});
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

void trace_closed_torques(const ClosedRoad& road, const TreeTorques& torques, bool still, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[still ? 2 : 3], out);
  set_closed_pose<Expr>(road.model, road.plan, pose.work, pose.q());
  const bool redundant = !still && road.plan.actuated != road.plan.independent;
  if (!still) refuse_undriven(road.plan, road.model.name, road.model.velocity_names);
  if (redundant) complement_by_unit_velocities<Expr>(road.model, road.plan, pose.work);
  std::vector<Expr> force(road.plan.freedoms());
  projected(road, torques, pose.work, pose.q(), in[1], still ? std::vector<Expr>(force.size(), Expr(0.0)) : in[2], force);
  if (still) out[0] = force;
  else distribute_torques<Expr>(road.plan, pose.work, force, {}, out[0]);
}

void trace_closed_mass_matrix(const ClosedRoad& road, const TreeMassMatrix& mass, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[1], out);
  set_closed_pose<Expr>(road.model, road.plan, pose.work, pose.q());
  reduced_mass_matrix(road, mass, pose, out[0]);
}

void trace_closed_forward(const ClosedRoad& road, const TreeTorques& torques, const TreeMassMatrix& mass, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[3], out);
  set_closed_pose<Expr>(road.model, road.plan, pose.work, pose.q());
  const std::size_t n = road.plan.freedoms();
  std::vector<Expr> H(n * n), bias(n);
  reduced_mass_matrix(road, mass, pose, H);
  projected(road, torques, pose.work, pose.q(), in[1], std::vector<Expr>(n, Expr(0.0)), bias);
  gather_torques<Expr>(road.plan, pose.work, in[2], out[0]);
  for (std::size_t k = 0; k < n; ++k) out[0][k] -= bias[k];
  cholesky_solve<Expr>(H, out[0]);
}

void trace_closed_losses(const ClosedRoad& road, const Model<Expr>& lossy, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[3], out);
  ClosedLosses<Expr> made(lossy, road.plan);
  made.inverse(pose.work, pose.q(), in[1], in[2]);
  const Losses<Expr>& l = made.losses;
  if (out.size() == 3) {
    out[0] = l.total;
    return;
  }
  std::size_t k = 0;
  for (const auto* part : {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor}) out[k++] = *part;
}

void trace_closed_forward_losses(const ClosedRoad& road, const Model<Expr>& lossy, const TreeMassMatrix& mass, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[3], out);
  ClosedLosses<Expr> made(lossy, road.plan);
  const bool drives_lose = std::any_of(made.motors().transmissions.begin(), made.motors().transmissions.end(), [](const Transmission<Expr>& t) {
    return std::any_of(t.drives.begin(), t.drives.end(), [](const DriveLoss<Expr>& d) { return !d.efficiency.empty() || !is_zero(d.breakaway); });
  });
  if (made.feels_reactions() || drives_lose) {
    throw Error(ErrorCode::usage, "`forward` of a mechanism with loops is made with friction that does not depend on loads: bearings under load and "
                                  "drives that lose are for `linkwright forward --friction`");
  }
  set_closed_pose<Expr>(road.model, road.plan, pose.work, pose.q());
  const std::size_t n = road.plan.freedoms();
  std::vector<Expr> H(n * n);
  reduced_mass_matrix(road, mass, pose, H);
  const std::vector<Expr> R = pose.work.R;
  made.forces(pose.work, pose.q(), in[1], std::vector<Expr>(n, Expr(0.0)));
  pose.work.R = R;
  gather_torques<Expr>(road.plan, pose.work, in[2], out[0]);
  for (std::size_t k = 0; k < n; ++k) out[0][k] -= made.needed[k];
  cholesky_solve<Expr>(H, out[0]);
}

std::vector<Group> closed_balance_inputs(const Model<double>& model, const LoopPlan& plan) {
  const std::size_t n = plan.freedoms();
  return {{"q", at(model.nq)}, {"qd", n}, {"qdd", n}, {"tau", plan.actuated.size()}, {"step", at(model.nv)}};
}
std::vector<Group> closed_balance_outputs(const LoopPlan& plan, bool forward) {
  return {{"excess", forward ? plan.freedoms() : plan.actuated.size()}, {"residual", plan.equations.size()}};
}

void trace_closed_balance(const ClosedRoad& road, const TreeTorques& torques, bool forward, const Arguments& in, Results& out) {
  const LoopPlan& plan = road.plan;
  ClosedWorkspace<Expr> work(road.model, plan);
  const std::vector<Expr> q = displaced<Expr>(road.model, in[0], in[4]);
  set_closed_pose<Expr>(road.model, plan, work, q);
  closure_residual<Expr>(road.model, work.tree, plan.equations, out[1]);
  if (plan.actuated != plan.independent) complement_by_unit_velocities<Expr>(road.model, plan, work);
  if (!forward) refuse_undriven(plan, road.model.name, road.model.velocity_names);
  std::vector<Expr> force(plan.freedoms());
  projected(road, torques, work, q, in[1], in[2], force);
  if (!forward) {
    distribute_torques<Expr>(plan, work, force, {}, out[0]);
    return;
  }
  gather_torques<Expr>(plan, work, in[3], out[0]);
  for (std::size_t k = 0; k < force.size(); ++k) out[0][k] = force[k] - out[0][k];
}

void trace_closed_derivatives(const ClosedRoad& road, const TreeTorques& torques, const TreeMassMatrix& mass, const Function& balance,
                              Elimination order, bool forward, const Arguments& in, Results& out) {
  const LoopPlan& plan = road.plan;
  const std::size_t n = plan.freedoms(), nq = at(road.model.nq), nv = at(road.model.nv), actuated = plan.actuated.size(), m = plan.equations.size();
  const std::size_t rows = forward ? n : actuated, parameters = in.size() > 4 ? in[4].size() : 0;
  ClosedPose pose(road, in[0], in[3], out);
  ClosedWorkspace<Expr>& work = pose.work;
  set_closed_pose<Expr>(road.model, plan, work, pose.q());
  // accelerations of forward dynamics
  std::vector<Expr> H(n * n), qdd = in[2], tau(actuated, Expr(0.0));
  complement_by_unit_velocities<Expr>(road.model, plan, work);
  const std::vector<Expr> R = work.R;
  if (forward) {
    reduced_mass_matrix(road, mass, pose, H);
    std::vector<Expr> bias(n), factors = H;
    qdd.assign(n, Expr(0.0));
    projected(road, torques, work, pose.q(), in[1], qdd, bias);
    tau = in[2];
    gather_torques<Expr>(plan, work, tau, qdd);
    for (std::size_t k = 0; k < n; ++k) qdd[k] -= bias[k];
    cholesky_solve<Expr>(factors, qdd);
  }
  // by elimination at the pose
  std::vector<Expr> x = pose.q();
  const auto append = [&x](const std::vector<Expr>& part) { x.insert(x.end(), part.begin(), part.end()); };
  append(in[1]);
  append(qdd);
  append(tau);
  x.resize(x.size() + nv, Expr(0.0));
  if (parameters > 0) x.insert(x.end(), in[4].begin(), in[4].end());
  std::vector<std::size_t> along;
  const auto add = [&](std::size_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) along.push_back(first + k);
  };
  const std::size_t steps = nq + 2 * n + actuated;
  add(steps, nv);
  add(nq, 2 * n);
  add(steps + nv, parameters);
  const auto part_of = [&](std::size_t group, std::size_t first, std::size_t size) {
    const std::vector<NodeId>& all = balance.results();
    return Function(balance.name(), balance.inputs(), {balance.outputs()[group]}, balance.shared_graph(),
                    {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + size)});
  };
  const std::vector<Expr> J = jacobian_at(part_of(0, 0, rows), x, along, order);
  const auto column = [&](std::size_t c, std::size_t r) -> const Expr& { return J[c * rows + r]; };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t r = 0; r < rows; ++r) {
      Expr sum(0.0);
      for (std::size_t v = 0; v < nv; ++v) sum += column(v, r) * R[k * nv + v];
      out[0][k * rows + r] = sum;
      out[1][k * rows + r] = column(nv + k, r);
      if (!forward) out[2][k * rows + r] = column(nv + n + k, r);
    }
  }
  if (parameters > 0) {
    along.clear();
    add(steps + nv, parameters);
    const std::vector<Expr> phi = jacobian_at(part_of(1, rows, m), x, along, order);
    for (std::size_t k = 0; k < parameters; ++k) {
      std::vector<Expr> follows(phi.begin() + static_cast<std::ptrdiff_t>(k * m), phi.begin() + static_cast<std::ptrdiff_t>((k + 1) * m));
      work.factors.solve(follows);  // the dependent joints move by the opposite
      for (std::size_t r = 0; r < rows; ++r) {
        Expr sum = column(nv + 2 * n + k, r);
        for (std::size_t j = 0; j < m; ++j) sum -= column(at(plan.dependent[j]), r) * follows[j];
        out[3][k * rows + r] = sum;
      }
    }
  }
  if (!forward) return;
  // q̈ changes by −H⁻¹ of what would be missing, and by H⁻¹ of what is added
  for (std::size_t k = 0; k < actuated; ++k) {
    std::vector<Expr> unit(actuated, Expr(0.0)), force(n);
    unit[k] = 1.0;
    work.R = R;
    gather_torques<Expr>(plan, work, unit, force);
    for (std::size_t r = 0; r < n; ++r) out[2][k * n + r] = -force[r];
  }
  for (const std::size_t g : {0u, 1u, 2u, 3u}) {
    if (g == 3 && parameters == 0) break;
    for (std::size_t c = 0; c < out[g].size() / n; ++c) {
      std::vector<Expr> factors = H, b(n);
      for (std::size_t r = 0; r < n; ++r) b[r] = -out[g][c * n + r];
      cholesky_solve<Expr>(factors, b);
      for (std::size_t r = 0; r < n; ++r) out[g][c * n + r] = b[r];
    }
  }
}

void trace_closed_pose(const ClosedRoad& road, const std::string& function, int frame, const Arguments& in, Results& out) {
  ClosedPose pose(road, in[0], in[function == "energy" ? 2 : 1], out);
  ClosedWorkspace<Expr>& work = pose.work;
  set_closed_pose<Expr>(road.model, road.plan, work, pose.q());
  if (function == "kinematics") {
    const Transform<Expr> X = frame_pose<Expr>(road.model, work.tree, frame);
    for (int c = 0; c < 3; ++c) {
      out[0][at(c)] = X.p[c];
      for (int r = 0; r < 3; ++r) out[1][at(3 * c + r)] = X.R(r, c);
    }
  } else if (function == "jacobian") {
    closed_frame_jacobian<Expr>(road.model, road.plan, work, frame, out[0]);
  } else {
    closed_velocities<Expr>(road.model, road.plan, work, in[1]);
    name_motion_of(road, work, false);
    forward_velocities<Expr>(road.model, work.tree, pose.q(), work.qd);
    const Energy<Expr> e = energy<Expr>(road.model, work.tree, pose.q(), work.qd);
    out[0][0] = e.kinetic;
    out[1][0] = e.potential;
  }
}

}  // namespace lw
