#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../../codegen/functions/friction_methods.hpp"
#include "../../codegen/trace/verification.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../report/published_counts.hpp"

namespace lw::cli {
namespace {

constexpr int kCountedStates = 100;

std::int64_t total(const OperationCount& c) { return c.multiplications + c.additions + c.divisions; }

Json as_json(const FunctionCost& cost) {
  const OperationCount& c = cost.operations;
  return {{"multiplications", c.multiplications},
          {"additions", c.additions},
          {"divisions", c.divisions},
          {"roots", c.roots},
          {"comparisons", c.comparisons},
          {"trig", c.trigonometric},
          {"total", total(c)},
          {"depth", cost.depth}};
}

// Ours over a published count, where each sine or cosine more than there costs as much as in the objective.
double ratio(const OperationCount& ours, const PublishedCount& p) {
  const auto extra = std::max<std::int64_t>(0, ours.trigonometric - p.trigonometric);
  return static_cast<double>(total(ours) + kTrigonometricPrice * extra) / (p.multiplications + p.additions);
}

// Each method once, at its lowest price: the search among variants comes by some of them again.
std::vector<MethodTaken> distinct(const std::vector<MethodTaken>& methods) {
  std::vector<MethodTaken> list;
  std::set<std::string> seen;
  for (const MethodTaken& r : methods) {
    if (seen.insert(r.name).second) list.push_back(r);
  }
  return list;
}

void print_explanation(const Traced& traced, const std::vector<MethodTaken>& tried) {
  fmt::print("\n{}\n", styled("Methods", Style::heading, stdout));
  Table methods({"price", "as traced", "method"});
  std::size_t shown = 0;
  for (const MethodTaken& r : tried) {
    // the best of each kind, and the first few
    const std::string kind = r.name.substr(0, r.name.find(';'));
    bool first = true;
    for (const MethodTaken& other : tried) {
      if (&other == &r) break;
      if (other.name.substr(0, other.name.find(';')) == kind) first = false;
    }
    if (!first && shown >= 3) continue;
    ++shown;
    methods.add({fmt::format("{:.0f}", r.price), fmt::format("{}", total(r.plain.operations)), r.name});
  }
  fmt::print(
      "{}  ({} were traced; the price is the number of operations after the passes, with {} for a sine or cosine)\n",
      methods.str(), tried.size(), kTrigonometricPrice);
  fmt::print("\n{}\n", styled("Passes", Style::heading, stdout));
  if (traced.passes.empty()) {
    fmt::print("  no gain\n");
    return;
  }
  Table passes({"pass", "gain", "multiplications", "additions", "rounds"});
  for (const PassReport& p : traced.passes) {
    passes.add({p.pass, fmt::format("{:.0f}", p.gain), fmt::format("{:+d}", -p.saved.multiplications),
                fmt::format("{:+d}", -p.saved.additions), std::to_string(p.turns)});
  }
  fmt::print("{}", passes.str());
}

// What the laws cost joint by joint; the rest is what keeping the bearings' reactions costs.
void print_loss_costs(const Traced& traced, const LoadedModel& loaded, TraceOptions options) {
  options.friction = false;
  const OperationCount with = lw::cost(traced.function).operations,
                       without =
                           lw::cost(trace_function(loaded.mechanism, traced.row->id, options).function).operations;
  fmt::print("\n{}\n", styled("Friction", Style::heading, stdout));
  Table table({"", "×", "+", "÷", "roots", "exp, log", "together"});
  OperationCount laws;
  const auto add = [&](const std::string& name, const OperationCount& c) {
    table.add({name, fmt::format("{:+d}", c.multiplications), fmt::format("{:+d}", c.additions),
               fmt::format("{:+d}", c.divisions), fmt::format("{:+d}", c.roots), fmt::format("{:+d}", c.trigonometric),
               fmt::format("{:+d}", total(c) + c.roots)});
  };
  const auto combined = [](const OperationCount& a, const OperationCount& b, int sign) {
    return OperationCount{a.multiplications + sign * b.multiplications,
                          a.additions + sign * b.additions,
                          a.divisions + sign * b.divisions,
                          a.roots + sign * b.roots,
                          a.trigonometric + sign * b.trigonometric,
                          a.comparisons + sign * b.comparisons};
  };
  for (const LossCost& joint : loss_costs(loaded.mechanism, options.values)) {
    add(joint.joint, joint.operations);
    laws = combined(laws, joint.operations, 1);
  }
  const OperationCount added = combined(with, without, -1);
  add("bearing reactions", combined(added, laws, -1));
  add("total of friction", added);
  fmt::print("{}", table.str());
}

// Of the longest solve in it that has a step of its own, or has none; 0 where there is none such.
int most_steps(const Function& f, bool own) {
  int most = 0;
  for (const NodeId id : f.order()) {
    const Node& n = f.graph()[id];
    if (n.op != Op::solve) continue;
    const Solve& solve = f.graph().solves()[n.a];
    if ((solve.step != nullptr) == own) most = std::max(most, solve.steps);
  }
  return most;
}

// By which the position of loops is found: all that were asked for, also the first, which may stand outside of the
// solve (loop_position.hpp).
int steps_to_the_position(const Traced& traced, const TraceOptions& options) {
  return most_steps(traced.function, true) > 0 ? options.newton_steps : 0;
}

int run_count(const Arguments& arguments) {
  const LoadedModel loaded = load_model(arguments);
  const FunctionRow& function = FunctionName(arguments.text("--function", "inverse")).row;
  require_use_of_frame(arguments, {function.id});
  TraceOptions options = read_trace_options(arguments);
  options.dense = arguments.has("--dense");
  if (!options.dense) judge_functions(arguments, loaded.model, {function.id});
  note_long_work(arguments, loaded.model, function);
  const Traced traced = trace_function(loaded.mechanism, function.id, options);
  const Verification check = verify(traced, kCountedStates);
  const FunctionCost cost = lw::cost(traced.function);
  const std::vector<MethodTaken> methods = distinct(traced.methods);
  std::vector<PublishedCount> published;
  if (options.keep.empty() && !options.friction)
    published = published_counts(function.id, loaded.model.name, options.dense, options.base_parameters);
  if (arguments.json()) {
    Json json = as_json(cost);
    json["function"] = function.name;
    if (const int steps = most_steps(traced.function, false); steps > 1)
      json["newton_steps"] = steps;  // counted all, taken until converged
    if (const int steps = steps_to_the_position(traced, options); steps > 0)
      json["newton_steps"] = steps;  // counted and made
    json["parameters"] = traced.parameters;
    json["road"] = traced.methods.front().name;
    json["verified"] = {
        {"states", check.states}, {"error", check.error}, {"snapping", check.snapping}, {"passed", check.passed()}};
    json["published"] = Json::array();
    for (const PublishedCount& p : published) {
      json["published"].push_back({{"who", p.who},
                                   {"multiplications", p.multiplications},
                                   {"additions", p.additions},
                                   {"trig", p.trigonometric},
                                   {"total", p.multiplications + p.additions},
                                   {"note", p.note}});
    }
    json["passes"] = Json::array();
    for (const PassReport& p : traced.passes)
      json["passes"].push_back({{"pass", p.pass}, {"gain", p.gain}, {"rounds", p.turns}});
    json["roads"] = Json::array();
    for (const MethodTaken& r : methods) {
      json["roads"].push_back({{"road", r.name}, {"price", r.price}, {"traced", as_json(r.plain)}});
    }
    add_given(arguments, json);
    print_json(json);
    return check.passed() ? kOk : kCheckFailed;
  }
  const OperationCount& c = cost.operations;
  fmt::print("{} of {}", styled(function.name, Style::heading, stdout), loaded.model.name);
  if (!traced.parameters.empty()) fmt::print(", {}", counted(traced.parameters.size(), "symbol"));
  fmt::print("\n\n");
  std::vector<std::string> header{"", "×", "+", "÷", "sin, cos", "total"};
  if (!published.empty()) header.emplace_back("ours");
  Table table(header);
  const auto number = [](std::int64_t n) { return n == 0 ? std::string("-") : std::to_string(n); };
  std::vector<std::string> row{"Linkwright",        number(c.multiplications), number(c.additions),
                               number(c.divisions), number(c.trigonometric),   number(total(c))};
  row.resize(header.size());
  table.add(row);
  for (const PublishedCount& p : published) {
    table.add({p.who + (p.note.empty() ? "" : " (" + p.note + ")"), number(p.multiplications), number(p.additions), "-",
               number(p.trigonometric), number(p.multiplications + p.additions), fmt::format("{:.2f}x", ratio(c, p))});
  }
  fmt::print("{}\n", table.str());
  fmt::print("  longest path: {} operations\n", cost.depth);
  if (const int steps = steps_to_the_position(traced, options); steps > 0) {
    fmt::print("  with the position of the loops by {} from a guess\n",
               counted(static_cast<std::size_t>(steps), "Newton step"));
  }
  if (const int steps = most_steps(traced.function, false); steps > 1) {
    fmt::print("  upper bound: a solve of {} Newton steps, each counted as its residual, ends upon convergence\n",
               steps);
  }
  fmt::print("  {}: {}\n", methods.size() == 1 ? "method" : fmt::format("cheapest of {} methods", methods.size()),
             methods.front().name);
  fmt::print("  verified at {} states: error {:.1e}", check.states, check.error);
  if (check.snapping > 0.0) fmt::print("; snapping changes results by {:.1e}", check.snapping);
  fmt::print("\n");
  if (arguments.has("--explain")) print_explanation(traced, methods);
  const bool adds_losses = function.losses == FunctionRow::Losses::on_request && function.takes(kQdd);
  if (arguments.has("--explain") && options.friction && adds_losses) print_loss_costs(traced, loaded, options);
  if (check.passed()) return kOk;
  say_error(fmt::format("the function does not agree with the reference: error {:.1e}", check.error));
  return kCheckFailed;
}

}  // namespace

Command count_command() {
  std::vector<Option> own{
      choice_option("--function", "F", "the function to count, listed below; default: inverse", function_names()),
      flag_option("--dense",
                  "every inertial parameter is a symbol, as in published counts; rotors and springs are omitted"),
      flag_option("--explain", "also the methods tried and the gain of each pass")};
  for (Option& o : trace_options()) own.push_back(std::move(o));
  Command c = dynamics_command(std::move(own));
  c.name = "count";
  c.summary = "operation counts of generated code, beside published counts";
  c.description =
      "Counts the multiplications and additions of the code that `compile` writes under the same options: the function "
      "is derived by several methods, each is simplified by passes, and the cheapest is verified at random states and "
      "counted. Numbers of the file are constants; --dense makes every inertial parameter a symbol, as in comparisons "
      "of generators. A fused multiply-add counts as two; signs are free.";
  c.sections.push_back(functions_section());
  c.examples = {"linkwright count puma560", "linkwright count puma560 --dense",
                "linkwright count ur5 --function forward --explain", "linkwright count rx90 --objective depth"};
  c.run = run_count;
  return c;
}

}  // namespace lw::cli
