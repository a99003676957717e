#include <cmath>
#include <numbers>
#include <sstream>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include "documented.hpp"
#include "expect_diagnostic.hpp"
#include "model/evaluate.hpp"

namespace lw {
namespace read_yaml_test {

ReadResult read(const std::string& text) { return read_text(text, "f.yaml"); }

// A sound mechanism of one link; `more` goes on with keys of that link (line 5 on) or with keys of the file.
std::string one_link(const std::string& joint = "{type: revolute}", const std::string& more = "") {
  return "linkwright: 1\nname: one\nlinks:\n  - {name: a, parent: base, joint: " + joint + "}\n" + more;
}
std::string block_link(const std::string& more) {
  return "linkwright: 1\nname: one\nlinks:\n  - name: a\n    parent: base\n    joint: {type: revolute}\n" + more;
}

TEST(ReadYaml, ReadsTheExampleOfTheFormat) {
  const ReadResult result = read(R"(linkwright: 1
name: two-link
summary: a planar arm
gravity: [0, 0, -9.8]
parameters: {l1: 0.4, l2: l1*1.5}
links:
  - name: lower
    parent: upper
    joint: {type: revolute, axis: y, origin: {xyz: [l1, 0, 0], rpy: [0, 30 deg, 0]}, limits: {lower: -90 deg, upper: 90 deg}}
    inertia: {mass: 2, com: [l2/2, 0, 0], tensor: {xx: 0.001, yy: 2*l2^2/12, zz: 2*l2^2/12}}
  - name: upper
    parent: base
    joint: {type: revolute, name: shoulder, axis: -y, origin: {xyz: [0, 0, 1]}}
    inertia: {mass: 3, com: [l1/2, 0, 0], tensor: [0.001, 3*l1^2/12, 3*l1^2/12]}
home: {lower: 45 deg, shoulder: -1}
)");
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  const DefaultValues at(m);
  EXPECT_EQ(m.name, "two-link");
  EXPECT_EQ(m.summary, "a planar arm");
  EXPECT_EQ(m.base, "base");
  EXPECT_EQ(at(m.gravity)[2], -9.8);
  ASSERT_EQ(m.parameters.size(), 2u);
  EXPECT_EQ(m.formulas->inputs(), (std::vector<std::string>{"l1", "l2"}));
  EXPECT_DOUBLE_EQ(at(m.parameters[1].value), 0.6);
  ASSERT_EQ(m.links.size(), 2u);
  const Link& lower = m.links[0];
  EXPECT_EQ(lower.parent, "upper");
  EXPECT_EQ(lower.joint.name, "lower");
  EXPECT_EQ(lower.joint.type, JointType::revolute);
  EXPECT_EQ(at(lower.joint.axis), Eigen::Vector3d(0, 1, 0));
  EXPECT_DOUBLE_EQ(at(lower.joint.origin.xyz)[0], 0.4);
  EXPECT_EQ(lower.joint.origin.rotation.kind, Rotation::Kind::rpy);
  EXPECT_DOUBLE_EQ(at(lower.joint.origin.rotation.values[1]), std::numbers::pi / 6);
  EXPECT_EQ(at(*lower.joint.limits.lower), -std::numbers::pi / 2);
  EXPECT_FALSE(lower.joint.limits.velocity.has_value());
  EXPECT_DOUBLE_EQ(at(lower.inertia->com)[0], 0.3);
  EXPECT_DOUBLE_EQ(at(lower.inertia->tensor[1]), 2 * 0.36 / 12);
  EXPECT_EQ(lower.inertia->com[0].text, "l2/2");
  EXPECT_EQ(lower.inertia->com[0].where.line, 10);
  EXPECT_EQ(lower.inertia->com[0].where.column, 30);
  EXPECT_EQ(m.links[1].joint.name, "shoulder");
  EXPECT_EQ(at(m.links[1].joint.axis), Eigen::Vector3d(0, -1, 0));
  EXPECT_TRUE(m.links[1].joint.actuated);
  EXPECT_EQ(at(m.home.at("lower")[0]), std::numbers::pi / 4);
  EXPECT_EQ(at(m.home.at("shoulder")[0]), -1.0);
}

// instantiate evaluates nodes in order of their ids, so a parameter's formula must be older than the parameter.
TEST(ReadYaml, ParametersAreInputsYoungerThanTheirFormulas) {
  const ReadResult result =
      read(one_link("{type: revolute, origin: {xyz: [c, b, a]}}", "parameters: {a: 2, b: a*3, c: sin(b) + a}\n"));
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  const Graph& g = *m.formulas;
  std::vector<NodeId> input_node(3);
  for (NodeId id = 0; id < g.size(); ++id) {
    if (g[id].op == Op::input) input_node[g[id].a] = id;
  }
  for (std::size_t k = 1; k < 3; ++k) EXPECT_LT(m.parameters[k].value.value.id(), input_node[k]);
  EXPECT_DOUBLE_EQ(DefaultValues(m)(m.links[0].joint.origin.xyz[0]), std::sin(6.0) + 2.0);
}

TEST(ReadYaml, ReadsEveryKindOfJointAndPart) {
  const ReadResult result = read(R"(linkwright: 1
name: all
base: world
links:
  - {name: a, parent: world, joint: {type: floating}, inertia: {mass: 1, tensor: [[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]], about: origin, quaternion: [0, 0, 0, 1]}}
  - {name: b, parent: a, joint: {type: universal, axis: x, axis2: [0, 1, 1]}}
  - {name: c, parent: a, joint: {type: spherical, origin: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}}
  - name: d
    parent: c
    joint: {type: prismatic, name: jd, dh: {alpha: 1, a: 2, theta: 3, d: 4, convention: standard}, limits: {velocity: 2, effort: 3, upper: 4, stiffness: 50, damping: 6}}
    friction: {viscous: 0.1, coulomb: 0.5, stribeck: {static: 0.8, velocity: 0.05}, bearing: {type: journal, mu: 0.1, spacing: 0.08}, width: 0.01}
    drive: {ratio: 60, rotor_inertia: 2e-4, rotor_axis: -x, efficiency: {load: [0, 1], value: [0.3, 0.8], interpolation: cubic}, breakaway: 6, rated: 97, peak: 150, stiffness: 1e4, damping: 10, backlash: 0.001}
    spring: {stiffness: 3, rest: 0.1}
    damper: 0.2
    visual: [{box: [1, 2, 3], color: [1, 0, 0.5]}, {cylinder: {radius: 1, length: 2}}, {sphere: 1, origin: {xyz: [1, 2, 3]}}]
  - {name: e, parent: d, joint: {type: revolute, mimic: {joint: jd, ratio: 2, offset: 0.1}}}
  - {name: f, parent: d, joint: {type: planar}}
  - {name: g, parent: d, joint: {type: cylindrical, actuated: true}}
  - {name: h, parent: d, joint: {type: fixed}}
loops:
  - {name: l, joint: {type: universal, axis: y, axis2: z}, between: [h, world], at: {world: {xyz: [1, 2, 3]}}}
payload: {link: h, mass: 2.5, com: [0, 0, 0.1], tensor: [1, 1, 1]}
home: {c: [0, 0, 0, 1], f: [1, 2, 3]}
base_visuals: {sphere: 0.1}
)");
  expect_clean(result);
  const Mechanism& m = *result.mechanism;
  const DefaultValues at(m);
  ASSERT_EQ(m.links.size(), 8u);
  const JointType types[] = {JointType::floating, JointType::universal, JointType::spherical,   JointType::prismatic,
                             JointType::revolute, JointType::planar,    JointType::cylindrical, JointType::fixed};
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(m.links[k].joint.type, types[k]);
  EXPECT_TRUE(m.links[0].inertia->about_origin);
  EXPECT_EQ(at(m.links[0].inertia->tensor[3]), 0.1);  // xy
  EXPECT_EQ(m.links[0].inertia->rotation.kind, Rotation::Kind::quaternion);
  EXPECT_EQ(at(m.links[1].joint.axis2), Eigen::Vector3d(0, 1, 1));
  EXPECT_EQ(at(m.links[2].joint.origin.rotation)(0, 1), -1.0);
  const Joint& d = m.links[3].joint;
  ASSERT_TRUE(d.dh.has_value());
  EXPECT_TRUE(d.dh->standard);
  EXPECT_EQ(at(d.dh->theta), 3.0);
  EXPECT_TRUE(d.friction.present);
  EXPECT_EQ(at(d.friction.stribeck->shape), 2.0);
  ASSERT_EQ(d.friction.bearings.size(), 1u);
  EXPECT_EQ(d.friction.bearings[0].kind, Bearing::Kind::journal);
  EXPECT_EQ(at(d.friction.bearings[0].spacing), 0.08);
  EXPECT_TRUE(d.friction.bearings[0].moments);
  EXPECT_EQ(at(d.friction.width), 0.01);
  ASSERT_EQ(d.drive->efficiency->y.size(), 2u);
  EXPECT_EQ(at(d.drive->efficiency->x[1]), 1.0);
  EXPECT_TRUE(d.drive->efficiency->cubic);
  EXPECT_EQ(at(*d.drive->rotor_axis), Eigen::Vector3d(-1, 0, 0));
  EXPECT_EQ(at(*d.limits.stiffness), 50.0);
  EXPECT_EQ(at(*d.limits.damping), 6.0);
  EXPECT_EQ(at(*d.drive->backlash), 0.001);
  EXPECT_EQ(at(d.spring->rest), 0.1);
  EXPECT_EQ(at(d.damper->coefficient), 0.2);
  ASSERT_EQ(m.links[3].visuals.size(), 3u);
  EXPECT_EQ(m.links[3].visuals[0].color, (std::array<double, 4>{1, 0, 0.5, 1}));
  EXPECT_EQ(m.links[3].visuals[1].shape, Visual::Shape::cylinder);
  EXPECT_EQ(at(m.links[3].visuals[2].origin.xyz)[2], 3.0);
  ASSERT_TRUE(m.links[4].joint.mimic.has_value());
  EXPECT_EQ(at(m.links[4].joint.mimic->ratio), 2.0);
  // with loops only what says so is actuated
  for (const Link& link : m.links) EXPECT_EQ(link.joint.actuated, link.name == "g") << link.name;
  ASSERT_EQ(m.loops.size(), 1u);
  EXPECT_EQ(m.loops[0].between, (std::array<std::string, 2>{"h", "world"}));
  EXPECT_EQ(at(m.loops[0].at[1].xyz)[1], 2.0);
  EXPECT_EQ(at(m.loops[0].axis), Eigen::Vector3d(0, 1, 0));
  EXPECT_EQ(m.payloads[0].link, "h");
  EXPECT_EQ(m.home.at("f").size(), 3u);
  EXPECT_EQ(m.base_visuals.size(), 1u);
}

// The parts that docs/format.md shows, put together.
TEST(ReadYaml, ReadsThePartsOfTheDocumentation) {
  const auto indented = [](const std::string& first_words) {
    std::istringstream lines(documented(first_words));
    std::string text;
    for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
    return text;
  };
  const std::string head = "linkwright: 1\nname: parts\nlinks:\n";
  const auto link = [](const std::string& name) {
    return "  - name: " + name +
           "\n    parent: base\n    joint: {type: revolute}\n    inertia: {mass: 1, tensor: [1, 1, 1]}\n";
  };
  const ReadResult result =
      read(head + link("arm") + indented("friction:\n") + indented("drive:\n") + indented("spring: {position") +
           link("pitch") + link("roll") + link("wheel") + documented("couplings:\n") + documented("springs:\n"));
  expect_clean(result);
  ASSERT_TRUE(result.mechanism);
  const Mechanism& m = *result.mechanism;
  const Joint& arm = m.find_link("arm")->joint;
  EXPECT_TRUE(arm.friction.stribeck && arm.drive->backlash && arm.spring->table && arm.damper->table);
  EXPECT_EQ(m.couplings.size(), 1u);
  EXPECT_EQ(m.springs.size(), 2u);
  EXPECT_EQ(m.forces.size(), 3u);
  EXPECT_EQ(m.shafts.size(), 1u);
  EXPECT_EQ(m.parameters.size(), 1u);  // t
}

TEST(ReadYaml, RefusesUnknownKeysWithTheNearestKnownOne) {
  expect_only_error(read(block_link("    inertia: {mass: 1, tensr: [1, 1, 1]}\n")), 7,
                    "tensr:", "did you mean `tensor`?");
  expect_only_error(read(one_link("{type: revolute, axes: z}")), 4, "axes:", "unknown key `axes` in `joint`");
  expect_only_error(read(one_link("{type: revolute}", "gravty: [0, 0, 1]\n")), 5, "gravty:", "did you mean `gravity`?");
  expect_only_error(read(block_link("    limits: {lower: 0}\n")), 7, "limits:", "it belongs under `joint`");
  expect_only_error(read(one_link("{type: revolute, friction: {viscous: 1}}")), 4, "friction:", "next to `joint`");
}

TEST(ReadYaml, SuggestsTheCorrectKeyOfOtherFormats) {
  const ReadResult tensor = read(block_link("    inertia: {mass: 1, ixx: 1, izz: 2}\n"));
  EXPECT_TRUE(has(tensor, Severity::error, 7, "ixx:", "here it is `tensor: {xx: …"));
  EXPECT_TRUE(has(tensor, Severity::error, 7, "izz:", "here it is `tensor: {xx: …"));
  expect_only_error(read(one_link("{type: revolute}", "gravity: -9.81\n")), 5, "-9.81", "as in [0, 0, -9.81]");
  expect_only_error(read(one_link("{type: revolute, origin: {xyz: [max(1, 2), 0, 0]}}")), 4, "[max(1",
                    "a formula with a comma needs quotes");
  expect_only_error(read(one_link("{type: revolute, origin: {xyz: [800 mm, 0, 0]}}")), 4, "mm",
                    "no unit is written: lengths are in metres");
  expect_only_error(read(one_link("{type: revolute, origin: {rpy: [pi/2 rad, 0, 0]}}")), 4, "rad",
                    "no unit is written: angles are in radians");
}

TEST(ReadYaml, AParameterUsesThoseAboveIt) {
  expect_only_error(read(one_link("{type: revolute}", "parameters: {a: 2*b, b: 1}\n")), 5, "b, b",
                    "`b` is not yet defined here");
  expect_only_error(read(one_link("{type: revolute}", "parameters: {a: a + 1}\n")), 5, "a + 1",
                    "`a` is not yet defined here");
}

TEST(ReadYaml, ReportsFilesThatAreNotMechanisms) {
  expect_only_error(read("version: 3\nservices:\n  web: {image: x}\n"), 1, "version", "not a mechanism file");
}

TEST(ReadYaml, ReportsMissingKeys) {
  expect_only_error(read("name: x\nlinks: [{name: a, parent: base, joint: {type: revolute}}]\n"), 1,
                    "name:", "give the version of the format first: `linkwright: 1`");
  expect_only_error(read("linkwright: 1\nlinks: [{name: a, parent: base, joint: {type: revolute}}]\n"), 1,
                    "linkwright:", "has no `name`");
  expect_only_error(read("linkwright: 1\nname: x\n"), 1, "linkwright:", "the file has no `links`");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: []\n"), 3, "[]", "`links` is empty");
  expect_only_error(read("linkwright: 1\nname: x\nlinks:\n"), 3, "links:", "`links` has no value");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: [{parent: base, joint: {type: revolute}}]\n"), 3,
                    "{parent:", "link 1 has no `name`");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: [{name: a, joint: {type: revolute}}]\n"), 3,
                    "{name:", "link `a` has no `parent`");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: [{name: a, parent: base}]\n"), 3,
                    "{name:", "link `a` has no `joint`");
  expect_only_error(read(one_link("{axis: z}")), 4, "{axis:", "`joint` has no `type`");
  expect_only_error(read(block_link("    inertia: {com: [0, 0, 0]}\n")), 7, "{com:", "`inertia` has no `mass`");
  expect_only_error(read(block_link("    spring: {rest: 1}\n")), 7, "{rest:", "`spring` has no `stiffness`");
  expect_only_error(read(block_link("    friction: {bearing: {type: thrust, mu: 1}}\n")), 7,
                    "{type:", "`bearing` has no `radius`");
}

