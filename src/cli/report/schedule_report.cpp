#include "schedule_report.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {
namespace {

// Numbers of a table, all in the unit that suits the longest.
class TimeColumn {
 public:
  TimeColumn(const Machine& machine, double longest)
      : unit_(time_unit(machine, longest)), digits_(machine.in_seconds ? 4 : 6) {}
  std::string title(const std::string& what) const { return fmt::format("{} ({})", what, unit_.name); }
  std::string operator()(double time) const { return fmt::format("{:.{}g}", time / unit_.size, digits_); }

 private:
  TimeUnit unit_;
  int digits_;
};

// Of all processors' time, what they wait.
double idle_share(const ScheduleRow& row) {
  return row.figures.makespan > 0.0 ? row.figures.idle / (row.schedule.processors * row.figures.makespan) : 0.0;
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace

Json schedule_json(const ScheduleRow& row) {
  Json json{
      {"method", row.schedule.method},  {"processors", row.schedule.processors}, {"grain", row.grain->name},
      {"tasks", row.graph().size()},    {"levels", row.figures.levels},          {"makespan", row.figures.makespan},
      {"speedup", row.figures.speedup}, {"efficiency", row.figures.efficiency},  {"idle", row.figures.idle}};
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

Json schedule_json(const Machine& m) {
  Json json{{"name", m.name},
            {"unit", m.in_seconds ? "seconds" : "steps"},
            {"multiplication", m.multiplication},
            {"addition", m.addition},
            {"division", m.division},
            {"root", m.root},
            {"trigonometric", m.trigonometric},
            {"comparison", m.comparison},
            {"overhead", m.overhead},
            {"overlap", m.overlap},
            {"start_up", m.start_up},
            {"per_hop", m.per_hop},
            {"per_byte", m.per_byte},
            {"topology", to_string(m.topology)}};
  json["processors"] = m.processors > 0 ? Json(m.processors) : Json(nullptr);
  if (!m.cpu.empty()) {
    json["cpu"] = m.cpu;
    json["date"] = m.date;
    json["line_transfer"] = m.line_transfer;
  }
  return json;
}

void print_one(const ScheduleRow& row) {
  const Machine& machine = row.machine;
  const Figures& f = row.figures;
  const Schedule& s = row.schedule;
  Table table;
  table.add({"tasks", std::to_string(row.graph().size()), row.grain->name});
  table.add({"levels", std::to_string(f.levels), "distinct start times of tasks"});
  table.add({"makespan", time_text(machine, f.makespan), ""});
  table.add({"speed-up", fmt::format("{:.3f}", f.speedup),
             fmt::format("one processor: {}", time_text(machine, f.speedup * f.makespan))});
  table.add({"efficiency", percent(f.efficiency), ""});
  table.add({"idle",
             f.idle_slots >= 0 ? counted(static_cast<std::size_t>(f.idle_slots), "slot") : percent(idle_share(row)),
             ""});
  table.add({"messages", std::to_string(f.messages), "from one processor to another"});
  table.add({"critical path", time_text(machine, critical_path(row.graph(), machine)), "without messages"});
  table.add({"lower bound", time_text(machine, s.lower_bound),
             s.proven_optimal ? "reached: the schedule is optimal"
                              : fmt::format("the makespan is at most {} above the optimum",
                                            percent(f.makespan / s.lower_bound - 1.0))});
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
    Table table({"processors", "tasks", "levels", time.title("makespan"), time.title("bound"), "speed-up", "efficiency",
                 "idle", "valid"});
    for (const ScheduleRow& r : rows) {
      if (r.schedule.method != method) continue;
      const Figures& f = r.figures;
      table.add({std::to_string(r.schedule.processors), std::to_string(r.graph().size()), std::to_string(f.levels),
                 time(f.makespan), time(r.schedule.lower_bound) + (r.schedule.proven_optimal ? " =" : ""),
                 fmt::format("{:.3f}", f.speedup), percent(f.efficiency),
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
  if (json) return print_json(schedule_json(machine));
  Table table;
  const auto row = [&](const std::string& what, double time) { table.add({what, time_text(machine, time)}); };
  row("multiplication", machine.multiplication);
  row("addition", machine.addition);
  row("division", machine.division);
  row("root", machine.root);
  row("sine, cosine and related functions", machine.trigonometric);
  row("comparison", machine.comparison);
  row("message, until the other core has read it", machine.delay(0, 1, 8, 2));
  row("each additional line of 64 bytes", machine.line_transfer);
  fmt::print("{}: {}, {}, measured {}\n{}", styled(machine.name, Style::heading, stdout), machine.cpu,
             counted(static_cast<std::size_t>(machine.processors), "core"), machine.date, table.str());
}

}  // namespace lw::cli
