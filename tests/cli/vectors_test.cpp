// Vectors on the command line, and the options that change the model.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "run_cli.hpp"

namespace lw::test {
namespace vectors_test {

using Vector = std::vector<double>;

TEST(Vectors, AreReadInEveryWayTheyAreWritten) {
  const Vector wanted{-0.1, 0.2, -0.3};
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"--q", "-0.1,0.2,-0.3"},
                                                                                     {"--q=-0.1,0.2,-0.3"},
                                                                                     {"--q", "-.1, .2, -3e-1"},
                                                                                     {"--q", "-0.1 0.2 -0.3"},
                                                                                     {"--q", "[-0.1, 0.2, -0.3]"}}) {
    std::vector<std::string> all{"inverse", "twu-3r", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome o = linkwright(all);
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.json()["q"].get<Vector>(), wanted);
  }
}

TEST(Vectors, TakeDegreesForAnglesOnly) {
  const Outcome o = linkwright({"inverse", "stanford", "--q", "90deg,-45deg,0.5,0,0,0", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_DOUBLE_EQ(o.json()["q"][0], std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(o.json()["q"][1], -std::numbers::pi / 4);
  EXPECT_EQ(linkwright({"inverse", "stanford", "--q", "0,0,90deg,0,0,0"}).code, 2);
  EXPECT_EQ(linkwright({"forward", "puma560", "--tau", "1deg,0,0,0,0,0"}).code, 2);
}

TEST(Vectors, WrongSizeNamesTheCoordinates) {
  const Outcome o = linkwright({"inverse", "puma560", "--q", "1,2,3"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "--q has 3 values, but 6 are expected: link1, link2, link3, link4, link5, link6")) << o.err;
  EXPECT_EQ(linkwright({"inverse", "puma560", "--q", ""}).code, 2);
}

TEST(Vectors, BadNumbersAreNamed) {
  const Outcome word = linkwright({"inverse", "puma560", "--qd", "0,0,x1,0,0,0"});
  EXPECT_EQ(word.code, 2);
  EXPECT_TRUE(has(word.err, "--qd value 3 (`link3`) is not a number: `x1`")) << word.err;
  EXPECT_EQ(linkwright({"inverse", "puma560", "--q", "0,0,,0,0,0"}).code, 2);
  for (const char* bad : {"nan", "inf", "-inf", "1e999"}) {
    const Outcome o = linkwright({"inverse", "puma560", "--q", std::string("0,0,0,0,0,") + bad});
    EXPECT_EQ(o.code, 3) << bad;
    EXPECT_TRUE(has(o.err, "--q value 6 (`link6`)")) << o.err;
  }
}

TEST(Vectors, OmittedOnesAreHomeAndZero) {
  const nlohmann::json check = linkwright({"check", "puma560", "--json"}).json();
  const nlohmann::json inverse = linkwright({"inverse", "puma560", "--json"}).json();
  EXPECT_EQ(inverse["q"], check["home"]);
  EXPECT_NE(inverse["q"].get<Vector>(), Vector(6, 0.0));
  EXPECT_EQ(inverse["qd"].get<Vector>(), Vector(6, 0.0));
}

const char* kBall = R"(linkwright: 1
name: ball
links:
  - name: ball
    parent: base
    joint: {type: spherical}
    inertia: {mass: 1, com: [0, 0, 0.5], tensor: [0.1, 0.1, 0.1]}
)";

TEST(Vectors, QuaternionsAreNormalisedOrRefused) {
  const std::string file = write("ball.yaml", kBall);
  EXPECT_TRUE(linkwright({"inverse", file, "--q", "0,0,0,1"}).err.empty());
  const Outcome near = linkwright({"inverse", file, "--q", "0,0,0,1.0001", "--json"});
  EXPECT_EQ(near.code, 0);
  EXPECT_TRUE(has(near.err, "quaternion of `ball` had length 1.0001")) << near.err;
  EXPECT_DOUBLE_EQ(near.json()["q"][3], 1.0);
  EXPECT_TRUE(linkwright({"inverse", file, "--q", "0,0,0,1.0001", "--quiet"}).err.empty());
  const Outcome far = linkwright({"inverse", file, "--q", "0,0,0,1.1"});
  EXPECT_EQ(far.code, 3);
  EXPECT_TRUE(has(far.err, "length 1.1, not 1")) << far.err;
  EXPECT_EQ(linkwright({"inverse", file, "--q", "0,0,0,0"}).code, 3);
}

TEST(ModelOptions, SetChangesAParameter) {
  const Outcome o = linkwright({"inverse", "twu-3r", "--set", "g=0", "--json"});
  EXPECT_EQ(o.json()["tau"].get<Vector>(), Vector(3, 0.0));
  // gravity torque of the first joint: g (m1 c1 + m2 (l1 + c2) + m3 (l1 + l2 + c3)), arm stretched along x
  const Outcome moon = linkwright({"inverse", "twu-3r", "--set", "g=1.62", "--set", "m3=0.5", "--json"});
  EXPECT_NEAR(moon.json()["tau"][0], 1.62 * (45 * 0.75 + 30 * 2.0 + 0.5 * 2.875), 1e-10);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--set", "q=0"}).code, 2);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--set", "m1"}).code, 2);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--set", "m1=-3"}).code, 3);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--set", "m1=-3", "--allow-unphysical"}).code, 0);
  EXPECT_EQ(linkwright({"check", "twu-3r", "--set", "m1=-3"}).code, 1);
}

