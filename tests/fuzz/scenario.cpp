// Any bytes as a scenario of a mechanism with limits; what passes the reader can be evaluated.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "model/read.hpp"
#include "simulate/scene.hpp"

namespace {

struct Arm {
  lw::Mechanism mechanism = lw::load("cat215b");
  lw::Model<double> model = lw::instantiate<double>(mechanism);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Arm arm;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("file") != std::string::npos) return 0;  // it would read what the name says
  const lw::ScenarioResult result = lw::read_scenario_text(text, "input.yaml", arm.mechanism, arm.model);
  bool failed = false;
  for (const lw::Diagnostic& d : result.diagnostics) {
    failed = failed || d.severity == lw::Severity::error;
    if (d.message.empty() || lw::show(d, result.text).empty()) std::abort();
  }
  if (failed == result.scenario.has_value()) std::abort();  // a scenario or an error
  if (failed) return 0;
  const lw::Scenario& s = *result.scenario;
  if (s.q.size() != 4 || s.qd.size() != 4 || s.inputs.size() != 4 || (s.duration && !(*s.duration > 0.0))) std::abort();
  for (const double x : s.q) {
    if (!std::isfinite(x)) std::abort();
  }
  lw::Scene scene(arm.mechanism, s, lw::DrivenOptions::Way::reference);
  lw::MotionState state = scene.start();
  std::vector<double> a(4), dz(state.z.size());
  try {
    for (double t = 0.0; t < 3.0; t = std::min(scene.next_knot(t), t + 1.0)) {
      scene.enter(t);
      scene.slopes(t, state.q, state.v, state.z, a, dz);
    }
  } catch (const lw::NotFinite&) {
    // a formula may be anything at a state
  }
  return 0;
}
