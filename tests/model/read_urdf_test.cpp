#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include "expect_diagnostic.hpp"
#include "model/evaluate.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace read_urdf_test {

ReadResult read(const std::string& text, const ReadOptions& options = {},
                const std::optional<std::string>& sidecar = {}) {
  return read_text(text, "f.urdf", options, sidecar);
}

const std::string kInertial =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";

// A robot of base and one link; every argument is one line, from line 2 on: link a, joint, more.
std::string robot(const std::string& in_link, const std::string& joint_type, const std::string& in_joint,
                  const std::string& more = "") {
  return "<robot name=\"r\"><link name=\"base\"/>\n<link name=\"a\">" + in_link + "</link>\n<joint name=\"j\" type=\"" +
         joint_type + "\"><parent link=\"base\"/><child link=\"a\"/>" + in_joint + "</joint>\n" + more + "\n</robot>\n";
}
ReadResult with_link(const std::string& in_link) { return read(robot(in_link, "continuous", "")); }
ReadResult with_joint(const std::string& in_joint, const std::string& type = "continuous") {
  return read(robot("", type, in_joint));
}

TEST(ReadUrdf, ReadsLinksJointsAndTheirNumbers) {
  const ReadResult result = read(R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="foot"><inertial><mass value="7"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 -.2 3e-1" rpy="0 0 0.5"/>
      <mass value="+2.5"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
    </inertial>
  </link>
  <link name="finger"/>
  <joint name="slide" type="prismatic">
    <parent link="upper"/> <child link="finger"/>
    <limit lower="0" upper="0.1" effort="20" velocity="inf"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <parent link="foot"/> <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2" effort="100" velocity="3"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
</robot>)");
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  const DefaultValues at(m);
  EXPECT_EQ(m.name, "arm");
  EXPECT_EQ(m.base, "foot");
  ASSERT_TRUE(m.base_inertia.has_value());
  EXPECT_EQ(at(m.base_inertia->mass), 7.0);
  ASSERT_EQ(m.links.size(), 2u);  // in the order of the joints
  EXPECT_EQ(m.links[0].name, "finger");
  EXPECT_EQ(m.links[0].parent, "upper");
  EXPECT_EQ(m.links[0].joint.name, "slide");
  EXPECT_FALSE(m.links[0].inertia.has_value());
  EXPECT_EQ(at(m.links[0].joint.axis), Eigen::Vector3d(1, 0, 0));  // the default of URDF
  EXPECT_FALSE(m.links[0].joint.limits.velocity.has_value());      // infinite: none
  EXPECT_FALSE(m.links[0].joint.friction.present);
  const Link& upper = m.links[1];
  EXPECT_EQ(upper.joint.type, JointType::revolute);
  EXPECT_EQ(at(upper.joint.axis), Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(upper.joint.origin.rotation.kind, Rotation::Kind::rpy);
  EXPECT_EQ(at(upper.joint.origin.rotation.values[2]), 0.3);
  EXPECT_EQ(at(*upper.joint.limits.lower), -1.5);
  EXPECT_EQ(at(*upper.joint.limits.effort), 100.0);
  EXPECT_TRUE(upper.joint.friction.present);
  EXPECT_EQ(at(upper.joint.friction.viscous), 0.7);
  EXPECT_EQ(at(upper.joint.friction.coulomb), 0.2);
  EXPECT_EQ(at(upper.inertia->mass), 2.5);
  EXPECT_EQ(at(upper.inertia->com), Eigen::Vector3d(0.1, -0.2, 0.3));
  EXPECT_EQ(upper.inertia->rotation.kind, Rotation::Kind::rpy);
  EXPECT_FALSE(upper.inertia->about_origin);
  const double tensor[] = {0.3, 0.4, 0.5, 0.01, 0.02, 0.03};  // xx yy zz xy xz yz
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(at(upper.inertia->tensor[k]), tensor[k]);
}

TEST(ReadUrdf, KnowsEveryJointType) {
  const std::pair<const char*, JointType> types[] = {{"fixed", JointType::fixed},
                                                     {"continuous", JointType::revolute},
                                                     {"planar", JointType::planar},
                                                     {"floating", JointType::floating}};
  for (const auto& [name, type] : types) {
    const ReadResult result = with_joint("", name);
    expect_clean(result);
    EXPECT_EQ(result.mechanism->links[0].joint.type, type);
    EXPECT_EQ(result.mechanism->links[0].joint.actuated, type != JointType::fixed);
  }
  // a continuous joint has no end stops, whatever is written
  const ReadResult round = with_joint("<limit lower=\"0\" upper=\"0\" effort=\"1\" velocity=\"2\"/>");
  expect_clean(round);
  EXPECT_FALSE(round.mechanism->links[0].joint.limits.lower.has_value());
  EXPECT_TRUE(round.mechanism->links[0].joint.limits.effort.has_value());
}

TEST(ReadUrdf, ReadsMimics) {
  const std::string second =
      "<link name=\"b\"/><joint name=\"k\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
      "<mimic joint=\"j\" multiplier=\"-2\" offset=\"0.5\"/></joint>";
  const ReadResult result = read(robot("", "continuous", "", second));
  expect_clean(result);
  const Joint& joint = result.mechanism->links[1].joint;
  ASSERT_TRUE(joint.mimic.has_value());
  EXPECT_EQ(joint.mimic->joint, "j");
  EXPECT_EQ(joint.mimic->ratio.value.constant(), -2.0);
  EXPECT_EQ(joint.mimic->offset.value.constant(), 0.5);
  EXPECT_FALSE(joint.actuated);
  expect_only_error(with_joint("<mimic joint=\"jj\"/>"), 3, "", "mimics an unknown joint `jj`");
  expect_only_error(with_joint("<mimic multiplier=\"2\"/>"), 3, "", "<mimic> has no attribute `joint`");
}

TEST(ReadUrdf, AFloatingBaseIsALinkUnderTheWorld) {
  const ReadResult result = read(robot("", "continuous", ""), {.floating_base = true, .allow_unphysical = false});
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  EXPECT_EQ(m.base, "world");
  ASSERT_EQ(m.links.size(), 2u);
  EXPECT_EQ(m.links[0].name, "base");
  EXPECT_EQ(m.links[0].parent, "world");
  EXPECT_EQ(m.links[0].joint.name, "floating_base");
  EXPECT_EQ(m.links[0].joint.type, JointType::floating);
  EXPECT_FALSE(m.base_inertia.has_value());
  const ReadResult yaml =
      read_text("linkwright: 1\nname: x\nlinks: [{name: a, parent: base, joint: {type: revolute}}]\n", "f.yaml",
                {.floating_base = true, .allow_unphysical = false});
  expect_only_error(yaml, 0, "", "only possible with URDF files");
}

TEST(ReadUrdf, ReadsShapesAndColours) {
  const std::string visuals =
      "<visual><origin xyz=\"1 2 3\"/><geometry><box size=\"1 2 3\"/></geometry><material name=\"red\"/></visual>"
      "<visual><geometry><cylinder radius=\"0.5\" length=\"2\"/></geometry><material name=\"blue\"><color rgba=\"0 0 1 "
      "0.5\"/></material></visual>"
      "<visual><geometry><sphere radius=\"4\"/></geometry><material name=\"blue\"/></visual>"
      "<visual><geometry><sphere radius=\"4\"/></geometry><material name=\"\"><color rgba=\"0 1 0 "
      "1\"/></material></visual>";
  const ReadResult result =
      read(robot(visuals, "continuous", "", "<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>"));
  expect_clean(result);
  const std::vector<Visual>& list = result.mechanism->links[0].visuals;
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].shape, Visual::Shape::box);
  EXPECT_EQ(list[0].origin.xyz[2].value.constant(), 3.0);
  EXPECT_EQ(list[0].color, (std::array<double, 4>{1, 0, 0, 1}));
  EXPECT_EQ(list[1].shape, Visual::Shape::cylinder);
  EXPECT_EQ(list[1].size[1].value.constant(), 2.0);
  EXPECT_EQ(list[1].color, (std::array<double, 4>{0, 0, 1, 0.5}));
  EXPECT_EQ(list[2].color, list[1].color);
  EXPECT_EQ(list[3].color, (std::array<double, 4>{0, 1, 0, 1}));
}

