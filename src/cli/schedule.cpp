#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/file.hpp"
#include "../base/text.hpp"
#include "../codegen/roads.hpp"
#include "../model/complaints.hpp"
#include "../schedule/choice.hpp"
#include "../schedule/gantt.hpp"
#include "../schedule/host.hpp"
#include "codegen_options.hpp"
#include "commands.hpp"
#include "model_input.hpp"
#include "results.hpp"
#include "terminal.hpp"

namespace lw::cli {
namespace {

constexpr int kMostProcessors = 1024;
constexpr int kScheduledStates = 20;

int whole_number(const std::string& text, const std::string& all) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < 1 || value > kMostProcessors) {
    throw Error(ErrorCode::usage, fmt::format("--processors takes numbers from 1 to {}, as in 4 or 1,2,4 or 1-8, not {}", kMostProcessors,
                                              in_quotes(all)));
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
    if (last < first) throw Error(ErrorCode::usage, fmt::format("--processors {}: {} is less than {}", item, last, first));
    for (int p = first; p <= last; ++p) list.insert(p);
  }
  return {list.begin(), list.end()};
}

std::vector<int> wanted_processors(const Arguments& arguments, const Machine& machine) {
  constexpr int kShown = 8;
  if (!arguments.has("--processors")) {
    std::vector<int> all;
    for (int p = 1; p <= (machine.processors > 0 ? std::min(machine.processors, kShown) : kShown); ++p) all.push_back(p);
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
      throw Error(ErrorCode::usage, fmt::format("--grain {}: {} counts steps, not seconds", text, in_quotes(machine.name)));
    }
    return value * unit.size;
  }
  throw Error(ErrorCode::usage, fmt::format("--grain takes instruction, tsa, vector, body, auto, or how long a task is to be (200ns, or a "
                                            "number of steps), not {}", in_quotes(text)));
}

// The division for so many processors; one for all of them unless it is chosen.
class Grains {
 public:
  Grains(const Function& function, std::string wish) : function_(function), wish_(std::move(wish)) {}

  std::shared_ptr<const ChosenGrain> grain(const Machine& machine, int processors, const std::string& method) {
    const bool depends = wish_ == "auto" && (method == "tsa" || machine.delay(0, 1, 8, 2) > 0.0 || machine.overhead > 0.0);
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
    const double target = target_in(wish_, machine);
    return {divide(function_, machine, target), time_text(machine, target) + " a task"};
  }

  const Function& function_;
  std::string wish_;
  std::shared_ptr<const ChosenGrain> common_;
};

struct ScheduleRow {
  Machine machine;  // for code of its share
  std::shared_ptr<const ChosenGrain> grain;
  Schedule schedule;
  Figures figures;
  std::vector<Violation> violations;
  const TaskGraph& graph() const { return grain->division.graph; }
};

// Numbers of a table, all in the unit that suits the longest.
class TimeColumn {
 public:
  TimeColumn(const Machine& machine, double longest) : unit_(time_unit(machine, longest)), digits_(machine.in_seconds ? 4 : 6) {}
  std::string title(const std::string& what) const { return fmt::format("{} ({})", what, unit_.name); }
  std::string operator()(double time) const { return fmt::format("{:.{}g}", time / unit_.size, digits_); }

 private:
  TimeUnit unit_;
  int digits_;
};

Json as_json(const ScheduleRow& row) {
  Json json{{"method", row.schedule.method}, {"processors", row.schedule.processors}, {"grain", row.grain->name},
            {"tasks", row.graph().size()}, {"levels", row.figures.levels}, {"makespan", row.figures.makespan},
            {"speedup", row.figures.speedup}, {"efficiency", row.figures.efficiency}, {"idle", row.figures.idle}};
  json["idle_slots"] = row.figures.idle_slots >= 0 ? Json(row.figures.idle_slots) : Json(nullptr);
  json["messages"] = row.figures.messages;
  json["critical_path"] = critical_path(row.graph(), row.machine);
  json["lower_bound"] = row.schedule.lower_bound;
  json["proven_optimal"] = row.schedule.proven_optimal;
  json["valid"] = row.violations.empty();
  if (!row.violations.empty()) {
    json["violations"] = Json::array();
    for (const Violation& v : row.violations) json["violations"].push_back(v.words);
  }
  return json;
}

Json as_json(const Machine& m) {
  Json json{{"name", m.name}, {"unit", m.in_seconds ? "seconds" : "steps"}, {"multiplication", m.multiplication},
            {"addition", m.addition}, {"division", m.division}, {"root", m.root}, {"trigonometric", m.trigonometric},
            {"comparison", m.comparison}, {"overhead", m.overhead}, {"overlap", m.overlap}, {"start_up", m.start_up},
            {"per_hop", m.per_hop}, {"per_byte", m.per_byte}, {"topology", to_string(m.topology)}};
  json["processors"] = m.processors > 0 ? Json(m.processors) : Json(nullptr);
  if (!m.cpu.empty()) {
    json["cpu"] = m.cpu;
    json["date"] = m.date;
    json["line_transfer"] = m.line_transfer;
  }
  return json;
}

