// Exciting motions: from rest to rest, within limits, better than chance, and better for identification.
#include <gtest/gtest.h>
#include <Eigen/Core>

#include <cmath>
#include <numbers>

#include "base/linear.hpp"
#include "base/random.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/read/read.hpp"
#include "simulate/identify/excite.hpp"

namespace lw {
namespace excite_test {

struct Puma {
  Mechanism mechanism = load("puma560");
  Model<double> model = instantiate<double>(mechanism);
  MotionLimits limits = motion_limits(mechanism, model);

  Puma() {
    limits.velocity.assign(6, 1.5);
    limits.acceleration = {4, 4, 4, 6, 6, 6};
  }
};

ExciteOptions searching(int evaluations, std::uint64_t seed = 1) {
  ExciteOptions options;
  options.evaluations = evaluations;
  options.seed = seed;
  return options;
}

TEST(FourierMotion, RatesAreDerivativesAndEndsAreAtRest) {
  const Puma puma;
  const FourierMotion motion = excite(puma.model, puma.limits, searching(1)).motion;
  for (const double t : {0.0, 0.7, 3.3, 9.1}) {
    const JointMotion<double> plain = motion.at(t);
    const JointMotion<ComplexStep> step = motion.at(ComplexStep(t, kComplexStep));
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(step.q[k].im / kComplexStep, plain.qd[k], 1e-13);
      EXPECT_NEAR(step.qd[k].im / kComplexStep, plain.qdd[k], 1e-12);
    }
  }
  for (const double t : {0.0, motion.period()}) {
    const JointMotion<double> end = motion.at(t);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(end.q[k], puma.model.home[k], 1e-12);
      EXPECT_NEAR(end.qd[k], 0.0, 1e-12);
      EXPECT_NEAR(end.qdd[k], 0.0, 1e-11);
    }
  }
}

TEST(Excite, StaysWithinAllLimits) {
  Puma puma;
  puma.limits.effort = {25, 75, 16, 1.9, 1.7, 1.7};  // little more than what holds the posture and overcomes friction
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Excitation found = excite(puma.model, puma.limits, searching(40, seed));
    EXPECT_LT(found.condition, 1e3);
    Workspace<double> work(puma.model);
    Losses<double> losses(puma.model);
    for (int i = 0; i <= 3000; ++i) {
      const JointMotion<double> m = found.motion.at(found.motion.period() * i / 3000);
      inverse_with_losses<double>(puma.model, work, m.q, m.qd, m.qdd, losses);
      for (std::size_t k = 0; k < 6; ++k) {
        ASSERT_LE(m.q[k], puma.limits.upper[k]);
        ASSERT_GE(m.q[k], puma.limits.lower[k]);
        ASSERT_LE(std::abs(m.qd[k]), puma.limits.velocity[k]);
        ASSERT_LE(std::abs(m.qdd[k]), puma.limits.acceleration[k]);
        ASSERT_LE(std::abs(losses.total[k]), 1.002 * puma.limits.effort[k]);  // kept at 2000 points of the period
      }
    }
  }
}

// By another method: singular values over other points, friction and efforts written out.
double condition_by_svd(const Puma& puma, const FourierMotion& motion) {
  const BaseParameters<double> base = base_parameters(puma.model);
  const auto n = static_cast<Eigen::Index>(base.base.size());
  constexpr int kPoints = 97;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(6 * kPoints, n + 12);
  Eigen::MatrixXd Y(6, static_cast<Eigen::Index>(base.standard.size()));
  Workspace<double> work(puma.model);
  for (int i = 0; i < kPoints; ++i) {
    const JointMotion<double> m = motion.at(motion.period() * (i + 0.3) / kPoints);
    regressor<double>(puma.model, base.standard, work, m.q, m.qd, m.qdd,
                      {Y.data(), static_cast<std::size_t>(Y.size())});
    for (int v = 0; v < 6; ++v) {
      const double effort = puma.limits.effort[static_cast<std::size_t>(v)], qd = m.qd[static_cast<std::size_t>(v)];
      const Eigen::Index row = 6 * i + v;
      for (Eigen::Index k = 0; k < n; ++k) all(row, k) = Y(v, base.base[static_cast<std::size_t>(k)]) / effort;
      all(row, n + 2 * v) = qd / effort;
      all(row, n + 2 * v + 1) = std::copysign(1.0, qd) / effort;
    }
  }
  for (Eigen::Index k = 0; k < all.cols(); ++k) all.col(k) /= all.col(k).norm();
  const Svd svd(all);
  return svd.s[0] / svd.s[svd.s.size() - 1];
}

