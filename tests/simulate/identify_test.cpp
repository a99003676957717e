// Identification: noiseless logs give the parameters back; of noisy ones the estimates lie as their deviations say.
#include <gtest/gtest.h>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/check/inertia_check.hpp"
#include "model/evaluate.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "model/write/write_yaml.hpp"
#include "simulate/identify/identify.hpp"
#include "simulate/identify/low_pass.hpp"
#include "simulate/identify/physical_fit.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace identify_test {

using Rows = std::vector<std::vector<double>>;
constexpr double kPi = std::numbers::pi;

double gaussian(Random& random) {  // Box and Muller
  const double length = std::sqrt(-2.0 * std::log(1.0 - random.between(0.0, 1.0)));
  return length * std::cos(random.between(0.0, 2.0 * kPi));
}

// What the arm loses, apart from the library's own laws.
struct Friction {
  std::vector<double> viscous, coulomb;
};

// Every joint swings with three tones of its own, at rest nowhere.
MotionLog swing(const Model<double>& model, const Friction& friction, double rate, double duration) {
  MotionLog log;
  Workspace<double> work(model);
  const auto nv = static_cast<std::size_t>(model.nv);
  for (int i = 0; i <= static_cast<int>(std::lround(rate * duration)); ++i) {
    const double t = i / rate;
    std::vector<double> q(model.home), qd(nv, 0.0), qdd(nv, 0.0), tau(nv);
    for (std::size_t k = 0; k < nv; ++k) {
      for (int tone = 1; tone <= 3; ++tone) {
        const double w = 2.0 * kPi * (0.11 * tone + 0.017 * static_cast<double>(k) * tone), a = 0.9 / tone,
                     s = static_cast<double>(k) + 1.3 * tone;
        q[k] += a * std::sin(w * t + s);
        qd[k] += a * w * std::cos(w * t + s);
        qdd[k] -= a * w * w * std::sin(w * t + s);
      }
    }
    rnea<double>(model, work, q, qd, qdd, tau);
    for (std::size_t k = 0; k < nv; ++k)
      tau[k] += friction.viscous[k] * qd[k] + std::copysign(friction.coulomb[k], qd[k]);
    log.t.push_back(t);
    log.q.push_back(q);
    log.qd.push_back(qd);
    log.qdd.push_back(qdd);
    log.tau.push_back(tau);
  }
  return log;
}

const Friction kPumaFriction{{4.9, 6.2, 3.1, 0.6, 0.7, 0.5}, {8.1, 7.3, 5.2, 1.1, 0.9, 0.8}};

// What the log was made with, in the order of the estimates.
std::vector<double> truth(const Model<double>& model, const Friction& friction) {
  const BaseParameters<double> base = base_parameters(model);
  std::vector<double> x = base_values<double>(base, parameter_values(model, base.standard));
  for (std::size_t k = 0; k < friction.viscous.size(); ++k) {
    x.push_back(friction.viscous[k]);
    x.push_back(friction.coulomb[k]);
  }
  return x;
}

// The same mechanism, wrongly described: what identification starts from.
Mechanism mistaken(Mechanism m) {
  const FormulaValues<double> at(m);
  for (Link& link : m.links) {
    link.inertia->mass = 1.4 * at(link.inertia->mass);
    link.inertia->com[0] = at(link.inertia->com[0]) + 0.01;
    link.joint.drive->rotor_inertia = 0.7 * at(link.joint.drive->rotor_inertia);
  }
  return m;
}

struct Puma {
  Mechanism mechanism = load("puma560"), wrong = mistaken(mechanism);
  Model<double> model = instantiate<double>(mechanism), start = instantiate<double>(wrong);
  std::vector<double> x = truth(model, kPumaFriction);
  std::vector<double> noise{1.2, 1.5, 0.8, 0.15, 0.12, 0.1};  // N·m

  MotionLog noisy(MotionLog log, std::uint64_t seed, double q_noise = 0.0) const {
    Random random(seed);
    for (std::size_t i = 0; i < log.t.size(); ++i) {
      for (std::size_t k = 0; k < 6; ++k) {
        log.tau[i][k] += noise[k] * gaussian(random);
        log.q[i][k] += q_noise * gaussian(random);
      }
    }
    return log;
  }
};

