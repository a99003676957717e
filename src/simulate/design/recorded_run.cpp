#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"

namespace lw {
namespace {

constexpr std::size_t kMostStageNumbers = 32'000'000;  // beyond, stages are computed again on the way back

void add_scaled(std::span<double> to, double factor, std::span<const double> from) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * from[k];
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

const std::vector<std::string>& recordable_integrators() {
  static const std::vector<std::string> names{"dormand-prince", "verner", "rk4", "gill"};
  return names;
}

RecordedRun::RecordedRun(Parametric& system, std::vector<double> y0, double t0, std::vector<double> times,
                         const RecordedRunOptions& options, RunEnd* run_end)
    : system_(system),
      end_(run_end),
      options_(options),
      tableau_(butcher_tableau(options.integrator)),
      adaptive_(tableau_.first_is_last || (tableau_.error_order > 0 && options.step == 0.0)),
      n_(system.states()),
      s_(tableau_.first_is_last ? tableau_.stages - 1 : tableau_.stages),
      t0_(t0),
      times_(std::move(times)),
      quaternions_(system.quaternions()) {
  const std::vector<std::string>& known = recordable_integrators();
  if (std::find(known.begin(), known.end(), options.integrator) == known.end()) {
    throw Error(ErrorCode::usage, fmt::format("steps of `{}` cannot be differentiated; use one of {}",
                                              options.integrator, fmt::join(known, ", ")));
  }
  if (!adaptive_ && !(options.step > 0.0 && std::isfinite(options.step))) {
    throw Error(ErrorCode::usage, fmt::format("`{}` needs a positive step", options.integrator));
  }
  if (!(options.rtol > 0.0) || !(options.atol > 0.0)) throw Error(ErrorCode::usage, "tolerances must be positive");
  require(y0.size() == n_, "the size of the state must be that of the system");
  k_.resize((s_ + 1) * n_);
  here_.resize(n_);
  next_.resize(n_);
  std::vector<double> y = std::move(y0);
  double t = t0;
  for (std::size_t m = 0; m < times_.size(); ++m) {
    require(times_[m] >= t && std::isfinite(times_[m]), "times of a run rise");
    first_.push_back(t_.size());
    if (times_[m] > t) {
      enter(m);
      t = run_to(t, times_[m], y);
    }
    marks_.insert(marks_.end(), y.begin(), y.end());
    if (!ended_) continue;
    times_.resize(m + 1);
    times_[m] = t;
  }
  end_ = nullptr;
}

void RecordedRun::enter(std::size_t interval) {
  system_.enter(interval == 0 ? t0_ : times_[interval - 1], times_[interval]);
}

// k_ and, through Y, here_ of the stages; Y_ of a step that is not yet stored stands behind the others.
void RecordedRun::make_stages(double t, double h, std::span<const double> y, bool first_known) {
  Y_.resize((keeps_stages_ ? t_.size() * s_ : 0) * n_ + s_ * n_);
  double* Y = Y_.data() + (Y_.size() - s_ * n_);
  for (std::size_t i = 0; i < s_; ++i) {
    const std::span<double> at(Y + i * n_, n_);
    std::copy(y.begin(), y.end(), at.begin());
    for (std::size_t j = 0; j < i; ++j) {
      if (tableau_.A[i][j] != 0.0) add_scaled(at, h * tableau_.A[i][j], {&k_[j * n_], n_});
    }
    if (i == 0 && first_known) continue;
    system_.value(Parametric::Of::rates, t + tableau_.c[i] * h, at, {&k_[i * n_], n_});
    ++evaluations_;
  }
  std::copy(y.begin(), y.end(), next_.begin());
  for (std::size_t i = 0; i < s_; ++i) add_scaled(next_, h * tableau_.b[i], {&k_[i * n_], n_});
}

void RecordedRun::store(double t, double h, std::span<const double> y) {
  system_.stepped(t, y, next_);
  const double* Y = Y_.data() + (Y_.size() - s_ * n_);
  for (std::size_t i = 1; i < s_; ++i) system_.staged(t, y, {Y + i * n_, n_});
  t_.push_back(t);
  h_.push_back(h);
  y_.insert(y_.end(), y.begin(), y.end());
  for (const std::size_t first : quaternions_) {
    double square = 0.0;
    for (std::size_t c = 0; c < 4; ++c) square += next_[first + c] * next_[first + c];
    length_.push_back(std::sqrt(square));
    for (std::size_t c = 0; c < 4; ++c) next_[first + c] /= length_.back();
  }
  if (keeps_stages_ && Y_.size() > kMostStageNumbers) {
    keeps_stages_ = false;
    Y_.clear();
    Y_.shrink_to_fit();
  }
}

double RecordedRun::error_size(double h, std::span<const double> y, std::span<const double> next) const {
  double most = 0.0;
  for (std::size_t c = 0; c < n_; ++c) {
    double e = 0.0;
    for (std::size_t i = 0; i < tableau_.stages; ++i) e += tableau_.e[i] * k_[i * n_ + c];
    const double size = h * std::abs(e) / (options_.atol + options_.rtol * std::max(std::abs(y[c]), std::abs(next[c])));
    if (!(size <= most)) most = size;  // NaN too
    if (std::isnan(most)) return most;
  }
  return most;
}

// Hairer, Nørsett, Wanner 1993, II.4: an explicit Euler step tells the size of the second derivative.
double RecordedRun::first_size(double t, double end, std::span<const double> y) {
  const std::span<double> f(k_.data(), n_), g(&k_[n_], n_);
  const auto size = [&](std::span<const double> x) {
    double most = 0.0;
    for (std::size_t c = 0; c < n_; ++c)
      most = std::max(most, std::abs(x[c]) / (options_.atol + options_.rtol * std::abs(y[c])));
    return most;
  };
  system_.value(Parametric::Of::rates, t, y, f);
  if (!all_finite(f)) throw Error(ErrorCode::data, fmt::format("the rates at t = {:.9g} s are not finite", t));
  const double d0 = size(y), d1 = size(f);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min(h, end - t);
  std::copy(y.begin(), y.end(), here_.begin());
  add_scaled(here_, h, f);
  system_.value(Parametric::Of::rates, t + h, here_, g);
  evaluations_ += 2;
  for (std::size_t c = 0; c < n_; ++c) here_[c] = (g[c] - f[c]) / h;
  const double d = std::max(d1, size(here_));
  const double h1 = d <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / d, 1.0 / tableau_.error_order);
  return std::min({100.0 * h, h1, end - t});
}

// As RungeKutta's dense output: see kDormandPrinceDense. The stages are those of the whole step.
void RecordedRun::between(double part, double h, std::span<const double> y, std::span<const double> next,
                          std::span<double> out) const {
  const double rest = 1.0 - part;
  for (std::size_t c = 0; c < n_; ++c) {
    const double k0 = k_[c], r1 = (next[c] - y[c]) / h, r2 = k0 - r1, r3 = r1 - k_[s_ * n_ + c] - r2;
    double r4 = 0.0;
    for (std::size_t i = 0; i < tableau_.stages; ++i) r4 += kDormandPrinceDense[i] * k_[i * n_ + c];
    out[c] = y[c] + h * part * (r1 + rest * (r2 + part * (r3 + rest * r4)));
  }
}

double RecordedRun::look(double t, double h, std::span<const double> y) {
  constexpr int kLooks = 4;
  const int looks = adaptive_ ? kLooks : 1;
  whole_ = next_;
  bool disturbed = false;  // the stages are no longer those of the whole step
  double low = 0.0, high = 0.0;
  for (int i = 1; i <= looks && high == 0.0; ++i) {
    const double length = i == looks ? h : h * i / looks;
    std::span<const double> at = whole_;
    if (i < looks && tableau_.first_is_last) {
      between(length / h, h, y, whole_, here_);
      at = here_;
    } else if (i < looks) {
      make_stages(t, length, y, true);
      disturbed = true;
      at = next_;
    }
    if (end_->passed(t + length, at)) {
      high = length;
    } else {
      end_->move_on(t + length, at);
      low = length;
    }
  }
  const auto has_passed = [&](double length) {
    make_stages(t, length, y, true);
    return end_->passed(t + length, next_);
  };
  if (high > 0.0 && high < h && !has_passed(high))
    high = has_passed(h) ? h : 0.0;  // the polynomial saw what a step does not
  if (high == 0.0) {
    if (disturbed || low < h) {
      make_stages(t, h, y, true);
      end_->move_on(t + h, next_);
    }
    return h;
  }
  while (high - low > 1e-16 * (std::abs(t) + h)) {
    const double middle = low + 0.5 * (high - low);
    if (middle <= low || middle >= high) break;
    (has_passed(middle) ? high : low) = middle;
  }
  make_stages(t, high, y, true);
  ended_ = true;
  return high;
}

double RecordedRun::run_to(double t, double end, std::vector<double>& y) {
  bool known = false, rejected = false;
  if (adaptive_ && wanted_ == 0.0) {
    wanted_ = first_size(t, end, y);
    known = true;
  }
  const double begin = t;
  long made = 0;
  while (t < end) {
    if (static_cast<long>(t_.size()) >= options_.most_steps) {
      throw Error(ErrorCode::data, fmt::format("more than {} steps, at t = {:.9g} s", options_.most_steps, t));
    }
    if (adaptive_ && options_.longest > 0.0) wanted_ = std::min(wanted_, options_.longest);
    if (adaptive_ && wanted_ < std::min(options_.shortest, end - t)) {
      throw Error(ErrorCode::data,
                  fmt::format("a step of {:.1e} s would be needed at t = {:.9g} s, below the limit `shortest`, {:g} s",
                              wanted_, t, options_.shortest));
    }
    double h = wanted_;
    if (!adaptive_) {
      const double next = begin + static_cast<double>(made + 1) * options_.step;
      h = next > end - 1e-9 * options_.step ? end - t : next - t;
    } else if (t + 1.01 * h >= end) {
      h = end - t;
    } else if (t + 2.0 * h > end) {
      h = 0.5 * (end - t);
    }
    make_stages(t, h, y, known);
    const bool finite = all_finite(next_);
    if (!adaptive_ && !finite)
      throw Error(ErrorCode::data, fmt::format("the state is not finite after t = {:.9g} s", t));
    if (adaptive_) {
      double size = HUGE_VAL;
      if (finite) {
        if (tableau_.first_is_last) {
          system_.value(Parametric::Of::rates, t + h, next_, {&k_[s_ * n_], n_});
          ++evaluations_;
        }
        size = error_size(h, y, next_);
      }
      if (!(size <= 1.0)) {
        wanted_ = h * (std::isfinite(size) ? std::max(0.2, 0.9 * std::pow(size, -1.0 / tableau_.error_order)) : 0.1);
        known = true;
        rejected = true;
        if (wanted_ < 1e-14 * std::max(std::abs(t), std::abs(end))) {
          throw Error(
              ErrorCode::data,
              fmt::format(
                  "no step is short enough at t = {:.9g} s: the motion is stiff there, jumps or grows without bound",
                  t));
        }
        continue;
      }
      const double most = rejected ? 1.0 : 5.0;
      const double next = h * std::min(most, 0.9 * std::pow(std::max(size, 1e-10), -1.0 / tableau_.error_order));
      wanted_ = h < wanted_ ? std::max(wanted_, next) : next;  // it was shortened to end there
      rejected = false;
    }
    const double length = end_ != nullptr ? look(t, h, y) : h;
    if (ended_) {
      store(t, length, y);
      y = next_;
      return t + length;
    }
    store(t, h, y);
    y = next_;
    // the last stage was evaluated before quaternions were made units again
    known = tableau_.first_is_last && quaternions_.empty();
    if (known) std::copy_n(k_.begin() + static_cast<std::ptrdiff_t>(s_ * n_), n_, k_.begin());
    ++made;
    t = h == end - t ? end : t + h;
  }
  return end;
}

std::span<const double> RecordedRun::stage(std::size_t step, std::size_t i) {
  if (keeps_stages_) return {&Y_[(step * s_ + i) * n_], n_};
  if (staged_ != step) {
    make_stages(t_[step], h_[step], {&y_[step * n_], n_}, false);
    staged_ = step;
  }
  return {&Y_[i * n_], n_};
}

std::vector<double> RecordedRun::along(std::span<const double> dy0, std::span<const double> db) {
  std::vector<double> d(dy0.begin(), dy0.end()), dk(s_ * n_), dY(n_), all;
  all.reserve(times_.size() * n_);
  for (std::size_t m = 0; m < times_.size(); ++m) {
    const std::size_t last = m + 1 < times_.size() ? first_[m + 1] : t_.size();
    if (first_[m] < last) enter(m);
    for (std::size_t k = first_[m]; k < last; ++k) {
      for (std::size_t i = 0; i < s_; ++i) {
        std::copy(d.begin(), d.end(), dY.begin());
        for (std::size_t j = 0; j < i; ++j) add_scaled(dY, h_[k] * tableau_.A[i][j], {&dk[j * n_], n_});
        system_.along(Parametric::Of::rates, t_[k] + tableau_.c[i] * h_[k], stage(k, i), dY, db, {&dk[i * n_], n_});
      }
      for (std::size_t i = 0; i < s_; ++i) add_scaled(d, h_[k] * tableau_.b[i], {&dk[i * n_], n_});
      const double* after = k + 1 < last ? &y_[(k + 1) * n_] : &marks_[m * n_];
      for (std::size_t q = 0; q < quaternions_.size(); ++q) {
        const std::size_t first = quaternions_[q];
        double radial = 0.0;
        for (std::size_t c = 0; c < 4; ++c) radial += after[first + c] * d[first + c];
        for (std::size_t c = 0; c < 4; ++c) {
          d[first + c] = (d[first + c] - radial * after[first + c]) / length_[k * quaternions_.size() + q];
        }
      }
    }
    all.insert(all.end(), d.begin(), d.end());
  }
  return all;
}

void RecordedRun::back(std::span<const double> weights, std::span<double> y0_bar, std::span<double> b_bar) {
  std::vector<double> lambda(n_, 0.0), Y_bar(s_ * n_), w(n_);
  for (std::size_t m = times_.size(); m-- > 0;) {
    add_scaled(lambda, 1.0, weights.subspan(m * n_, n_));
    const std::size_t last = m + 1 < times_.size() ? first_[m + 1] : t_.size();
    if (first_[m] < last) enter(m);
    for (std::size_t k = last; k-- > first_[m];) {
      const double* after = k + 1 < last ? &y_[(k + 1) * n_] : &marks_[m * n_];
      for (std::size_t q = 0; q < quaternions_.size(); ++q) {
        const std::size_t first = quaternions_[q];
        double radial = 0.0;
        for (std::size_t c = 0; c < 4; ++c) radial += after[first + c] * lambda[first + c];
        for (std::size_t c = 0; c < 4; ++c) {
          lambda[first + c] = (lambda[first + c] - radial * after[first + c]) / length_[k * quaternions_.size() + q];
        }
      }
      std::fill(Y_bar.begin(), Y_bar.end(), 0.0);
      for (std::size_t i = s_; i-- > 0;) {
        std::fill(w.begin(), w.end(), 0.0);
        add_scaled(w, h_[k] * tableau_.b[i], lambda);
        for (std::size_t j = i + 1; j < s_; ++j) {
          if (tableau_.A[j][i] != 0.0) add_scaled(w, h_[k] * tableau_.A[j][i], {&Y_bar[j * n_], n_});
        }
        system_.back(Parametric::Of::rates, t_[k] + tableau_.c[i] * h_[k], stage(k, i), w, {&Y_bar[i * n_], n_}, b_bar);
      }
      for (std::size_t i = 0; i < s_; ++i) add_scaled(lambda, 1.0, {&Y_bar[i * n_], n_});
    }
  }
  add_scaled(y0_bar, 1.0, lambda);
}

}  // namespace lw
