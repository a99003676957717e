// Scenario files, part by part; what a part may hold is checked by ScenarioFields.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../model/limits.hpp"
#include "../../model/read/text_checks.hpp"
#include "scenario_fields.hpp"

namespace lw {
namespace {

constexpr std::uintmax_t kLargestScenario = 16u << 20;

class ScenarioReader : ScenarioFields {
 public:
  ScenarioReader(const Mechanism& mechanism, const Model<double>& model, Scenario scenario, std::string file,
                 Complaints& complaints)
      : ScenarioFields(model, scenario, std::move(file), complaints),
        mechanism_(mechanism),
        scenario_(std::move(scenario)) {}

  Scenario whole(const YamlNode& root) {
    const Fields fields(
        reader(), root, "the scenario",
        {"scenario", "name", "summary", "parameters", "duration", "friction", "coordinates", "integrator", "initial",
         "inputs", "controllers", "outputs", "events"},
        {{"links", "joints", "linkwright"}, "that belongs to a mechanism file; this should be a scenario"});
    if (const YamlNode* n = fields.require("scenario", "give the version of the format first: `scenario: 1`")) {
      if (n->kind != YamlNode::Kind::scalar || n->text != "1") {
        complaints().error(n->where,
                           fmt::format("`scenario` should be 1, the version of the format, not {}", shown(*n)));
      }
    }
    if (fields.has("name")) scenario_.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("summary")) reader().word(*n, "summary");
    if (const YamlNode* n = fields.find("parameters")) parameters(*n);
    if (const YamlNode* n = fields.find("duration")) scenario_.duration = positive(*n, "duration");
    if (const YamlNode* n = fields.find("friction")) scenario_.friction = reader().boolean(*n, "friction");
    if (const YamlNode* n = fields.find("coordinates"))
      scenario_.redundant = reader().choice(*n, "coordinates", {"minimal", "redundant"}) == 1;
    if (const YamlNode* n = fields.find("integrator")) integrator(*n);
    if (const YamlNode* n = fields.find("initial")) initial(*n);
    if (const YamlNode* n = fields.find("controllers")) controllers(*n);
    if (const YamlNode* n = fields.find("inputs")) inputs(*n, scenario_.inputs);
    if (const YamlNode* n = fields.find("outputs")) outputs(*n);
    if (const YamlNode* n = fields.find("events")) events(*n);
    return std::move(scenario_);
  }

 private:
  void parameters(const YamlNode& node) {
    if (!is_map(node, "parameters", "parameters: {stiffness: 400, rate: 2*pi}")) return;
    for (const YamlNode::Entry& e : node.entries) {
      std::string fault = parameter_name_fault(e.key);
      if (e.key == "t" || places().contains(e.key)) fault = "that is the time or a part of the state";
      if (!fault.empty())
        complaints().error(e.where, fmt::format("a parameter cannot be called {}", in_quotes(e.key)), fault);
      const double value = number(*e.value, e.key);
      if (fault.empty()) reader().define(e.key, Expr(value));
    }
  }

  void integrator(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) {
      method(node);
      return;
    }
    const Fields fields(reader(), node, "`integrator`", {"method", "step", "rtol", "atol", "longest", "shortest"});
    if (const YamlNode* n = fields.find("method")) method(*n);
    const auto read = [&](const char* key, double& to) {
      if (const YamlNode* n = fields.find(key)) to = positive(*n, key);
    };
    read("step", scenario_.options.step);
    read("rtol", scenario_.options.rtol);
    read("atol", scenario_.options.atol);
    read("longest", scenario_.options.longest);
    read("shortest", scenario_.options.shortest);
  }
  void method(const YamlNode& node) {
    const int k = reader().choice(node, "integrator", integrator_names());
    if (k >= 0) scenario_.integrator = integrator_names()[static_cast<std::size_t>(k)];
  }