// Errors in deviations: over many, their mean square is 1, and 0.27 % are beyond 3.
struct Scores {
  double sum = 0.0;
  int n = 0, beyond = 0;

  void add(const Identification& id, const std::vector<double>& x) {
    ASSERT_EQ(id.estimates.size(), x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double z = (id.estimates[k].value - x[k]) / id.estimates[k].deviation;
      sum += z * z;
      ++n;
      if (std::abs(z) > 3.0) ++beyond;
    }
  }
  double rms() const { return std::sqrt(sum / n); }
  double within() const { return 1.0 - static_cast<double>(beyond) / n; }
};

TEST(LowPass, PassesEveryFrequencyWithItsFactorAndWithoutDelay) {
  const double rate = 200.0, cutoff = 12.0;
  const LowPass low_pass(cutoff, rate);
  for (const double f : {0.5, 5.0, 12.0, 20.0, 50.0}) {
    std::vector<double> x;
    for (int i = 0; i < 2000; ++i) x.push_back(std::sin(2.0 * kPi * f * i / rate + 0.4));
    const std::vector<double> y = low_pass(x);
    const double factor = 1.0 / (1.0 + std::pow(std::tan(kPi * f / rate) / std::tan(kPi * cutoff / rate), 8));
    for (std::size_t i = 200; i < 1800; ++i) EXPECT_NEAR(y[i], factor * x[i], 1e-9) << f;
  }
  EXPECT_THROW(LowPass(100.0, 200.0), Error);
  EXPECT_THROW(LowPass(0.0, 200.0), Error);
}

TEST(LowPass, KeepsStraightLinesToTheirEnds) {
  std::vector<double> line;
  for (int i = 0; i < 300; ++i) line.push_back(3.0 - 0.02 * i);
  const std::vector<double> y = LowPass(5.0, 100.0)(line);
  for (std::size_t i = 0; i < line.size(); ++i) EXPECT_NEAR(y[i], line[i], 1e-9);
}

TEST(LowPass, DifferencesAreExactForQuartics) {
  const double h = 0.1;
  std::vector<double> x;
  for (int i = 0; i < 20; ++i) {
    const double t = i * h;
    x.push_back(1.0 + t * (2.0 + t * (-1.0 + t * (0.5 + t * 0.25))));
  }
  const std::vector<double> first = central_difference(x, h), second = second_difference(x, h);
  for (std::size_t i = 2; i < 18; ++i) {
    const double t = static_cast<double>(i) * h;
    EXPECT_NEAR(first[i], 2.0 + t * (-2.0 + t * (1.5 + t)), 1e-11);
    EXPECT_NEAR(second[i], -2.0 + t * (3.0 + t * 3.0), 1e-10);
  }
}

TEST(Identify, ALogWithoutNoiseGivesTheParametersBack) {
  const Puma puma;
  const MotionLog log = swing(puma.model, kPumaFriction, 50.0, 20.0);
  const Identification id = identify(puma.start, log);
  ASSERT_EQ(id.estimates.size(), puma.x.size());
  EXPECT_EQ(id.rank, 52);  // 40 base parameters, 12 of friction
  EXPECT_EQ(id.filter, 0.0);
  for (std::size_t k = 0; k < puma.x.size(); ++k) {
    EXPECT_NEAR(id.estimates[k].value, puma.x[k], 1e-8) << id.estimates[k].name;
    EXPECT_TRUE(id.estimates[k].identifiable);
  }
  EXPECT_EQ(id.estimates[50].name, "link6.viscous");
  EXPECT_EQ(id.estimates[51].name, "link6.coulomb");
  EXPECT_GT(std::abs(id.estimates[10].start - puma.x[10]), 0.01);  // it did not begin there

  // physical bodies with those base parameters, found from wrong ones
  const PhysicalFit fit = physical_fit(puma.start, id);
  const std::vector<double> base = base_values<double>(id.base, fit.standard);
  for (std::size_t k = 0; k < base.size(); ++k) EXPECT_NEAR(base[k], puma.x[k], 1e-6) << id.estimates[k].name;
}

