// models and check: fields that scripts rely on, exit codes, files that are wrong.
#include <gtest/gtest.h>

#include <filesystem>

#include "run_cli.hpp"

namespace lw::test {
namespace check_command_test {

TEST(ModelsCommand, ListsNamesThatCheckAccepts) {
  const nlohmann::json models = linkwright({"models", "--json"}).json()["models"];
  ASSERT_GE(models.size(), 12u);
  for (const nlohmann::json& m : models) {
    const nlohmann::json check = linkwright({"check", m["name"], "--json", "--allow-unphysical", "--quiet"}).json();
    EXPECT_EQ(check["ok"], true) << m["name"];
    EXPECT_EQ(check["dof"], m["dof"]) << m["name"];
    EXPECT_EQ(check["loops"], m["loops"]) << m["name"];
    EXPECT_FALSE(m["summary"].get<std::string>().empty()) << m["name"];
  }
  const std::string text = linkwright({"models"}).out;
  EXPECT_TRUE(has(text, "puma560") && has(text, "chain-N") && has(text, "tree-N"));
}

TEST(CheckCommand, NamesTheParameters) {
  EXPECT_TRUE(has(linkwright({"check", "puma560"}).out, "parameters: d2=0.2435, a2=0.4318,"));
  EXPECT_TRUE(has(linkwright({"check", "puma560", "--set", "a2=0.5"}).out, "a2=0.5,"));
}

TEST(CheckCommand, HasTheFieldsOfTheContract) {
  const nlohmann::json json = linkwright({"check", "puma560", "--json"}).json();
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["dof"], 6);
  EXPECT_EQ(json["nq"], 6);
  EXPECT_EQ(json["nv"], 6);
  EXPECT_EQ(json["links"], 6);
  EXPECT_EQ(json["joints"], 6);
  EXPECT_EQ(json["joint_names"].size(), 6u);
  EXPECT_EQ(json["coordinate_names"][0], "link1");
  EXPECT_EQ(json["loops"], 0);
  EXPECT_TRUE(json["diagnostics"].is_array());
  EXPECT_NEAR(json["mass"], 13 + 17.4 + 4.8 + 0.82 + 0.34 + 0.09, 1e-12);
}

TEST(CheckCommand, CountsFreedomsOfLoops) {
  const nlohmann::json json = linkwright({"check", "four-bar", "--json"}).json();
  EXPECT_EQ(json["dof"], 1);
  EXPECT_EQ(json["nv"], 3);
  EXPECT_EQ(json["loops"], 1);
  EXPECT_LT(json["loop_residual"], 1e-9);
}

TEST(CheckCommand, FloatingBaseOfAUrdf) {
  const std::string file = write("one.urdf", R"(<robot name="one">
  <link name="trunk"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="leg"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hip" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/></joint>
</robot>)");
  EXPECT_EQ(linkwright({"check", file, "--json"}).json()["dof"], 1);
  const nlohmann::json floating = linkwright({"check", file, "--json", "--floating-base"}).json();
  EXPECT_EQ(floating["dof"], 7);
  EXPECT_EQ(floating["nq"], 8);
}

TEST(CheckCommand, AFileThatGivesNoMechanismIsExit3WithJson) {
  const std::string file =
      write("bad.yaml", "linkwright: 1\nname: bad\nlinks:\n  - {name: a, parent: nowhere, joint: {type: revolut}}\n");
  const Outcome o = linkwright({"check", file, "--json"});
  EXPECT_EQ(o.code, 3);
  const nlohmann::json json = o.json();
  EXPECT_EQ(json["ok"], false);
  for (const char* field :
       {"dof", "nq", "nv", "links", "joints", "joint_names", "coordinate_names", "loops", "diagnostics"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  ASSERT_FALSE(json["diagnostics"].empty());
  const nlohmann::json& first = json["diagnostics"][0];
  EXPECT_EQ(first["severity"], "error");
  EXPECT_EQ(first["file"], file);
  EXPECT_EQ(first["line"], 4);
  EXPECT_FALSE(first["message"].get<std::string>().empty());
  EXPECT_TRUE(has(o.err, file + ":4:")) << o.err;
}

const char* kImpossible = R"(linkwright: 1
name: impossible
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [0.1, 0.1, 5]}}
)";

