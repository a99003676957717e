#include "commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "judgements.hpp"
#include "methods.hpp"
#include "model_input.hpp"
#include "results.hpp"
#include "terminal.hpp"
#include "vectors.hpp"
#include "wrenches.hpp"

namespace lw::cli {
namespace {

int run(const Arguments& arguments) {
  const LoadedModel loaded = load_tree(arguments);
  note_losses(arguments, loaded.mechanism);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded), qd = read_velocity(arguments, "--qd", model),
                            tau = read_velocity(arguments, "--tau", model, false);
  const std::string method = arguments.text("--method", "aba");
  const Wrenches wrenches(arguments, model, q);
  Workspace<double> work(model);
  std::vector<double> qdd(qd.size());
  if (const Formulation* formulation = chosen_formulation(arguments)) {
    std::vector<double> all = tau;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += wrenches.at_joints()[k];
    forward_by<double>(*formulation, model, q, qd, all, qdd);
  } else if (method == "aba") {
    aba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  } else {
    forward_by_crba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  }
  const bool finite = std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isfinite(x); });
  if (!finite || model.nv <= kAffordablePivots) judge_mass_matrix(arguments, model, work, q);
  require_finite("qdd", qdd, model);

  if (arguments.json()) {
    Json json{{"model", model.name}, {"method", method}, {"velocity_names", model.velocity_names}, {"q", q}, {"qd", qd},
              {"tau", tau},          {"qdd", qdd}};
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: accelerations under the torques ({})\n{}\n", model.name, method, configuration_line(q));
  fmt::print("{}", velocity_table(model, {{"qd", Column::Unit::velocity, qd},
                                          {"tau", Column::Unit::force, tau},
                                          {"qdd", Column::Unit::acceleration, qdd}}));
  return kOk;
}

}  // namespace

Command forward_command() {
  const Methods methods = with_formulations(
      {{"aba", "articulated bodies (the fast one)"}, {"crba", "mass matrix by composite bodies, and its factors"}});
  Command c = dynamics_command({q_option(), velocity_option("--qd", "velocities"),
                                velocity_option("--tau", "torques, forces of slides"), method_option(methods),
                                wrench_option()});
  c.name = "forward";
  c.summary = "accelerations under given torques: qdd from q, qd, tau";
  c.description =
      "Forward dynamics: the accelerations that the torques tau (forces, for slides) cause in the state q, qd under "
      "gravity.";
  c.examples = {"linkwright forward double-pendulum",
                "linkwright forward puma560 --tau 10,0,0,0,0,0 --method crba --json"};
  c.sections = {method_section(methods)};
  c.run = run;
  return c;
}

}  // namespace lw::cli
