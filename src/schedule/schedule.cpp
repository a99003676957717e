#include "schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "timeline.hpp"

namespace lw {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

class Validator {
 public:
  Validator(const TaskGraph& graph, const Machine& machine, const Schedule& schedule)
      : graph_(graph), machine_(machine), schedule_(schedule), rounding_(1e-9 * std::max(0.0, schedule.makespan())) {
    copies_.resize(at(graph.size()));
    count_.resize(at(graph.size()));
  }

  std::vector<Violation> run() {
    for (const Placement& p : schedule_.placements) check_alone(p);
    for (int i = 0; i < graph_.size(); ++i) {
      const int count = count_[at(i)];
      if (count == 0) report(Violation::Kind::missing, -1, i, fmt::format("{} is missing", name(i)));
      if (count > 1) report(Violation::Kind::twice, -1, i, fmt::format("{} is placed {} times", name(i), count));
    }
    check_overlaps();
    for (int to = 0; to < graph_.size(); ++to) {
      for (const Dependence& d : graph_.before(to)) check_dependence(d.task, to, d.bytes);
    }
    return std::move(found_);
  }

 private:
  const std::string& name(int task) const { return graph_[task].name; }

  void report(Violation::Kind kind, int from, int to, std::string words) {
    found_.push_back({kind, from, to, std::move(words)});
  }

  // Those that are where and when nothing can be take no part in what follows, but are there.
  void check_alone(const Placement& p) {
    if (p.task < 0 || p.task >= graph_.size()) {
      report(Violation::Kind::unknown, -1, p.task, fmt::format("there is no task number {}", p.task));
      return;
    }
    ++count_[at(p.task)];
    if (p.processor < 0 || p.processor >= schedule_.processors) {
      report(Violation::Kind::no_processor, -1, p.task,
             fmt::format("{} is on processor {} of {}", name(p.task), p.processor + 1, schedule_.processors));
      return;
    }
    if (!std::isfinite(p.start) || !std::isfinite(p.finish) || p.start < -rounding_) {
      report(Violation::Kind::no_time, -1, p.task, fmt::format("{} runs from {} to {}", name(p.task), p.start, p.finish));
      return;
    }
    const double duration = machine_.duration(graph_[p.task].work);
    if (p.finish - p.start < duration - rounding_) {
      report(Violation::Kind::too_short, -1, p.task,
             fmt::format("{} runs for {:g}, but takes {:g}", name(p.task), p.finish - p.start, duration));
    }
    copies_[at(p.task)].push_back(&p);
    sound_.push_back(&p);
  }

  void check_overlaps() {
    std::vector<const Placement*> order = sound_;
    std::stable_sort(order.begin(), order.end(), [](const Placement* a, const Placement* b) {
      if (a->processor != b->processor) return a->processor < b->processor;
      return a->start != b->start ? a->start < b->start : a->finish < b->finish;
    });
    const Placement* longest = nullptr;  // of those before on the processor, the one that ends last
    for (const Placement* p : order) {
      if (longest != nullptr && longest->processor == p->processor && p->start < longest->finish - rounding_ &&
          p->finish > longest->start + rounding_) {
        report(Violation::Kind::overlap, longest->task, p->task,
               fmt::format("{} and {} run at the same time on processor {}", name(longest->task), name(p->task),
                           p->processor + 1));
      }
      if (longest == nullptr || longest->processor != p->processor || p->finish > longest->finish) longest = p;
    }
  }

