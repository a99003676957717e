#include "executor.hpp"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "../base/error.hpp"

namespace lw {
namespace {

using On = int(int processor, unsigned long long evaluation, void* shared, const double* inputs, double* outputs);

inline void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// NAME_inverse_on_flat(processor, evaluation, shared, in, out), and the size of the shared memory.
std::string flat_functions(const Program& program) {
  std::string text;
  for (const Function& f : program.functions) {
    const std::string on = c_on(program, f), shared = c_shared(program, f);
    const std::string head = fmt::format(
        "int {}_flat(int processor, unsigned long long evaluation, void *shared, const double *in, double *out)", on);
    text += fmt::format("\n{0};\n{0} {{\n  return {1}(processor, evaluation, ({2} *)shared, {3}, {4});\n}}\n", head, on,
                        shared, pieces(f.inputs(), "in"), pieces(f.outputs(), "out"));
    text += fmt::format(
        "unsigned long long {0}_size(void);\nunsigned long long {0}_size(void) {{ return sizeof({0}); }}\n", shared);
    text += fmt::format(
        "void {0}_patience(void *shared, double seconds);\nvoid {0}_patience(void *shared, double seconds) {{ (({0} "
        "*)shared)->patience = seconds; }}\n",
        shared);
  }
  return text;
}

bool can_order_stores() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }
void order_stores() { (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

void pin(pthread_t thread, int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  (void)pthread_setaffinity_np(thread, sizeof set,
                               &set);  // if this is not allowed, the system's scheduler does its best
}

}  // namespace

// The allowed cores before the first caller was pinned to one of them.
std::vector<int> allowed_cores() {
  static const std::vector<int> kCores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> cores;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
    for (int k = 0; k < CPU_SETSIZE; ++k) {
      if (CPU_ISSET(static_cast<std::size_t>(k), &set)) cores.push_back(k);
    }
    return cores;
  }();
  return kCores;
}

struct Executor::State {
  struct Entry {
    std::string name;
    std::size_t inputs = 0, outputs = 0;
    On* on = nullptr;
    void* shared = nullptr;
    unsigned long long evaluation = 0;
    PredictedTimes predicted;
    std::vector<SegmentTask> tasks;
  };
  // One evaluation, in the same cache line as the count that announces it: a worker that sees the count has the rest.
  struct alignas(64) Job {
    std::atomic<std::uint64_t> started{0};  // number of evaluations; one more stops the workers
    On* on = nullptr;
    void* shared = nullptr;
    unsigned long long evaluation = 0;
    const double* inputs = nullptr;
    double* outputs = nullptr;
  };

  std::vector<Entry> entries;
  Library library;
  int processors = 1;
  double spin = 0.0;
  bool broken = false;
  Job job;
  alignas(64) std::atomic<int> asleep{0};
  bool orders_stores =
      false;  // the kernel can make the stores of all threads visible (membarrier), so that the caller needs no fence
  std::atomic<bool> stopping{false};
  // One per worker, each in its own cache line. Before giving up on a worker, the caller makes sure that it will not
  // begin any more, or waits until it has ended, because it works on the caller's memory.
  enum Turn : int { free, running, cancelled };
  struct alignas(64) Worker {
    std::atomic<int> turn{free};
    std::atomic<double> stall{0.0};  // for tests: seconds that it waits before it begins
  };
  std::vector<std::unique_ptr<Worker>> worker;
  std::vector<std::thread> workers;
  pthread_t caller{};
  cpu_set_t before{};  // cores on which the caller was allowed to run
  bool was_pinned = false;

  Entry& find(std::string_view function) {
    for (Entry& e : entries) {
      if (e.name == function) return e;
    }
    throw Error(ErrorCode::usage, fmt::format("the program has no function `{}`", function));
  }

  void work(int processor) {
    std::uint64_t done = 0;
    for (;;) {
      if (!wait_for_work(done)) return;
      ++done;
      Worker& self = *worker[static_cast<std::size_t>(processor)];
      if (const double seconds = self.stall.load(std::memory_order_relaxed); seconds > 0.0)
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      int turn = free;
      if (!self.turn.compare_exchange_strong(turn, running, std::memory_order_acquire)) continue;
      (void)job.on(processor, job.evaluation, job.shared, job.inputs,
                   job.outputs);  // the caller notices which processor is missing
      self.turn.store(free, std::memory_order_release);
    }
  }

  // After this, no worker reads inputs or writes outputs of an evaluation. A running worker ends after its own patience
  // at the latest.
  void cancel() {
    for (const auto& w : worker) {
      int turn = free;
      while (!w->turn.compare_exchange_weak(turn, cancelled)) {
        if (turn == cancelled) break;
        turn = free;
        std::this_thread::yield();
      }
    }
  }

  bool wait_for_work(std::uint64_t done) {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
      for (int k = 0; k < 1000; ++k) {
        if (job.started.load(std::memory_order_acquire) != done) return !stopping.load();
        pause_core();
      }
      if (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(spin)) continue;
      asleep.fetch_add(1);
      if (orders_stores) order_stores();
      job.started.wait(done);
      asleep.fetch_sub(1);
    }
  }

