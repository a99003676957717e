// derivatives: against differences of what the other commands say, and against each other.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace derivatives_command_test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;
using Words = std::vector<std::string>;

nlohmann::json run(Words words) {
  words.push_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json();
}

std::string list(const Vector& x) {
  std::string text;
  for (const double v : x) text += fmt::format("{}{:.17g}", text.empty() ? "" : ",", v);
  return text;
}

void expect_near(const Matrix& a, const Matrix& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) EXPECT_NEAR(a[i][j], b[i][j], tolerance) << i << " " << j;
  }
}

const Vector kQ{.1, .2, .3, .4, .5, .6}, kQd{.6, .5, .4, .3, .2, .1}, kLast{1, 2, 3, 4, 5, 6};

// Central differences of a vector that another command gives.
Matrix differences(const std::string& command, const std::string& result, const std::string& last, int what) {
  constexpr double kStep = 1e-5;
  Matrix rows(6, Vector(6));
  for (std::size_t j = 0; j < 6; ++j) {
    Vector values[2];
    for (const int side : {0, 1}) {
      Vector at[3] = {kQ, kQd, kLast};
      at[what][j] += side == 0 ? -kStep : kStep;
      values[side] =
          run({command, "puma560", "--q", list(at[0]), "--qd", list(at[1]), last, list(at[2])})[result].get<Vector>();
    }
    for (std::size_t i = 0; i < 6; ++i) rows[i][j] = (values[1][i] - values[0][i]) / (2.0 * kStep);
  }
  return rows;
}

TEST(DerivativesCommand, AreTheDifferencesOfInverseAndForward) {
  const nlohmann::json inverse =
      run({"derivatives", "puma560", "--q", list(kQ), "--qd", list(kQd), "--qdd", list(kLast)});
  EXPECT_EQ(inverse["function"], "inverse");
  expect_near(inverse["d_q"], differences("inverse", "tau", "--qdd", 0), 1e-6);
  expect_near(inverse["d_qd"], differences("inverse", "tau", "--qdd", 1), 1e-6);
  expect_near(inverse["d_qdd"], differences("inverse", "tau", "--qdd", 2), 1e-6);
  const nlohmann::json forward = run(
      {"derivatives", "puma560", "--function", "forward", "--q", list(kQ), "--qd", list(kQd), "--tau", list(kLast)});
  expect_near(forward["d_q"], differences("forward", "qdd", "--tau", 0), 1e-4);
  expect_near(forward["d_qd"], differences("forward", "qdd", "--tau", 1), 1e-4);
  expect_near(forward["d_tau"], differences("forward", "qdd", "--tau", 2), 1e-5);
}

TEST(DerivativesCommand, OfOneFunctionAreThoseOfAnother) {
  const Words state{"--q", list(kQ), "--qd", list(kQd)};
  const auto of = [&](const std::string& function, bool moves) {
    Words words{"derivatives", "puma560", "--function", function, "--q", list(kQ)};
    if (moves) words.insert(words.end(), {"--qd", list(kQd)});
    return run(words);
  };
  // bias is inverse dynamics without acceleration
  const nlohmann::json inverse = of("inverse", true), bias = of("bias", true);
  expect_near(bias["d_q"], inverse["d_q"], 1e-10);
  expect_near(bias["d_qd"], inverse["d_qd"], 1e-10);
  // kinetic energy by qd is M qd
  const Matrix M = run({"mass-matrix", "puma560", "--q", list(kQ)})["M"];
  const Matrix by_qd = of("energy", true)["d_qd"];
  const Vector gravity = run({"bias", "puma560", "--q", list(kQ)})["gravity"];
  const Matrix by_q = of("energy", true)["d_q"];
  const auto slopes = of("mass-matrix", false)["d_q"].get<std::vector<Matrix>>();
  ASSERT_EQ(slopes.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    double momentum = 0.0, kinetic = 0.0;
    for (std::size_t j = 0; j < 6; ++j) {
      momentum += M[i][j] * kQd[j];
      for (std::size_t k = 0; k < 6; ++k) kinetic += 0.5 * kQd[j] * slopes[i][j][k] * kQd[k];
    }
    EXPECT_NEAR(by_qd[0][i], momentum, 1e-12);
    EXPECT_NEAR(by_qd[1][i], 0.0, 1e-15);
    EXPECT_NEAR(by_q[0][i], kinetic, 1e-12);
    EXPECT_NEAR(by_q[1][i], gravity[i], 1e-10);
  }
  // the position by q is the Jacobian
  const Matrix position = of("kinematics", false)["d_q"];
  const Matrix J = run({"kinematics", "puma560", "--q", list(kQ)})["jacobian"];
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(position[r][j], J[3 + r][j], 1e-12);
  }
}