TEST(ReadUrdf, FindsMeshesNextToTheFileAndAbove) {
  namespace fs = std::filesystem;
  const Scratch scratch;
  const fs::path& root = scratch.path;
  fs::create_directories(root / "arm_description" / "urdf");
  fs::create_directories(root / "arm_description" / "meshes");
  std::ofstream(root / "arm_description" / "meshes" / "a.stl") << "solid";
  const fs::path file = root / "arm_description" / "urdf" / "arm.urdf";
  const auto mesh = [](const std::string& name) {
    return "<visual><geometry><mesh filename=\"" + name + "\" scale=\"1 1 2\"/></geometry></visual>";
  };
  std::ofstream(file) << robot(mesh("package://arm_description/meshes/a.stl") + mesh("../meshes/a.stl") +
                                   mesh("package://arm_description/none.stl"),
                               "continuous", "");
  const ReadResult result = read_file(file.string());
  ASSERT_TRUE(result.mechanism.has_value());
  const std::vector<Visual>& list = result.mechanism->links[0].visuals;
  ASSERT_EQ(list.size(), 3u);
  const std::string found = (root / "arm_description" / "meshes" / "a.stl").lexically_normal().string();
  EXPECT_EQ(list[0].mesh, found);
  EXPECT_EQ(list[1].mesh, found);
  EXPECT_EQ(list[2].mesh, "package://arm_description/none.stl");
  EXPECT_EQ(list[0].size[2].value.constant(), 2.0);
  EXPECT_TRUE(has(result, Severity::warning, 2, "", "1 of 3 mesh files was not found"));
}

