#include "scenario.hpp"

#include <algorithm>

namespace lw {

const std::vector<std::string>& scenario_columns() {
  static const std::vector<std::string> all{"q", "qd", "qdd", "tau", "energy"};
  return all;
}

Scenario free_motion(const Model<double>& model) {
  Scenario s;
  s.formulas = std::make_shared<Graph>();
  s.formulas->input("t");
  for (const std::string& name : model.coordinate_names) s.formulas->input("q." + name);
  for (const std::string& name : model.velocity_names) s.formulas->input("qd." + name);
  s.q = model.home;
  s.at_home.assign(s.q.size(), true);
  s.qd.assign(static_cast<std::size_t>(model.nv), 0.0);
  s.inputs.resize(s.qd.size());
  return s;
}

Scenario load_scenario(const std::string& path, const Mechanism& mechanism, const Model<double>& model) {
  ScenarioResult result = read_scenario(path, mechanism, model);
  if (!result.scenario) throw Error(result.code, std::move(result.diagnostics));
  return std::move(*result.scenario);
}

}  // namespace lw
