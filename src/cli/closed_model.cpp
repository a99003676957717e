#include "closed_model.hpp"

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../model/joints_alone.hpp"
#include "../model/limits.hpp"
#include "terminal.hpp"
#include "vectors.hpp"

namespace lw::cli {

ClosedModel::ClosedModel(LoadedModel read) : loaded(std::move(read)), mechanism(std::make_unique<ClosedMechanism>(loaded.model)), plan(mechanism->plan()) {
  loaded.model = mechanism->model();
  joints.model = joints_alone(loaded.model, plan.independent);
  joints.model.home = mechanism->independent();
  motors = joints_alone(loaded.model, plan.actuated);
}

Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed) {
  const std::vector<double> q = read_q(arguments, closed.joints);
  const Assembled pose = assemble_at(closed.mechanism->led(), q);
  closed.mechanism->stand(pose.q);
  if (!arguments.quiet()) {
    for (const PassedLimit& passed : passed_limits(closed.loaded.mechanism, closed.loaded.model, pose.q)) {
      say(fmt::format("note: {} = {:.6g} lies {} limit, {:.6g}", passed.joint->name, passed.value, passed.side, passed.limit));
    }
  }
  return pose;
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
