// Canonical frames, regauged inertias and the acceleration-tensor recursion against recursive Newton-Euler in the
// model's own frames.
#include <gtest/gtest.h>

#include <cmath>

#include "base/worse.hpp"
#include "dynamics/canonical/composite.hpp"
#include "dynamics/parameters/base_parameters.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/embedded.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace canonical_test {

using Values = std::vector<double>;

// Which methods a tree allows, chosen at random.
TensorMethod random_method(const CanonicalTree<double>& tree, Random& random) {
  const std::size_t n = tree.links.size();
  TensorMethod method{std::vector<bool>(n, false), std::vector<bool>(n, true)};
  for (std::size_t i = 0; i < n; ++i) {
    const auto& link = tree.links[i];
    method.merged[i] = link.parallel && random.chance(0.5);
    if (link.kind != JointKind::revolute) method.in_carrier[i] = false;
    if (!method.merged[i] && link.parent >= 0) method.in_carrier[static_cast<std::size_t>(link.parent)] = false;
  }
  for (std::size_t i = 0; i < n; ++i) method.in_carrier[i] = method.in_carrier[i] && random.chance(0.5);
  return method;
}

Gauges random_gauges(std::size_t n, Random& random) {
  Gauges gauges;
  for (std::size_t i = 0; i < n; ++i) gauges.push_back(static_cast<Gauge>(random.below(3)));
  return gauges;
}

// Largest |Δτ| over the largest term, as the torques of each body alone add up to.
double difference(const Model<double>& model, const Model<double>& regrouped_model, const CanonicalTree<double>& tree,
                  const TensorMethod& method, Random& random) {
  const State s = random_state(model, random);
  Workspace<double> work(model);
  Values expected(s.qd.size()), tau(s.qd.size()), size(s.qd.size(), 1.0);
  rnea<double>(model, work, s.q, s.qd, s.qdd, expected);
  tensor_inverse<double>(regrouped_model, tree, method, s.q, s.qd, s.qdd, tau);
  for (const CanonicalTree<double>* one : {&tree}) {
    // what the single moments contribute, since regauged bodies may be large and of opposite signs
    CanonicalTree<double> part = *one;
    for (auto& link : part.links) link.inertia = {};
    for (std::size_t i = 0; i < part.links.size(); ++i) {
      const SecondMoments<double>& P = one->links[i].inertia;
      for (int k = 0; k < 10; ++k) {
        SecondMoments<double>& only = part.links[i].inertia = {};
        if (k == 0) only.m = P.m;
        if (k >= 1 && k < 4) only.h[k - 1] = P.h[k - 1];
        constexpr int rows[] = {0, 0, 0, 1, 1, 2}, columns[] = {0, 1, 2, 1, 2, 2};
        if (k >= 4) {
          const int r = rows[k - 4], c = columns[k - 4];
          only.E(r, c) = only.E(c, r) = P.E(r, c);
        }
        part.links[i].set_mean_and_spread();
        Values t(tau.size());
        tensor_inverse<double>(regrouped_model, part, method, s.q, s.qd, s.qdd, t);
        for (std::size_t j = 0; j < t.size(); ++j) size[j] += std::abs(t[j]);
      }
      part.links[i].inertia = {};
      part.links[i].set_mean_and_spread();
    }
  }
  double worst = 0.0;
  for (std::size_t j = 0; j < tau.size(); ++j) worst = worse(worst, std::abs(tau[j] - expected[j]) / size[j]);
  return worst;
}

TEST(Canonical, TorquesOfAwkwardMechanismsInEveryMethod) {
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    RandomMechanismOptions options;
    options.joints = 1 + random.below(7);
    options.drives = options.springs = true;
    options.mimic = 0.1;
    if (seed % 3 == 0) options.types = {JointType::revolute, JointType::prismatic};
    const Mechanism mechanism = seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options);
    const Model<double> model = instantiate<double>(mechanism);
    // in the frames alone, all inertias kept
    CanonicalTree<double> tree = canonical_tree(model);
    worst = worse(worst, difference(model, model, tree, random_method(tree, random), random));
    // and with base parameters, regauged
    const Model<double> fewer = regrouped(model);
    tree = canonical_tree(fewer);
    const TensorMethod method = random_method(tree, random);
    regauge(tree, fewer, random_gauges(tree.links.size(), random));
    const double here = difference(model, fewer, tree, method, random);
    EXPECT_LE(here, 1e-12) << "seed " << seed;
    worst = worse(worst, here);
  }
  EXPECT_LE(worst, 1e-12);
  RecordProperty("worst", std::to_string(worst * 1e12) + "e-12");
}

