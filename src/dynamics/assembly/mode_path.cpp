#include "mode_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"
#include "follower_rates.hpp"
#include "mode_identity.hpp"

namespace lw {
namespace {

constexpr double kBadCondition = 1e3;

class PathFollower {
 public:
  PathFollower(const Model<double>& model, const std::vector<DrivenSample>& path, int frame, const Assembled& start,
               double warning)
      : model_(model), work_(model), path_(path), frame_(frame), warning_(warning), here_(start) {
    result_.legs = legs_to(model, frame);
  }

  ClosedPath run() {
    try {
      here_ = continue_to(model_, work_, here_, path_[0].actuated);
    } catch (const Error& e) {
      end(path_[0].t, path_[0].actuated, e.what());
      return std::move(result_);
    }
    const std::vector<int> driven = driving_velocities(model_, work_, here_);
    const ModeIdentity identity(model_, work_, here_.q, driven);
    point_ = moves_a_point(driven);
    add(path_[0], identity);
    for (std::size_t k = 1; k < path_.size(); ++k) {
      Assembled next;
      std::string why;
      if (!lead(path_[k].actuated, next, why)) {
        locate_end(k, why);
        break;
      }
      const Assembled before = here_;
      here_ = next;
      add(path_[k], identity);
      find_stretch(k, before);
      find_approach();
    }
    return std::move(result_);
  }

 private:
  bool lead(const std::vector<double>& to, Assembled& there, std::string& why) {
    try {
      there = continue_to(model_, work_, here_, to);
      return true;
    } catch (const Error& e) {
      why = e.what();
      return false;
    }
  }

  // Two driven joints that carry the frame to any place nearby: then a place is what it is led to, and how it is turned
  // follows.
  bool moves_a_point(const std::vector<int>& driven) {
    if (driven.size() != 2) return false;
    try {
      const std::vector<double> G = follower_rates(model_, work_, here_.q, driven);
      std::vector<double> J(6 * at(model_.nv));
      forward_kinematics<double>(model_, work_, here_.q);
      frame_jacobian<double>(model_, work_, frame_, J);
      const Eigen::Map<const Eigen::MatrixXd> all(J.data(), 6, model_.nv), follow(G.data(), model_.nv, 2);
      return rank(all.bottomRows(3) * follow, 1e-9) == 2;
    } catch (const Error&) {
      return false;  // a singular start
    }
  }

  std::vector<double> between(std::size_t k, double part) const {
    std::vector<double> q = path_[k - 1].actuated;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += part * (path_[k].actuated[i] - q[i]);
    return q;
  }
  double time(std::size_t k, double part) const { return path_[k - 1].t + part * (path_[k].t - path_[k - 1].t); }

  void add(const DrivenSample& sample, const ModeIdentity& identity) {
    const ModeIdentity::Measure m = identity.at(work_, here_.q);
    ClosedSample s{sample.t, here_, m.signs, m.volumes, m.distance, m.condition, 0.0, 1.0, {}};
    std::vector<LegMeasure> next;
    // closures and the frame's Jacobian, one above the other
    const ClosureState state = closure_state(model_, work_, here_.q);
    const auto rows = static_cast<Eigen::Index>(state.residual.size());
    const Eigen::Index task = point_ ? 3 : 6;
    Eigen::MatrixXd both(rows + task, model_.nv);
    both.topRows(rows) = Eigen::Map<const Eigen::MatrixXd>(state.jacobian.data(), rows, model_.nv);
    std::vector<double> J(6 * at(model_.nv));
    forward_kinematics<double>(model_, work_, here_.q);
    frame_jacobian<double>(model_, work_, frame_, J);
    both.bottomRows(task) = Eigen::Map<const Eigen::MatrixXd>(J.data(), 6, model_.nv).bottomRows(task);
    const Eigen::VectorXd singular = Svd(both).s;
    s.serial_distance = both.rows() < both.cols() ? 0.0 : singular[singular.size() - 1];
    s.serial_condition =
        s.serial_distance > 0.0 ? singular[0] / s.serial_distance : std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < result_.legs.size(); ++l) {
      LegMeasure now = leg_measure(model_, work_, here_.q, frame_, result_.legs[l], now_.empty() ? nullptr : &now_[l]);
      s.legs.push_back(now.value);
      next.push_back(std::move(now));
    }
    before_ = std::exchange(now_, std::move(next));
    result_.samples.push_back(std::move(s));
  }

