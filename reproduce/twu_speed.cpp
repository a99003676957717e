#include "experiments.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "codegen/compile.hpp"
#include "codegen/strategies/strategies.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "twu.hpp"

// Twu 1987, chapters 1 and 4: a program made for one arm beats a general one. He gives no times; here are ours, in one
// run: his scheme as a general program and generated, and recursive Newton-Euler general, generated and interpreted,
// generated and compiled.
namespace lw::reproduce {
namespace {

using Clock = std::chrono::steady_clock;

struct TimedArm {
  Model<double> model;
  std::vector<State> states;
  Vector tau;

  explicit TimedArm(const Mechanism& mechanism) : model(instantiate<double>(mechanism)) {
    Random random(1);
    for (int k = 0; k < 64; ++k) states.push_back(random_state(model, random));
    tau.resize(static_cast<std::size_t>(model.nv));
  }

  // ns a call, the least of the repetitions that go into a fiftieth of a second; and how far from the given torques.
  template <class Call>
  double ns(const Call& call) {
    const auto seconds = [](Clock::time_point since) {
      return std::chrono::duration<double>(Clock::now() - since).count();
    };
    double least = HUGE_VAL;
    const Clock::time_point begin = Clock::now();
    do {
      const Clock::time_point start = Clock::now();
      for (const State& s : states) call(s);
      least = std::min(least, 1e9 * seconds(start) / static_cast<double>(states.size()));
    } while (seconds(begin) < 0.02);
    return least;
  }
  template <class Call>
  double error(const Call& call) {
    double worst = 0.0;
    for (const State& s : states) {
      call(s);
      const Vector expected = inverse(model, s.q, s.qd, s.qdd);
      worst = worse(worst, largest_difference(tau, expected) / std::max(1.0, magnitude(expected)));
    }
    return worst;
  }
};

void speed_of(Experiment& e, const TwuExample& x) {
  const Mechanism mechanism = twu_mechanism(x, 9.81);
  TimedArm arm(mechanism);
  using InverseCode = void(const double*, const double*, const double*, double*);

  // his scheme: general, and as the generator writes it for this arm
  StrategyOptions by_loops;
  const StrategyCode code = make_by(Strategy::loops, mechanism, by_loops);
  const Library library = compile_c(code.program.name, code.files);
  // ours: one graph, general and generated
  const Program program = make_program(mechanism, {"inverse"}, {.trace = native()});
  const Compiled compiled = jit(program);
  const std::string where = " (ns a call)";
  const Source claim = property("chapters 1 and 4: a program for one problem is faster than a general one");
  if (!library.is_loaded() || !compiled.is_native()) {
    e.not_reproducible(x.id + ".loops", "his loops: general; generated" + where, claim, 0.0,
                       "There is no compiler here.");
    return;
  }
  auto* const loops =
      reinterpret_cast<InverseCode*>(library.symbol(symbol(code.program, code.program.functions.front())));
  auto* const generated = compiled.pointer<InverseCode>("inverse");
  const Formulation& his = *find_formulation("twu");
  Workspace<double> work(arm.model);
  Interpreter<double> interpreter(program.functions.front());
  Vector in;

  const auto general_loops = [&](const State& s) { inverse_by<double>(his, arm.model, s.q, s.qd, s.qdd, arm.tau); };
  const auto generated_loops = [&](const State& s) { loops(s.q.data(), s.qd.data(), s.qdd.data(), arm.tau.data()); };
  const auto general = [&](const State& s) { rnea<double>(arm.model, work, s.q, s.qd, s.qdd, arm.tau); };
  const auto interpreted = [&](const State& s) {
    in.assign(s.q.begin(), s.q.end());
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    interpreter(in, arm.tau);
  };
  const auto native_code = [&](const State& s) { generated(s.q.data(), s.qd.data(), s.qdd.data(), arm.tau.data()); };

  e.compare(x.id + ".same", fmt::format("torques of all of these less Newton-Euler's, {}", x.name), property("one arm"),
            0.0,
            worse(worse(arm.error(general_loops), arm.error(generated_loops)),
                  worse(arm.error(interpreted), arm.error(native_code))),
            absolute(1e-12), "A fraction of the largest torque, at 64 random states.");
  const double loops_ns = arm.ns(generated_loops), native_ns = arm.ns(native_code);
  const std::string one_run = "One run on this machine, whatever else it does.";
  e.beaten(x.id + ".loops", fmt::format("inverse dynamics by his loops, {}: general; generated{}", x.name, where),
           claim, arm.ns(general_loops), loops_ns, one_run + " The general one also allocates.");
  e.beaten(x.id + ".recursion",
           fmt::format(
               "inverse dynamics, {}: his loops generated, general Newton-Euler, generated but interpreted; generated "
               "and compiled{}",
               x.name, where),
           claim, {loops_ns, arm.ns(general), arm.ns(interpreted)}, {native_ns, native_ns, native_ns}, one_run);
}

}  // namespace

Experiment twu_speed() {
  Experiment e("twu", "twu.speed", "Generated against general (chapters 1, 4)",
               "Nanoseconds of inverse dynamics of his two arms, under gravity.");
  for (const TwuExample* x : twu_examples()) speed_of(e, *x);
  return e;
}

}  // namespace lw::reproduce
