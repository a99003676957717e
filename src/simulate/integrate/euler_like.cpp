// Two first-order steps with one evaluation each, from accelerations at the beginning:
//
//   taylor               q' = q exp(h v + ½ h² a),  v' = v + h a      (Binder 1985, 6.2-3 and 6.2-4)
//   semi-implicit-euler  v' = v + h a,  q' = q exp(h v')              (symplectic where M is constant)
#include <algorithm>

#include "one_step.hpp"

namespace lw {
namespace {

class EulerLike : public OneStep {
 public:
  EulerLike(const IntegratorOptions& options, double share) : OneStep(options), share_(share) {}

 protected:
  void reserve() override {
    u_.assign(nv_, 0.0);
    mean_ = rate_ = u_;
    middle_.assign(nq_, 0.0);
  }

  void compute(double h, MotionState& out) override {
    const std::span<const double> a = first().subspan(nv_, nv_), dz = first().subspan(2 * nv_);
    for (std::size_t k = 0; k < nv_; ++k) {
      mean_[k] = start_.v[k] + share_ * h * a[k];
      u_[k] = h * mean_[k];
    }
    if (!chart_.is_flat()) {  // the place of a floating joint moves along the mean of its axes
      for (std::size_t k = 0; k < nv_; ++k) rate_[k] = 0.5 * u_[k];
      chart_.point(start_.q, rate_, middle_);
      chart_.rates(rate_, middle_, mean_, u_);
      for (double& x : u_) x *= h;
    }
    chart_.point(start_.q, u_, out.q);
    for (std::size_t k = 0; k < nv_; ++k) out.v[k] = start_.v[k] + h * a[k];
    for (std::size_t k = 0; k < nz_; ++k) out.z[k] = start_.z[k] + h * dz[k];
  }

 private:
  const double share_;  // of h a in the velocity that positions move with
  std::vector<double> u_, mean_, rate_, middle_;
};

}  // namespace

std::unique_ptr<Integrator> make_euler_like(std::string_view name, const IntegratorOptions& options) {
  return std::make_unique<EulerLike>(options, name == "taylor" ? 0.5 : 1.0);
}

}  // namespace lw
