#include "schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "timeline.hpp"

namespace lw {

namespace {

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

  // Placements at an impossible place or time are counted, but not checked further.
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
      report(Violation::Kind::no_time, -1, p.task,
             fmt::format("{} runs from {} to {}", name(p.task), p.start, p.finish));
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
    const Placement* longest = nullptr;  // of the earlier ones on the processor, the one that ends last
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
    if (copies_[at(from)].empty()) return;  // missing or at an impossible place, which is reported already
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
             fmt::format("{} starts before the message of {} has arrived", name(to), name(from)));
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Schedule& schedule_;
  double rounding_;
  std::vector<int> count_;                             // of placements of each task
  std::vector<std::vector<const Placement*>> copies_;  // of each task, those at a possible place and time
  std::vector<const Placement*> sound_;                // all such placements
  std::vector<Violation> found_;
};

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

}  // namespace lw
