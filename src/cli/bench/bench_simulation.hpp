// `bench --simulate`: whole simulations side by side.
#pragma once

#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "peers.hpp"

namespace lw::cli {

struct SimulationTiming {
  std::string backend;
  double ns_per_step = 0.0;  // of one lane
  double times_real = 0.0;   // summed over its lanes
  std::size_t lanes = 1;
  double off = 0.0;  // difference from the first after a tenth of a second, relative to the largest number
};

inline constexpr double kSimulatedStep = 1e-3;
inline constexpr std::size_t kSimulatedLanes = 8;

// The mechanism without friction and torques, from its home pose with all joints in motion, by Runge-Kutta steps of 1
// ms: with our forward dynamics (all backends and lanes), and with that of other libraries in the same loop.
std::vector<SimulationTiming> time_simulations(const LoadedModel& loaded, const std::vector<PeerLibrary>& libraries,
                                               double seconds);

Json to_json(const std::string& model, const SimulationTiming& timing);
void print_simulations(const std::string& model, const std::vector<SimulationTiming>& timings);

}  // namespace lw::cli