// Of all processors' time, what they wait.
double idle_share(const ScheduleRow& row) {
  return row.figures.makespan > 0.0 ? row.figures.idle / (row.schedule.processors * row.figures.makespan) : 0.0;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

// One schedule in all its figures.
void print_one(const ScheduleRow& row) {
  const Machine& machine = row.machine;
  const Figures& f = row.figures;
  const Schedule& s = row.schedule;
  Table table;
  table.add({"tasks", std::to_string(row.graph().size()), row.grain->name});
  table.add({"levels", std::to_string(f.levels), "times at which tasks start"});
  table.add({"makespan", time_text(machine, f.makespan), ""});
  table.add({"speed-up", fmt::format("{:.3f}", f.speedup), fmt::format("one processor: {}", time_text(machine, f.speedup * f.makespan))});
  table.add({"efficiency", percent(f.efficiency), ""});
  table.add({"idle", f.idle_slots >= 0 ? counted(static_cast<std::size_t>(f.idle_slots), "slot") : percent(idle_share(row)), ""});
  table.add({"messages", std::to_string(f.messages), "from one processor to another"});
  table.add({"critical path", time_text(machine, critical_path(row.graph(), machine)), "without messages"});
  table.add({"lower bound", time_text(machine, s.lower_bound),
             s.proven_optimal ? "reached: no schedule is shorter"
                              : fmt::format("the makespan is at most {} above the shortest", percent(f.makespan / s.lower_bound - 1.0))});
  table.add({"valid", row.violations.empty() ? "yes" : "no", "checked task by task, message by message"});
  fmt::print("{}", table.str());
}

void print_many(const std::vector<ScheduleRow>& rows, const std::vector<std::string>& methods, const Machine& machine) {
  double longest = 0.0;
  bool slots = true;
  for (const ScheduleRow& r : rows) {
    longest = std::max(longest, r.figures.makespan);
    slots = slots && r.figures.idle_slots >= 0;
  }
  const TimeColumn time(machine, longest);
  for (const std::string& method : methods) {
    if (methods.size() > 1) fmt::print("{}\n", styled(method, Style::heading, stdout));
    Table table({"processors", "tasks", "levels", time.title("makespan"), time.title("bound"), "speed-up", "efficiency", "idle", "valid"});
    for (const ScheduleRow& r : rows) {
      if (r.schedule.method != method) continue;
      const Figures& f = r.figures;
      table.add({std::to_string(r.schedule.processors), std::to_string(r.graph().size()), std::to_string(f.levels), time(f.makespan),
                 time(r.schedule.lower_bound) + (r.schedule.proven_optimal ? " =" : ""), fmt::format("{:.3f}", f.speedup), percent(f.efficiency),
                 slots ? std::to_string(f.idle_slots) : percent(idle_share(r)), r.violations.empty() ? "yes" : "no"});
    }
    fmt::print("{}\n", table.str());
  }
  if (methods.size() < 2) return;
  // methods side by side
  std::vector<std::string> header{"makespan"};
  header.insert(header.end(), methods.begin(), methods.end());
  header.emplace_back("bound");
  Table table(header);
  std::set<int> counts;
  for (const ScheduleRow& r : rows) counts.insert(r.schedule.processors);
  for (const int p : counts) {
    std::vector<std::string> line{counted(static_cast<std::size_t>(p), "processor")};
    double bound = HUGE_VAL;  // of the finest tasks: it holds for all that are made of them
    for (const std::string& method : methods) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const ScheduleRow& r) {
        return r.schedule.processors == p && r.schedule.method == method;
      });
      line.push_back(time(row->figures.makespan));
      bound = std::min(bound, row->schedule.lower_bound);
    }
    line.push_back(time(bound));
    table.add(line);
  }
  fmt::print("{}\n{}\n", styled(time.title("Makespans"), Style::heading, stdout), table.str());
}

void print_machine(const Machine& machine, bool json) {
  if (json) return print_json(as_json(machine));
  Table table;
  const auto row = [&](const std::string& what, double time) { table.add({what, time_text(machine, time)}); };
  row("multiplication", machine.multiplication);
  row("addition", machine.addition);
  row("division", machine.division);
  row("root", machine.root);
  row("sine, cosine and their kin", machine.trigonometric);
  row("comparison", machine.comparison);
  row("message, until the other core sees it", machine.delay(0, 1, 8, 2));
  row("line of 64 bytes, cache to cache", machine.line_transfer);
  fmt::print("{}: {}, {}, measured {}\n{}", styled(machine.name, Style::heading, stdout), machine.cpu,
             counted(static_cast<std::size_t>(machine.processors), "core"), machine.date, table.str());
}