  // Values by joint or by entry, or a list of all.
  void initial(const YamlNode& node) {
    const Fields fields(reader(), node, "`initial`", {"q", "qd"});
    if (const YamlNode* n = fields.find("q")) {
      const std::vector<double> home = std::exchange(scenario_.q, std::vector<double>(scenario_.q.size(), kUnread));
      state(*n, "q", model().coordinate_names, scenario_.q, &JointInfo::q, coordinates);
      for (std::size_t k = 0; k < home.size(); ++k) {
        scenario_.at_home[k] = std::isnan(scenario_.q[k]);
        if (scenario_.at_home[k]) scenario_.q[k] = home[k];
      }
    }
    if (const YamlNode* n = fields.find("qd"))
      state(*n, "qd", model().velocity_names, scenario_.qd, &JointInfo::v, velocities);
  }
  void state(const YamlNode& node, const std::string& what, const std::vector<std::string>& names,
             std::vector<double>& to, int JointInfo::*first, int (*size)(JointType)) {
    if (node.kind == YamlNode::Kind::list) {
      if (node.items.size() != to.size()) {
        complaints().error(
            node.where,
            fmt::format("`{}` should have {}, not {}", what, counted(to.size(), "value"), node.items.size()),
            "or name joints: " + example(what));
        return;
      }
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = number(*node.items[k], what);
      return;
    }
    if (!is_map(node, what, example(what))) return;
    for (const YamlNode::Entry& e : node.entries) {
      const auto place = std::find(names.begin(), names.end(), e.key);
      const auto joint = std::ranges::find_if(model().joints, [&](const JointInfo& j) { return j.name == e.key; });
      if (place != names.end()) {
        to[static_cast<std::size_t>(place - names.begin())] = number(*e.value, e.key);
      } else if (joint != model().joints.end()) {
        const auto n = static_cast<std::size_t>(size(joint->type));
        const std::vector<Formula> values = reader().formulas(*e.value, e.key, n);
        for (std::size_t k = 0; k < n; ++k) {
          if (values[k].value.is_constant()) {
            to[static_cast<std::size_t>((*joint).*first) + k] = values[k].value.constant();
          } else {
            number(*e.value->items[k], e.key);  // complains
          }
        }
      } else {
        unknown_joint(e.where, e.key, names);
      }
    }
  }
  void inputs(const YamlNode& node, std::vector<ScenarioInput>& to) {
    for (auto& [v, input] : input_list(node)) to[static_cast<std::size_t>(v)] = std::move(input);
  }
  std::vector<std::pair<int, ScenarioInput>> input_list(const YamlNode& node) {
    std::vector<std::pair<int, ScenarioInput>> list;
    if (!is_map(node, "inputs", "inputs: {JOINT: 2.5, OTHER: {table: [[0, 1], [2, 0]]}}")) return list;
    for (const YamlNode::Entry& e : node.entries) {
      const int v = velocity(e.where, e.key);
      ScenarioInput in = input(*e.value, e.key, v);
      if (v < 0) continue;
      list.emplace_back(v, std::move(in));
    }
    return list;
  }
  ScenarioInput input(const YamlNode& node, const std::string& what, int v) {
    ScenarioInput in;
    if (node.kind != YamlNode::Kind::map) {
      in.formula = formula(node, what);
      return in;
    }
    const Fields fields(reader(), node, fmt::format("the input of `{}`", what), {"table", "file", "column", "between"});
    in.kind = ScenarioInput::Kind::table;
    if (const YamlNode* n = fields.find("between")) {
      const int k = reader().choice(*n, "between", {"hold", "straight", "cubic"});
      in.table.between = static_cast<TimeTable::Between>(std::max(k, 0));
    }
    const bool written = fields.has("table"), recorded = fields.has("file");
    if (written == recorded) {
      complaints().error(node.where, fmt::format("the input of `{}` needs either a `table` or a `file`", what),
                         "{table: [[0, 1.5], [2, 0]]} or {file: log.csv, column: tau1}");
    } else if (written) {
      table(*fields.find("table"), what, in.table);
    } else {
      const YamlNode* column = fields.find("column");
      recording(*fields.find("file"),
                column != nullptr ? reader().word(*column, "column") : fmt::format("tau{}", v + 1), in.table);
    }
    if (written && fields.has("column")) complaints().error(fields.place("column"), "`column` belongs to a `file`");
    return in;
  }
  void table(const YamlNode& node, const std::string& what, TimeTable& to) {
    for (const YamlNode* row : reader().items(node, "table")) {
      if (row->kind != YamlNode::Kind::list || row->items.size() != 2) {
        complaints().error(
            row->where, fmt::format("a row of the table of `{}` should be [time, value], not {}", what, shown(*row)));
        continue;
      }
      const double t = number(*row->items[0], "table"), value = number(*row->items[1], "table");
      if (!to.t.empty() && !(t > to.t.back())) {
        if (!std::isnan(t))
          complaints().error(row->where, fmt::format("times must increase: {} follows {}", t, to.t.back()));
        continue;
      }
      to.t.push_back(t);
      to.value.push_back(value);
    }
    if (node.kind == YamlNode::Kind::list && node.items.empty())
      complaints().error(node.where, "the table has no rows");
  }

  void recording(const YamlNode& node, const std::string& column, TimeTable& to) {
    const std::optional<Csv> log = csv(node, "t," + column);
    if (!log) return;
    to.t = numbers(node, *log, "t");
    to.value = numbers(node, *log, column);
  }

