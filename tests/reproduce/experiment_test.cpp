// The verdicts: what each needs, and that none is given for nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "reproduce/experiment.hpp"
#include "reproduce/experiments.hpp"
#include "reproduce/polynomial.hpp"
#include "reproduce/report.hpp"

namespace lw::reproduce {
namespace experiment_test {

Verdict verdict_of(const std::function<void(Experiment&)>& body) {
  Experiment e("wong", "test", "title", "about");
  body(e);
  return e.rows.at(0).verdict;
}

TEST(Experiment, ReproducedNeedsTheTolerance) {
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1.0, 2.0}, {1.0, 2.001}, absolute(1e-2));
            }),
            Verdict::reproduced);
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1.0, 2.0}, {1.0, 2.1}, absolute(1e-2));
            }),
            Verdict::failed);
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1000.0, 2.0}, {1005.0, 2.01}, relative(1e-2));
            }),
            Verdict::reproduced);
}

TEST(Experiment, ARelativeToleranceHoldsForEveryEntry) {
  const auto verdict = [](double small, Tolerance tolerance) {
    return verdict_of([&](Experiment& e) {
      e.compare("a", "x", "table", {1000.0, 2.0, 0.0}, {1000.0, small, 1e-12}, tolerance);
    });
  };
  EXPECT_EQ(verdict(2.0, relative(1e-2)), Verdict::reproduced);
  EXPECT_EQ(verdict(2.1, relative(1e-2)), Verdict::failed);  // small beside 1000, but 5 % of itself
  EXPECT_EQ(verdict(2.04, relative(1e-2)), Verdict::failed);
  EXPECT_EQ(verdict(2.04, relative(1e-2, 0.05)), Verdict::reproduced);  // printed as 2.0
  // a zero is a zero but for rounding, and a largest entry of 1 is relative all the same
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1.0, 0.0}, {1.0, 1e-9}, relative(1e-2));
            }),
            Verdict::failed);
  Experiment e("wong", "test", "title", "about");
  e.compare("a", "x", "table", {1.0}, {1.0}, relative(1e-2));
  e.compare("b", "x", "table", {1.0}, {1.0}, absolute(1e-2));
  EXPECT_TRUE(e.rows[0].relative && !e.rows[1].relative);
}

TEST(Experiment, EntriesCanHaveUnitsOfTheirOwn) {
  const auto verdict = [](double second, double third) {
    return verdict_of([&](Experiment& e) {
      e.compare("a", "x", "table", {0.2094, 2.297, 0.0}, {0.20946, second, third},
                in_units(0.7, {1e-4, 1e-3, 0.0}, "of the last digit"));
    });
  };
  EXPECT_EQ(verdict(2.2976, 0.0), Verdict::reproduced);
  EXPECT_EQ(verdict(2.2978, 0.0), Verdict::failed);
  EXPECT_EQ(verdict(2.2976, 1e-300), Verdict::failed);  // a zero without a unit is one
  EXPECT_EQ(verdict(std::nan(""), 0.0), Verdict::failed);
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1.0, 2.0}, {1.0, 2.0}, in_units(1.0, {1.0}, ""));
            }),
            Verdict::failed);  // as many units as entries
  Experiment e("wong", "test", "title", "about");
  e.compare("a", "x", "table", {0.2094, 2.297}, {0.20946, 2.297}, in_units(0.7, {1e-4, 1e-3}, "of the last digit"));
  EXPECT_NEAR(e.rows[0].deviation, 0.6, 1e-9);
  EXPECT_NE(html_report(theses(), {e}).find("of the last digit"), std::string::npos);
}

