// Of a tree: code of the table's functions where there is some, and Jacobians by code, by analytic derivatives or, with
// losses, by dual numbers.
#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include "../../codegen/trace/function_derivatives.hpp"
#include "../../codegen/trace/traced.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../model/coordinate_rates.hpp"
#include "driven_code.hpp"
#include "driven_dynamics.hpp"

namespace lw {
namespace {

// Flat code of more takes the compiler minutes.
constexpr int kLargestCompiledJacobian = 24;

class TreeFunctions : public MotionFunctions {
 public:
  explicit TreeFunctions(const DrivenDynamics& motion)
      : motion_(motion), nq_(motion.nq_), nv_(motion.nv_), in_(nq_ + 2 * nv_ + (motion.timed_ ? 1 : 0), 0.0) {
    if (!wants_code(motion)) return;
    trace_.values = motion.options_.values;
    trace_.friction = motion.lossy_;
    if (motion.timed_) trace_.keep = {"t"};
    std::vector<FunctionName> functions{FunctionId::forward};
    if (motion.lossy_ && motion.options_.work) functions.emplace_back(FunctionId::friction);
    const bool interpreted = motion.options_.way == DrivenOptions::Way::interpreted;
    code_.emplace(*motion.mechanism_, functions, trace_, interpreted);
    notes = code_->notes();
    if (!code_->is_of_use()) return;
    way = interpreted ? DrivenOptions::Way::interpreted : DrivenOptions::Way::compiled;
    parts_.resize(6 * nv_);
    state_and_motion_.resize(in_.size());
  }

  bool accelerations(double t, std::span<const double> q, std::span<const double> v, std::span<const double> motors,
                     std::span<double> a) override {
    set_inputs(t, q, v, motors);
    code_->run(0, in_, a);
    return !motion_.dry_ || all_finite(a);  // a joint that jams has no acceleration: the algorithms say which
  }

  double lost_power(std::span<const double> v, std::span<const double> a) override {
    const auto n = static_cast<std::ptrdiff_t>(nv_);
    state_and_motion_ = in_;
    std::ranges::copy(a, state_and_motion_.begin() + static_cast<std::ptrdiff_t>(nq_) + n);
    code_->run(1, state_and_motion_, parts_);  // dynamic, bearing, at_joint, transmission, …
    return power_of({parts_.data() + n, nv_}, v) + power_of({parts_.data() + 3 * n, nv_}, v);
  }

  // M and h for what dry friction holds or lets go, where they are all that it takes.
  void serve(ForwardLosses& friction) override {
    if (!has_code() || !friction.is_dry()) return;
    const auto by_code = [this](In<double> q, In<double> v, Out<double> M, Out<double> h) {
      const std::span<double> state = std::span(state_and_motion_).first(nq_ + nv_);
      std::ranges::copy(v, std::ranges::copy(q, state.begin()).out);
      equations_->run(0, state.first(nq_), M);
      equations_->run(1, state, h);
    };
    if (!friction.take_equations_from(by_code)) return;
    if (!equations_) {
      TraceOptions trace = trace_;
      trace.friction = false;
      equations_.emplace(*motion_.mechanism_, std::vector<FunctionName>{FunctionId::mass_matrix, FunctionId::bias},
                         trace, way == DrivenOptions::Way::interpreted);
    }
    if (!equations_->is_of_use()) friction.take_equations_from({});
  }

  bool has_jacobian(bool) override { return !motion_.lossy_ || motion_.mechanism_; }
  void jacobian(const JacobianAt& at, std::span<double> d_q, std::span<double> d_v, std::span<double> d_tau) override {
    if (!jacobian_known_) compile_jacobian();
    if (jacobian_) {
      set_inputs(at.t, at.q, at.v, at.motors);
      jacobian_->run(0, in_, matrices_);
      auto from = matrices_.begin();
      for (const std::span<double>& to : {d_q, d_v, d_tau}) {
        std::copy_n(from, to.size(), to.begin());
        from += static_cast<std::ptrdiff_t>(to.size());
      }
    } else if (motion_.lossy_) {
      by_dual_numbers(at, d_q, d_v, d_tau);
    } else {
      if (!derivatives_) derivatives_.emplace(motion_.model_);
      forward_derivatives<double>(motion_.model_, *derivatives_, at.q, at.v, at.motors, d_q, d_v, d_tau);
    }
  }

 private:
  void set_inputs(double t, std::span<const double> q, std::span<const double> v, std::span<const double> motors) {
    std::ranges::copy(motors, std::ranges::copy(v, std::ranges::copy(q, in_.begin()).out).out);
    if (motion_.timed_) in_.back() = t;
  }

