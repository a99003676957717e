// Accelerations of a tree: generated code where there is some, else the reference; with losses and dry friction by
// dynamics/friction/forward_friction.hpp.
#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "../../codegen/trace/function_derivatives.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/friction/forward_friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../model/coordinate_rates.hpp"
#include "driven_code.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

// Flat code of more takes the compiler minutes.
constexpr int kLargestCompiledJacobian = 24;

class TreeDynamics : public DrivenDynamics {
 public:
  TreeDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques, DrivenOptions options)
      : DrivenDynamics(model, std::move(mechanism), std::move(torques), std::move(options)),
        in_(nq_ + 2 * nv_ + (timed_ ? 1 : 0), 0.0),
        dynamic_(nv_) {
    if (lossy_) {
      losses_.emplace(model_);
      sticking_.emplace(model_);
      sticking_->get_modes(modes_);
      dry_ = !modes_.empty();
    }
    choose_way();
    if (dry_ && code_) compile_equations();
  }

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
              std::span<double> dz) override {
    accelerations(t, q, v, a, true);
    if (dz.empty()) return;
    dz[0] = power_of(tau(), v);
    dz[1] = lossy_ ? lost_power(q, v, a) : 0.0;
    if (!model_.forces.empty()) dz[0] += outer_power(q, v);
  }

  bool begin(const MotionState& s) override {
    if (!dry_) return false;
    before_ = modes_;
    if (!sticking_->decide_by_motion(s.v)) accelerations(s.t, s.q, s.v, dynamic_, false);
    sticking_->get_modes(modes_);
    return before_ != modes_;
  }
  bool still_holds(const MotionState& s) override {
    if (!dry_) return true;
    if (torques_) torques_(s.t, s.q, s.v, tau());
    if (timed_) move_to(s.t);
    return sticking_->still_fits(s.q, s.v, tau());
  }
  std::vector<std::string> settle(MotionState& s) override {
    std::vector<std::string> names;
    if (!dry_) return names;
    for (const int k : sticking_->stop_turned(s.v)) names.push_back(model_.velocity_names[static_cast<std::size_t>(k)]);
    return names;
  }

  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override {
    if (lossy_ && !mechanism_) return false;
    std::copy(q.begin(), q.end(), in_.begin());
    std::copy(v.begin(), v.end(), in_.begin() + static_cast<std::ptrdiff_t>(nq_));
    if (torques_) torques_(t, q, v, tau());
    if (timed_) move_to(t);
    d_tau_.resize(nv_ * nv_);
    if (!jacobian_known_) compile_jacobian();
    if (jacobian_) {
      by_code(d_q, d_v);
    } else if (lossy_) {
      by_dual_numbers(q, v, d_q, d_v);
    } else {
      if (!derivatives_) derivatives_.emplace(model_);
      forward_derivatives<double>(model_, *derivatives_, q, v, tau(), d_q, d_v, d_tau_);
    }
    if (options_.derivatives) add_torque_derivatives(t, q, v, d_q, d_v);
    return true;
  }

  std::span<double> tau() override { return std::span(in_).subspan(nq_ + nv_, nv_); }

 private:
  void accelerations(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
                     bool same_directions) {
    std::copy(q.begin(), q.end(), in_.begin());
    std::copy(v.begin(), v.end(), in_.begin() + static_cast<std::ptrdiff_t>(nq_));
    if (torques_) torques_(t, q, v, tau());
    if (timed_) move_to(t);
    by_code_ = code_ && (!dry_ || (same_directions && sticking_->all_move(v)));
    if (by_code_) {
      code_->run(0, in_, a);
      // a joint that jams has no acceleration: the other way says which
      if (dry_ && !all_finite(a)) by_code_ = false;
    }
    if (!by_code_) ++plain_;
    if (!by_code_ && lossy_) {
      (*sticking_)(q, v, tau(), a, {.same_directions = same_directions});
    } else if (!by_code_) {
      aba<double>(model_, work_, q, v, tau(), a);
    }
  }

  void choose_way() {
    if (!wants_code()) return;
    std::vector<FunctionName> functions{FunctionId::forward};
    if (lossy_ && options_.work) functions.emplace_back(FunctionId::friction);
    const bool interpreted = options_.way == DrivenOptions::Way::interpreted;
    code_.emplace(*mechanism_, functions, trace_options(), interpreted);
    notes_ = code_->notes();
    if (code_->is_of_use())
      way_ = interpreted ? DrivenOptions::Way::interpreted : DrivenOptions::Way::compiled;
    else
      code_.reset();
    parts_.resize(6 * nv_);
    motion_.resize(in_.size());
  }

  // M and h for what dry friction holds or lets go, where they are all that it takes.
  void compile_equations() {
    if (!sticking_->take_equations_from([this](In<double> q, In<double> v, Out<double> M, Out<double> h) {
          std::copy(q.begin(), q.end(), state_.begin());
          std::copy(v.begin(), v.end(), state_.begin() + static_cast<std::ptrdiff_t>(nq_));
          equations_->run(0, std::span(state_).first(nq_), M);
          equations_->run(1, state_, h);
        })) {
      return;
    }
    TraceOptions trace = trace_options();
    trace.friction = false;
    state_.resize(nq_ + nv_);
    equations_.emplace(*mechanism_, std::vector<FunctionName>{FunctionId::mass_matrix, FunctionId::bias}, trace,
                       way_ == DrivenOptions::Way::interpreted);
    if (!equations_->is_of_use()) sticking_->take_equations_from({});
  }

  // What is lost, by the laws. Of dry friction near rest: in the directions that were decided.
  double lost_power(std::span<const double> q, std::span<const double> v, std::span<const double> a) {
    if (dry_ && !by_code_) {
      const Losses<double>& losses = sticking_->losses();
      return power_of(losses.bearing, v) + power_of(losses.transmission, v);
    }
    const auto n = static_cast<std::ptrdiff_t>(nv_);
    if (!code_) {
      inverse_with_losses<double>(model_, work_, q, v, a, *losses_);
      return power_of(losses_->bearing, v) + power_of(losses_->transmission, v);
    }
    motion_ = in_;
    std::copy(a.begin(), a.end(), motion_.begin() + static_cast<std::ptrdiff_t>(nq_) + n);
    code_->run(1, motion_, parts_);  // dynamic, bearing, at_joint, transmission, …
    return power_of({parts_.data() + n, nv_}, v) + power_of({parts_.data() + 3 * n, nv_}, v);
  }

  void move_to(double t) {
    in_.back() = t;
    set_time(t);
  }

  void compile_jacobian() {
    jacobian_known_ = true;
    if (way_ != DrivenOptions::Way::compiled || dry_ || model_.nv > kLargestCompiledJacobian) return;
    TraceOptions trace = trace_options();
    if (!lossy_) {
      jacobian_.emplace(*mechanism_, std::vector<FunctionName>{FunctionId::forward_derivatives}, trace, false);
    } else {
      const Traced forward = trace_function(*mechanism_, "forward", native(trace));
      jacobian_.emplace(optimize(derivatives(forward.model, forward.function), Objective::operations), *mechanism_);
    }
    if (!jacobian_->is_of_use()) jacobian_.reset();
    matrices_.resize((3 * nv_ + (timed_ ? 1 : 0)) * nv_);
  }
  void by_code(std::span<double> d_q, std::span<double> d_v) {
    jacobian_->run(0, in_, matrices_);
    const std::size_t n = nv_ * nv_;
    std::copy_n(matrices_.begin(), n, d_q.begin());
    std::copy_n(matrices_.begin() + static_cast<std::ptrdiff_t>(n), n, d_v.begin());
    std::copy_n(matrices_.begin() + static_cast<std::ptrdiff_t>(2 * n), n, d_tau_.begin());
  }

  // total(q, q̇, q̈) = τ differentiated, joints that stick held: −(∂total/∂q̈)⁻¹ ∂total/∂(q, q̇), and its inverse along
  // τ.
  void by_dual_numbers(std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                       std::span<double> d_v) {
    const auto n = static_cast<Eigen::Index>(nv_);
    if (!dual_) {
      ParameterValues<Dual> values;
      for (const auto& [name, value] : options_.values) values.emplace(name, Dual(value));
      dual_.emplace(instantiate<Dual>(*mechanism_, values));
    }
    Eigen::MatrixXd by_q(n, n), by_v(n, n), by_a(n, n);
    std::vector<double> a(nv_);
    (*sticking_)(q, v, tau(), a, {.same_directions = true});
    std::vector<Dual> here(q.begin(), q.end()), rates(v.begin(), v.end()), accelerations(a.begin(), a.end());
    const Model<Dual> model = timed_ ? with_wrenches(dual_->model) : dual_->model;
    const auto column = [&](Eigen::MatrixXd& to, Eigen::Index k, std::span<const Dual> at) {
      inverse_with_losses<Dual>(model, dual_->work, at, rates, accelerations, dual_->losses);
      for (Eigen::Index i = 0; i < n; ++i) to(i, k) = dual_->losses.total[static_cast<std::size_t>(i)].d;
    };
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(k);
      column(by_q, k, moving_along(model_, q, static_cast<int>(k)));
      rates[j] = Dual(v[j], 1.0);
      column(by_v, k, here);
      rates[j] = Dual(v[j]);
      accelerations[j] = Dual(a[j], 1.0);
      column(by_a, k, here);
      accelerations[j] = Dual(a[j]);
    }
    Eigen::MatrixXd by_tau = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!sticking_->sticks()[static_cast<std::size_t>(k)]) continue;
      by_q.row(k).setZero();
      by_v.row(k).setZero();
      by_a.row(k).setZero();
      by_tau.row(k).setZero();
      by_a(k, k) = 1.0;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(by_a);
    Eigen::Map<Eigen::MatrixXd>(d_q.data(), n, n) = -lu.solve(by_q);
    Eigen::Map<Eigen::MatrixXd>(d_v.data(), n, n) = -lu.solve(by_v);
    Eigen::Map<Eigen::MatrixXd>(d_tau_.data(), n, n) = lu.solve(by_tau);
  }
  Model<Dual> with_wrenches(Model<Dual> model) const {
    for (std::size_t k = 0; k < model.forces.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        model.forces[k].wrench.ang[i] = Dual(model_.forces[k].wrench.ang[i]);
        model.forces[k].wrench.lin[i] = Dual(model_.forces[k].wrench.lin[i]);
      }
    }
    return model;
  }

  void add_torque_derivatives(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                              std::span<double> d_v) {
    tau_q_.assign(nv_ * nv_, 0.0);
    tau_v_.assign(nv_ * nv_, 0.0);
    options_.derivatives(t, q, v, tau_q_, tau_v_);
    const auto n = static_cast<Eigen::Index>(nv_);
    const auto matrix = [&](std::span<double> x) { return Eigen::Map<Eigen::MatrixXd>(x.data(), n, n); };
    matrix(d_q).noalias() += matrix(d_tau_) * matrix(tau_q_);
    matrix(d_v).noalias() += matrix(d_tau_) * matrix(tau_v_);
  }

  struct DualWorkspaces {
    explicit DualWorkspaces(Model<Dual> of) : model(std::move(of)), work(model), losses(model) {}
    Model<Dual> model;
    Workspace<Dual> work;
    Losses<Dual> losses;
  };

  std::optional<Losses<double>> losses_;
  std::optional<ForwardWithLosses> sticking_;
  std::vector<int> modes_, before_;
  bool by_code_ = false;  // the last accelerations
  std::optional<DrivenCode> code_, equations_, jacobian_;
  bool jacobian_known_ = false;
  std::optional<DerivativeWorkspace<double>> derivatives_;
  std::optional<DualWorkspaces> dual_;
  std::vector<double> in_;  // q, v, τ and, where external forces have it, t
  std::vector<double> dynamic_, state_, motion_, parts_, matrices_, d_tau_, tau_q_, tau_v_;
};

}  // namespace

std::unique_ptr<DrivenDynamics> make_tree_dynamics(const Model<double>& model, std::optional<Mechanism> mechanism,
                                                   Torques torques, DrivenOptions options) {
  return std::make_unique<TreeDynamics>(model, std::move(mechanism), std::move(torques), std::move(options));
}

}  // namespace lw
