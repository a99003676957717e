#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "../../base/file.hpp"
#include "../../base/svg.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "../../model/write/write_yaml.hpp"
#include "../../simulate/optimize/design_problem.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/judgements.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

const char* end_words(DesignOptimum::End end) {
  switch (end) {
    case DesignOptimum::End::optimal: return "optimal";
    case DesignOptimum::End::indifferent: return "indifferent";
    case DesignOptimum::End::stalled: return "stalled";
    case DesignOptimum::End::infeasible: return "infeasible";
    case DesignOptimum::End::out_of_evaluations: return "out of evaluations";
  }
  return "";
}

std::string optimum_verdict(const DesignOptimum& found) {
  switch (found.end) {
    case DesignOptimum::End::optimal: return "optimal: no nearby design within the constraints has a lower cost";
    case DesignOptimum::End::indifferent:
      return fmt::format("indifferent: the cost depends on none of the parameters, so there is nothing to optimise{}",
                         found.constraints.empty() ? "" : " except for the constraints");
    case DesignOptimum::End::stalled:
      return "stalled: a nearby design has a lower cost, but the search does not reach it; try a smaller `tolerance` "
             "or another `start`";
    case DesignOptimum::End::infeasible:
      return "infeasible: no design was found that meets the constraints; this one is nearest";
    case DesignOptimum::End::out_of_evaluations:
      return "stopped: the limit of evaluations was reached before the end of the search";
  }
  return "";
}

Table parameter_table_of(const DesignProblem& problem, const DesignOptimum& found) {
  Table table({"parameter", "before", "after", "lower", "upper", ""});
  for (std::size_t k = 0; k < problem.variables.size(); ++k) {
    const DesignVariable& v = problem.variables[k];
    const double after = found.after.b[k], near = 1e-6 * (v.upper - v.lower);
    table.add({v.name, readable(found.before.b[k]), readable(after), readable(v.lower), readable(v.upper),
               after - v.lower <= near   ? "at its lower bound"
               : v.upper - after <= near ? "at its upper bound"
                                         : ""});
  }
  return table;
}

Table constraint_table(const DesignOptimum& found) {
  Table table({"constraint", "wanted", "before", "after", ""});
  for (const DesignOptimum::Constraint& c : found.constraints) {
    table.add({c.name, c.wanted, readable(c.before), readable(c.after),
               !c.met     ? "violated"
               : c.active ? "active"
                          : ""});
  }
  return table;
}

// What of the mechanism the runs leave out; empty where that is nothing.
std::string left_out_of_runs(const DesignProblem& problem) {
  const std::string losses = problem.friction ? "" : losses_of(problem.mechanism);
  if (losses.empty()) return {};
  return losses + " are omitted from the runs; `friction: true` in the problem includes them";
}

// Values of the initial state that were found: a mechanism file has no place for them.
std::vector<std::string> found_beginnings(const DesignProblem& problem, const DesignOptimum& found) {
  std::vector<std::string> list;
  for (std::size_t k = 0; k < problem.variables.size(); ++k) {
    const DesignVariable& v = problem.variables[k];
    if (!has_place_in(problem.mechanism, v))
      list.push_back(fmt::format("{} = {}", in_quotes(v.name), found.after.b[k]));
  }
  return list;
}
std::string beginnings_not_written(const std::vector<std::string>& beginnings) {
  return fmt::format(
      "{}: the initial state is not part of a mechanism and not in the file written by --out; put it into a scenario's "
      "`initial`",
      fmt::join(beginnings, ", "));
}

// The mechanism's file, with a word at its head on what belongs to the result and is not in it.
std::string better_file(const Mechanism& better, const DesignProblem& problem,
                        const std::vector<std::string>& beginnings) {
  std::string head;
  if (!beginnings.empty()) {
    head = fmt::format(
        "# Found by `optimize` for the problem {} together with a beginning of its run, which a mechanism has no place "
        "for\n# (a scenario's `initial` has):\n",
        in_quotes(problem.name));
    for (const std::string& b : beginnings) head += "#   " + b + "\n";
  }
  return head + write_yaml(better);
}

// --- the report, a page by itself

