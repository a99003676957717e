#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../codegen/trace/verification.hpp"
#include "../../model/complaints.hpp"
#include "../../schedule/choice.hpp"
#include "../../schedule/gantt.hpp"
#include "../../schedule/host.hpp"
#include "../../schedule/methods/streamline.hpp"
#include "../bench/schedule_run.hpp"
#include "../commands.hpp"
#include "../frame/terminal.hpp"
#include "../io/codegen_options.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../report/schedule_report.hpp"

namespace lw::cli {
namespace {

constexpr int kMostProcessors = 1024;
constexpr int kScheduledStates = 20;

int whole_number(const std::string& text, const std::string& all) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < 1 || value > kMostProcessors) {
    throw Error(ErrorCode::usage,
                fmt::format("--processors needs numbers from 1 to {}, such as 4 or 1,2,4 or 1-8, not {}",
                            kMostProcessors, in_quotes(all)));
  }
  return value;
}

// 4, or 1,2,4, or 1-8, or both: 1-4,8
std::vector<int> processors_in(const std::string& text) {
  std::set<int> list;
  for (const std::string& item : names_in("--processors", text)) {
    const std::size_t dash = item.find('-', 1);
    const int first = whole_number(item.substr(0, dash), text);
    const int last = dash == std::string::npos ? first : whole_number(item.substr(dash + 1), text);
    if (last < first)
      throw Error(ErrorCode::usage, fmt::format("--processors {}: {} is less than {}", item, last, first));
    for (int p = first; p <= last; ++p) list.insert(p);
  }
  return {list.begin(), list.end()};
}

std::vector<int> wanted_processors(const Arguments& arguments, const Machine& machine) {
  constexpr int kShown = 8;
  if (!arguments.has("--processors")) {
    std::vector<int> all;
    for (int p = 1; p <= (machine.processors > 0 ? std::min(machine.processors, kShown) : kShown); ++p)
      all.push_back(p);
    return all;
  }
  const std::vector<int> list = processors_in(arguments.text("--processors"));
  if (machine.processors > 0 && list.back() > machine.processors) {
    throw Error(ErrorCode::usage, fmt::format("--processors {}: {} has {}", list.back(), in_quotes(machine.name),
                                              counted(static_cast<std::size_t>(machine.processors), "processor")));
  }
  return list;
}

// A task's length as on the command line: 200ns, 3.5us, or a number of seconds or steps.
double target_in(const std::string& text, const Machine& machine) {
  constexpr struct {
    const char* ending;
    double size;
  } kUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"", 1.0}};
  for (const auto& unit : kUnits) {
    if (!text.ends_with(unit.ending)) continue;
    const std::string number = text.substr(0, text.size() - std::string(unit.ending).size());
    double value = 0.0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (fault != std::errc() || end != number.data() + number.size() || !(value > 0.0) || value > 1e9) break;
    if (*unit.ending != '\0' && !machine.in_seconds) {
      throw Error(ErrorCode::usage,
                  fmt::format("--grain {}: {} counts steps, not seconds", text, in_quotes(machine.name)));
    }
    return value * unit.size;
  }
  throw Error(ErrorCode::usage, fmt::format("--grain needs instruction, tsa, vector, body, dhanaraj, auto, or a "
                                            "duration (200ns, or a number of steps), not {}",
                                            in_quotes(text)));
}

// The division for so many processors; one for all of them unless it is chosen.
class Grains {
 public:
  Grains(const Function& function, const LoadedModel& loaded, bool friction, std::string wish)
      : function_(function), loaded_(loaded), friction_(friction), wish_(std::move(wish)) {}

  std::shared_ptr<const ChosenGrain> grain(const Machine& machine, int processors, const std::string& method) {
    const bool depends =
        wish_ == "auto" && (method == "tsa" || machine.delay(0, 1, 8, 2) > 0.0 || machine.overhead > 0.0);
    if (!depends && common_) return common_;
    auto made = std::make_shared<const ChosenGrain>(make(machine, processors, method));
    if (!depends) common_ = made;
    return made;
  }

 private:
  ChosenGrain make(const Machine& machine, int processors, const std::string& method) const {
    if (wish_ == "auto") return choose_grain(function_, machine, processors, method);
    if (wish_ == "instruction") return {divide(function_, Grain::instruction), wish_};
    if (wish_ == "tsa" || wish_ == "three") return {divide(function_, Grain::three), "tsa"};
    if (wish_ == "vector") return {divide(function_, Grain::vector), wish_};
    if (wish_ == "body") return {divide(function_, Grain::body), wish_};
    if (wish_ == "dhanaraj") {
      const StreamlineOptions losses{.bearings = friction_, .transmissions = friction_};
      return {{streamline(streamlined_links(loaded_.model), losses), {}, {}}, "Dhanaraj's subtasks"};
    }
    const double target = target_in(wish_, machine);
    return {divide(function_, machine, target), time_text(machine, target) + " a task"};
  }

