#include <optional>

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
                                         bool friction, const LoopPlan* loops) {
  const Model<double> values = design.model<double>(design.values());
  const auto nq = at(values.nq), nv = loops != nullptr ? loops->freedoms() : at(values.nv), np = design.size();
  const std::size_t torques = loops != nullptr ? loops->actuated.size() : nv;
  const std::vector<Group> in{{"t", 1}, {"q", nq}, {"qd", nv}, {"qdd", nv}, {"p", np}};
  const std::size_t n = torques + outputs.size(), given = 1 + nq + 2 * nv;
  const Function f = trace("torques", in, {{"value", n}}, [&](const Arguments& x, Results& y) {
    const Model<Expr> model = design.model<Expr>(x[4], x[0][0]);
    MotionMoment m{x[0][0], x[1], x[2], x[3], {}, loops};
    if (loops == nullptr) {
      m.tau = needed_torques(model, friction, m.q, m.qd, m.qdd, AtRest::direction_of_acceleration);
    } else {
      TracedLoops closed(model, *loops, m.q);
      TracedLoops::Motion all = closed.motion(x[2], x[3]);
      Exprs forces = closed.forces(needed_torques(model, false, m.q, all.v, all.a, AtRest::no_direction));
      if (friction) closed.add_friction(x[2], x[3], AtRest::direction_of_acceleration, forces);
      m.tau = closed.torques(forces);
      m.qd = std::move(all.v);
      m.qdd = std::move(all.a);
    }
    const FormulaNames names = quantity_names(design, x[4], m);
    for (std::size_t k = 0; k < torques; ++k) y[0][k] = m.tau[loops != nullptr ? at(loops->actuated[k]) : k];
    for (std::size_t k = torques; k < n; ++k) y[0][k] = parsed_formula(outputs[k - torques], names);
  });
  std::vector<Group> direction = in, weights = in;
  direction.push_back({"dp", np});
  weights.push_back({"w", n});
  const auto all = [](const Arguments& x) { return expr_list({x[0], x[1], x[2], x[3], x[4]}); };
  std::optional<Function> closure;
  if (loops != nullptr) closure = closure_function(design, *loops);
  const auto closed = [&](const Arguments& x) { return TracedLoops(design.model<Expr>(x[4]), *loops, x[1]); };
  return {f,
          trace("torques-along", direction, {{"value", n}},
                [&](const Arguments& x, Results& y) {
                  const Exprs still(1, Expr(0.0)), zero(2 * nv, Expr(0.0));
                  Exprs dq(nq, Expr(0.0));
                  if (closure)
                    dq = closed(x).along(*closure, x[4], Exprs(loops->independent_q.size(), Expr(0.0)), x[5]);
                  y[0] = tangent_at(f, all(x), expr_list({still, dq, zero, x[5]}));
                }),
          trace("torques-back", weights, {{"p", np}}, [&](const Arguments& x, Results& y) {
            const Exprs bar = adjoint_at(f, all(x), x[5]);
            y[0] = expr_part(bar, given, np);
            if (!closure) return;
            const TracedLoops::Weights q = closed(x).back(*closure, x[4], expr_part(bar, 1, nq));
            for (std::size_t k = 0; k < np; ++k) y[0][k] += q.p[k];
          })};
}

}  // namespace lw