TEST(ReadUrdf, NumbersMustBeNumbers) {
  expect_only_error(with_joint("<origin xyz=\"1 2\"/>"), 3, "",
                    "`xyz` should be 3 numbers separated by blanks, not `1 2`");
  expect_only_error(with_joint("<origin xyz=\"1 2 3 4\"/>"), 3, "", "`xyz` should be 3 numbers");
  expect_only_error(with_joint("<origin xyz=\"1 two 3\"/>"), 3, "",
                    "joint `j`: <origin>: `two` in `xyz` is not a number");
  expect_only_error(with_joint("<origin xyz=\"1 2,5 3\"/>"), 3, "", "a decimal point, not a comma");
  expect_only_error(with_joint("<origin rpy=\"0 0 ${pi/2}\"/>"), 3, "", "this is xacro");
  expect_only_error(with_joint("<origin rpy=\"0 0 nan\"/>"), 3, "", "`nan` in `rpy` is not a number");
  expect_only_error(with_joint("<axis xyz=\"0 0 0\"/>"), 3, "", "give it a direction, as <axis xyz=\"0 0 1\"/>");
  expect_only_error(with_joint("<axis/>"), 3, "", "<axis> has no attribute `xyz`");
  expect_only_error(with_joint("<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>", "revolute"), 3, "",
                    "the lower limit `2` is above");
  expect_only_error(with_joint("<dynamics damping=\"-1\"/>"), 3, "", "`viscous` is `-1`, which is negative");
  expect_only_error(with_link("<inertial><mass value=\"\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                              "iyz=\"0\"/></inertial>"),
                    2, "", "`value` should be one number, not ``");
}