// A disc of 2 kg·m² behind a shaft, driven by a rotor of 1e-3 kg·m² that turns 10 times as fast.
TEST(ModelOptions, ElasticDrivesHaveMotorsOfTheirOwn) {
  const std::string file = write("elastic.yaml", R"(linkwright: 1
name: elastic
parameters: {k: 50}
links:
  - {name: disc, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 2]}, drive: {ratio: 10, rotor_inertia: 1e-3, stiffness: k}}
)");
  const nlohmann::json rigid = linkwright({"mass-matrix", file, "--json"}).json();
  EXPECT_NEAR(rigid["M"][0][0], 2.1, 1e-14);
  const nlohmann::json elastic = linkwright({"mass-matrix", file, "--elastic", "--json"}).json();
  const double expected[2][2] = {{2.0, 0.0}, {0.0, 0.1}};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(elastic["M"][i][j], expected[i][j], 1e-14);
  }
  const Outcome size = linkwright({"inverse", file, "--elastic", "--q", "1"});
  EXPECT_TRUE(has(size.err, "2 are expected: disc, disc.motor")) << size.err;
  EXPECT_EQ(linkwright({"inverse", file, "--elastic", "--set", "k=-1"}).code, 3);
  const Outcome none = linkwright({"inverse", "puma560", "--elastic"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(has(none.err, "no drive of `puma560` has a `stiffness`")) << none.err;
  const nlohmann::json checked = linkwright({"check", file, "--elastic", "--json"}).json();
  EXPECT_EQ(checked["dof"], 2);
  EXPECT_EQ(checked["velocity_names"][1], "disc.motor");
  // the shaft's 50 × 0.1 drives the disc, q̈ = 2.5, and what is left for the motor to give is 5 / 10 of it on its own
  // side
  const std::vector<std::string> motion{"inverse", file, "--elastic", "--friction", "--q", "0,0.1", "--qdd", "2.5,0"};
  std::vector<std::string> as_json = motion;
  as_json.push_back("--json");
  const nlohmann::json parts = linkwright(as_json).json()["breakdown"];
  EXPECT_NEAR(parts[0]["total"], 0.0, 1e-14);
  EXPECT_TRUE(parts[0]["motor"].is_null());
  EXPECT_NEAR(parts[1]["motor"], 0.5, 1e-14);
  const Outcome table = linkwright(motion);
  EXPECT_TRUE(has(table.out, "0 in motions that their")) << table.out;
  EXPECT_FALSE(has(linkwright({"inverse", file, "--friction"}).out, "elastic drives"));
  // written out it can be read again
  const Outcome written = linkwright({"convert", file, "--elastic"});
  EXPECT_EQ(linkwright({"check", write("written.yaml", written.out)}).code, 0) << written.out << written.err;
}

TEST(ModelOptions, PayloadAddsItsWeight) {
  // 2 kg at x = 0.3 of the last link, arm along x, gravity along -y
  const double without = linkwright({"inverse", "twu-3r", "--json"}).json()["tau"][2];
  const double with = linkwright({"inverse", "twu-3r", "--payload", "link3:2@0.3,0,0", "--json"}).json()["tau"][2];
  EXPECT_NEAR(with - without, 2 * 9.81 * 0.3, 1e-12);
  const double twice =
      linkwright({"inverse", "twu-3r", "--payload", "link3:2@0.3,0,0", "--payload", "link3:1@0.1 0 0", "--json"})
          .json()["tau"][2];
  EXPECT_NEAR(twice - without, 9.81 * 0.7, 1e-12);
  const Outcome unknown = linkwright({"inverse", "twu-3r", "--payload", "link4:2"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "did you mean `link1`?")) << unknown.err;
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--payload", "2"}).code, 2);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--payload", "link3:2@1,2"}).code, 2);
  EXPECT_EQ(linkwright({"inverse", "twu-3r", "--payload", "link3:-2"}).code, 3);
}