  void controllers(const YamlNode& node) {
    for (const YamlNode* item : reader().items(node, "controllers", true)) controller(*item);
  }
  void controller(const YamlNode& node) {
    ScenarioController c = read_controller(*this, node);
    const int index = static_cast<int>(scenario_.controllers.size());
    for (std::size_t k = 0; k < c.v.size(); ++k) {
      ScenarioInput& input = scenario_.inputs[static_cast<std::size_t>(c.v[k])];
      if (input.kind == ScenarioInput::Kind::controller) {
        complaints().error(node.where, fmt::format("`{}` has a controller already",
                                                   model().velocity_names[static_cast<std::size_t>(c.v[k])]));
      }
      input.kind = ScenarioInput::Kind::controller;
      input.controller = index;
      input.place = static_cast<int>(k);
    }
    scenario_.controllers.push_back(std::move(c));
  }

  void outputs(const YamlNode& node) {
    const Fields fields(reader(), node, "`outputs`", {"step", "columns", "formulas"});
    if (const YamlNode* n = fields.find("step")) scenario_.sample = positive(*n, "step");
    if (const YamlNode* n = fields.find("columns")) {
      scenario_.columns.clear();
      for (const YamlNode* item : reader().items(*n, "columns", true)) {
        const int k = reader().choice(*item, "columns", scenario_columns());
        if (k >= 0) scenario_.columns.push_back(scenario_columns()[static_cast<std::size_t>(k)]);
      }
    }
    const YamlNode* list = fields.find("formulas");
    if (list == nullptr || !is_map(*list, "formulas", "formulas: {height: 0.5*cos(q.upper)}")) return;
    for (const YamlNode::Entry& e : list->entries) {
      if (e.key.find_first_of(",\"\n\r") != std::string::npos || e.key.empty()) {
        complaints().error(e.where, fmt::format("{} cannot head a column of a CSV file", in_quotes(e.key)));
      }
      scenario_.outputs.emplace_back(e.key, formula(*e.value, e.key));
    }
  }

