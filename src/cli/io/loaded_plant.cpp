#include "loaded_plant.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/assembly/soundness.hpp"
#include "../../model/joints_alone.hpp"
#include "../frame/terminal.hpp"
#include "closed_input.hpp"
#include "judgements.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

// With its actuated joints at home, which may be nearer to a closed pose than
// what `judge_loops` tries.
bool can_be_assembled(const Model<double>& model) {
  try {
    return assemble_home(model).closed;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

LoadedPlant::LoadedPlant(LoadedModel read)
    : loaded(std::move(read)), dynamics(std::make_unique<Dynamics>(loaded.model)), plan(dynamics->plan()) {
  loaded.model = dynamics->model();
  if (plan.is_tree()) {
    joints = loaded;
    motors = loaded.model;
    return;
  }
  joints.model = dynamics->plant().joints;
  motors = dynamics->plant().motors;
}

LoadedPlant load_plant(const Arguments& arguments) {
  LoadedModel loaded = load_model(arguments);
  judge_closed(arguments, loaded.model);
  return LoadedPlant(std::move(loaded));
}

void judge_closed(const Arguments& arguments, const Model<double>& model) {
  if (model.loops.empty()) return;
  const LoopJudgement judgement = judge_loops(model);
  if (const std::string wrong = complaint(model, judgement); !wrong.empty()) {
    if (judgement.closed || !can_be_assembled(model)) throw Error(ErrorCode::model, wrong);
  }
  if (arguments.quiet()) return;
  if (const std::string twice = redundancy(model, judgement); !twice.empty()) say_warning(twice);
}

Assembled read_pose(const Arguments& arguments, const LoadedPlant& plant) {
  refuse_mode(arguments, plant.loaded.model);
  Assembled pose;
  if (plant.plan.is_tree())
    pose.q = read_q(arguments, plant.loaded);
  else
    pose = read_closed_pose(arguments, plant.loaded, plant.dynamics->plant().minimal);
  plant.dynamics->stand(pose.q);
  return pose;
}

void require_inertia(const Arguments& arguments, const LoadedPlant& plant, const Assembled& pose) {
  if (!plant.plan.is_tree()) return plant.dynamics->require_inertia();
  Workspace<double> work(plant.loaded.model);
  judge_mass_matrix(arguments, plant.loaded.model, work, pose.q);
}

Assembled read_closed_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led) {
  constexpr double kNearSingular = 1e3;  // times the condition at home
  const Assembled pose = read_assembled(arguments, loaded, led);
  const double usual = assemble_home(led).condition;
  if (!(pose.condition < kNearSingular * usual) && std::isfinite(usual) && !arguments.quiet()) {
    const Model<double> joints = joints_alone(led, actuated_velocities(led));
    say_warning(
        fmt::format("`{}` stands next to a singular pose (condition {:.1e} of "
                    "the closures, {:.1e} at home): there the "
                    "place of {} hardly tells how the other joints "
                    "move, so that velocities and torques grow without bound "
                    "and have {:.0f} digits less",
                    loaded.model.name, pose.condition, usual, fmt::join(joints.velocity_names, ", "),
                    std::min(16.0, std::log10(pose.condition / usual))));
  }
  return pose;
}

void add_pose(Json& json, const LoadedPlant& plant, const Assembled& pose) {
  if (plant.plan.is_tree()) return;
  Json dependent = Json::object();
  for (const int k : plant.plan.dependent_q) dependent[plant.loaded.model.coordinate_names[at(k)]] = pose.q[at(k)];
  json["actuated"] = plant.motors.velocity_names;
  json["dependent"] = std::move(dependent);
  json["closure"] = {{"residual", pose.residual}, {"condition", pose.condition}};
}

std::string dependent_line(const LoadedPlant& plant, const Assembled& pose) {
  if (plant.plan.is_tree()) return "";
  std::string text;
  for (const int k : plant.plan.dependent_q) {
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", plant.loaded.model.coordinate_names[at(k)],
                        pose.q[at(k)]);
  }
  return fmt::format("loops closed to {:.1e} m, condition {:.3g}; dependent: {}\n", pose.residual, pose.condition,
                     text);
}

std::string pose_lines(const LoadedPlant& plant, const Assembled& pose) {
  return configuration_line(plant.independent(pose.q)) + dependent_line(plant, pose);
}

std::string closed_words(const LoadedPlant& plant) { return plant.plan.is_tree() ? "" : ", loops closed"; }

std::string state_tables(const LoadedPlant& plant, const std::vector<Column>& columns) {
  if (plant.plan.actuated == plant.plan.independent) return velocity_table(plant.joints.model, columns);
  std::vector<Column> of_joints, of_motors;
  for (const Column& c : columns) (c.of == Column::Of::joints ? of_joints : of_motors).push_back(c);
  return velocity_table(plant.joints.model, of_joints) + "\n" + velocity_table(plant.motors, of_motors);
}

}  // namespace lw::cli
