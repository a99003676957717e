#include "scenario_fields.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "../../base/text.hpp"

namespace lw {

ScenarioFields::ScenarioFields(const Model<double>& model, const Scenario& scenario, std::string file,
                               Complaints& complaints)
    : model_(model), file_(std::move(file)), complaints_(complaints), reader_(complaints) {
  Graph& graph = *scenario.formulas;
  const auto know = [&](const std::string& name, Place place, const Expr& value) {
    if (!places_.try_emplace(name, place).second) return;
    reader_.define(name, value);
  };
  reader_.define("t", Expr(&graph, 0));
  const auto vector = [&](const char* prefix, bool velocity, const std::vector<std::string>& names, NodeId first) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Place place{velocity, static_cast<int>(k)};
      const Expr value(&graph, first + static_cast<NodeId>(k));
      know(fmt::format("{}.{}", prefix, names[k]), place, value);
      know(fmt::format("{}{}", prefix, k + 1), place, value);
    }
  };
  vector("q", false, model.coordinate_names, 1);
  vector("qd", true, model.velocity_names, 1 + static_cast<NodeId>(model.nq));
}

std::string ScenarioFields::shown(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar ? in_quotes(node.text) : std::string(to_string(node.kind));
}

Expr ScenarioFields::formula(const YamlNode& node, const std::string& what) {
  return reader_.formula(node, what).value;
}

double ScenarioFields::number(const YamlNode& node, const std::string& what) {
  const Expr e = formula(node, what);
  if (e.is_constant()) return e.constant();
  complaints_.error(node.where, fmt::format("`{}` should be a number: it cannot change with time or state, as {} does",
                                            what, in_quotes(node.text)));
  return kUnread;
}

double ScenarioFields::at_least(const YamlNode& node, const std::string& what, double least, bool itself) {
  const double x = number(node, what);
  if (std::isnan(x) || x > least || (itself && x == least)) return x;
  complaints_.error(node.where, fmt::format("`{}` should be {} {}, not {}", what, itself ? "at least" : "greater than",
                                            least, in_quotes(node.text)));
  return kUnread;
}

bool ScenarioFields::is_map(const YamlNode& node, const std::string& what, const std::string& hint) {
  if (node.kind == YamlNode::Kind::map) return true;
  complaints_.error(node.where, fmt::format("`{}` should be a map, not {}", what, shown(node)), hint);
  return false;
}

std::string ScenarioFields::example(const std::string& what) const {
  return model_.joints.empty() ? std::string() : fmt::format("{}: {{{}: …}}", what, model_.joints.front().name);
}

void ScenarioFields::unknown_joint(const Location& where, const std::string& name,
                                   const std::vector<std::string>& known) {
  complaints_.error(where, fmt::format("`{}` has no joint {}", model_.name, in_quotes(name)), suggestion(name, known));
}

int ScenarioFields::velocity(const Location& where, const std::string& name) {
  const auto place = std::find(model_.velocity_names.begin(), model_.velocity_names.end(), name);
  if (place == model_.velocity_names.end()) {
    unknown_joint(where, name, model_.velocity_names);
    return -1;
  }
  const int v = static_cast<int>(place - model_.velocity_names.begin());
  require_motor(where, v);
  return v;
}

void ScenarioFields::require_motor(const Location& where, int v) {
  if (model_.loops.empty()) return;
  const auto joint =
      std::ranges::find_if(model_.joints, [&](const JointInfo& j) { return v >= j.v && v < j.v + velocities(j.type); });
  if (joint->actuated) return;
  std::vector<std::string> motors;
  for (const JointInfo& j : model_.joints) {
    if (j.actuated) motors.push_back(j.name);
  }
  complaints_.error(where, fmt::format("`{}` follows the loops: nothing drives it", joint->name),
                    fmt::format("actuated: {}", fmt::join(motors, ", ")));
}

std::optional<Csv> ScenarioFields::csv(const YamlNode& node, const std::string& header) {
  const std::string name = reader_.word(node, "file");
  if (name.empty()) return {};
  const std::filesystem::path path = std::filesystem::path(file_).parent_path() / name;
  try {
    Csv read = read_csv(path.string(), header);
    read.require_rows();
    return read;
  } catch (const Error& e) {
    complaints_.error(node.where, e.what());
    return {};
  }
}

std::vector<double> ScenarioFields::numbers(const YamlNode& node, const Csv& from, const std::string& name) {
  const auto column = from.column(name);
  if (!column) {
    complaints_.error(node.where, fmt::format("{} has no column {}", in_quotes(from.file), in_quotes(name)),
                      suggestion(name, from.names));
    return {};
  }
  std::vector<double> values;
  for (const Csv::Row& row : from.rows) {
    double x = 0.0;
    if (!parse_number(row.cells[*column], x)) {
      complaints_.error(node.where, fmt::format("{}:{}: {} is not a finite number", from.file, row.line,
                                                in_quotes(row.cells[*column])));
      return {};
    }
    values.push_back(x);
  }
  if (name != "t") return values;
  for (std::size_t k = 1; k < values.size(); ++k) {
    if (values[k] > values[k - 1]) continue;
    complaints_.error(node.where, fmt::format("{}:{}: times must increase: {} follows {}", from.file, from.rows[k].line,
                                              values[k], values[k - 1]));
    return {};
  }
  return values;
}

}  // namespace lw
