// Any bytes as a scenario of a mechanism with limits.
#include <cmath>
#include <cstdlib>

#include "model/read/read.hpp"
#include "simulate/scenario/scenario.hpp"
#include "target.hpp"

namespace {

struct Arm {
  lw::Mechanism mechanism = lw::load("cat215b");
  lw::Model<double> model = lw::instantiate<double>(mechanism);
};

}  // namespace

const Target scenario("scenario", [](const std::uint8_t* data, std::size_t size) {
  static const Arm arm;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("file") != std::string::npos) return;  // it would read what the name says
  const lw::ScenarioResult result = lw::read_scenario_text(text, "input.yaml", arm.mechanism, arm.model);
  bool failed = false;
  for (const lw::Diagnostic& d : result.diagnostics) {
    failed = failed || d.severity == lw::Severity::error;
    if (d.message.empty() || lw::show(d, result.text).empty()) std::abort();
  }
  if (failed == result.scenario.has_value()) std::abort();  // a scenario or an error
  if (failed) return;
  const lw::Scenario& s = *result.scenario;
  if (s.q.size() != 4 || s.qd.size() != 4 || s.inputs.size() != 4 || (s.duration && !(*s.duration > 0.0))) std::abort();
  for (const double x : s.q) {
    if (!std::isfinite(x)) std::abort();
  }
});
