#include "plant_input.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/modes.hpp"
#include "../../dynamics/assembly/soundness.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {
namespace {

// With its actuated joints at home, which may be nearer to a closed pose than what judge_loops tries.
bool can_be_assembled(const Model<double>& model) {
  try {
    return assemble_home(model).closed;
  } catch (const Error&) {
    return false;
  }
}

// The K-th of the modes that agree with what is given.
Assembled chosen_mode(const Arguments& arguments, const Model<double>& model, const Model<double>& led,
                      const GivenJoints& given) {
  require_loops(model, "--mode");
  const double k = arguments.number("--mode", 1.0);
  AssemblyModes all = assembly_modes(led, given.led, static_cast<int>(model.frames.size()) - 1);
  std::erase_if(all.modes, [&](const AssemblyMode& m) { return !disagreement(model, led, given, m.at.q).empty(); });
  if (!(k >= 1.0 && k == std::floor(k) && k <= static_cast<double>(all.modes.size()))) {
    throw Error(ErrorCode::usage, fmt::format("--mode {}: `{}` has {} there, see `linkwright assemble`",
                                              arguments.text("--mode"), model.name, counted(all.modes.size(), "mode")));
  }
  return all.modes[static_cast<std::size_t>(k) - 1].at;
}

void warn_if_singular(const Model<double>& led, const Assembled& pose) {
  constexpr double kNearSingular = 1e3;  // times the condition at home
  const double usual = assemble_home(led).condition;
  if (pose.condition < kNearSingular * usual || !std::isfinite(usual)) return;
  std::vector<std::string> leading;
  for (const int v : actuated_velocities(led)) leading.push_back(led.velocity_names[at(v)]);
  say_warning(fmt::format(
      "`{}` is near a singular pose (condition number {:.1e} of the closures, {:.1e} at home): {} hardly determines "
      "the motion of the other joints, so that velocities and torques become very large and lose {:.0f} digits",
      led.name, pose.condition, usual, fmt::join(leading, ", "), std::min(16.0, std::log10(pose.condition / usual))));
}

}  // namespace

LoadedPlant::LoadedPlant(LoadedModel read)
    : loaded(std::move(read)),
      dynamics(std::make_unique<Dynamics>(loaded.model)),
      plan(dynamics->plan()),
      joints(dynamics->plant().joints),
      motors(dynamics->plant().motors) {
  loaded.model = dynamics->model();
}

LoadedPlant load_plant(const Arguments& arguments) {
  LoadedModel loaded = load_model(arguments);
  require_sound_loops(arguments, loaded.model);
  return LoadedPlant(std::move(loaded));
}

void require_sound_loops(const Arguments& arguments, const Model<double>& model) {
  const LoopJudgement judgement = judge_loops(model);
  if (const std::string wrong = complaint(model, judgement); !wrong.empty()) {
    if (judgement.closed || !can_be_assembled(model)) throw Error(ErrorCode::model, wrong);
  }
  if (arguments.quiet()) return;
  if (const std::string twice = redundancy(model, judgement); !twice.empty()) say_warning(twice);
}

Option mode_option() {
  return number_option("--mode", "K",
                       "for closed-loop mechanisms: the K-th assembly mode listed by `linkwright assemble`; default: "
                       "that of the home pose, continued along the straight line to --q",
                       "State");
}

std::vector<Entry> actuated_entries(const Model<double>& model) {
  const std::vector<Entry> all = coordinate_entries(model);
  std::vector<Entry> part;
  for (const int k : actuated_coordinates(model)) part.push_back(all[at(k)]);
  return part;
}

GivenJoints read_given(const Arguments& arguments, const Model<double>& model, const Model<double>& led) {
  const std::vector<int> places = actuated_coordinates(led), every = actuated_coordinates(model);
  std::vector<double> q = assemble_home(led).q;
  GivenJoints given;
  if (arguments.has("--q")) {
    const std::string text = arguments.text("--q");
    const bool all = every.size() > places.size() &&
                     static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1 == every.size();
    const std::vector<double> values = parse_entries("--q", text, actuated_entries(all ? model : led));
    const std::vector<int>& over = all ? every : places;
    for (std::size_t k = 0; k < over.size(); ++k) q[at(over[k])] = values[k];
    normalize_quaternions(model, q, "--q", arguments.quiet());
    for (std::size_t k = 0; all && k < every.size(); ++k) given.all.push_back(q[at(every[k])]);
  }
  for (const int k : places) given.led.push_back(q[at(k)]);
  return given;
}