TEST(Identify, EstimatesOfANoisyLogLieWithinTheirDeviations) {
  const Puma puma;
  const MotionLog clean = swing(puma.model, kPumaFriction, 50.0, 25.0);
  IdentifyOptions options;
  options.holdout = 0.2;
  Scores scores;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Identification id = identify(puma.start, puma.noisy(clean, seed), options);
    scores.add(id, puma.x);
    for (std::size_t v = 0; v < 6; ++v) {
      EXPECT_NEAR(id.joints[v].noise, puma.noise[v], 0.08 * puma.noise[v]);
      // 250 samples of noise, of which 4 standard deviations are 18 %
      EXPECT_NEAR(id.joints[v].holdout_rms, puma.noise[v], 0.2 * puma.noise[v]);
      EXPECT_NEAR(static_cast<double>(id.joints[v].holdout_rows), 250.0, 2.0);
    }
  }
  EXPECT_EQ(scores.n, 520);
  EXPECT_GE(scores.within(), 0.985);  // 0.9973 ± 0.0023
  EXPECT_NEAR(scores.rms(), 1.0, 0.12);
}

TEST(Identify, PositionsAloneAreFilteredAndDifferenced) {
  const Puma puma;
  MotionLog clean = swing(puma.model, kPumaFriction, 400.0, 20.0);
  clean.qd.clear();
  clean.qdd.clear();
  IdentifyOptions options;
  options.filter = 8.0;
  {  // without noise what is left is what the filter does to reversals and to the highest tones
    const Identification id = identify(puma.start, clean, options);
    EXPECT_NEAR(id.rate, 400.0, 1e-6);
    EXPECT_EQ(id.filter, 8.0);
    for (std::size_t k = 40; k < 52; ++k)
      EXPECT_NEAR(id.estimates[k].value, puma.x[k], 1e-3 * puma.x[k]) << id.estimates[k].name;
  }
  Scores scores;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    scores.add(identify(puma.start, puma.noisy(clean, seed, 2e-5), options), puma.x);
  }
  EXPECT_GE(scores.within(), 0.97);
  EXPECT_NEAR(scores.rms(), 1.0, 0.25);
}

// From point to point with stops, positions alone: what joints do at rest, where friction holds them, is no bias.
TEST(Identify, StopsAreLeftOutWhereTheLogIsFiltered) {
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  const Friction friction{{0.6, 0.4}, {2.0, 1.5}};
  const std::vector<double> x = truth(model, friction);
  const double rate = 200.0;
  Workspace<double> work(model);
  MotionLog clean;
  Random way(3);
  std::vector<double> from{0.0, 0.0}, to = from, tau(2);
  for (int i = 0; i <= 200 * 30; ++i) {
    const int phase = i % 300;  // 0.8 s of motion, 0.7 s of rest
    if (phase == 0) {
      from = to;
      for (double& angle : to) angle = way.between(-1.5, 1.5);
    }
    const double T = 0.8, s = std::min(1.0, phase / rate / T);
    std::vector<double> q(2), qd(2), qdd(2);
    for (std::size_t k = 0; k < 2; ++k) {
      const double step = to[k] - from[k];
      q[k] = from[k] + step * s * s * s * (10.0 + s * (6.0 * s - 15.0));
      qd[k] = step / T * 30.0 * s * s * (1.0 - s) * (1.0 - s);
      qdd[k] = step / T / T * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
    }
    rnea<double>(model, work, q, qd, qdd, tau);
    for (std::size_t k = 0; k < 2; ++k) {
      tau[k] += friction.viscous[k] * qd[k] + (qd[k] > 0.0 ? 1.0 : qd[k] < 0.0 ? -1.0 : 0.0) * friction.coulomb[k];
    }
    clean.t.push_back(i / rate);
    clean.q.push_back(q);
    clean.tau.push_back(tau);
  }
  IdentifyOptions options;
  options.filter = 10.0;
  Scores scores;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    MotionLog log = clean;
    Random random(seed);
    for (std::vector<double>& row : log.tau) {
      for (double& t : row) t += 0.3 * gaussian(random);
    }
    scores.add(identify(model, log, options), x);
  }
  EXPECT_GE(scores.within(), 0.95);
  EXPECT_NEAR(scores.rms(), 1.0, 0.3);
}