TEST(DerivativesCommand, OfAccelerationsThatAreNotDeterminedAreRefused) {
  const Outcome refused =
      linkwright({"derivatives", "double-pendulum", "--function", "forward", "--set", "m2=0", "--allow-unphysical"});
  EXPECT_EQ(refused.code, 3) << refused.out;
  EXPECT_TRUE(has(refused.err, "the mass matrix is singular")) << refused.err;
}

TEST(DerivativesCommand, ByParametersOfLinksAreTheRegressor) {
  const Words state{"--q", list(kQ), "--qd", list(kQd), "--qdd", list(kLast)};
  Words one{"derivatives", "puma560", "--parameters", "inertial"}, other{"regressor", "puma560"};
  for (Words* words : {&one, &other}) words->insert(words->end(), state.begin(), state.end());
  const nlohmann::json slopes = run(one)["d_parameters"], regressor = run(other);
  const Words names = regressor["parameters"];
  const Matrix Y = regressor["Y"];
  ASSERT_EQ(slopes.size(), names.size());
  for (std::size_t p = 0; p < names.size(); ++p) {
    const Vector column = slopes[names[p]];
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(column[i], Y[i][p], 1e-11) << names[p];
  }
}

TEST(DerivativesCommand, ByParametersOfTheFileFollowFormulas) {
  // b hangs on a: what depends on b moves with a
  const std::string file = write("rod.yaml", R"(linkwright: 1
name: rod
parameters: {a: 0.5, b: 2*a}
links:
  - name: rod
    parent: base
    joint: {type: revolute, axis: y}
    inertia: {mass: 3, com: [b, 0, 0], tensor: [0.1, 0.2, 0.2]}
)");
  // tau = (I + m b²) qdd − m g b for a rod along x that turns about y, with the gravity that a file has unless it says
  // otherwise
  const nlohmann::json json = run({"derivatives", file, "--parameters", "all", "--qdd", "1"});
  const double by_b = json["d_parameters"]["b"][0], by_a = json["d_parameters"]["a"][0];
  EXPECT_NEAR(by_a, 2.0 * by_b, 1e-12);
  EXPECT_NEAR(by_b, 2.0 * 3.0 * 1.0 - 3.0 * 9.81, 1e-9);
}

TEST(DerivativesCommand, SecondOnesAreTheDifferencesOfTheFirst) {
  const nlohmann::json at =
      run({"derivatives", "double-pendulum", "--q", "0.3,0.4", "--qd", "1,2", "--qdd", "3,4", "--second"});
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < 2; ++k) {
    Matrix sides[2];
    for (const int side : {0, 1}) {
      Vector q{0.3, 0.4};
      q[k] += side == 0 ? -kStep : kStep;
      sides[side] =
          run({"derivatives", "double-pendulum", "--q", list(q), "--qd", "1,2", "--qdd", "3,4"})["d_q"].get<Matrix>();
    }
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(at["second"]["q_q"][k][i][j], (sides[1][i][j] - sides[0][i][j]) / (2.0 * kStep), 1e-6);
      }
    }
  }
}

