#include "scenario.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "../base/csv.hpp"
#include "../base/text.hpp"
#include "../model/limits.hpp"
#include "../model/read_fields.hpp"
#include "../model/text_checks.hpp"

namespace lw {
namespace {

constexpr std::uintmax_t kLargestScenario = 16u << 20;

// A name of the scenario for an entry of q or qd: `q.elbow` or `q2`.
struct StatePlace {
  bool velocity = false;
  int index = 0;
};

class ScenarioReader {
 public:
  ScenarioReader(const Mechanism& mechanism, const Model<double>& model, std::string file, Complaints& complaints)
      : mechanism_(mechanism), model_(model), file_(std::move(file)), complaints_(complaints), reader_(complaints) {
    scenario_ = free_motion(model);
    Graph& graph = *scenario_.formulas;
    const auto know = [&](const std::string& name, StatePlace place, const Expr& value) {
      if (!places_.try_emplace(name, place).second) return;
      reader_.define(name, value);
    };
    reader_.define("t", Expr(&graph, 0));
    const auto vector = [&](const char* prefix, bool velocity, const std::vector<std::string>& names, NodeId first) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        const StatePlace place{velocity, static_cast<int>(k)};
        const Expr value(&graph, first + static_cast<NodeId>(k));
        know(fmt::format("{}.{}", prefix, names[k]), place, value);
        know(fmt::format("{}{}", prefix, k + 1), place, value);
      }
    };
    vector("q", false, model.coordinate_names, 1);
    vector("qd", true, model.velocity_names, 1 + static_cast<NodeId>(model.nq));
  }

