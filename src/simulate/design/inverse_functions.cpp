#include "../../base/index.hpp"
#include "../../graph/adjoint.hpp"
#include "../../graph/tangent.hpp"
#include "design_functions.hpp"
#include "design_tree.hpp"
#include "traced_loops.hpp"

namespace lw {
namespace {

using Exprs = std::vector<Expr>;

}  // namespace

DesignFunctions::Three inverse_functions(const DesignParameters& design, const std::vector<WrittenFormula>& outputs,
                                         DesignLosses losses, const LoopPlan& plan) {
  const auto nq = at(design.model<double>(design.values()).nq);
  const std::size_t nv = plan.freedoms(), np = design.size(), torques = plan.actuated.size();
  const std::vector<Group> in{{"t", 1}, {"q", nq}, {"qd", nv}, {"qdd", nv}, {"p", np}};
  const std::size_t n = torques + outputs.size(), given = 1 + nq + 2 * nv;
  const Function f = trace("torques", in, {{"value", n}}, [&](const Arguments& x, Results& y) {
    const Model<Expr> model = design.model<Expr>(x[4], x[0][0]);
    TracedLoops closed(model, plan, x[1]);
    const auto [qd, qdd] = closed.motion(x[2], x[3]);
    constexpr AtRest kAtRest = AtRest::direction_of_acceleration;
    Exprs forces = closed.forces(needed_torques(model, losses == DesignLosses::any, x[1], qd, qdd, kAtRest));
    if (losses == DesignLosses::smooth) closed.add_friction(x[2], x[3], kAtRest, forces);
    const MotionMoment m{x[0][0], x[1], qd, qdd, closed.torques(forces), plan};
    const FormulaNames names = quantity_names(design, x[4], m);
    for (std::size_t k = 0; k < torques; ++k) y[0][k] = m.tau[at(plan.actuated[k])];
    for (std::size_t k = torques; k < n; ++k) y[0][k] = parsed_formula(outputs[k - torques], names);
  });
  std::vector<Group> direction = in, weights = in;
  direction.push_back({"dp", np});
  weights.push_back({"w", n});
  const auto all = [](const Arguments& x) { return expr_list({x[0], x[1], x[2], x[3], x[4]}); };
  const Function closure = closure_function(design, plan);
  const auto closed = [&](const Arguments& x) { return TracedLoops(design.model<Expr>(x[4]), plan, x[1]); };
  return {f,
          trace("torques-along", direction, {{"value", n}},
                [&](const Arguments& x, Results& y) {
                  const Exprs still(1, Expr(0.0)), zero(2 * nv, Expr(0.0)), led(plan.independent_q.size(), Expr(0.0));
                  const Exprs dq = closed(x).along(closure, x[4], led, x[5]);
                  y[0] = tangent_at(f, all(x), expr_list({still, dq, zero, x[5]}));
                }),
          trace("torques-back", weights, {{"p", np}}, [&](const Arguments& x, Results& y) {
            const Exprs bar = adjoint_at(f, all(x), x[5]);
            y[0] = expr_part(bar, given, np);
            const TracedLoops::Weights q = closed(x).back(closure, x[4], expr_part(bar, 1, nq));
            for (std::size_t k = 0; k < np; ++k) y[0][k] += q.p[k];
          })};
}

}  // namespace lw
