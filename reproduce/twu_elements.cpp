#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/worse.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/random_state.hpp"
#include "simulate/run/run.hpp"
#include "twu.hpp"

// Twu 1987, chapter 2: springs, dampers, friction and outer loads enter through the generalised force Q; he shows none.
// Here they are elements of the mechanism, held against the same forces written as Q, against solutions by hand, and
// against energy.
namespace lw::reproduce {
namespace {

struct ElementRun : RunListener {
  std::vector<Vector> rows;  // q, q̇
  Vector t, energy, work, losses;
  RunResult result;

  void row(const RunRow& r) override {
    Vector both(r.q.begin(), r.q.end());
    both.insert(both.end(), r.qd.begin(), r.qd.end());
    rows.push_back(std::move(both));
    t.push_back(r.t), energy.push_back(r.kinetic + r.potential), work.push_back(r.work), losses.push_back(r.losses);
  }
};

ElementRun run_of(const Mechanism& mechanism, const std::string& scenario_text) {
  const Model<double> model = instantiate<double>(mechanism);
  const ScenarioResult read = read_scenario_text(
      "scenario: 1\nintegrator: {method: dormand-prince, rtol: 1e-13, atol: 1e-13}\n" + scenario_text, "run.yaml",
      mechanism, model);
  if (!read.scenario) throw Error(read.code, read.diagnostics);
  const Scenario& scenario = *read.scenario;
  ScenarioDriven scene(mechanism, scenario, DrivenOptions::Way::reference);
  ElementRun r;
  r.result = run(scene, *make_integrator(scenario.integrator, scenario.options), scenario,
                 {.duration = *scenario.duration, .sample = scenario.sample, .listeners = {&r}});
  if (r.result.end != RunResult::End::duration) throw Error(ErrorCode::data, r.result.ended_by);
  return r;
}

// Example 1 under gravity, with something in each joint, and something that acts on links.
Mechanism arm_with(const std::vector<std::string>& in_joints, const std::string& on_links) {
  const TwuExample& x = twu_planar_example();
  std::string text = "linkwright: 1\nname: arm\ngravity: [0, -9.81, 0]\nlinks:\n";
  for (std::size_t k = 0; k < x.joints(); ++k) {
    const TwuLink& link = x.links[k];
    text += fmt::format(
        "  - name: link{}\n    parent: {}\n    joint: {{type: revolute, axis: z, origin: {{xyz: [{}, 0, 0]}}}}\n"
        "    inertia: {{mass: {}, com: [{}, 0, 0], tensor: [{}, {}, {}]}}\n    {}\n",
        k + 1, k == 0 ? "base" : fmt::format("link{}", k), k == 0 ? 0.0 : x.links[k - 1].length, link.mass, link.centre,
        0.02 * link.moments[2], link.moments[2], link.moments[2], in_joints[k]);
  }
  return mechanism_from_text(text + on_links);
}
const std::vector<std::string> kNothingInJoints{"", "", ""};

// A force in world axes at the tip of link 3.
std::string pull_at_tip() {
  return fmt::format("forces: [{{link: link3, at: [{}, 0, 0], force: [-25, 90, 0]}}]\n",
                     twu_planar_example().links[2].length);
}

void elements_as_forces(Experiment& e) {
  const TwuExample& x = twu_planar_example();
  const std::string motion =
      "duration: 0.3\noutputs: {step: 0.03}\ninitial: {q: [0.3, -0.4, 0.2], qd: [0.5, -0.8, 1.5]}\n";
  const ElementRun with = run_of(arm_with({"spring: {stiffness: 400, rest: 0.5}\n    friction: {viscous: 12}",
                                           "friction: {viscous: 8}", "friction: {coulomb: 3}"},
                                          pull_at_tip()),
                                 motion);
  // the same as Q(q, q̇): Jᵀ F of the tip, the signs of rates that do not turn round
  const std::string a = "q1", b = "(q1 + q2)", c = "(q1 + q2 + q3)";
  const auto lever = [&](const std::string& angle, double length) {
    return fmt::format("{}*(90*cos({}) + 25*sin({}))", length, angle, angle);
  };
  const std::string third = lever(c, x.links[2].length), second = lever(b, x.links[1].length) + " + " + third,
                    first = lever(a, x.links[0].length) + " + " + second;
  const ElementRun as_forces =
      run_of(arm_with(kNothingInJoints, ""),
             motion + fmt::format("inputs:\n  link1: -400*(q1 - 0.5) - 12*qd1 + {}\n  link2: -8*qd2 + {}\n"
                                  "  link3: -3*qd3/abs(qd3) + {}\n",
                                  first, second, third));
  e.compare("as-forces", "q, q̇ every 0.03 s for 0.3 s: elements of the mechanism; the same as Q(q, q̇)",
            property("chapter 2: springs, dampers, friction and loads enter through Q"), table_of_rows(as_forces.rows),
            table_of_rows(with.rows), absolute(1e-9),
            "Example 1 under gravity: spring and damper in joint 1, damper in 2, dry friction in 3, a force at the tip "
            "by Jᵀ F.");
  e.compare("balance", "energy not accounted for: elements; the same as Q, of the largest in play",
            property("gain = work − losses"), {0.0, 0.0},
            {with.result.energy_residual, as_forces.result.energy_residual}, absolute(1e-10),
            fmt::format("{:.4g} J are lost.", with.losses.back()));
}

void tip_force(Experiment& e) {
  const Model<double> bare = instantiate<double>(arm_with(kNothingInJoints, "")),
                      pulled = instantiate<double>(arm_with(kNothingInJoints, pull_at_tip()));
  Workspace<double> work(bare);
  Random random(1);
  double worst = 0.0;
  const std::size_t n = 3;
  for (int i = 0; i < 100; ++i) {
    const State s = random_state(bare, random);
    forward_kinematics<double>(bare, work, s.q);
    Frame<double> tip{"tip", 2, {}};
    tip.X_BF.p[0] = twu_planar_example().links[2].length;
    Vector J(6 * n);
    frame_jacobian<double>(bare, work, tip, J);
    const Vector without = inverse(bare, s.q, s.qd, s.qdd), with = inverse(pulled, s.q, s.qd, s.qdd);
    for (std::size_t j = 0; j < n; ++j) {
      const double by_jacobian = -25.0 * J[6 * j + 3] + 90.0 * J[6 * j + 4];
      worst = worse(worst, std::abs(without[j] - with[j] - by_jacobian) / magnitude(without));
    }
  }
  e.compare("tip", "what a force at the tip takes off the joint forces, less Jᵀ F, at most",
            property("virtual work: Q = Jᵀ F"), 0.0, worst, absolute(1e-12),
            "Example 1 at 100 random states; a fraction of the largest force.");
}

// m ẍ = −k x and a loss, from x₀ at rest: solved by hand.
constexpr double kMass = 2.0, kStiffness = 50.0;
Mechanism slide_with(const std::string& loss) {
  return mechanism_from_text(
      fmt::format("linkwright: 1\nname: slide\ngravity: [0, 0, 0]\nlinks:\n  - name: slide\n    parent: base\n"
                  "    joint: {{type: prismatic, axis: x}}\n    inertia: {{mass: {}}}\n    spring: {{stiffness: {}}}\n "
                  "   friction: {{{}}}\n",
                  kMass, kStiffness, loss));
}

void damper(Experiment& e) {
  constexpr double d = 3.0, start = 0.2;
  const ElementRun r = run_of(slide_with(fmt::format("viscous: {}", d)),
                              fmt::format("duration: 2\noutputs: {{step: 0.2}}\ninitial: {{q: [{}]}}\n", start));
  const double decay = d / (2.0 * kMass), w = std::sqrt(kStiffness / kMass - decay * decay);
  std::vector<Vector> expected;
  double rise = 0.0;  // of energy, between rows
  for (std::size_t k = 0; k < r.t.size(); ++k) {
    const double t = r.t[k], c = std::cos(w * t), s = std::sin(w * t), size = start * std::exp(-decay * t);
    expected.push_back({size * (c + decay / w * s), -size * s * (decay * decay / w + w)});
    if (k > 0) rise = std::max(rise, r.energy[k] - r.energy[k - 1]);
  }
  e.compare("damper", "x, ẋ of a mass on a spring with a damper, every 0.2 s for 2 s (m, m/s)",
            property("m ẍ + d ẋ + k x = 0, solved by hand"), table_of_rows(expected), table_of_rows(r.rows),
            absolute(1e-9));
  e.compare("damper.energy", "energy it gains between rows; what is not accounted for", property("a damper only takes"),
            {0.0, 0.0}, {rise, r.result.energy_residual}, absolute(1e-10));
}

void dry_friction(Experiment& e) {
  constexpr double force = 1.0, start = 0.49;
  const double half = M_PI / std::sqrt(kStiffness / kMass);
  constexpr int halves = 14;
  const ElementRun r =
      run_of(slide_with(fmt::format("coulomb: {}", force)),
             fmt::format("duration: {}\noutputs: {{step: {}}}\ninitial: {{q: [{}]}}\n", halves * half, half, start));
  // every half swing is a cosine about a centre moved by F/k: it loses 2 F/k, and ends where the spring cannot move it
  // any more
  Vector expected, found;
  double x = start;
  for (int k = 0; k <= halves; ++k) {
    expected.push_back(x);
    if (std::abs(x) > force / kStiffness) x = -std::copysign(std::abs(x) - 2.0 * force / kStiffness, x);
  }
  for (const Vector& row : r.rows) found.push_back(row[0]);
  e.compare("dry", "where a mass on a spring with dry friction turns round, and stops (m)",
            property("each half swing is 2 F/k shorter, by hand; it sticks within F/k"), expected, found,
            absolute(1e-9), "It sticks after twelve.");
  e.compare("dry.losses", "energy lost to dry friction (J)", property("½ k (x₀² − x²), by hand"),
            0.5 * kStiffness * (start * start - x * x), r.losses.back(), relative(1e-10));
  Plot plot{
      .title = "Mass on a spring with dry friction", .x_label = "time (s)", .y_label = "position (m)", .series = {}};
  const ElementRun fine =
      run_of(slide_with(fmt::format("coulomb: {}", force)),
             fmt::format("duration: {}\noutputs: {{step: 0.02}}\ninitial: {{q: [{}]}}\n", halves * half, start));
  Series line{.label = "simulated", .x = fine.t, .y = {}},
      points{.label = "turning points by hand", .x = r.t, .y = expected, .look = Series::Look::points};
  for (const Vector& row : fine.rows) line.y.push_back(row[0]);
  plot.series = {line, points};
  e.plots.push_back(std::move(plot));
}

}  // namespace

Experiment twu_elements() {
  Experiment e(
      "twu", "twu.elements", "Springs, dampers, friction, loads (chapter 2)",
      "He lets them enter through the generalised forces and shows none. As elements of the mechanism they are held "
      "against the same forces as Q, against solutions by hand, and against energy.");
  elements_as_forces(e);
  tip_force(e);
  damper(e);
  dry_friction(e);
  return e;
}

}  // namespace lw::reproduce
