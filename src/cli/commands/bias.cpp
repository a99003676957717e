#include "../commands.hpp"

#include <fmt/format.h>

#include "../../dynamics/tree/elements.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../io/closed_input.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"
#include "../parts/closed_dynamics.hpp"

namespace lw::cli {
namespace {

int run_bias(const Arguments& arguments) {
  LoadedModel loaded = load_model(arguments);
  note_losses(arguments, loaded.mechanism);
  if (!loaded.model.loops.empty()) return run_closed_bias(arguments, std::move(loaded));
  refuse_mode(arguments, loaded.model);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, loaded), qd = read_velocity(arguments, "--qd", model);
  Workspace<double> work(model);
  std::vector<double> bias(qd.size()), gravity(qd.size()), coriolis(qd.size());
  bias_forces<double>(model, work, q, qd, bias);
  gravity_forces<double>(model, work, q, gravity);
  // not as a difference of the two, which would lose digits where gravity dwarfs it
  Model<double> weightless = without_elements(model);
  weightless.gravity = Vec3<double>::zero();
  for (Body<double>& body : weightless.bodies) body.stiffness = 0.0;
  bias_forces<double>(weightless, work, q, qd, coriolis);
  const Wrenches wrenches(arguments, model, q);
  std::vector<double> outer;
  for (std::size_t k = 0; k < bias.size(); ++k) {
    outer.push_back(-wrenches.at_joints()[k] + 0.0);
    bias[k] += outer[k];
  }
  require_finite("bias", bias, model);
  require_finite("outer", outer, model);
  require_finite("coriolis", coriolis, model);
  require_finite("gravity", gravity, model);

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"velocity_names", model.velocity_names},
              {"q", q},
              {"qd", qd},
              {"bias", bias},
              {"coriolis", coriolis},
              {"gravity", gravity}};
    if (arguments.has("--wrench")) json["outer"] = outer;
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  std::vector<Column> columns{{"qd", Column::Unit::velocity, qd},
                              {"coriolis", Column::Unit::force, coriolis},
                              {"gravity", Column::Unit::force, gravity}};
  if (arguments.has("--wrench")) columns.push_back({"outer", Column::Unit::force, outer});
  columns.push_back({"bias", Column::Unit::force, bias});
  fmt::print("{}: torques at zero acceleration, bias = coriolis + gravity{}\n{}\n", model.name,
             arguments.has("--wrench") ? " + outer" : "", configuration_line(q));
  fmt::print("{}", velocity_table(model, columns));
  return kOk;
}

}  // namespace

Command bias_command() {
  Command c = dynamics_command({q_option(), velocity_option("--qd", "velocities"), wrench_option(), mode_option()});
  c.name = "bias";
  c.summary = "what acts without acceleration: c(q, qd) + g(q)";
  c.description =
      "The torques at zero acceleration: coriolis, which are those of velocity (Coriolis, centrifugal and gyroscopic), "
      "and gravity, "
      "which hold the mechanism at rest (springs and other force elements count here); with --wrench also outer, which "
      "balance the forces "
      "given.";
  c.examples = {"linkwright bias puma560 --qd 1,1,0,0,0,0", "linkwright bias stanford --q 0,90deg,0.4,0,0,0 --json"};
  c.run = run_bias;
  return c;
}

}  // namespace lw::cli