TEST(DerivativesCommand, ProductsAreThoseOfTheMatrices) {
  const nlohmann::json json = run({"derivatives", "puma560", "--q", list(kQ), "--qd", list(kQd), "--direction",
                                   "1,2,3,4,5,6", "--weights", "6,5,4,3,2,1"});
  const Matrix d_q = json["d_q"];
  const Vector along = json["along"]["d_q"], weighted = json["weighted"]["d_q"];
  for (std::size_t i = 0; i < 6; ++i) {
    double row = 0.0, column = 0.0;
    for (std::size_t j = 0; j < 6; ++j) {
      row += d_q[i][j] * (1.0 + static_cast<double>(j));
      column += d_q[j][i] * (6.0 - static_cast<double>(j));
    }
    EXPECT_NEAR(along[i], row, 1e-12);
    EXPECT_NEAR(weighted[i], column, 1e-12);
  }
}

TEST(DerivativesCommand, TablesNameRowsAndColumns) {
  const std::string text = linkwright({"derivatives", "double-pendulum", "--qd", "1,2", "--parameters", "m1,l2"}).out;
  for (const char* part :
       {"d tau / d q\n", "d tau / d qd\n", "d tau / d qdd\n", "d tau / d parameter", "m1", "l2", "upper"}) {
    EXPECT_TRUE(has(text, part)) << part << text;
  }
  EXPECT_TRUE(has(linkwright({"derivatives", "quadruped", "--function", "mass-matrix"}).out, "d M / d q"));
}

TEST(DerivativesCommand, RefusesWhatMakesNoSense) {
  const auto refused = [](const Words& words, const char* why) {
    const Outcome o = linkwright(words);
    EXPECT_EQ(o.code, 2) << why;
    EXPECT_TRUE(has(o.err, why)) << o.err;
  };
  refused({"derivatives", "puma560", "--parameters", "a22"}, "did you mean `a2`");
  refused({"derivatives", "puma600", "--parameters", "all"}, "has no named parameters");
  refused({"derivatives", "puma560", "--tau", "1,1,1,1,1,1"}, "does not depend on --tau");
  refused({"derivatives", "puma560", "--function", "mass-matrix", "--qd", "1,1,1,1,1,1"}, "does not depend on --qd");
  refused({"derivatives", "puma560", "--function", "forward", "--second"}, "--second");
  refused({"derivatives", "puma560", "--frame", "link6"}, "--frame");
  refused({"derivatives", "puma560", "--weights", "1,2"}, "--weights");
  EXPECT_EQ(linkwright({"derivatives", "four-bar", "--second"}).code, 2);
  EXPECT_EQ(linkwright({"derivatives", "puma560", "--function", "torque"}).code, 2);
}

// A crank and a coupler on ball joints that may spin: two freedoms, one motor.
constexpr const char* kSpinningCoupler = R"(linkwright: 1
name: rssr3
gravity: [3, -5, -8]
links:
  - {name: crank, parent: base, joint: {name: c, type: revolute, axis: z, actuated: true}, inertia: {mass: 2, com: [0.15, 0, 0], tensor: [0.001, 0.02, 0.02]}}
  - {name: i1, parent: crank, joint: {name: kx, type: revolute, axis: x, origin: {xyz: [0.3, 0, 0]}}}
  - {name: i2, parent: i1, joint: {name: ky, type: revolute, axis: y}}
  - {name: coupler, parent: i2, joint: {name: kz, type: revolute, axis: z}, inertia: {mass: 1, com: [0.35, 0.1, 0.4], tensor: [0.1, 0.12, 0.11]}}
  - {name: rocker, parent: base, joint: {name: r, type: revolute, axis: x, origin: {xyz: [1, 0.2, 0]}}, inertia: {mass: 1.5, com: [0, 0, 0.4], tensor: [0.08, 0.08, 0.001]}}
