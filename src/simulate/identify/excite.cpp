#include "excite.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Core>
#include <nlopt.hpp>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../model/evaluate.hpp"
#include "../../model/limits.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kLength = 0.2;
constexpr int kFinePoints = 2000;  // at which efforts are kept in the end

}  // namespace

FourierMotion::FourierMotion(std::vector<double> start, double period, std::vector<std::vector<double>> A,
                             std::vector<std::vector<double>> B)
    : start_(std::move(start)), period_(period), A_(std::move(A)), B_(std::move(B)) {
  require(period_ > 0.0 && std::isfinite(period_), "FourierMotion: the period must be positive");
  require(!start_.empty() && A_.size() == start_.size() && B_.size() == start_.size(),
          "FourierMotion: a series for each joint");
  for (std::size_t k = 0; k < A_.size(); ++k) {
    require(!A_[k].empty() && A_[k].size() == A_[0].size() && B_[k].size() == A_[0].size(),
            "FourierMotion: as many harmonics for each joint");
  }
}

template <class T>
JointMotion<T> FourierMotion::at(const T& t) const {
  using std::cos, std::sin;
  const double w = 2.0 * std::numbers::pi / period_;
  std::vector<T> c, s;
  for (int l = 1; l <= harmonics(); ++l) {
    c.push_back(cos(T(l * w) * t));
    s.push_back(sin(T(l * w) * t));
  }
  JointMotion<T> out;
  for (std::size_t k = 0; k < start_.size(); ++k) {
    T q(start_[k]), qd(0.0), qdd(0.0);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const double lw = static_cast<double>(i + 1) * w;
      const T a(A_[k][i]), b(B_[k][i]), speed(lw);
      q += a * (c[i] - T(1.0)) + b * s[i];
      qd += speed * (b * c[i] - a * s[i]);
      qdd -= speed * speed * (a * c[i] + b * s[i]);
    }
    out.q.push_back(q);
    out.qd.push_back(qd);
    out.qdd.push_back(qdd);
  }
  return out;
}

MotionLimits motion_limits(const Mechanism& mechanism, const Model<double>& model) {
  const CoordinateLimits position = coordinate_limits(mechanism, model);
  const std::vector<double> none(at(model.nv), HUGE_VAL);
  MotionLimits limits{position.lower, position.upper, none, none, none};
  const FormulaValues<double> value(mechanism);
  for (const JointInfo& info : model.joints) {
    if (velocities(info.type) != 1) continue;
    const Limits& own = mechanism.find_joint(info.name)->joint.limits;
    if (own.velocity) limits.velocity[at(info.v)] = value(*own.velocity);
    if (own.effort) limits.effort[at(info.v)] = value(*own.effort);
  }
  return limits;
}

namespace {

// Where the condition number, the ranges and the efforts of a series are taken.
class Search {
 public:
  Search(const Model<double>& model, const MotionLimits& limits, const IdentifyOptions& sought, int harmonics)
      : model_(model),
        limits_(limits),
        unknowns_(model, sought),
        work_(model),
        losses_(model),
        points_(std::max(60, 12 * harmonics)) {
    const std::size_t n = at(model.nv);
    if (model.has_mimics) dependent_ = static_cast<Index>(unknowns_.base().base.size()) - base_rank(model);
    if (model.nq != model.nv || n == 0) {
      throw Error(ErrorCode::model, fmt::format("`{}` has {}, for which a Fourier series is not a motion", model.name,
                                                n == 0 ? "no joint that moves" : "coordinates that are quaternions"));
    }
    for (const std::vector<double>* x :
         {&limits.lower, &limits.upper, &limits.velocity, &limits.acceleration, &limits.effort})
      require(x->size() == n, "excite needs one limit per velocity");
  }

  struct Judgement {
    double condition = HUGE_VAL;
    double length = 0.0;  // mean logarithm of the columns' lengths
    // What is made small. Condition numbers differ by factors, so their logarithm.
    double merit() const { return std::log(condition) - kLength * length; }
  };

  // Columns of length one, rows in units of the efforts.
  Judgement judge(const FourierMotion& motion) {
    const auto n = static_cast<Index>(unknowns_.size()), nv = static_cast<Index>(model_.nv);
    MatrixXd all(points_ * nv, n), A(nv, n);
    std::vector<double> known(at(model_.nv));
    for (int i = 0; i < points_; ++i) {
      const JointMotion<double> m = motion.at(time(motion, i));
      unknowns_.columns(work_, m.q, m.qd, m.qdd, {A.data(), static_cast<std::size_t>(A.size())}, known);
      for (Index v = 0; v < nv; ++v) {
        const double effort = limits_.effort[static_cast<std::size_t>(v)];
        if (std::isfinite(effort)) A.row(v) /= effort;
      }
      all.middleRows(i * nv, nv) = A;
    }
    const VectorXd length = all.colwise().norm();
    if (length.minCoeff() <= 0.0) return {};
    all *= length.cwiseInverse().asDiagonal();
    // by squares: what matters here is far above the root of the rounding error
    const VectorXd squares = symmetric_eigenvalues(all.transpose() * all);
    return {std::sqrt(squares[n - 1] / std::max(squares[dependent_], 1e-15 * squares[n - 1])),
            length.array().log().mean()};
  }

