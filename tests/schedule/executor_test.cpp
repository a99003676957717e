// Functions on several cores: the bits of one, whatever the division; nothing that races, nothing that hangs.
#include "schedule/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/compile.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/scratch.hpp"
#include "support/wished.hpp"

namespace lw {
namespace executor_test {

// A machine like this one, with messages so cheap that even small functions are divided.
Machine eager() {
  Machine m;
  m.name = "eager";
  m.multiplication = m.addition = m.comparison = 1e-9;
  m.division = m.root = m.trigonometric = 5e-9;
  m.start_up = 4e-9;
  m.per_byte = 0.01e-9;
  m.in_seconds = true;
  return m;
}

// The thread sanitizer must see what generated code does, too: it is there that processors wait for each other.
ExecutorOptions watched() {
  ExecutorOptions options;
#ifdef __SANITIZE_THREAD__
  options.jit.flags.push_back("-fsanitize=thread");
#endif
  return options;
}

Program program_of(const std::string& model, const std::string& function, bool friction = false) {
  ProgramOptions options;
  options.trace = native();
  options.trace.search.trials = 0;
  options.trace.friction = friction;
  return make_program(load(model), {function}, options);
}

std::vector<double> inputs_at(const Model<double>& model, const Function& f, Random& random) {
  const State s = random_state(model, random);
  std::vector<double> in(s.q.begin(), s.q.end());
  for (const auto* more : {&s.qd, &s.qdd}) {
    if (in.size() < f.input_size()) in.insert(in.end(), more->begin(), more->end());
  }
  EXPECT_EQ(in.size(), f.input_size());
  return in;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (std::memcmp(&a[k], &b[k], sizeof(double)) != 0 && !(std::isnan(a[k]) && std::isnan(b[k]))) return false;
  }
  return true;
}

struct Case {
  const char *model, *function;
  bool friction = false;
};
class Executors : public ::testing::TestWithParam<Case> {};

TEST_P(Executors, GiveTheBitsOfOneProcessor) {
  const Program program = program_of(GetParam().model, GetParam().function, GetParam().friction);
  const Function& f = program.functions[0];
  const Model<double> model = instantiate<double>(load(GetParam().model));
  Interpreter<double> interpreter(f);
  for (const int processors : {1, 2, 3}) {
    ExecutorOptions options = watched();
    options.machine = eager();
    options.patience = 60.0;
    Executor run(program, processors, options);
    if (processors > 1) {
      EXPECT_GT(run.predicted(f.name()).messages, 0) << "nothing is divided";
    }
    Random random(7);
    std::vector<double> exact(f.output_size()), got(f.output_size());
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> in = inputs_at(model, f, random);
      interpreter(in, exact);
      std::fill(got.begin(), got.end(), 12345.0);
      run(f.name(), in, got);
      ASSERT_TRUE(same_bits(exact, got)) << processors << " processors, state " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Executors,
                         ::testing::Values(Case{"puma560", "inverse"}, Case{"puma560", "forward"},
                                           Case{"ur5", "inverse-derivatives"}, Case{"quadruped", "forward"},
                                           Case{"humanoid", "inverse"}, Case{"tree-9", "forward"},
                                           Case{"puma560-dhanaraj", "forward", true}, Case{"stanford", "kinematics"}),
                         [](const auto& of) {
                           std::string name = std::string(of.param.model) + "_" + of.param.function;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

// Every result is written by one processor, every message by one, and nobody waits for a segment that comes later than
// its own.
TEST(Divided, IsCompleteAndAcyclic) {
  for (const auto& [model, function] :
       {std::pair("puma560", "inverse"), std::pair("quadruped", "forward"), std::pair("chain-6", "mass-matrix")}) {
    const Program program = program_of(model, function);
    const Function& f = program.functions[0];
    for (const int processors : {2, 5}) {
      const DividedFunction divided = divide_over(f, eager(), processors);
      ASSERT_EQ(divided.shares.size(), static_cast<std::size_t>(processors));
      std::vector<int> writers(f.output_size() + divided.exchanged, 0);
      std::set<std::size_t> read;
      for (const Share& share : divided.shares) {
        const NodeId elsewhere = share.elsewhere();
        for (std::size_t r = 0; r < writers.size(); ++r) writers[r] += share.function.results()[r] != elsewhere ? 1 : 0;
        for (const NodeId id : share.function.order()) {
          const Node& n = share.function.graph()[id];
          if (n.op == Op::input && n.a >= f.input_size() && id != elsewhere) read.insert(n.a - f.input_size());
          for_each_operand(share.function.graph(), id,
                           [&](NodeId o) { EXPECT_LE(share.segment_of[o], share.segment_of[id]); });
        }
      }
      for (std::size_t r = 0; r < f.output_size(); ++r) EXPECT_EQ(writers[r], 1) << "result " << r;
      for (const std::size_t k : read) EXPECT_EQ(writers[f.output_size() + k], 1) << "message " << k;
      // segments as one would run them with one thread: whoever can go on does, until all are done
      std::vector<std::size_t> done(divided.shares.size(), 0);
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t p = 0; p < done.size(); ++p) {
          if (done[p] == divided.shares[p].segments.size()) continue;
          const auto& waits = divided.shares[p].segments[done[p]].waits;
          const bool can = std::all_of(waits.begin(), waits.end(), [&](const Segment::Wait& w) {
            EXPECT_TRUE(divided.shares[static_cast<std::size_t>(w.processor)]
                            .segments[static_cast<std::size_t>(w.segment)]
                            .is_needed);
            return done[static_cast<std::size_t>(w.processor)] > static_cast<std::size_t>(w.segment);
          });
          if (!can) continue;
          ++done[p];
          moved = true;
        }
      }
      for (std::size_t p = 0; p < done.size(); ++p)
        EXPECT_EQ(done[p], divided.shares[p].segments.size()) << "processor " << p << " hangs";
    }
  }
}

// LINKWRIGHT_STRESS=10000000 for as many evaluations.
TEST(Executor, SurvivesStress) {
  const long count = wished("LINKWRIGHT_STRESS", 20000);
  const Program program = program_of("puma560", "inverse");
  const Function& f = program.functions[0];
  const Model<double> model = instantiate<double>(load("puma560"));
  ExecutorOptions options = watched();
  options.machine = eager();
  options.patience = 60.0;
  Executor run(program, 2, options);
  Compiled serial = jit(program);
  constexpr std::size_t kStates = 64;
  Random random(3);
  std::vector<std::vector<double>> in, exact;
  for (std::size_t k = 0; k < kStates; ++k) {
    in.push_back(inputs_at(model, f, random));
    exact.emplace_back(f.output_size());
    serial(f.name(), in[k], exact[k]);
  }
  std::vector<double> got(f.output_size());
  long wrong = 0;
  for (long k = 0; k < count; ++k) {
    const std::size_t which = static_cast<std::size_t>(k * 37) % kStates;
    run(f.name(), in[which], got);
    wrong += std::memcmp(got.data(), exact[which].data(), got.size() * sizeof(double)) != 0 ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << "of " << count;
}

TEST(Executor, WakesWorkersThatSleep) {
  const Program program = program_of("puma560", "inverse");
  ExecutorOptions options = watched();
  options.machine = eager();
  options.spin = 0.0;
  options.patience = 60.0;
  Executor run(program, 2, options);
  std::vector<double> in(program.functions[0].input_size(), 0.1), out(program.functions[0].output_size());
  for (int k = 0; k < 20; ++k) {
    struct timespec nap {
      0, 2000000
    };
    nanosleep(&nap, nullptr);
    run("inverse", in, out);
  }
}

TEST(Executor, ReportsAWorkerThatStalls) {
  const Program program = program_of("puma560", "inverse");
  ExecutorOptions options = watched();
  options.machine = eager();
  options.patience = 0.05;
  Executor run(program, 2, options);
  std::vector<double> in(program.functions[0].input_size(), 0.1), out(program.functions[0].output_size());
  run.stall(1, 0.3);
  for (int k = 0; k < 2; ++k) {
    try {
      run("inverse", in, out);
      FAIL() << "did not notice";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::data);
      EXPECT_NE(std::string(e.what()).find(k == 0 ? "processor 1 of 2" : "make another"), std::string::npos)
          << e.what();
    }
  }
  // who comes late finds that it is over, and leaves the caller's memory alone
  std::fill(out.begin(), out.end(), 7.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(out, std::vector<double>(out.size(), 7.0));
}

// Workers who are about to fall asleep when the next evaluation begins.
TEST(Executor, MissesNoCallWhileAWorkerFallsAsleep) {
  const Program program = program_of("puma560", "inverse");
  ExecutorOptions options = watched();
  options.machine = eager();
  options.spin = 0.0;
  Executor run(program, 2, options);
  std::vector<double> in(program.functions[0].input_size(), 0.1), out(program.functions[0].output_size());
  Random random(3);
  for (int k = 0; k < 3000; ++k) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(random.between(0.0, 200e-6));
    while (std::chrono::steady_clock::now() < until) {}
    run("inverse", in, out);  // throws where the worker did not wake up
  }
}

// Without our library: two threads of a user's own program, warnings as errors, under the thread sanitizer.
TEST(EmitDivided, CompilesCleanAndDoesNotRace) {
  if (find_program("gcc").empty()) GTEST_SKIP() << "no gcc";
  const Program program = program_of("puma560", "inverse");
  const DividedFunction divided = divide_over(program.functions[0], eager(), 2);
  const Scratch scratch;
  const auto put = [&](const std::string& name, const std::string& text) {
    std::ofstream(scratch.path / name) << text;
  };
  for (const Artefact& a : emit_divided(program, {divided})) put(a.path, a.text);
  put("main.c", R"(#include "puma560_p2.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static puma560_inverse_shared shared;
static double q[6], qd[6], qdd[6], tau[6];
static atomic_int started;
static void *other(void *none) {
  for (int k = 0; k < 2000; ++k) {
    while (atomic_load(&started) <= k) {}
    if (puma560_inverse_on(1, (unsigned long long)k, &shared, q, qd, qdd, tau)) return &shared;
  }
  return none;
}
int main(void) {
  pthread_t thread;
  double first[6];
  for (int k = 0; k < 6; ++k) q[k] = qd[k] = qdd[k] = 0.1 * (k + 1);
  if (pthread_create(&thread, NULL, other, NULL)) return 1;
  for (int k = 0; k < 2000; ++k) {
    atomic_store(&started, k + 1);
    if (puma560_inverse_on(0, (unsigned long long)k, &shared, q, qd, qdd, tau)) return 2;
    if (k == 0) memcpy(first, tau, sizeof tau);
    if (memcmp(first, tau, sizeof tau)) return 3;
    memset(tau, 0, sizeof tau);
  }
  void *result;
  pthread_join(thread, &result);
  printf("done\n");
  return result != NULL;
}
)");
  for (const char* compiler : {"gcc", "clang"}) {
    if (find_program(compiler).empty()) continue;
    const Finished strict =
        run_program({compiler, "-std=c11", "-O1", "-march=native", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic",
                     "-Werror", "-ffp-contract=off", "-c", "puma560_p2.c", "-o", "strict.o"},
                    scratch.path.string());
    EXPECT_EQ(strict.status, 0) << compiler << ":\n" << strict.output;
  }
  const Finished built = run_program({"gcc", "-std=gnu11", "-O1", "-g", "-march=native", "-fsanitize=thread",
                                      "-ffp-contract=off", "main.c", "puma560_p2.c", "-o", "main", "-lm", "-lpthread"},
                                     scratch.path.string());
  ASSERT_EQ(built.status, 0) << built.output;
  const Finished ran = run_program({(scratch.path / "main").string()});
  if (ran.output.find("unexpected memory mapping") != std::string::npos)
    GTEST_SKIP() << "the sanitizer does not run here";
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(ran.output, "done\n");
}

// Whichever it chose: machines that test are busy, and times are for benchmarks.
TEST(BestExecutor, GivesTheSameResults) {
  const Program program = program_of("ur5", "inverse");
  ExecutorOptions options = watched();
  options.machine = eager();
  options.patience = 60.0;
  BestExecutor run(program, 2, options);
  Compiled serial = jit(program);
  std::vector<double> in(program.functions[0].input_size(), 0.1), out(program.functions[0].output_size()), exact = out;
  serial("inverse", in, exact);
  run("inverse", in, out);
  EXPECT_TRUE(same_bits(out, exact));
  out.assign(out.size(), 0.0);
  run.called("inverse")(in.data(), out.data());
  EXPECT_TRUE(same_bits(out, exact));
  EXPECT_THROW(run.called("inverse")(std::span<const double>(in).first(3), out), Error);
  EXPECT_THROW((void)run.called("nothing"), Error);
  const BestExecutor::Choice& choice = run.choice("inverse");
  if (allowed_cores().size() < 2) return;
  EXPECT_LT(choice.predicted.divided, choice.predicted.one);
  EXPECT_TRUE(choice.measured.same);
  EXPECT_EQ(choice.processors, choice.measured.divided <= 0.95 * choice.measured.one ? 2 : 1);
}

TEST(BestExecutor, DividesOnlyWhatIsPredictedToGain) {
  const Program program = program_of("ur5", "inverse");
  ExecutorOptions options = watched();
  options.machine = eager();
  options.machine.start_up = 1.0;
  const BestExecutor run(program, 2, options);
  EXPECT_EQ(run.processors("inverse"), 1);
  EXPECT_EQ(run.choice("inverse").measured.one, 0.0) << "it was tried";
  EXPECT_THROW((void)run.processors("forward"), Error);
}

}  // namespace executor_test
}  // namespace lw
