// The implicit midpoint rule: w = v + ½ h a(t + ½ h, q exp(½ h w), w), then
//
//   q' = q exp(h w),  v' = v + h a,  z' = z + h ż      all at the middle
//
// It is time-reversible, which bounds the energy error of reversible motions, symplectic if M is constant, and stable
// for any stiffness. Newton's method solves it, with the Jacobian at the beginning of the step
//   1 − ½ h (½ h ∂a/∂q + ∂a/∂v)
// or, if the system has none, successive substitution.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/LU>

#include "one_step.hpp"

namespace lw {
namespace {

class ImplicitMidpoint : public OneStep {
 public:
  using OneStep::OneStep;

 protected:
  void reserve() override {
    for (auto* x : {&w_, &u_, &d_q_, &d_v_, &slope_, &shift_}) x->clear();
    w_.assign(nv_, 0.0);
    u_ = shift_ = w_;
    slope_.assign(2 * nv_ + nz_, 0.0);
    d_q_.assign(nv_ * nv_, 0.0);
    d_v_ = d_q_;
    q_.assign(nq_, 0.0);
    const auto n = static_cast<Eigen::Index>(nv_);
    matrix_.setZero(n, n);
    residual_.setZero(n);
    correction_.setZero(n);
    lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  }

  void compute(double h, MotionState& out) override {
    const bool newton = system_->jacobian(start_.t, start_.q, start_.v, d_q_, d_v_);
    if (newton) {
      ++counts_.jacobians;
      const auto n = static_cast<Eigen::Index>(nv_);
      const Eigen::Map<const Eigen::MatrixXd> of_q(d_q_.data(), n, n), of_v(d_v_.data(), n, n);
      matrix_ = -0.5 * h * (0.5 * h * of_q + of_v);
      matrix_.diagonal().array() += 1.0;
      lu_.compute(matrix_);
    }
    for (std::size_t k = 0; k < nv_; ++k) w_[k] = start_.v[k] + 0.5 * h * first()[nv_ + k];
    solve(h, newton);
    for (double& x : u_) x *= 2.0;
    chart_.point(start_.q, u_, out.q);
    for (std::size_t k = 0; k < nv_; ++k) out.v[k] = start_.v[k] + h * slope_[nv_ + k];
    for (std::size_t k = 0; k < nz_; ++k) out.z[k] = start_.z[k] + h * slope_[2 * nv_ + k];
  }

 private:
  // q_ and u_ for the velocities w_, and the slopes there.
  void go_to_middle(double h) {
    for (std::size_t k = 0; k < nv_; ++k) u_[k] = 0.5 * h * w_[k];
    chart_.point(start_.q, u_, q_);
    if (!chart_.is_flat()) {  // places along the axes of the middle
      chart_.rates(u_, q_, w_, shift_);
      for (std::size_t k = 0; k < nv_; ++k) u_[k] = 0.5 * h * shift_[k];
      chart_.point(start_.q, u_, q_);
    }
    evaluate(start_.t + 0.5 * h, q_, w_, start_.z, slope_);
  }

  // Until corrections are round-off, because a residual would spoil the conservation properties.
  void solve(double h, bool newton) {
    constexpr int kMost = 100;
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    double before = HUGE_VAL;
    for (int k = 0; k < kMost; ++k) {
      go_to_middle(h);
      double largest = 1e-300;
      for (std::size_t i = 0; i < nv_; ++i) {
        residual_[static_cast<Eigen::Index>(i)] = w_[i] - start_.v[i] - 0.5 * h * slope_[nv_ + i];
        largest = std::max({largest, std::abs(w_[i]), std::abs(0.5 * h * slope_[nv_ + i])});
      }
      if (newton) {
        correction_ = lu_.solve(residual_);  // into another vector: in place it would allocate one
        residual_.swap(correction_);
      }
      const double change = residual_.size() > 0 ? residual_.cwiseAbs().maxCoeff() / largest : 0.0;
      if (!(change < HUGE_VAL)) break;
      if (change <= 2.0 * kEpsilon || (change < 1e-12 && change >= 0.5 * before)) return;
      before = change;
      for (std::size_t i = 0; i < nv_; ++i) w_[i] -= residual_[static_cast<Eigen::Index>(i)];
    }
    Eigen::Index worst = 0;
    if (residual_.size() > 0) residual_.cwiseAbs().maxCoeff(&worst);
    throw Error(
        ErrorCode::data,
        fmt::format("the implicit midpoint rule does not converge, mainly because of `{}`, in a step of {:.3g} s "
                    "from {}: use a shorter step",
                    system_->model().velocity_names[static_cast<std::size_t>(worst)], h, system_->describe(start_)));
  }

  std::vector<double> w_, u_, shift_, slope_, q_, d_q_, d_v_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd residual_, correction_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

std::unique_ptr<Integrator> make_implicit_midpoint(const IntegratorOptions& options) {
  return std::make_unique<ImplicitMidpoint>(options);
}

}  // namespace lw
