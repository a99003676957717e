#include "design_functions.hpp"

#include <algorithm>
#include <memory>

#include "../base/index.hpp"
#include "../codegen/compile.hpp"
#include "../dynamics/base_parameters.hpp"
#include "../dynamics/canonical/composite.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/elements.hpp"
#include "../dynamics/friction.hpp"
#include "../graph/adjoint.hpp"
#include "../graph/interpreter.hpp"
#include "../graph/jacobian.hpp"
#include "../graph/outline.hpp"
#include "../graph/passes/contract.hpp"
#include "../graph/passes/optimize.hpp"
#include "../graph/passes/schedule.hpp"
#include "../graph/tangent.hpp"
#include "../model/coordinate_rates.hpp"

namespace lw {
namespace {

using Exprs = std::vector<Expr>;
constexpr int kNewtonStepsOfLosses = 30;

Exprs expr_list(std::initializer_list<std::span<const Expr>> parts) {
  Exprs all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
Exprs expr_values(const Function& f, const Exprs& x) {
  Exprs y(f.output_size());
  evaluate<Expr>(f, x, y);
  return y;
}
Exprs expr_part(const Exprs& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

// The model with as few inertial numbers as give its torques, in frames that make the equations short.
struct DesignTree {
  Model<Expr> model;
  CanonicalTree<Expr> tree;
  TensorRoad road;

  explicit DesignTree(const Model<Expr>& full)
      : model(regrouped(full, kRounding)),
        tree(canonical_tree(model)),
        road{std::vector<bool>(full.bodies.size(), false), std::vector<bool>(full.bodies.size(), false)} {
    regauge(tree, model, Gauges(tree.links.size(), Gauge::child));
  }
  Exprs torques(const Exprs& q, const Exprs& v, const Exprs& a) const {
    Exprs tau(v.size());
    tensor_inverse<Expr>(model, tree, road, q, v, a, tau);
    subtract_elements<Expr>(model, q, tau);
    return tau;
  }
  Exprs mass_matrix(const Exprs& q) const {
    Exprs M(at(model.nv) * at(model.nv));
    composite_mass_matrix<Expr>(model, tree, road, q, M);
    return M;
  }
};

Exprs needed_torques(const Model<Expr>& model, bool friction, const Exprs& q, const Exprs& v, const Exprs& a) {
  if (!friction) return DesignTree(model).torques(q, v, a);
  Workspace<Expr> work(model);
  Losses<Expr> losses(model);
  inverse_with_losses<Expr>(model, work, q, v, a, losses);
  return losses.total;
}

// Whether what is lost depends on loads, and so on accelerations.
bool losses_need_loads(const Model<double>& model) {
  return std::any_of(model.losses.begin(), model.losses.end(),
                     [](const auto& loss) { return !loss.bearings.empty(); }) ||
         std::any_of(model.transmissions.begin(), model.transmissions.end(), [](const auto& t) {
           return std::any_of(t.drives.begin(), t.drives.end(), [](const auto& d) { return !d.efficiency.empty(); });
         });
}

class ForwardTracer {
 public:
  ForwardTracer(const DesignParameters& design, const DesignFormulas& formulas, bool friction)
      : design_(design),
        formulas_(formulas),
        friction_(friction),
        values_(design.model<double>(design.values())),
        nq_(at(values_.nq)),
        nv_(at(values_.nv)),
        np_(design.size()),
        implicit_(friction && losses_need_loads(values_)),
        residual_(trace("residual", {{"a", nv_}, {"t", 1}, {"u", nv_}, {"q", nq_}, {"v", nv_}, {"p", np_}},
                        {{"r", nv_}},
                        [&](const Arguments& in, Results& out) {
                          const Exprs tau = torques(in[1][0], in[2], in[3], in[4], in[5]);
                          out[0] = needed_torques(design_.model<Expr>(in[5], in[1][0]), friction_, in[3], in[4], in[0]);
                          for (std::size_t k = 0; k < nv_; ++k) out[0][k] -= tau[k];
                        })),
        rates_(with_accelerations(
            "rates", {{"q", nq_}, {"F", formulas_.integrands.size()}},
            [&](const Model<Expr>& model, const MotionMoment& m, const FormulaNames& names, Results& out) {
              coordinate_rates<Expr>(model, m.q, m.qd, out[0]);
              for (std::size_t k = 0; k < out[1].size(); ++k) {
                out[1][k] = parsed_formula(formulas_.integrands[k], names);
              }
            })),
        outputs_(with_accelerations(
            "outputs", {{"q", nq_}, {"v", nv_}, {"a", nv_}, {"tau", nv_}, {"G", formulas_.outputs.size()}},
            [&](const Model<Expr>&, const MotionMoment& m, const FormulaNames& names, Results& out) {
              out[0] = m.q;
              out[1] = m.qd;
              out[2] = m.qdd;
              out[3] = m.tau;
              for (std::size_t k = 0; k < out[4].size(); ++k) {
                out[4][k] = parsed_formula(formulas_.outputs[k], names);
              }
            })) {}

  DesignFunctions functions() const {
    const Function torques_alone =
        trace("torques", {{"t", 1}, {"u", nv_}, {"q", nq_}, {"v", nv_}, {"p", np_}}, {{"tau", nv_}},
              [&](const Arguments& in, Results& out) { out[0] = torques(in[0][0], in[1], in[2], in[3], in[4]); });
    return {three("rates", rates_, true), three("outputs", outputs_, false), torques_alone, rates_};
  }

 private:
  Exprs torques(const Expr& t, const Exprs& u, const Exprs& q, const Exprs& v, const Exprs& p) const {
    Exprs tau = u;
    if (formulas_.law != nullptr) {
      const Exprs given = expr_values(*formulas_.law, expr_list({std::span(&t, 1), q, v}));
      for (std::size_t k = 0; k < nv_; ++k) {
        if (formulas_.by_law[k]) tau[k] = given[k];
      }
    }
    FormulaNames names;
    for (std::size_t k = 0; k < nv_; ++k) {
      if (formulas_.torques[k].text.empty()) continue;
      if (names.empty()) names = quantity_names(design_, p, {t, q, v, {}, {}});
      tau[k] = parsed_formula(formulas_.torques[k], names);
    }
    return tau;
  }

  Function with_accelerations(
      const std::string& name, const std::vector<Group>& results,
      const std::function<void(const Model<Expr>&, const MotionMoment&, const FormulaNames&, Results&)>& f) const {
    return trace(name, {{"a", nv_}, {"t", 1}, {"u", nv_}, {"q", nq_}, {"v", nv_}, {"p", np_}}, results,
                 [&](const Arguments& in, Results& out) {
                   const MotionMoment m{in[1][0], in[3], in[4], in[0], torques(in[1][0], in[2], in[3], in[4], in[5])};
                   f(design_.model<Expr>(in[5], m.t), m, quantity_names(design_, in[5], m), out);
                 });
  }

  // Accelerations at x = (t, u, y, p), and linear equations with A = ∂r/∂a there.
  class Solved {
   public:
    Solved(const ForwardTracer& tracer, const Arguments& in)
        : tracer_(tracer),
          q_(expr_part(in[2], 0, tracer.nq_)),
          v_(expr_part(in[2], tracer.nq_, tracer.nv_)),
          rest_(expr_list({in[0], in[1], q_, v_, in[3]})),
          graph_(in[0][0].graph()) {
      const Exprs zero(tracer.nv_, Expr(0.0));
      const Model<Expr> model = tracer.design_.model<Expr>(in[3], in[0][0]);
      const DesignTree tree(model);
      model_ = tree.model;
      factors_ = tree.mass_matrix(q_);
      factorize_mass_matrix<Expr>(model_, factors_);
      Exprs b = expr_values(tracer.residual_, expr_list({zero, rest_}));
      for (Expr& e : b) e = -e;
      solve_mass_matrix<Expr>(model_, factors_, b);
      a_ = b;
      if (!tracer.implicit_) return;
      const auto balance = std::make_shared<Function>(optimize(tracer.residual_, Objective::operations));
      a_ = graph_->solve(balance, a_, rest_, kNewtonStepsOfLosses).unknowns;
      std::vector<std::size_t> columns(tracer.nv_);
      for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = k;
      A_ = jacobian_at(tracer.residual_, expr_list({a_, rest_}), columns, Elimination::forward);
    }

    const Exprs& accelerations() const { return a_; }
    Exprs x() const { return expr_list({a_, rest_}); }

    // A x = b, or Aᵀ x = b
    Exprs solve(Exprs b, bool transposed) const {
      if (!tracer_.implicit_) {
        solve_mass_matrix<Expr>(model_, factors_, b);
        return b;
      }
      const std::size_t n = tracer_.nv_;
      const auto linear =
          trace("linear", {{"x", n}, {"A", n * n, n}, {"b", n}}, {{"r", n}}, [&](const Arguments& in, Results& out) {
            for (std::size_t r = 0; r < n; ++r) {
              out[0][r] = -in[2][r];
              for (std::size_t c = 0; c < n; ++c) out[0][r] += in[1][transposed ? r * n + c : c * n + r] * in[0][c];
            }
          });
      const Exprs zero(n, Expr(0.0));
      return graph_->solve(std::make_shared<Function>(linear), zero, expr_list({A_, b}), 1).unknowns;
    }

   private:
    const ForwardTracer& tracer_;
    Exprs q_, v_, rest_;
    Graph* graph_;
    Model<Expr> model_;
    Exprs factors_, a_, A_;
  };

  std::vector<Group> inputs() const { return {{"t", 1}, {"u", nv_}, {"y", nq_ + nv_}, {"p", np_}}; }

  // `f` of (a, t, u, q, v, p); of rates, the accelerations stand behind the rates of q.
  DesignFunctions::Three three(const std::string& name, const Function& f, bool rates) const {
    const std::size_t ny = nq_ + nv_, extra = rates ? nv_ : 0, n = f.output_size() + extra;
    const auto value = [&](const Arguments& in, Results& out) {
      const Solved solved(*this, in);
      out[0] = with(expr_values(f, solved.x()), solved.accelerations(), rates);
    };
    std::vector<Group> direction = inputs(), weights = inputs();
    direction.push_back({"dy", ny});
    direction.push_back({"dp", np_});
    weights.push_back({"w", n});
    const auto along = [&](const Arguments& in, Results& out) {
      const Solved solved(*this, in);
      const Exprs still(1 + nv_, Expr(0.0)), zero(nv_, Expr(0.0)), x = solved.x();
      Exprs excess = tangent_at(residual_, x, expr_list({zero, still, in[4], in[5]}));
      for (Expr& e : excess) e = -e;
      const Exprs da = solved.solve(excess, false);
      out[0] = with(tangent_at(f, x, expr_list({da, still, in[4], in[5]})), da, rates);
    };
    const auto back = [&](const Arguments& in, Results& out) {
      const Solved solved(*this, in);
      const Exprs x = solved.x(), &w = in[4];
      const Exprs own = adjoint_at(f, x, rates ? expr_list({expr_part(w, 0, nq_), expr_part(w, ny, n - ny)}) : w);
      Exprs mu = expr_part(own, 0, nv_);
      for (std::size_t k = 0; k < extra; ++k) mu[k] += w[nq_ + k];
      mu = solved.solve(mu, true);
      for (Expr& e : mu) e = -e;
      const Exprs through = adjoint_at(residual_, x, mu);
      const std::size_t first = 2 * nv_ + 1;  // behind a, t and u
      for (std::size_t k = 0; k < ny; ++k) out[0][k] = own[first + k] + through[first + k];
      for (std::size_t k = 0; k < np_; ++k) out[1][k] = own[first + ny + k] + through[first + ny + k];
    };
    return {trace(name, inputs(), {{"value", n}}, value), trace(name + "-along", direction, {{"value", n}}, along),
            trace(name + "-back", weights, {{"y", ny}, {"p", np_}}, back)};
  }
  Exprs with(const Exprs& own, const Exprs& accelerations, bool rates) const {
    if (!rates) return own;
    return expr_list({expr_part(own, 0, nq_), accelerations, expr_part(own, nq_, own.size() - nq_)});
  }

  const DesignParameters& design_;
  const DesignFormulas& formulas_;
  bool friction_;
  Model<double> values_;
  std::size_t nq_, nv_, np_;
  bool implicit_;
  Function residual_;         // a, t, u, q, v, p
  Function rates_, outputs_;  // of the same
};

}  // namespace

DesignFunctions forward_functions(const DesignParameters& design, const DesignFormulas& formulas, bool friction) {
  return ForwardTracer(design, formulas, friction).functions();
}

DesignFunctions::Three inverse_functions(const DesignParameters& design, const std::vector<WrittenFormula>& outputs,
                                         bool friction) {
  const Model<double> values = design.model<double>(design.values());
  const auto nq = at(values.nq), nv = at(values.nv), np = design.size();
  const std::vector<Group> in{{"t", 1}, {"q", nq}, {"qd", nv}, {"qdd", nv}, {"p", np}};
  const std::size_t n = nv + outputs.size(), given = 1 + nq + 2 * nv;
  const Function f = trace("torques", in, {{"value", n}}, [&](const Arguments& x, Results& y) {
    const Exprs tau = needed_torques(design.model<Expr>(x[4], x[0][0]), friction, x[1], x[2], x[3]);
    const FormulaNames names = quantity_names(design, x[4], {x[0][0], x[1], x[2], x[3], tau});
    for (std::size_t k = 0; k < n; ++k) y[0][k] = k < nv ? tau[k] : parsed_formula(outputs[k - nv], names);
  });
  std::vector<Group> direction = in, weights = in;
  direction.push_back({"dp", np});
  weights.push_back({"w", n});
  const auto all = [](const Arguments& x) { return expr_list({x[0], x[1], x[2], x[3], x[4]}); };
  return {f,
          trace("torques-along", direction, {{"value", n}},
                [&](const Arguments& x, Results& y) {
                  y[0] = tangent_at(f, all(x), expr_list({Exprs(given, Expr(0.0)), x[5]}));
                }),
          trace("torques-back", weights, {{"p", np}},
                [&](const Arguments& x, Results& y) { y[0] = expr_part(adjoint_at(f, all(x), x[5]), given, np); })};
}

Function shortened(const Function& f) {
  Function best = optimize(f, Objective::operations);
  if (machine_has_fma()) {
    const auto fused = [](const Function& g) {
      return schedule(contract(g.with({g.arithmetic().trigonometry, true})));
    };
    best = fused(has_calls(best) ? with_calls(best, fused) : best);
  }
  return with_arithmetic(best, {Arithmetic::Trigonometry::own, best.arithmetic().fused});
}

Function at_values(const Function& f, std::span<const double> p) {
  std::vector<Group> rest;
  for (const Group& g : f.inputs()) {
    if (g.name != "p") rest.push_back(g);
  }
  return shortened(trace(f.name(), rest, f.outputs(), [&](const Arguments& in, Results& out) {
    Exprs x;
    std::size_t k = 0;
    for (const Group& g : f.inputs()) {
      if (g.name == "p") {
        x.insert(x.end(), p.begin(), p.end());
      } else {
        x.insert(x.end(), in[k].begin(), in[k].end());
        ++k;
      }
    }
    const Exprs y = expr_values(f, x);
    std::size_t place = 0;
    for (Exprs& group : out) {
      for (Expr& e : group) e = y[place++];
    }
  }));
}

}  // namespace lw