// The deviations against the scatter of 300 logs.
TEST(Identify, DeviationsAreTheScatterOfEstimates) {
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  const Friction friction{{0.1, 0.05}, {0.2, 0.1}};
  const MotionLog clean = swing(model, friction, 40.0, 5.0);
  const std::vector<double> x = truth(model, friction);
  std::vector<double> square(x.size(), 0.0), deviation(x.size(), 0.0);
  constexpr int kLogs = 300;
  Random random(7);
  for (int log = 0; log < kLogs; ++log) {
    MotionLog noisy = clean;
    for (std::vector<double>& tau : noisy.tau) {
      tau[0] += 0.3 * gaussian(random);
      tau[1] += 0.03 * gaussian(random);
    }
    const Identification id = identify(model, noisy);
    ASSERT_EQ(id.estimates.size(), x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      square[k] += std::pow(id.estimates[k].value - x[k], 2) / kLogs;
      deviation[k] += id.estimates[k].deviation / kLogs;
    }
  }
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_NEAR(deviation[k] / std::sqrt(square[k]), 1.0, 0.15) << k;  // the scatter is known to 4 %
  }
}

TEST(Identify, WhatALogDoesNotShowIsSaidAndLeftAlone) {
  Mechanism mechanism = load("double-pendulum");
  const Model<double> model = instantiate<double>(mechanism);
  MotionLog log = swing(model, {{0, 0}, {0, 0}}, 50.0, 5.0);
  Workspace<double> work(model);
  for (std::size_t i = 0; i < log.t.size(); ++i) {  // held at rest in one place after the other
    log.qd[i] = log.qdd[i] = {0.0, 0.0};
    rnea<double>(model, work, log.q[i], log.qd[i], log.qdd[i], log.tau[i]);
  }
  mechanism.parameters[0].value = 2.0;  // m1
  const Model<double> start = instantiate<double>(mechanism);
  IdentifyOptions options;
  options.viscous = options.coulomb = false;
  const Identification id = identify(start, log, options);
  const std::vector<double> x = truth(model, {{}, {}}), wrong = truth(start, {{}, {}});
  ASSERT_EQ(id.estimates.size(), x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const Estimate& e = id.estimates[k];
    const bool weight = e.name.ends_with(".mx") || e.name.ends_with(".mz");
    EXPECT_EQ(e.identifiable, weight) << e.name;
    EXPECT_NEAR(e.value, weight ? x[k] : wrong[k], 1e-10) << e.name;
    EXPECT_EQ(std::isinf(e.deviation), !weight) << e.name;
  }
}

TEST(Identify, TheFittedMechanismIsPhysicalAndPredicts) {
  const Puma puma;
  MotionLog log = puma.noisy(swing(puma.model, kPumaFriction, 50.0, 25.0), 11);
  const Identification id = identify(puma.start, log);
  const PhysicalFit fit = physical_fit(puma.start, id);
  EXPECT_TRUE(fit.consistent()) << fit.worst << " " << fit.worst_name;
  const std::string text = write_yaml(fitted_mechanism(puma.wrong, puma.start, id, fit));
  const ReadResult again = read_text(text, "fitted.yaml");
  ASSERT_TRUE(again.mechanism) << (again.diagnostics.empty() ? "" : again.diagnostics[0].message);
  const Model<double> fitted = instantiate<double>(*again.mechanism);
  // another motion, its torques without noise
  const MotionLog other = swing(puma.model, kPumaFriction, 31.0, 10.0);
  Workspace<double> work(fitted);
  Losses<double> losses(fitted);
  std::vector<double> square(6, 0.0);
  for (std::size_t i = 0; i < other.t.size(); ++i) {
    inverse_with_losses<double>(fitted, work, other.q[i], other.qd[i], other.qdd[i], losses);
    for (std::size_t v = 0; v < 6; ++v) {
      square[v] += std::pow(losses.total[v] - other.tau[i][v], 2) / static_cast<double>(other.t.size());
    }
  }
  for (std::size_t v = 0; v < 6; ++v) EXPECT_LT(std::sqrt(square[v]), 0.3 * puma.noise[v]) << v;
}

