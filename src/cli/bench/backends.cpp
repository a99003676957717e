#include "backends.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../codegen/compile.hpp"
#include "../../codegen/scene/snapping.hpp"
#include "../../codegen/trace/reference.hpp"
#include "../../graph/interpreter.hpp"
#include "timing.hpp"
#include "tree_backend.hpp"

namespace lw::cli {
namespace {

constexpr TimedFunction kTimedFunctions[] = {
    {0, "inverse", "inverse", FunctionId::inverse, peer::Function::inverse},
    {1, "mass-matrix", "mass-matrix", FunctionId::mass_matrix, peer::Function::mass_matrix},
    {2, "forward", "forward", FunctionId::forward, peer::Function::forward},
    {3, "bias", "bias", FunctionId::bias, peer::Function::bias},
    {4, "kinematics", "kinematics", FunctionId::kinematics, peer::Function::kinematics, false, true},
    {5, "inverse-derivatives", "inverse-derivatives", FunctionId::inverse_derivatives,
     peer::Function::inverse_derivatives},
    {6, "forward-derivatives", "forward-derivatives", FunctionId::forward_derivatives,
     peer::Function::forward_derivatives}};
static_assert(std::size(kTimedFunctions) == kMostTimed);
constexpr TimedFunction kTimedFunctionsWithFriction[] = {
    {0, "inverse", "inverse", FunctionId::inverse, peer::Function::inverse},
    {1, "inverse, with friction", "inverse-with-friction", FunctionId::inverse, peer::Function::inverse_with_friction,
     true}};
// Freedoms above which functions are left out: graphs grow with their square, and straight-line code that is longer
// than the caches takes minutes to make, where the algorithm over double is as fast.
constexpr std::size_t kLargestTraced = 300, kLargestTracedDerivatives = 60, kLargestCompiled = 60, kLargestBatch = 24;
bool is_compiled(const TimedFunction& f, std::size_t freedoms) {
  const FunctionRow& row = row_of(f.id);
  return !row.derivative_of || freedoms <= (row.takes(kTau) ? 24 : 40);
}

// What is left of a result without the coordinates of joints that follow, which may be whole turns apart.
std::vector<double> without_followers(const lw::Function& function, const std::vector<double>& all) {
  std::vector<double> part;
  auto next = all.begin();
  for (const Group& g : function.outputs()) {
    const auto end = next + static_cast<std::ptrdiff_t>(g.size);
    if (g.name != "dependent") part.insert(part.end(), next, end);
    next = end;
  }
  return part;
}

// The inputs of each function in one array, state after state.
class FunctionBackend : public Backend {
 public:
  bool has(const TimedFunction& f) const override { return entries_[f.index].function.has_value(); }
  double compute(const TimedFunction& f, int state, double nudge) override {
    Entry& e = entries_[f.index];
    const std::span<double> in(e.states.data() + at(state) * e.width, e.width);
    if (nudge != 0.0) {
      for (double& x : in.first(e.coordinates)) x += nudge;
    }
    run(f, in, e.out);
    return e.out.front() + e.out.back();
  }
  std::vector<double> result(const TimedFunction& f) override {
    return without_followers(*entries_[f.index].function, entries_[f.index].out);
  }

 protected:
  using Backend::Backend;
  void add(const TimedFunction& f, const lw::Function& function, const std::vector<State>& states) {
    Entry& e = entries_[f.index];
    e.function = function;
    e.width = function.input_size();
    e.coordinates = function.inputs().front().size;
    e.out.resize(function.output_size());
    for (const State& s : states) {
      const std::vector<double> in = inputs_of(function, s);
      e.states.insert(e.states.end(), in.begin(), in.end());
    }
  }
  virtual void run(const TimedFunction& f, std::span<const double> in, std::span<double> out) = 0;

 private:
  struct Entry {
    std::optional<lw::Function> function;
    std::size_t width = 0, coordinates = 0;
    std::vector<double> states, out;
  };
  std::array<Entry, kMostTimed> entries_;
};

// NamedFunctions with what computes them.
using NamedFunctions = std::vector<std::pair<TimedFunction, lw::Function>>;

class Interpreted : public FunctionBackend {
 public:
  Interpreted(const NamedFunctions& functions, const std::vector<State>& states) : FunctionBackend("interpreter") {
    for (const auto& [f, function] : functions) {
      add(f, function, states);
      programs_[f.index] = std::make_unique<Interpreter<double>>(function);
    }
  }

 private:
  void run(const TimedFunction& f, std::span<const double> in, std::span<double> out) override {
    (*programs_[f.index])(in, out);
  }

