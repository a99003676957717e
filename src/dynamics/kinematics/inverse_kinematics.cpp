#include "inverse_kinematics.hpp"

#include <algorithm>
#include <numbers>

#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../tree/kinematics.hpp"
#include "closed_form_arm.hpp"
#include "closure.hpp"
#include "ik_search.hpp"

namespace lw {

Carriers carriers(const Model<double>& model, int frame) {
  require(frame >= 0 && frame < static_cast<int>(model.frames.size()), "the model has no frame with this index");
  Carriers on{std::vector<bool>(static_cast<std::size_t>(model.nq), false),
              std::vector<bool>(static_cast<std::size_t>(model.nv), false), 0};
  for (int i = model.frames[static_cast<std::size_t>(frame)].body; i >= 0;) {
    const Body<double>& b = model.bodies[static_cast<std::size_t>(i)];
    const bool turns_freely = b.kind == JointKind::spherical || b.kind == JointKind::floating;  // a quaternion
    for (int k = 0; k < b.velocities(); ++k) on.v[static_cast<std::size_t>(b.v + k)] = true;
    for (int k = 0; k < b.velocities() + turns_freely; ++k) on.q[static_cast<std::size_t>(b.q + k)] = true;
    i = b.parent;
  }
  on.velocities = static_cast<int>(std::count(on.v.begin(), on.v.end(), true));
  return on;
}

TaskJacobian task_jacobian(const Model<double>& model, const Workspace<double>& work, int frame, bool position_only) {
  const auto nv = static_cast<std::size_t>(model.nv);
  TaskJacobian task{position_only ? 3 : 6, std::vector<double>(6 * nv)};
  frame_jacobian<double>(model, work, frame, task.values);
  if (position_only) {
    for (std::size_t k = 0; k < nv; ++k) {
      for (std::size_t i = 0; i < 3; ++i) task.values[3 * k + i] = task.values[6 * k + 3 + i];
    }
    task.values.resize(3 * nv);
  }
  return task;
}

int general_rank(const Model<double>& model, int frame, bool position_only) {
  if (model.nv == 0) return 0;
  Random random(1);
  std::vector<double> q = model.home, step(static_cast<std::size_t>(model.nv));
  for (double& x : step) x = random.between(-std::numbers::pi, std::numbers::pi);
  advance(model, q, step);
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  const TaskJacobian task = task_jacobian(model, work, frame, position_only);
  const Eigen::Map<const Eigen::MatrixXd> J(task.values.data(), task.rows, model.nv);
  return Svd(J).rank(1e-9);
}

IkResult inverse_kinematics(const Model<double>& model, int frame, const IkTarget& target, In<double> start,
                            const IkOptions& options) {
  check_sizes("inverse_kinematics", model, {{"start", start.size(), model.nq}});
  if (options.limits) {
    const auto& [lower, upper] = *options.limits;
    check_sizes("inverse_kinematics", model,
                {{"limits.lower", lower.size(), model.nq}, {"limits.upper", upper.size(), model.nq}});
    for (std::size_t k = 0; k < lower.size(); ++k)
      require(lower[k] <= upper[k], "a lower limit is above its upper limit");
  }
  require(options.starts >= 1, "inverse kinematics needs at least one start");
  detail::IkSearch search(model, frame, target, options);
  std::optional<ClosedFormArm> arm;
  if (options.closed_form) arm = ClosedFormArm::recognise(model, frame);
  if (arm && arm->has_wrist() && target.position_only) arm.reset();  // infinitely many
  const int velocities = carriers(model, frame).velocities;
  const int rank = arm ? velocities : general_rank(model, frame, target.position_only);  // a recognised one wastes none
  IkResult result;
  // Whether it is new; of two equal solutions the better is kept. Branches of a closed form are exact; they are equal
  // where rounding determines them only to its square root.
  const auto keep = [&](IkSolution s) {
    s.freedom = velocities - rank + search.extra_freedom(s.q, rank);
    for (IkSolution& other : result.solutions) {
      const bool one =
          s.branch.empty() ? search.one_within_tolerance(s, other) : search.distance(s.q, other.q, true) < 1e-5;
      if (one || (s.freedom > 0 && s.freedom == other.freedom && search.connected(other.q, s.q))) {
        if (one && search.badness(s) < search.badness(other)) other = std::move(s);
        return false;
      }
    }
    result.solutions.push_back(std::move(s));
    return true;
  };
  const auto nearer = [&](const IkSolution& a, const IkSolution& b) {
    return search.distance(a.q, start, false) < search.distance(b.q, start, false) * (1.0 - 1e-9);
  };

  if (arm) {
    result.beyond_limits = 0;
    bool isolated = true;
    for (ClosedFormArm::Branch& branch : arm->solve(target.pose, start)) {
      IkSolution s = search.judged(std::move(branch.q), std::move(branch.name));
      if (!s.reached) continue;  // an arm of three joints reaches an orientation only by chance
      if (search.unwind(s.q, start)) {
        keep(std::move(s));
      } else {
        ++*result.beyond_limits;
        isolated = isolated && !search.loses_rank(s.q, rank);
      }
    }
    result.closed_form = !result.solutions.empty();
    result.out_of_reach = !result.closed_form && isolated;
  }
  result.out_of_reach = result.out_of_reach || search.too_far() || velocities == 0;
  if (!result.closed_form) {
    std::optional<IkSolution> best;
    result.freedom = velocities - rank;
    // the nearest pose of an unreachable target needs fewer starts
    const int most = velocities == 0 ? 1 : result.out_of_reach ? std::min(options.starts, 24) : options.starts;
    const int patience = result.freedom > 0 ? options.patience / 3 : options.patience;
    const auto hopeless = [&](int tried) { return tried >= 100 && search.badness(*best) > 0.1; };
    const auto done = [&](int tried, int idle) {
      return tried >= most || (result.solutions.empty() ? hopeless(tried) : idle >= patience);
    };
    for (int number = 0, idle = 0; !done(number, idle); ++number, ++idle) {
      IkSolution s = search.descend(search.start_number(number, start));
      search.unwind(s.q, start);
      s = search.judged(std::move(s.q));
      if (!best || search.badness(s) < search.badness(*best)) best = s;
      if (!s.reached) continue;
      if (result.freedom > 0) {
        s = search.settle(std::move(s), start);
        s.freedom = result.freedom;
        if (result.solutions.empty() || nearer(s, result.solutions[0])) {
          result.solutions = {std::move(s)};
          idle = -1;
        }
      } else if (keep(std::move(s))) {
        idle = -1;
      }
    }
    result.nearest = *best;
  }
  std::stable_sort(result.solutions.begin(), result.solutions.end(), nearer);
  if (!result.solutions.empty()) {
    result.nearest = result.solutions.front();
    result.out_of_reach = false;
  }
  return result;
}

}  // namespace lw
