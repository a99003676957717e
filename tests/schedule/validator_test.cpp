// What is wrong with a schedule is found, named, and nothing else: valid schedules, each spoilt in one way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "schedule/schedule.hpp"
#include "support/random_tasks.hpp"

namespace lw {
namespace validator_test {

using Kind = Violation::Kind;

Machine talkative() {
  Machine m;
  m.start_up = 2.0;
  m.per_byte = 0.125;
  return m;
}

bool has(const std::vector<Violation>& list, Kind kind, int from, int to) {
  return std::any_of(list.begin(), list.end(), [&](const Violation& v) {
    return v.kind == kind && v.from == from && v.to == to && !v.words.empty();
  });
}
bool only(const std::vector<Violation>& list, Kind kind, int from, int to) {
  return list.size() == 1 && has(list, kind, from, to);
}

class Spoilt : public testing::TestWithParam<int> {
 protected:
  const TaskGraph graph = random_tasks(static_cast<std::uint64_t>(GetParam()), {.tasks = 25, .density = 0.1});
  const Machine machine = talkative();
  const Schedule valid = earliest_finish(graph, machine, 3);

  std::vector<Violation> after(const std::function<void(Schedule&)>& spoil) const {
    Schedule s = valid;
    spoil(s);
    return violations(graph, machine, s);
  }
  std::size_t find(int task) const {
    for (std::size_t k = 0; k < valid.placements.size(); ++k) {
      if (valid.placements[k].task == task) return k;
    }
    return valid.placements.size();
  }
  const Placement& of(int task) const { return valid.placements[find(task)]; }
};

TEST_P(Spoilt, ValidToBeginWith) { EXPECT_TRUE(violations(graph, machine, valid).empty()); }

TEST_P(Spoilt, Missing) {
  for (int task = 0; task < graph.size(); ++task) {
    EXPECT_TRUE(only(
        after([&](Schedule& s) { s.placements.erase(s.placements.begin() + static_cast<std::ptrdiff_t>(find(task))); }),
        Kind::missing, -1, task));
  }
}

TEST_P(Spoilt, Twice) {
  for (int task = 0; task < graph.size(); ++task) {
    const auto found = after([&](Schedule& s) {
      Placement again = of(task);
      const double shift = valid.makespan() + 100.0;
      again.start += shift;
      again.finish += shift;
      s.placements.push_back(again);
    });
    EXPECT_TRUE(only(found, Kind::twice, -1, task));
  }
}

TEST_P(Spoilt, UnknownTaskOrProcessorOrTime) {
  EXPECT_TRUE(only(after([&](Schedule& s) { s.placements.push_back({99, 0, 1e3, 1e3 + 1}); }), Kind::unknown, -1, 99));
  EXPECT_TRUE(only(after([&](Schedule& s) { s.placements.push_back({-1, 0, 1e3, 1e3 + 1}); }), Kind::unknown, -1, -1));
  for (int task = 0; task < graph.size(); ++task) {
    const std::size_t k = find(task);
    EXPECT_TRUE(only(after([&](Schedule& s) { s.placements[k].processor = 3; }), Kind::no_processor, -1, task));
    EXPECT_TRUE(only(after([&](Schedule& s) { s.placements[k].processor = -1; }), Kind::no_processor, -1, task));
    EXPECT_TRUE(has(after([&](Schedule& s) { s.placements[k].start = std::nan(""); }), Kind::no_time, -1, task));
    EXPECT_TRUE(has(after([&](Schedule& s) { s.placements[k].start = -1.0; }), Kind::no_time, -1, task));
  }
}

TEST_P(Spoilt, TooShort) {
  for (int task = 0; task < graph.size(); ++task) {
    EXPECT_TRUE(only(after([&](Schedule& s) { s.placements[find(task)].finish -= 0.5; }), Kind::too_short, -1, task));
  }
}

TEST_P(Spoilt, TwoAtOneTime) {
  // each task begins together with the one before it on its processor
  for (int task = 0; task < graph.size(); ++task) {
    const Placement* previous = nullptr;
    for (const Placement& p : valid.placements) {
      if (p.processor == of(task).processor && p.start < of(task).start) previous = &p;
    }
    if (previous == nullptr) continue;
    const auto found = after([&](Schedule& s) {
      Placement& p = s.placements[find(task)];
      p.finish += previous->finish - 0.5 - p.start;
      p.start = previous->finish - 0.5;
    });
    EXPECT_TRUE(has(found, Kind::overlap, previous->task, task));
  }
}

TEST_P(Spoilt, TooEarlyForATaskOrForItsMessage) {
  int messages = 0, precedences = 0;
  for (int to = 0; to < graph.size(); ++to) {
    for (const Dependence& d : graph.before(to)) {
      const Placement from = of(d.task);
      const auto moved = [&](double start, int processor) {
        return after([&](Schedule& s) {
          Placement& p = s.placements[find(to)];
          p.finish += start - p.start;
          p.start = start;
          p.processor = processor;
        });
      };
      EXPECT_TRUE(has(moved(from.finish - 0.5, from.processor), Kind::precedence, d.task, to));
      ++precedences;
      const int elsewhere = (from.processor + 1) % 3;
      const double come = from.finish + machine.delay(from.processor, elsewhere, d.bytes, 3);
      EXPECT_TRUE(has(moved(come - 0.1, elsewhere), Kind::message, d.task, to));
      EXPECT_FALSE(has(moved(come, elsewhere), Kind::message, d.task, to));
      EXPECT_FALSE(has(moved(from.finish, from.processor), Kind::message, d.task, to));
      ++messages;
    }
  }
  EXPECT_GT(messages, 5);
  EXPECT_GT(precedences, 5);
}

TEST_P(Spoilt, AnEarlierCopyServes) {
  for (int to = 0; to < graph.size(); ++to) {
    for (const Dependence& d : graph.before(to)) {
      // the task is done again, late: those that wait for it had it in time
      const auto found = after([&](Schedule& s) { s.placements.push_back({d.task, 0, 1e4, 1e4 + 10}); });
      EXPECT_FALSE(has(found, Kind::precedence, d.task, to));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, Spoilt, testing::Range(0, 12));

}  // namespace validator_test
}  // namespace lw