  std::array<std::unique_ptr<Interpreter<double>>, kMostTimed> programs_;
};

class LoopBackend : public FunctionBackend {
 public:
  LoopBackend(const NamedFunctions& functions, const std::vector<Traced>& traced, const std::vector<State>& states)
      : FunctionBackend("reference") {
    for (std::size_t k = 0; k < functions.size(); ++k) {
      add(functions[k].first, functions[k].second, states);
      references_[functions[k].first.index] = reference(traced[k]);
    }
  }

 private:
  void run(const TimedFunction& f, std::span<const double> in, std::span<double> out) override {
    references_[f.index](in, out);
  }

  std::array<Reference, kMostTimed> references_;
};

class Jitted : public FunctionBackend {
 public:
  Jitted() : FunctionBackend("jit") {}
  void add_program(const NamedFunctions& functions, const std::shared_ptr<Compiled>& compiled,
                   const std::vector<State>& states) {
    for (const auto& [f, function] : functions) {
      add(f, function, states);
      flat_[f.index] = compiled->flat(f.symbol);
      compiled_[f.index] = compiled;
    }
  }

 private:
  void run(const TimedFunction& f, std::span<const double> in, std::span<double> out) override {
    if (flat_[f.index] != nullptr)
      flat_[f.index](in.data(), out.data());
    else
      (*compiled_[f.index])(f.symbol, in, out);
  }

  std::array<std::shared_ptr<Compiled>, kMostTimed> compiled_;
  std::array<Compiled::Flat*, kMostTimed> flat_{};
};

// Tables with a row per state, one per group.
class Batched : public Backend {
 public:
  Batched(const NamedFunctions& functions, std::shared_ptr<Compiled> compiled, const std::vector<State>& states)
      : Backend("batch"), compiled_(std::move(compiled)) {
    for (const auto& [f, function] : functions) {
      Entry& e = entries_[f.index];
      e.function = function;
      e.batch = compiled_->batch_pointer(f.symbol);
      for (const Group& g : function.inputs()) e.in.push_back({g.size, {}});
      for (const Group& g : function.outputs()) e.out.push_back({g.size, std::vector<double>(kRows * g.size)});
      for (const State& s : states) {
        const std::vector<double> in = inputs_of(function, s);
        auto next = in.begin();
        for (Table& t : e.in) {
          t.rows.insert(t.rows.end(), next, next + static_cast<std::ptrdiff_t>(t.width));
          next += static_cast<std::ptrdiff_t>(t.width);
        }
      }
    }
  }
  bool has(const TimedFunction& f) const override { return entries_[f.index].batch != nullptr; }
  double compute(const TimedFunction& f, int state, double nudge) override {
    Table& q = entries_[f.index].in.front();
    for (std::size_t k = 0; nudge != 0.0 && k < q.width; ++k) q.rows[at(state) * q.width + k] += nudge;
    return compute_all(f.index, state, 1);
  }
  std::vector<double> result(const TimedFunction& f) override {
    const Entry& e = entries_[f.index];
    std::vector<double> all;
    for (const Table& t : e.out)
      all.insert(all.end(), t.rows.begin(), t.rows.begin() + static_cast<std::ptrdiff_t>(t.width));
    return without_followers(*e.function, all);
  }
  std::function<double(int first, int count)> many(const TimedFunction& f) override {
    return [this, index = f.index](int first, int count) { return compute_all(index, first, count); };
  }
  double operations(const TimedFunction& f) const override {
    const OperationCount c = cost(*entries_[f.index].function).operations;
    return static_cast<double>(c.multiplications + c.additions + c.divisions + c.roots) +
           kOperationsOfSine * static_cast<double>(c.trigonometric);
  }

 private:
  // sincos_kernel.h has 52 additions and multiplications for a sine and a cosine.
  static constexpr double kOperationsOfSine = 26.0;
  static constexpr std::size_t kRows = 64, kMostGroups = 8;
  struct Table {
    std::size_t width;
    std::vector<double> rows;
  };
  struct Entry {
    std::optional<lw::Function> function;
    Compiled::Batch* batch = nullptr;
    std::vector<Table> in, out;
  };

  // Results go where those of earlier states were, as with the others: what is timed is no memory.
  double compute_all(std::size_t index, int first, int count) {
    Entry& e = entries_[index];
    std::array<const double*, kMostGroups> in{};
    std::array<double*, kMostGroups> out{};
    for (std::size_t g = 0; g < e.out.size(); ++g) out[g] = e.out[g].rows.data();
    for (std::size_t done = 0; done < at(count); done += kRows) {
      for (std::size_t g = 0; g < e.in.size(); ++g) in[g] = e.in[g].rows.data() + (at(first) + done) * e.in[g].width;
      e.batch(std::min(kRows, at(count) - done), in.data(), out.data());
    }
    return e.out.front().rows.front() + e.out.back().rows[e.out.back().width - 1];
  }