// All joint types, frames anyhow, links fixed to others, payloads, drives, springs, followers: what is written has the
// torques of the log. States need not follow from each other where accelerations are given.
TEST(Identify, FittedMechanismsOfAnyKindHaveTheTorquesOfTheirLogs) {
  RandomMechanismOptions kinds;
  kinds.joints = 4;
  kinds.drives = kinds.springs = true;
  kinds.mimic = 0.1;
  kinds.payload = 0.3;
  IdentifyOptions options;
  options.viscous = options.coulomb = false;
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Mechanism mechanism = random_mechanism(seed, kinds);
    const Model<double> model = instantiate<double>(mechanism);
    Mechanism wrong = mechanism;
    const FormulaValues<double> at(mechanism);
    for (Link& link : wrong.links) {
      if (link.inertia) link.inertia->mass = 1.3 * at(link.inertia->mass);
    }
    const Model<double> start = instantiate<double>(wrong);
    Workspace<double> work(model);
    Random random(seed);
    MotionLog log;
    for (int i = 0; i < 150; ++i) {
      State s = random_state(model, random);
      rnea<double>(model, work, s.q, s.qd, s.qdd, s.tau);
      log.t.push_back(i);
      log.q.push_back(s.q), log.qd.push_back(s.qd), log.qdd.push_back(s.qdd), log.tau.push_back(s.tau);
    }
    const Identification id = identify(start, log, options);
    const PhysicalFit fit = physical_fit(start, id);
    const Mechanism found = fitted_mechanism(wrong, start, id, fit);
    const DefaultValues value(found);
    for (const Link& link : found.links) {
      if (!link.inertia) continue;
      const auto& I = link.inertia->tensor;
      Eigen::Matrix3d tensor;
      tensor << value(I[0]), value(I[3]), value(I[4]), value(I[3]), value(I[1]), value(I[5]), value(I[4]), value(I[5]),
          value(I[2]);
      EXPECT_TRUE(judge_inertia(tensor).possible) << seed << link.name;
      EXPECT_GT(value(link.inertia->mass), 0.0) << seed << link.name;
    }
    const Model<double> fitted = instantiate<double>(found);
    Workspace<double> fitted_work(fitted), start_work(start);
    for (int i = 0; i < 5; ++i) {
      const State s = random_state(model, random);
      std::vector<double> before(s.tau), after(s.tau), right(s.tau);
      rnea<double>(model, work, s.q, s.qd, s.qdd, right);
      rnea<double>(start, start_work, s.q, s.qd, s.qdd, before);
      rnea<double>(fitted, fitted_work, s.q, s.qd, s.qdd, after);
      double scale = 0.0, error = 0.0, was = 0.0;
      for (std::size_t k = 0; k < right.size(); ++k) {
        scale = std::max(scale, std::abs(right[k]));
        error = std::max(error, std::abs(after[k] - right[k]));
        was = std::max(was, std::abs(before[k] - right[k]));
      }
      EXPECT_LT(error, 1e-6 * scale) << seed;
      if (was > 0.01 * scale) ++moved;
    }
  }
  EXPECT_GT(moved, 240);  // of 300: the masses did matter
}

TEST(Identify, BodiesThatCannotExistAreNoticed) {
  Mechanism impossible = load("double-pendulum");
  impossible.links[1].inertia->tensor[1] = -0.05;  // less about the joint than its mass at its place has
  const Model<double> model = instantiate<double>(impossible), start = instantiate<double>(load("double-pendulum"));
  MotionLog log = swing(model, {{0, 0}, {0, 0}}, 50.0, 10.0);
  Random random(3);
  for (std::vector<double>& tau : log.tau) {
    for (double& t : tau) t += 0.001 * gaussian(random);
  }
  const Identification id = identify(start, log);
  const PhysicalFit fit = physical_fit(start, id);
  EXPECT_FALSE(fit.consistent());
  EXPECT_GT(fit.worst, 10.0);
  const std::string text = write_yaml(fitted_mechanism(load("double-pendulum"), start, id, fit));
  EXPECT_TRUE(read_text(text, "fitted.yaml").mechanism);  // possible all the same
}