  const Function& function_;
  const LoadedModel& loaded_;
  bool friction_;
  std::string wish_;
  std::shared_ptr<const ChosenGrain> common_;
};

bool is_on_one(const Schedule& schedule) {
  return std::all_of(schedule.placements.begin(), schedule.placements.end(),
                     [&](const Placement& p) { return p.processor == schedule.placements.front().processor; });
}

void write_pictures(const Arguments& arguments, const ScheduleRow& row, const std::string& title) {
  if (arguments.has("--gantt")) {
    const std::string path = arguments.text("--gantt");
    const bool page = ends_with_ignoring_case(path, ".html");
    write_file(path, page ? gantt_html(row.graph(), row.machine, row.schedule, title)
                          : gantt_svg(row.graph(), row.machine, row.schedule, title));
  }
  if (arguments.has("--csv")) write_file(arguments.text("--csv"), gantt_csv(row.graph(), row.schedule));
}

void judge_files(const Arguments& arguments) {
  const std::string gantt = arguments.text("--gantt");
  if (arguments.has("--gantt") && !ends_with_ignoring_case(gantt, ".svg") && !ends_with_ignoring_case(gantt, ".html")) {
    throw Error(ErrorCode::usage, fmt::format("--gantt writes SVG or HTML: use the name {0}.svg or {0}.html", gantt));
  }
  require_ending(arguments, "--csv", "CSV", ".csv");
  for (const char* option : {"--gantt", "--csv"}) {
    require_other_file(arguments, option, "MODEL");
    require_other_file(arguments, option, "--machine");
  }
}

// What is divided, on what, by which methods.
struct Wish {
  Machine machine;
  std::vector<int> processors;
  std::vector<std::string> methods;
  std::string grain, function;
  double time_limit;
};

Wish read_wish(const Arguments& arguments) {
  const bool runs = arguments.has("--run");
  for (const char* option : {"--gantt", "--csv", "--method", "--grain"}) {
    if (runs && arguments.has(option))
      throw Error(ErrorCode::usage,
                  fmt::format("{} cannot be combined with --run, which uses its own division", option));
  }
  Wish wish;
  wish.machine = load_machine(arguments.text("--machine", runs ? "host" : "ideal"));
  wish.processors = wanted_processors(arguments, wish.machine);
  const auto seconds = [&](const char* option, double fallback) {
    const double value = arguments.number(option, fallback);
    if (!(value > 0.0) || value > 1e6)
      throw Error(ErrorCode::usage, fmt::format("{} needs a positive number of seconds", option));
    return value;
  };
  wish.time_limit = seconds("--time-limit", 10.0);
  seconds("--seconds", 8.0);
  if (arguments.has("--seconds") && !runs) throw Error(ErrorCode::usage, "--seconds requires --run");
  wish.grain = arguments.text("--grain", "auto");
  if (!wish.grain.empty() && std::isdigit(static_cast<unsigned char>(wish.grain[0])) != 0)
    target_in(wish.grain, wish.machine);  // complains before the work begins
  const std::string method = arguments.text("--method", "heft");
  wish.methods = method == "all" ? scheduling_methods() : std::vector{method};
  wish.function = arguments.text("--function", "inverse");
  return wish;
}

// Every method on every number of processors.
std::vector<ScheduleRow> make_schedules(const Wish& wish, const LoadedModel& loaded, const Function& function,
                                        bool friction) {
  const Machine& machine = wish.machine;
  Grains grains(function, loaded, friction, wish.grain);
  const OperationCount work = wish.grain == "dhanaraj" ? total_work(grains.grain(machine, 1, "tsa")->division.graph)
                                                       : cost(function).operations;
  const double alone = machine.for_code_of(work).duration(work);
  std::vector<ScheduleRow> rows;
  for (const std::string& m : wish.methods) {
    for (const int p : wish.processors) {
      Machine suited = machine.for_code_of(work, p);
      auto grain = grains.grain(suited, p, m);
      const TaskGraph& graph = grain->division.graph;
      if (graph.size() == 0)
        throw Error(ErrorCode::data,
                    fmt::format("`{}` of `{}` has no operations to divide", wish.function, loaded.model.name));
      Schedule schedule = schedule_by(m, graph, suited, p, wish.time_limit);
      if (p > 1 && is_on_one(schedule)) {  // which then has all of the code, not a share of it
        suited = machine.for_code_of(work);
        schedule = schedule_by(m, graph, suited, p, wish.time_limit);
      }
      schedule.method = m;
      Figures f = figures(graph, suited, schedule, alone);
      std::vector<Violation> faults = violations(graph, suited, schedule);
      rows.push_back({suited, std::move(grain), std::move(schedule), f, std::move(faults)});
    }
  }
  return rows;
}

