#include "choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/index.hpp"

namespace lw {
namespace {

constexpr double kBusy = 0.98;
constexpr double kNotWorthIt = 1.05;

bool has_delay(const Machine& machine) {
  return machine.start_up > 0.0 || machine.per_hop > 0.0 || machine.per_byte > 0.0;
}

std::vector<double> starts_of(const Schedule& schedule) {
  std::vector<double> starts;
  for (const Placement& p : schedule.placements) starts.push_back(p.start);
  std::sort(starts.begin(), starts.end());
  return starts;
}

double shortest(const std::vector<Schedule>& schedules, int processors) {
  double best = HUGE_VAL;
  for (const Schedule& s : schedules) {
    if (s.processors == processors) best = std::min(best, s.makespan());
  }
  return best;
}

Recommendation without_messages(const TaskGraph& graph, const Machine& machine, const std::vector<Schedule>& schedules,
                                const std::set<int>& counts) {
  const double alone = serial_time(graph, machine), path = critical_path(graph, machine);
  int best = *counts.begin();
  for (const int p : counts) {
    if (alone / (p * shortest(schedules, p)) >= kBusy) best = p;
  }
  const double time = shortest(schedules, best);
  std::string reason = best == 1 ? "one is always busy"
                                 : fmt::format("they are busy {:.3g} % of the time and {:.3g} times as fast as one",
                                               100.0 * alone / (best * time), alone / time);
  const auto more = counts.upper_bound(best);
  if (more != counts.end()) {
    reason += fmt::format("; {} would be busy {:.3g} %", *more, 100.0 * alone / (*more * shortest(schedules, *more)));
  }
  reason += fmt::format("; no number is faster than the critical path, {}", time_text(machine, path));
  return {best, reason};
}

struct SchedulingMethod {
  const char* name;
  Schedule (*schedule)(const TaskGraph& graph, const Machine& machine, int processors, double seconds);
  bool in_threes = false;  // made for tasks of three operations
};
constexpr SchedulingMethod kMethods[] = {
    {"tsa", [](const TaskGraph& g, const Machine& m, int p, double) { return streamlined(g, m, p); }, true},
    {"hlf", [](const TaskGraph& g, const Machine& m, int p, double) { return highest_level_first(g, m, p); }},
    {"heft", [](const TaskGraph& g, const Machine& m, int p, double) { return earliest_finish(g, m, p); }},
    {"cluster", [](const TaskGraph& g, const Machine& m, int p, double) { return clustered(g, m, p); }},
    {"partition", [](const TaskGraph& g, const Machine& m, int p, double) { return partitioned(g, m, p); }},
    {"optimal",
     [](const TaskGraph& g, const Machine& m, int p, double s) { return optimal(g, m, p, {.seconds = s}); }}};

const SchedulingMethod& method_named(const std::string& name) {
  for (const SchedulingMethod& method : kMethods) {
    if (name == method.name) return method;
  }
  throw Error(ErrorCode::usage, fmt::format("there is no scheduling method `{}`", name));
}

}  // namespace

const std::vector<std::string>& scheduling_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const SchedulingMethod& method : kMethods) list.emplace_back(method.name);
    return list;
  }();
  return names;
}

Schedule schedule_by(const std::string& method, const TaskGraph& graph, const Machine& machine, int processors,
                     double seconds) {
  return method_named(method).schedule(graph, machine, processors, seconds);
}

std::vector<Message> messages(const TaskGraph& graph, const Schedule& schedule) {
  std::vector<const Placement*> of(at(graph.size()), nullptr);
  for (const Placement& p : schedule.placements) of[at(p.task)] = &p;
  std::vector<Message> all;
  for (int t = 0; t < graph.size(); ++t) {
    const Placement* from = of[at(t)];
    if (from == nullptr) continue;
    std::map<int, std::vector<int>> readers;  // by processor
    for (const Dependence& d : graph.after(t)) {
      const Placement* to = of[at(d.task)];
      if (to != nullptr && to->processor != from->processor) readers[to->processor].push_back(d.task);
    }
    for (auto& [processor, tasks] : readers) {
      std::sort(tasks.begin(), tasks.end(), [&](int a, int b) { return of[at(a)]->start < of[at(b)]->start; });
      all.push_back({t, std::move(tasks)});
    }
  }
  return all;
}

Figures figures(const TaskGraph& graph, const Machine& machine, const Schedule& schedule, double alone) {
  Figures f;
  f.makespan = schedule.makespan();
  if (alone <= 0.0) alone = serial_time(graph, machine);
  if (f.makespan > 0.0) f.speedup = alone / f.makespan;
  f.efficiency = f.speedup / schedule.processors;
  double busy = 0.0, least = HUGE_VAL, most = 0.0;
  for (const Placement& p : schedule.placements) {
    busy += p.finish - p.start;
    least = std::min(least, p.finish - p.start);
    most = std::max(most, p.finish - p.start);
  }
  f.idle = std::max(0.0, schedule.processors * f.makespan - busy);
  if (f.idle < 1e-9 * f.makespan) f.idle = 0.0;
  const bool equal = most > 0.0 && most - least <= 1e-9 * most;
  f.idle_slots = equal ? static_cast<int>(std::lround(f.idle / most)) : -1;
  const std::vector<double> starts = starts_of(schedule);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    if (k == 0 || starts[k] - starts[k - 1] > 1e-9 * f.makespan) ++f.levels;
  }
  f.messages = static_cast<int>(messages(graph, schedule).size());
  return f;
}

