// Explicit Runge-Kutta methods in the coordinates u of chart.hpp, with y = (u, v, z):
//
//   k_i = f(t + c_i h, y + h Σ_{j<i} A_ij k_j),   y' = y + h Σ b_i k_i,   error h Σ e_i k_i
//
// If a pair of methods gives an error estimate, it controls h (Hairer, Nørsett, Wanner 1993, §II.4: norm, first step,
// controller).
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "butcher.hpp"
#include "one_step.hpp"

namespace lw {
namespace {

class RungeKutta : public OneStep {
 public:
  RungeKutta(const ButcherTableau& tableau, const IntegratorOptions& options, bool adaptive)
      : OneStep(options), tableau_(tableau), adaptive_(adaptive) {}

  void step(System& system, MotionState& state, double until) override {
    if (!adaptive_) return OneStep::step(system, state, until);
    begin(system, state, until);
    const double left = until - start_.t;
    double h = next_ > 0.0 ? next_ : first_step(left);
    if (h < left) require_length(h, state);
    bool refused = false;
    while (true) {
      if (options_.longest > 0.0) h = std::min(h, options_.longest);
      const bool last = h >= left * (1.0 - 1e-9);
      const double length = last ? left : h;
      const double error = trial(length, state);
      if (error <= 1.0) {
        accept(state, last ? until : start_.t + length, length, error, refused);
        return;
      }
      ++counts_.rejected;
      refused = true;
      h = length * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -1.0 / tableau_.error_order)) : 0.1);
      require_length(h, state);
    }
  }

  void at(double t, MotionState& out) override {
    if (!tableau_.first_is_last) return OneStep::at(t, out);
    out = start_;
    const double theta = std::clamp((t - start_.t) / length_, 0.0, 1.0), rest = 1.0 - theta;
    for (std::size_t i = 0; i < size(); ++i) {
      const double k0 = stage(0)[i], r1 = r1_[i] / length_, r2 = k0 - r1, r3 = r1 - stage(tableau_.stages - 1)[i] - r2;
      double r4 = 0.0;
      for (std::size_t s = 0; s < tableau_.stages; ++s) r4 += kDormandPrinceDense[s] * stage(s)[i];
      y_[i] = length_ * theta * (r1 + rest * (r2 + theta * (r3 + rest * r4)));
    }
    leave(out);
    out.t = t;
  }

  void forget() override {
    OneStep::forget();
    next_ = 0.0;
  }

 protected:
  void reserve() override {
    k_.assign(tableau_.stages * size(), 0.0);
    y_.assign(size(), 0.0);
    r1_ = scale_ = y_;
    stage_ = start_;
    stage_.q.assign(nq_, 0.0);
    stage_.v.assign(nv_, 0.0);
    stage_.z.assign(nz_, 0.0);
    next_ = 0.0;
    last_error_ = 1e-4;
  }

  void compute(double h, MotionState& out) override {
    std::copy(first().begin(), first().end(), stage(0).begin());
    for (std::size_t i = 1; i < tableau_.stages; ++i) {
      combine(tableau_.A[i], i, h);
      leave(stage_);
      evaluate(start_.t + tableau_.c[i] * h, stage_.q, stage_.v, stage_.z, stage(i));
      const std::span<double> slope = stage(i).first(nv_);
      if (chart_.is_flat()) {
        std::copy(stage_.v.begin(), stage_.v.end(), slope.begin());
      } else {
        chart_.rates(std::span(y_).first(nv_), stage_.q, stage_.v, slope);
      }
    }
    combine(tableau_.b, tableau_.stages, h);
    leave(out);
  }

 private:
  std::size_t size() const { return 2 * nv_ + nz_; }
  std::span<double> stage(std::size_t i) { return std::span(k_).subspan(i * size(), size()); }

  // y_ = h Σ weights k: how far from the start.
  void combine(const double* weights, std::size_t count, double h) {
    const std::size_t n = size();
    double* const y = y_.data();
    std::fill(y_.begin(), y_.end(), 0.0);
    for (std::size_t j = 0; j < count; ++j) {
      const double w = h * weights[j];
      if (w == 0.0) continue;
      const double* const k = &k_[j * n];
      for (std::size_t i = 0; i < n; ++i) y[i] += w * k[i];
    }
  }

  // The state that is y_ away from the start.
  void leave(MotionState& out) const {
    const std::span<const double> y(y_);
    chart_.point(start_.q, y.first(nv_), out.q);
    for (std::size_t k = 0; k < nv_; ++k) out.v[k] = start_.v[k] + y[nv_ + k];
    for (std::size_t k = 0; k < nz_; ++k) out.z[k] = start_.z[k] + y[2 * nv_ + k];
  }

  // What errors are relative to.
  void find_scale(const MotionState& s) {
    chart_.sizes(s.q, std::span(scale_).first(nv_));
    for (std::size_t k = 0; k < nv_; ++k) scale_[nv_ + k] = std::max(std::abs(s.v[k]), std::abs(start_.v[k]));
    for (std::size_t k = 0; k < nz_; ++k) scale_[2 * nv_ + k] = std::max(std::abs(s.z[k]), std::abs(start_.z[k]));
    for (double& x : scale_) x = options_.atol + options_.rtol * x;
  }
  double norm(std::span<const double> y) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += (y[i] / scale_[i]) * (y[i] / scale_[i]);
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, y.size())));
  }

  // The error of a step that ends in `state`, in units of what is allowed.
  double trial(double h, MotionState& state) {
    try {
      compute(h, state);
    } catch (const NotFinite& e) {
      why_ = e.what();
      return HUGE_VAL;
    }
    why_.clear();
    std::copy(y_.begin(), y_.end(), r1_.begin());
    find_scale(state);
    combine(tableau_.e, tableau_.stages, h);
    worst_ = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (std::abs(y_[i] / scale_[i]) > std::abs(y_[worst_] / scale_[worst_])) worst_ = i;
    }
    const double error = norm(y_);
    return std::isnan(error) ? HUGE_VAL : error;
  }

  void accept(MotionState& state, double t, double h, double error, bool refused) {
    constexpr double kSteady = 0.04;
    const double power = 1.0 / tableau_.error_order - 0.75 * kSteady;
    const double factor = 0.9 * std::pow(std::max(error, 1e-10), -power) * std::pow(last_error_, kSteady);
    const double longer = h * std::clamp(factor, 0.2, refused ? 1.0 : 5.0);
    next_ = h < next_ && !refused ? std::max(next_, longer) : longer;  // a step that `until` cut short says little
    last_error_ = std::max(error, 1e-4);
    length_ = h;
    state.t = t;
    ++counts_.steps;
    carried_ = tableau_.first_is_last;
    if (!carried_) return;
    const std::span<double> last = stage(tableau_.stages - 1);  // taken in the state that the step ends in
    std::copy(last.begin(), last.end(), first().begin());
  }

  double first_step(double left) {
    if (options_.step > 0.0) return std::min(options_.step, left);
    find_scale(start_);
    std::copy(start_.v.begin(), start_.v.end(), y_.begin() + static_cast<std::ptrdiff_t>(nv_));
    chart_.sizes(start_.q, std::span(y_).first(nv_));
    std::copy(start_.z.begin(), start_.z.end(), y_.begin() + static_cast<std::ptrdiff_t>(2 * nv_));
    const double d0 = norm(y_), d1 = norm(first());
    double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h = std::min(h, left);
    std::copy(first().begin(), first().end(), stage(0).begin());
    constexpr double kOne[] = {1.0};
    double d2 = 0.0;
    for (int tries = 0; tries < 8; ++tries, h *= 0.1) {
      try {
        combine(kOne, 1, h);
        leave(stage_);
        evaluate(start_.t + h, stage_.q, stage_.v, stage_.z, stage(1));
        std::copy(stage_.v.begin(), stage_.v.end(), stage(1).begin());
        for (std::size_t i = 0; i < size(); ++i) y_[i] = (stage(1)[i] - stage(0)[i]) / h;
        d2 = norm(y_);
        break;
      } catch (const NotFinite&) {
        continue;
      }
    }
    const double most = std::max(d1, d2);
    const double longer = most <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / most, 1.0 / tableau_.error_order);
    return std::min({100.0 * h, longer, left});
  }

  // The state is then where the step should have begun, not where a refused trial has led.
  void require_length(double h, MotionState& state) const {
    const double least =
        std::max(options_.shortest, 16.0 * std::numeric_limits<double>::epsilon() * std::abs(start_.t));
    if (h > std::max(least, 1e-300)) return;
    state = start_;
    const std::size_t k = worst_ < 2 * nv_ ? worst_ % std::max<std::size_t>(1, nv_) : 0;
    throw Error(ErrorCode::data,
                why_.empty()
                    ? fmt::format("step size underflow ({:.1e} s), mainly because of `{}`, at {}; what is stiff wants "
                                  "`cvode`",
                                  h, system_->model().velocity_names[k], system_->describe(start_))
                    : fmt::format("{}; steps of {:.1e} s do not get by", why_, h));
  }

  const ButcherTableau& tableau_;
  const bool adaptive_;
  std::vector<double> k_, y_, r1_, scale_;
  MotionState stage_;
  double next_ = 0.0, last_error_ = 1e-4, length_ = 0.0;
  std::size_t worst_ = 0;
  std::string why_;
};

}  // namespace

std::unique_ptr<Integrator> make_runge_kutta(std::string_view name, const IntegratorOptions& options) {
  return std::make_unique<RungeKutta>(butcher_tableau(name), options, is_adaptive(name, options));
}

}  // namespace lw
