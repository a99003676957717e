#include "stick_slip.hpp"

#include <algorithm>

namespace lw {
namespace {

Torques in_spans(StickSlip::Torques torques) {
  if (!torques) return {};
  return [torques](double t, std::span<const double> q, std::span<const double> v, std::span<double> tau) {
    const std::vector<double> given = torques(t, {q.begin(), q.end()}, {v.begin(), v.end()});
    std::copy(given.begin(), given.end(), tau.begin());
  };
}

}  // namespace

StickSlip::StickSlip(const Model<double>& model, std::vector<double> start, std::vector<double> rates, Torques torques)
    : q(start), qd(rates), system_(model, in_spans(std::move(torques))), state_(system_.home()) {
  state_.q = std::move(start);
  state_.v = std::move(rates);
}

void StickSlip::advance(double duration, double step) {
  const double end = state_.t + duration;
  const auto rk4 = make_integrator("rk4", {.step = step});
  const std::vector<std::string>& names = system_.model().velocity_names;
  while (state_.t < end) {
    for (const std::string& name : lw::advance(*rk4, system_, state_, end).came_to_rest) {
      const auto joint = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
      stops.push_back({state_.t, joint, state_.q[joint]});
    }
  }
  t = state_.t;
  q = state_.q;
  qd = state_.v;
  lost = state_.z[1];
}

double StickSlip::energy() {
  const Energy<double> e = system_.energy(state_);
  return e.kinetic + e.potential;
}

}  // namespace lw
