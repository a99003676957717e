#include "../commands.hpp"

#include <fmt/format.h>

#include "../../dynamics/tree/elements.hpp"
#include "../io/plant_input.hpp"
#include "../io/vectors.hpp"
#include "../io/wrenches.hpp"

namespace lw::cli {
namespace {

int run_bias(const Arguments& arguments) {
  const LoadedPlant plant = load_plant(arguments);
  note_losses(arguments, plant.loaded.mechanism);
  const Assembled pose = read_pose(arguments, plant);
  const Model<double>&model = plant.loaded.model, &joints = plant.joints;
  const std::vector<double> qd = read_velocity(arguments, "--qd", joints), zero(qd.size(), 0.0);
  std::vector<double> bias(qd.size()), gravity(qd.size()), coriolis(qd.size()), outer(qd.size());
  PlantWorkspace<double> work(model, plant.plan);
  generalised_forces<double>(model, plant.plan, work, pose.q, zero, zero, gravity);
  // not as a difference of the two, which would lose digits where gravity dwarfs it
  Model<double> weightless = without_elements(model);
  weightless.gravity = Vec3<double>::zero();
  for (Body<double>& body : weightless.bodies) body.stiffness = 0.0;
  generalised_forces<double>(weightless, plant.plan, work, pose.q, qd, zero, coriolis);
  generalised_forces<double>(model, plant.plan, work, pose.q, qd, zero, bias);
  const Wrenches wrenches(arguments, model, pose.q);
  project_torques<double>(plant.plan, work, wrenches.at_joints(), outer);
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
              {"q", plant.independent(pose.q)},
              {"qd", qd},
              {"bias", bias},
              {"coriolis", coriolis},
              {"gravity", gravity}};
    if (arguments.has("--wrench")) json["outer"] = outer;
    add_pose(json, plant, pose);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  std::vector<Column> columns{{"qd", Column::Unit::velocity, qd},
                              {"coriolis", Column::Unit::force, coriolis},
                              {"gravity", Column::Unit::force, gravity}};
  if (arguments.has("--wrench")) columns.push_back({"external", Column::Unit::force, outer});
  columns.push_back({"bias", Column::Unit::force, bias});
  fmt::print("{}: torques at zero acceleration, bias = coriolis + gravity{}\n{}\n", model.name,
             arguments.has("--wrench") ? " + external" : "", pose_lines(plant, pose));
  fmt::print("{}", velocity_table(joints, columns));
  return kOk;
}

}  // namespace

Command bias_command() {
  Command c = dynamics_command({q_option(), velocity_option("--qd", "velocities"), wrench_option(), mode_option()});
  c.name = "bias";
  c.summary = "bias forces, the torques at zero acceleration: c(q, qd) + g(q)";
  c.description =
      "The torques at zero acceleration: `coriolis`, due to velocity (Coriolis, centrifugal and gyroscopic), and "
      "`gravity`, which hold the mechanism at rest (springs and other force elements included); with --wrench also "
      "`outer`, which balance the external forces.";
  c.examples = {"linkwright bias puma560 --qd 1,1,0,0,0,0", "linkwright bias stanford --q 0,90deg,0.4,0,0,0 --json"};
  c.run = run_bias;
  return c;
}

}  // namespace lw::cli