TEST(Experiment, TheThreeKindsOfReferenceAreCountedApart) {
  Experiment e("wong", "test", "title", "about");
  e.compare("a", "x", "table", 1.0, 1.0, absolute(0.0));
  e.compare("b", "x", recomputed("oracle.py", "elsewhere"), 1.0, 1.0, absolute(0.0));
  e.compare("c", "x", recomputed("oracle.py", "elsewhere"), 1.0, 1.0, absolute(0.0));
  e.compare("d", "x", property("it vanishes"), 0.0, 0.0, absolute(0.0));
  e.compare("e", "x", property("it vanishes"), 0.0, 1.0, absolute(0.0));  // fails, and so is not counted
  EXPECT_EQ(e.rows[0].source.reference, Reference::printed);
  EXPECT_EQ(e.rows[1].source.reference, Reference::recomputed);
  EXPECT_EQ(e.rows[3].source.reference, Reference::property);
  EXPECT_EQ(count_references({e}), (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_STREQ(to_string(Reference::property), "property");
}

TEST(Experiment, SizesAndNanFail) {
  EXPECT_EQ(verdict_of([](Experiment& e) {
              e.compare("a", "x", "table", {1.0, 2.0}, {1.0}, absolute(1e9));
            }),
            Verdict::failed);
  EXPECT_EQ(verdict_of([](Experiment& e) { e.compare("a", "x", "table", 1.0, std::nan(""), absolute(1e9)); }),
            Verdict::failed);
}

TEST(Experiment, MisprintNeedsAnotherMethodAndAWrongPrint) {
  const auto misprint = [](double print, double ours, double other) {
    return verdict_of([&](Experiment& e) { e.misprint("a", "x", "table", print, ours, other, absolute(1e-3), "why"); });
  };
  EXPECT_EQ(misprint(5.0, 4.0, 4.0), Verdict::misprint);
  EXPECT_EQ(misprint(5.0, 4.0, 4.5), Verdict::failed);  // the other method does not confirm ours
  EXPECT_EQ(misprint(4.0, 4.0, 4.0), Verdict::failed);  // the print is right
}

TEST(Experiment, BeatenNeedsNoneHigherAndOneLower) {
  const auto beaten = [](const std::vector<double>& published, const std::vector<double>& computed) {
    return verdict_of([&](Experiment& e) { e.beaten("a", "x", "table", published, computed, "why"); });
  };
  EXPECT_EQ(beaten({9, 7}, {9, 6}), Verdict::beaten);
  EXPECT_EQ(beaten({9, 7}, {9, 7}), Verdict::failed);
  EXPECT_EQ(beaten({9, 7}, {8, 8}), Verdict::failed);
  EXPECT_EQ(beaten({9, 7}, {8}), Verdict::failed);
  EXPECT_EQ(beaten({9, 7}, {8, std::nan("")}), Verdict::failed);
}

TEST(Experiment, FailuresReachTheReport) {
  Experiment e("wong", "test", "title", "about");
  e.compare("a", "x", "table", 1.0, 2.0, absolute(0.1));
  e.compare("b", "x < y", "table", 1.0, 1.0, absolute(0.1));
  EXPECT_EQ(count_verdicts({e}), (std::vector<std::size_t>{1, 0, 0, 0, 1}));
  const std::string page = html_report(theses(), {e});
  EXPECT_NE(page.find("class='verdict failed'"), std::string::npos);
  EXPECT_NE(page.find("x &lt; y"), std::string::npos);
}

TEST(Polynomial, OnlyWholeNumbersAreRounded) {
  EXPECT_EQ(whole({7.0 + 1e-9, 7.5, 6.999}), (std::vector<double>{7.0, 7.5, 6.999}));
}

TEST(Polynomial, EvaluatesAddsAndInterpolates) {
  const Polynomial cubic{{1, 9, -4, 0}, 6};  // n³/6 + 3n²/2 − 2n/3
  EXPECT_EQ(cubic(6), 36 + 54 - 4);
  const Polynomial line{{3, 1}};
  EXPECT_EQ((cubic + line)(6), cubic(6) + 19);
  EXPECT_NEAR(interpolated({4, 5, 6, 7}, {16, 25, -1, 49}, 2, 2), 36.0, 1e-12);
  EXPECT_THROW(interpolated({4, 5}, {16, 25}, 1, 2), Error);
}

}  // namespace experiment_test
}  // namespace lw::reproduce
