#include "../commands.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"
#include "../io/methods.hpp"
#include "../io/plant_input.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../parts/inverse_trajectory.hpp"
#include "../report/loss_report.hpp"

namespace lw::cli {
namespace {

// The wrench that a joint passes to its link, at the link's frame and in its axes; the joint of a loop to its second
// link, at its frame there.
struct Reaction {
  std::string joint;
  Force<double> wrench;
  bool cut = false;  // the joint of a loop
};

// Of every joint that moves, mimics too, in the file's order, then of the loops. Links on fixed joints are one body
// with what carries them, and nothing is known about the force between them.
std::vector<Reaction> reactions(const LoadedPlant& plant, PlantWorkspace<double>& work, const std::vector<double>& q,
                                const std::vector<Force<double>>& external) {
  const Model<double>& model = plant.loaded.model;
  std::vector<Force<double>> wrenches(model.bodies.size());
  std::copy(external.begin(), external.end(), wrenches.begin());
  add_loop_wrenches<double>(model, plant.plan, work, wrenches);
  const std::vector<Force<double>> cuts = loop_reactions<double>(model, plant.plan, work);
  std::vector<double> tau(at(model.nv));
  rnea<double>(model, work.tree, q, work.qd, work.qdd, tau, wrenches);
  std::vector<Reaction> list;
  for (std::size_t k = 0; k < plant.loaded.mechanism.links.size(); ++k) {
    const Joint& joint = plant.loaded.mechanism.links[k].joint;
    if (joint.type == JointType::fixed) continue;
    const Frame<double>& link = model.frames[k + 1];  // the base stands first
    list.push_back({joint.name, link.X_BF.to_child(work.tree.force[at(link.body)])});
  }
  for (std::size_t k = 0; k < model.loops.size(); ++k) list.push_back({model.loops[k].name, cuts[k], true});
  for (const Reaction& r : list) {
    for (const Vec3<double>* v : {&r.wrench.ang, &r.wrench.lin}) {
      const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
      require_finite("the reaction", values, [&](std::size_t) { return fmt::format("of `{}`", r.joint); });
    }
  }
  return list;
}

Json as_json(const std::vector<Reaction>& list) {
  Json json = Json::array();
  for (const Reaction& r : list) {
    const Vec3<double>&n = r.wrench.ang, &f = r.wrench.lin;
    json.push_back({{"joint", r.joint}, {"moment", {n[0], n[1], n[2]}}, {"force", {f[0], f[1], f[2]}}});
  }
  return json;
}

void print(const std::vector<Reaction>& list) {
  fmt::print(
      "\nMoment and force that each joint transmits to its link, at the origin of the link's frame and in its axes "
      "(N·m, N){}:\n\n",
      std::ranges::any_of(list, &Reaction::cut)
          ? "; the joint of a loop to its\nsecond link, at its frame there. Reactions that the loops leave "
            "undetermined are taken as zero there"
          : "");
  Table table({"joint", "moment x", "y", "z", "force x", "y", "z"});
  double moment = 0.0, force = 0.0;
  for (const Reaction& r : list) {
    for (int k = 0; k < 3; ++k) {
      moment = std::max(moment, std::abs(r.wrench.ang[k]));
      force = std::max(force, std::abs(r.wrench.lin[k]));
    }
  }
  for (const Reaction& r : list) {
    std::vector<std::string> row{r.joint};
    for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.ang[k], 4, moment));
    for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.lin[k], 4, force));
    table.add(std::move(row));
  }
  fmt::print("{}", table.str());
}

Option torque_weights_option() {
  return text_option(
      "--weights", "W1,W2,...",
      "for redundantly actuated closed loops: weights W of the minimised sum of W tau^2; default: 1 each");
}

std::vector<double> read_weights(const Arguments& arguments, const LoadedPlant& plant) {
  if (!arguments.has("--weights")) return {};
  require_loops(plant.loaded.model, "--weights");
  std::vector<double> weights = parse_values(arguments.text("--weights"), "--weights");
  if (weights.size() != plant.plan.actuated.size()) {
    throw Error(ErrorCode::usage, fmt::format("--weights has {}, but {} joints are actuated",
                                              counted(weights.size(), "value"), plant.plan.actuated.size()));
  }
  for (const double w : weights) {
    if (!(w > 0.0)) throw Error(ErrorCode::usage, fmt::format("--weights must be positive, not {:.6g}", w));
  }
  if (plant.plan.actuated == plant.plan.independent && !arguments.quiet()) {
    say("note: --weights has no effect: there are no redundant actuators");
  }
  return weights;
}