TEST(Excite, BeatsChanceByAnotherMeasureToo) {
  const Puma puma;
  const Excitation designed = excite(puma.model, puma.limits, searching(600));
  EXPECT_NEAR(designed.condition, condition_of(puma.model, puma.limits, designed.motion), 1e-9);
  const double measured = condition_by_svd(puma, designed.motion);
  EXPECT_NEAR(measured, designed.condition, 0.1 * designed.condition);
  double chance = HUGE_VAL;
  for (std::uint64_t seed = 100; seed < 150; ++seed) {
    chance = std::min(chance, condition_by_svd(puma, excite(puma.model, puma.limits, searching(1, seed)).motion));
  }
  EXPECT_LT(measured, 0.75 * chance);
}

// What it is for: the same noise leaves smaller deviations.
TEST(Excite, WhatWasDesignedIdentifiesBetter) {
  const Puma puma;
  const auto deviations = [&](const FourierMotion& motion) {
    MotionLog log;
    Workspace<double> work(puma.model);
    Random random(5);
    for (int i = 1; i < 400; ++i) {
      const JointMotion<double> m = motion.at(motion.period() * i / 400);
      std::vector<double> tau(6);
      rnea<double>(puma.model, work, m.q, m.qd, m.qdd, tau);
      for (std::size_t k = 0; k < 6; ++k) tau[k] += puma.limits.effort[k] * random.between(-0.01, 0.01);
      log.t.push_back(i);
      log.q.push_back(m.q), log.qd.push_back(m.qd), log.qdd.push_back(m.qdd), log.tau.push_back(tau);
    }
    std::vector<double> out;
    for (const Estimate& e : identify(puma.model, log).estimates) out.push_back(e.deviation);
    return out;
  };
  const std::vector<double> designed = deviations(excite(puma.model, puma.limits, searching(600)).motion);
  double ratio = 0.0;  // mean logarithm over parameters and random motions
  constexpr int kRandom = 6;
  for (int seed = 1; seed <= kRandom; ++seed) {
    const std::vector<double> chance =
        deviations(excite(puma.model, puma.limits, searching(1, static_cast<std::uint64_t>(seed))).motion);
    for (std::size_t k = 0; k < designed.size(); ++k) {
      ratio += std::log(designed[k] / chance[k]) / static_cast<double>(designed.size() * kRandom);
    }
  }
  EXPECT_LT(std::exp(ratio), 0.85);
}

TEST(Excite, TheSameSeedGivesTheSameMotion) {
  const Puma puma;
  const Excitation a = excite(puma.model, puma.limits, searching(60)),
                   b = excite(puma.model, puma.limits, searching(60)),
                   c = excite(puma.model, puma.limits, searching(60, 2));
  EXPECT_EQ(a.motion.A(), b.motion.A());
  EXPECT_EQ(a.motion.B(), b.motion.B());
  EXPECT_NE(a.motion.A(), c.motion.A());
  EXPECT_EQ(a.evaluations, 60);
  EXPECT_LE(a.condition, a.of_candidates);
  ExciteOptions options = searching(1000);
  options.time_limit = 0.0;
  const Excitation hurried = excite(puma.model, puma.limits, options);
  EXPECT_TRUE(hurried.out_of_time);
  EXPECT_EQ(hurried.evaluations, 1);
  options = searching(1000);
  options.progress = [](int evaluations, double) { return evaluations < 30; };
  EXPECT_EQ(excite(puma.model, puma.limits, options).evaluations, 30);
}

TEST(Excite, RefusesWhatCannotBe) {
  const auto complaint = [](const std::string& name, auto change) {
    const Mechanism mechanism = load(name);
    const Model<double> model = instantiate<double>(mechanism);
    MotionLimits limits = motion_limits(mechanism, model);
    ExciteOptions options = searching(1);
    change(limits, options);
    try {
      excite(model, limits, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      says(complaint("puma560", [](MotionLimits&, ExciteOptions& o) { o.harmonics = 1; }), "at least 2 harmonics"));
  EXPECT_TRUE(says(complaint("puma560", [](MotionLimits&, ExciteOptions& o) { o.start = {0, 2, 0, 0, 0, 0}; }),
                   "`link2` = 2 is beyond its limits"));
  EXPECT_TRUE(
      says(complaint("puma560", [](MotionLimits& l, ExciteOptions&) { l.effort[1] = 5.0; }), "holding the posture"));
  EXPECT_TRUE(
      says(complaint("puma560", [](MotionLimits& l, ExciteOptions&) { l.upper[3] = 0.0; }), "begins at its limit"));
  EXPECT_TRUE(says(complaint("quadruped", [](MotionLimits&, ExciteOptions&) {}), "quaternions"));
  EXPECT_TRUE(says(complaint("stanford", [](MotionLimits& l, ExciteOptions&) { l.upper[2] = HUGE_VAL; }),
                   "needs position limits"));
  EXPECT_EQ(complaint("stanford", [](MotionLimits& l, ExciteOptions&) { l.lower[2] = -1.0, l.upper[2] = 1.0; }),
            "none");
}

}  // namespace excite_test
}  // namespace lw