std::string disagreement(const Model<double>& model, const Model<double>& led, const GivenJoints& given,
                         const std::vector<double>& q) {
  const std::vector<int> every = actuated_coordinates(model), leading = actuated_velocities(led);
  std::vector<bool> angle(at(model.nq), false);
  for (const Body<double>& body : model.bodies) {
    if (body.kind == JointKind::revolute && !body.mimics) angle[at(body.q)] = true;
  }
  for (std::size_t k = 0; k < given.all.size(); ++k) {
    const double is = q[at(every[k])], off = is - given.all[k];
    if (std::abs(angle[at(every[k])] ? std::remainder(off, 2.0 * std::numbers::pi) : off) <= 1e-6) continue;
    std::string names;
    for (const int v : leading) names += (names.empty() ? "`" : ", `") + model.velocity_names[at(v)] + "`";
    return fmt::format(
        "`{}` has more actuated joints than freedoms ({}): where {} {} as given, `{}` is {:.9g}, not {:.9g}",
        model.name, leading.size(), names, leading.size() == 1 ? "is" : "are", model.coordinate_names[at(every[k])], is,
        given.all[k]);
  }
  return "";
}

Assembled read_pose(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led) {
  const GivenJoints given = read_given(arguments, loaded.model, led);
  Assembled pose;
  if (arguments.has("--mode")) {
    pose = chosen_mode(arguments, loaded.model, led, given);
  } else {
    pose = assemble_at(led, given.led);
    if (const std::string why = disagreement(loaded.model, led, given, pose.q); !why.empty())
      throw Error(ErrorCode::data, why);
  }
  if (arguments.quiet()) return pose;
  if (arguments.has("--q") || arguments.has("--mode")) note_passed_limits(loaded, pose.q);
  warn_if_singular(led, pose);
  return pose;
}

Assembled read_pose(const Arguments& arguments, const LoadedPlant& plant) {
  Assembled pose = read_pose(arguments, plant.loaded, plant.dynamics->plant().minimal);
  plant.dynamics->stand(pose.q);
  return pose;
}

void add_pose(Json& json, const LoadedPlant& plant, const Assembled& pose) {
  Json dependent = Json::object();
  for (const int k : plant.plan.dependent_q) dependent[plant.loaded.model.coordinate_names[at(k)]] = pose.q[at(k)];
  if (dependent.empty()) return;
  json["actuated"] = plant.motors.velocity_names;
  json["dependent"] = std::move(dependent);
  json["closure"] = {{"residual", pose.residual}, {"condition", pose.condition}};
}

std::string pose_lines(const LoadedPlant& plant, const Assembled& pose) {
  std::string followers;
  for (const int k : plant.plan.dependent_q) {
    followers += fmt::format("{}{} = {:.6g}", followers.empty() ? "" : ", ", plant.loaded.model.coordinate_names[at(k)],
                             pose.q[at(k)]);
  }
  if (!followers.empty()) {
    followers = fmt::format("loops closed to {:.1e} m, condition {:.3g}; dependent: {}\n", pose.residual,
                            pose.condition, followers);
  }
  return configuration_line(plant.independent(pose.q)) + followers;
}

std::string state_tables(const LoadedPlant& plant, const std::vector<Column>& columns) {
  if (plant.plan.actuated == plant.plan.independent) return velocity_table(plant.joints, columns);
  std::vector<Column> of_joints, of_motors;
  for (const Column& c : columns) (c.of == Column::Of::joints ? of_joints : of_motors).push_back(c);
  return velocity_table(plant.joints, of_joints) + "\n" + velocity_table(plant.motors, of_motors);
}

}  // namespace lw::cli