  // The caller continues while its store propagates. A worker first announces that it sleeps, then reads the count once
  // more, so that one of the two sees the other. Without membarrier a fence must order this, at the cost of a round
  // trip to the worker's core.
  void start() {
    job.started.store(job.started.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!orders_stores) std::atomic_thread_fence(std::memory_order_seq_cst);
    if (asleep.load(std::memory_order_relaxed) > 0) job.started.notify_all();
  }

  ~State() {
    stopping = true;
    start();
    for (std::thread& w : workers) w.join();
    if (was_pinned && pthread_equal(caller, pthread_self()) != 0)
      (void)pthread_setaffinity_np(caller, sizeof before, &before);
    for (Entry& e : entries) std::free(e.shared);
  }
};

Executor::Executor(const Program& program, int processors, const ExecutorOptions& options)
    : state_(std::make_unique<State>()) {
  require(processors >= 1, "an executor has at least one processor");
  State& s = *state_;
  s.processors = processors;
  s.spin = options.spin;
  s.orders_stores = processors > 1 && can_order_stores();
  std::vector<DividedFunction> divided;
  for (const Function& f : program.functions) {
    State::Entry& e = s.entries.emplace_back();
    e.name = f.name();
    e.inputs = f.input_size();
    e.outputs = f.output_size();
    divided.push_back(divide_over(f, options.machine, processors, &e.predicted));
  }
  std::vector<Artefact> files = emit_divided(program, divided);
  files.back().text += flat_functions(program);
  for (const DividedFunction& d : divided) files.back().text += emit_segment_table(program, d);
  s.library = compile_c(program.name, files, options.jit);
  if (!s.library.is_loaded()) {
    throw Error(ErrorCode::toolchain,
                "running on several cores needs compiled code, but no C compiler was found (CC, cc, gcc, clang)");
  }
  for (std::size_t k = 0; k < s.entries.size(); ++k) {
    State::Entry& e = s.entries[k];
    const Function& f = program.functions[k];
    e.on = reinterpret_cast<On*>(s.library.symbol(c_on(program, f) + "_flat"));
    auto* size = reinterpret_cast<unsigned long long (*)()>(s.library.symbol(c_shared(program, f) + "_size"));
    auto* patience = reinterpret_cast<void (*)(void*, double)>(s.library.symbol(c_shared(program, f) + "_patience"));
    if (e.on == nullptr || size == nullptr || patience == nullptr) {
      throw Error(ErrorCode::toolchain, fmt::format("compiled code has no function {}", c_on(program, f)));
    }
    const std::size_t bytes = (size() + 127) / 128 * 128;
    e.shared = std::aligned_alloc(128, bytes);
    if (e.shared == nullptr) throw std::bad_alloc();
    std::memset(e.shared, 0, bytes);
    patience(e.shared, options.patience);
    e.tasks = segment_tasks(program, divided[k], s.library);
  }
  const std::vector<int> cores = allowed_cores();
  for (int p = 0; p < processors; ++p) s.worker.push_back(std::make_unique<State::Worker>());
  for (int p = 1; p < processors; ++p) {
    s.workers.emplace_back([&s, p] { s.work(p); });
    if (static_cast<int>(cores.size()) >= processors)
      pin(s.workers.back().native_handle(), cores[static_cast<std::size_t>(p)]);
  }
  if (options.pin_caller && static_cast<int>(cores.size()) >= processors) {
    s.caller = pthread_self();
    s.was_pinned = pthread_getaffinity_np(s.caller, sizeof s.before, &s.before) == 0;
    pin(s.caller, cores[0]);
  }
}

Executor::~Executor() = default;

void Executor::operator()(std::string_view function, In<double> inputs, Out<double> outputs) {
  State& s = *state_;
  State::Entry& e = s.find(function);
  require(inputs.size() == e.inputs && outputs.size() == e.outputs,
          "inputs and outputs must have the sizes of the function");
  if (s.broken)
    throw Error(ErrorCode::data, "a processor did not answer in an earlier evaluation: make another Executor");
  const unsigned long long evaluation = e.evaluation++;
  s.job.on = e.on;
  s.job.shared = e.shared;
  s.job.evaluation = evaluation;
  s.job.inputs = inputs.data();
  s.job.outputs = outputs.data();
  s.start();
  if (const int who = e.on(0, evaluation, e.shared, inputs.data(), outputs.data()); who != 0) {
    s.broken = true;
    s.cancel();
    throw Error(ErrorCode::data,
                fmt::format("processor {} of {} did not finish its share of `{}` in time: its core may be taken by "
                            "others, or its thread is stopped",
                            who - 1, s.processors, function));
  }
}