void give_schedules(const Arguments& arguments, const Wish& wish, const std::string& model,
                    const std::vector<ScheduleRow>& rows) {
  const ScheduleRow& best = *std::min_element(rows.begin(), rows.end(), [](const ScheduleRow& a, const ScheduleRow& b) {
    return a.figures.makespan < b.figures.makespan * (1.0 - 1e-9);
  });
  std::vector<Schedule> schedules;
  for (const ScheduleRow& r : rows) schedules.push_back(r.schedule);
  const Recommendation advice = recommend(best.graph(), wish.machine, schedules);
  write_pictures(arguments, best, fmt::format("{} of {}", wish.function, model));
  if (arguments.json()) {
    Json json{{"model", model}, {"function", wish.function}, {"machine", schedule_json(wish.machine)}};
    json.update(schedule_json(best));
    json["schedules"] = Json::array();
    for (const ScheduleRow& r : rows) json["schedules"].push_back(schedule_json(r));
    json["recommended"] = {{"processors", advice.processors}, {"reason", advice.reason}};
    add_given(arguments, json);
    print_json(json);
    return;
  }
  fmt::print("{} of {} on {}: {}\n\n", styled(wish.function, Style::heading, stdout), model, wish.machine.name,
             wish.machine.summary.empty() ? "your own machine" : wish.machine.summary);
  if (rows.size() == 1)
    print_one(best);
  else
    print_many(rows, wish.methods, wish.machine);
  for (const char* option : {"--gantt", "--csv"}) {
    if (arguments.has(option) && !arguments.quiet()) {
      say(fmt::format("wrote {}: {} on {}", arguments.text(option), best.schedule.method,
                      counted(static_cast<std::size_t>(best.schedule.processors), "processor")));
    }
  }
  if (wish.processors.size() > 1) {  // else there is nothing to choose from
    const std::string text =
        fmt::format("Recommended: {}, because {}.", counted(static_cast<std::size_t>(advice.processors), "processor"),
                    advice.reason);
    for (const std::string& line : wrap(text, 110)) fmt::print("{}\n", line);
  }
  for (const ScheduleRow& r : rows) {
    for (const Violation& v : r.violations)
      say_error(fmt::format("{} on {}: {}", r.schedule.method, r.schedule.processors, v.words));
  }
}

int run_schedule(const Arguments& arguments) {
  judge_files(arguments);
  if (arguments.has("--measure-host")) {
    if (!arguments.quiet()) say("measuring this computer for a few seconds; results are best if it is idle");
    const Machine machine = measure_host();
    if (!arguments.has("MODEL")) {
      print_machine(machine, arguments.json());
      return kOk;
    }
  }
  if (!arguments.has("MODEL")) throw Error(ErrorCode::usage, "`schedule` needs MODEL, or --measure-host");
  const Wish wish = read_wish(arguments);
  const LoadedModel loaded = load_tree(arguments);
  const FunctionRow* row = find_function(wish.function);
  if (row != nullptr) judge_functions(arguments, loaded.model, {row->id});
  if (arguments.has("--run")) return run_divided(arguments, loaded, wish.function, wish.machine, wish.processors);
  if (arguments.has("--peers")) throw Error(ErrorCode::usage, "--peers requires --run");
  if (row == nullptr) throw Error(ErrorCode::usage, fmt::format("--function {} requires --run", wish.function));
  if (wish.grain == "dhanaraj") {
    if (row->id != FunctionId::inverse)
      throw Error(ErrorCode::usage, "--grain dhanaraj is only available for the function `inverse`");
    streamlined_links(loaded.model);  // complains before the work begins
  }
  require_use_of_frame(arguments, {row->id});
  const TraceOptions options = read_trace_options(arguments);
  note_long_work(arguments, loaded.model, *row);
  const Traced traced = trace_function(loaded.mechanism, row->id, options);
  const Verification check = verify(traced, kScheduledStates);
  if (!check.passed())
    throw Error(ErrorCode::data,
                fmt::format("the function does not agree with the reference: error {:.1e}", check.error));
  const std::vector<ScheduleRow> rows = make_schedules(wish, loaded, traced.function, options.friction);
  give_schedules(arguments, wish, loaded.model.name, rows);
  const bool valid = std::all_of(rows.begin(), rows.end(), [](const ScheduleRow& r) { return r.violations.empty(); });
  return valid ? kOk : kCheckFailed;
}

}  // namespace

