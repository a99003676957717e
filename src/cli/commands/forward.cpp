#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../dynamics/friction/forward_friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../frame/terminal.hpp"
#include "../io/closed_input.hpp"
#include "../io/judgements.hpp"
#include "../io/methods.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../parts/closed_dynamics.hpp"
#include "../report/loss_report.hpp"

namespace lw::cli {
namespace {

int run_forward(const Arguments& arguments) {
  require_own_method(arguments, "--friction");
  LoadedModel loaded = load_model(arguments);
  note_losses(arguments, loaded.mechanism);
  if (!loaded.model.loops.empty()) return run_closed_forward(arguments, std::move(loaded));
  refuse_mode(arguments, loaded.model);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded), qd = read_velocity(arguments, "--qd", model),
                            tau = read_velocity(arguments, "--tau", model, false);
  const bool friction = arguments.has("--friction");
  const std::string method = friction ? "newton" : arguments.text("--method", "aba");
  const Wrenches wrenches(arguments, model, q);
  Workspace<double> work(model);
  std::vector<double> qdd(qd.size());
  std::vector<std::string> sticking;
  if (friction) {
    if (model.nv > kAffordablePivots) {
      throw Error(ErrorCode::data, fmt::format("--friction solves for up to {} accelerations; `{}` has {}",
                                               kAffordablePivots, model.name, model.nv));
    }
    judge_mass_matrix(arguments, model, work, q);
    ForwardWithLosses forward(model);
    forward(q, qd, tau, qdd, {}, wrenches.on_bodies());
    for (std::size_t v = 0; v < qdd.size(); ++v) {
      if (forward.sticks()[v]) sticking.push_back(model.velocity_names[v]);
    }
  } else if (const Formulation* formulation = chosen_formulation(arguments)) {
    std::vector<double> all = tau;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += wrenches.at_joints()[k];
    forward_by<double>(*formulation, model, q, qd, all, qdd);
  } else if (method == "aba") {
    aba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  } else {
    forward_by_crba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  }
  const bool finite = std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isfinite(x); });
  if (!friction && (!finite || model.nv <= kAffordablePivots)) judge_mass_matrix(arguments, model, work, q);
  require_finite("qdd", qdd, model);

  if (arguments.json()) {
    Json json{{"model", model.name}, {"method", method}, {"velocity_names", model.velocity_names}, {"q", q}, {"qd", qd},
              {"tau", tau},          {"qdd", qdd}};
    if (friction) json["sticking"] = sticking;
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: accelerations under the torques ({})\n{}\n", model.name, friction ? "with friction" : method,
             configuration_line(q));
  fmt::print("{}", velocity_table(model, {{"qd", Column::Unit::velocity, qd},
                                          {"tau", Column::Unit::force, tau},
                                          {"qdd", Column::Unit::acceleration, qdd}}));
  if (!sticking.empty()) fmt::print("\nFriction holds {}\n", fmt::join(sticking, ", "));
  return kOk;
}

}  // namespace

Command forward_command() {
  const Methods methods = with_formulations(
      {{"aba", "articulated bodies (the fast one)"}, {"crba", "mass matrix by composite bodies, and its factors"}});
  Command c = dynamics_command({q_option(), velocity_option("--qd", "velocities"),
                                velocity_option("--tau", "torques, forces of slides"), method_option(methods),
                                wrench_option(), friction_option(), mode_option()});
  c.name = "forward";
  c.summary = "accelerations under given torques: qdd from q, qd, tau";
  c.description =
      "Forward dynamics: the accelerations that the torques tau (forces, for slides) cause in the state q, qd under "
      "gravity. With --friction tau is what the drives take in, as `inverse --friction` gives it, from rest too; "
      "joints at rest stick "
      "where friction can hold them, and begin to slip where it cannot. Of a mechanism with loops vectors run over its "
      "actuated joints.";
  c.examples = {"linkwright forward double-pendulum",
                "linkwright forward puma560 --tau 10,0,0,0,0,0 --method crba --json",
                "linkwright forward puma560-dhanaraj --tau 20,0,0,0,0,0 --friction"};
  c.sections = {method_section(methods)};
  c.run = run_forward;
  return c;
}

}  // namespace lw::cli
