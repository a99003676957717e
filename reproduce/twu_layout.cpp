#include "experiments.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "generated.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "twu_nest.hpp"

// Twu 1987, chapter 1, what his tool is for: another layout is another word of its input, and nothing is programmed. In
// the input of example 2 every joint in turn gets every other axis and type; each input is read, a program generated
// from it, and its forces compared with the sums of chapter 4 in his frames.
namespace lw::reproduce {
namespace {

struct OtherLayout {
  std::string words;
  std::vector<TwuLink> links;
};

std::vector<OtherLayout> other_layouts(const TwuExample& x) {
  std::vector<OtherLayout> all;
  for (std::size_t k = 0; k < x.joints(); ++k) {
    const TwuLink& link = x.links[k];
    for (const char axis : {'X', 'Y', 'Z', ' '}) {
      if (axis == link.axis) continue;
      OtherLayout other{fmt::format("joint {} {}", k + 1, axis == ' ' ? "slides" : fmt::format("turns about {}", axis)),
                        x.links};
      other.links[k].axis = axis;
      all.push_back(std::move(other));
    }
  }
  return all;
}

// Largest difference, as a fraction of the largest force, at random states.
double layout_error(const OtherLayout& layout, const Function& program, const Model<double>& model) {
  constexpr double kG = 9.81;
  const std::size_t n = layout.links.size();
  const Vector zero(n, 0.0);
  Interpreter<double> interpreter(program);
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < 5; ++i) {
    const State s = random_state(model, random);
    const Vector expected =
        nested_forces({layout.links, kG}, {s.q, s.qd, s.qdd}, {TwuVariable::Of::gravity}, {zero, zero, zero}).Q;
    Vector in = s.q, tau(n);
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    interpreter(in, tau);
    worst = worse(worst, largest_difference(tau, expected) / std::max(1.0, magnitude(expected)));
  }
  return worst;
}

}  // namespace

Experiment twu_layout() {
  Experiment e("twu", "twu.layout", "Another layout (chapter 1)",
               "One word of the input of example 2 is another: read, generate, compile, run.");
  const TwuExample& x = twu_spatial_example();
  double worst = 0.0;
  const std::vector<OtherLayout> layouts = other_layouts(x);
  for (const OtherLayout& layout : layouts) {
    const Mechanism mechanism = mechanism_from_text(twu_input(layout.links, true).text, "example.twu");
    const Function program = trace_function(mechanism, "inverse").function;
    worst = worse(worst, layout_error(layout, program, instantiate<double>(mechanism)));
  }
  e.compare(
      "forces", "joint forces of generated programs less those of chapter 4 in his frames, at most",
      property("chapter 1: a change of layout needs no programming"), 0.0, worst, absolute(1e-12),
      fmt::format(
          "{} layouts: every joint with each other axis, or sliding. A fraction of the largest force, under gravity.",
          layouts.size()));

  // the whole way once: from the changed word to the end of a run of compiled code
  const auto start = std::chrono::steady_clock::now();
  OtherLayout changed{"", x.links};
  changed.links[2].axis = 'Z';
  const Mechanism mechanism = mechanism_from_text(twu_input(changed.links, true).text, "example.twu");
  Driven arm(mechanism, [&](double t, auto, auto, std::span<double> tau) {
    const Vector force = x.force(t);
    std::copy(force.begin(), force.end(), tau.begin());
  });
  MotionState state = arm.home();
  state.v = x.start();
  EnergyBalance balance(arm, state);
  const auto integrator = make_integrator("dormand-prince", {.rtol = 1e-12, .atol = 1e-12});
  while (state.t < 0.18) {
    advance(*integrator, arm, state, 0.18);
    balance.look(state);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  e.compare("energy", "energy not accounted for in a run of one of them, of the largest in play",
            property("work and energy must balance"), 0.0, balance.residual(), absolute(1e-10),
            "Joint 3 turns about Z instead of Y; his forces, 0.18 s, under gravity.");
  e.compare("seconds", "from the changed word to the end of that run (s)",
            property("chapter 1: simulators must be had quickly where layouts are tried"), 0.0, seconds, absolute(60.0),
            fmt::format("Within a minute is asked for; it is {} code, from the cache where it was made before. He "
                        "gives no time, and had to run REDUCE and a compiler.",
                        arm.way() == DrivenOptions::Way::compiled ? "compiled" : "interpreted"));
  return e;
}

}  // namespace lw::reproduce