TEST(ReadYaml, RejectsValuesOfTheWrongKind) {
  expect_only_error(read("[1, 2]\n"), 1, "[1, 2]", "the file should be a map, not a list");
  expect_only_error(read("hello\n"), 1, "hello", "the file should be a map, not `hello`");
  expect_only_error(read("linkwright: 2\nname: x\nlinks: [{name: a, parent: base, joint: {type: revolute}}]\n"), 1, "2",
                    "format version `2`");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: {a: 1}\n"), 3, "{a: 1}",
                    "`links` should be a list, not a map");
  expect_only_error(read("linkwright: 1\nname: x\nlinks: [5]\n"), 3, "5", "link 1 should be a map, not `5`");
  expect_only_error(read(one_link("revolute")), 4, "revolute", "`joint` should be a map, not `revolute`");
  expect_only_error(read(one_link("{type: revolut}")), 4, "revolut", "did you mean `revolute`?");
  expect_only_error(read(one_link("{type: revolute, axis: w}")), 4, "w", "not `w`");
  expect_only_error(read(one_link("{type: revolute, axis: [1, 0]}")), 4, "[1, 0]}}",
                    "`axis` should be a list of 3 numbers, not 2");
  expect_only_error(read(one_link("{type: revolute, origin: [0, 0, 0]}")), 4, "[0, 0, 0]",
                    "`origin` should be a map, not a list");
  expect_only_error(read(one_link("{type: revolute, origin: {matrix: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}")), 4,
                    "[1, 2, 3, 4, 5, 6, 7, 8, 9]", "three rows of three");
  expect_only_error(read(one_link("{type: revolute, origin: {rpy: [0, 0, 0], quaternion: [0, 0, 0, 1]}}")), 4,
                    "{rpy:", "more than one rotation");
  expect_only_error(read(one_link("{type: revolute, actuated: yes}")), 4, "yes", "`false` or `true`, not `yes`");
  expect_only_error(read(one_link("{type: fixed, actuated: true}")), 4, "true", "a fixed joint cannot be actuated");
  expect_only_error(read(block_link("    inertia: {mass: [1]}\n")), 7, "[1]}", "`mass` should be a number, not a list");
  expect_only_error(read(block_link("    inertia: 5\n")), 7, "5", "`inertia` should be a map");
  expect_only_error(read(block_link("    inertia: {mass: 1, about: mid}\n")), 7, "mid", "`com` or `origin`, not `mid`");
  expect_only_error(read(block_link("    inertia: {mass: 1, tensor: [[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]}\n")), 7, "0.5",
                    "not symmetric");
  expect_only_error(read(block_link("    visual: {color: [1, 1, 1]}\n")), 7, "{color:", "without a shape");
  expect_only_error(read(block_link("    visual: {sphere: 1, box: [1, 1, 1]}\n")), 7,
                    "{sphere:", "more than one shape");
  expect_only_error(read(block_link("    visual: {sphere: 1, color: [255, 0, 0]}\n")), 7, "255",
                    "must be between 0 and 1");
  expect_only_error(read(one_link("{type: revolute}", "parameters: [1]\n")), 5, "[1]", "`parameters` should be a map");
  expect_only_error(read(one_link("{type: revolute}", "home: 3\n")), 5, "3", "`home` should be a map");
  expect_only_error(read(one_link("{type: revolute}", "payloads: {link: a, mass: 1}\n")), 5,
                    "{link:", "`payloads` should be a list");
}

