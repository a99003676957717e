// Losses of joints and drives inside traced and compiled functions: against inverse dynamics with losses over double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/compile.hpp"
#include "codegen/functions/friction_methods.hpp"
#include "codegen/scene/snapping.hpp"
#include "codegen/trace/verification.hpp"
#include "dynamics/loops/forward_losses.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace friction_codegen_test {

using Values = std::vector<double>;

// Every loss that there is, on some of the joints.
Mechanism with_losses(Mechanism m, std::uint64_t seed, bool hard = false) {
  Random random(seed);
  for (Link& link : m.links) {
    Joint& j = link.joint;
    if (j.type == JointType::fixed || j.mimic) continue;
    const bool slides = j.type == JointType::prismatic, one = slides || j.type == JointType::revolute;
    if (random.chance(0.8)) {
      Friction& f = j.friction;
      f.present = true;
      if (random.chance(0.5)) f.viscous = random.between(0.1, 2.0);
      if (random.chance(0.5)) f.coulomb = random.between(0.1, 2.0);
      if (random.chance(0.3))
        f.stribeck = {2.5, random.between(0.1, 1.0), random.chance(0.5) ? 2.0 : random.between(0.5, 2.0)};
      if (random.chance(0.3)) f.width = random.between(0.1, 2.0);
      for (int k = 0; one && k < 2; ++k) {
        if (random.chance(0.5)) continue;
        const auto kind = static_cast<Bearing::Kind>(random.below(3));
        if ((kind == Bearing::Kind::linear && !slides) || (kind == Bearing::Kind::thrust && slides)) continue;
        f.bearings.push_back({kind,
                              random.between(0.01, hard ? 0.3 : 0.1),
                              random.between(0.01, 0.1),
                              random.between(hard ? 0.05 : 0.2, 0.6),
                              random.chance(0.7),
                              {}});
      }
    }
    if (random.chance(0.3)) j.damper = {random.between(0.1, 2.0), {}};
    if (!one || random.chance(0.3)) continue;
    if (!j.drive) j.drive.emplace();
    j.drive->rated = random.between(1.0, 50.0);
    if (hard && random.chance(0.7)) {
      j.drive->ratio = random.between(20.0, 200.0);
      j.drive->rotor_inertia = random.between(1e-5, 1e-3);
    }
    if (random.chance(0.5)) j.drive->breakaway = random.between(0.1, 2.0);
    if (random.chance(0.4)) {
      j.drive->efficiency = FormulaTable{{0.0}, {random.between(0.3, 1.0)}, false, {}};
    } else if (random.chance(0.7)) {
      j.drive->efficiency = FormulaTable{{0.1, 0.3, 0.8}, {0.35, 0.5, 0.8}, random.chance(0.5), {}};
    }
  }
  return m;
}

Mechanism random_lossy(std::uint64_t seed, int joints, bool hard = false) {
  RandomMechanismOptions options;
  options.joints = joints;
  options.drives = options.springs = true;
  options.mimic = seed % 4 == 0 ? 0.3 : 0.0;
  if (seed % 3 == 0) options.types = {JointType::revolute, JointType::prismatic};
  return with_losses(seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options), seed, hard);
}

// The worst difference from inverse_with_losses, relative to the largest number of a state.
// `resting`: every second state with joints at rest.
double disagreement(const Traced& traced, const std::function<void(std::span<const double>, std::span<double>)>& run,
                    bool resting = false) {
  const Model<double> model = snapped(traced.model, traced.snap);
  Workspace<double> work(model);
  Losses<double> l(model);
  Random random(3);
  double worst = 0.0;
  for (int k = 0; k < 100; ++k) {
    State s = random_state(model, random);
    for (double& v : s.qd) v = resting && (k % 4 == 0 || (k % 2 == 0 && random.chance(0.5))) ? 0.0 : v;
    Values in = s.q, out(traced.function.output_size()), expected;
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    run(in, out);
    inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, l);
    std::vector<const Values*> parts{&l.total};
    if (traced.function.name() == "friction") {
      parts = {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor};
    }
    for (const Values* part : parts) expected.insert(expected.end(), part->begin(), part->end());
    double size = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      size = std::max(size, std::abs(expected[i]));
      difference = std::isfinite(out[i]) ? std::max(difference, std::abs(out[i] - expected[i])) : HUGE_VAL;
    }
    worst = std::max(worst, difference / size);
  }
  return worst;
}