  const std::shared_ptr<Compiled> compiled_;
  std::array<Entry, kMostTimed> entries_;
};

// --- other libraries

class PeerBackend : public Backend {
 public:
  PeerBackend(std::string called, std::unique_ptr<peer::Peer> peer, const LoopPlan& plan, std::size_t bodies,
              const std::vector<State>& states)
      : Backend(std::move(called)), peer_(std::move(peer)), plan_(plan), bodies_(bodies) {
    std::vector<double> q, qd, qdd, tau;
    for (const State& s : states) {
      q.insert(q.end(), s.q.begin(), s.q.end());
      qd.insert(qd.end(), s.qd.begin(), s.qd.end());
      qdd.insert(qdd.end(), s.qdd.begin(), s.qdd.end());
      tau.insert(tau.end(), s.tau.begin(), s.tau.end());
    }
    peer_->set_states(static_cast<int>(states.size()), q.data(), qd.data(), qdd.data(), tau.data());
  }
  bool has(const TimedFunction& f) const override { return !f.friction && peer_->supports(f.of_peers); }
  double compute(const TimedFunction& f, int state, double nudge) override {
    return peer_->compute(f.of_peers, state, nudge);
  }
  std::vector<double> result(const TimedFunction& f) override {
    std::vector<double> out(size_of(plan_, bodies_, f));
    peer_->result(f.of_peers, out.data());
    return out;
  }

 private:
  const std::unique_ptr<peer::Peer> peer_;
  const LoopPlan plan_;
  const std::size_t bodies_;
};

// --- all of a mechanism

// As a controller has them, a millisecond apart: joints that swing about home, and for a guess the dependent
// coordinates of a moment ago.
std::vector<State> along_a_motion(const Model<double>& model, Random& random) {
  constexpr double kPeriod = 1e-3, kRate = 6.0;  // s, rad/s
  for (double size = 0.3;; size *= 0.5) {
    Dynamics moving(model);
    const LoopPlan& plan = moving.plan();
    const std::vector<double> home = moving.independent();
    std::vector<State> states;
    try {
      for (int k = 0; k < kTimedStates; ++k) {
        State s;
        s.q = home;
        s.guess = moving.plant().dependent(moving.q());
        for (std::size_t i = 0; i < plan.freedoms(); ++i) {
          const double reach = size * std::max(0.1, std::min(1.0, std::abs(home[i]))),
                       rate = kRate + static_cast<double>(i);
          const double phase = rate * kPeriod * k;
          s.qd.push_back(reach * rate * std::cos(phase));
          s.qdd.push_back(-reach * rate * rate * std::sin(phase));
          if (plan.independent_q.size() == plan.freedoms()) s.q[i] += reach * std::sin(phase);
        }
        for (std::size_t i = 0; i < plan.actuated.size(); ++i) s.tau.push_back(random.between(-1.0, 1.0));
        moving.follow(s.q);
        states.push_back(std::move(s));
      }
      return states;
    } catch (const Error&) {
      if (size < 1e-3) throw;  // its mode ends there: a smaller motion
    }
  }
}

class Maker {
 public:
  Maker(const LoadedModel& loaded, bool friction, const std::function<void(const std::string&)>& note)
      : loaded_(loaded), model_(loaded.model), plan_(plan_loops(model_)), friction_(friction), note_(note) {}

  std::vector<std::unique_ptr<Backend>> make(const std::vector<PeerLibrary>& libraries) {
    if (model_.loops.empty())
      make_for_tree();
    else
      make_for_loops();
    make_peers(libraries);
    return std::move(list_);
  }

