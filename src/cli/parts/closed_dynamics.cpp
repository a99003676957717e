#include "closed_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/loops/closed_forward_losses.hpp"
#include "../../dynamics/loops/undetermined_loads.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../frame/terminal.hpp"
#include "../io/closed_model.hpp"
#include "../io/methods.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../report/loss_report.hpp"
#include "inverse_trajectory.hpp"

namespace lw::cli {
namespace {

// What every answer says about the pose.
void add_pose(Json& json, const ClosedModel& closed, const Assembled& pose) {
  Json dependent = Json::object();
  for (const int k : closed.plan.dependent_q) dependent[closed.loaded.model.coordinate_names[at(k)]] = pose.q[at(k)];
  json["dependent"] = std::move(dependent);
  json["closure"] = {{"residual", pose.residual}, {"condition", pose.condition}};
}

std::vector<double> read_weights(const Arguments& arguments, const ClosedModel& closed) {
  if (!arguments.has("--weights")) return {};
  std::vector<double> weights = parse_values(arguments.text("--weights"), "--weights");
  if (weights.size() != closed.plan.actuated.size()) {
    throw Error(ErrorCode::usage, fmt::format("--weights has {}, but {} joints are actuated",
                                              counted(weights.size(), "value"), closed.plan.actuated.size()));
  }
  for (const double w : weights) {
    if (!(w > 0.0)) throw Error(ErrorCode::usage, fmt::format("--weights are positive numbers, not {:.6g}", w));
  }
  if (closed.plan.actuated == closed.plan.independent && !arguments.quiet()) {
    say("note: --weights change nothing: no more joints are actuated than there are freedoms");
  }
  return weights;
}

void refuse_closed(const Arguments& arguments, const std::string& option, const std::string& why) {
  if (arguments.has(option)) throw Error(ErrorCode::usage, fmt::format("{}: {}", option, why));
}

struct NamedWrench {
  std::string joint;
  Force<double> wrench;
};

// Of the tree's joints, at their links' frames, and of the loops', at the second link's.
std::vector<NamedWrench> closed_reactions(const ClosedModel& closed, PlantWorkspace<double>& work,
                                          const std::vector<double>& q, std::span<const Force<double>> external) {
  const Model<double>& model = closed.loaded.model;
  std::vector<Force<double>> wrenches(model.bodies.size());
  for (std::size_t i = 0; i < external.size(); ++i) wrenches[i] = external[i];
  add_loop_wrenches<double>(model, closed.plan, work, wrenches);
  const std::vector<Force<double>> cuts = loop_reactions<double>(model, closed.plan, work);
  std::vector<double> tau(at(model.nv));
  rnea<double>(model, work.tree, q, work.qd, work.qdd, tau, wrenches);
  std::vector<NamedWrench> list;
  for (std::size_t k = 0; k < closed.loaded.mechanism.links.size(); ++k) {
    const Joint& joint = closed.loaded.mechanism.links[k].joint;
    if (joint.type == JointType::fixed) continue;
    const Frame<double>& link = model.frames[k + 1];
    list.push_back({joint.name, link.X_BF.to_child(work.tree.force[at(link.body)])});
  }
  for (std::size_t k = 0; k < model.loops.size(); ++k) list.push_back({model.loops[k].name, cuts[k]});
  for (const NamedWrench& r : list) {
    for (const Vec3<double>* v : {&r.wrench.ang, &r.wrench.lin}) {
      const double values[3] = {(*v)[0], (*v)[1], (*v)[2]};
      require_finite("the reaction", values, [&](std::size_t) { return fmt::format("of `{}`", r.joint); });
    }
  }
  return list;
}

void print_reactions(const std::vector<NamedWrench>& list) {
  fmt::print(
      "\nWhat each joint passes to its link, at the link's frame and in its axes; of a loop's joint to the second "
      "link, at its frame\n"
      "there (N·m, N). What loops hold beyond what they must is borne by the tree's joints.\n\n");
  Table table({"joint", "moment x", "y", "z", "force x", "y", "z"});
  double moment = 0.0, force = 0.0;
  for (const NamedWrench& r : list) {
    for (int k = 0; k < 3; ++k) {
      moment = std::max(moment, std::abs(r.wrench.ang[k]));
      force = std::max(force, std::abs(r.wrench.lin[k]));
    }
  }
  for (const NamedWrench& r : list) {
    std::vector<std::string> row{r.joint};
    for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.ang[k], 4, moment));
    for (int k = 0; k < 3; ++k) row.push_back(readable(r.wrench.lin[k], 4, force));
    table.add(std::move(row));
  }
  fmt::print("{}", table.str());
}