TEST(ReadUrdf, InertiasMustBeComplete) {
  expect_clean(with_link(kInertial));
  expect_only_error(with_link("<inertial><mass value=\"1\"/></inertial>"), 2, "",
                    "link `a`: <inertial> has no <inertia>");
  expect_only_error(
      with_link("<inertial><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"), 2, "",
      "has no <mass>");
  expect_only_error(
      with_link("<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"),
      2, "", "<inertia> has no attribute `izz`");
  expect_only_error(with_link(kInertial + kInertial), 2, "", "link `a`: duplicate <inertial>");
  expect_only_error(with_link("<inertial><mass value=\"-1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
                              "ixz=\"0\" iyz=\"0\"/></inertial>"),
                    2, "", "the mass `-1` is negative");
  // in the words of URDF, so that it can be pasted
  expect_only_error(with_link("<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.5\" ixy=\"0\" "
                              "ixz=\"0\" iyz=\"0\"/></inertial>"),
                    2, "", "ixx=\"0.2\" iyy=\"0.2\" izz=\"0.4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"");
}

TEST(ReadUrdf, MisspeltTagsAndAttributesAreWarnings) {
  const auto warns = [](const ReadResult& result, int line, const std::string& words) {
    EXPECT_TRUE(result.mechanism.has_value());
    EXPECT_TRUE(has(result, Severity::warning, line, "", words));
    EXPECT_EQ(result.diagnostics.size(), 1u);
  };
  warns(with_link("<inertal/>"), 2, "did you mean <inertial>?");
  warns(with_joint("<orign xyz=\"1 0 0\"/>"), 3, "did you mean <origin>?");
  warns(with_joint("<origin xzy=\"1 0 0\"/>"), 3, "did you mean `xyz`?");
  warns(with_joint("<dynamics dampin=\"1\"/>"), 3, "did you mean `damping`?");
  warns(with_joint("", "revolute"), 3, "a revolute joint without <limit>");
  warns(with_link("<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"nowhere\"/></visual>"), 2,
        "is not defined");
  warns(with_link("<visual><geometry><capsule radius=\"1\"/></geometry></visual>"), 2, "<capsule> is not supported");
}

TEST(ReadUrdf, DataOfOtherProgramsAreIgnored) {
  expect_clean(
      read(robot("<collision><geometry><box size=\"bad\"/></geometry></collision><self_collide>1</self_collide>",
                 "continuous", "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/>",
                 "<transmission name=\"t\"><joint name=\"j\"/></transmission><gazebo "
                 "reference=\"a\"><mu1>1</mu1></gazebo><sensor name=\"s\"/>")));
}

TEST(ReadUrdf, LinksFormOneTree) {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/></joint>\n";
  };
  const std::string links =
      "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"/>\n<link name=\"c\"/>\n";  // joints from line 4 on
  const auto tree = [&](const std::string& joints) { return read(links + joints + "</robot>"); };
  expect_clean(tree(joint("j", "a", "b") + joint("k", "b", "c")));
  expect_only_error(tree(joint("j", "a", "b") + joint("k", "a", "c") + joint("l", "b", "c")), 6, "",
                    "the link `c` already has a parent, by joint `k` in line 5");
  expect_only_error(tree(joint("j", "a", "b")), 3, "", "2 root links: `a`, `c`");
  expect_only_error(tree(joint("j", "b", "c") + joint("k", "c", "b")), 4, "", "form a cycle");
  const ReadResult rootless = tree(joint("j", "a", "b") + joint("k", "b", "c") + joint("l", "c", "a"));
  EXPECT_TRUE(has(rootless, Severity::error, 1, "", "there is no root link"));
  expect_only_error(tree(joint("j", "a", "b") + joint("j", "b", "c")), 5, "",
                    "duplicate joint `j`; first defined in line 4");
  expect_only_error(tree(joint("j", "a", "b") + joint("k", "a", "x")), 5, "", "joint `k`: unknown child link `x`");
  expect_only_error(tree(joint("j", "a", "b") + joint("k", "y", "c")), 5, "", "joint `k`: unknown parent link `y`");
  expect_only_error(read(links + "<link name=\"a\"/>" + joint("j", "a", "b") + joint("k", "a", "c") + "</robot>"), 4,
                    "", "duplicate link `a`");
  expect_only_error(read("<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>\n<joint name=\"j\" "
                         "type=\"fixed\"><parent link=\"a\"/></joint></robot>"),
                    2, "", "joint `j`: no <child>");
  expect_only_error(with_joint("", "ball"), 3, "", "unknown type `ball`");
  expect_only_error(with_joint("", "revolut"), 3, "", "did you mean `revolute`?");
}