TEST(CheckCommand, AMechanismThatCannotExistIsExit1) {
  const std::string file = write("impossible.yaml", kImpossible);
  const Outcome o = linkwright({"check", file, "--json"});
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.json()["ok"], false);
  EXPECT_EQ(o.json()["dof"], 1);
  EXPECT_EQ(linkwright({"check", file, "--allow-unphysical"}).code, 0);
  EXPECT_TRUE(has(linkwright({"check", file, "--allow-unphysical"}).err, "warning:"));
  EXPECT_TRUE(linkwright({"check", file, "--allow-unphysical", "--quiet"}).err.empty());
  // and no other command computes with it unasked
  const Outcome inverse = linkwright({"inverse", file});
  EXPECT_EQ(inverse.code, 3);
  EXPECT_TRUE(has(inverse.err, "--allow-unphysical")) << inverse.err;
}

TEST(CheckCommand, LoopsThatCannotBeClosedAreExit1) {
  // a rod of 1 m between a crank of 0.2 m and a pin 3 m away
  const std::string file = write("open.yaml", R"(linkwright: 1
name: open
links:
  - {name: crank, parent: base, joint: {type: revolute, axis: z, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: rod, parent: crank, joint: {type: revolute, axis: z, origin: {xyz: [0.2, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: pin, joint: {type: revolute, axis: z}, between: [rod, base], at: {rod: {xyz: [1, 0, 0]}, base: {xyz: [3, 0, 0]}}}
)");
  const Outcome o = linkwright({"check", file, "--json"});
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.json()["ok"], false);
  EXPECT_NEAR(o.json()["loop_residual"], 1.8, 1e-3);
  EXPECT_TRUE(has(o.err, "cannot be closed")) << o.err;
}

TEST(CheckCommand, WhatIsNotAMechanismFileIsExplained) {
  struct Case {
    std::string model, says;
  };
  for (const Case& c : std::vector<Case>{{"pumma560", "did you mean `puma560`?"},
                                         {"/nowhere/robot.yaml", "no such file"},
                                         {folder(), "a folder"},
                                         {write("empty.yaml", ""), "empty.yaml"},
                                         {write("binary.yaml", std::string("\x7f"
                                                                           "ELF\0\1\2",
                                                                           7)),
                                          "binary.yaml"},
                                         {"chain-0", "N from 1 to"}}) {
    for (const char* command : {"check", "inverse"}) {
      const Outcome o = linkwright({command, c.model});
      EXPECT_EQ(o.code, 3) << c.model;
      EXPECT_TRUE(has(o.err, c.says)) << o.err;
    }
  }
}

TEST(CheckCommand, BytesThatAreNotUtf8StillGiveJson) {
  const std::string named = write("p\xE9.yaml", kImpossible),
                    inside = write("latin.yaml", "linkwright: 1\nname: \xE9\n");
  EXPECT_EQ(linkwright({"check", named, "--json"}).code, 1);
  EXPECT_EQ(linkwright({"check", named, "--json"}).json()["ok"], false);
  EXPECT_EQ(linkwright({"check", inside, "--json"}).json()["ok"], false);
}

TEST(CheckCommand, Utf16IsNamed) {
  const std::string file = write("wide.yaml", std::string("\xFF\xFEl\0i\0", 6));
  EXPECT_TRUE(has(linkwright({"check", file}).err, "UTF-16")) << linkwright({"check", file}).err;
}

TEST(CheckCommand, PipesAreReadOnce) {
  const std::string good = write("good.yaml",
                                 "linkwright: 1\nname: good\nlinks:\n  - {name: a, parent: base, joint: {type: "
                                 "revolute}, inertia: {mass: 1}}\n"),
                    bad = write("impossible.yaml", kImpossible);
  EXPECT_EQ(shell("cat " + good + " | linkwright check /dev/stdin").code, 0);
  const Outcome o = shell("cat " + bad + " | linkwright check /dev/stdin --json");
  EXPECT_EQ(o.code, 1);
  EXPECT_EQ(o.json()["dof"], 1);
  EXPECT_TRUE(has(shell("cat " + bad + " | linkwright inverse /dev/stdin").err, "--allow-unphysical"));
}

TEST(CheckCommand, DoubtsAreWarnings) {
  const std::string file = write("doubts.yaml", R"(linkwright: 1
name: doubts
home: {a: 5}
links:
  - {name: a, parent: base, joint: {type: revolute, actuated: true, limits: {lower: -1, upper: 1}}, inertia: {mass: 1, com: [1, 0, 0]}}
  - {name: b, parent: base, joint: {type: fixed}, inertia: {mass: 1}}
loops:
  - {name: l, joint: {type: revolute, axis: z}, between: [base, b]}
)");
  const Outcome o = linkwright({"check", file, "--json"});
  EXPECT_EQ(o.code, 0) << o.err;
  ASSERT_EQ(o.json()["diagnostics"].size(), 2u) << o.err;
  EXPECT_TRUE(has(o.err, "the home of joint `a`, 5, is above its upper limit, 1")) << o.err;
  EXPECT_TRUE(has(o.err, "the same rigid body")) << o.err;
}

TEST(CheckCommand, FrictionThatIsLeftOutIsNoted) {
  const std::string file = write("rough.yaml", R"(linkwright: 1
name: rough
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}, friction: {viscous: 2}}
  - {name: b, parent: a, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}, damper: 2}
  - {name: c, parent: b, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}}
)");
  const std::string note = "note: friction and damping of 2 joints (a, b) are omitted; --friction includes them";
  for (const char* command : {"check", "inverse", "forward", "bias"}) {
    EXPECT_TRUE(has(linkwright({command, file}).err, note)) << linkwright({command, file}).err;
    EXPECT_TRUE(linkwright({command, file, "--quiet"}).err.empty());
  }
  for (const char* command : {"inverse", "forward"}) EXPECT_TRUE(linkwright({command, file, "--friction"}).err.empty());
  EXPECT_TRUE(linkwright({"mass-matrix", file}).err.empty());
  EXPECT_TRUE(has(linkwright({"inverse", "puma560"}).err, "note: drive losses of 6 joints ("));
  const Outcome arm = linkwright({"inverse", "arm6"});
  EXPECT_TRUE(has(arm.err, "friction and damping of 6 joints (")) << arm.err;
  EXPECT_TRUE(has(arm.err, " and 2 more)")) << arm.err;
}

