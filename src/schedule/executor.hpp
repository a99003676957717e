// Runs functions of a program on several cores at once, with the same bits as on one.
//
//   Executor run(program, 2);                    // divided, emitted as C, compiled, loaded; one thread a core beside
//   the caller's run("forward-derivatives", inputs, outputs);
//
// The caller is processor 0. The others are threads, pinned to cores of their own if there are enough. They spin while
// evaluations follow each other, and sleep after a while without one. An evaluation allocates nothing and takes no
// lock. One caller at a time.
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
  Machine machine = {};     // whose costs decide how functions are divided
  double patience = 2.0;    // seconds without progress of another processor after which an evaluation fails; 0: never
  double spin = 100e-6;     // seconds for which a worker without work spins before it sleeps
  bool pin_caller = false;  // the calling thread to the first core, too
};

class Executor {
 public:
  // Throws Error(toolchain) if there is no compiler.
  Executor(const Program& program, int processors, const ExecutorOptions& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Groups of inputs one behind the other, and of outputs. Throws Error(data) if another processor does not answer;
  // after that the executor cannot be used any more.
  void operator()(std::string_view function, In<double> inputs, Out<double> outputs);

  int processors() const;
  const PredictedTimes& predicted(std::string_view function) const;
  // Its tasks, for other schedulers (not while an evaluation runs), and the memory that the tasks share.
  const std::vector<SegmentTask>& tasks(std::string_view function) const;
  void* shared(std::string_view function) const;
  // For tests: from now on, this processor begins its share so many seconds late.
  void stall(int processor, double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Times of a function on one core and on several: the least of many alternating evaluations during so many seconds
// (other processes may occupy a core for a second, or share it), and whether both computed the same bits.
struct MeasuredTimes {
  double one = 0.0, divided = 0.0;  // seconds
  bool same = false;
};
MeasuredTimes measure(Compiled& one, Executor& several, const Function& function, double seconds = 0.3);

// Uses as many cores as pay off: of 2, 4, 8, … and all, the number that is predicted to be fastest. Functions with a
// predicted gain of 5 % or more are compiled for one core and for several, and timed. The others, and those that turn
// out to gain less, run on one core, so that nothing is slower than on one.
class BestExecutor {
 public:
  // `most`: the largest number of cores; 0: all that this process may run on.
  BestExecutor(const Program& program, int most, const ExecutorOptions& options);
  BestExecutor(const BestExecutor&) = delete;
  BestExecutor& operator=(const BestExecutor&) = delete;

  void operator()(std::string_view function, In<double> inputs, Out<double> outputs) {
    called(function)(inputs, outputs);
  }
  int processors(std::string_view function) const { return choice(function).processors; }

  // A function that can be called again and again without a lookup, which would take as long as a short function. Valid
  // as long as the executor lives.
  class Callee {
   public:
    void operator()(In<double> inputs, Out<double> outputs) const {
      if (inputs.size() != inputs_ || outputs.size() != outputs_) [[unlikely]]
        wrong_sizes();
      (*this)(inputs.data(), outputs.data());
    }
    // Sizes are not checked.
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

    Compiled::Flat* flat_ = nullptr;  // code for one core, if it is compiled and not divided
    std::size_t inputs_ = 0, outputs_ = 0;
    std::string_view function_;
    Executor* executor_ = nullptr;  // if it is divided
    Compiled* one_ = nullptr;
  };
  const Callee& called(std::string_view function) const;

  struct Choice {
    std::string function;
    int processors = 1;
    PredictedTimes
        predicted;  // for the fastest number of cores; zero if this process has one core, or nothing is compiled
    MeasuredTimes measured;  // zero if no gain was predicted
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
