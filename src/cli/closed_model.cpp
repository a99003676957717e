#include "closed_model.hpp"

#include <fmt/format.h>

#include "../base/index.hpp"
#include "../model/joints_alone.hpp"
#include "closed_input.hpp"

namespace lw::cli {

ClosedModel::ClosedModel(LoadedModel read) : loaded(std::move(read)), mechanism(std::make_unique<ClosedMechanism>(loaded.model)), plan(mechanism->plan()) {
  loaded.model = mechanism->model();
  joints.model = joints_alone(loaded.model, plan.independent);
  joints.model.home = mechanism->independent();
  motors = joints_alone(loaded.model, plan.actuated);
}

Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed) {
  const Assembled pose = read_assembled(arguments, closed.loaded, closed.mechanism->led());
  closed.mechanism->stand(pose.q);
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