LossReport closed_loss_report(const ClosedModel& closed, PlantWorkspace<double>& work, const std::vector<double>& q,
                              const std::vector<double>& qd, const std::vector<double>& qdd,
                              std::span<const double> weights, std::span<const Force<double>> external) {
  ClosedLosses<double> losses(closed.loaded.model, closed.plan);
  losses.inverse(work, q, qd, qdd, weights, external);
  return {losses.losses, {}};
}

void warn_of_loads(const Arguments& arguments, const ClosedModel& closed, const PlantWorkspace<double>& work,
                   const std::vector<double>& q, std::span<const Force<double>> external) {
  if (arguments.quiet()) return;
  const Model<double>& model = closed.loaded.model;
  const std::string warning = to_string(undetermined_loads(model, closed.plan, work, q, external), model.name);
  if (!warning.empty()) say_warning(warning);
}

// The drives of the actuated joints, where tables ask for them.
Model<double> with_drives(const ClosedModel& closed) {
  Model<double> motors = closed.motors;
  motors.transmissions = ClosedLosses<double>(closed.loaded.model, closed.plan).motors().transmissions;
  return motors;
}

}  // namespace

Option torque_weights_option() {
  return {"--weights",
          "W1,W2,...",
          "loops: where more joints are actuated than there are freedoms, the sum of W tau^2 is made least; default: 1 "
          "each",
          Option::Kind::text,
          {},
          "Options"};
}

int run_closed_inverse(const Arguments& arguments, LoadedModel read) {
  judge_closed(arguments, read.model);
  const ClosedModel closed(std::move(read));
  refuse_undriven(closed.plan, closed.loaded.model.name, closed.loaded.model.velocity_names);
  if (arguments.has("--trajectory")) return inverse_along_closed_trajectory(arguments, closed);
  const Model<double>& model = closed.loaded.model;
  const Assembled pose = read_closed_pose(arguments, closed);
  const std::vector<double> qd = read_velocity(arguments, "--qd", closed.joints.model),
                            qdd = read_velocity(arguments, "--qdd", closed.joints.model),
                            weights = read_weights(arguments, closed);
  std::vector<double> q;
  for (const int k : closed.plan.independent_q) q.push_back(pose.q[at(k)]);
  const std::string method = arguments.text("--method", "rnea");
  const Formulation* formulation = chosen_formulation(arguments);
  const Wrenches wrenches(arguments, model, pose.q);
  PlantWorkspace<double> work(model, closed.plan);
  std::vector<double> tau(closed.plan.actuated.size());
  inverse_dynamics<double>(model, closed.plan, work, pose.q, qd, qdd, tau, weights, wrenches.on_bodies());
  if (formulation != nullptr) {  // the tree's torques by that, projected
    refuse_closed(arguments, "--reactions", fmt::format("they come with --method rnea, not with `{}`", method));
    inverse_by<double>(*formulation, model, pose.q, work.qd, work.qdd, work.tau);
    for (std::size_t k = 0; k < work.tau.size(); ++k) work.tau[k] -= wrenches.at_joints()[k];
    std::vector<double> force(closed.plan.freedoms());
    project_torques<double>(closed.plan, work, work.tau, force);
    distribute_torques<double>(closed.plan, work, force, weights, tau);
  }
  const std::vector<NamedWrench> in_joints = arguments.has("--reactions")
                                                 ? closed_reactions(closed, work, pose.q, wrenches.on_bodies())
                                                 : std::vector<NamedWrench>{};
  std::optional<LossReport> report;
  if (arguments.has("--friction")) {
    report = closed_loss_report(closed, work, pose.q, qd, qdd, weights, wrenches.on_bodies());
    warn_of_loads(arguments, closed, work, pose.q, wrenches.on_bodies());
    tau = report->losses.total;
  }
  require_finite("tau", tau, closed.motors);
  const Model<double> motors = with_drives(closed);

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"method", method},
              {"velocity_names", closed.joints.model.velocity_names},
              {"actuated", closed.motors.velocity_names},
              {"q", q},
              {"qd", qd},
              {"qdd", qdd},
              {"tau", tau}};
    add_pose(json, closed, pose);
    if (arguments.has("--reactions")) {
      json["reactions"] = Json::array();
      for (const NamedWrench& r : in_joints) {
        const Vec3<double>&n = r.wrench.ang, &f = r.wrench.lin;
        json["reactions"].push_back(
            {{"joint", r.joint}, {"moment", {n[0], n[1], n[2]}}, {"force", {f[0], f[1], f[2]}}});
      }
    }
    if (report) add_losses_to(json, motors, *report);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: torques and forces of the actuated joints, loops closed ({}{})\n{}{}\n", model.name, method,
             report ? ", with friction" : "", configuration_line(q), dependent_line(closed, pose));
  if (closed.plan.actuated == closed.plan.independent) {
    fmt::print("{}", velocity_table(closed.joints.model, {{"qd", Column::Unit::velocity, qd},
                                                          {"qdd", Column::Unit::acceleration, qdd},
                                                          {"tau", Column::Unit::force, tau}}));
  } else {
    fmt::print("{}\n{}",
               velocity_table(closed.joints.model,
                              {{"qd", Column::Unit::velocity, qd}, {"qdd", Column::Unit::acceleration, qdd}}),
               velocity_table(closed.motors, {{"tau", Column::Unit::force, tau}}));
  }
  if (report) fmt::print("{}", loss_tables(motors, *report));
  if (arguments.has("--reactions")) print_reactions(in_joints);
  return kOk;
}

