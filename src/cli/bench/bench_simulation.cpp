#include "bench_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../simulate/integrate/integrator.hpp"
#include "../../simulate/motion/driven.hpp"
#include "../../simulate/run/batch_run.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {
namespace {

constexpr double kCompared = 0.1;          // s of motion
constexpr int kLargestInLanes = 24;        // velocities; vectors double what the compiler has to do
constexpr double kLeastRepetition = 0.02;  // s

// Accelerations by another library.
class PeerSystem : public System {
 public:
  PeerSystem(const Model<double>& of, std::unique_ptr<peer::Peer> peer)
      : System(of), peer_(std::move(peer)), none_(static_cast<std::size_t>(of.nv), 0.0) {}

  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double>,
              std::span<double> a, std::span<double>) override {
    peer_->set_states(1, q.data(), v.data(), none_.data(), none_.data());
    peer_->compute(peer::Function::forward, 0, 0.0);
    peer_->result(peer::Function::forward, a.data());
    System::require_finite(t, q, v, a);
  }

 private:
  std::unique_ptr<peer::Peer> peer_;
  const std::vector<double> none_;
};

void set_in_motion(std::span<double> v, std::size_t lane) {
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.3 + 0.1 * static_cast<double>((k + lane) % 7);
}

// One way to simulate: from the start for so many seconds; afterwards q and v of its first lane.
struct Contestant {
  std::string name;
  std::size_t lanes = 1;
  std::function<MotionState(double)> run;
  std::function<MotionState(double)> truth = {};  // what it is held against, where that is not the first
};

Contestant single(std::string name, std::shared_ptr<System> system) {
  return {std::move(name), 1, [system](double duration) {
            MotionState state = system->home();
            set_in_motion(state.v, 0);
            const auto rk4 = make_integrator("rk4", {.step = kSimulatedStep});
            while (state.t < duration) rk4->step(*system, state, duration);
            return state;
          }};
}

Contestant in_lanes(const Mechanism& mechanism) {
  const auto batch = std::make_shared<BatchRun>(mechanism, kSimulatedLanes, BatchTorques{},
                                                BatchOptions{.friction = false, .work = true, .values = {}});
  const MotionState home = batch->state(0);
  return {fmt::format("batch of {}", kSimulatedLanes), kSimulatedLanes, [batch, home](double duration) {
            for (std::size_t lane = 0; lane < kSimulatedLanes; ++lane) {
              std::copy(home.q.begin(), home.q.end(), batch->q(lane).begin());
              set_in_motion(batch->v(lane), lane);
            }
            batch->advance(batch->t() + duration, kSimulatedStep);
            return batch->state(0);
          }};
}

double seconds_of(const Contestant& contestant, double duration) {
  const auto start = std::chrono::steady_clock::now();
  contestant.run(duration);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double difference(const MotionState& a, const MotionState& b) {
  double off = 0.0, scale = 1.0;
  for (const auto& [x, y] : {std::pair(&a.q, &b.q), std::pair(&a.v, &b.v)}) {
    for (std::size_t k = 0; k < x->size(); ++k) {
      off = std::max(off, std::abs((*x)[k] - (*y)[k]));
      scale = std::max(scale, std::abs((*x)[k]));
    }
  }
  return off / scale;
}

std::vector<Contestant> contestants(const LoadedModel& loaded, const std::vector<PeerLibrary>& libraries) {
  std::vector<Contestant> all;
  using Way = DrivenOptions::Way;
  for (const auto& [way, name] : {std::pair(Way::reference, "reference"), std::pair(Way::interpreted, "interpreter"),
                                  std::pair(Way::compiled, "jit")}) {
    auto system = std::make_shared<Driven>(loaded.mechanism, Torques{}, DrivenOptions{.way = way, .friction = false});
    if (system->way() == way) all.push_back(single(name, std::move(system)));
  }
  if (loaded.model.nv <= kLargestInLanes) all.push_back(in_lanes(loaded.mechanism));
  if (libraries.empty()) return all;
  Model<double> bare = loaded.model;  // for those that know no rotors: without them, at the same price
  for (Body<double>& b : bare.bodies) b.armature = 0.0;
  try {
    for (const PeerLibrary& library : libraries) {
      for (const Model<double>* model : {&loaded.model, &std::as_const(bare)}) {
        auto made = make_peer(library, *model, describe_bodies(*model));
        if (made == nullptr || !made->supports(peer::Function::forward)) continue;
        const bool whole = model == &loaded.model;
        all.push_back(single(whole ? library.name : library.name + ", no rotors",
                             std::make_shared<PeerSystem>(*model, std::move(made))));
        if (!whole)
          all.back().truth =
              single("", std::make_shared<Driven>(bare, Torques{}, DrivenOptions{.friction = false})).run;
        break;
      }
    }
  } catch (const Error& e) {
    say(fmt::format("{}; timed without them", e.what()));
  }
  return all;
}

}  // namespace