// Where some joints' reactions are asked for, inertias may cross the others: the reactions of these stay, in the
// recursion and in recursive Newton-Euler on the same frames, though far fewer parameters are left.
TEST(Canonical, ReactionsThatAreFeltSurviveRegrouping) {
  int felt_joints = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    RandomMechanismOptions options;
    options.joints = 2 + random.below(6);
    options.drives = options.springs = true;
    if (seed % 3 == 0) options.types = {JointType::revolute, JointType::prismatic};
    const Mechanism mechanism = seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options);
    const Model<double> model = instantiate<double>(mechanism);
    std::vector<bool> felt(model.bodies.size());
    for (std::size_t i = 0; i < felt.size(); ++i) felt[i] = random.chance(0.4);
    const Model<double> fewer = regrouped(model, kRounding, felt);
    CanonicalTree<double> tree = canonical_tree(fewer);
    const TensorMethod method = random_method(tree, random);
    regauge(tree, fewer, random_gauges(tree.links.size(), random), felt);
    const Model<double> placed = canonical_model(tree, fewer);
    const State s = random_state(model, random);
    Workspace<double> work(model), other(placed);
    Values tau(s.qd.size()), expected(s.qd.size());
    std::vector<Force<double>> reactions;
    rnea<double>(model, work, s.q, s.qd, s.qdd, expected);
    rnea<double>(placed, other, s.q, s.qd, s.qdd, tau);
    tensor_inverse<double>(fewer, tree, method, s.q, s.qd, s.qdd, tau, &reactions);
    double force = 1.0, size = 1.0;  // the largest
    for (const Force<double>& f : work.force) {
      force = std::max(force, std::sqrt(dot(f.lin, f.lin)));
      size = std::max({size, force, std::sqrt(dot(f.ang, f.ang))});
    }
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_NEAR(tau[k], expected[k], 1e-11 * size) << "seed " << seed;
    for (std::size_t i = 0; i < felt.size(); ++i) {
      const Body<double>& b = model.bodies[i];
      if (!felt[i]) {
        const Vec3<double> change = other.force[i].lin - transpose(tree.links[i].axes) * work.force[i].lin;
        moved += dot(change, change) > 1e-6 * force * force ? 1 : 0;
        continue;
      }
      if (b.kind != JointKind::revolute && b.kind != JointKind::prismatic) continue;
      ++felt_joints;
      const auto& link = tree.links[i];
      const Vec3<double> z = Vec3<double>::unit(2), f = transpose(link.axes) * work.force[i].lin,
                         n = transpose(link.axes) * work.force[i].ang;
      const auto at_body = [&](const Force<double>& w) { return w.ang + cross(z * link.along, w.lin); };
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(other.force[i].lin[k], f[k], 1e-11 * size) << "seed " << seed << " body " << i;
        EXPECT_NEAR(at_body(other.force[i])[k], n[k], 1e-11 * size) << "seed " << seed << " body " << i;
      }
      // of a turn up to an angle about z
      const Force<double> w{at_body(reactions[i]), reactions[i].lin};
      const auto across = [](const Vec3<double>& u, const Vec3<double>& v) { return u[0] * v[0] + u[1] * v[1]; };
      EXPECT_NEAR(w.lin[2], f[2], 1e-11 * size) << "seed " << seed << " body " << i;
      EXPECT_NEAR(w.ang[2], n[2], 1e-11 * size) << "seed " << seed << " body " << i;
      EXPECT_NEAR(across(w.lin, w.lin), across(f, f), 1e-11 * size * size) << "seed " << seed << " body " << i;
      EXPECT_NEAR(across(w.ang, w.ang), across(n, n), 1e-11 * size * size) << "seed " << seed << " body " << i;
      EXPECT_NEAR(across(w.lin, w.ang), across(f, n), 1e-11 * size * size) << "seed " << seed << " body " << i;
      if (b.kind != JointKind::prismatic) continue;
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(w.lin[k], f[k], 1e-11 * size) << "seed " << seed << " body " << i;
    }
  }
  EXPECT_GT(felt_joints, 100);
  EXPECT_GT(moved, 100);  // something was regrouped
}

TEST(Canonical, MassMatrixOfAwkwardMechanismsInEveryMethod) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    RandomMechanismOptions options;
    options.joints = 1 + random.below(7);
    options.drives = true;
    options.mimic = 0.1;
    const Mechanism mechanism = seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options);
    const Model<double> model = instantiate<double>(mechanism), fewer = regrouped(model);
    CanonicalTree<double> tree = canonical_tree(fewer);
    const TensorMethod method = random_method(tree, random);
    regauge(tree, fewer, random_gauges(tree.links.size(), random));
    const State s = random_state(model, random);
    Workspace<double> work(model);
    Values expected(s.qd.size() * s.qd.size()), M(expected.size());
    crba<double>(model, work, s.q, expected);
    composite_mass_matrix<double>(fewer, tree, method, s.q, M);
    double size = 1.0;  // of what is added, masses of both signs included
    for (const auto& link : tree.links) {
      size += 10.0 * std::abs(link.inertia.m);
      for (int k = 0; k < 3; ++k) size += std::abs(link.inertia.h[k]) + std::abs(link.inertia.E(k, k));
    }
    EXPECT_LE(largest_difference(M, expected), 1e-13 * size) << "seed " << seed;
  }
}

