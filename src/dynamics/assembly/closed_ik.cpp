#include "closed_ik.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../spatial/rotation_vector.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/extent.hpp"
#include "../tree/kinematics.hpp"
#include "mode_search.hpp"

namespace lw {
namespace {

// Of what poses have that people type or print, against the mechanism's extent and in rad. A frame with fewer freedoms
// than a pose has numbers is in none of those exactly.
constexpr double kRounding = 1e-5;

// The mechanism with its frame held in the target.
Model<double> with_target(const Model<double>& model, int frame, const IkTarget& target) {
  Model<double> held = model;
  const Frame<double>& f = model.frames[at(frame)];
  LoopClosure<double> closure{kTarget,
                              target.position_only ? JointType::spherical : JointType::fixed,
                              Vec3<double>::unit(2),
                              Vec3<double>::unit(1),
                              {kTarget, -1, target.pose},
                              f};
  held.loops.push_back(closure);
  return held;
}

double apart(const Model<double>& model, const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0;
  const std::vector<int> places = actuated_coordinates(model);
  std::vector<bool> angle(at(model.nq), false);
  for (const Body<double>& body : model.bodies) {
    if (body.kind == JointKind::revolute) angle[at(body.q)] = true;
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double d = a[k] - b[k];
    worst = std::max(worst, std::abs(angle[at(places[k])] ? std::remainder(d, 2.0 * std::numbers::pi) : d));
  }
  return worst;
}

class ClosedTarget {
 public:
  ClosedTarget(const Model<double>& model, int frame, const IkTarget& target, const Assembled& start)
      : model_(model),
        frame_(frame),
        target_(target),
        start_(start),
        held_(with_target(model, frame, target)),
        work_(model),
        held_work_(held_),
        driven_(driving_velocities(model, work_, start)),
        legs_(legs_to(model, frame)) {}

  ClosedIk solve(const CoordinateLimits& limits) {
    ClosedIk result;
    const Assemblies all = all_assemblies(held_, held_work_, start_.q, {});
    result.complete = all.complete;
    std::vector<Assembled> found = all.found;
    if (all.infinite || left_over(found) > 0) {
      // one of infinitely many: where Newton's least steps lead from the start
      const Assembled one = assemble_from(held_, held_work_, start_.q, {});
      if (one.closed) found = {one};
      result.freedom = left_over(found);
    }
    for (const Assembled& at : found) {
      ClosedIkSolution s = solution(at.q);
      if (!limits.contain(s.at.q, 1e-9)) {
        ++result.beyond_limits;
        continue;
      }
      const bool known = std::any_of(result.solutions.begin(), result.solutions.end(), [&](const ClosedIkSolution& o) {
        return apart(model_, o.actuated, s.actuated) < 1e-6;
      });
      if (!known) result.solutions.push_back(std::move(s));
    }
    const std::vector<double> from = actuated_of(start_.q);
    std::stable_sort(result.solutions.begin(), result.solutions.end(),
                     [&](const ClosedIkSolution& a, const ClosedIkSolution& b) {
                       return far(a.actuated, from) < far(b.actuated, from) - 1e-9;
                     });
    if (result.solutions.empty() && result.beyond_limits == 0) {
      result.too_far = open_polygons(held_, start_.q, {});
      const Assembled least = assemble_from(held_, held_work_, start_.q, {});
      result.nearest = solution(assemble_from(model_, work_, least.q, {}).q);
      const ClosedIkSolution& near = result.nearest;
      if (near.at.closed && near.position_error <= kRounding * extent(model_) && near.rotation_error <= kRounding &&
          limits.contain(near.at.q, 1e-9)) {
        result.rounded = true;
        result.too_far.clear();
        result.solutions = {near};
      }
    }
    return result;
  }

  const std::vector<Leg>& legs() const { return legs_; }

  ClosedIkSolution solution(const std::vector<double>& q) {
    ClosedIkSolution s;
    s.at = assemble_from(model_, work_, q, driven_);
    s.actuated = actuated_of(s.at.q);
    for (const Leg& leg : legs_) {
      const LegMeasure home = leg_measure(model_, work_, model_.home, frame_, leg);
      const double d = leg_measure(model_, work_, s.at.q, frame_, leg, &home).value;
      s.working_mode += std::abs(d) < 1e-9 ? '0' : d > 0.0 ? '+' : '-';
    }
    forward_kinematics<double>(model_, work_, s.at.q);
    const Transform<double> X = frame_pose(model_, work_, frame_);
    s.position_error = norm(X.p - target_.pose.p);
    if (!target_.position_only) s.rotation_error = norm(rotation_vector(target_.pose.R * transpose(X.R)));
    return s;
  }

