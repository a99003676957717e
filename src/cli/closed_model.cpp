#include "closed_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../dynamics/loop_position.hpp"
#include "../model/joints_alone.hpp"
#include "../model/limits.hpp"
#include "terminal.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

std::vector<double> taken(const std::vector<int>& places, const std::vector<double>& q) {
  std::vector<double> part;
  for (const int k : places) part.push_back(q[at(k)]);
  return part;
}

}  // namespace

ClosedModel closed_model(LoadedModel loaded) {
  loaded.model = with_drivers(std::move(loaded.model));
  LoopPlan plan = plan_loops(loaded.model);
  Model<double> led = loaded.model;
  for (JointInfo& joint : led.joints) {
    joint.actuated = std::any_of(plan.independent.begin(), plan.independent.end(),
                                 [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
  }
  Model<double> joints = joints_alone(loaded.model, plan.independent), motors = joints_alone(loaded.model, plan.actuated);
  const Assembled home = assemble_home(led);
  for (std::size_t k = 0; k < plan.independent_q.size(); ++k) joints.home[k] = home.q[at(plan.independent_q[k])];
  return {std::move(loaded), std::move(plan), std::move(led), {{}, std::move(joints)}, std::move(motors)};
}

Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed) {
  const std::vector<double> q = read_q(arguments, closed.joints);
  const Assembled pose = assemble_at(closed.led, q);
  if (!arguments.quiet()) {
    for (const PassedLimit& passed : passed_limits(closed.loaded.mechanism, closed.loaded.model, pose.q)) {
      say(fmt::format("note: {} = {:.6g} lies {} limit, {:.6g}", passed.joint->name, passed.value, passed.side, passed.limit));
    }
  }
  return pose;
}

std::vector<double> follow_pose(const ClosedModel& closed, const std::vector<double>& before, const std::vector<double>& joints) {
  // Newton's method where the step is short, else along the straight line
  const LoopPosition<double> there = loop_position<double>(closed.loaded.model, closed.plan, joints, taken(closed.plan.dependent_q, before));
  constexpr double kShort = 0.1;
  bool near = there.converged;
  for (std::size_t k = 0; k < before.size() && near; ++k) near = std::abs(there.q[k] - before[k]) < kShort;
  if (near) return there.q;
  Workspace<double> work(closed.led);
  Assembled from;
  from.q = before;
  from.closed = true;
  return continue_to(closed.led, work, from, joints).q;
}

std::string dependent_line(const ClosedModel& closed, const Assembled& pose) {
  std::string text = fmt::format("loops closed to {:.1e} m, condition {:.3g}; dependent: ", pose.residual, pose.condition);
  bool first = true;
  for (const int k : closed.plan.dependent_q) {
    text += fmt::format("{}{} = {:.6g}", first ? "" : ", ", closed.loaded.model.coordinate_names[at(k)], pose.q[at(k)]);
    first = false;
  }
  return text + "\n";
}

}  // namespace lw::cli