int Executor::processors() const { return state_->processors; }
const PredictedTimes& Executor::predicted(std::string_view function) const { return state_->find(function).predicted; }
const std::vector<SegmentTask>& Executor::tasks(std::string_view function) const {
  return state_->find(function).tasks;
}
void* Executor::shared(std::string_view function) const { return state_->find(function).shared; }
void Executor::stall(int processor, double seconds) {
  state_->worker.at(static_cast<std::size_t>(processor))->stall.store(seconds);
}

MeasuredTimes measure(Compiled& one, Executor& several, const Function& function, double seconds) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> inputs(function.input_size()), first(function.output_size()), second(function.output_size());
  for (std::size_t k = 0; k < inputs.size(); ++k)
    inputs[k] = 0.3 + 0.4 * std::sin(static_cast<double>(k + 1));  // any values will do: the code has no branches
  one(function.name(), inputs, first);
  several(function.name(), inputs, second);
  MeasuredTimes times;
  times.same = first.empty() || std::memcmp(first.data(), second.data(), first.size() * sizeof(double)) == 0;
  const auto least = [&](double& time, int count, auto&& evaluate) {
    const auto begin = Clock::now();
    for (int k = 0; k < count; ++k) evaluate();
    const double each = std::chrono::duration<double>(Clock::now() - begin).count() / count;
    if (time == 0.0 || each < time) time = each;
  };
  const auto alone = [&] { one(function.name(), inputs, first); };
  const auto together = [&] { several(function.name(), inputs, second); };
  least(times.one, 10, alone);
  // about 0.4 ms: short enough not to be interrupted, long enough to work with warm caches
  const int count = std::clamp(static_cast<int>(400e-6 / times.one), 3, 4000);
  const auto begin = Clock::now();
  for (int k = 0; k < 20 || Clock::now() - begin < std::chrono::duration<double>(seconds); ++k) {
    least(times.one, count, alone);
    least(times.divided, count, together);
  }
  return times;
}

BestExecutor::BestExecutor(const Program& program, int most, const ExecutorOptions& options)
    : one_(jit(program, options.jit)) {
  constexpr double kWorthIt = 0.95;
  const auto cores = static_cast<int>(allowed_cores().size());
  const int all = most > 0 ? std::min(most, cores) : cores;
  for (const Function& f : program.functions) choices_.push_back({f.name(), 1, {}, {}});
  for (std::size_t k = 0; k < choices_.size(); ++k) {
    const Function& f = program.functions[k];
    Callee& c = callees_.emplace_back();
    c.flat_ = one_.flat(f.name());
    c.inputs_ = f.input_size();
    c.outputs_ = f.output_size();
    c.function_ = choices_[k].function;
    c.one_ = &one_;
  }
  if (all < 2 || !one_.is_native()) return;
  std::map<int, Program> promising;
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    PredictedTimes& best = choices_[k].predicted;
    int fastest = 1;
    for (int p = 2; p <= all; p = p < all ? std::min(2 * p, all) : all + 1) {
      PredictedTimes t;
      (void)divide_over(program.functions[k], options.machine, p, &t);
      if (fastest == 1 || t.divided < kWorthIt * best.divided) {
        best = t;
        fastest = p;
      }
    }
    if (best.divided > kWorthIt * best.one) continue;
    Program& part = promising.try_emplace(fastest, program).first->second;
    if (several_.try_emplace(fastest).second) part.functions.clear();
    part.functions.push_back(program.functions[k]);
  }
  for (const auto& [p, part] : promising) {
    several_[p] = std::make_unique<Executor>(part, p, options);
    bool pays = false;
    for (const Function& f : part.functions) {
      const auto found =
          std::find_if(choices_.begin(), choices_.end(), [&](const Choice& x) { return x.function == f.name(); });
      Choice& c = *found;
      try {
        c.measured = measure(one_, *several_[p], f);
      } catch (const Error&) {  // a processor did not come
        break;
      }
      if (!c.measured.same || c.measured.divided > kWorthIt * c.measured.one) continue;
      c.processors = p;
      Callee& callee = callees_[static_cast<std::size_t>(found - choices_.begin())];
      callee.flat_ = nullptr;
      callee.executor_ = several_[p].get();
      pays = true;
    }
    if (!pays) several_.erase(p);
  }
}

const BestExecutor::Callee& BestExecutor::called(std::string_view function) const {
  for (const Callee& c : callees_) {
    if (c.function_ == function) return c;
  }
  throw Error(ErrorCode::usage, fmt::format("the program has no function `{}`", function));
}

void BestExecutor::Callee::elsewhere(const double* inputs, double* outputs) const {
  const std::span<const double> in(inputs, inputs_);
  const std::span<double> out(outputs, outputs_);
  if (executor_ != nullptr)
    (*executor_)(function_, in, out);
  else
    (*one_)(function_, in, out);
}

void BestExecutor::Callee::wrong_sizes() const {
  throw Error(ErrorCode::usage, fmt::format("`{}` has {} inputs and {} outputs", function_, inputs_, outputs_));
}

const BestExecutor::Choice& BestExecutor::choice(std::string_view function) const {
  return choices_[static_cast<std::size_t>(&called(function) - callees_.data())];
}

}  // namespace lw