TEST(ReadYaml, RejectsContradictoryKeys) {
  expect_only_error(read(one_link("{type: revolute, dh: {a: 1}, axis: z}")), 4, "axis:", "`axis` together with `dh`");
  expect_only_error(read(one_link("{type: spherical, dh: {a: 1}}")), 4, "dh:", "cannot use `dh`");
  expect_only_error(read(one_link("{type: spherical, axis: z}")), 4, "axis:", "a spherical joint has no axis");
  expect_only_error(read(one_link("{type: revolute, axis2: z}")), 4, "axis2:", "no second axis");
  expect_only_error(read(one_link("{type: spherical, limits: {lower: 0}}")), 4, "{type:", "cannot have `limits`");
  expect_only_error(read(one_link("{type: revolute}", "payload: {link: a, mass: 1}\npayloads: []\n")), 6,
                    "payloads:", "`payloads` together with `payload`");
  const std::string fixed = "linkwright: 1\nname: x\nlinks:\n  - name: a\n    parent: base\n    joint: {type: fixed}\n";
  expect_only_error(read(fixed + "    friction: {viscous: 1}\n"), 7, "friction:", "`friction` on a fixed joint");
  const std::string ball =
      "linkwright: 1\nname: x\nlinks:\n  - name: a\n    parent: base\n    joint: {type: spherical}\n";
  expect_only_error(read(ball + "    drive: {ratio: 1}\n"), 7, "drive:", "`drive` on a spherical joint");
  expect_only_error(read(block_link("    drive: {efficiency: {load: [0, 1], value: [1]}, rated: 1}\n")), 7,
                    "{load:", "`load` has 2 entries, `value` 1");
  expect_only_error(read(block_link("    drive: {efficiency: {load: [0, 1], value: [0.5, 1]}}\n")), 7,
                    "{load:", "needs `rated`");
}

