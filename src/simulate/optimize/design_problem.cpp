#include "design_problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../model/read/read.hpp"
#include "../../model/read/read_fields.hpp"
#include "../../model/read/text_checks.hpp"
#include "../design/design_scenario.hpp"
#include "../design/loop_path.hpp"

namespace lw {
namespace {

constexpr double kMostInstants = 10'000;

class DesignProblemReader {
 public:
  DesignProblemReader(std::string file, Complaints& complaints)
      : file_(std::move(file)), complaints_(complaints), reader_(complaints) {}

  DesignProblem whole(const YamlNode& root) {
    const Fields fields(
        reader_, root, "the problem",
        {"optimize", "name", "summary", "model", "parameters", "motion", "scenario", "friction", "cost", "constraints",
         "tolerance", "evaluations"},
        {{"links", "joints", "linkwright"}, "that belongs to a mechanism file; name that file as `model`"});
    if (const YamlNode* n = fields.require("optimize", "give the version of the format first: `optimize: 1`")) {
      if (n->kind != YamlNode::Kind::scalar || n->text != "1") {
        complaints_.error(n->where, "`optimize` should be 1, the version of the format");
      }
    }
    if (fields.has("name")) problem_.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("summary")) problem_.summary = reader_.word(*n, "summary");
    if (const YamlNode* n = fields.require("model", "give a mechanism file next to this file, or the name of a model"))
      model(*n);
    if (complaints_.failed()) return std::move(problem_);
    if (problem_.name.empty()) problem_.name = problem_.mechanism.name;
    if (const YamlNode* n = fields.require("parameters", "parameters: {l1: {lower: 0.2, upper: 0.8}}")) parameters(*n);
    if (fields.has("motion") == fields.has("scenario")) {
      complaints_.error(
          fields.has("motion") ? fields.place("scenario") : root.where,
          "a problem has either a `motion`, for which torques are computed, or a `scenario`, which drives it");
    }
    if (const YamlNode* n = fields.find("motion")) motion(*n);
    if (const YamlNode* n = fields.find("scenario")) scenario(*n);
    if (const YamlNode* n = fields.find("friction")) problem_.friction = reader_.boolean(*n, "friction");
    if (const YamlNode* n = fields.require("cost", "cost: {integral: tau1^2}")) {
      const std::vector<const YamlNode*> terms = reader_.items(*n, "cost", true);
      if (terms.empty()) complaints_.error(n->where, "there is no cost to minimise", "cost: {integral: tau1^2}");
      for (const YamlNode* item : terms) cost(*item);
    }
    if (const YamlNode* n = fields.find("constraints")) {
      for (const YamlNode* item : reader_.items(*n, "constraints")) constraint(*item);
    }
    if (const YamlNode* n = fields.find("tolerance")) problem_.tolerance = positive(*n, "tolerance");
    if (const YamlNode* n = fields.find("evaluations")) problem_.evaluations = whole_number(*n, "evaluations", 1, 1e6);
    return std::move(problem_);
  }

 private:
  double positive(const YamlNode& node, const std::string& what) {
    const double x = reader_.number(node, what);
    if (!std::isnan(x) && !(x > 0.0))
      complaints_.error(node.where, fmt::format("`{}` should be above 0, not {}", what, in_quotes(node.text)));
    return x;
  }
  int whole_number(const YamlNode& node, const std::string& what, double least, double most) {
    const double x = reader_.number(node, what);
    if (std::isnan(x)) return 1;
    if (x < least || x > most || x != std::floor(x)) {
      complaints_.error(node.where, fmt::format("`{}` should be a whole number from {} to {}, not {}", what, least,
                                                most, in_quotes(node.text)));
      return 1;
    }
    return static_cast<int>(x);
  }

  void model(const YamlNode& node) {
    problem_.model = reader_.word(node, "model");
    const std::filesystem::path beside = std::filesystem::path(file_).parent_path() / problem_.model;
    std::error_code ignored;
    const std::string path = std::filesystem::is_regular_file(beside, ignored) ? beside.string() : problem_.model;
    const ReadResult result = read(path);
    if (!result.mechanism) {
      for (const Diagnostic& d : result.diagnostics) {
        if (d.severity == Severity::error)
          complaints_.error(d.where.file.empty() ? node.where : d.where, d.message, d.hint);
      }
      return;
    }
    problem_.mechanism = *result.mechanism;
    values_ = instantiate<double>(problem_.mechanism);
    try {
      const LoopPath loops(DesignParameters(problem_.mechanism, {}));
      state_ = loops.joints();
      for (const int v : loops.plan().actuated) actuated_.push_back(values_.velocity_names[at(v)]);
    } catch (const Error& e) {
      complaints_.error(node.where, e.what());
    }
  }