TEST(CheckCommand, AJointThatNothingResistsIsAWarning) {
  const std::string file = write("massless.yaml", R"(linkwright: 1
name: massless
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, com: [1, 0, 0]}}
  - {name: tip, parent: a, joint: {type: revolute, origin: {xyz: [1, 0, 0]}}}
)");
  const Outcome o = linkwright({"check", file});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, ":5:35: warning: nothing resists an acceleration of `tip`")) << o.err;
  EXPECT_EQ(linkwright({"forward", file}).code, 3);
}

TEST(CheckCommand, AFileNearbyIsSuggested) {
  write("scara.yaml", kImpossible);
  EXPECT_TRUE(has(linkwright({"check", "scara"}).err, "did you mean the file `scara.yaml`?"));
  EXPECT_TRUE(has(linkwright({"check", "PUMA560"}).err, "did you mean `puma560`?"));
  EXPECT_TRUE(has(linkwright({"check", "puma"}).err, "did you mean `puma560`?"));
}

TEST(CheckCommand, AJointNamedLikeTheFloatingBaseKeepsItsName) {
  const std::string file = write("taken.urdf", R"(<robot name="taken">
  <link name="trunk"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="leg"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="floating_base" type="continuous"><parent link="trunk"/><child link="leg"/><axis xyz="0 1 0"/></joint>
</robot>)");
  const Outcome o = linkwright({"check", file, "--json", "--floating-base"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.json()["joint_names"], (std::vector<std::string>{"floating_base_", "floating_base"}));
}

TEST(CheckCommand, SaysHowWhatCannotExistIsAcceptedAllTheSame) {
  EXPECT_TRUE(has(linkwright({"check", write("impossible.yaml", kImpossible)}).err, "--allow-unphysical"));
  EXPECT_FALSE(has(linkwright({"check", "puma560"}).err, "--allow-unphysical"));
}

TEST(CheckCommand, TheExamplesWorkAsTheReadmeSays) {
  for (const auto& entry : std::filesystem::directory_iterator(LW_SOURCE_DIR "/examples")) {
    if (entry.is_directory()) continue;  // those have tests of their own
    std::vector<std::string> words{"inverse", entry.path().string(), "--quiet"};
    const bool unphysical = entry.path().filename() == "twu-3r.twu";
    EXPECT_EQ(linkwright(words).code, unphysical ? 3 : 0) << entry.path();
    words.emplace_back("--allow-unphysical");
    EXPECT_EQ(linkwright(words).code, 0) << entry.path();
  }
}

TEST(CheckCommand, LimitsOfJointsThatFollowCountToo) {
  const std::string file = write("follower.yaml", R"(linkwright: 1
name: follower
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, mimic: {joint: a, ratio: 2, offset: 0.5}, limits: {lower: -1, upper: 2}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
)");
  EXPECT_TRUE(has(linkwright({"inverse", file, "--q", "1"}).err, "note: b = 2.5 lies above its upper limit, 2"));
  EXPECT_TRUE(linkwright({"inverse", file, "--q", "0.7"}).err.empty());
}

}  // namespace check_command_test
}  // namespace lw::test
