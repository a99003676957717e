// --method and --wrench of inverse and forward.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "dynamics/formulations/formulation.hpp"
#include "run_cli.hpp"

namespace lw::test {
namespace methods_test {

using Vector = std::vector<double>;

// Wong 1991, PUMA 600 (section 3.5.1).
const std::vector<std::string> kState{"--q", ".1,.2,.3,.4,.5,.6", "--qd", ".6,.5,.4,.3,.2,.1"};
// oracle: wong.py wong.puma.inverse
const Vector kTau{16.62728771, -34.0626912685, 8.68084288821, 1.08528835535, 1.23671894335, 0.149980265992};

Vector run(std::vector<std::string> words, const std::string& field) {
  words.insert(words.end(), kState.begin(), kState.end());
  words.push_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json()[field];
}

void expect_near(const Vector& a, const Vector& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << what << ", " << i;
}

TEST(Methods, AllGiveTheTorquesOfAnotherProgramAndInvertThem) {
  const Vector qdd{1, 2, 3, 4, 5, 6};
  const std::string tau =
      fmt::format("{:.15g}", fmt::join(run({"inverse", "puma600", "--qdd", "1,2,3,4,5,6"}, "tau"), ","));
  for (const Formulation& f : formulations()) {
    expect_near(run({"inverse", "puma600", "--qdd", "1,2,3,4,5,6", "--method", f.name}, "tau"), kTau, 1e-9, f.name);
    expect_near(run({"forward", "puma600", "--tau", tau, "--method", f.name}, "qdd"), qdd, 1e-10, f.name);
  }
}

TEST(Methods, RefuseWhatTheyCannotDescribe) {
  const Outcome floating = linkwright({"inverse", "quadruped", "--method", "lagrange"});
  EXPECT_EQ(floating.code, 2);
  EXPECT_TRUE(
      has(floating.err, "`lagrange` needs joints with one coordinate each; this mechanism has a floating joint"))
      << floating.err;
  const Outcome branched = linkwright({"forward", "torso", "--method", "binder-link"});
  EXPECT_EQ(branched.code, 2);
  EXPECT_TRUE(has(branched.err, "this mechanism branches")) << branched.err;
  const Outcome large = linkwright({"inverse", "chain-13", "--method", "twu"});
  EXPECT_EQ(large.code, 2);
  EXPECT_TRUE(has(large.err, "`twu` takes up to 12 joints; this mechanism has 13")) << large.err;
  const Outcome reactions = linkwright({"inverse", "puma560", "--method", "ness", "--reactions"});
  EXPECT_EQ(reactions.code, 2);
  EXPECT_TRUE(has(reactions.err, "--reactions requires --method rnea")) << reactions.err;
}

// The weight of 2 kg at a place is what a payload there weighs; at rest nothing else tells them apart.
TEST(Wrench, OfAWeightActsAsThePayloadDoes) {
  const std::vector<std::string> pose{"--q", ".1,.2,.3,.4,.5,.6", "--json"};
  const auto at_rest = [&](std::vector<std::string> words) -> Vector {
    words.insert(words.end(), pose.begin(), pose.end());
    const Outcome o = linkwright(words);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.json()["tau"];
  };
  const Vector loaded = at_rest({"inverse", "puma560", "--payload", "link6:2@.1,.2,.3"});
  for (const char* method : {"rnea", "newton-euler", "ness"}) {
    expect_near(at_rest({"inverse", "puma560", "--wrench", "link6:0,0,-19.62@.1,.2,.3", "--method", method}), loaded,
                1e-12, method);
  }
}

TEST(Wrench, ForwardUndoesInverse) {
  const Vector qdd{1, 2, 3, 4, 5, 6};
  const std::vector<std::string> wrench{"--wrench", "link4:3,-2,5,1,-4,2", "--wrench", "link6:1,1,1@0,.1,0"};
  std::vector<std::string> words{"inverse", "puma600", "--qdd", "1,2,3,4,5,6"};
  words.insert(words.end(), wrench.begin(), wrench.end());
  const std::string tau = fmt::format("{:.15g}", fmt::join(run(words, "tau"), ","));
  for (const char* method : {"aba", "crba", "ness"}) {
    std::vector<std::string> back{"forward", "puma600", "--tau", tau, "--method", method};
    back.insert(back.end(), wrench.begin(), wrench.end());
    expect_near(run(back, "qdd"), qdd, 1e-10, method);
  }
}

TEST(Wrench, MistakesAreExplained) {
  const auto error = [](const std::string& wrench) {
    const Outcome o = linkwright({"inverse", "puma560", "--wrench", wrench});
    EXPECT_EQ(o.code, 2) << wrench;
    return o.err;
  };
  EXPECT_TRUE(has(error("link6"), "--wrench needs LINK:FX,FY,FZ"));
  EXPECT_TRUE(has(error("link9:1,2,3"), "has no link `link9`"));
  EXPECT_TRUE(has(error("link6:1,2"), "not 2 values"));
  EXPECT_TRUE(has(error("link6:1,2,3@1"), "the place is x,y,z"));
  const Outcome nan = linkwright({"inverse", "puma560", "--wrench", "link6:1,2,nan"});
  EXPECT_EQ(nan.code, 3);
  EXPECT_TRUE(has(nan.err, "--wrench: the force")) << nan.err;
  const Outcome base = linkwright({"inverse", "puma560", "--wrench", "base:1,2,3"});
  EXPECT_EQ(base.code, 0);
  EXPECT_TRUE(has(base.err, "no effect: `base` is fixed to the base")) << base.err;
}

}  // namespace methods_test
}  // namespace lw::test
