// Elastic drives in motion: two masses, a spring and a play between them, against their closed equations.
#include "model/check/elastic.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/worse.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace elastic_drives_test {

// A disc of I = 2 kg·m² behind a shaft of 50 N·m/rad, driven by a rotor of 1e-3 kg·m² that turns ten times as fast:
// 0.1 kg·m² on the disc's side.
constexpr double kDisc = 2.0, kRotor = 0.1, kStiffness = 50.0;
Model<double> two_masses(const std::string& more) {
  const ReadResult read = read_text(R"(linkwright: 1
name: two-masses
links:
  - name: disc
    parent: base
    joint: {type: revolute}
    inertia: {mass: 1, tensor: [1, 1, 2]}
    drive: {ratio: 10, rotor_inertia: 1e-3, stiffness: 50)" +
                                        more + "}\n",
                                    "two.yaml");
  return instantiate<double>(with_elastic_drives(*read.mechanism));
}

std::vector<double> accelerations(const Model<double>& model, const std::vector<double>& q, double tau) {
  Workspace<double> work(model);
  std::vector<double> qdd(2);
  aba<double>(model, work, q, std::vector<double>{0.0, 0.0}, std::vector<double>{0.0, tau}, qdd);
  return qdd;
}

TEST(ElasticDrives, TheShaftTurnsTheDiscAndBrakesTheMotor) {
  // a gyroscopic rotor on the base is the same
  for (const Model<double>& m : {two_masses(""), two_masses(", rotor_axis: x")}) {
    const std::vector<double> qdd = accelerations(m, {0.1, 0.3}, 0.5);
    EXPECT_NEAR(qdd[0], kStiffness * 0.2 / kDisc, 1e-12);
    EXPECT_NEAR(qdd[1], (0.5 - kStiffness * 0.2) / kRotor, 1e-11);
  }
}

TEST(ElasticDrives, WithinItsPlayTheShaftIsLoose) {
  const Model<double> m = two_masses(", backlash: 0.02");
  for (const double twist : {-0.3, -0.011, -0.009, 0.0, 0.009, 0.011, 0.3}) {
    const double torque = kStiffness * std::copysign(std::max(std::abs(twist) - 0.01, 0.0), twist);
    EXPECT_NEAR(accelerations(m, {0.1, 0.1 + twist}, 0.0)[0], torque / kDisc, 1e-12);
  }
}

// The free oscillation has ω² = k (1/I + 1/J). Leapfrog with step h has exactly sin(Ω h/2) = ω h/2 for its Ω.
TEST(ElasticDrives, SwingWithTheFrequencyOfTwoMasses) {
  const Model<double> m = two_masses("");
  const double omega = std::sqrt(kStiffness * (1.0 / kDisc + 1.0 / kRotor)), h = 1e-3;
  const double numeric = 2.0 / h * std::asin(0.5 * omega * h);
  std::vector<double> q{0.0, 0.1}, v(2);
  std::vector<double> qdd = accelerations(m, q, 0.0);
  for (std::size_t k = 0; k < 2; ++k) v[k] = 0.5 * h * qdd[k];
  for (int step = 1; step <= 2000; ++step) {
    for (std::size_t k = 0; k < 2; ++k) q[k] += h * v[k];
    qdd = accelerations(m, q, 0.0);
    for (std::size_t k = 0; k < 2; ++k) v[k] += h * qdd[k];
    EXPECT_NEAR(q[1] - q[0], 0.1 * std::cos(numeric * h * step), 1e-10);
    EXPECT_NEAR(kDisc * q[0] + kRotor * q[1], kRotor * 0.1, 1e-12);  // no torque from outside
  }
}

TEST(ElasticDrives, InverseAndForwardAgree) {
  const Model<double> m = instantiate<double>(with_elastic_drives(load(LW_SOURCE_DIR "/tests/fuzz/yaml/forces.yaml")));
  Workspace<double> work(m);
  Random random(1);
  for (int k = 0; k < 10; ++k) {
    const State s = random_state(m, random);
    std::vector<double> tau(s.qdd.size()), qdd(tau);
    rnea<double>(m, work, s.q, s.qd, s.qdd, tau);
    aba<double>(m, work, s.q, s.qd, tau, qdd);
    EXPECT_LT(largest_difference(qdd, s.qdd), 1e-10);
  }
}

}  // namespace elastic_drives_test
}  // namespace lw