void write_pictures(const Arguments& arguments, const ScheduleRow& row, const std::string& title) {
  if (arguments.has("--gantt")) {
    const std::string path = arguments.text("--gantt");
    const bool page = ends_with_ignoring_case(path, ".html");
    write_file(path, page ? gantt_html(row.graph(), row.machine, row.schedule, title) : gantt_svg(row.graph(), row.machine, row.schedule, title));
  }
  if (arguments.has("--csv")) write_file(arguments.text("--csv"), gantt_csv(row.graph(), row.schedule));
}

void judge_files(const Arguments& arguments) {
  const std::string gantt = arguments.text("--gantt");
  if (arguments.has("--gantt") && !ends_with_ignoring_case(gantt, ".svg") && !ends_with_ignoring_case(gantt, ".html")) {
    throw Error(ErrorCode::usage, fmt::format("--gantt writes SVG or HTML: name it {0}.svg or {0}.html", gantt));
  }
  require_ending(arguments, "--csv", "CSV", ".csv");
  for (const char* option : {"--gantt", "--csv"}) {
    require_other_file(arguments, option, "MODEL");
    require_other_file(arguments, option, "--machine");
  }
}

int run_schedule(const Arguments& arguments) {
  judge_files(arguments);
  if (arguments.has("--measure-host")) {
    if (!arguments.quiet()) say("measuring this computer: a few seconds, best while it does nothing else");
    const Machine machine = measure_host();
    if (!arguments.has("MODEL")) {
      print_machine(machine, arguments.json());
      return kOk;
    }
  }
  if (!arguments.has("MODEL")) throw Error(ErrorCode::usage, "`schedule` needs MODEL, or --measure-host");
  const Machine machine = load_machine(arguments.text("--machine", "ideal"));
  const std::vector<int> processors = wanted_processors(arguments, machine);
  const double seconds = arguments.number("--time-limit", 10.0);
  if (!(seconds > 0.0) || seconds > 1e6) throw Error(ErrorCode::usage, "--time-limit takes seconds, more than 0");
  const std::string wish = arguments.text("--grain", "auto");
  if (!wish.empty() && std::isdigit(static_cast<unsigned char>(wish[0])) != 0) target_in(wish, machine);  // complains before the work begins
  const std::string method = arguments.text("--method", "heft");
  const std::vector<std::string> methods = method == "all" ? scheduling_methods() : std::vector{method};

  const LoadedModel loaded = load_tree(arguments);
  const std::string function = arguments.text("--function", "inverse");
  require_use_of_frame(arguments, {function});
  const TraceOptions options = read_trace_options(arguments);
  judge_functions(arguments, loaded.model, {function});
  note_long_work(arguments, loaded.model, function);
  const Traced traced = trace_function(loaded.mechanism, function, options);
  const Verification check = verify(traced, kScheduledStates);
  if (!check.passed()) throw Error(ErrorCode::data, fmt::format("the function does not agree with the reference: off by {:.1e}", check.error));

  const OperationCount work = cost(traced.function).operations;
  const double alone = machine.for_code_of(work).duration(work);
  Grains grains(traced.function, wish);
  std::vector<ScheduleRow> rows;
  for (const std::string& m : methods) {
    for (const int p : processors) {
      const Machine suited = machine.for_code_of(work, p);
      auto grain = grains.grain(suited, p, m);
      const TaskGraph& graph = grain->division.graph;
      if (graph.size() == 0) throw Error(ErrorCode::data, fmt::format("`{}` of `{}` has no operations to divide", function, loaded.model.name));
      Schedule schedule = schedule_by(m, graph, suited, p, seconds);
      schedule.method = m;
      Figures f = figures(graph, suited, schedule, alone);
      std::vector<Violation> faults = violations(graph, suited, schedule);
      rows.push_back({suited, std::move(grain), std::move(schedule), f, std::move(faults)});
    }
  }
  const bool valid = std::all_of(rows.begin(), rows.end(), [](const ScheduleRow& r) { return r.violations.empty(); });
  const ScheduleRow& best = *std::min_element(rows.begin(), rows.end(), [](const ScheduleRow& a, const ScheduleRow& b) {
    return a.figures.makespan < b.figures.makespan * (1.0 - 1e-9);
  });
  std::vector<Schedule> schedules;
  for (const ScheduleRow& r : rows) schedules.push_back(r.schedule);
  const Recommendation advice = recommend(best.graph(), machine, schedules);
  write_pictures(arguments, best, fmt::format("{} of {}", function, loaded.model.name));

  if (arguments.json()) {
    Json json{{"model", loaded.model.name}, {"function", function}, {"machine", as_json(machine)}};
    json.update(as_json(best));
    json["schedules"] = Json::array();
    for (const ScheduleRow& r : rows) json["schedules"].push_back(as_json(r));
    json["recommended"] = {{"processors", advice.processors}, {"reason", advice.reason}};
    add_given(arguments, json);
    print_json(json);
    return valid ? kOk : kCheckFailed;
  }
  fmt::print("{} of {} on {}: {}\n\n", styled(function, Style::heading, stdout), loaded.model.name, machine.name,
             machine.summary.empty() ? "a machine of yours" : machine.summary);
  if (rows.size() == 1) {
    print_one(best);
  } else {
    print_many(rows, methods, machine);
  }
  if (processors.size() > 1 || processors[0] > 1) {
    for (const std::string& line : wrap(fmt::format("Recommended: {}, because {}.", counted(static_cast<std::size_t>(advice.processors), "processor"),
                                                    advice.reason), 110)) {
      fmt::print("{}\n", line);
    }
  }
  for (const ScheduleRow& r : rows) {
    for (const Violation& v : r.violations) say_error(fmt::format("{} on {}: {}", r.schedule.method, r.schedule.processors, v.words));
  }
  return valid ? kOk : kCheckFailed;
}

}  // namespace

