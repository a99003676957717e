// The vocabulary of Wong 1991: his three mechanisms against our models of them, and what a bad file is told.
#include "model/read/read_wong.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "documented.hpp"
#include "expect_diagnostic.hpp"
#include "model/write/write_yaml.hpp"
#include "support/same_dynamics.hpp"

namespace lw {
namespace read_wong_test {

// Lines 1 to 7.
const std::string kTree = R"(wong: 1
name: tree
parents: [0, 1, 1]
bodies:
  - {m: 1, J: [1, 1, 1], k: [0, 0, -0.5], l: {2: [0.1, 0.2, 0.3], 3: [0.25, 0, 0.5]}}
  - {m: 1, J: [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]], k: [0.1, 0, 0], alpha: 90 deg}
  - {m: 1, J: [1, 1, 1], k: [0.1, 0, 0], alpha: 180 deg, a: 0.25, b: 1}
)";

ReadResult changed(const std::string& from, const std::string& to) {
  std::string text = kTree;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  text.replace(place, from.size(), to);
  return read_text(text, "tree.wong");
}

TEST(ReadWong, TheDocumentedExampleIsRead) {
  const ReadResult result = read_text(documented("wong: 1\n"), "three.wong");
  expect_clean(result);
  ASSERT_TRUE(result.mechanism);
  EXPECT_EQ(result.mechanism->name, "three");
  const Model<double> model = instantiate<double>(*result.mechanism);
  EXPECT_NEAR(model.bodies[1].X_PJ.p[2], 0.6, 1e-15);
  EXPECT_EQ(model.bodies[2].X_PJ.p[0], 0.15);
  EXPECT_EQ(model.bodies[2].X_PJ.p[2], 0.55);
}

TEST(ReadWong, WongsMechanismsMoveLikeOurModels) {
  for (const char* name : {"puma600", "torso", "cat215b"}) {
    const Mechanism his = load(std::string(LW_SOURCE_DIR "/examples/") + name + ".wong"), ours = load(name);
    const Model<double> a = instantiate<double>(his), b = instantiate<double>(ours);
    EXPECT_LT(torque_difference(a, b), 1e-12) << name;
    EXPECT_EQ(a.coordinate_names, b.coordinate_names);
    EXPECT_EQ(a.home, b.home) << name;
    EXPECT_EQ(his.summary, ours.summary);
  }
}

TEST(ReadWong, DenavitHartenbergRowsAreEquivalentToVectors) {
  std::ifstream stream(LW_SOURCE_DIR "/examples/puma600.wong");
  std::string line, text;
  while (std::getline(stream, line)) {
    if (const std::size_t l = line.find(", l: ["); l != std::string::npos) line.erase(l, line.find(']', l) + 1 - l);
    text += line + '\n';
  }
  EXPECT_EQ(text.find("l: ["), std::string::npos);
  const ReadResult result = read_text(text, "puma600.wong");
  expect_clean(result);
  EXPECT_LT(torque_difference(instantiate<double>(*result.mechanism), instantiate<double>(load("puma600"))), 1e-12);
}

TEST(ReadWong, FramesMoveFromTheCentreOfGravityToTheHinge) {
  const ReadResult result = changed("parents", "parents");
  expect_clean(result);
  const Model<double> model = instantiate<double>(*result.mechanism);
  EXPECT_EQ(model.bodies[0].inertia.h[2], 0.5);
  EXPECT_EQ(model.bodies[1].parent, 0);
  EXPECT_EQ(model.bodies[1].X_PJ.p[2], 0.8);
  EXPECT_EQ(model.bodies[1].X_PJ.R(2, 1), 1.0);
  EXPECT_EQ(model.bodies[2].parent, 0);
  EXPECT_EQ(model.bodies[2].X_PJ.p[2], 1.0);  // -b cos 180°
  EXPECT_EQ(model.bodies[1].inertia.I(0, 1), 0.1);
  const ReadResult again = read_text(write_yaml(*result.mechanism), "tree.yaml");
  ASSERT_TRUE(again.mechanism);
  EXPECT_TRUE(same_bits(model, instantiate<double>(*again.mechanism)));
}

TEST(ReadWong, ConnectivityAndParentsAreEquivalent) {
  const ReadResult rows = changed("parents: [0, 1, 1]", "connectivity: [[1], [1, 1], [1, 0, 1]]"),
                   square = changed("parents: [0, 1, 1]", "connectivity: [[1, 0, 0], [1, 1, 0], [1, 0, 1]]");
  expect_clean(rows);
  expect_clean(square);
  const Model<double> tree = instantiate<double>(*changed("parents", "parents").mechanism);
  EXPECT_TRUE(same_bits(tree, instantiate<double>(*rows.mechanism)));
  EXPECT_TRUE(same_bits(tree, instantiate<double>(*square.mechanism)));
}

