#include "../commands.hpp"

#include <fmt/format.h>

#include "../../dynamics/tree/crba.hpp"
#include "../io/closed_input.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../parts/closed_dynamics.hpp"

namespace lw::cli {
namespace {

int run_mass_matrix(const Arguments& arguments) {
  LoadedModel loaded = load_model(arguments);
  if (!loaded.model.loops.empty()) return run_closed_mass_matrix(arguments, std::move(loaded));
  refuse_mode(arguments, loaded.model);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded);
  Workspace<double> work(model);
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> M(n * n);
  crba<double>(model, work, q, M);
  require_finite("M", M, [&](std::size_t k) {
    return fmt::format("of `{}` and `{}`", model.velocity_names[k % n], model.velocity_names[k / n]);
  });

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"q", q},
              {"velocity_names", model.velocity_names},
              {"M", rows_of(M, model.nv, model.nv)}};
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: mass matrix, rotor inertias included (kg·m², kg·m, kg)\n{}\n", model.name, configuration_line(q));
  fmt::print("{}", matrix_table(M, model.velocity_names, model.velocity_names));
  return kOk;
}

}  // namespace

Command mass_matrix_command() {
  Command c = dynamics_command({q_option(), mode_option()});
  c.name = "mass-matrix";
  c.summary = "mass matrix M(q)";
  c.description =
      "The symmetric matrix M(q) of the equations of motion M(q) qdd + c(q, qd) + g(q) = tau, by composite rigid "
      "bodies; of a mechanism with loops that of its independent joints.";
  c.examples = {"linkwright mass-matrix puma560", "linkwright mass-matrix double-pendulum --q 0,90deg --json"};
  c.run = run_mass_matrix;
  return c;
}

}  // namespace lw::cli