Command schedule_command() {
  using Kind = Option::Kind;
  std::vector<std::string> methods = scheduling_methods();
  methods.emplace_back("all");
  std::vector<Option> own{
      {"--function", "F", "what is divided, of the functions below; default: inverse", Kind::text, traceable_functions(), "Options"},
      {"--processors", "P", "how many: 4, or 1,2,4, or 1-8, which is the default as far as the machine has them", Kind::text, {}, "Options"},
      {"--method", "METHOD", "of the methods below, or all of them; default: heft", Kind::text, methods, "Options"},
      {"--grain", "GRAIN", "what a task is: one of the grains below, or how long it takes (200ns; a number of steps); default: auto",
       Kind::text, {}, "Options"},
      {"--machine", "MACHINE", "ideal, 8086, t800, t425, host, or a file (docs/machines.md); default: ideal", Kind::text, {}, "Options"},
      {"--time-limit", "SECONDS", "for the search of the method optimal; default: 10", Kind::number, {}, "Options"},
      {"--gantt", "FILE", "the shortest of the schedules as a chart: SVG, or HTML to move the pointer over", Kind::text, {}, "Output"},
      {"--csv", "FILE.csv", "the same as a table, a task a line", Kind::text, {}, "Output"},
      {"--measure-host", "", "measures this computer anew, keeps what it finds as the machine `host`, and prints it", Kind::flag, {}, "Options"}};
  for (Option& o : trace_options()) own.push_back(std::move(o));
  Command c = dynamics_command(std::move(own));
  c.positionals[0].required = false;
  c.name = "schedule";
  c.summary = "one evaluation divided over processors: tasks, schedules, Gantt charts";
  c.description =
      "Divides one evaluation of a function into tasks and says when and where each runs: on an ideal machine, on one of a file, or on "
      "this computer as it was measured. Every schedule is checked: no task before what it waits for has come, one task at a time on a "
      "processor. The speed-up is against one processor that sends nothing; lower bounds hold for every schedule of these tasks.";
  c.sections.push_back({"Methods",
                        {{"tsa", "task streamlining: layer by layer in cycles (Dhanaraj 1990)"},
                         {"hlf", "highest level first, most successors first among equals (Kasahara, Narita 1984)"},
                         {"heft", "earliest finish, with messages, into gaps (Topcuoglu, Hariri, Wu 2002)"},
                         {"cluster", "tasks joined along their heaviest messages, then dealt to processors"},
                         {"optimal", "search with bounds, to the shortest or to the time limit"}}});
  c.sections.push_back({"Grains",
                        {{"instruction", "every operation is a task"},
                         {"tsa", "three operations a task, as far as there are three on a way or side by side"},
                         {"vector", "a vector of the algorithm is a task (Luh, Lin 1982)"},
                         {"body", "what one body needs is a task"},
                         {"auto", "what gives the shortest schedule; for tsa its three operations"}}});
  c.sections.push_back(functions_section());
  c.examples = {"linkwright schedule stanford --processors 1-8", "linkwright schedule puma560 --method all --processors 4",
                "linkwright schedule ur5 --function forward --machine t800 --processors 4 --gantt ur5.svg",
                "linkwright schedule --measure-host", "linkwright schedule humanoid --function mass-matrix --machine host"};
  c.run = run_schedule;
  return c;
}

}  // namespace lw::cli