TEST(ReadWong, ErrorsHaveALocationAndAHint) {
  expect_only_error(changed("b: 1}", "b: -1}"), 5, "0.25, 0, 0.5",
                    "body 3 is attached to body 1 at l - k = [0.25, 0, 1], but its a, b and alpha give [0.25, -0, -1]");
  expect_only_error(changed(", 3: [0.25, 0, 0.5]", ", 4: [0.25, 0, 0.5]"), 5, "4:", "unknown key `4` in `l` of body 1");
  expect_only_error(changed("l: {2: [0.1, 0.2, 0.3], ", "l: {"), 6, "{m",
                    "the position of body 2 on body 1 is missing");
  expect_only_error(changed("l: {2: [0.1, 0.2, 0.3], 3: [0.25, 0, 0.5]}", "l: [0.1, 0.2, 0.3]"), 5, "[0.1, 0.2",
                    "2 bodies are attached to body 1");
  expect_only_error(changed("[0, 1, 1]", "[0, 1, 3]"), 3, "3]", "the parent of body 3 should be a number from 0 to 2");
  expect_only_error(changed("[0, 1, 1]", "[0, 1]"), 3, "[0", "`parents` has 2 entries for 3 bodies");
  expect_only_error(changed("parents: [0, 1, 1]", "connectivity: [[1], [1, 1], [0, 1, 1]]"), 3, "0, 1, 1]",
                    "row 3 should go through");
  expect_only_error(changed("parents: [0, 1, 1]", "connectivity: [[1], [1, 1], [1, 0, 0]]"), 3, "0]]",
                    "is on the path to itself");
  expect_only_error(changed("parents: [0, 1, 1]", "connectivity: [[1], [1, 1], [1, 0]]"), 3, "[1, 0]]",
                    "3 or more entries");
  expect_only_error(changed("parents: [0, 1, 1]", "connectivity: [[1], [1, 1], [1, 0, 2]]"), 3, "2]", "from 0 to 1");
  expect_only_error(changed("wong: 1", "wong: 2"), 1, "2", "`wong: 1`");
  expect_only_error(changed("[0.1, 2, 0]", "[0.2, 2, 0]"), 6, "0.2", "not symmetric");
  expect_only_error(changed("m: 1, J: [[2", "mass: 1, m: 1, J: [[2"), 6, "mass", "unknown key `mass` in body 2");
  expect_only_error(changed("k: [0, 0, -0.5]", "k: [0, 0, x]"), 5, "x]", "unknown name `x`");
  expect_only_error(changed("J: [1, 1, 1], k: [0, 0", "J: [1, 1, 3], k: [0, 0"), 5, "1, 1, 3", "");
  expect_only_error(changed("parents: [0, 1, 1]", "parents: [0, 1, 1]\ntheta: [0, 1]"), 4, "[0, 1]",
                    "list of 3 numbers");
  expect_only_error(changed("parents: [0, 1, 1]", "parents: [0, 1, 1]\nconnectivity: [[1]]"), 4, "connectivity",
                    "keep one");
}

TEST(ReadWong, InvalidTextsGiveErrorsNotCrashes) {
  for (std::size_t k = 0; k <= kTree.size(); ++k) {
    (void)read_text(kTree.substr(0, k), "tree.wong");
    for (const char c : {'[', ']', '{', '}', ':', ',', '0', '9', '\n', 'x'}) {
      std::string text = kTree;
      if (k < text.size()) text[k] = c;
      const ReadResult result = read_text(text, "tree.wong");
      bool failed = false;
      for (const Diagnostic& d : result.diagnostics) {
        failed = failed || d.severity == Severity::error;
        EXPECT_FALSE(show(d, result).empty());
      }
      EXPECT_NE(failed, result.mechanism.has_value()) << text;
    }
  }
  for (const char* text :
       {"", "wong: 1", "wong: 1\nbodies: []", "wong: 1\nbodies: 5", "wong: 1\nbodies: [1, [], {}]\nparents: {}",
        "wong: 1\nbodies: [{}]\nconnectivity: [[]]\ntheta: 1", "[]", "wong: [1]"}) {
    EXPECT_FALSE(read_text(text, "tree.wong").mechanism) << text;
  }
}

}  // namespace read_wong_test
}  // namespace lw
