// The input language of Twu 1987: his two examples against our models of them, and what a bad file is told.
#include "model/read/read_twu.hpp"

#include <gtest/gtest.h>

#include "documented.hpp"
#include "dynamics/tree/rnea.hpp"
#include "expect_diagnostic.hpp"
#include "model/write/write_yaml.hpp"
#include "support/same_dynamics.hpp"

namespace lw {
namespace read_twu_test {

const std::string kOne = R"(% one link
NUML:=1;
CM(1,1):=XCM(1); CM(1,2):=0; CM(1,3):=0; CM(1,4)=1;
MAS(1):=RM(1);
MI(1,1):=RMI(1,1); MI(1,2):=RM(1)*RL**2/12; MI(1,3):=MI(1,2);
AXIS(1):=Z; ;END;
)";
const std::string kData = "RL:=2; XCM(1):=RL/2; RM(1)=3; RMI(1,1)=SQRT(4)/20;\n";

ReadResult read_twu_text(const std::string& text, const ReadOptions& options = {}) {
  return read_text(text, "one.twu", options);
}

TEST(ReadTwu, TheDocumentedExampleIsRead) {
  const ReadResult result = read_text(documented("% a pendulum"), "pendulum.twu");
  expect_clean(result);
  ASSERT_TRUE(result.mechanism);
  // at rest along x: m g l/2 of the rod and m g l of what slides
  const Model<double> model = instantiate<double>(*result.mechanism);
  Workspace<double> work(model);
  const std::vector<double> zero(2, 0.0);
  std::vector<double> tau(2);
  rnea<double>(model, work, zero, zero, zero, tau);
  EXPECT_NEAR(tau[0], 9.81 * (4 * 0.75 + 2 * 1.5), 1e-12);
  EXPECT_NEAR(tau[1], 0.0, 1e-12);
}

TEST(ReadTwu, TwusExamplesMoveLikeOurModels) {
  // without moments about x and y no body exists; a plane motion does not feel them
  const Mechanism plane = load(LW_SOURCE_DIR "/examples/twu-3r.twu", {false, true});
  EXPECT_LT(torque_difference(instantiate<double>(plane), instantiate<double>(load("twu-3r"))), 1e-12);
  const Mechanism spatial = load(LW_SOURCE_DIR "/examples/twu-rrrp.twu");
  EXPECT_LT(torque_difference(instantiate<double>(spatial), instantiate<double>(load("twu-rrrp"))), 1e-12);
  EXPECT_EQ(spatial.summary,
            "spatial arm with three revolute joints and a prismatic joint, y up (Twu 1987, second example)");
  // and at other values of the parameters
  const ParameterValues<double> ours{{"g", 1.62}, {"l2", 1.3}, {"c3", 0.2}, {"m4", 7.0}},
      his{{"g", 1.62}, {"RL2", 1.3}, {"XCM3", 0.2}, {"RM4", 7.0}};
  EXPECT_LT(torque_difference(instantiate<double>(spatial, his), instantiate<double>(load("twu-rrrp"), ours)), 1e-12);
}

TEST(ReadTwu, SymbolsAreParametersWithFormulas) {
  const ReadResult result = read_twu_text(kOne + kData);
  expect_clean(result);
  ASSERT_TRUE(result.mechanism);
  const Mechanism& m = *result.mechanism;
  EXPECT_EQ(m.name, "one");
  EXPECT_EQ(m.summary, "one link");
  std::vector<std::string> names;
  for (const Parameter& p : m.parameters) names.push_back(p.name);
  EXPECT_EQ(names, (std::vector<std::string>{"g", "RL", "XCM1", "RM1", "RMI1_1"}));
  const Model<double> model = instantiate<double>(m, {{"RL", 4.0}, {"RM1", 6.0}, {"g", 2.0}});
  EXPECT_EQ(model.gravity[1], -2.0);
  EXPECT_EQ(model.bodies[0].inertia.h[0], 6.0 * 2.0);
  EXPECT_EQ(model.bodies[0].inertia.I(2, 2), 6.0 * 16.0 / 12.0 + 6.0 * 4.0);
  EXPECT_NEAR(model.bodies[0].inertia.I(0, 0), 0.1, 1e-14);
  // and it can be written as a mechanism file
  const ReadResult again = read_text(write_yaml(m), "one.yaml");
  ASSERT_TRUE(again.mechanism) << to_string(again.diagnostics[0]);
  EXPECT_TRUE(same_bits(model, instantiate<double>(*again.mechanism, {{"RL", 4.0}, {"RM1", 6.0}, {"g", 2.0}})));
}

TEST(ReadTwu, GravityIsAParameterByEitherName) {
  for (const char* text : {"g := 1.62;", "G = 1.62;", "% nothing\n"}) {
    const ReadResult result = read_twu_text(kOne + kData + text);
    expect_clean(result);
    EXPECT_EQ(instantiate<double>(*result.mechanism).gravity[1], text[0] == '%' ? -9.81 : -1.62) << text;
  }
}

TEST(ReadTwu, SymbolsWithoutAValueAreReportedTogether) {
  expect_only_error(read_twu_text(kOne + "RL:=2; XCM(1):=1;"), 4, "RM(1)", "symbols without a value: RM(1), RMI(1,1)");
  expect_only_error(read_twu_text(kOne + "RL:=2; XCM(1):=1; RM(1)=3;"), 5, "RMI(1,1)", "`--set RMI1_1=1.5`");
  ReadOptions options;
  options.values = {{"RM1", 3.0}, {"RMI1_1", 0.1}};
  expect_clean(read_twu_text(kOne + "RL:=2; XCM(1):=1;", options));
}

TEST(ReadTwu, ErrorsHaveALocationAndAHint) {
  struct Case {
    std::string from, to;
    int line;
    std::string at, words;
  };
  for (const Case& c : std::vector<Case>{
           {"NUML:=1;", "", 1, "", "NUML is missing"},
           {"NUML:=1;", "NUML:=1.5;", 2, "1.5", "whole number"},
           {"NUML:=1;", "NUML:=1000000000;", 2, "1000000000", "whole number"},
           {"AXIS(1):=Z;", "AXIS(1):=W;", 6, "W", "`X`, `Y` or `Z`"},
           {"AXIS(1):=Z;", "AXIS(1):=Z; JOINT(1):=SLIDE;", 6, "SLIDE", "`REV` or `TRAN`"},
           {"AXIS(1):=Z;", "AXIS(1):=Z; JOINT(1):=TRAN; DIRECT(1):=X;", 6, "AXIS", "contradicts DIRECT(1)"},
           {"AXIS(1):=Z;", "", 1, "", "link 1 has no AXIS(1)"},
           {"CM(1,4)=1", "CM(1,4)=0", 3, "0", "CM(1,4) should be 1"},
           {"CM(1,2):=0;", "CM(1.2):=0;", 3, "(1.2)", "separated by a comma"},
           {"CM(1,2):=0;", "CM(1,5):=0;", 3, "CM(1,5)", "k from 1 to 4"},
           {"CM(1,2):=0;", "CM(1,2):=0 CM(1,3):=0;", 3, ":=0;", "`;` is missing"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1); MAS(1):=2;", 4, "MAS(1):=2", "assigned twice"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1); MAS(2):=2;", 4, "MAS(2)", "NUML is 1"},
           {"MAS(1):=RM(1);", "MAS(1) RM(1);", 4, "RM(1)", "`:=` is missing"},
           {"MAS(1):=RM(1);", "MAS(1):=;", 4, "MAS(1)", "no value"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1)*;", 4, ";", "ends where a value is expected"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1) 2;", 4, "2", "operator is missing"},
           {"MAS(1):=RM(1);", "MAS(1):=\n  RM(1)*(2;", 5, ";", "`)` is missing"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1)/0;", 4, "0", "division by zero"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1)+RM1;", 4, "RM1", "would both be the parameter"},
           {"MAS(1):=RM(1);", "MAS(1):=RM(1); 5:=3;", 4, "5", "cannot begin with"},
           {"RL:=2;", "L(1):=2; RL:=2;", 7, "L(1)", "comes after END"},
           {"RL:=2; XCM(1):=RL/2;", "XCM(1):=RL/2; RL:=2;", 7, "RL/2", "before line 7"},
           {"RL:=2;", "RL:=2; sin:=1;", 7, "sin", "that is the name of a function"},
       }) {
    std::string text = kOne + kData;
    const std::size_t place = text.find(c.from);
    ASSERT_NE(place, std::string::npos) << c.from;
    text.replace(place, c.from.size(), c.to);
    const ReadResult result = read_twu_text(text);
    EXPECT_TRUE(has(result, Severity::error, c.line, c.at, c.words)) << c.to;
    EXPECT_FALSE(result.mechanism);
  }
}