TEST(ReadYaml, PointsIntoFormulas) {
  expect_only_error(read(block_link("    inertia: {mass: 2*m1}\n")), 7, "m1", "`mass`: unknown name `m1`");
  expect_only_error(read(block_link("    inertia: {mass: \"2*m1\"}\n")), 7, "m1", "unknown name `m1`");
  expect_only_error(read(block_link("    inertia: {mass: &m 2*m1}\n")), 7, "m1", "unknown name `m1`");
  expect_only_error(read(block_link("    inertia: {mass: 1/0}\n")), 7, "0", "division by zero");
  expect_only_error(read(one_link("{type: revolute}", "parameters: {l1: l2, l2: 1}\n")), 5, "l2", "unknown name `l2`");
  expect_only_error(read(one_link("{type: revolute}", "parameters: {sin: 1}\n")), 5, "sin:", "cannot be called `sin`");
  expect_only_error(read(one_link("{type: revolute}", "parameters: {a-b: 1}\n")), 5, "a-b:", "a letter, then letters");
  // a comma inside brackets ends the item: both halves are named, and how to write it
  const ReadResult split = read(one_link("{type: revolute, origin: {xyz: [max(1, 2), 0]}}"));
  EXPECT_TRUE(has(split, Severity::error, 4, ",", "needs quotes"));
  expect_clean(read(one_link("{type: revolute, origin: {xyz: [\"max(1, 2)\", 0, 0]}}")));
}

