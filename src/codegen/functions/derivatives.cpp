// Derivatives of inverse and forward dynamics along the velocities of the independent joints and by kept parameters.
#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../model/displace.hpp"
#include "derivative_methods.hpp"
#include "loop_derivatives.hpp"
#include "method_list.hpp"
#include "reference_call.hpp"
#include "rows.hpp"

namespace lw {
namespace {

constexpr std::pair<Elimination, const char*> kOrders[] = {{Elimination::forward, "outward"},
                                                           {Elimination::reverse, "inward"}};

// The algorithms for the derivatives of one function.
struct DerivativesOf {
  Slopes::Of slopes;
  decltype(&composite_inverse_derivatives) composite;
  decltype(&inverse_derivatives_by) by_elimination;
  decltype(&analytic_inverse_derivatives) analytic;
};
constexpr DerivativesOf kOfInverse{Slopes::Of::inverse, composite_inverse_derivatives, inverse_derivatives_by,
                                   analytic_inverse_derivatives},
    kOfForward{Slopes::Of::forward, composite_forward_derivatives, forward_derivatives_by,
               analytic_forward_derivatives};

// A method that is not traced again later, because it refers to local variables of the functions below.
MethodName once(std::string name) { return {std::move(name), Frames::chosen, For::all, For::none}; }

// q, qd, qdd, step, [p] → tau, M at q displaced by `step`
Function displaced_dynamics(const MethodList& list, const Variant& v) {
  const auto nq = at(list.values().nq), nv = at(list.values().nv);
  return list.apart({{"q", nq}, {"qd", nv}, {"qdd", nv}, {"step", nv}}, {{"tau", nv}, {"M", nv * nv, nv}}, v,
                    [&](const Scene& s, const Arguments& x, Results& y) {
                      const std::vector<Expr> q = displaced<Expr>(s.fewer, x[0], x[3]);
                      tensor_inverse<Expr>(s.fewer, s.tree, v.method, q, x[1], x[2], y[0]);
                      subtract_elements<Expr>(s.fewer, q, y[0]);
                      composite_mass_matrix<Expr>(s.fewer, s.tree, v.method, q, y[1]);
                    });
}

template <const DerivativesOf& of>
void tree_derivative_methods(MethodList& list) {
  const bool parameters = list.kept() > 0;
  const char* name = "composite bodies in link frames";
  // without parameters: their derivatives come by elimination on the dynamics of the cheapest variant
  const Variant v = list.search(
      {name}, [](Tracing& t) { of.composite(t.scene.fewer, t.scene.tree, t.variant.method, nullptr, t.in, t.out); });
  if (list.values().nv == 0) return;  // nothing to differentiate by
  const Function dynamics = displaced_dynamics(list, v);
  if (parameters) {
    list.replace(
        once(std::string(name) + described(v) + "; parameters by elimination"),
        [&](Tracing& t) { of.composite(t.scene.fewer, t.scene.tree, v.method, &dynamics, t.in, t.out); }, v);
  }
  for (const auto& [order, what] : kOrders) {
    list.add(
        once(fmt::format("elimination {} on the acceleration tensor{}", what, described(v))),
        [&, chosen = order](Tracing& t) {
          of.by_elimination(t.scene.fewer, {dynamics, chosen, true}, t.in, t.out);
        },
        v);
  }
  if (parameters) return;
  for (const bool canonical : {true, false}) {
    if (canonical && has_elements(list.values())) continue;  // canonical frames do not support them
    list.add(once(canonical ? "composite bodies in the root's frame, canonical frames"
                            : "composite bodies in the root's frame"),
             [canonical](Tracing& t) {
               of.analytic(canonical ? canonical_model(t.scene.tree, t.scene.fewer) : t.scene.fewer, t.in, t.out);
             });
  }
}

template <const DerivativesOf& of>
void loop_derivative_methods(MethodList& list) {
  const Variant plain = list.plain_variant();
  const Function balance = loop_balance(list, plain);
  for (const auto& [order, what] : kOrders) {
    list.add(
        once(fmt::format("elimination {} on the acceleration tensor", what)),
        [&, chosen = order](Tracing& t) { trace_loop_derivatives(t, of.slopes, balance, chosen); }, plain);
  }
}

template <const DerivativesOf& of>
void derivative_reference(ReferenceCall& c) {
  auto& slopes = c.parts.slopes;
  if (slopes == nullptr) slopes = std::make_unique<Slopes>(c.model, c.plan, of.slopes, c.moving);
  std::vector<double> columns;
  for (const Out<double>& group : c.out) columns.resize(columns.size() + group.size());
  (*slopes)(c.given_q, c.qd, c.row.takes(kTau) ? c.tau : c.qdd, c.guess, columns);
  auto next = columns.begin();
  for (const Out<double>& group : c.out) {
    std::copy_n(next, group.size(), group.begin());
    next += static_cast<std::ptrdiff_t>(group.size());
  }
}

template <const DerivativesOf& how>
FunctionRow derivative_row(FunctionId id, FunctionId of, const Extent& rows, const GroupRow& third,
                           const char* third_name, double limit_of_trees) {
  return {.id = id,
          .inputs = {kQ, kQd, third},
          .outputs = {matrix_row("d_q", rows, kVelocities, Measure::along_q, "along the velocities"),
                      matrix_row("d_qd", rows, kVelocities, Measure::along_qd, ""),
                      matrix_row(third_name, rows, third.rows, Measure::along_third, ""),
                      matrix_row("d_p", rows, kKept, Measure::along_p, "", kKept)},
          .torques_alone = true,
          .derivative_of = of,
          .methods = {{tree_derivative_methods<how>, For::trees, limit_of_trees},
                      {loop_derivative_methods<how>, For::loops, 1e-10}},
          .reference = derivative_reference<how>};
}

}  // namespace

FunctionRow inverse_derivatives_row() {
  FunctionRow row =
      derivative_row<kOfInverse>(FunctionId::inverse_derivatives, FunctionId::inverse, kActuated, kQdd, "d_qdd", 1e-12);
  row.name = "inverse-derivatives";
  row.title = "Derivatives of inverse dynamics";
  row.summary = "derivatives of tau; with --keep also d_p";
  return row;
}

FunctionRow forward_derivatives_row() {
  FunctionRow row = derivative_row<kOfForward>(FunctionId::forward_derivatives, FunctionId::forward, kVelocities, kTau,
                                               "d_tau", 1e-10);
  row.name = "forward-derivatives";
  row.title = "Derivatives of forward dynamics";
  row.summary = "derivatives of qdd; with --keep also d_p";
  return row;
}

}  // namespace lw
