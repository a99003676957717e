#include "derivative_methods.hpp"

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/canonical/tensor_derivatives.hpp"
#include "../../dynamics/derivatives/element_derivatives.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/interpreter.hpp"
#include "tracing.hpp"

namespace lw {
namespace {

// The dynamics of an elimination method at given arguments.
class EliminatedDynamics {
 public:
  EliminatedDynamics(const Model<Expr>& model, const EliminationMethod& method, const Arguments& in)
      : nq_(at(model.nq)),
        nv_(at(model.nv)),
        method_(method),
        in_(in),
        torque_(part(0, nv_, 0)),
        mass_(part(nv_, nv_ * nv_, 1)) {}

  std::vector<Expr> torque(const std::vector<Expr>& qdd) const { return values(torque_, qdd); }
  std::vector<Expr> mass_matrix() const {
    const std::vector<Expr> still(nv_, Expr(0.0));
    if (method_.composite) return values(mass_, still);
    std::vector<std::size_t> along;
    for (std::size_t k = 0; k < nv_; ++k) along.push_back(nq_ + nv_ + k);
    return jacobian_at(torque_, arguments(still), along, method_.order);
  }

  // ∂τ/∂q, ∂τ/∂q̇, ∂τ/∂p as outputs 0, 1 and 3; ∂τ/∂q̈ as output 2 if `with_mass`.
  void derivatives(const std::vector<Expr>& qdd, bool with_mass, Results& out) const {
    std::vector<std::size_t> along;
    const auto add = [&](std::size_t first, std::size_t count) {
      for (std::size_t k = 0; k < count; ++k) along.push_back(first + k);
    };
    add(nq_ + 2 * nv_, nv_);
    add(nq_, nv_);
    if (with_mass) add(nq_ + nv_, nv_);
    const bool parameters = out.size() > 3;
    if (parameters) add(nq_ + 3 * nv_, in_[3].size());
    const std::vector<Expr> J = jacobian_at(torque_, arguments(qdd), along, method_.order);
    std::size_t k = 0;
    for (std::size_t g = 0; g < out.size(); ++g) {
      if (g == 2 && !with_mass) continue;
      for (Expr& e : out[g]) e = J[k++];
    }
  }

  // ∂τ/∂p
  std::vector<Expr> along_parameters(const std::vector<Expr>& qdd) const {
    std::vector<std::size_t> along;
    for (std::size_t k = 0; k < in_[3].size(); ++k) along.push_back(nq_ + 3 * nv_ + k);
    return jacobian_at(torque_, arguments(qdd), along, method_.order);
  }

 private:
  Function part(std::size_t first, std::size_t count, std::size_t group) const {
    const Function& f = method_.dynamics;
    const auto begin = f.results().begin() + static_cast<std::ptrdiff_t>(first);
    return Function(f.name(), f.inputs(), {f.outputs()[group]}, f.shared_graph(),
                    std::vector<NodeId>(begin, begin + static_cast<std::ptrdiff_t>(count)), f.arithmetic());
  }

  std::vector<Expr> arguments(const std::vector<Expr>& qdd) const {
    std::vector<Expr> x;
    const std::vector<Expr> here(nv_, Expr(0.0));
    for (const auto* group : {&in_[0], &in_[1], &qdd, &here}) x.insert(x.end(), group->begin(), group->end());
    if (in_.size() > 3) x.insert(x.end(), in_[3].begin(), in_[3].end());
    return x;
  }

  std::vector<Expr> values(const Function& f, const std::vector<Expr>& qdd) const {
    std::vector<Expr> y(f.output_size());
    evaluate<Expr>(f, arguments(qdd), y);
    return y;
  }

  std::size_t nq_, nv_;
  EliminationMethod method_;
  const Arguments& in_;
  Function torque_, mass_;
};

// By composite bodies, including force elements.
void composite_derivatives(const Model<Expr>& model, const CanonicalTree<Expr>& tree, const TensorMethod& method,
                           const Arguments& in, const std::vector<Expr>& qdd, Results& out) {
  tensor_derivatives<Expr>(model, tree, method, in[0], in[1], qdd, out[0], out[1], out[2]);
  if (!has_elements(model)) return;
  DerivativeWorkspace<Expr> work(model);
  place_bodies<Expr>(model, work, in[0], in[1]);
  subtract_element_derivatives<Expr>(model, work, in[0], out[0].data(), work.by_columns, 1);
}

class FactoredMass {
 public:
  FactoredMass(const Model<Expr>& model, std::vector<Expr> M) : model_(model), factors_(std::move(M)) {
    const auto n = at(model.nv);
    name_lower_half(factors_, n, "M", "M");
    factorize_mass_matrix<Expr>(model, factors_);
    name_lower_half(factors_, n, "D", "L");
  }

