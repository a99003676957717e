#include "traced_loops.hpp"

#include "../../base/index.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../graph/adjoint.hpp"
#include "../../graph/tangent.hpp"
#include "../../model/coordinate_rates.hpp"

namespace lw {
namespace {

std::vector<Expr> configuration_and_parameters(const std::vector<Expr>& q, const std::vector<Expr>& p) {
  std::vector<Expr> x = q;
  x.insert(x.end(), p.begin(), p.end());
  return x;
}

}  // namespace

Function closure_function(const DesignParameters& design, const LoopPlan& plan) {
  const auto nq = at(design.model<double>(design.values()).nq);
  return trace("closures", {{"q", nq}, {"p", design.size()}}, {{"residual", plan.equations.size()}},
               [&](const Arguments& in, Results& out) {
                 const Model<Expr> model = design.model<Expr>(in[1]);
                 Workspace<Expr> work(model);
                 forward_kinematics<Expr>(model, work, in[0]);
                 closure_residual<Expr>(model, work, plan.equations, out[0]);
               });
}

TracedLoops::TracedLoops(Model<Expr> model, const LoopPlan& plan, Exprs q)
    : model_(std::move(model)), plan_(plan), q_(std::move(q)), work_(model_, plan_) {
  prepare_projection<Expr>(model_, plan_, work_, q_);
}

TracedLoops::Motion TracedLoops::motion(const Exprs& v, const Exprs& a) {
  tree_velocities<Expr>(model_, plan_, work_, v);
  tree_accelerations<Expr>(model_, plan_, work_, q_, a);
  return {work_.qd, work_.qdd};
}

TracedLoops::Exprs TracedLoops::forces(const Exprs& of_tree) {
  Exprs force(plan_.freedoms());
  project_torques<Expr>(plan_, work_, of_tree, force);
  return force;
}

void TracedLoops::add_friction(const Exprs& v, const Exprs& a, AtRest at_rest, Exprs& forces) {
  ClosedLosses<Expr> made(model_, plan_);
  PlantWorkspace<Expr> work(model_, plan_);
  made.inverse(work, q_, v, a, {}, {}, at_rest);
  Exprs friction(forces.size());
  gather_torques<Expr>(plan_, work, made.losses.bearing, friction);
  for (std::size_t k = 0; k < forces.size(); ++k) forces[k] += friction[k];
}

TracedLoops::Exprs TracedLoops::torques(const Exprs& forces) {
  if (plan_.actuated != plan_.independent) complement_by_unit_velocities<Expr>(model_, plan_, work_);
  Exprs actuated(plan_.actuated.size()), all(at(model_.nv), Expr(0.0));
  distribute_torques<Expr>(plan_, work_, forces, {}, actuated);
  for (std::size_t k = 0; k < actuated.size(); ++k) all[at(plan_.actuated[k])] = actuated[k];
  return all;
}

TracedLoops::Exprs TracedLoops::mass_matrix(const Exprs& of_tree) {
  Exprs H(plan_.freedoms() * plan_.freedoms());
  projected_mass_matrix<Expr>(model_, plan_, work_, q_, H,
                              [&](const auto&, Out<Expr> M) { std::copy(of_tree.begin(), of_tree.end(), M.begin()); });
  return H;
}

TracedLoops::Exprs TracedLoops::solve(Exprs H, Exprs b) const {
  solve_inertia<Expr>(model_, plan_, H, b);
  return b;
}

TracedLoops::Exprs TracedLoops::along(const Function& closure, const Exprs& p, const Exprs& dq, const Exprs& dp) {
  Exprs given(q_.size(), Expr(0.0));
  for (std::size_t k = 0; k < dq.size(); ++k) given[at(plan_.independent_q[k])] = dq[k];
  Exprs open = tangent_at(closure, configuration_and_parameters(q_, p), configuration_and_parameters(given, dp));
  work_.factors.solve(open);
  Exprs v(at(model_.nv), Expr(0.0)), rates(q_.size());
  for (std::size_t k = 0; k < open.size(); ++k) v[at(plan_.dependent[k])] = -open[k];
  coordinate_rates<Expr>(model_, q_, v, rates);
  for (std::size_t k = 0; k < dq.size(); ++k) rates[at(plan_.independent_q[k])] = dq[k];
  return rates;
}

TracedLoops::Weights TracedLoops::back(const Function& closure, const Exprs& p, const Exprs& q_bar) {
  Exprs lambda(plan_.dependent.size()), unit(at(model_.nv), Expr(0.0)), rates(q_.size());
  for (std::size_t k = 0; k < lambda.size(); ++k) {
    unit[at(plan_.dependent[k])] = 1.0;
    coordinate_rates<Expr>(model_, q_, unit, rates);
    unit[at(plan_.dependent[k])] = 0.0;
    lambda[k] = 0.0;
    for (const int c : plan_.dependent_q) lambda[k] -= rates[at(c)] * q_bar[at(c)];
  }
  work_.factors.solve_transposed(lambda);
  const Exprs through = adjoint_at(closure, configuration_and_parameters(q_, p), lambda);
  Weights weights;
  for (const int c : plan_.independent_q) weights.q.push_back(q_bar[at(c)] + through[at(c)]);
  weights.p.assign(through.begin() + static_cast<std::ptrdiff_t>(q_.size()), through.end());
  return weights;
}

}  // namespace lw