int run_closed_forward(const Arguments& arguments, LoadedModel read) {
  refuse_closed(arguments, "--method", "a mechanism with loops has one, by its orthogonal complement");
  judge_closed(arguments, read.model);
  const ClosedModel closed(std::move(read));
  const Model<double>& model = closed.loaded.model;
  const Assembled pose = read_closed_pose(arguments, closed);
  const std::vector<double> qd = read_velocity(arguments, "--qd", closed.joints.model),
                            tau = read_velocity(arguments, "--tau", closed.motors, false);
  std::vector<double> q, qdd(closed.plan.freedoms());
  for (const int k : closed.plan.independent_q) q.push_back(pose.q[at(k)]);
  const Wrenches wrenches(arguments, model, pose.q);
  PlantWorkspace<double> work(model, closed.plan);
  const bool friction = arguments.has("--friction");
  std::vector<std::string> sticking;
  closed.mechanism->require_inertia();
  if (friction) {
    ClosedForwardLosses forward(model, closed.plan);
    forward(work, pose.q, qd, tau, qdd, wrenches.on_bodies());
    sticking = forward.sticking();
    warn_of_loads(arguments, closed, work, pose.q, wrenches.on_bodies());
  } else {
    forward_dynamics<double>(model, closed.plan, work, pose.q, qd, tau, qdd, wrenches.on_bodies());
  }
  require_finite("qdd", qdd, closed.joints.model);
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"method", "noc"},
              {"velocity_names", closed.joints.model.velocity_names},
              {"actuated", closed.motors.velocity_names},
              {"q", q},
              {"qd", qd},
              {"tau", tau},
              {"qdd", qdd}};
    add_pose(json, closed, pose);
    if (friction) json["sticking"] = sticking;
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: accelerations under the torques, loops closed{}\n{}{}\n", model.name,
             friction ? " (with friction)" : "", configuration_line(q), dependent_line(closed, pose));
  if (closed.plan.actuated == closed.plan.independent) {
    fmt::print("{}", velocity_table(closed.joints.model, {{"qd", Column::Unit::velocity, qd},
                                                          {"tau", Column::Unit::force, tau},
                                                          {"qdd", Column::Unit::acceleration, qdd}}));
  } else {
    fmt::print("{}\n{}", velocity_table(closed.motors, {{"tau", Column::Unit::force, tau}}),
               velocity_table(closed.joints.model,
                              {{"qd", Column::Unit::velocity, qd}, {"qdd", Column::Unit::acceleration, qdd}}));
  }
  if (!sticking.empty()) fmt::print("\nFriction holds {}\n", fmt::join(sticking, ", "));
  return kOk;
}