std::string optimum_html_table(const std::vector<std::string>& header,
                               const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<table>\n<tr>";
  for (const std::string& h : header) text += "<th>" + escape_xml(h) + "</th>";
  text += "</tr>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += "<td>" + escape_xml(cell) + "</td>";
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string optimum_page(const DesignProblem& problem, const DesignOptimum& found) {
  Plot cost{"Cost", "evaluation", "cost", {}, 760, 320};
  Plot off{"Violation of the constraint that is violated most, relative", "evaluation", "violation", {}, 760, 260};
  Plot ways{"Parameters, between their bounds", "evaluation", "(b - lower)/(upper - lower)", {}, 760, 320};
  Series c{"cost", {}, {}}, v{"violation", {}, {}};
  for (const DesignVariable& variable : problem.variables) ways.series.push_back({variable.name, {}, {}});
  for (std::size_t i = 0; i < found.history.size(); ++i) {
    const DesignStep& step = found.history[i];
    const auto n = static_cast<double>(i + 1);
    c.x.push_back(n);
    c.y.push_back(step.cost);
    v.x.push_back(n);
    v.y.push_back(step.violation);
    for (std::size_t k = 0; k < problem.variables.size(); ++k) {
      const DesignVariable& variable = problem.variables[k];
      ways.series[k].x.push_back(n);
      ways.series[k].y.push_back((step.b[k] - variable.lower) / (variable.upper - variable.lower));
    }
  }
  cost.series = {c};
  off.series = {v};
  std::vector<std::vector<std::string>> parameters, constraints;
  for (std::size_t k = 0; k < problem.variables.size(); ++k) {
    const DesignVariable& variable = problem.variables[k];
    parameters.push_back({variable.name, readable(found.before.b[k]), readable(found.after.b[k]),
                          readable(variable.lower), readable(variable.upper)});
  }
  for (const auto& k : found.constraints) {
    constraints.push_back({k.name, k.wanted, readable(k.before), readable(k.after),
                           !k.met     ? "violated"
                           : k.active ? "active"
                                      : "met"});
  }
  std::string terms;
  for (const DesignTerm& t : problem.cost) {
    terms += fmt::format("{}{}{}", terms.empty() ? "" : " + ", t.weight == 1.0 ? "" : readable(t.weight) + " × ",
                         t.functional.name);
  }
  std::string page =
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta name='viewport' "
      "content='width=device-width, initial-scale=1'>\n<title>" +
      escape_xml(problem.name) +
      "</title>\n<style>\n:root { color-scheme: light dark; }\nbody { font: 16px/1.5 system-ui, sans-serif; max-width: "
      "60rem; margin: 2rem auto; padding: 0 1rem; }\ntable { border-collapse: collapse; margin: 1rem 0; }\nth, td { "
      "text-align: right; padding: .2rem .8rem; border-bottom: 1px solid #8886; }\nth:first-child, td:first-child { "
      "text-align: left; }\nsvg { max-width: 100%; height: auto; }\n</style>\n</head>\n<body>\n";
  page += "<h1>" + escape_xml(problem.name) + "</h1>\n";
  if (!problem.summary.empty()) page += "<p>" + escape_xml(problem.summary) + "</p>\n";
  page += fmt::format("<p><strong>{}</strong></p>\n", escape_xml(optimum_verdict(found)));
  page += fmt::format("<p>Mechanism {}; cost {}; {}.</p>\n", escape_xml(problem.mechanism.name), escape_xml(terms),
                      counted(found.history.size(), "evaluation"));
  if (const std::string left_out = left_out_of_runs(problem); !left_out.empty())
    page += "<p>Note: " + escape_xml(left_out) + ".</p>\n";
  if (const auto beginnings = found_beginnings(problem, found); !beginnings.empty())
    page += "<p>Note: " + escape_xml(beginnings_not_written(beginnings)) + ".</p>\n";
  page +=
      optimum_html_table({"", "before", "after"}, {{"cost", readable(found.before.cost), readable(found.after.cost)}});
  page += "<h2>Parameters</h2>\n" + optimum_html_table({"parameter", "before", "after", "lower", "upper"}, parameters);
  if (!constraints.empty())
    page += "<h2>Constraints</h2>\n" + optimum_html_table({"constraint", "wanted", "before", "after", ""}, constraints);
  page += "<h2>The search</h2>\n" + to_svg(cost) + "\n";
  if (!constraints.empty()) page += to_svg(off) + "\n";
  return page + to_svg(ways) + "\n</body>\n</html>\n";
}

int run_optimize(const Arguments& arguments) {
  require_ending(arguments, "--out", "a mechanism", ".yaml");
  require_ending(arguments, "--report", "HTML", ".html");
  require_other_file(arguments, "--out", "PROBLEM");
  const DesignProblem problem = load_design_problem(arguments.text("PROBLEM"));
  if (arguments.has("--out") && !problem.mechanism.where.file.empty()) {
    std::error_code ignored;
    if (std::filesystem::equivalent(arguments.text("--out"), problem.mechanism.where.file, ignored)) {
      throw Error(ErrorCode::usage, "--out would overwrite the mechanism to be optimised");
    }
  }
  if (!arguments.quiet()) say(fmt::format("{}: generating the code for its runs and their derivatives", problem.name));
  const std::string left_out = left_out_of_runs(problem);
  if (!left_out.empty() && !arguments.quiet()) say("note: " + left_out);
  const std::unique_ptr<DesignRun> run = make_run(problem);
  const DesignOptimum found = optimize_design(problem, *run, [&](int evaluation, const DesignStep& step) {
    if (arguments.quiet()) return;
    say(fmt::format("{:4}  cost {:<14.8g} violation {:.2e}", evaluation, step.cost, step.violation));
  });
  const Mechanism better = with_values(problem.mechanism, problem.variables, found.after.b);
  const std::vector<Diagnostic> judged = judge_numbers(better, false);
  for (const Diagnostic& d : judged) {
    if (d.severity != Severity::note && !arguments.quiet()) say_warning(fmt::format("the result: {}", d.message));
  }
  const bool feasible = found.end != DesignOptimum::End::infeasible;
  const std::vector<std::string> beginnings = found_beginnings(problem, found);
  if (arguments.has("--out")) {
    write_file(arguments.text("--out"), better_file(better, problem, beginnings));
    if (!beginnings.empty() && !arguments.quiet()) say("note: " + beginnings_not_written(beginnings));
  }
  if (arguments.has("--report")) write_file(arguments.text("--report"), optimum_page(problem, found));
  if (arguments.json()) {
    Json json{{"problem", problem.name},
              {"model", problem.mechanism.name},
              {"end", end_words(found.end)},
              {"evaluations", found.history.size()},
              {"cost", {{"before", found.before.cost}, {"after", found.after.cost}}},
              {"violation", {{"before", found.before.violation}, {"after", found.after.violation}}},
              {"friction", problem.friction},
              {"parameters", Json::object()},
              {"constraints", Json::array()},
              {"history", Json::array()}};
    for (std::size_t k = 0; k < problem.variables.size(); ++k) {
      json["parameters"][problem.variables[k].name] = {
          {"before", found.before.b[k]},
          {"after", found.after.b[k]},
          {"in_file", has_place_in(problem.mechanism, problem.variables[k])}};
    }
    for (const auto& c : found.constraints) {
      json["constraints"].push_back({{"name", c.name},
                                     {"wanted", c.wanted},
                                     {"before", c.before},
                                     {"after", c.after},
                                     {"met", c.met},
                                     {"active", c.active}});
    }
    for (const DesignStep& s : found.history)
      json["history"].push_back({{"cost", s.cost}, {"violation", s.violation}, {"b", s.b}});
    if (arguments.has("--out")) json["out"] = arguments.text("--out");
    if (arguments.has("--report")) json["report"] = arguments.text("--report");
    print_json(json);
    return feasible ? kOk : kCheckFailed;
  }
  fmt::print("{}: {}; {}\n\ncost  {} -> {}\n\n{}", problem.name, optimum_verdict(found),
             counted(found.history.size(), "evaluation"), readable(found.before.cost), readable(found.after.cost),
             parameter_table_of(problem, found).str());
  if (!found.constraints.empty()) fmt::print("\n{}", constraint_table(found).str());
  for (const char* option : {"--out", "--report"}) {
    if (arguments.has(option)) fmt::print("\n{}\n", arguments.text(option));
  }
  return feasible ? kOk : kCheckFailed;
}

}  // namespace

Command optimize_command() {
  Command c;
  c.name = "optimize";
  c.summary = "optimises design parameters of a mechanism";
  c.description =
      "Solves a design problem: parameters of a mechanism within bounds, a cost and constraints for its runs "
      "(docs/optimize.md). Runs follow a prescribed motion, for which torques are computed, or are simulated from an "
      "initial state. Gradients are exact, and the search is sequential quadratic programming, which finds a local "
      "optimum. The results are a mechanism file with the optimal values, and a page with tables and the course of the "
      "search. Exit code 1 if no design meets the constraints.";
  c.positionals = {{"PROBLEM", "a YAML file", true, {}}};
  c.options = {text_option("--out", "FILE.yaml", "writes the mechanism with the optimal values"),
               text_option("--report", "FILE.html", "writes a page with the values before and after, and the search"),
               json_option()};
  c.examples = {"linkwright optimize examples/optimize/balance.yaml --out balanced.yaml --report balanced.html",
                "linkwright optimize examples/optimize/reach.yaml --json"};
  c.run = run_optimize;
  return c;
}

}  // namespace lw::cli