TEST(Identify, RefusesLogsThatDoNotSuit) {
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  const MotionLog good = swing(model, {{0.1, 0.1}, {0.1, 0.1}}, 50.0, 5.0);
  const auto complaint = [&](auto change, IdentifyOptions options = {}) {
    MotionLog log = good;
    change(log);
    try {
      identify(model, log, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(says(complaint([](MotionLog& l) { l.tau[7][1] = NAN; }), "tau holds nan"));
  EXPECT_TRUE(says(complaint([](MotionLog& l) { l.q[3].pop_back(); }), "a row of q has 1 values, not 2"));
  EXPECT_TRUE(says(complaint([](MotionLog& l) { l.t[5] = l.t[4]; }), "times must increase"));
  EXPECT_TRUE(says(complaint([](MotionLog& l) { l.qdd.clear(), l.t[5] += 0.01; }), "equal steps"));
  EXPECT_EQ(complaint([](MotionLog& l) { l.t[5] += 0.01; }), "none");  // nothing is differenced
  EXPECT_TRUE(says(complaint([](MotionLog& l) {
                     for (Rows* rows : {&l.q, &l.qd, &l.qdd, &l.tau}) rows->resize(5);
                     l.t.resize(5);
                   }),
                   "equations for"));
  IdentifyOptions options;
  options.filter = 30.0;
  EXPECT_TRUE(says(complaint([](MotionLog&) {}, options), "between 0 and 25 Hz"));
  options = {};
  options.friction_joints = {"uper"};
  EXPECT_TRUE(says(complaint([](MotionLog&) {}, options), "did you mean `upper`?"));
  options = {};
  options.holdout = 1.0;
  EXPECT_TRUE(says(complaint([](MotionLog&) {}, options), "held out"));
}

// Friction is sought in two joints; that of the others is the file's, and is in the log as well.
TEST(Identify, FrictionThatIsNotSoughtIsTheFiles) {
  const Puma puma;
  Mechanism known = puma.wrong;
  for (std::size_t k = 0; k < 6; ++k) {
    lw::Friction& f = known.links[k].joint.friction;
    f.present = true;
    f.viscous = kPumaFriction.viscous[k];
    f.coulomb = kPumaFriction.coulomb[k];
    if (k > 0) known.links[k].joint.drive->breakaway.reset();
  }
  known.links[0].joint.drive->breakaway = 3.0;  // some of what the first joint loses is lost in its drive
  known.links[0].joint.friction.coulomb = kPumaFriction.coulomb[0] - 3.0;
  known.links[1].joint.friction.viscous = known.links[4].joint.friction.viscous = 99.0;  // sought, so this does not act
  const Model<double> start = instantiate<double>(known);
  const MotionLog log = swing(puma.model, kPumaFriction, 50.0, 20.0);
  IdentifyOptions options;
  for (const std::size_t k : {1u, 4u}) options.friction_joints.push_back(known.links[k].joint.name);
  const Identification id = identify(start, log, options);
  const std::size_t base = id.base.base.size();
  ASSERT_EQ(id.estimates.size(), base + 4);
  for (std::size_t k = 0; k < base; ++k) EXPECT_NEAR(id.estimates[k].value, puma.x[k], 1e-8) << id.estimates[k].name;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t joint = k == 0 ? 1 : 4;
    EXPECT_NEAR(id.estimates[base + 2 * k].value, kPumaFriction.viscous[joint], 1e-8);
    EXPECT_NEAR(id.estimates[base + 2 * k + 1].value, kPumaFriction.coulomb[joint], 1e-8);
  }
  // the fitted mechanism, with what it kept and what was found, predicts the log
  const Mechanism fitted = fitted_mechanism(known, start, id, physical_fit(start, id));
  const Model<double> model = instantiate<double>(fitted);
  Workspace<double> work(model);
  Losses<double> losses(model);
  for (std::size_t i = 0; i < log.t.size(); i += 50) {
    inverse_with_losses<double>(model, work, log.q[i], log.qd[i], log.qdd[i], losses);
    for (std::size_t v = 0; v < 6; ++v) EXPECT_NEAR(losses.total[v], log.tau[i][v], 1e-5);
  }
}

}  // namespace identify_test
}  // namespace lw
