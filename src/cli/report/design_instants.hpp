// Instants of a design's run, with their derivatives, as `sensitivity` shows them. Vectors list the independent joints
// and tau the actuated ones, as everywhere; what the other joints do stands beside them by name.
#pragma once

#include "../../simulate/design/design_run.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"

namespace lw::cli {

Json instant_json(const ForwardDesign::Instant& instant, const LoadedPlant& plant,
                  const std::vector<std::string>& parameters);
void print_instant(const ForwardDesign::Instant& instant, const Model<double>& model,
                   const std::vector<std::string>& parameters);
// t, then q, qd, qdd, tau, then q.JOINT, qd.JOINT, qdd.JOINT of the joints that follow, and for every parameter their
// derivatives: d_q1.l1 is that of q1 by l1.
std::string trajectory_csv(const std::vector<ForwardDesign::Instant>& instants, const LoadedPlant& plant,
                           const std::vector<std::string>& parameters);

}  // namespace lw::cli