  void check_dependence(int from, int to, int bytes) {
    bool too_early = false, not_there = false;
    if (copies_[at(from)].empty()) return;  // missing or nowhere, which is said
    for (const Placement* reader : copies_[at(to)]) {
      bool done = false, come = false;
      for (const Placement* writer : copies_[at(from)]) {
        const bool elsewhere = writer->processor != reader->processor;
        const double delay =
            elsewhere ? machine_.delay(writer->processor, reader->processor, bytes, schedule_.processors) : 0.0;
        done = done || writer->finish <= reader->start + rounding_;
        come = come || writer->finish + delay <= reader->start + rounding_;
      }
      too_early = too_early || !done;
      not_there = not_there || !come;
    }
    if (too_early) {
      report(Violation::Kind::precedence, from, to, fmt::format("{} starts before {} is done", name(to), name(from)));
    } else if (not_there) {
      report(Violation::Kind::message, from, to,
             fmt::format("{} starts before what {} sends has come", name(to), name(from)));
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Schedule& schedule_;
  double rounding_;
  std::vector<int> count_;                             // of placements of each task
  std::vector<std::vector<const Placement*>> copies_;  // of each task, those that are somewhere at some time
  std::vector<const Placement*> sound_;                // all of these
  std::vector<Violation> found_;
};

// --- bounds

constexpr int kMostForAncestors = 2000;  // tasks, beyond which earliest starts are those of the longest ways alone

constexpr int kMostRounds = 16;          // in which a bound is raised: it is one after each

// Tasks and their durations, either way round.
struct Directed {
  const TaskGraph& graph;
  const std::vector<double>& duration;
  const std::vector<int>& order;  // of evaluation
  bool backwards;

  const std::vector<Dependence>& before(int i) const { return backwards ? graph.after(i) : graph.before(i); }
};

// No task can start earlier: what is before it takes its time, on the longest way and on all p processors.
std::vector<double> earliest_starts(const Directed& g, int processors, double unit) {
  const std::size_t n = at(g.graph.size());
  const bool with_ancestors = n <= at(kMostForAncestors);
  std::vector<double> start(n, 0.0);
  std::vector<std::vector<bool>> ancestors(with_ancestors ? n : 0, std::vector<bool>(with_ancestors ? n : 0));
  std::vector<int> by_start;
  for (std::size_t k = 0; k < n; ++k) {
    const int task = g.backwards ? g.order[n - 1 - k] : g.order[k];
    double& earliest = start[at(task)];
    for (const Dependence& d : g.before(task)) {
      earliest = std::max(earliest, start[at(d.task)] + g.duration[at(d.task)]);
      if (!with_ancestors) continue;
      ancestors[at(task)][at(d.task)] = true;
      for (std::size_t j = 0; j < n; ++j) {
        if (ancestors[at(d.task)][j]) ancestors[at(task)][j] = true;
      }
    }
    if (!with_ancestors) continue;
    double work = 0.0;  // of those before that start no earlier than the last one added
    for (auto j = by_start.rbegin(); j != by_start.rend(); ++j) {
      if (!ancestors[at(task)][at(*j)]) continue;
      work += g.duration[at(*j)];
      earliest = std::max(earliest, round_up(start[at(*j)] + work / processors, unit));
    }
    const auto place = std::partition_point(by_start.begin(), by_start.end(),
                                            [&](int j) { return start[at(j)] <= start[at(task)]; });
    by_start.insert(place, task);
  }
  return start;
}

// Distinct values, at most so many of them, first and last included.
std::vector<double> thinned(std::vector<double> values, std::size_t most) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= most) return values;
  std::vector<double> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(values[k * (values.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace

double Schedule::makespan() const {
  double latest = 0.0;
  for (const Placement& p : placements) latest = std::max(latest, p.finish);
  return latest;
}

std::vector<Violation> violations(const TaskGraph& graph, const Machine& machine, const Schedule& schedule) {
  return Validator(graph, machine, schedule).run();
}

std::vector<double> bottom_levels(const TaskGraph& graph, const Machine& machine) {
  std::vector<double> level = durations(graph, machine);
  const std::vector<double> duration = level;
  const std::vector<int> order = evaluation_order(graph);
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const Dependence& d : graph.after(*task)) {
      level[at(*task)] = std::max(level[at(*task)], duration[at(*task)] + level[at(d.task)]);
    }
  }
  return level;
}

double critical_path(const TaskGraph& graph, const Machine& machine) {
  double longest = 0.0;
  for (const double level : bottom_levels(graph, machine)) longest = std::max(longest, level);
  return longest;
}

double serial_time(const TaskGraph& graph, const Machine& machine) {
  double sum = 0.0;
  for (const double d : durations(graph, machine)) sum += d;
  return sum;
}

double lower_bound(const TaskGraph& graph, const Machine& machine, int processors) {
  require(processors >= 1, "a schedule needs at least one processor");
  const std::vector<double> duration = durations(graph, machine);
  const std::vector<int> order = evaluation_order(graph);
  const double unit = common_unit(duration);
  const std::vector<double> head = earliest_starts({graph, duration, order, false}, processors, unit);
  const std::vector<double> tail = earliest_starts({graph, duration, order, true}, processors, unit);  // after its end
  double bound = round_up(serial_time(graph, machine) / processors, unit);
  const std::size_t n = at(graph.size());
  for (std::size_t i = 0; i < n; ++i) bound = std::max(bound, head[i] + duration[i] + tail[i]);
  const auto most = static_cast<std::size_t>(std::clamp(std::sqrt(1e7 / static_cast<double>(n + 1)), 16.0, 512.0));
  const std::vector<double> from = thinned(head, most), before_end = thinned(tail, most);
  const double rounding = 1e-9 * bound;
  for (int round = 0; round < kMostRounds; ++round) {
    double excess = 0.0;  // of what must run in an interval over what can, in time on all processors
    for (const double a : from) {
      for (const double to_end : before_end) {
        const double b = bound - to_end;
        if (b <= a) continue;
        double work = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          const double latest = bound - tail[i] - duration[i];
          work += std::max(0.0, std::min({head[i] + duration[i] - a, b - latest, duration[i], b - a}));
        }
        excess = std::max(excess, work / processors - (b - a));
      }
    }
    if (excess <= rounding) break;
    bound = round_up(bound + excess, unit);
  }
  return bound;
}

}  // namespace lw