  Scenario whole(const YamlNode& root) {
    const Fields fields(reader_, root, "the scenario",
                        {"scenario", "name", "summary", "parameters", "duration", "friction", "integrator", "initial",
                         "inputs", "controllers", "outputs", "events"},
                        {{"links", "joints", "linkwright"}, "that belongs to a mechanism file; this should be a scenario"});
    if (const YamlNode* n = fields.require("scenario", "the format's version comes first: `scenario: 1`")) {
      if (n->kind != YamlNode::Kind::scalar || n->text != "1") {
        complaints_.error(n->where, fmt::format("`scenario` should be 1, the version of the format, not {}", shown(*n)));
      }
    }
    if (fields.has("name")) scenario_.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("summary")) reader_.word(*n, "summary");
    if (const YamlNode* n = fields.find("parameters")) parameters(*n);
    if (const YamlNode* n = fields.find("duration")) scenario_.duration = positive(*n, "duration");
    if (const YamlNode* n = fields.find("friction")) scenario_.friction = reader_.boolean(*n, "friction");
    if (const YamlNode* n = fields.find("integrator")) integrator(*n);
    if (const YamlNode* n = fields.find("initial")) initial(*n);
    if (const YamlNode* n = fields.find("controllers")) controllers(*n);
    if (const YamlNode* n = fields.find("inputs")) inputs(*n, scenario_.inputs);
    if (const YamlNode* n = fields.find("outputs")) outputs(*n);
    if (const YamlNode* n = fields.find("events")) events(*n);
    return std::move(scenario_);
  }

 private:
  static std::string shown(const YamlNode& node) {
    return node.kind == YamlNode::Kind::scalar ? in_quotes(node.text) : std::string(to_string(node.kind));
  }

  Expr formula(const YamlNode& node, const std::string& what) { return reader_.formula(node, what).value; }

  double number(const YamlNode& node, const std::string& what) {
    const Expr e = formula(node, what);
    if (e.is_constant()) return e.constant();
    complaints_.error(node.where, fmt::format("`{}` should be a number: it cannot change with time or state, as {} does", what,
                                              in_quotes(node.text)));
    return kUnread;
  }
  double at_least(const YamlNode& node, const std::string& what, double least, bool itself) {
    const double x = number(node, what);
    if (std::isnan(x) || x > least || (itself && x == least)) return x;
    complaints_.error(node.where, fmt::format("`{}` should be {} {}, not {}", what, itself ? "at least" : "greater than",
                                              least, in_quotes(node.text)));
    return kUnread;
  }
  double positive(const YamlNode& node, const std::string& what) { return at_least(node, what, 0.0, false); }

  bool is_map(const YamlNode& node, const std::string& what, const std::string& hint) {
    if (node.kind == YamlNode::Kind::map) return true;
    complaints_.error(node.where, fmt::format("`{}` should be a map, not {}", what, shown(node)), hint);
    return false;
  }

  void parameters(const YamlNode& node) {
    if (!is_map(node, "parameters", "parameters: {stiffness: 400, rate: 2*pi}")) return;
    for (const YamlNode::Entry& e : node.entries) {
      std::string fault = parameter_name_fault(e.key);
      if (e.key == "t" || places_.contains(e.key)) fault = "that is the time or a part of the state";
      if (!fault.empty()) complaints_.error(e.where, fmt::format("a parameter cannot be called {}", in_quotes(e.key)), fault);
      const double value = number(*e.value, e.key);
      if (fault.empty()) reader_.define(e.key, Expr(value));
    }
  }

  void integrator(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) {
      method(node);
      return;
    }
    const Fields fields(reader_, node, "`integrator`", {"method", "step", "rtol", "atol", "longest", "shortest"});
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
    const int k = reader_.choice(node, "integrator", integrator_names());
    if (k >= 0) scenario_.integrator = integrator_names()[static_cast<std::size_t>(k)];
  }

  // Values by joint or by entry, or a list of all.
  void initial(const YamlNode& node) {
    const Fields fields(reader_, node, "`initial`", {"q", "qd"});
    if (const YamlNode* n = fields.find("q")) state(*n, "q", model_.coordinate_names, scenario_.q, &JointInfo::q, coordinates);
    if (const YamlNode* n = fields.find("qd")) state(*n, "qd", model_.velocity_names, scenario_.qd, &JointInfo::v, velocities);
  }
  void state(const YamlNode& node, const std::string& what, const std::vector<std::string>& names, std::vector<double>& to,
             int JointInfo::*first, int (*size)(JointType)) {
    if (node.kind == YamlNode::Kind::list) {
      if (node.items.size() != to.size()) {
        complaints_.error(node.where, fmt::format("`{}` should have {}, not {}", what, counted(to.size(), "value"),
                                                  node.items.size()),
                          "or name joints: " + example(what));
        return;
      }
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = number(*node.items[k], what);
      return;
    }
    if (!is_map(node, what, example(what))) return;
    for (const YamlNode::Entry& e : node.entries) {
      const auto place = std::find(names.begin(), names.end(), e.key);
      const auto joint = std::ranges::find_if(model_.joints, [&](const JointInfo& j) { return j.name == e.key; });
      if (place != names.end()) {
        to[static_cast<std::size_t>(place - names.begin())] = number(*e.value, e.key);
      } else if (joint != model_.joints.end()) {
        const auto n = static_cast<std::size_t>(size(joint->type));
        const std::vector<Formula> values = reader_.formulas(*e.value, e.key, n);
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
  std::string example(const std::string& what) const {
    return model_.joints.empty() ? std::string() : fmt::format("{}: {{{}: …}}", what, model_.joints.front().name);
  }
  void unknown_joint(const Location& where, const std::string& name, const std::vector<std::string>& known) {
    complaints_.error(where, fmt::format("`{}` has no joint {}", model_.name, in_quotes(name)), suggestion(name, known));
  }
  // Index of the velocity, or -1.
  int velocity(const Location& where, const std::string& name) {
    const auto place = std::find(model_.velocity_names.begin(), model_.velocity_names.end(), name);
    if (place != model_.velocity_names.end()) return static_cast<int>(place - model_.velocity_names.begin());
    unknown_joint(where, name, model_.velocity_names);
    return -1;
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
    const Fields fields(reader_, node, fmt::format("the input of `{}`", what), {"table", "file", "column", "between"});
    in.kind = ScenarioInput::Kind::table;
    if (const YamlNode* n = fields.find("between")) {
      const int k = reader_.choice(*n, "between", {"hold", "straight", "cubic"});
      in.table.between = static_cast<TimeTable::Between>(std::max(k, 0));
    }
    const bool written = fields.has("table"), recorded = fields.has("file");
    if (written == recorded) {
      complaints_.error(node.where, fmt::format("the input of `{}` needs either a `table` or a `file`", what),
                        "{table: [[0, 1.5], [2, 0]]} or {file: log.csv, column: tau1}");
    } else if (written) {
      table(*fields.find("table"), what, in.table);
    } else {
      const YamlNode* column = fields.find("column");
      recording(*fields.find("file"), column != nullptr ? reader_.word(*column, "column") : fmt::format("tau{}", v + 1),
                in.table);
    }
    if (written && fields.has("column")) complaints_.error(fields.place("column"), "`column` belongs to a `file`");
    return in;
  }
  void table(const YamlNode& node, const std::string& what, TimeTable& to) {
    for (const YamlNode* row : reader_.items(node, "table")) {
      if (row->kind != YamlNode::Kind::list || row->items.size() != 2) {
        complaints_.error(row->where, fmt::format("a row of the table of `{}` should be [time, value], not {}", what, shown(*row)));
        continue;
      }
      const double t = number(*row->items[0], "table"), value = number(*row->items[1], "table");
      if (!to.t.empty() && !(t > to.t.back())) {
        if (!std::isnan(t)) complaints_.error(row->where, fmt::format("times must rise: {} follows {}", t, to.t.back()));
        continue;
      }
      to.t.push_back(t);
      to.value.push_back(value);
    }
    if (node.kind == YamlNode::Kind::list && node.items.empty()) complaints_.error(node.where, "the table has no rows");
  }

  // A CSV file that the scenario names: beside it.
  std::optional<Csv> csv(const YamlNode& node, const std::string& header) {
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
  // Column by name, finite; empty with a complaint.
  std::vector<double> numbers(const YamlNode& node, const Csv& from, const std::string& name) {
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
      complaints_.error(node.where, fmt::format("{}:{}: times must rise: {} follows {}", from.file, from.rows[k].line,
                                                values[k], values[k - 1]));
      return {};
    }
    return values;
  }
  void recording(const YamlNode& node, const std::string& column, TimeTable& to) {
    const std::optional<Csv> log = csv(node, "t," + column);
    if (!log) return;
    to.t = numbers(node, *log, "t");
    to.value = numbers(node, *log, column);
  }

  void controllers(const YamlNode& node) {
    for (const YamlNode* item : reader_.items(node, "controllers", true)) controller(*item);
  }
  void controller(const YamlNode& node) {
    const Fields fields(reader_, node, "a controller", {"law", "joints", "kp", "kd", "ki", "trajectory"});
    ScenarioController c;
    if (const YamlNode* n = fields.require("law", "law: computed-torque, pd or pid")) {
      c.law = static_cast<ScenarioController::Law>(std::max(0, reader_.choice(*n, "law", {"pd", "pid", "computed-torque"})));
    }
    if (const YamlNode* n = fields.find("joints")) {
      for (const YamlNode* j : reader_.items(*n, "joints", true)) add_joint(j->where, reader_.word(*j, "joints"), c);
    } else {
      for (const JointInfo& j : model_.joints) {
        if (j.actuated && coordinates(j.type) == velocities(j.type)) add_joint(node.where, j.name, c);
      }
    }
    const auto gains = [&](const char* key, std::vector<double>& to) {
      to.assign(c.v.size(), 0.0);
      const YamlNode* n = fields.find(key);
      if (n == nullptr) return;
      if (n->kind != YamlNode::Kind::list) {
        to.assign(c.v.size(), at_least(*n, key, 0.0, true));
      } else if (n->items.size() != c.v.size()) {
        complaints_.error(n->where, fmt::format("`{}` should be one number or {}, one a joint, not {}", key, c.v.size(),
                                                n->items.size()));
      } else {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = at_least(*n->items[k], key, 0.0, true);
      }
    };
    gains("kp", c.kp);
    gains("kd", c.kd);
    gains("ki", c.ki);
    if (c.law == ScenarioController::Law::pd && fields.has("ki")) {
      complaints_.error(fields.place("ki"), "`pd` has no `ki`", "law: pid has one");
    }
    if (!fields.has("kp") && !fields.has("kd")) {
      complaints_.error(node.where, "a controller needs gains", "kp: 100, kd: 20 (one number, or a list with one a joint)");
    }
    if (const YamlNode* n = fields.require("trajectory", "trajectory: {times: [0, 1], points: [[…], […]]}")) trajectory(*n, c);
    const int index = static_cast<int>(scenario_.controllers.size());
    for (std::size_t k = 0; k < c.v.size(); ++k) {
      ScenarioInput& input = scenario_.inputs[static_cast<std::size_t>(c.v[k])];
      if (input.kind == ScenarioInput::Kind::controller) {
        complaints_.error(node.where, fmt::format("`{}` has a controller already",
                                                  model_.velocity_names[static_cast<std::size_t>(c.v[k])]));
      }
      input.kind = ScenarioInput::Kind::controller;
      input.controller = index;
      input.place = static_cast<int>(k);
    }
    scenario_.controllers.push_back(std::move(c));
  }
  // All velocities of a joint, or one of them.
  void add_joint(const Location& where, const std::string& name, ScenarioController& c) {
    for (const JointInfo& j : model_.joints) {
      for (int k = 0; k < velocities(j.type); ++k) {
        const std::string& one = model_.velocity_names[static_cast<std::size_t>(j.v + k)];
        if (j.name != name && one != name) continue;
        if (coordinates(j.type) != velocities(j.type)) {
          complaints_.error(where, fmt::format("`{}` is a {} joint: a controller takes joints without quaternions", j.name,
                                               to_string(j.type)));
          return;
        }
        c.q.push_back(j.q + k);
        c.v.push_back(j.v + k);
        if (one == name) return;
      }
      if (j.name == name) return;
    }
    unknown_joint(where, name, model_.velocity_names);
  }

  void trajectory(const YamlNode& node, ScenarioController& c) {
    const Fields fields(reader_, node, "`trajectory`", {"times", "points", "kind", "file"});
    try {
      if (const YamlNode* n = fields.find("file")) {
        for (const char* other : {"times", "points", "kind"}) {
          if (fields.has(other)) complaints_.error(fields.place(other), fmt::format("`{}` does not go with `file`", other));
        }
        from_file(*n, c);
        return;
      }
      const YamlNode* t = fields.require("times");
      const YamlNode* p = fields.require("points");
      if (t == nullptr || p == nullptr) return;
      std::vector<double> times;
      for (const YamlNode* item : reader_.items(*t, "times")) times.push_back(number(*item, "times"));
      std::vector<std::vector<double>> points;
      for (const YamlNode* row : reader_.items(*p, "points")) {
        points.emplace_back();
        for (const Formula& f : reader_.formulas(*row, "points", c.v.size())) {
          points.back().push_back(f.value.is_constant() ? f.value.constant() : kUnread);
        }
      }
      const YamlNode* k = fields.find("kind");
      const int kind = k != nullptr ? reader_.choice(*k, "kind", {"rest-to-rest", "cruise", "cycloid"}) : 0;
      if (complaints_.failed()) return;
      c.trajectory = std::make_shared<Trajectory>(kind == 1   ? Trajectory::cruise(times, points)
                                                  : kind == 2 ? Trajectory::cycloidal(times, points)
                                                              : Trajectory::rest_to_rest(times, points));
    } catch (const Error& e) {
      complaints_.error(node.where, e.what());
    }
  }
  void from_file(const YamlNode& node, ScenarioController& c) {
    const std::optional<Csv> motion = csv(node, "t,q1,qd1,qdd1");
    if (!motion) return;
    const std::vector<double> t = numbers(node, *motion, "t");
    std::vector<std::vector<Moving<double>>> via(t.size(), std::vector<Moving<double>>(c.v.size()));
    for (std::size_t k = 0; k < c.v.size() && !t.empty(); ++k) {
      const auto q = numbers(node, *motion, fmt::format("q{}", c.q[k] + 1)),
                 qd = numbers(node, *motion, fmt::format("qd{}", c.v[k] + 1)),
                 qdd = numbers(node, *motion, fmt::format("qdd{}", c.v[k] + 1));
      if (q.empty() || qd.empty() || qdd.empty()) return;
      for (std::size_t i = 0; i < t.size(); ++i) via[i][k] = {q[i], qd[i], qdd[i]};
    }
    if (!t.empty()) c.trajectory = std::make_shared<Trajectory>(t, via);
  }

  void outputs(const YamlNode& node) {
    const Fields fields(reader_, node, "`outputs`", {"step", "columns", "formulas"});
    if (const YamlNode* n = fields.find("step")) scenario_.sample = positive(*n, "step");
    if (const YamlNode* n = fields.find("columns")) {
      scenario_.columns.clear();
      for (const YamlNode* item : reader_.items(*n, "columns", true)) {
        const int k = reader_.choice(*item, "columns", scenario_columns());
        if (k >= 0) scenario_.columns.push_back(scenario_columns()[static_cast<std::size_t>(k)]);
      }
    }
    const YamlNode* list = fields.find("formulas");
    if (list == nullptr || !is_map(*list, "formulas", "formulas: {height: 0.5*cos(q.upper)}")) return;
    for (const YamlNode::Entry& e : list->entries) {
      if (e.key.find_first_of(",\"\n\r") != std::string::npos || e.key.empty()) {
        complaints_.error(e.where, fmt::format("{} cannot head a column of a CSV file", in_quotes(e.key)));
      }
      scenario_.outputs.emplace_back(e.key, formula(*e.value, e.key));
    }
  }

  void events(const YamlNode& node) {
    for (const YamlNode* item : reader_.items(node, "events")) event(*item);
  }
  void event(const YamlNode& node) {
    const Fields fields(reader_, node, "an event",
                        {"name", "message", "time", "crossing", "direction", "limit", "once", "stop", "set", "inputs"});
    ScenarioEvent e;
    if (fields.has("name")) e.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("message")) e.message = reader_.word(*n, "message");
    if (const YamlNode* n = fields.find("once")) e.once = reader_.boolean(*n, "once");
    if (const YamlNode* n = fields.find("stop")) e.stop = reader_.boolean(*n, "stop");
    if (const YamlNode* n = fields.find("set")) assignments(*n, e);
    if (const YamlNode* n = fields.find("inputs")) e.inputs = input_list(*n);
    const int kinds = static_cast<int>(fields.has("time")) + static_cast<int>(fields.has("crossing")) +
                      static_cast<int>(fields.has("limit"));
    if (kinds != 1 && node.kind == YamlNode::Kind::map) {
      complaints_.error(node.where, "an event needs one of `time`, `crossing` and `limit`",
                        "{time: 2, …}, {crossing: q.elbow - 1, …} or {limit: elbow, …}");
      return;
    }
    if (fields.has("direction") && !fields.has("crossing")) {
      complaints_.error(fields.place("direction"), "`direction` belongs to a `crossing`");
    }
    if (const YamlNode* n = fields.find("time")) {
      e.time = at_least(*n, "time", 0.0, true);
      add(std::move(e), fmt::format("t = {}", n->text));
    } else if (const YamlNode* c = fields.find("crossing")) {
      e.crossing = formula(*c, "crossing");
      if (e.crossing.is_constant() && !std::isnan(e.crossing.constant())) {
        complaints_.error(c->where, fmt::format("`crossing` never changes: {} is a number", in_quotes(c->text)),
                          "a formula over t, q.JOINT, qd.JOINT that passes zero");
      }
      if (const YamlNode* d = fields.find("direction")) {
        e.direction = static_cast<ScenarioEvent::Direction>(
            std::max(0, reader_.choice(*d, "direction", {"up", "down", "both"})));
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
    const std::string wanted = reader_.word(node, "limit");
    CoordinateLimits range = no_limits(model_);
    try {
      range = coordinate_limits(mechanism_, model_);
    } catch (const Error& fault) {
      complaints_.error(node.where, fault.what());
      return;
    }
    bool known = wanted == "all", any = false;
    for (std::size_t k = 0; k < model_.coordinate_names.size(); ++k) {
      const std::string& name = model_.coordinate_names[k];
      if (wanted != "all" && wanted != name) continue;
      known = true;
      const Expr q(scenario_.formulas.get(), 1 + static_cast<NodeId>(k));
      const auto side = [&](double limit, const char* which, const Expr& beyond) {
        if (!std::isfinite(limit)) return;
        any = true;
        ScenarioEvent one = e;
        one.crossing = beyond;
        one.direction = ScenarioEvent::Direction::up;
        if (one.name.empty()) one.name = fmt::format("{} limit of {}", which, name);
        scenario_.events.push_back(std::move(one));
      };
      side(range.lower[k], "lower", Expr(range.lower[k]) - q);
      side(range.upper[k], "upper", q - Expr(range.upper[k]));
    }
    if (!known) {
      std::vector<std::string> names = model_.coordinate_names;
      names.emplace_back("all");
      unknown_joint(node.where, wanted, names);
    } else if (!any) {
      complaints_.error(node.where, wanted == "all" ? fmt::format("no joint of `{}` has limits", model_.name)
                                                    : fmt::format("`{}` has no limits", wanted));
    }
  }
  void assignments(const YamlNode& node, ScenarioEvent& e) {
    if (!is_map(node, "set", "set: {qd.elbow: 0}")) return;
    for (const YamlNode::Entry& entry : node.entries) {
      const Expr value = formula(*entry.value, entry.key);
      const auto place = places_.find(entry.key);
      if (place != places_.end()) {
        e.set.push_back({place->second.velocity, place->second.index, value});
        continue;
      }
      std::vector<std::string> known;
      for (const auto& [name, where] : places_) known.push_back(name);
      complaints_.error(entry.where, fmt::format("{} is no part of the state", in_quotes(entry.key)),
                        suggestion(entry.key, known));
    }
  }

  const Mechanism& mechanism_;
  const Model<double>& model_;
  std::string file_;
  Complaints& complaints_;
  FieldReader reader_;
  std::map<std::string, StatePlace> places_;
  Scenario scenario_;
};

}  // namespace

bool ScenarioController::integrates() const {
  return std::ranges::any_of(ki, [](double k) { return k != 0.0; });
}

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
  s.qd.assign(static_cast<std::size_t>(model.nv), 0.0);
  s.inputs.resize(s.qd.size());
  return s;
}

ScenarioResult read_scenario_text(const std::string& text, const std::string& file, const Mechanism& mechanism,
                                  const Model<double>& model) {
  ScenarioResult result;
  result.text = text;
  Complaints complaints;
  if (check_text(text, file, complaints)) {
    if (const auto root = parse_yaml(text, file, complaints)) {
      Scenario scenario = ScenarioReader(mechanism, model, file, complaints).whole(*root);
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

Scenario load_scenario(const std::string& path, const Mechanism& mechanism, const Model<double>& model) {
  ScenarioResult result = read_scenario(path, mechanism, model);
  if (!result.scenario) throw Error(result.code, std::move(result.diagnostics));
  return std::move(*result.scenario);
}

}  // namespace lw