int run_inverse(const Arguments& arguments) {
  check_trajectory_options(arguments);
  require_own_method(arguments, "--friction");
  const LoadedPlant plant = load_plant(arguments);
  const Model<double>&model = plant.loaded.model, &joints = plant.joints;
  note_losses(arguments, plant.loaded.mechanism);
  refuse_undriven(plant.plan, model.name, model.velocity_names);
  const std::vector<double> weights = read_weights(arguments, plant);
  if (arguments.has("--trajectory")) return inverse_along_trajectory(arguments, plant);
  const Assembled pose = read_pose(arguments, plant);
  const std::vector<double> qd = read_velocity(arguments, "--qd", joints),
                            qdd = read_velocity(arguments, "--qdd", joints);
  const std::string method = arguments.text("--method", "rnea");
  const Formulation* formulation = chosen_formulation(arguments);
  if (formulation != nullptr && arguments.has("--reactions"))
    throw Error(ErrorCode::usage, fmt::format("--reactions requires --method rnea, not `{}`", method));
  const Wrenches wrenches(arguments, model, pose.q);
  PlantWorkspace<double> work(model, plant.plan);
  std::vector<double> tau(plant.plan.actuated.size());
  if (formulation == nullptr) {
    inverse_dynamics<double>(model, plant.plan, work, pose.q, qd, qdd, tau, weights, wrenches.on_bodies());
  } else {
    const TreeTorques<double> torques = [&](In<double> x, In<double> xd, In<double> xdd, Out<double> of_tree) {
      inverse_by<double>(*formulation, model, x, xd, xdd, of_tree);
      for (std::size_t k = 0; k < of_tree.size(); ++k) of_tree[k] -= wrenches.at_joints()[k];
    };
    inverse_dynamics<double>(model, plant.plan, work, pose.q, qd, qdd, tau, torques, weights);
  }
  const std::vector<Reaction> in_joints =
      arguments.has("--reactions") ? reactions(plant, work, pose.q, wrenches.on_bodies()) : std::vector<Reaction>{};
  std::optional<LossReport> report;
  if (arguments.has("--friction")) {
    report = loss_report(model, plant.plan, work, pose.q, qd, qdd, weights, wrenches.on_bodies());
    warn_of_loads(arguments, plant, work, pose.q, wrenches.on_bodies());
    tau = report->losses.total;
  }
  require_finite("tau", tau, plant.motors);

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"method", method},
              {"velocity_names", joints.velocity_names},
              {"q", plant.independent(pose.q)},
              {"qd", qd},
              {"qdd", qdd},
              {"tau", tau}};
    add_pose(json, plant, pose);
    if (arguments.has("--reactions")) json["reactions"] = as_json(in_joints);
    if (report) add_losses_to(json, plant, *report);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }

  fmt::print("{}: joint torques and forces of the motion ({}{})\n{}\n", model.name, method,
             report ? ", with friction" : "", pose_lines(plant, pose));
  fmt::print("{}", state_tables(plant, {{"qd", Column::Unit::velocity, qd},
                                        {"qdd", Column::Unit::acceleration, qdd},
                                        {"tau", Column::Unit::force, tau, Column::Of::motors}}));
  const std::vector<bool> no_motor = without_motor(plant);
  if (std::find(no_motor.begin(), no_motor.end(), true) != no_motor.end()) {
    fmt::print(
        "\nOf joints that hang on elastic drives, tau is what would have to act on them besides the shaft: 0 in "
        "motions that their\nmotors can make.\n");
  }
  if (report) fmt::print("{}", loss_tables(plant, *report));
  if (arguments.has("--reactions")) print(in_joints);
  return kOk;
}

}  // namespace

Command inverse_command() {
  const Methods methods = with_formulations({{"rnea", "Newton-Euler about the frames' origins (the fastest)"}});
  std::vector<Option> options{q_option(),
                              velocity_option("--qd", "velocities"),
                              velocity_option("--qdd", "accelerations"),
                              method_option(methods),
                              wrench_option(),
                              flag_option("--reactions", "also the reaction moment and force of every joint"),
                              friction_option(),
                              mode_option(),
                              torque_weights_option()};
  for (const Option& o : trajectory_options()) options.push_back(o);
  Command c = dynamics_command(std::move(options));
  c.name = "inverse";
  c.summary = "joint torques of a motion: tau from q, qd, qdd";
  c.description =
      "Inverse dynamics: the joint torques (forces for prismatic joints) required for the accelerations qdd in the "
      "state q, qd, gravity included: tau = M(q) qdd + c(q, qd) + g(q), minus the contribution of external "
      "forces.\n\nWith --friction, tau also overcomes joint friction and drive losses, on the joint side of the gears, "
      "and a table lists its parts. Dry friction of a joint at rest opposes the motion that qdd starts; if qdd is zero "
      "too, it has no direction, and a table lists the range of torques within which the joint (of a tree) stays at "
      "rest.\n\nFor a --trajectory (CSV with t, q1.., qd1.., qdd1.., as written by `ik --path --out`) the peak torques "
      "are printed.\n\nFor closed-loop mechanisms, vectors and torques list the actuated joints; the assembly mode is "
      "that of the home pose, continued along the straight line to q, or along the trajectory.";
  c.examples = {"linkwright inverse puma560 --qdd 1,0,0,0,0,0",
                "linkwright inverse puma560 --q 0,-45deg,90deg,0,45deg,0 --qd 0.1,0.2,0.3,0,0,0 --json",
                "linkwright inverse puma560 --payload link6:2.5@0,0,0.1 --reactions",
                "linkwright inverse puma560 --wrench link6:0,0,-20 --method ness",
                "linkwright inverse puma560-dhanaraj --qd 0.3,0.2,-0.4,0,0,0 --friction",
                "linkwright inverse planar-3rrr --q 90deg,70deg,110deg --qd 0.3,0.7,-1.4 --reactions"};
  c.sections = {method_section(methods)};
  c.run = run_inverse;
  return c;
}

}  // namespace lw::cli