  // q̈ = M⁻¹ (τ − h)
  std::vector<Expr> accelerations(const std::vector<Expr>& tau, const std::vector<Expr>& h) const {
    std::vector<Expr> qdd = tau;
    for (std::size_t k = 0; k < qdd.size(); ++k) qdd[k] -= h[k];
    solve_mass_matrix<Expr>(model_, factors_, qdd);
    for (std::size_t k = 0; k < qdd.size(); ++k) name_value(qdd[k], fmt::format("qdd{}", k + 1));
    return qdd;
  }

  // Turns ∂τ/∂q, ∂τ/∂q̇, [∂τ/∂p] into derivatives of q̈, and sets the third output to M⁻¹.
  void finish(Results& out) const {
    for (std::size_t g = 0; g < out.size(); ++g) {
      if (g != 2) solve(out[g]);
    }
    inverse(out[2]);
  }

 private:
  void solve(std::span<Expr> columns) const {
    const auto n = at(model_.nv);
    for (std::size_t first = 0; first < columns.size(); first += n) {
      for (Expr& e : columns.subspan(first, n)) e = -e;
      solve_mass_matrix<Expr>(model_, factors_, columns.subspan(first, n));
    }
  }

  void inverse(std::span<Expr> columns) const {
    const auto n = at(model_.nv);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) columns[k * n + i] = i == k ? 1.0 : 0.0;
      solve_mass_matrix<Expr>(model_, factors_, columns.subspan(k * n, n));
      // it is symmetric: entries above the diagonal are known already
      for (std::size_t i = 0; i < k; ++i) columns[k * n + i] = columns[i * n + k];
    }
  }

  const Model<Expr>& model_;
  std::vector<Expr> factors_;
};

}  // namespace

void inverse_derivatives_by(const Model<Expr>& model, const EliminationMethod& method, const Arguments& in,
                            Results& out) {
  const EliminatedDynamics dynamics(model, method, in);
  dynamics.derivatives(in[2], !method.composite, out);
  if (method.composite) out[2] = dynamics.mass_matrix();
}

void forward_derivatives_by(const Model<Expr>& model, const EliminationMethod& method, const Arguments& in,
                            Results& out) {
  const EliminatedDynamics dynamics(model, method, in);
  const FactoredMass mass(model, dynamics.mass_matrix());
  const std::vector<Expr> still(at(model.nv), Expr(0.0));
  dynamics.derivatives(mass.accelerations(in[2], dynamics.torque(still)), false, out);
  mass.finish(out);
}

void composite_inverse_derivatives(const Model<Expr>& model, const CanonicalTree<Expr>& tree,
                                   const TensorMethod& method, const Function* dynamics, const Arguments& in,
                                   Results& out) {
  composite_derivatives(model, tree, method, in, in[2], out);
  if (out.size() > 3)
    out[3] = EliminatedDynamics(model, {*dynamics, Elimination::forward, true}, in).along_parameters(in[2]);
}

void composite_forward_derivatives(const Model<Expr>& model, const CanonicalTree<Expr>& tree,
                                   const TensorMethod& method, const Function* dynamics, const Arguments& in,
                                   Results& out) {
  const std::vector<Expr> still(at(model.nv), Expr(0.0));
  std::vector<Expr> h(at(model.nv));
  tensor_inverse<Expr>(model, tree, method, in[0], in[1], still, h);
  subtract_elements<Expr>(model, in[0], h);
  tensor_derivatives<Expr>(model, tree, method, in[0], in[1], still, out[0], out[1], out[2]);
  const FactoredMass mass(model, out[2]);
  const std::vector<Expr> qdd = mass.accelerations(in[2], h);
  composite_derivatives(model, tree, method, in, qdd, out);
  if (out.size() > 3)
    out[3] = EliminatedDynamics(model, {*dynamics, Elimination::forward, true}, in).along_parameters(qdd);
  mass.finish(out);
}

void analytic_inverse_derivatives(const Model<Expr>& model, const Arguments& in, Results& out) {
  DerivativeWorkspace<Expr> work(model);
  inverse_derivatives<Expr>(model, work, in[0], in[1], in[2], out[0], out[1], out[2]);
}

void analytic_forward_derivatives(const Model<Expr>& model, const Arguments& in, Results& out) {
  DerivativeWorkspace<Expr> work(model);
  forward_derivatives<Expr>(model, work, in[0], in[1], in[2], out[0], out[1], out[2]);
}

}  // namespace lw
