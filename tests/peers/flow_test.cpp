// Segments of divided functions, run by oneTBB: the bits that our executor gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/random.hpp"
#include "cli/bench/peers.hpp"
#include "codegen/compile.hpp"
#include "model/read/read.hpp"
#include "schedule/executor.hpp"

namespace lw {
namespace flow_test {

// Messages so cheap that small functions are divided into many segments.
Machine eager() {
  Machine m;
  m.multiplication = m.addition = m.comparison = 1e-9;
  m.division = m.root = m.trigonometric = 5e-9;
  m.start_up = 4e-9;
  m.in_seconds = true;
  return m;
}

TEST(Flow, TheSameTasksGiveTheSameBits) {
  const cli::FlowSearch search = cli::find_flows({LW_PEERS_DIR});
  EXPECT_TRUE(search.failures.empty());
  if (search.found.empty()) GTEST_SKIP() << "oneTBB is not here";
  const std::vector<int> cores = allowed_cores();
  for (const auto& [model, function] :
       {std::pair("puma560", "inverse"), std::pair("quadruped", "forward"), std::pair("chain-6", "mass-matrix")}) {
    ProgramOptions traced;
    traced.trace = native();
    traced.trace.search.trials = 0;
    const Program program = make_program(load(model), {function}, traced);
    const Function& f = program.functions[0];
    for (const int processors : {2, 3}) {
      if (static_cast<int>(cores.size()) < processors) continue;
      ExecutorOptions options;
      options.machine = eager();
      options.patience = 60.0;
      Executor ours(program, processors, options);
      const std::vector<SegmentTask>& segments = ours.tasks(function);
      EXPECT_GT(segments.size(), static_cast<std::size_t>(2 * processors)) << "little is divided";
      std::vector<peer::FlowTask> tasks;
      for (const SegmentTask& t : segments)
        tasks.push_back({t.run, static_cast<int>(t.before.size()), t.before.data()});
      const peer::FlowDescription d{static_cast<int>(tasks.size()), tasks.data(), processors, cores.data()};
      const std::unique_ptr<peer::Flow> theirs(search.found[0].make(&d));
      Random random(5);
      for (int state = 0; state < 200; ++state) {
        std::vector<double> in(f.input_size()), a(f.output_size()), b(f.output_size(), 12345.0);
        for (double& x : in) x = random.between(-1.0, 1.0);
        ours(function, in, a);
        theirs->evaluate(1, ours.shared(function), in.data(), b.data());
        ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
            << model << " on " << processors << ", state " << state;
      }
    }
  }
}

// In any order that their waits allow: here one thread that takes the last task that it may, and so meets every wait.
TEST(Flow, WaitsAreAllThatTasksNeed) {
  ProgramOptions traced;
  traced.trace = native();
  traced.trace.search.trials = 0;
  const Program program = make_program(load("quadruped"), {"forward"}, traced);
  const Function& f = program.functions[0];
  ExecutorOptions options;
  options.machine = eager();
  options.patience = 60.0;
  Executor ours(program, 3, options);
  const std::vector<SegmentTask>& tasks = ours.tasks("forward");
  std::vector<double> in(f.input_size(), 0.3), a(f.output_size()), b(f.output_size(), 12345.0);
  ours("forward", in, a);
  for (const bool last : {false, true}) {
    std::vector<bool> done(tasks.size(), false);
    for (std::size_t count = 0; count < tasks.size(); ++count) {
      std::size_t chosen = tasks.size();
      for (std::size_t t = 0; t < tasks.size() && (last || chosen == tasks.size()); ++t) {
        const bool may = !done[t] && std::all_of(tasks[t].before.begin(), tasks[t].before.end(),
                                                 [&](int k) { return done[static_cast<std::size_t>(k)]; });
        if (may) chosen = t;
      }
      ASSERT_LT(chosen, tasks.size()) << "tasks wait in a circle";
      tasks[chosen].run(ours.shared("forward"), in.data(), b.data());
      done[chosen] = true;
    }
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << last;
  }
}

}  // namespace flow_test
}  // namespace lw