TEST(ReadYaml, ReportsAllErrorsInTheirOrder) {
  const ReadResult result = read(R"(linkwright: 1
name: many
colour: red
links:
  - {name: a, parent: base, joint: {type: revolut}, inertia: {mass: x}}
  - {name: b, parent: c, joint: {type: revolute, axis: [0, 0, 0]}, inertia: {mass: -1}}
)");
  EXPECT_FALSE(result.mechanism.has_value());
  EXPECT_TRUE(has(result, Severity::error, 3, "colour:", "unknown key `colour`"));
  EXPECT_TRUE(has(result, Severity::error, 5, "revolut", "revolut"));
  EXPECT_TRUE(has(result, Severity::error, 5, "x", "unknown name `x`"));
  EXPECT_TRUE(has(result, Severity::error, 6, "c", "unknown parent `c`"));
  EXPECT_TRUE(has(result, Severity::error, 6, "0", "axis has length zero"));
  EXPECT_TRUE(has(result, Severity::error, 6, "-1", "`-1` is negative"));
  EXPECT_EQ(result.diagnostics.size(), 6u);
  for (std::size_t k = 1; k < result.diagnostics.size(); ++k)
    EXPECT_LE(result.diagnostics[k - 1].where.line, result.diagnostics[k].where.line);
}