TEST(ReadTwu, ReportsAllErrorsOfAFile) {
  const ReadResult result = read_twu_text("NUML:=2; L(1):=1; MAS(1):=-;\nAXIS(1):=Q; DIRECT(1):=X; MASS(2):=3; ;END;");
  EXPECT_TRUE(has(result, Severity::error, 1, ";", "ends where a value is expected"));
  EXPECT_TRUE(has(result, Severity::error, 2, "Q", "`X`, `Y` or `Z`"));
  EXPECT_TRUE(
      has(result, Severity::error, 1, "", "link 1 has no CM(1,1), CM(1,2), CM(1,3), MI(1,1), MI(1,2), MI(1,3)"));
  EXPECT_TRUE(has(result, Severity::error, 1, "", "link 2 has no CM(2,1)"));
  EXPECT_TRUE(has(result, Severity::warning, 2, "MASS(2)", "did you mean `MAS`?"));
}

TEST(ReadTwu, InvalidTextsGiveErrorsNotCrashes) {
  const std::string valid = kOne + kData;
  for (std::size_t k = 0; k <= valid.size(); ++k) {  // cut anywhere, and any character changed
    (void)read_twu_text(valid.substr(0, k));
    for (const char c : {';', '(', ')', ':', '=', '%', '$', '9', 'L', '\n', '\xC3'}) {
      std::string changed = valid;
      if (k < changed.size()) changed[k] = c;
      const ReadResult result = read_twu_text(changed);
      bool failed = false;
      for (const Diagnostic& d : result.diagnostics) {
        failed = failed || d.severity == Severity::error;
        EXPECT_FALSE(show(d, result).empty());
      }
      EXPECT_NE(failed, result.mechanism.has_value());
    }
  }
  for (const std::string& text :
       {std::string(), std::string("%"), std::string(";;;$$"), std::string("\xEF\xBB\xBF"), std::string("NUML"),
        std::string("L("), std::string("L(1,"), std::string("L(99999999999):=1;"), std::string("NUML:=10000;"),
        std::string("A:=") + std::string(5000, '('), std::string("A:=") + std::string(100000, '-'),
        std::string(100000, ';'), std::string("A(1,2,3):=1;"), std::string("A:=B(1,2,3,4);"),
        std::string("NUML:=NUML;"), std::string("L(1):=L(1);"), std::string("A:=A;"), std::string("END;END;END"),
        std::string("A:=1e999;")}) {
    EXPECT_FALSE(read_twu_text(text).mechanism) << text.substr(0, 20);
  }
}

}  // namespace read_twu_test
}  // namespace lw
