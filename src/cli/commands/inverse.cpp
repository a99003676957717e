#include "../commands.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../io/closed_input.hpp"
#include "../io/methods.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../parts/closed_dynamics.hpp"
#include "../parts/inverse_trajectory.hpp"
#include "../report/loss_report.hpp"

namespace lw::cli {
namespace {

// The wrench that a joint passes to its link, at the link's frame and in its axes.
struct Reaction {
  std::string joint;
  Force<double> wrench;
};

// Of every joint that moves, mimics too, in the file's order. Links on fixed joints are one body with what carries
// them, and nothing is known about the force between them.
std::vector<Reaction> reactions(const LoadedModel& loaded, const Workspace<double>& work) {
  std::vector<Reaction> list;
  for (std::size_t k = 0; k < loaded.mechanism.links.size(); ++k) {
    const Joint& joint = loaded.mechanism.links[k].joint;
    if (joint.type == JointType::fixed) continue;
    const Frame<double>& link = loaded.model.frames[k + 1];  // the base stands first
    const Force<double> wrench = link.X_BF.to_child(work.force[static_cast<std::size_t>(link.body)]);
    for (const Vec3<double>* v : {&wrench.ang, &wrench.lin}) {
      const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
      require_finite("the reaction", values, [&](std::size_t) { return fmt::format("of `{}`", joint.name); });
    }
    list.push_back({joint.name, wrench});
  }
  return list;
}

int run_inverse(const Arguments& arguments) {
  check_trajectory_options(arguments);
  require_own_method(arguments, "--friction");
  LoadedModel loaded = load_model(arguments);
  note_losses(arguments, loaded.mechanism);
  if (!loaded.model.loops.empty()) return run_closed_inverse(arguments, std::move(loaded));
  refuse_mode(arguments, loaded.model);
  if (arguments.has("--weights"))
    throw Error(ErrorCode::usage, "--weights are for mechanisms with loops: joints of a tree do not share torques");
  if (arguments.has("--trajectory")) return inverse_along_trajectory(arguments, loaded);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded), qd = read_velocity(arguments, "--qd", model),
                            qdd = read_velocity(arguments, "--qdd", model);
  const std::string method = arguments.text("--method", "rnea");
  const Formulation* formulation = chosen_formulation(arguments);
  if (formulation != nullptr && arguments.has("--reactions")) {
    throw Error(ErrorCode::usage, fmt::format("--reactions come with --method rnea, not with `{}`", method));
  }
  const Wrenches wrenches(arguments, model, q);
  Workspace<double> work(model);
  std::vector<double> tau(qd.size());
  if (formulation == nullptr) {
    rnea<double>(model, work, q, qd, qdd, tau, wrenches.on_bodies());
  } else {
    inverse_by<double>(*formulation, model, q, qd, qdd, tau);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] -= wrenches.at_joints()[k];
  }
  std::optional<LossReport> report;
  if (arguments.has("--friction")) {
    report = loss_report(model, q, qd, qdd, wrenches.on_bodies());
    tau = report->losses.total;
  }
  require_finite("tau", tau, model);
  const std::vector<Reaction> in_joints =
      arguments.has("--reactions") ? reactions(loaded, work) : std::vector<Reaction>{};

  if (arguments.json()) {
    Json json{{"model", model.name}, {"method", method}, {"velocity_names", model.velocity_names}, {"q", q}, {"qd", qd},
              {"qdd", qdd},          {"tau", tau}};
    if (arguments.has("--reactions")) {
      json["reactions"] = Json::array();
      for (const Reaction& r : in_joints) {
        const Vec3<double>&n = r.wrench.ang, &f = r.wrench.lin;
        json["reactions"].push_back(
            {{"joint", r.joint}, {"moment", {n[0], n[1], n[2]}}, {"force", {f[0], f[1], f[2]}}});
      }
    }
    if (report) add_losses_to(json, model, *report);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }

  fmt::print("{}: joint torques and forces of the motion ({}{})\n{}\n", model.name, method,
             report ? ", with friction" : "", configuration_line(q));
  fmt::print("{}", velocity_table(model, {{"qd", Column::Unit::velocity, qd},
                                          {"qdd", Column::Unit::acceleration, qdd},
                                          {"tau", Column::Unit::force, tau}}));
  const std::vector<bool> no_motor = without_motor(model);
  if (std::find(no_motor.begin(), no_motor.end(), true) != no_motor.end()) {
    fmt::print(
        "\nOf joints that hang on elastic drives, tau is what would have to act on them besides the shaft: 0 in "
        "motions "
        "that their\nmotors can make.\n");
  }
  if (report) fmt::print("{}", loss_tables(model, *report));
  if (arguments.has("--reactions")) {
    fmt::print("\nWhat each joint passes to its link, at the link's frame and in its axes (N·m, N):\n\n");
    Table table({"joint", "moment x", "y", "z", "force x", "y", "z"});
    double moment = 0.0, force = 0.0;
    for (const Reaction& r : in_joints) {
      for (int k = 0; k < 3; ++k) {
        moment = std::max(moment, std::abs(r.wrench.ang[k]));
        force = std::max(force, std::abs(r.wrench.lin[k]));
      }
    }
    for (const Reaction& r : in_joints) {
      std::vector<std::string> row{r.joint};
      for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.ang[k], 4, moment));
      for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.lin[k], 4, force));
      table.add(std::move(row));
    }
    fmt::print("{}", table.str());
  }
  return kOk;
}

}  // namespace

Command inverse_command() {
  const Methods methods = with_formulations({{"rnea", "Newton-Euler about the frames' origins (the fast one)"}});
  std::vector<Option> options{
      q_option(),
      velocity_option("--qd", "velocities"),
      velocity_option("--qdd", "accelerations"),
      method_option(methods),
      wrench_option(),
      {"--reactions", "", "also the moment and force in every joint", Option::Kind::flag, {}, "Options"},
      friction_option(),
      mode_option(),
      torque_weights_option()};
  for (const Option& o : trajectory_options()) options.push_back(o);
  Command c = dynamics_command(std::move(options));
  c.name = "inverse";
  c.summary = "joint torques of a motion: tau from q, qd, qdd";
  c.description =
      "Inverse dynamics: the torques (forces, for slides) that the joints must give for the accelerations qdd in the "
      "state "
      "q, qd, gravity included: tau = M(q) qdd + c(q, qd) + g(q), less what external forces do.\n\n"
      "With --friction tau also overcomes the friction of joints and the losses of drives, on the joints' side of the "
      "gears, and a table says what it is made up of. The dry friction of a joint at rest opposes the motion that qdd "
      "begins; "
      "where qdd is zero too it has no direction, and a table says between which torques the joint of a tree stays at "
      "rest.\n\n"
      "Along a --trajectory (CSV with t, q1.., qd1.., qdd1.., as `ik --path` writes it with --out) it says the "
      "greatest "
      "torques.\n\n"
      "Of a mechanism with loops vectors run over its actuated joints, and so do the torques; the loops are closed as "
      "they are at home, "
      "followed along the straight line to q, or along the trajectory.";
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