// Accelerations whose total is the torque that was given: at torques that motions need, which have an answer.
double forward_error(const Traced& traced, const std::function<void(std::span<const double>, std::span<double>)>& run) {
  const Model<double> model = snapped(traced.model, traced.snap);
  Workspace<double> work(model);
  Losses<double> l(model);
  Random random(4);
  StatesFor states(traced, model);
  double worst = 0.0;
  for (int k = 0; k < 50; ++k) {
    const State s = states.next(random);
    Values in = s.q, qdd(s.qd.size());
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.tau.begin(), s.tau.end());
    run(in, qdd);
    inverse_with_losses<double>(model, work, s.q, s.qd, qdd, l);
    double size = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < qdd.size(); ++i) {
      size = std::max({size, std::abs(s.tau[i]), std::abs(l.dynamic[i])});
      difference = std::isfinite(qdd[i]) ? std::max(difference, std::abs(l.total[i] - s.tau[i])) : HUGE_VAL;
    }
    worst = std::max(worst, difference / size);
  }
  return worst;
}

TEST(FrictionCode, RandomMechanismsWithEveryLossAgree) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    const Mechanism mechanism = random_lossy(seed, 1 + static_cast<int>(seed % 4));
    TraceOptions how;
    how.friction = true;
    how.fused = seed % 5 == 0;
    how.base_parameters = seed % 7 != 0;
    for (const char* function : {"inverse", "friction"}) {
      const Traced traced = trace_function(mechanism, function, how);
      Interpreter<double> run(traced.function);
      EXPECT_LE(disagreement(traced, [&](auto in, auto out) { run(in, out); }), 1e-12)
          << "seed " << seed << " " << function;
      EXPECT_LE(disagreement(
                    traced, [&](auto in, auto out) { run(in, out); }, true),
                1e-12)
          << "from rest, seed " << seed << " " << function;
      EXPECT_TRUE(verify(traced, 50).passed()) << "seed " << seed << " " << function;
    }
  }
}

TEST(FrictionCode, CompiledIsTheSame) {
  CompileOptions options;
  options.program.trace.friction = true;
  options.jit.batch = true;
  const Mechanism mechanism = random_lossy(6, 5);
  std::vector<Traced> traced;
  options.program.trace = native(options.program.trace);
  const Program program = make_program(mechanism, {"inverse", "friction", "forward"}, options.program, &traced);
  Compiled code = jit(program, options.jit);
  ASSERT_TRUE(code.is_native());
  for (const Traced& t : traced) {
    const auto run = [&](auto in, auto out) { code(t.function.name(), in, out); };
    if (t.function.name() == "forward") {
      EXPECT_LE(forward_error(t, run), 1e-12);
      continue;
    }
    EXPECT_LE(disagreement(t, run), 1e-12) << t.function.name();
    EXPECT_LE(disagreement(t, run, true), 1e-12) << t.function.name() << " from rest";
  }
}

TEST(FrictionCode, ForwardIsTheInverseOfInverse) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Mechanism mechanism = random_lossy(seed, 1 + static_cast<int>(seed % 4));
    TraceOptions how;
    how.friction = true;
    const Traced traced = trace_function(mechanism, "forward", how);
    Interpreter<double> run(traced.function);
    EXPECT_LE(forward_error(traced, [&](auto in, auto out) { run(in, out); }), 1e-12) << "seed " << seed;
  }
}

// Bearings that all but jam, and rotors that take most of the torque, behind tables of efficiency: whole Newton steps
// go to and fro there (seeds 6, 30, 39), and of several accelerations some lie where friction has turned the sign of
// inertia (seed 6). At torques that motions need; where the reference says that a joint jams, nothing is asked.
TEST(FrictionCode, ForwardFindsWhatTheReferenceFinds) {
  int refused = 0;
  for (std::uint64_t seed = 3; seed <= 60; seed += 3) {
    TraceOptions how;
    how.friction = true;
    const Traced traced = trace_function(random_lossy(seed, 1 + static_cast<int>(seed / 3 % 6), true), "forward", how);
    const Model<double> model = snapped(traced.model, traced.snap);
    Interpreter<double> run(traced.function);
    ForwardLosses reference(model);
    Workspace<double> work(model);
    Losses<double> l(model);
    Random random(seed);
    StatesFor states(traced, model);
    for (int k = 0; k < 50; ++k) {
      const State s = states.next(random);
      Values in = s.q, qdd(s.qd.size()), expected(s.qd.size());
      in.insert(in.end(), s.qd.begin(), s.qd.end());
      in.insert(in.end(), s.tau.begin(), s.tau.end());
      try {
        reference(s.q, s.qd, s.tau, expected);
      } catch (const Error&) {
        ++refused;
        continue;
      }
      run(in, qdd);
      inverse_with_losses<double>(model, work, s.q, s.qd, qdd, l);
      double size = 0.0, difference = 0.0, fastest = 0.0, apart = 0.0;
      for (std::size_t i = 0; i < qdd.size(); ++i) {
        size = std::max({size, std::abs(s.tau[i]), std::abs(l.dynamic[i])});
        difference = std::isfinite(qdd[i]) ? std::max(difference, std::abs(l.total[i] - s.tau[i])) : HUGE_VAL;
        fastest = std::max(fastest, std::abs(expected[i]));
        apart = std::max(apart, std::abs(expected[i] - qdd[i]));
      }
      EXPECT_LE(difference, 1e-12 * size) << "seed " << seed;
      EXPECT_LE(apart, 1e-6 * fastest) << "seed " << seed;  // where there are several, the same
    }
  }
  EXPECT_LE(refused, 10);
}

