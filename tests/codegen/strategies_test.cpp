// Four ways to write inverse dynamics: each agrees with recursive Newton-Euler, as a graph and as compiled text.
#include "codegen/strategies/strategies.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cmath>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/c/c_text.hpp"
#include "codegen/jit/library.hpp"
#include "dynamics/tree/rnea.hpp"
#include "dynamics/tree/torque_terms.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace strategies_test {

// Largest difference from rnea of the compiled text, relative to the terms, with other values of what is kept too.
double error_of(const StrategyCode& made, const Mechanism& mechanism) {
  const Scratch scratch;
  JitOptions jit;
  jit.cache = scratch.cache();
  jit.flags = {"-O1"};
  const Library library = compile_c(made.program.name, made.files, jit);
  void* inverse = library.symbol(made.program.name + "_inverse");
  EXPECT_NE(inverse, nullptr);
  Random random(3);
  double worst = 0.0;
  for (int k = 0; k < 50; ++k) {
    std::vector<double> p;
    ParameterValues<double> values;
    for (std::size_t i = 0; i < made.program.kept.size(); ++i) {
      p.push_back(made.program.kept_values[i] * random.between(0.8, 1.2));
      values[made.program.kept[i]] = p.back();
    }
    const Model<double> model = instantiate<double>(mechanism, values);
    const State s = random_state(model, random);
    Workspace<double> work(model);
    std::vector<double> tau(s.qd.size()), expected(tau.size());
    if (p.empty()) {
      reinterpret_cast<void (*)(const double*, const double*, const double*, double*)>(inverse)(
          s.q.data(), s.qd.data(), s.qdd.data(), tau.data());
    } else {
      reinterpret_cast<void (*)(const double*, const double*, const double*, const double*, double*)>(inverse)(
          s.q.data(), s.qd.data(), s.qdd.data(), p.data(), tau.data());
    }
    rnea<double>(model, work, s.q, s.qd, s.qdd, expected);
    const std::vector<double> terms = torque_terms(model, work, s.q, s.qd, s.qdd);
    for (std::size_t i = 0; i < tau.size(); ++i) {
      const double error = std::abs(tau[i] - expected[i]) / std::max(1.0, terms[i]);
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

StrategyCode made_by(Strategy strategy, const Mechanism& mechanism, std::vector<std::string> keep = {}) {
  StrategyOptions options;
  options.program.trace.keep = std::move(keep);
  return make_by(strategy, mechanism, options);
}

TEST(Strategies, AllAgreeWithNewtonEuler) {
  for (const Strategy s : kStrategies) {
    for (const char* name : {"arm-3", "twu-rrrp", "double-pendulum"}) {
      const Mechanism mechanism = load(name);
      const std::vector<std::string> keep = std::string(name) == "twu-rrrp"
                                                ? std::vector<std::string>{"m2", "l2", "c3", "m4", "g"}
                                                : std::vector<std::string>{};
      const StrategyCode made = made_by(s, mechanism, keep);
      if (s != Strategy::loops) {
        ASSERT_TRUE(made.check.has_value());
        EXPECT_TRUE(made.check->passed()) << to_string(s) << " " << name << " " << made.check->error;
      }
      EXPECT_LE(error_of(made, mechanism), 1e-12) << to_string(s) << " " << name;
    }
  }
}

// Branches, slides, springs, rotors, links in any order.
TEST(Strategies, TreesToo) {
  RandomMechanismOptions options;
  options.joints = 4;
  options.types = {JointType::revolute, JointType::prismatic};
  options.branching = 0.5;
  options.drives = options.springs = true;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Mechanism tree = random_mechanism(seed, options);
    for (const Strategy s : {Strategy::loops, Strategy::cse})
      EXPECT_LE(error_of(made_by(s, tree), tree), 1e-12) << to_string(s) << " " << seed;
  }
}

// What he found by hand: names save what multiplying out repeats, and recursion saves what closed forms need.
TEST(Strategies, TheOrderOfTheirCosts) {
  const Mechanism arm = load("arm-5");
  std::map<Strategy, double> operations, bytes;
  for (const Strategy s : kStrategies) {
    const StrategyCode made = made_by(s, arm);
    operations[s] = static_cast<double>(made.operations.multiplications + made.operations.additions);
    bytes[s] = static_cast<double>(made.files[1].text.size());
  }
  EXPECT_GT(operations[Strategy::expand], 3.0 * operations[Strategy::loops]);
  EXPECT_GT(operations[Strategy::loops], 3.0 * operations[Strategy::cse]);
  EXPECT_GT(operations[Strategy::cse], 5.0 * operations[Strategy::recursive]);
  EXPECT_GT(bytes[Strategy::expand], 5.0 * bytes[Strategy::cse]);
  EXPECT_GT(bytes[Strategy::cse], bytes[Strategy::loops]);
  // loops grow with their tables and assignments alone
  EXPECT_LT(static_cast<double>(made_by(Strategy::loops, load("arm-10")).files[1].text.size()),
            2.5 * bytes[Strategy::loops]);
}

// The text does what is counted: coefficients, factors and terms of the sums are those in the file.
TEST(Strategies, CountsOfAnExpansionAreThoseOfItsText) {
  const StrategyCode made = made_by(Strategy::expand, load("arm-3"));
  std::int64_t stars = 0;
  const std::string& text = made.files[1].text;
  for (std::size_t k = text.find("static double"); k < text.find("void arm_3_inverse"); ++k) {
    stars += text[k] == '*' && text[k - 1] != ' ' ? 1 : 0;  // not of `double *q`
  }
  EXPECT_EQ(stars, made.operations.multiplications);
  EXPECT_EQ(made.operations.trigonometric, 6);
}

TEST(Strategies, UnsupportedMechanismsAreRefused) {
  const auto says = [](Strategy s, const std::string& model, const std::string& what, std::size_t terms = 1000) {
    StrategyOptions options;
    options.most_terms = terms;
    try {
      make_by(s, load(model), options);
      FAIL() << model;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  says(Strategy::expand, "arm-4", "arm-4 have more than 1000 terms when multiplied out");
  says(Strategy::loops, "arm-13", "`twu` takes up to 12 joints; this mechanism has 13");
  says(Strategy::cse, "quadruped", "needs joints with one coordinate each");
}

}  // namespace strategies_test
}  // namespace lw
