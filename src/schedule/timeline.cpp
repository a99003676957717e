#include "timeline.hpp"

#include <algorithm>
#include <cmath>

#include "../base/error.hpp"
#include "../base/index.hpp"

namespace lw {

std::vector<double> durations(const TaskGraph& graph, const Machine& machine) {
  std::vector<double> list;
  list.reserve(at(graph.size()));
  for (int i = 0; i < graph.size(); ++i) {
    list.push_back(machine.duration(graph[i].work));
    if (!(list.back() >= 0.0) || !std::isfinite(list.back())) {
      throw Error(ErrorCode::data,
                  "task " + graph[i].name + " has a negative or invalid duration on machine " + machine.name);
    }
  }
  return list;
}

double common_unit(const std::vector<double>& durations) {
  double largest = 0.0, unit = 0.0;
  for (const double d : durations) largest = std::max(largest, d);
  const double rounding = 1e-9 * largest;
  for (double d : durations) {
    while (d > rounding) {  // Euclid; remainders within rounding of 0 or of the divisor count as 0
      if (unit == 0.0) {
        unit = d;
        break;
      }
      double rest = std::fmod(d, unit);
      if (unit - rest <= rounding) rest = 0.0;
      if (rest <= rounding) break;
      d = std::exchange(unit, rest);
    }
  }
  return unit > 1e-4 * largest ? unit : 0.0;
}

double round_up(double time, double unit) {
  if (unit <= 0.0) return time;
  return unit * std::ceil(time / unit - 1e-6);
}

bool has_messages(const TaskGraph& graph, const Machine& machine, int processors) {
  int bytes = -1;
  for (int i = 0; i < graph.size(); ++i) {
    for (const Dependence& d : graph.after(i)) bytes = std::max(bytes, d.bytes);
  }
  if (bytes < 0) return false;
  for (int i = 0; i < processors; ++i) {
    for (int j = 0; j < processors; ++j) {
      if (i != j && machine.delay(i, j, bytes, processors) > 0.0) return true;
    }
  }
  return false;
}

double MeanDelay::operator()(int bytes) const {
  if (processors_ < 2) return 0.0;
  const auto [known, is_new] = known_.try_emplace(bytes, 0.0);
  if (is_new) {
    double sum = 0.0;
    for (int i = 0; i < processors_; ++i) {
      for (int j = 0; j < processors_; ++j) {
        if (i != j) sum += machine_.delay(i, j, bytes, processors_);
      }
    }
    known->second = sum / (processors_ * (processors_ - 1));
  }
  return known->second;
}

std::vector<int> by_upward_rank(const TaskGraph& graph, const Machine& machine, int processors) {
  const std::vector<double> duration = durations(graph, machine);
  const MeanDelay delay(machine, processors);
  std::vector<double> rank(duration.size());
  std::vector<int> order = evaluation_order(graph);
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    double after = 0.0;
    for (const Dependence& d : graph.after(*task)) after = std::max(after, delay(d.bytes) + rank[at(d.task)]);
    rank[at(*task)] = duration[at(*task)] + after;
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank[at(a)] > rank[at(b)]; });
  return order;
}

Timeline::Timeline(const TaskGraph& graph, const Machine& machine, int processors)
    : graph_(graph), machine_(machine), durations_(lw::durations(graph, machine)), of_task_(at(graph.size()), -1) {
  require(processors >= 1, "a schedule needs at least one processor");
  busy_.resize(at(processors));
}

const Placement& Timeline::placement(int task) const { return placements_[at(of_task_[at(task)])]; }

double Timeline::arrival(int task, int processor) const {
  double time = 0.0;
  for (const Dependence& d : graph_.before(task)) {
    const Placement& from = placement(d.task);
    const double delay = from.processor == processor
                             ? 0.0
                             : machine_.delay(from.processor, processor, d.bytes, static_cast<int>(busy_.size()));
    time = std::max(time, from.finish + delay);
  }
  return time;
}

double Timeline::available(int processor) const {
  return busy_[at(processor)].empty() ? 0.0 : busy_[at(processor)].back().second;
}

double Timeline::gap(int processor, double ready, double duration) const {
  const auto& busy = busy_[at(processor)];
  // Skips tasks that end by `ready`.
  auto next = std::partition_point(busy.begin(), busy.end(), [&](const auto& span) { return span.second <= ready; });
  double start = ready;
  for (; next != busy.end() && next->first < start + duration; ++next) start = std::max(start, next->second);
  return start;
}

void Timeline::place(int task, int processor, double start) {
  const double end = start + durations_[at(task)];
  auto& busy = busy_[at(processor)];
  const auto after = std::partition_point(busy.begin(), busy.end(), [&](const auto& span) {
    return span.first < start || (span.first == start && span.second <= end);
  });
  busy.insert(after, {start, end});
  of_task_[at(task)] = static_cast<int>(placements_.size());
  placements_.push_back({task, processor, start, end});
}

Schedule Timeline::schedule(std::string method) const {
  Schedule s;
  s.method = std::move(method);
  s.processors = static_cast<int>(busy_.size());
  s.placements = placements_;
  std::stable_sort(s.placements.begin(), s.placements.end(), [](const Placement& a, const Placement& b) {
    return a.start != b.start ? a.start < b.start : a.processor < b.processor;
  });
  s.lower_bound = lower_bound(graph_, machine_, s.processors);
  s.proven_optimal = s.makespan() <= s.lower_bound * (1.0 + 1e-9);
  return s;
}

ReadyTasks::ReadyTasks(const TaskGraph& graph, std::vector<int> list)
    : graph_(graph), list_(std::move(list)), position_(list_.size()) {
  for (std::size_t k = 0; k < list_.size(); ++k) position_[at(list_[k])] = static_cast<int>(k);
  for (int i = 0; i < graph.size(); ++i) {
    waiting_for_.push_back(static_cast<int>(graph.before(i).size()));
    if (waiting_for_.back() == 0) ready_.insert(position_[at(i)]);
  }
}

void ReadyTasks::take(int position) {
  ready_.erase(position);
  for (const Dependence& d : graph_.after(task(position))) {
    if (--waiting_for_[at(d.task)] == 0) ready_.insert(position_[at(d.task)]);
  }
}

}  // namespace lw
