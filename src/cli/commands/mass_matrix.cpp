#include "../commands.hpp"

#include <fmt/format.h>

#include "../io/plant_input.hpp"
#include "../io/vectors.hpp"

namespace lw::cli {
namespace {

int run_mass_matrix(const Arguments& arguments) {
  const LoadedPlant plant = load_plant(arguments);
  const Assembled pose = read_pose(arguments, plant);
  const Model<double>&model = plant.loaded.model, &joints = plant.joints;
  PlantWorkspace<double> work(model, plant.plan);
  const std::size_t n = plant.plan.freedoms();
  std::vector<double> M(n * n);
  mass_matrix<double>(model, plant.plan, work, pose.q, M);
  require_finite("M", M, [&](std::size_t k) {
    return fmt::format("of `{}` and `{}`", joints.velocity_names[k % n], joints.velocity_names[k / n]);
  });

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"q", plant.independent(pose.q)},
              {"velocity_names", joints.velocity_names},
              {"M", rows_of(M, joints.nv, joints.nv)}};
    add_pose(json, plant, pose);
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: mass matrix, rotor inertias included (kg·m², kg·m, kg)\n{}\n", model.name, pose_lines(plant, pose));
  fmt::print("{}", matrix_table(M, joints.velocity_names, joints.velocity_names));
  return kOk;
}

}  // namespace

Command mass_matrix_command() {
  Command c = dynamics_command({q_option(), mode_option()});
  c.name = "mass-matrix";
  c.summary = "mass matrix M(q)";
  c.description =
      "The symmetric matrix M(q) of the equations of motion M(q) qdd + c(q, qd) + g(q) = tau, by composite rigid "
      "bodies; for closed-loop mechanisms, that of the independent joints.";
  c.examples = {"linkwright mass-matrix puma560", "linkwright mass-matrix double-pendulum --q 0,90deg --json"};
  c.run = run_mass_matrix;
  return c;
}

}  // namespace lw::cli
