#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../dynamics/loops/forward_losses.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../model/require_tree.hpp"
#include "../io/judgements.hpp"
#include "../io/methods.hpp"
#include "../io/plant_input.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../report/loss_report.hpp"

namespace lw::cli {
namespace {

std::string method_of(const Arguments& arguments, const LoadedPlant& plant) {
  if (arguments.has("--method"))
    require_tree(plant.loaded.model, ": --method requires a tree; closed loops are solved by the orthogonal complement",
                 ErrorCode::usage);
  if (!plant.plan.is_tree()) return "noc";
  return arguments.has("--friction") ? "newton" : arguments.text("--method", "aba");
}

int run_forward(const Arguments& arguments) {
  require_own_method(arguments, "--friction");
  const LoadedPlant plant = load_plant(arguments);
  note_losses(arguments, plant.loaded.mechanism);
  const std::string method = method_of(arguments, plant);
  const Assembled pose = read_pose(arguments, plant);
  const Model<double>&model = plant.loaded.model, &joints = plant.joints;
  const std::vector<double> qd = read_velocity(arguments, "--qd", joints),
                            tau = read_velocity(arguments, "--tau", plant.motors, false);
  const bool friction = arguments.has("--friction");
  const Wrenches wrenches(arguments, model, pose.q);
  PlantWorkspace<double> work(model, plant.plan);
  std::vector<double> qdd(qd.size());
  std::vector<std::string> sticking;
  if (friction) {
    if (joints.nv > kAffordablePivots) {
      throw Error(ErrorCode::data, fmt::format("--friction solves for up to {} accelerations; `{}` has {}",
                                               kAffordablePivots, model.name, joints.nv));
    }
    judge_mass_matrix(arguments, model, plant.plan, pose.q);
    ForwardLosses forward(model, plant.plan);
    forward(pose.q, qd, tau, qdd, {}, wrenches.on_bodies());
    sticking = forward.sticking();
    warn_of_loads(arguments, plant, forward.motion(pose.q, wrenches.on_bodies()), pose.q, wrenches.on_bodies());
  } else if (const Formulation* formulation = chosen_formulation(arguments)) {
    std::vector<double> all = tau;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += wrenches.at_joints()[k];
    forward_by<double>(*formulation, model, pose.q, qd, all, qdd);
  } else if (method == "crba") {
    forward_by_crba<double>(model, work.tree, pose.q, qd, tau, qdd, wrenches.on_bodies());
  } else {
    forward_dynamics<double>(model, plant.plan, work, pose.q, qd, tau, qdd, wrenches.on_bodies());
  }
  const bool finite = std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isfinite(x); });
  if (!friction && (!finite || joints.nv <= kAffordablePivots)) judge_mass_matrix(arguments, model, plant.plan, pose.q);
  require_finite("qdd", qdd, joints);

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"method", method},
              {"velocity_names", joints.velocity_names},
              {"q", plant.independent(pose.q)},
              {"qd", qd},
              {"tau", tau},
              {"qdd", qdd}};
    add_pose(json, plant, pose);
    if (friction) json["sticking"] = sticking;
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: accelerations under the torques ({})\n{}\n", model.name, friction ? "with friction" : method,
             pose_lines(plant, pose));
  fmt::print("{}", state_tables(plant, {{"qd", Column::Unit::velocity, qd},
                                        {"tau", Column::Unit::force, tau, Column::Of::motors},
                                        {"qdd", Column::Unit::acceleration, qdd}}));
  if (!sticking.empty()) fmt::print("\nFriction holds {}\n", fmt::join(sticking, ", "));
  return kOk;
}

}  // namespace

Command forward_command() {
  const Methods methods = with_formulations({{"aba", "articulated bodies (the fastest)"},
                                             {"crba", "mass matrix by composite bodies, and its factorisation"}});
  Command c = dynamics_command({q_option(), velocity_option("--qd", "velocities"),
                                velocity_option("--tau", "torques, forces for prismatic joints"),
                                method_option(methods), wrench_option(), friction_option(), mode_option()});
  c.name = "forward";
  c.summary = "accelerations under given torques: qdd from q, qd, tau";
  c.description =
      "Forward dynamics: the accelerations caused by the torques tau (forces for prismatic joints) in the state q, qd "
      "under gravity. With --friction, tau is the total drive torque, as computed by `inverse --friction`, also from "
      "rest; joints at rest stick if friction can hold them, and otherwise begin to slip. For closed-loop mechanisms, "
      "vectors list the actuated joints.";
  c.examples = {"linkwright forward double-pendulum",
                "linkwright forward puma560 --tau 10,0,0,0,0,0 --method crba --json",
                "linkwright forward puma560-dhanaraj --tau 20,0,0,0,0,0 --friction"};
  c.sections = {method_section(methods)};
  c.run = run_forward;
  return c;
}

}  // namespace lw::cli