  bool within_efforts(const FourierMotion& motion, int points) {
    for (int i = 0; i < points; ++i) {
      const JointMotion<double> m = motion.at(motion.period() * i / points);
      inverse_with_losses<double>(model_, work_, m.q, m.qd, m.qdd, losses_, {},
                                  AtRest::no_direction);  // at rest q̈ is zero but for rounding
      for (std::size_t v = 0; v < losses_.total.size(); ++v) {
        if (std::abs(losses_.total[v]) > limits_.effort[v]) return false;
      }
    }
    return true;
  }
  bool has_efforts() const {
    return std::any_of(limits_.effort.begin(), limits_.effort.end(), [](double e) { return std::isfinite(e); });
  }

  double time(const FourierMotion& motion, int i) const { return motion.period() * i / points_; }
  int points() const { return points_; }

 private:
  const Model<double>& model_;
  const MotionLimits& limits_;
  Unknowns unknowns_;
  Index dependent_ = 0;  // unknowns that joints which follow others make depend on the rest
  Workspace<double> work_;
  Losses<double> losses_;
  int points_;
};

// From the free coefficients of all joints, each of the size of one, to a motion within the limits.
class Series {
 public:
  Series(const Model<double>& model, const MotionLimits& limits, const ExciteOptions& options, Search& search)
      : limits_(limits),
        search_(search),
        harmonics_(options.harmonics),
        period_(options.period),
        start_(options.start.empty() ? model.home : options.start) {
    if (harmonics_ < 2)
      throw Error(ErrorCode::usage,
                  fmt::format("a motion from rest to rest needs at least 2 harmonics, not {}", harmonics_));
    if (!(period_ > 0.0) || !std::isfinite(period_))
      throw Error(ErrorCode::usage, fmt::format("a period cannot be {} s", period_));
    require(start_.size() == at(model.nq), "excite needs one start coordinate per joint");
    for (std::size_t k = 0; k < start_.size(); ++k) {
      const std::string& name = model.coordinate_names[k];
      if (start_[k] < limits.lower[k] || start_[k] > limits.upper[k]) {
        throw Error(ErrorCode::data,
                    fmt::format("`{}` = {:.6g} is beyond its limits, {:.6g} to {:.6g}; choose another start", name,
                                start_[k], limits.lower[k], limits.upper[k]));
      }
      const double range = limits.upper[k] - limits.lower[k];
      const auto body = std::find_if(model.bodies.begin(), model.bodies.end(),
                                     [&](const Body<double>& b) { return b.q == static_cast<int>(k) && !b.mimics; });
      if (!std::isfinite(range) && body->kind == JointKind::prismatic) {
        throw Error(ErrorCode::model, fmt::format("prismatic joint `{}` needs position limits", name));
      }
      size_.push_back(std::isfinite(range) ? 0.5 * range : std::numbers::pi);
    }
    if (search.has_efforts() && !search.within_efforts(scaled(VectorXd::Zero(size()), 1.0), 1)) {
      throw Error(ErrorCode::data, "holding the posture exceeds the effort limits; choose another posture");
    }
  }

  Index size() const { return static_cast<Index>(start_.size()) * 2 * (harmonics_ - 1); }

  // Efforts are looked at in so many points.
  FourierMotion operator()(const VectorXd& x, int points) const {
    FourierMotion whole = scaled(x, 1.0);
    if (!search_.has_efforts() || search_.within_efforts(whole, points)) return whole;
    double good = 0.0, bad = 1.0;
    for (int i = 0; i < 12; ++i) {
      const double middle = 0.5 * (good + bad);
      (search_.within_efforts(scaled(x, middle), points) ? good : bad) = middle;
    }
    return scaled(x, good);
  }

 private:
  FourierMotion scaled(const VectorXd& x, double factor) const {
    std::vector<std::vector<double>> A, B;
    Index place = 0;
    for (std::size_t k = 0; k < start_.size(); ++k) {
      std::vector<double> a, b;
      double sum_a = 0.0, sum_b = 0.0;
      for (int l = 1; l < harmonics_; ++l) {
        a.push_back(size_[k] * x[place++]);
        b.push_back(size_[k] * x[place++]);
        sum_a += l * l * a.back();
        sum_b += l * b.back();
      }
      a.push_back(-sum_a / (harmonics_ * harmonics_));
      b.push_back(-sum_b / harmonics_);
      const double shrink = factor * allowed(k, a, b);
      for (double& c : a) c *= shrink;
      for (double& c : b) c *= shrink;
      A.push_back(std::move(a));
      B.push_back(std::move(b));
    }
    return {start_, period_, std::move(A), std::move(B)};
  }

