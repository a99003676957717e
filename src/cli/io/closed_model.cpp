#include "closed_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/assembly/soundness.hpp"
#include "../../model/joints_alone.hpp"
#include "../frame/terminal.hpp"
#include "closed_input.hpp"

namespace lw::cli {
namespace {

// With its actuated joints at home, which may be nearer to a closed pose than what `judge_loops` tries.
bool can_be_assembled(const Model<double>& model) {
  try {
    return assemble_home(model).closed;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

ClosedModel::ClosedModel(LoadedModel read)
    : loaded(std::move(read)), mechanism(std::make_unique<Dynamics>(loaded.model)), plan(mechanism->plan()) {
  loaded.model = mechanism->model();
  joints.model = joints_alone(loaded.model, plan.independent);
  joints.model.home = mechanism->independent();
  motors = joints_alone(loaded.model, plan.actuated);
}

void judge_closed(const Arguments& arguments, const Model<double>& model) {
  const LoopJudgement judgement = judge_loops(model);
  if (const std::string wrong = complaint(model, judgement); !wrong.empty()) {
    if (judgement.closed || !can_be_assembled(model)) throw Error(ErrorCode::model, wrong);
  }
  if (arguments.quiet()) return;
  if (const std::string twice = redundancy(model, judgement); !twice.empty()) say_warning(twice);
}

Assembled read_closed_pose(const Arguments& arguments, const ClosedModel& closed) {
  const Assembled pose = read_closed_pose(arguments, closed.loaded, closed.mechanism->plant().minimal);
  closed.mechanism->stand(pose.q);
  return pose;
}

Assembled read_closed_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led) {
  constexpr double kNearSingular = 1e3;  // times the condition at home
  const Assembled pose = read_assembled(arguments, loaded, led);
  const double usual = assemble_home(led).condition;
  if (!(pose.condition < kNearSingular * usual) && std::isfinite(usual) && !arguments.quiet()) {
    const Model<double> joints = joints_alone(led, actuated_velocities(led));
    say_warning(
        fmt::format("`{}` stands next to a singular pose (condition {:.1e} of the closures, {:.1e} at home): there the "
                    "place of {} hardly tells how the other joints "
                    "move, so that velocities and torques grow without bound and have {:.0f} digits less",
                    loaded.model.name, pose.condition, usual, fmt::join(joints.velocity_names, ", "),
                    std::min(16.0, std::log10(pose.condition / usual))));
  }
  return pose;
}

std::string dependent_line(const ClosedModel& closed, const Assembled& pose) {
  std::string text =
      fmt::format("loops closed to {:.1e} m, condition {:.3g}; dependent: ", pose.residual, pose.condition);
  bool first = true;
  for (const int k : closed.plan.dependent_q) {
    text += fmt::format("{}{} = {:.6g}", first ? "" : ", ", closed.loaded.model.coordinate_names[at(k)], pose.q[at(k)]);
    first = false;
  }
  return text + "\n";
}

}  // namespace lw::cli