  void events(const YamlNode& node) {
    for (const YamlNode* item : reader().items(node, "events")) event(*item);
  }
  void event(const YamlNode& node) {
    const Fields fields(reader(), node, "an event",
                        {"name", "message", "time", "crossing", "direction", "limit", "once", "stop", "set", "inputs"});
    ScenarioEvent e;
    if (fields.has("name")) e.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("message")) e.message = reader().word(*n, "message");
    if (const YamlNode* n = fields.find("once")) e.once = reader().boolean(*n, "once");
    if (const YamlNode* n = fields.find("stop")) e.stop = reader().boolean(*n, "stop");
    if (const YamlNode* n = fields.find("set")) assignments(*n, e);
    if (const YamlNode* n = fields.find("inputs")) e.inputs = input_list(*n);
    const int kinds = static_cast<int>(fields.has("time")) + static_cast<int>(fields.has("crossing")) +
                      static_cast<int>(fields.has("limit"));
    if (kinds != 1 && node.kind == YamlNode::Kind::map) {
      complaints().error(node.where, "an event needs one of `time`, `crossing` and `limit`",
                         "{time: 2, …}, {crossing: q.elbow - 1, …} or {limit: elbow, …}");
      return;
    }
    if (fields.has("direction") && !fields.has("crossing")) {
      complaints().error(fields.place("direction"), "`direction` belongs to a `crossing`");
    }
    if (const YamlNode* n = fields.find("time")) {
      e.time = at_least(*n, "time", 0.0, true);
      add(std::move(e), fmt::format("t = {}", n->text));
    } else if (const YamlNode* c = fields.find("crossing")) {
      e.crossing = formula(*c, "crossing");
      if (e.crossing.is_constant() && !std::isnan(e.crossing.constant())) {
        complaints().error(c->where, fmt::format("`crossing` never changes: {} is a number", in_quotes(c->text)),
                           "a formula over t, q.JOINT, qd.JOINT that passes zero");
      }
      if (const YamlNode* d = fields.find("direction")) {
        e.direction = static_cast<ScenarioEvent::Direction>(
            std::max(0, reader().choice(*d, "direction", {"up", "down", "both"})));
      }
      add(std::move(e), c->text);
    } else if (const YamlNode* l = fields.find("limit")) {
      limits(*l, e);
    }
  }
  void add(ScenarioEvent e, const std::string& name) {
    if (e.name.empty()) e.name = name;
    scenario_.events.push_back(std::move(e));
  }
  void limits(const YamlNode& node, const ScenarioEvent& e) {
    const std::string wanted = reader().word(node, "limit");
    CoordinateLimits range = no_limits(model());
    try {
      range = coordinate_limits(mechanism_, model());
    } catch (const Error& fault) {
      complaints().error(node.where, fault.what());
      return;
    }
    bool known = wanted == "all", any = false;
    for (std::size_t k = 0; k < model().coordinate_names.size(); ++k) {
      const std::string& name = model().coordinate_names[k];
      if (wanted != "all" && wanted != name) continue;
      known = true;
      const Expr q(scenario_.formulas.get(), 1 + static_cast<NodeId>(k));
      const auto side = [&](double limit, const char* which, const Expr& beyond) {
        if (!std::isfinite(limit)) return;
        any = true;
        ScenarioEvent one = e;
        one.crossing = beyond;
        one.parametric = has_parametric_limits(name);
        one.direction = ScenarioEvent::Direction::up;
        if (one.name.empty()) one.name = fmt::format("{} limit of {}", which, name);
        scenario_.events.push_back(std::move(one));
      };
      side(range.lower[k], "lower", Expr(range.lower[k]) - q);
      side(range.upper[k], "upper", q - Expr(range.upper[k]));
    }
    if (!known) {
      std::vector<std::string> names = model().coordinate_names;
      names.emplace_back("all");
      unknown_joint(node.where, wanted, names);
    } else if (!any) {
      complaints().error(node.where, wanted == "all" ? fmt::format("no joint of `{}` has limits", model().name)
                                                     : fmt::format("`{}` has no limits", wanted));
    }
  }
  // Whether the mechanism's parameters decide how far this coordinate may go, by its own joint's limits or a
  // follower's.
  bool has_parametric_limits(const std::string& coordinate) const {
    const auto varies = [](const std::optional<Formula>& f) { return f && !f->value.is_constant(); };
    return std::ranges::any_of(mechanism_.links, [&](const Link& link) {
      const Joint& j = link.joint;
      const bool follows = j.mimic && j.mimic->joint == coordinate;
      if (j.name != coordinate && !follows) return false;
      return varies(j.limits.lower) || varies(j.limits.upper) ||
             (follows && (varies(j.mimic->ratio) || varies(j.mimic->offset)));
    });
  }
  // Followers of loops follow.
  void require_leader(const Location& where, const Place& place) {
    for (const JointInfo& j : model().joints) {
      const int first = place.velocity ? j.v : j.q, count = place.velocity ? velocities(j.type) : coordinates(j.type);
      if (place.index >= first && place.index < first + count) require_motor(where, j.v);
    }
  }
  void assignments(const YamlNode& node, ScenarioEvent& e) {
    if (!is_map(node, "set", "set: {qd.elbow: 0}")) return;
    for (const YamlNode::Entry& entry : node.entries) {
      const Expr value = formula(*entry.value, entry.key);
      const auto place = places().find(entry.key);
      if (place != places().end()) {
        require_leader(entry.where, place->second);
        e.set.push_back({place->second.velocity, place->second.index, value});
        continue;
      }
      std::vector<std::string> known;
      for (const auto& [name, where] : places()) known.push_back(name);
      complaints().error(entry.where, fmt::format("{} is no part of the state", in_quotes(entry.key)),
                         suggestion(entry.key, known));
    }
  }

  const Mechanism& mechanism_;
  Scenario scenario_;
};

}  // namespace

ScenarioResult read_scenario_text(const std::string& text, const std::string& file, const Mechanism& mechanism,
                                  const Model<double>& model) {
  ScenarioResult result;
  result.text = text;
  Complaints complaints;
  if (check_text(text, file, complaints)) {
    if (const auto root = parse_yaml(text, file, complaints)) {
      Scenario scenario = ScenarioReader(mechanism, model, free_motion(model), file, complaints).whole(*root);
      if (scenario.name.empty()) scenario.name = std::filesystem::path(file).stem().string();
      if (!complaints.failed()) result.scenario = std::move(scenario);
    }
  }
  result.diagnostics = complaints.sorted();
  return result;
}

ScenarioResult read_scenario(const std::string& path, const Mechanism& mechanism, const Model<double>& model) {
  const auto failure = [&](const std::string& why) {
    ScenarioResult result;
    result.code = ErrorCode::io;
    result.diagnostics.push_back({Severity::error, {path, 0, 0}, why, ""});
    return result;
  };
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return failure("there is no such file");
  if (std::filesystem::is_directory(status)) return failure("this is a folder, not a file");
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, ignored) > kLargestScenario) {
    return failure("larger than 16 MiB: not a scenario; long tables belong in a CSV file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failure("cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return read_scenario_text(text.str(), path, mechanism, model);
}

}  // namespace lw