  void compile_jacobian() {
    jacobian_known_ = true;
    if (way != DrivenOptions::Way::compiled || motion_.dry_ || motion_.model_.nv > kLargestCompiledJacobian) return;
    if (!motion_.lossy_) {
      jacobian_.emplace(*motion_.mechanism_, std::vector<FunctionName>{FunctionId::forward_derivatives}, trace_, false);
    } else {
      const Traced forward = trace_function(*motion_.mechanism_, FunctionId::forward, native(trace_));
      jacobian_.emplace(optimize(derivatives(forward.model, forward.function), Objective::operations),
                        *motion_.mechanism_);
    }
    if (!jacobian_->is_of_use()) jacobian_.reset();
    matrices_.resize((3 * nv_ + (motion_.timed_ ? 1 : 0)) * nv_);
  }

  // total(q, q̇, q̈) = τ differentiated, joints that stick held: −(∂total/∂q̈)⁻¹ ∂total/∂(q, q̇), and its inverse along
  // τ.
  void by_dual_numbers(const JacobianAt& here, std::span<double> d_q, std::span<double> d_v, std::span<double> d_tau) {
    const auto n = static_cast<Eigen::Index>(nv_);
    if (!dual_) {
      ParameterValues<Dual> values;
      for (const auto& [name, value] : motion_.options_.values) values.emplace(name, Dual(value));
      dual_.emplace(instantiate<Dual>(*motion_.mechanism_, values));
    }
    for (std::size_t k = 0; k < dual_->model.forces.size(); ++k) {
      for (int i = 0; i < 3; ++i) {
        dual_->model.forces[k].wrench.ang[i] = Dual(motion_.model_.forces[k].wrench.ang[i]);
        dual_->model.forces[k].wrench.lin[i] = Dual(motion_.model_.forces[k].wrench.lin[i]);
      }
    }
    Eigen::MatrixXd by_q(n, n), by_v(n, n), by_a(n, n);
    const std::span<const double> made = here.accelerations();
    std::vector<Dual> q(here.q.begin(), here.q.end()), v(here.v.begin(), here.v.end()), a(made.begin(), made.end());
    const auto column = [&](Eigen::MatrixXd& to, Eigen::Index k, std::span<const Dual> pose) {
      inverse_with_losses<Dual>(dual_->model, dual_->work, pose, v, a, dual_->losses);
      for (Eigen::Index i = 0; i < n; ++i) to(i, k) = dual_->losses.total[static_cast<std::size_t>(i)].d;
    };
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto j = static_cast<std::size_t>(k);
      column(by_q, k, moving_along(motion_.model_, here.q, static_cast<int>(k)));
      v[j].d = 1.0;
      column(by_v, k, q);
      v[j].d = 0.0;
      a[j].d = 1.0;
      column(by_a, k, q);
      a[j].d = 0.0;
    }
    Eigen::MatrixXd by_tau = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!here.friction->sticks()[static_cast<std::size_t>(k)]) continue;
      for (Eigen::MatrixXd* m : {&by_q, &by_v, &by_a, &by_tau}) m->row(k).setZero();
      by_a(k, k) = 1.0;
    }
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(by_a);
    Eigen::Map<Eigen::MatrixXd>(d_q.data(), n, n) = -lu.solve(by_q);
    Eigen::Map<Eigen::MatrixXd>(d_v.data(), n, n) = -lu.solve(by_v);
    Eigen::Map<Eigen::MatrixXd>(d_tau.data(), n, n) = lu.solve(by_tau);
  }

  struct DualWorkspaces {
    explicit DualWorkspaces(Model<Dual> of) : model(std::move(of)), work(model), losses(model) {}
    Model<Dual> model;
    Workspace<Dual> work;
    Losses<Dual> losses;
  };

  const DrivenDynamics& motion_;
  const std::size_t nq_, nv_;
  TraceOptions trace_;
  std::optional<DrivenCode> code_, equations_, jacobian_;
  bool jacobian_known_ = false;
  std::optional<DerivativeWorkspace<double>> derivatives_;
  std::optional<DualWorkspaces> dual_;
  std::vector<double> in_;  // q, v, τ and, where external forces have it, t
  std::vector<double> state_and_motion_, parts_, matrices_;
};

}  // namespace

std::unique_ptr<MotionFunctions> functions_of_tree(const DrivenDynamics& motion) {
  return std::make_unique<TreeFunctions>(motion);
}

}  // namespace lw