// A mass m beside its guide, e away: its moment presses on two supports d apart, so that a thrust F gives q̈ = F/(m (1
// ± k)) with k = 2 μ e/d, + where it moves forwards. Beyond k = 1 nothing pulls it back: it jams.
TEST(FrictionCode, JammingGuidesGiveNoAcceleration) {
  const auto accelerations = [](double mu) {
    const ReadResult read = read_text(
        fmt::format("linkwright: 1\nname: guide\ngravity: [0, 0, 0]\nlinks:\n  - {{name: a, parent: base, joint: "
                    "{{type: prismatic, axis: x}}, inertia: {{mass: 2, com: [0, 0.4, 0]}}, friction: "
                    "{{bearing: {{type: journal, mu: {}, spacing: 0.2}}}}}}\n",
                    mu),
        "guide.yaml");
    if (!read.mechanism) throw Error(ErrorCode::data, read.diagnostics.at(0).message);
    TraceOptions how;
    how.friction = true;
    Interpreter<double> run(trace_function(*read.mechanism, "forward", how).function);
    std::array<double, 2> out{};
    for (const int k : {0, 1})
      run(Values{0.3, 1.0, k == 0 ? 5.0 : -5.0}, std::span(&out[static_cast<std::size_t>(k)], 1));
    return out;
  };
  const auto moves = accelerations(0.1), jams = accelerations(0.3);  // k = 0.4, 1.2
  EXPECT_NEAR(moves[0], 5.0 / 2.8, 1e-14);
  EXPECT_NEAR(moves[1], -5.0 / 1.2, 1e-14);
  EXPECT_NEAR(jams[0], 5.0 / 4.4, 1e-14);
  EXPECT_TRUE(std::isnan(jams[1]));
}

// Where nothing is loaded, losses leave the base parameters alone, and a joint's cost little.
TEST(FrictionCode, CountsOfTheArm) {
  const auto total = [](const Mechanism& m, bool friction) {
    TraceOptions how;
    how.friction = friction;
    const OperationCount c = cost(trace_function(m, "inverse", how).function).operations;
    return c.multiplications + c.additions + c.divisions + c.roots;
  };
  const Mechanism arm = load("puma560-dhanaraj");
  Mechanism constant = arm;
  for (Link& link : constant.links) {
    link.joint.friction = {};
    link.joint.drive.emplace();
    link.joint.drive->efficiency = FormulaTable{{0.0}, {0.8}, false, {}};
    link.joint.drive->breakaway = 2.0;
  }
  const auto without = total(arm, false), with_constants = total(constant, true), with_journals = total(arm, true);
  EXPECT_LE(with_constants, without + 6 * 4);
  // Dhanaraj 1990, table 3.3: 24 a joint
  EXPECT_LE(with_journals, without + 6 * 24);
  // the laws alone, with a root or a division for one operation
  for (const LossCost& joint : loss_costs(arm)) {
    const OperationCount& c = joint.operations;
    EXPECT_LE(c.multiplications + c.additions + c.divisions + c.roots, 24) << joint.joint;
  }
  for (const LossCost& joint : loss_costs(constant)) {
    const OperationCount& c = joint.operations;
    EXPECT_LE(c.multiplications + c.additions + c.divisions + c.roots, 4) << joint.joint;
  }
  RecordProperty("without", std::to_string(without));
  RecordProperty("constant", std::to_string(with_constants));
  RecordProperty("journals", std::to_string(with_journals));
}

TEST(FrictionCode, FunctionsWithoutFrictionRefuseIt) {
  TraceOptions how;
  how.friction = true;
  const Mechanism arm = load("puma560-dhanaraj");
  for (const char* function : {"bias", "inverse-derivatives", "forward-derivatives"}) {
    EXPECT_THROW(trace_function(arm, function, how), Error) << function;
  }
  EXPECT_EQ(cost(trace_function(arm, "mass-matrix", how).function).operations,
            cost(trace_function(arm, "mass-matrix").function).operations);
}

}  // namespace friction_codegen_test
}  // namespace lw