Command schedule_command() {
  std::vector<std::string> methods = scheduling_methods();
  methods.emplace_back("all");
  std::vector<std::string> functions = function_names();
  functions.emplace_back(kSecondDerivatives);
  std::vector<Option> own{
      choice_option("--function", "F", "the function to divide, listed below; default: inverse", functions),
      flag_option("--run",
                  "divides, compiles and times the function on this computer (--machine host), compared with one core; "
                  "F may also be inverse-second-derivatives"),
      choice_option("--peers", "auto|none",
                    "with --run: also the same tasks by other libraries whose adapters are found (oneTBB), or not",
                    {"auto", "none"}),
      text_option("--processors", "P",
                  "number of processors: 4, or 1,2,4, or 1-8 (default, as far as the machine has them)"),
      choice_option("--method", "METHOD", "one of the methods below, or all of them; default: heft", methods),
      text_option("--grain", "GRAIN",
                  "size of tasks: one of the grains below, or a duration (200ns; a number of steps); default: auto"),
      text_option("--machine", "MACHINE",
                  "ideal, 8086, t800, t425, host, or a file (docs/machines.md); default: ideal"),
      number_option("--seconds", "SECONDS", "with --run: duration of all measurements; default: 8"),
      number_option("--time-limit", "SECONDS", "limit of the search by the method optimal; default: 10"),
      text_option("--gantt", "FILE", "the shortest schedule as a chart: SVG, or interactive HTML", "Output"),
      text_option("--csv", "FILE.csv", "the same as a table, one task per line", "Output"),
      flag_option("--measure-host", "measures this computer, stores the result as the machine `host`, and prints it")};
  for (Option& o : trace_options()) own.push_back(std::move(o));
  Command c = dynamics_command(std::move(own));
  c.positionals[0].required = false;
  c.name = "schedule";
  c.summary = "one evaluation divided over processors: tasks, schedules, Gantt charts";
  c.description =
      "Divides one evaluation of a function into tasks and assigns each a time and a processor: of an ideal machine, a "
      "machine file, or this computer as measured. Every schedule is checked: no task starts before its inputs have "
      "arrived, and a processor runs one task at a time. The speed-up is relative to one processor without messages; "
      "lower bounds hold for every schedule of these tasks.";
  c.sections.push_back(
      {"Methods",
       {{"tsa", "task streamlining: layer by layer in cycles (Dhanaraj 1990)"},
        {"hlf", "highest level first, most successors first among equals (Kasahara, Narita 1984)"},
        {"heft", "earliest finish, with messages, into gaps (Topcuoglu, Hariri, Wu 2002)"},
        {"cluster", "tasks merged along their heaviest messages, then assigned to processors"},
        {"partition", "groups of tasks with much communication, by local search; for cores with shared memory"},
        {"optimal", "branch and bound, to the optimum or the time limit"}}});
  c.sections.push_back({"Grains",
                        {{"instruction", "every operation is a task"},
                         {"tsa", "up to three operations per task, in sequence or side by side"},
                         {"vector", "a vector of the algorithm is a task (Luh, Lin 1982)"},
                         {"body", "the operations of one body form a task"},
                         {"dhanaraj", "Dhanaraj's 43 subtasks per link of a serial arm, as far as needed (1990)"},
                         {"auto", "the grain with the shortest schedule; for tsa, three operations"}}});
  c.sections.push_back(functions_section());
  c.examples = {"linkwright schedule stanford --processors 1-8",
                "linkwright schedule stanford-dhanaraj --grain dhanaraj --method all",
                "linkwright schedule puma560 --method all --processors 4",
                "linkwright schedule ur5 --function forward --machine t800 --processors 4 --gantt ur5.svg",
                "linkwright schedule --measure-host",
                "linkwright schedule humanoid --function mass-matrix --machine host",
                "linkwright schedule chain-16 --function mass-matrix --machine host --processors 2 --run --seconds 1"};
  c.run = run_schedule;
  return c;
}

}  // namespace lw::cli
