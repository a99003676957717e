// Functions of a program on several cores at once, the same bits as on one.
//
//   Executor run(program, 2);                    // divided, emitted as C, compiled, loaded; one thread a core beside
//   the caller's run("forward-derivatives", inputs, outputs);
//
// The caller is processor 0. The others are threads, pinned to cores of their own where there are enough, which spin
// while evaluations follow each other and sleep when none has come for a while. An evaluation allocates nothing and
// takes no lock. One caller at a time.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../codegen/jit/jit.hpp"
#include "divided.hpp"
#include "segment_tasks.hpp"

namespace lw {

struct ExecutorOptions {
  JitOptions jit = {};
  Machine machine = {};     // whose costs decide what is divided how
  double patience = 2.0;    // seconds without progress of another processor after which an evaluation fails; 0: never
  double spin = 100e-6;     // seconds for which a worker without work spins before it sleeps
  bool pin_caller = false;  // the calling thread to the first core, too
};

class Executor {
 public:
  // Throws Error(toolchain) where there is no compiler.
  Executor(const Program& program, int processors, const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Groups of inputs one behind the other, and of outputs. Throws Error(data) where another processor does not come;
  // after that the executor is of no more use.
  void operator()(std::string_view function, std::span<const double> inputs, std::span<double> outputs);

  int processors() const;
  const PredictedTimes& predicted(std::string_view function) const;
  // What it runs, for other schedulers (not while an evaluation runs), and the memory that the tasks share.
  const std::vector<SegmentTask>& tasks(std::string_view function) const;
  void* shared(std::string_view function) const;
  // For tests: this processor begins its share so many seconds late from now on.
  void stall(int processor, double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A function on one core and on several, the least of many evaluations in turn for so many seconds (others may keep a
// core for a second, or the other half of it); both have computed the same bits, or not.
struct MeasuredTimes {
  double one = 0.0, divided = 0.0;  // seconds
  bool same = false;
};
MeasuredTimes measure(Compiled& one, Executor& several, const Function& function, double seconds = 0.3);

// On as many cores as pay. Of 2, 4, 8, … and all the number is taken that is predicted to be fastest. Functions for
// which it is predicted to gain 5 % or more are compiled both ways and timed; the others, and those for which it then
// does not gain as much, one core does, so that nothing is slower than on one.
class BestExecutor {
 public:
  // `most`: cores to use at most; 0: all that this process may run on.
  BestExecutor(const Program& program, int most, const ExecutorOptions& options);
  BestExecutor(const BestExecutor&) = delete;
  BestExecutor& operator=(const BestExecutor&) = delete;

  void operator()(std::string_view function, std::span<const double> inputs, std::span<double> outputs) {
    called(function)(inputs, outputs);
  }
  int processors(std::string_view function) const { return choice(function).processors; }

  // A function to be called again and again without being looked for: some take no more time than that takes. Good for
  // as long as the executor is.
  class Callee {
   public:
    void operator()(std::span<const double> inputs, std::span<double> outputs) const {
      if (inputs.size() != inputs_ || outputs.size() != outputs_) [[unlikely]]
        wrong_sizes();
      (*this)(inputs.data(), outputs.data());
    }
    // As many as the function has: nothing is checked.
    void operator()(const double* inputs, double* outputs) const {
      if (flat_ != nullptr) [[likely]]
        flat_(inputs, outputs);
      else
        elsewhere(inputs, outputs);
    }

   private:
    friend class BestExecutor;
    [[noreturn]] void wrong_sizes() const;
    void elsewhere(const double* inputs, double* outputs) const;

    Compiled::Flat* flat_ = nullptr;  // the code of one core, where it is compiled and not divided
    std::size_t inputs_ = 0, outputs_ = 0;
    std::string_view function_;
    Executor* executor_ = nullptr;  // where it is divided
    Compiled* one_ = nullptr;
  };
  const Callee& called(std::string_view function) const;

  struct Choice {
    std::string function;
    int processors = 1;
    PredictedTimes
        predicted;  // of the number that is fastest; zero where this process has one core, or nothing is compiled
    MeasuredTimes measured;  // zero where nothing was predicted to gain
  };
  const Choice& choice(std::string_view function) const;

 private:
  Compiled one_;
  std::vector<Callee> callees_;                       // in the order of choices_
  std::map<int, std::unique_ptr<Executor>> several_;  // by processors
  std::vector<Choice> choices_;
};

// Cores that this process may run on.
std::vector<int> allowed_cores();

}  // namespace lw
