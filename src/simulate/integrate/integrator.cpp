#include "integrator.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "one_step.hpp"

namespace lw {

bool is_adaptive(std::string_view name, const IntegratorOptions& options) {
  return name == "dormand-prince" || name == "cvode" || (name == "verner" && options.step == 0.0);
}

std::unique_ptr<Integrator> make_integrator(std::string_view name, const IntegratorOptions& options) {
  const std::vector<std::string>& names = integrator_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::string near = nearest_word(std::string(name), names);
    throw Error(ErrorCode::usage,
                fmt::format("unknown integrator `{}`{}; there are {}", name,
                            near.empty() ? "" : fmt::format(", did you mean `{}`?", near), fmt::join(names, ", ")));
  }
  const auto refuse = [](const char* what, double value, const char* wanted) {
    throw Error(ErrorCode::usage, fmt::format("the {} is {}: it must be {}", what, value, wanted));
  };
  const bool adaptive = is_adaptive(name, options);
  if (!std::isfinite(options.step) || options.step < 0.0 || (options.step == 0.0 && !adaptive)) {
    refuse("step", options.step, "a positive number of seconds");
  }
  if (adaptive) {
    constexpr double kSmallest = 1e-15;  // below it there is only round-off
    if (!(options.rtol >= kSmallest && options.rtol < 1.0))
      refuse("relative tolerance", options.rtol, "between 1e-15, which numbers can just tell, and 1");
    if (!(options.atol > 0.0 && std::isfinite(options.atol))) refuse("absolute tolerance", options.atol, "positive");
    if (!(options.longest >= 0.0)) refuse("longest step", options.longest, "positive, or 0 for none");
    if (!(options.shortest >= 0.0)) refuse("shortest step", options.shortest, "positive, or 0 for none");
  }
  if (name == "cvode") return make_cvode(options);
  if (name == "implicit-midpoint") return make_implicit_midpoint(options);
  if (name == "taylor" || name == "semi-implicit-euler") return make_euler_like(name, options);
  return make_runge_kutta(name, options);
}

void Integrator::restart() {
  forget();
  if (detour_ != nullptr) detour_->forget();
}

IntegratorCounts Integrator::counts() const {
  IntegratorCounts all = counts_;
  if (detour_ == nullptr) return all;
  const IntegratorCounts more = detour_->counts();
  all.steps += more.steps;
  all.rejected += more.rejected;
  all.slopes += more.slopes;
  return all;
}

void OneStep::forget() { carried_ = false; }

void OneStep::begin(System& system, const MotionState& state, double until) {
  require(until > state.t, "steps must go forward in time");
  if (&system != system_) {
    system_ = &system;
    carried_ = false;
    const Model<double>& model = system.model();
    chart_ = Chart(model);
    nq_ = static_cast<std::size_t>(model.nq);
    nv_ = static_cast<std::size_t>(model.nv);
    nz_ = static_cast<std::size_t>(system.nz());
    first_.assign(2 * nv_ + nz_, 0.0);
    origin_.assign(nv_, 0.0);
    reserve();
  }
  start_ = state;
  if (system.begin(start_)) carried_ = false;
  if (!carried_) evaluate(start_.t, start_.q, start_.v, start_.z, first_);
  chart_.rates(origin_, start_.q, start_.v, std::span(first_).first(nv_));
}

double OneStep::fixed_step(double until) const {
  const double left = until - start_.t;
  return left <= options_.step * (1.0 + 1e-9) ? left : options_.step;
}

void OneStep::evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                       std::span<double> slope) {
  ++counts_.slopes;
  system_->slopes(t, q, v, z, slope.subspan(nv_, nv_), slope.subspan(2 * nv_, nz_));
}

void OneStep::step(System& system, MotionState& state, double until) {
  begin(system, state, until);
  carried_ = false;
  const double h = fixed_step(until);
  compute(h, state);
  state.t = until - start_.t <= h ? until : start_.t + h;
  ++counts_.steps;
}

void OneStep::at(double t, MotionState& out) {
  out = start_;
  if (t <= start_.t) return;
  compute(t - start_.t, out);
  out.t = t;
}

}  // namespace lw
