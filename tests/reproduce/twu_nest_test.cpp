// Twu's nested products: forces against Newton-Euler, derivatives against differences, on arms of every kind of joint,
// where the motion changes with the design too. The experiments see zero derivatives of given motions, and those of two
// arms.
#include "reproduce/twu_nest.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "base/worse.hpp"

namespace lw::reproduce {
namespace twu_nest_test {

TwuArm random_arm(Random& random) {
  TwuArm arm{{}, random.between(1.0, 12.0)};
  for (int k = 0; k < 4; ++k) {
    const auto size = [&] { return random.between(0.2, 1.5); };
    const double x = size(), y = size(), z = size();
    arm.links.push_back(
        {"XYZ"[random.below(3)], "XYZ " [random.below(4)], size(), 5 * size(), size(), { y + z, z + x, x + y }});
  }
  return arm;
}

TwuInstant random_instant(Random& random, double size) {
  TwuInstant m;
  for (Vector* v : {&m.q, &m.qd, &m.qdd}) {
    for (int k = 0; k < 4; ++k) v->push_back(random.between(-size, size));
  }
  return m;
}

const TwuInstant kHeld{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};

std::vector<TwuVariable> variables() {
  using Of = TwuVariable::Of;
  std::vector<TwuVariable> all{{Of::gravity}};
  for (std::size_t k = 0; k < 4; ++k) {
    for (const Of of : {Of::length, Of::mass, Of::centre}) all.push_back({of, k});
    for (const int axis : {0, 1, 2}) all.push_back({Of::moment, k, axis});
  }
  return all;
}

TEST(TwuNest, ForcesAreThoseOfNewtonEuler) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const TwuArm arm = random_arm(random);
    const Mechanism mechanism = mechanism_from_text(twu_input(arm.links, true).text, "arm.twu");
    const Model<double> model = instantiate<double>(mechanism, {{"g", arm.g}});
    const TwuInstant m = random_instant(random, 2.0);
    const Vector expected = inverse(model, m.q, m.qd, m.qdd), M = mass_matrix(model, m.q);
    const Vector Q = nested_forces(arm, m, {TwuVariable::Of::gravity}, kHeld).Q;
    EXPECT_LT(largest_difference(Q, expected), 1e-12 * std::max(1.0, magnitude(expected)) * 10);
    EXPECT_LT(largest_difference(nested_mass_matrix(arm, m.q), M), 1e-13 * magnitude(M) * 10);
  }
}

// b moves the arm's number and, at given rates, q, q̇ and q̈.
TEST(TwuNest, DerivativesAreThoseOfDifferences) {
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const TwuArm arm = random_arm(random);
    const TwuInstant m = random_instant(random, 2.0), by = random_instant(random, 1.0);
    for (const TwuVariable& b : variables()) {
      const auto forces = [&](double change) {
        TwuArm moved = arm;
        twu_value(moved, b) += change;
        TwuInstant at = m;
        for (std::size_t k = 0; k < 4; ++k) {
          at.q[k] += change * by.q[k], at.qd[k] += change * by.qd[k], at.qdd[k] += change * by.qdd[k];
        }
        return nested_forces(moved, at, b, kHeld).Q;
      };
      const Vector found = nested_forces(arm, m, b, by).by;
      const double h = 1e-3;  // the error of this rule falls with h⁶
      Vector expected(4);
      for (std::size_t j = 0; j < 4; ++j) {
        const auto step = [&](double k) { return (forces(k * h)[j] - forces(-k * h)[j]) / (2 * k * h); };
        expected[j] = 1.5 * step(1) - 0.6 * step(2) + 0.1 * step(3);
      }
      EXPECT_LT(largest_difference(found, expected), 1e-8 * std::max(1.0, magnitude(expected)));
    }
  }
}

TEST(TwuNest, VariablesHaveTheNamesOfTheModels) {
  TwuArm arm{twu_spatial_example().links, 9.81};
  EXPECT_EQ(twu_value(arm, twu_variable("l2")), 1.0);
  EXPECT_EQ(twu_value(arm, twu_variable("m3")), 20.0);
  EXPECT_EQ(twu_value(arm, twu_variable("c4")), -0.15);
  EXPECT_EQ(twu_value(arm, twu_variable("link2.xx")), 0.15);
  EXPECT_EQ(twu_value(arm, twu_variable("g")), 9.81);
  EXPECT_EQ(twu_variable("i3").axis, 2);
}

}  // namespace twu_nest_test
}  // namespace lw::reproduce
