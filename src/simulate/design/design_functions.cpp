#include "design_functions.hpp"

#include <algorithm>
#include <memory>

#include "../../base/index.hpp"
#include "../../codegen/compile.hpp"
#include "../../graph/adjoint.hpp"
#include "../../graph/interpreter.hpp"
#include "../../graph/jacobian.hpp"
#include "../../graph/outline.hpp"
#include "../../graph/passes/contract.hpp"
#include "../../graph/passes/optimize.hpp"
#include "../../graph/schedule.hpp"
#include "../../graph/tangent.hpp"
#include "../../model/coordinate_rates.hpp"
#include "design_tree.hpp"
#include "traced_loops.hpp"

namespace lw {
namespace {

using Exprs = std::vector<Expr>;
constexpr int kNewtonStepsOfLosses = 30;

class ForwardTracer {
 public:
  ForwardTracer(const DesignParameters& design, const DesignFormulas& formulas, DesignLosses losses,
                const LoopPlan& plan)
      : design_(design),
        formulas_(formulas),
        losses_(losses),
        plan_(plan),
        values_(design.model<double>(design.values())),
        nq_(at(values_.nq)),
        nv_(at(values_.nv)),
        np_(design.size()),
        state_nq_(plan.independent_q.size()),
        state_nv_(plan.freedoms()),
        implicit_(losses == DesignLosses::any && losses_need_loads(values_)),
        closure_(closure_function(design, plan)),
        residual_(trace("residual", arguments(state_nv_), {{"r", state_nv_}},
                        [&](const Arguments& in, Results& out) { out[0] = excess(in); })),
        rates_at_(with_accelerations(
            "rates", {{"q", state_nq_}, {"F", formulas_.integrands.size()}},
            [&](const Model<Expr>& model, const MotionMoment& m, const FormulaNames& names, Results& out) {
              Exprs all(nq_);
              coordinate_rates<Expr>(model, m.q, m.qd, all);
              for (std::size_t k = 0; k < out[0].size(); ++k) out[0][k] = all[at(plan_.independent_q[k])];
              for (std::size_t k = 0; k < out[1].size(); ++k) {
                out[1][k] = parsed_formula(formulas_.integrands[k], names);
              }
            })),
        outputs_at_(with_accelerations(
            "outputs", {{"q", nq_}, {"v", nv_}, {"a", nv_}, {"tau", nv_}, {"G", formulas_.outputs.size()}},
            [&](const Model<Expr>&, const MotionMoment& m, const FormulaNames& names, Results& out) {
              out[0] = m.q;
              out[1] = m.qd;
              out[2] = m.qdd;
              out[3] = m.tau;
              for (std::size_t k = 0; k < out[4].size(); ++k) {
                out[4][k] = parsed_formula(formulas_.outputs[k], names);
              }
            })),
        rates_(of_independent(rates_at_)),
        outputs_(of_independent(outputs_at_)) {}

  DesignFunctions functions() const {
    const Function torques_alone =
        trace("torques", {{"t", 1}, {"u", nv_}, {"q", nq_}, {"v", nv_}, {"p", np_}}, {{"tau", nv_}},
              [&](const Arguments& in, Results& out) { out[0] = torques(in[0][0], in[1], in[2], in[3], in[4]); });
    return {three("rates", rates_, true), three("outputs", outputs_, false), torques_alone, rates_at_, outputs_at_};
  }

 private:
  // a, t, u, q, v, p with so many velocities
  std::vector<Group> arguments(std::size_t nv) const {
    return {{"a", nv}, {"t", 1}, {"u", nv_}, {"q", nq_}, {"v", nv}, {"p", np_}};
  }

  // What torques lack for these accelerations.
  Exprs excess(const Arguments& in) const {
    const Model<Expr> model = design_.model<Expr>(in[5], in[1][0]);
    TracedLoops closed(model, plan_, in[3]);
    const auto [v, a] = closed.motion(in[4], in[0]);
    const Exprs tau = torques(in[1][0], in[2], in[3], v, in[5]);
    Exprs lacking = needed_torques(model, losses_ == DesignLosses::any, in[3], v, a, AtRest::no_direction);
    for (std::size_t k = 0; k < nv_; ++k) lacking[k] -= tau[k];
    Exprs r = closed.forces(lacking);
    if (losses_ == DesignLosses::smooth)
      closed.add_friction(in[4], Exprs(in[4].size(), Expr(0.0)), AtRest::no_direction, r);
    return r;
  }

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
      if (names.empty()) names = quantity_names(design_, p, {t, q, v, {}, {}, plan_});
      tau[k] = parsed_formula(formulas_.torques[k], names);
    }
    return tau;
  }

  Function with_accelerations(
      const std::string& name, const std::vector<Group>& results,
      const std::function<void(const Model<Expr>&, const MotionMoment&, const FormulaNames&, Results&)>& f) const {
    return trace(name, arguments(nv_), results, [&](const Arguments& in, Results& out) {
      const MotionMoment m{in[1][0], in[3], in[4], in[0], torques(in[1][0], in[2], in[3], in[4], in[5]), plan_};
      f(design_.model<Expr>(in[5], m.t), m, quantity_names(design_, in[5], m), out);
    });
  }

  // The same of the velocities and accelerations that the state and its rates have.
  Function of_independent(const Function& f) const {
    return trace(f.name(), arguments(state_nv_), f.outputs(), [&](const Arguments& in, Results& out) {
      TracedLoops closed(design_.model<Expr>(in[5], in[1][0]), plan_, in[3]);
      const TracedLoops::Motion all = closed.motion(in[4], in[0]);
      const Exprs results = expr_values(f, expr_list({all.a, in[1], in[2], in[3], all.v, in[5]}));
      std::size_t k = 0;
      for (Exprs& group : out) {
        for (Expr& e : group) e = results[k++];
      }
    });
  }