 private:
  void make_for_tree() {
    const std::size_t n = plan_.freedoms();
    RandomStates random_states(model_, plan_);
    Random random(1);
    for (int k = 0; k < kTimedStates; ++k) states_.push_back(random_states.next(random));
    list_.push_back(make_tree_backend(model_, plan_, states_, friction_));
    const Model<Expr> symbols = instantiate<Expr>(loaded_.mechanism);
    if (n <= kLargestTraced) {
      NamedFunctions plain;
      for (const TimedFunction& f : timed_functions(friction_)) {
        if (!row_of(f.id).derivative_of || n <= kLargestTracedDerivatives)
          plain.emplace_back(f, traced_as_it_stands(f, symbols, size_of(plan_, model_.bodies.size(), f)));
      }
      list_.push_back(std::make_unique<Interpreted>(plain, states_));
    } else {
      note_(fmt::format(
          "{}: the interpreter is omitted; traced graphs of mechanisms with more than {} velocities are too large",
          model_.name, kLargestTraced));
    }
    if (n > kLargestCompiled) return;
    note_(fmt::format("{}: compiling", model_.name));
    const auto start = std::chrono::steady_clock::now();
    const ProgramOptions options{.trace = native()};
    const Model<Expr> exact = snapped(symbols, options.trace.snap);
    for (const TimedFunction& f : timed_functions(friction_)) {
      if (!f.all_poses) {
        if (is_compiled(f, n)) add(f);
        continue;
      }
      const Arithmetic arithmetic = values_.front().second.arithmetic();
      const lw::Function poses = traced_as_it_stands(f, exact, size_of(plan_, model_.bodies.size(), f));
      values_.emplace_back(f, optimize(poses.with(arithmetic), Objective::operations).with(arithmetic));
    }
    const bool cached = compile(n <= kLargestBatch);
    note_(fmt::format("{}: {} in {:.2f} s", model_.name,
                      cached ? "generated, and its machine code found in the cache," : "generated and compiled",
                      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  }

  void make_for_loops() {
    Random random(1);
    states_ = along_a_motion(model_, random);
    note_(fmt::format("{}: deriving", model_.name));
    for (const TimedFunction& f : timed_functions(friction_)) add(f);
    NamedFunctions all = values_;
    all.insert(all.end(), derivatives_.begin(), derivatives_.end());
    list_.push_back(std::make_unique<LoopBackend>(all, traced_, states_));
    list_.push_back(std::make_unique<Interpreted>(all, states_));
    std::int64_t operations = 0;
    for (const auto& [f, function] : all) {
      const OperationCount c = cost(function).operations;
      operations += c.multiplications + c.additions;
    }
    note_(fmt::format("{}: compiling {} operations", model_.name, operations));
    compile(true);
  }

  // A function as `compile` makes it for this machine.
  void add(const TimedFunction& f) {
    ProgramOptions options{.trace = native()};
    options.trace.friction = f.friction;
    program_ = make_program(loaded_.mechanism, {f.id}, options, &traced_);
    const lw::Function made = program_.functions.front();
    const lw::Function named(f.symbol, made.inputs(), made.outputs(), made.shared_graph(), made.results(),
                             made.arithmetic());
    (row_of(f.id).derivative_of ? derivatives_ : values_).emplace_back(f, named.in_order(made.order()));
  }

  // Derivatives of a Stewart platform have 72 000 operations, and compilers take more than linear time: two minutes for
  // lanes of them, which are not timed.
  bool compile(bool with_batch) {
    auto jitted = std::make_unique<Jitted>();
    std::unique_ptr<Backend> batch;
    bool cached = true;
    for (const NamedFunctions* functions : {&values_, &derivatives_}) {
      if (functions->empty()) continue;
      program_.functions.clear();
      for (const auto& [f, function] : *functions) program_.functions.push_back(function);
      JitOptions how;
      how.batch = with_batch && functions == &values_;
      const auto compiled = std::make_shared<Compiled>(jit(program_, how));
      for (const std::string& text : compiled->notes()) note_(text);
      cached = cached && compiled->was_cached();
      if (!compiled->is_native()) return cached;
      jitted->add_program(*functions, compiled, states_);
      if (compiled->has_batch()) batch = std::make_unique<Batched>(*functions, compiled, states_);
    }
    list_.push_back(std::move(jitted));
    if (batch != nullptr) list_.push_back(std::move(batch));
    return cached;
  }

  void make_peers(const std::vector<PeerLibrary>& libraries) {
    if (libraries.empty()) return;
    try {
      const std::vector<peer::Body> bodies = describe_bodies(model_);
      for (const PeerLibrary& library : libraries) {
        if (auto made = make_peer(library, model_, bodies)) {
          list_.push_back(
              std::make_unique<PeerBackend>(library.name, std::move(made), plan_, model_.bodies.size(), states_));
        } else {
          note_(fmt::format("{}: {} cannot represent it", model_.name, library.name));
        }
      }
    } catch (const Error& e) {
      note_(fmt::format("{}; timed without them", e.what()));
    }
  }

  const LoadedModel& loaded_;
  const Model<double>& model_;
  const LoopPlan plan_;
  const bool friction_;
  const std::function<void(const std::string&)>& note_;
  std::vector<State> states_;
  NamedFunctions values_, derivatives_;
  std::vector<Traced> traced_;  // of these
  Program program_;             // that holds such functions
  std::vector<std::unique_ptr<Backend>> list_;
};

}  // namespace

std::span<const TimedFunction> timed_functions(bool friction) {
  if (friction) return kTimedFunctionsWithFriction;
  return kTimedFunctions;
}

std::vector<std::unique_ptr<Backend>> make_backends(const LoadedModel& loaded, bool friction,
                                                    const std::vector<PeerLibrary>& libraries,
                                                    const std::function<void(const std::string&)>& note) {
  return Maker(loaded, friction, note).make(libraries);
}

}  // namespace lw::cli