int run_closed_mass_matrix(const Arguments& arguments, LoadedModel read) {
  judge_closed(arguments, read.model);
  const ClosedModel closed(std::move(read));
  const Model<double>&model = closed.loaded.model, &joints = closed.joints.model;
  const Assembled pose = read_closed_pose(arguments, closed);
  PlantWorkspace<double> work(model, closed.plan);
  const std::size_t n = closed.plan.freedoms();
  std::vector<double> H(n * n), q;
  for (const int k : closed.plan.independent_q) q.push_back(pose.q[at(k)]);
  mass_matrix<double>(model, closed.plan, work, pose.q, H);
  require_finite("M", H, [&](std::size_t k) {
    return fmt::format("of `{}` and `{}`", joints.velocity_names[k % n], joints.velocity_names[k / n]);
  });
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"q", q},
              {"velocity_names", joints.velocity_names},
              {"M", rows_of(H, joints.nv, joints.nv)}};
    add_pose(json, closed, pose);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print(
      "{}: mass matrix of the independent joints, loops closed, rotor inertias included (kg·m², kg·m, kg)\n{}{}\n",
      model.name, configuration_line(q), dependent_line(closed, pose));
  fmt::print("{}", matrix_table(H, joints.velocity_names, joints.velocity_names));
  return kOk;
}

int run_closed_bias(const Arguments& arguments, LoadedModel read) {
  judge_closed(arguments, read.model);
  ClosedModel closed(std::move(read));
  closed.plan.actuated = closed.plan.independent;  // generalised forces, whoever gives them
  const Model<double>&model = closed.loaded.model, &joints = closed.joints.model;
  const Assembled pose = read_closed_pose(arguments, closed);
  const std::vector<double> qd = read_velocity(arguments, "--qd", joints), zero(qd.size(), 0.0);
  std::vector<double> q, bias(qd.size()), gravity(qd.size()), coriolis(qd.size()), outer(qd.size());
  for (const int k : closed.plan.independent_q) q.push_back(pose.q[at(k)]);
  const auto torques = [&](const Model<double>& of, const std::vector<double>& velocity, std::vector<double>& to) {
    PlantWorkspace<double> work(of, closed.plan);
    inverse_dynamics<double>(of, closed.plan, work, pose.q, velocity, zero, to);
    return work;
  };
  torques(model, zero, gravity);
  Model<double> weightless = without_elements(model);
  weightless.gravity = Vec3<double>::zero();
  for (Body<double>& body : weightless.bodies) body.stiffness = 0.0;
  torques(weightless, qd, coriolis);
  PlantWorkspace<double> work = torques(model, qd, bias);
  const Wrenches wrenches(arguments, model, pose.q);
  std::vector<double> at_joints(wrenches.at_joints().begin(), wrenches.at_joints().end());
  project_torques<double>(closed.plan, work, at_joints, outer);
  for (std::size_t k = 0; k < bias.size(); ++k) {
    outer[k] = -outer[k] + 0.0;
    bias[k] += outer[k];
  }
  for (const auto& [name, values] :
       {std::pair{"bias", &bias}, {"outer", &outer}, {"coriolis", &coriolis}, {"gravity", &gravity}}) {
    require_finite(name, *values, joints);
  }
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"velocity_names", joints.velocity_names},
              {"q", q},
              {"qd", qd},
              {"bias", bias},
              {"coriolis", coriolis},
              {"gravity", gravity}};
    if (arguments.has("--wrench")) json["outer"] = outer;
    add_pose(json, closed, pose);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  std::vector<Column> columns{{"qd", Column::Unit::velocity, qd},
                              {"coriolis", Column::Unit::force, coriolis},
                              {"gravity", Column::Unit::force, gravity}};
  if (arguments.has("--wrench")) columns.push_back({"outer", Column::Unit::force, outer});
  columns.push_back({"bias", Column::Unit::force, bias});
  fmt::print(
      "{}: generalised forces at zero acceleration of the independent joints, bias = coriolis + gravity{}\n{}{}\n",
      model.name, arguments.has("--wrench") ? " + outer" : "", configuration_line(q), dependent_line(closed, pose));
  fmt::print("{}", velocity_table(joints, columns));
  return kOk;
}

}  // namespace lw::cli