ChosenGrain choose_grain(const Function& function, const Machine& machine, int processors, const std::string& method) {
  if (method_named(method).in_threes) return {divide(function, Grain::three), "three"};
  if (!has_delay(machine) && machine.overhead == 0.0) return {divide(function, Grain::instruction), "instruction"};
  const double whole = machine.duration(cost(function).operations);
  const double hop = machine.delay(0, 1, 8, std::max(2, processors));
  ChosenGrain best{divide(function, machine, 1.01 * whole + 1e-300), "whole"};
  if (processors < 2) return best;
  double least = whole;
  const auto attempt = [&](Division division, const std::string& name) {
    const Schedule schedule = earliest_finish(division.graph, machine, processors);
    const Figures f = figures(division.graph, machine, schedule);
    // a core that reads a cache line which another has written stalls until it arrives: schedules do not count that
    const double standing = machine.line_transfer > 0.0 ? f.messages * hop / processors : 0.0;
    const double price = f.makespan + standing;
    if (price >= least * (1.0 - 1e-9)) return;
    least = price;
    best = {std::move(division), name};
  };
  // tasks shorter than a sixteenth of a message do not pay off
  const double finest = std::max(hop / 16.0, whole / 1500.0);
  for (double target = whole / (2.0 * processors); target > finest; target /= 2.0) {
    attempt(divide(function, machine, target), fmt::format("{} a task", time_text(machine, target)));
  }
  return best;
}

Recommendation recommend(const TaskGraph& graph, const Machine& machine, const std::vector<Schedule>& schedules) {
  require(!schedules.empty(), "a recommendation needs schedules to choose from");
  std::set<int> counts;
  for (const Schedule& s : schedules) counts.insert(s.processors);
  if (!has_delay(machine)) return without_messages(graph, machine, schedules, counts);
  // one processor needs no tasks
  const double alone = machine.for_code_of(total_work(graph)).duration(total_work(graph));
  double best_time = alone;
  int fastest = 1;
  for (const int p : counts) {
    if (shortest(schedules, p) < best_time) best_time = shortest(schedules, p), fastest = p;
  }
  const std::string hop = time_text(machine, machine.delay(0, 1, 8, std::max(2, *counts.rbegin())));
  if (alone <= kNotWorthIt * best_time) {
    const std::string rest = fastest == 1 ? "no division is faster"
                                          : fmt::format("{} would take {}", fastest, time_text(machine, best_time));
    return {1, fmt::format("a hop costs {} and the whole function {}: {}", hop, time_text(machine, alone), rest)};
  }
  int fewest = fastest;
  for (const int p : counts) {
    if (p < fewest && shortest(schedules, p) <= kNotWorthIt * best_time) fewest = p;
  }
  const double time = shortest(schedules, fewest);
  std::string reason = fmt::format("{} instead of {} on one, {:.3g} times as fast, though a hop costs {}",
                                   time_text(machine, time), time_text(machine, alone), alone / time, hop);
  if (fewest < fastest)
    reason += fmt::format("; {} would gain less than 5 % more", fastest);
  else if (*counts.rbegin() > fastest)
    reason += "; more are no faster";
  return {fewest, reason};
}

std::vector<int> critical_tasks(const TaskGraph& graph, const Machine& machine, const Schedule& schedule) {
  const double tiny = 1e-9 * schedule.makespan();
  std::vector<const Placement*> of(at(graph.size()), nullptr);
  const Placement* last = nullptr;
  for (const Placement& p : schedule.placements) {
    of[at(p.task)] = &p;
    if (last == nullptr || p.finish > last->finish + tiny) last = &p;
  }
  std::vector<int> way;
  std::vector<bool> seen(of.size(), false);
  while (last != nullptr && !seen[at(last->task)]) {
    seen[at(last->task)] = true;
    way.push_back(last->task);
    const Placement* cause = nullptr;
    for (const Dependence& d : graph.before(last->task)) {
      const Placement* b = of[at(d.task)];
      if (b == nullptr) continue;
      if (b->finish + machine.delay(b->processor, last->processor, d.bytes, schedule.processors) >= last->start - tiny)
        cause = b;
    }
    for (const Placement& p : schedule.placements) {
      if (cause == nullptr && p.processor == last->processor && p.finish > last->start - tiny &&
          p.finish < last->start + tiny && !seen[at(p.task)]) {
        cause = &p;
      }
    }
    last = cause;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

TimeUnit time_unit(const Machine& machine, double longest) {
  if (!machine.in_seconds) return {};
  for (const auto& [size, name] : {std::pair{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}) {
    if (longest >= 0.9995 * size) return {size, name};
  }
  return {1e-9, "ns"};
}

std::string time_text(const Machine& machine, double time) {
  const TimeUnit unit = time_unit(machine, time);
  const double number = time / unit.size;
  return fmt::format("{:.{}g} {}", number, machine.in_seconds ? 3 : 6, unit.name);
}

}  // namespace lw