  void end(double t, const std::vector<double>& q, const std::string& why) {
    result_.complete = false;
    result_.events.push_back({PathEvent::Kind::mode_ends, t, why, q});
  }

  void locate_end(std::size_t k, const std::string& why) {
    double good = 0.0, bad = 1.0;
    for (int i = 0; i < 30; ++i) {
      const double part = 0.5 * (good + bad);
      Assembled there;
      std::string ignored;
      if (lead(between(k, part), there, ignored)) {
        here_ = there;
        good = part;
      } else {
        bad = part;
      }
    }
    end(time(k, good), between(k, good), why);
  }

  // Where a leg's determinant changed its sign since the sample before.
  void find_stretch(std::size_t k, const Assembled& before) {
    const ClosedSample &a = result_.samples[result_.samples.size() - 2], &b = result_.samples.back();
    for (std::size_t l = 0; l < result_.legs.size(); ++l) {
      if (!(a.legs[l] * b.legs[l] < 0.0)) continue;
      double low = 0.0, high = 1.0;
      Assembled at_low = before;
      for (int i = 0; i < 40; ++i) {
        const double part = 0.5 * (low + high);
        const Assembled there = continue_to(model_, work_, at_low, between(k, part));
        if (leg_measure(model_, work_, there.q, frame_, result_.legs[l], &before_[l]).value * a.legs[l] > 0.0) {
          low = part;
          at_low = there;
        } else {
          high = part;
        }
      }
      std::string names;
      for (const std::string& j : result_.legs[l].joints) names += (names.empty() ? "" : "-") + j;
      result_.events.push_back(
          {PathEvent::Kind::stretch, time(k, high),
           fmt::format("leg {} ({}) passes through full stretch or fold: a serial singularity, where its working "
                       "mode changes",
                       l + 1, names),
           between(k, high)});
    }
  }

  // A block of loops whose volume would vanish soon, going on as it does.
  void find_approach() {
    const ClosedSample &a = result_.samples[result_.samples.size() - 2], &b = result_.samples.back();
    bool near = b.parallel_condition > kBadCondition;
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < b.volumes.size(); ++k) {
      const double rate = (b.volumes[k] - a.volumes[k]) / (b.t - a.t);
      if (b.volumes[k] * rate < 0.0) soonest = std::min(soonest, -b.volumes[k] / rate);
    }
    near = near || soonest < warning_;
    if (near && !warned_) {
      const std::string when = std::isfinite(soonest) ? fmt::format("; as it goes on, in {:.2g} s", soonest) : "";
      result_.events.push_back(
          {PathEvent::Kind::approach, b.t,
           fmt::format("near a parallel singularity, where modes meet: distance {:.3g}, condition {:.3g}{}",
                       b.parallel_distance, b.parallel_condition, when),
           path_[result_.samples.size() - 1].actuated});
    }
    warned_ = near;
  }

  const Model<double>& model_;
  Workspace<double> work_;
  const std::vector<DrivenSample>& path_;
  int frame_;
  double warning_;
  Assembled here_;
  bool warned_ = false, point_ = false;
  std::vector<LegMeasure> before_, now_;  // of the legs, at the last two samples
  ClosedPath result_;
};

}  // namespace

ClosedPath follow_modes(const Model<double>& model, const std::vector<DrivenSample>& path, int frame,
                        const Assembled& start, double warning) {
  if (path.empty()) throw Error(ErrorCode::usage, "a path has one sample at least");
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (!(path[k].t > path[k - 1].t)) throw Error(ErrorCode::data, "the times of a path must increase");
  }
  return PathFollower(model, path, frame, start, warning).run();
}

}  // namespace lw