TEST(Vectors, CommasAndBracketsMustBeWhereTheyBelong) {
  struct Case {
    const char *text, *says;
  };
  for (const Case& c : std::vector<Case>{{"1,2,3,", "a value is missing after the last comma"},
                                         {"1,,3", "a value is missing before a comma"},
                                         {",1,2,3", "a value is missing before a comma"},
                                         {"[1,2,3", "one pair of brackets"},
                                         {"1,[2],3", "one pair of brackets"},
                                         {"[[1,2,3]]", "one pair of brackets"},
                                         {"(1,2,3)", "one pair of brackets"}}) {
    const Outcome o = linkwright({"inverse", "twu-3r", "--q", c.text});
    EXPECT_EQ(o.code, 2) << c.text;
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

const char* kFormulas = R"(linkwright: 1
name: formulas
parameters: {l: 2}
links:
  - {name: a, parent: base, joint: {type: revolute, axis: x, origin: {xyz: [sqrt(l), 0, 1/l]}}, inertia: {mass: 1, com: [0, 1, 0]}}
)";

TEST(ModelOptions, SetIsJudgedLikeTheFile) {
  const std::string file = write("formulas.yaml", kFormulas);
  for (const char* value : {"l=0", "l=-1"}) {
    for (const char* command : {"inverse", "kinematics", "check"}) {
      const Outcome o = linkwright({command, file, "--set", value});
      EXPECT_EQ(o.code, 3) << command << value;
      EXPECT_TRUE(has(o.err, "has no finite value")) << o.err;
    }
  }
  // a length a hundred times all others
  EXPECT_TRUE(has(linkwright({"inverse", file, "--set", "l=1e6"}).err, "millimetres")) << "unit slip";
}

TEST(ModelOptions, ModelsThatAreUnphysicalOnPurposeTakeChanges) {
  EXPECT_EQ(linkwright({"inverse", "puma560-dhanaraj"}).code, 0);
  const Outcome o = linkwright({"inverse", "puma560-dhanaraj", "--payload", "link6:1@0,0,0"});
  EXPECT_EQ(o.code, 0) << o.err;
}

TEST(ModelOptions, PayloadsThatDoNothingAreNoticed) {
  const std::string file = write("plate.yaml", R"(linkwright: 1
name: plate
links:
  - {name: plate, parent: base, joint: {type: fixed}}
  - {name: "a@b:c", parent: plate, joint: {type: revolute, axis: y}, inertia: {mass: 1, com: [1, 0, 0]}}
)");
  const Outcome o = linkwright({"inverse", file, "--payload", "plate:2"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "`plate` is fixed to the base")) << o.err;
  // names may contain the signs that divide
  for (const char* payload : {"a@b:c:2@1,0,0", "a@b:c:3"}) {
    const Outcome named = linkwright({"inverse", file, "--payload", payload, "--json"});
    ASSERT_EQ(named.code, 0) << named.err;
    EXPECT_TRUE(named.err.empty()) << named.err;
    EXPECT_NEAR(named.json()["tau"][0], has(payload, "@1") ? -3 * 9.81 : -9.81, 1e-12);
  }
}

}  // namespace vectors_test
}  // namespace lw::test