TEST(ReadUrdf, AnglesOfManyTurnsLookLikeDegrees) {
  const ReadResult result = with_joint("<origin rpy=\"0 0 90\"/>");
  EXPECT_TRUE(has(result, Severity::warning, 3, "", "the angle 90 rad is 14 turns; probably degrees were meant"));
  EXPECT_TRUE(has(result, Severity::warning, 3, "", "angles are in radians: 1.5708"));
}

TEST(ReadUrdf, BrokenXmlNamesItsLine) {
  expect_only_error(read("<robot name=\"r\">\n<link name=\"a\">\n</robot>\n"), 2, "",
                    "<link> is not closed, or closed by another name");
  expect_only_error(read("<robot name=\"r\">\n<link name=\"a\"/>\n"), 1, "", "begins here is never closed");
  expect_only_error(read("<robot name=\"r\">\n<link name=\"a\">\n"), 2, "", "begins here is never closed");
  expect_only_error(read("<robot name=\"r>\n"), 1, "", "not valid XML");
  expect_only_error(read(""), 0, "", "the file is empty");
  expect_only_error(read("<sdf version=\"1.4\"/>\n"), 1, "", "<sdf>, not <robot>");
  expect_only_error(read("<robot name=\"r\"/>\n"), 1, "", "no <link>");
  expect_only_error(read("<robot><link name=\"a\"/></robot>\n"), 1, "", "<robot> has no attribute `name`");
  EXPECT_EQ(read("<robot><link name=\"a\"/></robot>\n").diagnostics[0].message, "<robot> has no attribute `name`");
  expect_only_error(read("<robot name=\"r\"><link/></robot>\n"), 1, "", "<link> has no attribute `name`");
  expect_only_error(with_joint("<origin xyz=\"0 0 0\" xyz=\"1 0 0\"/>"), 3, "", "or stands twice");
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_FALSE(read(deep).mechanism.has_value());
}

TEST(ReadUrdf, TheSidecarAddsLoops) {
  const std::string text =
      robot("", "continuous", "",
            "<link name=\"b\"/><joint name=\"k\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>");
  const std::string loop =
      "loops:\n  - {name: l, joint: {type: spherical}, between: [b, base], at: {b: {xyz: [1, 0, 0]}}}\n";
  const ReadResult result = read(text, {}, loop + "actuated: [j]\nhome: {k: 90 deg}\npayloads: [{link: b, mass: 2}]\n");
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  ASSERT_EQ(m.loops.size(), 1u);
  EXPECT_EQ(m.loops[0].between[1], "base");
  EXPECT_TRUE(m.links[0].joint.actuated);
  EXPECT_FALSE(m.links[1].joint.actuated);
  EXPECT_EQ(m.home.count("k"), 1u);
  EXPECT_EQ(m.payloads.size(), 1u);
  const ReadResult misspelt = read(text, {}, loop + "actuated: [jj]\n");
  expect_only_error(misspelt, 3, "jj", "unknown joint `jj`");
  EXPECT_EQ(misspelt.diagnostics[0].where.file, "f.loops.yaml");
  expect_only_error(read(text, {}, "links: []\n"), 1, "links", "unknown key `links` in the sidecar");
  expect_only_error(read(text, {}, "loops:\n  - {name: l, joint: {type: spherical}, between: [b, nowhere]}\n"), 2,
                    "nowhere", "unknown link `nowhere`");
}

}  // namespace read_urdf_test
}  // namespace lw