  // Accelerations at x = (t, u, y, p), and linear equations with A = ∂r/∂a there.
  class Solved {
   public:
    Solved(const ForwardTracer& tracer, const Arguments& in)
        : tracer_(tracer),
          q_(expr_part(in[2], 0, tracer.nq_)),
          v_(expr_part(in[2], tracer.nq_, tracer.state_nv_)),
          p_(in[3]),
          rest_(expr_list({in[0], in[1], q_, v_, in[3]})),
          graph_(in[0][0].graph()),
          closed_(tracer.design_.model<Expr>(in[3], in[0][0]), tracer.plan_, q_),
          H_(closed_.mass_matrix(DesignTree(closed_.model()).mass_matrix(q_))) {
      const Exprs zero(tracer.state_nv_, Expr(0.0));
      Exprs b = expr_values(tracer.residual_, expr_list({zero, rest_}));
      for (Expr& e : b) e = -e;
      a_ = closed_.solve(H_, b);
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
      if (!tracer_.implicit_) return closed_.solve(H_, std::move(b));
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

    // How all coordinates follow those of the state, and parameters.
    Exprs follow(const Exprs& dq, const Exprs& dp) { return closed_.along(tracer_.closure_, p_, dq, dp); }
    TracedLoops::Weights follow_back(const Exprs& q_bar) { return closed_.back(tracer_.closure_, p_, q_bar); }

   private:
    const ForwardTracer& tracer_;
    Exprs q_, v_, p_, rest_;
    Graph* graph_;
    TracedLoops closed_;
    Exprs H_, a_, A_;
  };

  std::vector<Group> inputs() const { return {{"t", 1}, {"u", nv_}, {"y", nq_ + state_nv_}, {"p", np_}}; }

  // `f` of (a, t, u, q, v, p); of rates, the accelerations stand behind the rates of q.
  DesignFunctions::Three three(const std::string& name, const Function& f, bool rates) const {
    const std::size_t ny = state_nq_ + state_nv_, extra = rates ? state_nv_ : 0, n = f.output_size() + extra;
    const auto value = [&](const Arguments& in, Results& out) {
      const Solved solved(*this, in);
      out[0] = with(expr_values(f, solved.x()), solved.accelerations(), rates);
    };
    std::vector<Group> direction = inputs(), weights = inputs();
    direction.push_back({"dy", ny});
    direction.push_back({"dp", np_});
    weights.push_back({"w", n});
    const auto along = [&](const Arguments& in, Results& out) {
      Solved solved(*this, in);
      const Exprs still(1 + nv_, Expr(0.0)), zero(state_nv_, Expr(0.0)), x = solved.x();
      const Exprs dx = expr_list(
          {still, solved.follow(expr_part(in[4], 0, state_nq_), in[5]), expr_part(in[4], state_nq_, state_nv_), in[5]});
      Exprs excess = tangent_at(residual_, x, expr_list({zero, dx}));
      for (Expr& e : excess) e = -e;
      const Exprs da = solved.solve(excess, false);
      out[0] = with(tangent_at(f, x, expr_list({da, dx})), da, rates);
    };
    const auto back = [&](const Arguments& in, Results& out) {
      Solved solved(*this, in);
      const Exprs x = solved.x(), &w = in[4];
      const Exprs own = adjoint_at(f, x, rates ? expr_list({expr_part(w, 0, state_nq_), expr_part(w, ny, n - ny)}) : w);
      Exprs mu = expr_part(own, 0, state_nv_);
      for (std::size_t k = 0; k < extra; ++k) mu[k] += w[state_nq_ + k];
      mu = solved.solve(mu, true);
      for (Expr& e : mu) e = -e;
      Exprs all = adjoint_at(residual_, x, mu);
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = own[k] + all[k];
      const std::size_t first = state_nv_ + 1 + nv_, v = first + nq_, p = v + state_nv_;  // behind a, t and u
      const TracedLoops::Weights q = solved.follow_back(expr_part(all, first, nq_));
      for (std::size_t k = 0; k < state_nq_; ++k) out[0][k] = q.q[k];
      for (std::size_t k = 0; k < state_nv_; ++k) out[0][state_nq_ + k] = all[v + k];
      for (std::size_t k = 0; k < np_; ++k) out[1][k] = all[p + k] + q.p[k];
    };
    return {trace(name, inputs(), {{"value", n}}, value), trace(name + "-along", direction, {{"value", n}}, along),
            trace(name + "-back", weights, {{"y", ny}, {"p", np_}}, back)};
  }
  Exprs with(const Exprs& own, const Exprs& accelerations, bool rates) const {
    if (!rates) return own;
    return expr_list({expr_part(own, 0, state_nq_), accelerations, expr_part(own, state_nq_, own.size() - state_nq_)});
  }

  const DesignParameters& design_;
  const DesignFormulas& formulas_;
  const DesignLosses losses_;
  const LoopPlan& plan_;
  Model<double> values_;
  std::size_t nq_, nv_, np_;         // of all joints
  std::size_t state_nq_, state_nv_;  // of those that the state has
  bool implicit_;
  Function closure_;
  Function residual_;               // a, t, u, q, v, p; a and v of the state
  Function rates_at_, outputs_at_;  // of the same, a and v of all joints
  Function rates_, outputs_;        // of the state
};

}  // namespace

DesignFunctions forward_functions(const DesignParameters& design, const DesignFormulas& formulas, DesignLosses losses,
                                  const LoopPlan& plan) {
  return ForwardTracer(design, formulas, losses, plan).functions();
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
