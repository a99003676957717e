// Additional results of `--friction`: parts of the torques, holding ranges of joints at rest, back-drivability of
// drives.
#pragma once

#include <string>
#include <vector>

#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../frame/command.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"

namespace lw::cli {

Option friction_option();
// Throws Error(usage) if --friction is combined with --method: reactions are available from one algorithm only.
void require_own_method(const Arguments& arguments, const std::string& with);

// A part of the breakdown: its name in JSON and in tables, and where it stands.
struct LossPart {
  const char* name;
  const char* title;
  std::vector<double> Losses<double>::*values;
};
const std::vector<LossPart>& loss_parts();  // dynamic, bearing, at_joint, transmission, total, motor

struct LossReport {
  Losses<double> losses;
  struct Holding {
    std::size_t v;
    double low, high;
  };
  std::vector<Holding> holding;  // of the joints at rest that do not begin to move
  Model<double> drives;          // of the actuated joints
};
// Of inverse dynamics, at the pose q of the tree. What holds joints at rest is known of trees.
LossReport loss_report(const Model<double>& model, const LoopPlan& plan, PlantWorkspace<double>& work,
                       std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                       std::span<const double> weights, std::span<const Force<double>> external);
// Of bearings whose loads the loops do not determine.
void warn_of_loads(const Arguments& arguments, const LoadedPlant& plant, const PlantWorkspace<double>& work,
                   const std::vector<double>& q, std::span<const Force<double>> external);

// Of each actuated joint: whether it hangs on an elastic shaft and has no motor of its own, so that nothing stands in
// `motor`.
std::vector<bool> without_motor(const LoadedPlant& plant);

void add_losses_to(Json& json, const LoadedPlant& plant, const LossReport& report);
std::string loss_tables(const LoadedPlant& plant, const LossReport& report);

}  // namespace lw::cli