  // The largest factor up to 1 with which joint k stays within its limits.
  double allowed(std::size_t k, const std::vector<double>& a, const std::vector<double>& b) const {
    const FourierMotion alone({0.0}, period_, {a}, {b});
    double low = 0.0, high = 0.0, slowest = 0.0, fastest = 0.0, braking = 0.0, speeding = 0.0;
    for (int i = 0; i < search_.points(); ++i) {
      const JointMotion<double> m = alone.at(search_.time(alone, i));
      low = std::min(low, m.q[0]), high = std::max(high, m.q[0]);
      slowest = std::min(slowest, m.qd[0]), fastest = std::max(fastest, m.qd[0]);
      braking = std::min(braking, m.qdd[0]), speeding = std::max(speeding, m.qdd[0]);
    }
    // between the points the range may be wider by this, at either end
    const double wider = 0.5 * (1.0 / std::cos(std::numbers::pi * harmonics_ / search_.points()) - 1.0);
    double factor = 1.0;
    const auto keep = [&](double least, double most, double below, double above) {
      const double more = wider * (most - least);
      factor = std::min({factor, above / (most + more + 1e-300), below / (more - least + 1e-300)});
    };
    keep(low, high, start_[k] - limits_.lower[k], limits_.upper[k] - start_[k]);
    if (!std::isfinite(limits_.upper[k] - limits_.lower[k])) keep(low, high, std::numbers::pi, std::numbers::pi);
    keep(slowest, fastest, limits_.velocity[k], limits_.velocity[k]);
    keep(braking, speeding, limits_.acceleration[k], limits_.acceleration[k]);
    return factor;
  }

  const MotionLimits& limits_;
  Search& search_;
  int harmonics_;
  double period_;
  std::vector<double> start_, size_;
};

}  // namespace

double condition_of(const Model<double>& model, const MotionLimits& limits, const FourierMotion& motion,
                    const IdentifyOptions& unknowns) {
  return Search(model, limits, unknowns, motion.harmonics()).judge(motion).condition;
}

Excitation excite(const Model<double>& model, const MotionLimits& limits, const ExciteOptions& options) {
  Search search(model, limits, options.unknowns, options.harmonics);
  const Series series(model, limits, options, search);
  const auto begin = std::chrono::steady_clock::now();
  VectorXd best = VectorXd::Zero(series.size());
  Search::Judgement least;
  int evaluations = 0;
  bool stopped = false, out_of_time = false;

  const auto merit = [&](const VectorXd& x) {
    const Search::Judgement judgement = search.judge(series(x, search.points()));
    ++evaluations;
    if (judgement.merit() < least.merit()) {
      least = judgement;
      best = x;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out_of_time = out_of_time || seconds > options.time_limit;
    stopped = stopped || out_of_time || evaluations >= options.evaluations ||
              (options.progress && !options.progress(evaluations, least.condition));
    return judgement.merit();
  };

  Random random(options.seed);
  for (int i = 0; i < std::max(1, options.candidates) && !stopped; ++i) {
    VectorXd x(series.size());
    for (double& c : x) c = random.between(-1.0, 1.0);
    merit(x);
  }
  if (!std::isfinite(least.condition)) {
    throw Error(ErrorCode::data,
                "within these limits some parameter has no effect at all: a joint that begins at its limit "
                "or may not move? begin elsewhere, or widen the limits");
  }
  const double of_candidates = least.condition;
  if (!stopped) {
    nlopt::opt downhill(nlopt::LN_SBPLX, static_cast<unsigned>(series.size()));
    std::function<double(const std::vector<double>&)> objective = [&](const std::vector<double>& x) {
      const double value = merit(Eigen::Map<const VectorXd>(x.data(), static_cast<Index>(x.size())));
      if (stopped) downhill.force_stop();
      return std::isfinite(value) ? value : 1e3;
    };
    downhill.set_min_objective([](const std::vector<double>& x, std::vector<double>&,
                                  void* context) { return (*static_cast<decltype(objective)*>(context))(x); },
                               &objective);
    downhill.set_lower_bounds(-1.0);
    downhill.set_upper_bounds(1.0);
    downhill.set_initial_step(0.2);
    downhill.set_ftol_rel(1e-6);
    std::vector<double> x(best.data(), best.data() + best.size());
    double value = 0.0;
    try {
      downhill.optimize(x, value);
    } catch (const nlopt::forced_stop&) {
    } catch (const nlopt::roundoff_limited&) {}
  }
  FourierMotion motion = series(best, kFinePoints);
  const double condition = search.judge(motion).condition;
  return {std::move(motion), condition, of_candidates, evaluations, out_of_time};
}

#define LW_INSTANTIATE(T) template JointMotion<T> FourierMotion::at<T>(const T&) const;
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