 private:
  std::vector<double> actuated_of(const std::vector<double>& q) const {
    std::vector<double> part;
    for (const int k : actuated_coordinates(model_)) part.push_back(q[at(k)]);
    return part;
  }
  double far(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  }
  // Freedoms that the target leaves at these, the least of them.
  int left_over(const std::vector<Assembled>& found) {
    int least = found.empty() ? 0 : model_.nv;
    for (const Assembled& at : found) {
      const ClosureState state = closure_state(held_, held_work_, at.q);
      const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()),
                                                model_.nv);
      least = std::min(least, model_.nv - rank(J, 1e-9));
    }
    return least;
  }

  const Model<double>& model_;
  int frame_;
  IkTarget target_;
  const Assembled& start_;
  Model<double> held_;
  Workspace<double> work_, held_work_;
  std::vector<int> driven_;
  std::vector<Leg> legs_;
};

void check_frame(const Model<double>& model, int frame) {
  if (frame < 0 || frame >= static_cast<int>(model.frames.size())) {
    throw Error(ErrorCode::usage, fmt::format("`{}` has no frame {}", model.name, frame));
  }
  if (model.frames[at(frame)].body < 0) {
    throw Error(ErrorCode::usage, fmt::format("no joint of `{}` moves `{}`", model.name, model.frames[at(frame)].name));
  }
}

// q̇ of all joints that keeps the loops closed and moves the frame so: least squares over both.
std::vector<double> actuated_rates(const Model<double>& model, Workspace<double>& work, In<double> q, int frame,
                                   const Motion<double>& velocity, bool position_only) {
  const ClosureState state = closure_state(model, work, q);
  forward_kinematics<double>(model, work, q);
  const TaskJacobian task = task_jacobian(model, work, frame, position_only);
  const auto rows = static_cast<Eigen::Index>(state.residual.size());
  Eigen::MatrixXd both(rows + task.rows, model.nv);
  both.topRows(rows) = Eigen::Map<const Eigen::MatrixXd>(state.jacobian.data(), rows, model.nv);
  both.bottomRows(task.rows) = Eigen::Map<const Eigen::MatrixXd>(task.values.data(), task.rows, model.nv);
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(both.rows());
  for (int k = 0; k < 3; ++k) {
    wanted[both.rows() - 3 + k] = velocity.lin[k];
    if (!position_only) wanted[both.rows() - 6 + k] = velocity.ang[k];
  }
  const Svd svd(both);
  if (svd.rank(1e-9) < model.nv) return {};
  const Eigen::VectorXd qd = svd.solve(wanted, 1e-12);
  std::vector<double> rates;
  for (const int v : actuated_velocities(model)) rates.push_back(qd[v]);
  return rates;
}

}  // namespace

ClosedIk closed_inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target,
                                   const Assembled& start, const CoordinateLimits& limits) {
  check_frame(model, frame);
  return ClosedTarget(model, frame, target, start).solve(limits);
}

ClosedIkPath follow_closed(const Model<double>& model, int frame, const std::vector<PathSample>& path,
                           bool position_only, const Assembled& start, const CoordinateLimits& limits) {
  check_frame(model, frame);
  ClosedIkPath result;
  result.legs = legs_to(model, frame);
  Workspace<double> work(model);
  Assembled here = start;
  std::vector<LegMeasure> before;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const ClosedIk all = closed_inverse_kinematics(model, frame, {path[k].pose, position_only}, here, limits);
    ClosedIkSample sample{path[k].t, {}, {}, !all.solutions.empty()};
    if (!sample.reached) {
      sample.solution = all.nearest;
      result.samples.push_back(std::move(sample));
      continue;
    }
    // where the two samples before lead to
    const std::size_t n = result.samples.size();
    std::vector<double> expected;
    if (n >= 2 && result.samples[n - 1].reached && result.samples[n - 2].reached) {
      const ClosedIkSample &a = result.samples[n - 2], &b = result.samples[n - 1];
      const double part = (path[k].t - b.t) / (b.t - a.t);
      for (std::size_t i = 0; i < b.solution.actuated.size(); ++i) {
        expected.push_back(b.solution.actuated[i] + part * (b.solution.actuated[i] - a.solution.actuated[i]));
      }
    }
    const auto best = std::min_element(
        all.solutions.begin(), all.solutions.end(), [&](const ClosedIkSolution& a, const ClosedIkSolution& b) {
          return !expected.empty() && apart(model, a.actuated, expected) < apart(model, b.actuated, expected);
        });
    sample.solution = *best;
    here = best->at;
    sample.rates = actuated_rates(model, work, here.q, frame, path[k].velocity, position_only);
    std::vector<LegMeasure> now;
    for (std::size_t l = 0; l < result.legs.size(); ++l) {
      now.push_back(leg_measure(model, work, here.q, frame, result.legs[l], before.empty() ? nullptr : &before[l]));
      if (before.empty() || !(now[l].value * before[l].value < 0.0)) continue;
      const double part = before[l].value / (before[l].value - now[l].value);
      result.switches.push_back(
          {result.samples[n - 1].t + part * (path[k].t - result.samples[n - 1].t), static_cast<int>(l)});
    }
    before = std::move(now);
    result.samples.push_back(std::move(sample));
  }
  return result;
}

}  // namespace lw
