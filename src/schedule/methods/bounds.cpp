#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../timeline.hpp"

namespace lw {

namespace {

constexpr int kMostForAncestors = 2000;  // tasks; for more, earliest starts are those of the longest paths alone

constexpr int kMostRounds = 16;  // each round raises a valid bound to a valid bound

// Tasks and their durations, in either direction.
struct Directed {
  const TaskGraph& graph;
  const std::vector<double>& duration;
  const std::vector<int>& order;  // of evaluation
  bool backwards;

  const std::vector<Dependence>& before(int i) const { return backwards ? graph.after(i) : graph.before(i); }
};

// No task can start earlier: its ancestors take their time, on the longest path and on all p processors.
std::vector<double> earliest_starts(const Directed& g, int processors, double unit) {
  const std::size_t n = at(g.graph.size());
  const bool with_ancestors = n <= at(kMostForAncestors);
  std::vector<double> start(n, 0.0);
  const std::size_t words = with_ancestors ? (n + 63) / 64 : 0;
  std::vector<std::uint64_t> ancestors(n * words);  // of each task, one bit per task
  std::vector<int> by_start;
  for (std::size_t k = 0; k < n; ++k) {
    const int task = g.backwards ? g.order[n - 1 - k] : g.order[k];
    double& earliest = start[at(task)];
    for (const Dependence& d : g.before(task)) {
      earliest = std::max(earliest, start[at(d.task)] + g.duration[at(d.task)]);
      const std::size_t own = at(task) * words, other = at(d.task) * words;
      for (std::size_t w = 0; w < words; ++w) ancestors[own + w] |= ancestors[other + w];
      if (with_ancestors) ancestors[own + at(d.task / 64)] |= std::uint64_t{1} << (d.task % 64);
    }
    if (!with_ancestors) continue;
    double work = 0.0;  // of ancestors that start no earlier than the last one added
    for (auto j = by_start.rbegin(); j != by_start.rend(); ++j) {
      if ((ancestors[at(task) * words + at(*j / 64)] >> (*j % 64) & 1) == 0) continue;
      work += g.duration[at(*j)];
      earliest = std::max(earliest, round_up(start[at(*j)] + work / processors, unit));
    }
    const auto place =
        std::partition_point(by_start.begin(), by_start.end(), [&](int j) { return start[at(j)] <= start[at(task)]; });
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

Windows windows(const TaskGraph& graph, const std::vector<double>& duration, int processors) {
  const std::vector<int> order = evaluation_order(graph);
  const double unit = common_unit(duration);
  return {earliest_starts({graph, duration, order, false}, processors, unit),
          earliest_starts({graph, duration, order, true}, processors, unit)};
}

double lower_bound(const TaskGraph& graph, const Machine& machine, int processors) {
  require(processors >= 1, "a schedule needs at least one processor");
  const std::vector<double> duration = durations(graph, machine);
  const double unit = common_unit(duration);
  const auto [head, tail] = windows(graph, duration, processors);
  double bound = round_up(serial_time(graph, machine) / processors, unit);
  const std::size_t n = at(graph.size());
  for (std::size_t i = 0; i < n; ++i) bound = std::max(bound, head[i] + duration[i] + tail[i]);
  const auto most = static_cast<std::size_t>(std::clamp(std::sqrt(1e7 / static_cast<double>(n + 1)), 16.0, 512.0));
  const std::vector<double> from = thinned(head, most), before_end = thinned(tail, most);
  const double rounding = 1e-9 * bound;
  for (int round = 0; round < kMostRounds; ++round) {
    double excess = 0.0;  // of the work that must run in an interval over the work that can
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