std::vector<SimulationTiming> time_simulations(const LoadedModel& loaded, const std::vector<PeerLibrary>& libraries,
                                               double seconds) {
  const std::vector<Contestant> all = contestants(loaded, libraries);
  std::vector<SimulationTiming> timings;
  std::vector<double> durations, least(all.size(), HUGE_VAL);
  const MotionState first = all.front().run(kCompared);
  for (const Contestant& c : all) {
    SimulationTiming timing{c.name, 0.0, 0.0, c.lanes,
                            difference(c.truth ? c.truth(kCompared) : first, c.run(kCompared))};
    if (!(timing.off <= 1e-9)) {
      throw Error(
          ErrorCode::data,
          fmt::format(
              "{}: {} deviates by {:.1e} after {} s of simulation; functions that do not agree to 1e-9 are not timed",
              loaded.model.name, c.name, timing.off, kCompared));
    }
    timings.push_back(timing);
    // whole steps that take some hundredths of a second, and never so many that the motion has time to run away
    const double rate = seconds_of(c, kCompared) / kCompared;
    durations.push_back(kSimulatedStep * std::ceil(std::clamp(kLeastRepetition / rate, 0.05, 2.0) / kSimulatedStep));
  }
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (int repetition = 0; repetition < 41 && (repetition < 3 || spent() < seconds); ++repetition) {
    for (std::size_t k = 0; k < all.size(); ++k)
      least[k] = std::min(least[k], seconds_of(all[k], durations[k]) / durations[k]);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double lanes = static_cast<double>(all[k].lanes);
    timings[k].ns_per_step = 1e9 * least[k] * kSimulatedStep / lanes;
    timings[k].times_real = lanes / least[k];
  }
  return timings;
}

Json to_json(const std::string& model, const SimulationTiming& t) {
  return {{"model", model},         {"function", "simulate"},       {"backend", t.backend},       {"lanes", t.lanes},
          {"step", kSimulatedStep}, {"ns_per_step", t.ns_per_step}, {"times_real", t.times_real}, {"off", t.off}};
}

void print_simulations(const std::string& model, const std::vector<SimulationTiming>& timings) {
  const auto jit =
      std::find_if(timings.begin(), timings.end(), [](const SimulationTiming& t) { return t.backend == "jit"; });
  const SimulationTiming& ours = jit == timings.end() ? timings.front() : *jit;
  fmt::print("\n{}\n\n", styled(fmt::format("{}: Runge-Kutta steps of 1 ms, no torques, no friction", model),
                                Style::heading, stdout));
  Table table(
      {"forward dynamics by", "ns per step", "times real time", fmt::format("of {}", ours.backend), "difference"});
  for (const SimulationTiming& t : timings) {
    table.add({t.backend, fmt::format("{:.0f}", t.ns_per_step), fmt::format("{:.0f}", t.times_real),
               fmt::format("{:.3f}x", t.times_real / ours.times_real), fmt::format("{:.0e}", t.off)});
  }
  fmt::print("{}", table.str());
}

}  // namespace lw::cli