TEST(Canonical, TheModelMadeOfTheTreeGivesTheSame) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Mechanism mechanism = seed % 2 == 0 ? random_mechanism(seed) : special_mechanism(seed);
    const Model<double> model = instantiate<double>(mechanism), other = canonical_model(canonical_tree(model), model);
    const State s = random_state(model, random);
    Workspace<double> work(model), work_other(other);
    Values a(s.qd.size()), b(s.qd.size());
    rnea<double>(model, work, s.q, s.qd, s.qdd, a);
    rnea<double>(other, work_other, s.q, s.qd, s.qdd, b);
    double size = 1.0;
    for (const double x : a) size += std::abs(x);
    EXPECT_LE(largest_difference(a, b), 1e-12 * size) << "seed " << seed;
  }
}

TEST(Canonical, TracedIsTheSameCalculation) {
  for (const char* name : {"puma560", "stanford", "ur5", "quadruped"}) {
    const Model<double> model = regrouped(instantiate<double>(load(name)));
    const Model<Expr> symbolic = regrouped(instantiate<Expr>(load(name)));
    CanonicalTree<double> tree = canonical_tree(model);
    CanonicalTree<Expr> traced = canonical_tree(symbolic);
    Random random(5);
    const TensorMethod method = random_method(tree, random);
    const Gauges gauges(tree.links.size(), Gauge::child);
    regauge(tree, model, gauges);
    regauge(traced, symbolic, gauges);
    const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
    const Function f =
        trace("inverse", {{"q", nq}, {"qd", nv}, {"qdd", nv}}, {{"tau", nv}}, [&](const Arguments& in, Results& out) {
          tensor_inverse<Expr>(symbolic, traced, method, in[0], in[1], in[2], out[0]);
        });
    const State s = random_state(model, random);
    Values in = s.q, tau(nv), expected(nv);
    in.insert(in.end(), s.qd.begin(), s.qd.end());
    in.insert(in.end(), s.qdd.begin(), s.qdd.end());
    evaluate<double>(f, in, tau);
    tensor_inverse<double>(model, tree, method, s.q, s.qd, s.qdd, expected);
    EXPECT_EQ(tau, expected) << name;
  }
}

// A frame in which constants vanish: a first child is turned about x alone, and quarter turns are exact.
// A chain whose axes are at right angles, seven moments a link, all of them symbols: what
// docs/theory/least-arithmetic.md adds up step by step is what another link in the middle costs.
TEST(Canonical, ALinkCostsWhatItsStepsCost) {
  const auto operations = [](int links) {
    std::string yaml = "linkwright: 1\nname: chain\nlinks:\n";
    for (int i = 1; i <= links; ++i) {
      yaml +=
          "  - name: link" + std::to_string(i) + "\n    parent: " + (i == 1 ? "base" : "link" + std::to_string(i - 1)) +
          "\n    joint: {type: revolute, dh: {alpha: " +
          (i == 1       ? "0"
           : i % 2 == 0 ? "90 deg"
                        : "-90 deg") +
          ", a: " + (i == 1 ? "0" : "0.3") + ", theta: 0, d: 0.2}}\n    inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n";
    }
    const Model<Expr> model = instantiate<Expr>(*read_text(yaml, "chain.yaml").mechanism);
    const auto n = static_cast<std::size_t>(links);
    const TensorMethod plain{std::vector<bool>(n, false), std::vector<bool>(n, false)};
    const Function f = trace(
        "inverse", {{"q", n}, {"qd", n}, {"qdd", n}, {"moments", 7 * n}}, {{"tau", n}},
        [&](const Arguments& in, Results& out) {
          CanonicalTree<Expr> tree = canonical_tree(model);
          for (std::size_t i = 0; i < n; ++i) {
            const auto moment = [&](std::size_t k) { return in[3][7 * i + k]; };
            const Expr none(0.0);
            tree.links[i].inertia = {
                none,
                {moment(0), moment(1), none},
                {{moment(2), moment(3), moment(4)}, {moment(3), moment(5), moment(6)}, {moment(4), moment(6), none}}};
            tree.links[i].set_mean_and_spread();
          }
          tensor_inverse<Expr>(model, tree, plain, in[0], in[1], in[2], out[0]);
        });
    return cost(f).operations;
  };
  const OperationCount five = operations(5), six = operations(6);
  EXPECT_EQ(six.multiplications - five.multiplications, 6 + 12 + 5 + 6 + 17 + 12);
  EXPECT_EQ(six.additions - five.additions, 6 + 8 + 11 + 3 + 14 + 14);
}

TEST(Canonical, FramesOfAnArmAreThoseOfDenavitAndHartenberg) {
  for (const char* name : {"puma560", "stanford", "rx90", "ur5", "arm6", "arm7"}) {
    const CanonicalTree<double> tree = canonical_tree(instantiate<double>(load(name)));
    for (const auto& link : tree.links) {
      EXPECT_EQ(link.B(1, 0), 0.0) << name;
      EXPECT_EQ(link.B(2, 0), 0.0) << name;
      EXPECT_EQ(link.offset, 0.0) << name;
      int zeros = 0;
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) zeros += link.B(r, c) == 0.0;
      }
      EXPECT_EQ(zeros, 6) << name;
    }
  }
}

}  // namespace canonical_test
}  // namespace lw