  void parameters(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map) {
      complaints_.error(node.where, "`parameters` should be a map", "parameters: {l1: {lower: 0.2, upper: 0.8}}");
      return;
    }
    std::vector<std::string> known;
    for (const Parameter& p : problem_.mechanism.parameters) {
      if (!is_force_time(problem_.mechanism, p.name)) known.push_back(p.name);
    }
    const std::vector<std::string> initial = initial_state_names(state_);
    const ParameterTable inertial = parameter_table(values_);
    for (const YamlNode::Entry& e : node.entries) {
      DesignVariable v;
      v.name = e.key;
      v.where = e.where;
      const Fields fields(reader_, *e.value, "`" + e.key + "`", {"lower", "upper", "start"});
      const auto bound = [&](const char* key) {
        const YamlNode* n = fields.require(key);
        return n == nullptr ? kUnread : reader_.number(*n, key);
      };
      v.lower = bound("lower");
      v.upper = bound("upper");
      if (const YamlNode* n = fields.find("start")) v.start = reader_.number(*n, "start");
      if (std::find(inertial.names.begin(), inertial.names.end(), v.name) != inertial.names.end()) {
        complaints_.error(
            v.where,
            fmt::format("{} has no name of its own in the file, where the result is to be written", in_quotes(v.name)),
            "name it under `parameters` of the mechanism, and use that name here");
      } else if (std::find(known.begin(), known.end(), v.name) == known.end() &&
                 std::find(initial.begin(), initial.end(), v.name) == initial.end()) {
        std::vector<std::string> all = known;
        all.insert(all.end(), initial.begin(), initial.end());
        complaints_.error(v.where, fmt::format("`{}` has no parameter {}", problem_.mechanism.name, in_quotes(v.name)),
                          suggestion(v.name, all));
      } else if (v.lower >= v.upper) {
        complaints_.error(
            v.where,
            fmt::format("the bounds of {} are the wrong way round: from {} to {}", in_quotes(v.name), v.lower, v.upper),
            "lower < upper");
      }
      problem_.variables.push_back(std::move(v));
    }
  }

  // At rest in every point.
  void motion(const YamlNode& node) {
    const Fields fields(reader_, node, "`motion`", {"times", "points"});
    const YamlNode *t = fields.require("times"), *p = fields.require("points");
    if (t == nullptr || p == nullptr) return;
    if (state_.nq != state_.nv) {
      complaints_.error(node.where, "motions between points are for joints without quaternions");
      return;
    }
    std::vector<double> times;
    std::vector<std::vector<double>> points;
    for (const YamlNode* item : reader_.items(*t, "times")) times.push_back(reader_.number(*item, "times"));
    for (const YamlNode* item : reader_.items(*p, "points")) {
      std::vector<double>& point = points.emplace_back();
      for (const Formula& f : reader_.formulas(*item, "points", at(state_.nq))) {
        point.push_back(f.value.is_constant() ? f.value.constant() : kUnread);
      }
    }
    if (complaints_.failed()) return;
    if (times.size() != points.size() || times.size() < 2) {
      complaints_.error(node.where, fmt::format("{} and {}: a motion has as many of both, two at least",
                                                counted(times.size(), "time"), counted(points.size(), "point")));
      return;
    }
    if (times.front() != 0.0 || !std::is_sorted(times.begin(), times.end(), std::less_equal<>())) {
      complaints_.error(t->where, "`times` begin at 0 and rise");
      return;
    }
    problem_.motion = Trajectory::rest_to_rest(times, points);
  }