// What depends on a thing that could not be read is not a fault of its own.
TEST(ReadYaml, OneMistakeIsOneError) {
  expect_only_error(read(one_link("{type: revolut, limits: {lower: 0}}", "home: {a: 1}\n")), 4, "revolut", "revolute");
  expect_only_error(read(one_link("{type: revolute, origin: {xyz: [p, 0, 0]}}", "parameters: {p: x, q: p}\n")), 5, "x",
                    "unknown name `x`");
  expect_only_error(read("linkwright: 1\nname: x\nlinks:\n  - {nme: a, parent: base, joint: {type: revolute}}\n"
                         "  - {name: b, parent: a, joint: {type: revolute}}\n"
                         "loops: [{name: l, joint: {type: fixed}, between: [a, b]}]\nhome: {a: 1}\n"),
                    4, "nme", "did you mean `name`?");
}

TEST(ReadYaml, LoopsNameTheirLinksAndFrames) {
  const std::string base =
      "linkwright: 1\nname: x\nlinks:\n  - {name: a, parent: base, joint: {type: revolute, actuated: true}}\n"
      "  - {name: b, parent: a, joint: {type: revolute}}\nloops:\n";
  expect_clean(read(base + "  - {name: l, joint: {type: revolute}, between: [b, base], at: {b: {xyz: [1, 0, 0]}}}\n"));
  expect_only_error(read(base + "  - {name: l, joint: {type: revolute}, between: [b]}\n"), 7, "[b]}",
                    "a list of two links");
  expect_only_error(read(base + "  - {name: l, joint: {type: revolute}, between: [b, base], at: {c: {}}}\n"), 7,
                    "c:", "unknown key `c` in `at`");
  expect_only_error(read(base + "  - {name: l, joint: {type: revolute, origin: {}}, between: [b, base]}\n"), 7,
                    "origin:", "are given under `at`");
  expect_only_error(read(base + "  - {joint: {type: revolute}, between: [b, base]}\n"), 7,
                    "{joint:", "loop 1 has no `name`");
}

TEST(ReadYaml, KeepsTheNumberOfDiagnosticsReadable) {
  std::string text = "linkwright: 1\nname: x\nlinks:\n";
  for (int k = 0; k < 500; ++k)
    text += "  - {name: a" + std::to_string(k) + ", parent: base, joint: {type: nothing}}\n";
  const ReadResult result = read(text);
  EXPECT_EQ(result.diagnostics.size(), 101u);
  EXPECT_EQ(result.diagnostics.back().message, "400 more like these are not shown");
  EXPECT_FALSE(result.mechanism.has_value());
}

}  // namespace read_yaml_test
}  // namespace lw