loops:
  - {name: loop, joint: {type: spherical}, between: [coupler, rocker], at: {coupler: {xyz: [0.7, 0.2, 0.8]}, rocker: {xyz: [0, 0, 0.8]}}}
)";
// A four-bar with motors at both ends: one freedom, two motors.
constexpr const char* kTwoMotors = R"(linkwright: 1
name: ml2
gravity: [0, -9.81, 0]
links:
  - {name: crank, parent: base, joint: {name: A, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.13, 0.13, 0.13], about: com}}
  - {name: rod, parent: crank, joint: {name: B, type: revolute, axis: z, origin: {xyz: [0.2, 0, 0]}}, inertia: {mass: 2, com: [0.3, 0.05, 0], tensor: [0.1, 0.1, 0.1]}}
  - {name: rocker, parent: base, joint: {name: C, type: revolute, axis: z, actuated: true, origin: {xyz: [0.7, 0, 0]}}, inertia: {mass: 1.5, com: [0.2, 0, 0], tensor: [0.05, 0.05, 0.05]}}
loops:
  - {name: D, joint: {type: revolute, axis: z}, between: [rod, rocker], at: {rod: {xyz: [0.6, 0, 0]}, rocker: {xyz: [0.4, 0, 0]}}}
home: {A: 1.0, B: -0.6, C: 1.9}
)";

// Against central differences of `forward` and `inverse`, whose error is the square of the step (1e-5) and rounding by
// it: 1e-7 of numbers near 100.
TEST(DerivativesCommand, MotorsNeedNotBeTheFreedoms) {
  struct Case {
    const char *text, *function, *result, *last;
    Vector q, qd, given;
    std::size_t rows;
    std::vector<std::string> motors;
  };
  const std::vector<Case> cases{{kSpinningCoupler, "forward", "qdd", "tau", {0.05, 0.1}, {0.4, -0.3}, {1.5}, 2, {"c"}},
                                {kTwoMotors, "forward", "qdd", "tau", {1.1}, {0.7}, {1.5, -2.0}, 1, {"A", "C"}},
                                {kTwoMotors, "inverse", "tau", "qdd", {1.1}, {0.7}, {1.5}, 2, {"A", "C"}}};
  for (const Case& c : cases) {
    const std::string file = write("motors.yaml", c.text), last = std::string("--") + c.last;
    const auto value = [&](const Vector& q, const Vector& qd, const Vector& given) {
      return run({c.function, file, "--q", list(q), "--qd", list(qd), last, list(given), "--quiet"})[c.result]
          .get<Vector>();
    };
    Words words{"derivatives", file,       "--function", c.function,    "--q",    list(c.q),
                "--qd",        list(c.qd), last,         list(c.given), "--quiet"};
    words.insert(words.end(), {"--direction", list(Vector(c.q.size(), 2.0)), "--weights", list(Vector(c.rows, 3.0))});
    const nlohmann::json json = run(words);
    EXPECT_EQ(json["actuated"], nlohmann::json(c.motors));
    const char* names[] = {"d_q", "d_qd", c.last[0] == 't' ? "d_tau" : "d_qdd"};
    for (int what = 0; what < 3; ++what) {
      Vector at[3] = {c.q, c.qd, c.given};
      Matrix expected(c.rows, Vector(at[what].size()));
      for (std::size_t k = 0; k < at[what].size(); ++k) {
        constexpr double kStep = 1e-5;
        const double x = at[what][k];
        at[what][k] = x + kStep;
        const Vector above = value(at[0], at[1], at[2]);
        at[what][k] = x - kStep;
        const Vector below = value(at[0], at[1], at[2]);
        at[what][k] = x;
        ASSERT_EQ(above.size(), c.rows);
        for (std::size_t r = 0; r < c.rows; ++r) expected[r][k] = (above[r] - below[r]) / (2.0 * kStep);
      }
      expect_near(json[names[what]].get<Matrix>(), expected, 1e-6);
      Vector weighted(at[what].size(), 0.0);
      for (const Vector& row : expected) {
        for (std::size_t k = 0; k < row.size(); ++k) weighted[k] += 3.0 * row[k];
      }
      expect_near({json["weighted"][names[what]].get<Vector>()}, {weighted}, 1e-5);
    }
    EXPECT_FALSE(json["along"].contains("d_tau")) << "a direction is one of velocities";
    const Outcome text = linkwright(words);
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_TRUE(has(text.out, "weighted"));
  }
}

}  // namespace derivatives_command_test
}  // namespace lw::test