  // What a scenario says of the initial state and of inputs, with formulas that may hold the mechanism's parameters.
  void scenario(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::scalar) {  // a file
      const std::filesystem::path beside = std::filesystem::path(file_).parent_path() / node.text;
      ScenarioResult read = read_scenario(beside.string(), problem_.mechanism, values_);
      for (const Diagnostic& d : read.diagnostics) {
        if (d.severity == Severity::error)
          complaints_.error(d.where.file.empty() ? node.where : d.where, d.message, d.hint);
      }
      if (!read.scenario) return;
      problem_.friction = read.scenario->friction;
      problem_.forward = design_options(*read.scenario, problem_.mechanism);
      return;
    }
    ForwardDesignOptions options;
    options.q = state_.home;
    options.at_home.assign(options.q.size(), true);
    options.qd.assign(at(state_.nv), 0.0);
    options.drive.torques.assign(at(values_.nv), {"inputs", "0"});
    const Fields fields(reader_, node, "`scenario`", {"initial", "duration", "inputs", "integrator"});
    if (const YamlNode* n = fields.require("duration")) options.duration = positive(*n, "duration");
    if (const YamlNode* n = fields.find("initial")) {
      const Fields initial(reader_, *n, "`initial`", {"q", "qd"});
      if (const YamlNode* q = initial.find("q")) {
        options.q.assign(options.q.size(), kUnread);
        state(*q, "q", state_.coordinate_names, options.q);
        for (std::size_t k = 0; k < options.q.size(); ++k) {
          options.at_home[k] = std::isnan(options.q[k]);
          if (options.at_home[k]) options.q[k] = state_.home[k];
        }
      }
      if (const YamlNode* qd = initial.find("qd")) state(*qd, "qd", state_.velocity_names, options.qd);
    }
    if (const YamlNode* n = fields.find("inputs")) {
      if (n->kind != YamlNode::Kind::map) complaints_.error(n->where, "`inputs` should be a map of joints");
      for (const YamlNode::Entry& e : n->entries) {
        const std::size_t v = place(values_.velocity_names, e.key, e.where);
        if (v < options.drive.torques.size() && !actuated_.empty() &&
            std::ranges::find(actuated_, e.key) == actuated_.end()) {
          complaints_.error(e.where, fmt::format("{} follows the loops of `{}` and is not actuated", in_quotes(e.key),
                                                 problem_.mechanism.name));
        }
        if (v < options.drive.torques.size())
          options.drive.torques[v] = {e.key, reader_.word(*e.value, e.key), e.value->where};
      }
    }
    if (const YamlNode* n = fields.find("integrator")) {
      const Fields integrator(reader_, *n, "`integrator`", {"method", "step", "rtol", "atol", "longest", "shortest"});
      if (const YamlNode* m = integrator.find("method")) {
        const int k = reader_.choice(*m, "method", recordable_integrators());
        if (k >= 0) options.steps.integrator = recordable_integrators()[at(k)];
      }
      if (const YamlNode* m = integrator.find("step")) options.steps.step = positive(*m, "step");
      if (const YamlNode* m = integrator.find("rtol")) options.steps.rtol = positive(*m, "rtol");
      if (const YamlNode* m = integrator.find("atol")) options.steps.atol = positive(*m, "atol");
      if (const YamlNode* m = integrator.find("longest")) options.steps.longest = positive(*m, "longest");
      if (const YamlNode* m = integrator.find("shortest")) options.steps.shortest = positive(*m, "shortest");
    }
    problem_.forward = std::move(options);
  }
  void state(const YamlNode& node, const char* what, const std::vector<std::string>& names, std::vector<double>& to) {
    if (node.kind == YamlNode::Kind::list) {
      const std::vector<Formula> all = reader_.formulas(node, what, to.size());
      for (std::size_t k = 0; k < all.size(); ++k)
        to[k] = all[k].value.is_constant() ? all[k].value.constant() : kUnread;
      return;
    }
    if (node.kind != YamlNode::Kind::map)
      complaints_.error(node.where, fmt::format("`{}` should be a list, or a map of joints", what));
    for (const YamlNode::Entry& e : node.entries) {
      const std::size_t k = place(names, e.key, e.where);
      if (k < to.size()) to[k] = reader_.number(*e.value, e.key);
    }
  }
  std::size_t place(const std::vector<std::string>& names, const std::string& name, const Location& where) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      complaints_.error(where, fmt::format("`{}` has no joint {}", problem_.mechanism.name, in_quotes(name)),
                        suggestion(name, names));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  static const std::vector<std::string>& kinds() {
    static const std::vector<std::string> names{"integral", "end", "instant", "always"};
    return names;
  }
  // integral, end, instant (with `time`) or always.
  void functional(const Fields& fields, bool constraint, DesignFunctional& f, int& instants) {
    int found = 0;
    for (const std::string& kind : kinds()) {
      const YamlNode* n = fields.find(kind);
      if (n == nullptr) continue;
      ++found;
      f.formula = {kind, reader_.word(*n, kind), n->where};
      f.name = fmt::format("{}: {}", kind, f.formula.text);
      f.kind = kind == "integral" ? DesignFunctional::Kind::integral : DesignFunctional::Kind::instant;
      if (kind == "instant") {
        const YamlNode* t = fields.require("time");
        if (t != nullptr) f.time = reader_.number(*t, "time");
      }
      if (kind == "always") {
        instants = 50;
        if (const YamlNode* i = fields.find("instants")) instants = whole_number(*i, "instants", 1, kMostInstants);
        if (!constraint)
          complaints_.error(n->where, "a cost is an integral or at one instant; `always` is for constraints");
      }
    }
    if (found != 1) {
      complaints_.error(fields.where(), fmt::format("{} of `integral`, `end`, `instant` and `always` is given, not one",
                                                    found == 0 ? "none" : "more than one"));
    }
  }
  void cost(const YamlNode& node) {
    const Fields fields(reader_, node, "`cost`", {"integral", "end", "instant", "always", "time", "weight"});
    DesignTerm term;
    int unused = 0;
    functional(fields, false, term.functional, unused);
    if (const YamlNode* n = fields.find("weight")) term.weight = reader_.number(*n, "weight");
    problem_.cost.push_back(std::move(term));
  }
  void constraint(const YamlNode& node) {
    const Fields fields(
        reader_, node, "the constraint",
        {"integral", "end", "instant", "always", "time", "instants", "equals", "at_least", "at_most", "name"});
    DesignConstraint c;
    functional(fields, true, c.functional, c.instants);
    c.name = fields.has("name") ? fields.require_word("name") : c.functional.name;
    const auto limit = [&](const char* key, std::optional<double>& to) {
      if (const YamlNode* n = fields.find(key)) to = reader_.number(*n, key);
    };
    limit("equals", c.equals);
    limit("at_least", c.at_least);
    limit("at_most", c.at_most);
    if (!c.equals && !c.at_least && !c.at_most) {
      complaints_.error(node.where, "a constraint must state its condition: `equals`, `at_least`, `at_most`");
    }
    if (c.equals && (c.at_least || c.at_most))
      complaints_.error(node.where, "`equals` leaves no room for `at_least` and `at_most`");
    if (c.at_least && c.at_most && *c.at_least > *c.at_most) {
      complaints_.error(node.where, fmt::format("nothing is at least {} and at most {}", *c.at_least, *c.at_most));
    }
    problem_.constraints.push_back(std::move(c));
  }

  std::string file_;
  Complaints& complaints_;
  FieldReader reader_;
  DesignProblem problem_;
  Model<double> values_;
  Model<double> state_;                // the joints that states and motions run over: with loops the independent ones
  std::vector<std::string> actuated_;  // with loops
};

}  // namespace

DesignProblem read_design_problem(const std::string& text, const std::string& file) {
  Complaints complaints;
  DesignProblem problem;
  if (check_text(text, file, complaints)) {
    if (const auto root = parse_yaml(text, file, complaints))
      problem = DesignProblemReader(file, complaints).whole(*root);
  }
  if (complaints.failed()) throw Error(ErrorCode::data, complaints.sorted());
  return problem;
}

DesignProblem load_design_problem(const std::string& path) {
  const auto fail = [&](const char* why, const char* hint = "") {
    throw Error(ErrorCode::io, {{Severity::error, {path, 0, 0}, why, hint}});
  };
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status))
    fail("there is no such file", "a problem file must name its mechanism, see `linkwright optimize --help`");
  if (std::filesystem::is_directory(status)) fail("this is a folder, not a file");
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || !text) fail("cannot be read");
  return read_design_problem(text.str(), path);
}

}  // namespace lw
