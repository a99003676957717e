#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "all_stages.hpp"
#include "base/error.hpp"
#include "base/worse.hpp"
#include "simulate/run/run.hpp"
#include "twu.hpp"

// Twu 1987, chapter 5: the motions of both examples, simulated as a user would, without gravity and under it.
namespace lw::reproduce {
namespace {

constexpr double kEnd = 0.18, kPrinted = 0.02, kGravity = 9.81;

struct SimulatedMotion : RunListener {
  TwuMotion motion;
  Vector work;
  double residual = 0.0;  // of energy, relative
  long steps = 0;

  void row(const RunRow& r) override {
    motion.q.emplace_back(r.q.begin(), r.q.end());
    motion.qd.emplace_back(r.qd.begin(), r.qd.end());
    motion.qdd.emplace_back(r.qdd.begin(), r.qdd.end());
    motion.kinetic.push_back(r.kinetic);
    motion.potential.push_back(r.potential);
    work.push_back(r.work);
  }
};

// As `linkwright simulate` does it.
SimulatedMotion simulated_motion(const TwuExample& x, double g, const std::string& integrator) {
  const Mechanism mechanism = twu_mechanism(x, g);
  const Model<double> model = instantiate<double>(mechanism);
  std::string inputs;
  for (std::size_t j = 0; j < x.joints(); ++j)
    inputs += fmt::format("{}link{}: {}*sqrt(t) + {}", j == 0 ? "" : ", ", j + 1, x.a[j], x.b[j]);
  const ScenarioResult read = read_scenario_text(
      fmt::format(
          "scenario: 1\nduration: {}\noutputs: {{step: {}}}\ninitial: {{qd: [{}]}}\ninputs: {{{}}}\nintegrator: {}\n",
          kEnd, kPrinted, fmt::join(x.start(), ", "), inputs, integrator),
      "twu.yaml", mechanism, model);
  if (!read.scenario) throw Error(read.code, read.diagnostics);
  const Scenario& scenario = *read.scenario;
  ScenarioDriven scene(mechanism, scenario);
  SimulatedMotion result;
  const RunResult done = run(scene, *make_integrator(scenario.integrator, scenario.options), scenario,
                             {.duration = kEnd, .sample = kPrinted, .listeners = {&result}});
  if (done.end != RunResult::End::duration) throw Error(ErrorCode::data, done.ended_by);
  result.residual = done.energy_residual;
  result.steps = done.counts.steps;
  return result;
}

Numbers table_of(const TwuMotion& m) { return table_of_motion(m.q, m.qd, m.qdd); }

Numbers energies(const TwuMotion& m) {
  std::vector<Vector> rows;
  for (std::size_t k = 0; k < m.kinetic.size(); ++k) rows.push_back({m.kinetic[k], m.potential[k]});
  return table_of_rows(rows);
}

void motion_of(Experiment& e, const TwuExample& x) {
  const Source source = recomputed("twu.py", "data of chapter 5, converged to 16 digits");
  const std::string columns = "q, q̇, q̈ at t = 0, 0.02, …, 0.18 s";
  const SimulatedMotion light = simulated_motion(x, 0.0, "{method: dormand-prince, rtol: 1e-13, atol: 1e-13}"),
                        heavy = simulated_motion(x, kGravity, "{method: dormand-prince, rtol: 1e-13, atol: 1e-13}");
  e.compare(x.id + ".motion", fmt::format("{}, {}, no gravity", columns, x.name), source, table_of(x.light),
            table_of(light.motion), absolute(1e-9), fmt::format("Dormand-Prince, {} steps.", light.steps));
  for (const char* other : {"verner", "cvode"}) {
    const SimulatedMotion by = simulated_motion(x, 0.0, fmt::format("{{method: {}, rtol: 1e-13, atol: 1e-14}}", other));
    e.compare(fmt::format("{}.{}", x.id, other), fmt::format("the same by `{}`", other), source, table_of(x.light),
              table_of(by.motion), absolute(1e-9), fmt::format("{} steps.", by.steps));
  }
  e.compare(x.id + ".heavy", fmt::format("{}, {}, g = 9.81 m/s²", columns, x.name), source, table_of(x.heavy),
            table_of(heavy.motion), absolute(1e-9),
            fmt::format("What the text describes and the tables do not show. Dormand-Prince, {} steps.", heavy.steps));
  e.compare(x.id + ".heavy.energy", "kinetic and potential energy along it (J)", source, energies(x.heavy),
            energies(heavy.motion), absolute(1e-8));

  // energy: what the forces did against what the motion gained, each of the light motion's own
  Vector gain, expected;
  for (std::size_t k = 0; k < x.light.kinetic.size(); ++k) {
    expected.push_back(x.light.kinetic[k] - x.light.kinetic[0]);
    gain.push_back(light.motion.kinetic[k] - light.motion.kinetic[0]);
  }
  e.compare(x.id + ".gain", "gain of kinetic energy, no gravity (J)", source, expected, gain, absolute(1e-10));
  e.compare(x.id + ".work", "work of the joint forces, integrated with the motion (J)", source, expected, light.work,
            absolute(1e-10), "It is the gain: no other force works.");
  e.compare(x.id + ".balance", "energy not accounted for, of the largest in play: without gravity; under it",
            property("work and energy must balance"), {0.0, 0.0}, {light.residual, heavy.residual}, absolute(1e-10),
            "His own check leaves 1 to 11 % open, mostly by its quadrature.");

  // back: the converged motion, his program's and ours, returns the forces that made it
  const Model<double> weightless = embedded(x.model, {{"g", 0.0}});
  std::vector<Vector> given, of_reference, of_ours;
  for (std::size_t k = 0; k < x.q.size(); ++k) {
    given.push_back(x.force_at(k));
    of_reference.push_back(inverse(weightless, x.light.q[k], x.light.qd[k], x.light.qdd[k]));
    of_ours.push_back(inverse(weightless, light.motion.q[k], light.motion.qd[k], light.motion.qdd[k]));
  }
  const Source functions = "the given functions a √t + b";
  e.compare(x.id + ".forces", fmt::format("joint forces of the motion, {} (N·m, N)", x.name), functions,
            table_of_rows(given), table_of_rows(of_ours), absolute(1e-12), "Inverse dynamics of our own rows.");
  e.compare(x.id + ".forces-independent", "the same of the oracle's rows", functions, table_of_rows(given),
            table_of_rows(of_reference), absolute(1e-12));
  e.misprint(x.id + ".printed", fmt::format("q̇ at t = 0, 0.02, …, 0.18 s, {} (rad/s, m/s)", x.name),
             "tables of chapter 5", table_of_rows(x.qd), table_of_rows(light.motion.qd), table_of_rows(x.light.qd),
             absolute(5e-5),
             "The printed motion is not that of the printed forces: in his program they acted one call late (below). "
             "Ours also by tests/oracles/twu.py.");

  Plot plot{.title = fmt::format("Velocity of joint {}, {}", x.joints() == 3 ? 3 : 2, x.name),
            .x_label = "time (s)",
            .y_label = "velocity (rad/s)",
            .series = {}};
  const std::size_t joint = x.joints() == 3 ? 2 : 1;
  Series without{.label = "without gravity", .x = {}, .y = {}}, with{.label = "under gravity", .x = {}, .y = {}},
      printed{.label = "printed", .x = {}, .y = {}, .look = Series::Look::points};
  for (std::size_t k = 0; k < x.q.size(); ++k) {
    const double t = kPrinted * static_cast<double>(k);
    without.x.push_back(t), with.x.push_back(t), printed.x.push_back(t);
    without.y.push_back(light.motion.qd[k][joint]);
    with.y.push_back(heavy.motion.qd[k][joint]);
    printed.y.push_back(x.qd[k][joint]);
  }
  plot.series = {without, with, printed};
  e.plots.push_back(plot);
}

// √t has an infinite slope at 0, so that fixed steps in t lose their order; in s = √t all is smooth: dy/ds = 2 s f.
void order_of_steps(Experiment& e) {
  const TwuExample& x = twu_planar_example();
  const std::size_t n = x.joints();
  const Model<double> model = embedded(x.model, {{"g", 0.0}});
  const ButcherTableau& verner = butcher_tableau("verner");
  Vector y0(n, 0.0);
  for (const double v : x.start()) y0.push_back(v);
  const auto slope = [&](double t, const Vector& y) {
    const Vector q(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n)),
        qd(y.begin() + static_cast<std::ptrdiff_t>(n), y.end());
    Vector dy = qd;
    for (const double a : forward(model, q, qd, x.force(t))) dy.push_back(a);
    return dy;
  };
  const auto slope_by_root = [&](double s, const Vector& y) {
    Vector dy = slope(s * s, y);
    for (double& d : dy) d *= 2.0 * s;
    return dy;
  };
  const auto error = [&](const Vector& y) {
    double worst = 0.0;
    for (std::size_t j = 0; j < n; ++j) worst = worse(worst, std::abs(y[n + j] - x.light.qd.back()[j]));
    return worst;
  };
  Series in_t{.label = "steps in t", .x = {}, .y = {}}, in_root{.label = "steps in √t", .x = {}, .y = {}};
  for (const int steps : {3, 6, 9, 18, 36, 72}) {
    const auto add = [&](Series& to, double off) {
      to.x.push_back(std::log10(steps)), to.y.push_back(std::log10(off));
    };
    add(in_t, error(all_stages_run(verner, slope, 0.0, y0, kEnd, steps)));
    if (steps <= 18) add(in_root, error(all_stages_run(verner, slope_by_root, 0.0, y0, std::sqrt(kEnd), steps)));
  }
  const auto order = [](const Series& s, std::size_t a, std::size_t b) {
    return -(s.y[b] - s.y[a]) / (s.x[b] - s.x[a]);
  };
  e.compare(
      "order", "order of Verner's formulas for q̇ of example 1: steps in t; in √t",
      property("√t lets a method of any order fall to 3/2; smooth, it has its own, 6"), {1.5, 6.0},
      {order(in_t, 3, 5), order(in_root, 0, 2)}, absolute(0.5),
      "A quadrature of √t from 0 has an error of h^1.5. The integrators above choose their steps and need not care.");
  e.plots.push_back({.title = "Error of q̇ at 0.18 s, example 1, Verner's formulas",
                     .x_label = "log₁₀ of the number of steps",
                     .y_label = "log₁₀ of the error (rad/s)",
                     .series = {in_t, in_root}});
}

}  // namespace

Experiment twu_motion() {
  Experiment e("twu", "twu.motion", "The motions (chapter 5)",
               "Both examples simulated to convergence, without gravity as his tables and with it as his text, against "
               "tests/oracles/twu.py; energy and work; and the joint forces back from the motion.");
  for (const TwuExample* x : twu_examples()) motion_of(e, *x);
  order_of_steps(e);
  return e;
}

}  // namespace lw::reproduce
