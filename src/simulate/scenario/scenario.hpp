// A scenario: inputs, initial state, duration and events of a simulation (docs/scenarios.md).
//
// Formulas depend on t, q.JOINT and qd.JOINT (by number: q1, qd1) and the scenario's own parameters, which are
// constants. They are nodes of one graph whose inputs are t, q (nq) and qd (nv), in this order, and can be evaluated in
// any scalar.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../../control/joint_law.hpp"
#include "../../graph/expr.hpp"
#include "../../model/model.hpp"
#include "../integrate/integrator.hpp"

namespace lw {

// Values over time: piecewise constant, linear, or monotone cubic; constant outside.
struct TimeTable {
  enum class Between { hold, straight, cubic } between = Between::straight;
  std::vector<double> t, value;
};

// The input of one velocity.
struct ScenarioInput {
  enum class Kind { formula, table, controller } kind = Kind::formula;
  Expr formula = 0.0;
  TimeTable table;
  int controller = 0, place = 0;  // which one, and which of its joints
};

// A control law along a trajectory.
struct ScenarioController : JointLaw {
  std::shared_ptr<const Trajectory> trajectory;
};

struct ScenarioEvent {
  std::string name, message;
  std::optional<double> time;  // else when `crossing` passes zero
  Expr crossing = 0.0;
  enum class Direction { up, down, both } direction = Direction::both;
  bool once = false, stop = false;
  bool parametric = false;  // at a limit that depends on parameters of the mechanism file
  struct Set {
    bool velocity = false;
    int index = 0;
    Expr value;
  };
  std::vector<Set> set;  // all from the state before
  std::vector<std::pair<int, ScenarioInput>> inputs;
};

struct Scenario {
  std::string name;
  std::shared_ptr<Graph> formulas;
  std::vector<double> q, qd;
  std::vector<bool> at_home;          // entries of q that are not given
  std::vector<ScenarioInput> inputs;  // nv
  std::vector<ScenarioController> controllers;
  std::vector<ScenarioEvent> events;
  std::optional<double> duration;
  bool friction = true;
  bool redundant = false;  // coordinates of loops (driven.hpp)
  std::string integrator = "dormand-prince";
  IntegratorOptions options;
  double sample = 0.0;  // between outputs; 0: the integrator's step, or 0.01 s
  std::vector<std::string> columns{"q", "qd", "qdd", "tau", "energy"};
  std::vector<std::pair<std::string, Expr>> outputs;  // named formulas
};
const std::vector<std::string>& scenario_columns();  // all of them

// At home and at rest, without inputs.
Scenario free_motion(const Model<double>& model);

struct ScenarioResult {
  std::optional<Scenario> scenario;  // only where there is no error
  std::vector<Diagnostic> diagnostics;
  ErrorCode code = ErrorCode::data;
  std::string text;  // to show diagnostics with their lines
};
// Files named in it are searched next to `file`.
ScenarioResult read_scenario_text(const std::string& text, const std::string& file, const Mechanism& mechanism,
                                  const Model<double>& model);
ScenarioResult read_scenario(const std::string& path, const Mechanism& mechanism, const Model<double>& model);
// The same, or Error with all diagnostics.
Scenario load_scenario(const std::string& path, const Mechanism& mechanism, const Model<double>& model);

}  // namespace lw
