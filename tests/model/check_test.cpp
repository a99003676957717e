#include "model/check/check.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <Eigen/Eigenvalues>

#include "expect_diagnostic.hpp"
#include "model/check/inertia_check.hpp"

namespace lw {
namespace check_test {

// Links, one a line from line 4 on, and what follows them.
ReadResult with_links(const std::string& links, const std::string& more = "", bool allow_unphysical = false) {
  return read_text("linkwright: 1\nname: x\nlinks:\n" + links + more, "f.yaml",
                   {.floating_base = false, .allow_unphysical = allow_unphysical});
}
std::string link(const std::string& name, const std::string& parent, const std::string& joint = "type: revolute",
                 const std::string& more = "") {
  return "  - {name: " + name + ", parent: " + parent + ", joint: {" + joint + "}" + (more.empty() ? "" : ", " + more) +
         "}\n";
}
ReadResult with_inertia(const std::string& inertia, bool allow_unphysical = false) {
  return with_links("  - name: a\n    parent: base\n    joint: {type: revolute}\n    inertia: {" + inertia + "}\n", "",
                    allow_unphysical);
}

TEST(Check, NamesAreUnique) {
  expect_only_error(with_links(link("a", "base") + link("a", "base")), 5, "a",
                    "duplicate link `a`; first defined in line 4");
  expect_only_error(
      with_links(link("a", "base", "type: revolute, name: j") + link("b", "base", "type: revolute, name: j")), 5, "j",
      "duplicate joint `j`");
  expect_only_error(with_links(link("base", "base")), 4, "base", "the same name as the base");
  expect_only_error(with_links(link("'a,b'", "base")), 4, "'a", "contains a comma");
  expect_only_error(with_links(link("''", "base")), 4, "''", "`name` is empty");
}

TEST(Check, ParentsExistAndFormATree) {
  expect_only_error(with_links(link("upper", "base") + link("b", "uper")), 5, "uper", "did you mean `upper`?");
  expect_only_error(with_links(link("a", "a")), 4, "a", "its own parent");
  expect_only_error(with_links(link("a", "c") + link("b", "a") + link("c", "b")), 4, "c",
                    "`a`, `c`, `b` form a cycle of parents");
  // one circle is one error, however many links hang on it
  expect_only_error(with_links(link("a", "b") + link("b", "a") + link("c", "a") + link("d", "c")), 4, "b",
                    "form a cycle");
  expect_clean(with_links(link("a", "b") + link("b", "c") + link("c", "base")));
}

TEST(Check, MimicJointsFollowOneCoordinate) {
  const std::string leader = link("a", "base");
  const auto follow = [](const std::string& name) { return "type: revolute, mimic: {joint: " + name + "}"; };
  expect_clean(with_links(leader + link("b", "a", follow("a"))));
  expect_only_error(with_links(leader + link("b", "a", follow("aa"))), 5, "aa",
                    "joint `b` mimics an unknown joint `aa`");
  expect_only_error(with_links(leader + link("b", "a", follow("b"))), 5, "b", "mimics itself");
  expect_only_error(with_links(leader + link("b", "a", follow("a")) + link("c", "a", follow("b"))), 6, "b",
                    "follow `a` directly");
  expect_only_error(with_links(link("a", "base", "type: spherical") + link("b", "a", follow("a"))), 5, "a",
                    "the spherical joint `a` cannot be mimicked");
  expect_only_error(with_links(leader + link("b", "a", "type: planar, mimic: {joint: a}")), 5, "a",
                    "a planar joint cannot mimic");
}

TEST(Check, AxesAreNonzero) {
  expect_only_error(with_links(link("a", "base", "type: revolute, axis: [0, 0, 0]")), 4, "0, 0, 0]",
                    "joint `a`: the axis has length zero");
  expect_only_error(with_links(link("a", "base", "type: revolute, axis: [p, 0, 0]"), "parameters: {p: 0}\n"), 4, "p",
                    "length zero");
  expect_only_error(with_links(link("a", "base", "type: universal, axis: x, axis2: [2, 0, 1e-9]")), 4, "2",
                    "its two axes are parallel");
  expect_only_error(with_links(link("a", "base", "type: universal, axis: y")), 4,
                    "{type:", "parallel");  // the default axis2 is y
  expect_clean(with_links(link("a", "base", "type: universal, axis: z")));
}

TEST(Check, RotationsAreRotations) {
  const auto origin = [](const std::string& rotation) {
    return with_links(link("a", "base", "type: revolute, origin: {" + rotation + "}"));
  };
  expect_only_error(origin("quaternion: [0, 0, 0, 1.1]"), 4, "0, 0, 0, 1.1]",
                    "length 1.1 instead of 1 (deviation 0.1)");
  expect_only_error(origin("quaternion: [0, 0, 0, 0]"), 4, "0, 0, 0, 0]", "[0, 0, 0, 1]");
  expect_only_error(origin("quaternion: [1, 1, 0, 0]"), 4, "1, 1, 0, 0]",
                    "normalised: [0.707106781187, 0.707106781187, 0, 0]");
  expect_clean(origin("quaternion: [0, 0, 0.7071068, 0.7071068]"));  // seven digits: off by 3e-8
  expect_only_error(origin("matrix: [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]"), 4, "1, 0.1", "RᵀR deviates by 0.1");
  expect_only_error(origin("matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"), 4, "1, 0, 0]", "a reflection");
  expect_clean(origin("matrix: [[0.8660254, -0.5, 0], [0.5, 0.8660254, 0], [0, 0, 1]]"));
}

TEST(Check, LowerLimitsAreBelowUpperLimits) {
  const auto limits = [](const std::string& text) {
    return with_links(link("a", "base", "type: revolute, limits: {" + text + "}"));
  };
  expect_clean(limits("lower: -1, upper: 1"));
  expect_clean(limits("lower: 1, upper: 1"));
  expect_only_error(limits("lower: 2, upper: 90 deg"), 4, "2", "the lower limit `2` is above the upper limit `90 deg`");
  expect_only_error(limits("velocity: -1"), 4, "-1", "the velocity limit `-1` is negative");
  expect_only_error(limits("effort: -1"), 4, "-1", "the effort limit `-1` is negative");
}

TEST(Check, LoopsJoinTwoLinks) {
  const std::string links = link("a", "base", "type: revolute, actuated: true") + link("b", "a");
  const auto loop = [&](const std::string& text) { return with_links(links, "loops:\n  - {name: l, " + text + "}\n"); };
  expect_clean(loop("joint: {type: spherical}, between: [b, base]"));
  expect_only_error(loop("joint: {type: revolute}, between: [b, c]"), 7, "c", "unknown link `c`");
  expect_only_error(loop("joint: {type: revolute}, between: [b, b]"), 7, "b", "connects `b` to itself");
  expect_only_error(loop("joint: {type: floating}, between: [b, base]"), 7, "{name:", "cannot close a loop");
  expect_only_error(loop("joint: {type: revolute, axis: [0, 0, 0]}, between: [b, base]"), 7, "0",
                    "loop `l`: the axis has length zero");
  expect_only_error(with_links(links,
                               "loops:\n  - {name: l, joint: {type: spherical}, between: [a, base]}\n"
                               "  - {name: l, joint: {type: spherical}, between: [b, base]}\n"),
                    8, "{name:", "duplicate loop `l`");
  const ReadResult undriven = with_links(link("a", "base") + link("b", "a"),
                                         "loops: [{name: l, joint: {type: spherical}, between: [b, base]}]\n");
  EXPECT_TRUE(undriven.mechanism.has_value());
  EXPECT_TRUE(has(undriven, Severity::warning, 6, "{name:", "no actuated joint"));
}

TEST(Check, HomeFitsTheJoints) {
  const std::string links = link("a", "base") + link("b", "a", "type: spherical") + link("c", "a", "type: fixed") +
                            link("d", "a", "type: revolute, mimic: {joint: a}");
  const auto home = [&](const std::string& text) { return with_links(links, "home: {" + text + "}\n"); };
  expect_clean(home("a: 1, b: [0, 0, 1, 0]"));
  expect_only_error(home("aa: 1"), 8, "aa:", "`home` of an unknown joint `aa`");
  expect_only_error(home("b: 1"), 8, "b:", "the spherical joint `b` has 4 coordinates, not 1");
  expect_only_error(home("a: [1, 2]"), 8, "a:", "the revolute joint `a` has 1 coordinate, not 2");
  expect_only_error(home("c: 1"), 8, "c:", "the fixed joint `c` has no coordinate");
  expect_only_error(home("d: 1"), 8, "d:", "the mimic joint `d` has no coordinate");
  expect_only_error(home("b: [0, 0, 2, 0]"), 8, "0, 0, 2, 0]", "the quaternion has length 2");
}

TEST(Check, AnglesOfManyTurnsLookLikeDegrees) {
  const auto warned = [](const std::string& joint, const std::string& more, int line, const std::string& at) {
    const ReadResult result = with_links(link("a", "base", joint), more);
    EXPECT_TRUE(has(result, Severity::warning, line, at, "probably degrees were meant"));
    EXPECT_TRUE(has(result, Severity::warning, line, at, "write `"));
  };
  warned("type: revolute, origin: {rpy: [0, 90, 0]}", "", 4, "90, 0]");
  warned("type: revolute, dh: {alpha: -90}", "", 4, "-90}");
  warned("type: revolute, dh: {theta: 180}", "", 4, "180}");
  warned("type: revolute", "home: {a: 45}\n", 5, "45}");
  EXPECT_TRUE(has(with_links(link("a", "base", "type: fixed, origin: {rpy: [0, 90, 0]}")), Severity::warning, 4, "90",
                  "the angle 90 rad is 14 turns; probably degrees were meant"));
  expect_clean(
      with_links(link("a", "base", "type: revolute, origin: {rpy: [2*pi, -6.28, 720 deg]}"), "home: {a: -3}\n"));
  expect_clean(with_links(link("a", "base", "type: prismatic"), "home: {a: 45}\n"));
}

TEST(Check, APrismaticJointHasNoDegrees) {
  expect_only_error(with_links(link("a", "base", "type: prismatic"), "home: {a: 45 deg}\n"), 5, "45 deg",
                    "joint `a` is prismatic: `45 deg` is not a length");
  expect_only_error(with_links(link("a", "base", "type: prismatic, limits: {upper: 90 deg}")), 4, "90 deg",
                    "its coordinate is in metres");
  expect_clean(with_links(link("a", "base", "type: prismatic"), "home: {a: 0.1*sin(45 deg)}\n"));
}

TEST(Check, PayloadsAreAttachedToLinks) {
  expect_only_error(with_links(link("hand", "base"), "payload: {link: hnd, mass: 1}\n"), 5, "hnd",
                    "did you mean `hand`?");
  EXPECT_TRUE(has(with_links(link("hand", "base"), "payload: {link: base, mass: 1}\n"), Severity::warning, 5, "base",
                  "no effect"));
  expect_only_error(with_links(link("hand", "base"), "payload: {link: hand, mass: -1}\n"), 5, "-1",
                    "payload on `hand`: the mass `-1` is negative");
}

TEST(Check, MassesArePositive) {
  expect_clean(with_inertia("mass: 1"));
  const ReadResult frame = with_inertia("mass: 0");
  EXPECT_TRUE(frame.mechanism.has_value());
  EXPECT_TRUE(has(frame, Severity::note, 7, "0", "a massless frame"));
  expect_only_error(with_inertia("mass: -2.5"), 7, "-2.5", "link `a`: the mass `-2.5` is negative");
  expect_only_error(with_inertia("mass: 0, tensor: [1, 1, 1]"), 7, "0", "the mass is 0, but the inertia tensor is not");
  const ReadResult allowed = with_inertia("mass: -2.5", true);
  EXPECT_TRUE(allowed.mechanism.has_value());
  EXPECT_TRUE(has(allowed, Severity::warning, 7, "-2.5", "`-2.5` is negative"));
}

TEST(Check, InertiasBelongToBodies) {
  expect_clean(with_inertia("mass: 1, tensor: [0.1, 0.1, 0.2]"));  // a plate
  expect_clean(with_inertia("mass: 1, tensor: [0.1, 0.1, 0]"));    // a rod
  expect_clean(with_inertia("mass: 1, tensor: [0, 0, 0]"));        // a point
  // 0.1 + 0.1 < 0.5: the nearest point of the face a + b = c is reached along (1, 1, -1)/3 by 0.3
  expect_only_error(with_inertia("mass: 1, tensor: [0.1, 0.1, 0.5]"), 7, "0.1",
                    "principal moments 0.1, 0.1, 0.5, but 0.1 + 0.1 < 0.5");
  expect_only_error(with_inertia("mass: 1, tensor: [0.1, 0.1, 0.5]"), 7, "0.1",
                    "{xx: 0.2, yy: 0.2, zz: 0.4, xy: 0, xz: 0, yz: 0}");
  // eigenvalues of [[1, 2], [2, 1]] are -1 and 3
  expect_only_error(with_inertia("mass: 1, tensor: {xx: 1, yy: 1, zz: 3, xy: 2}"), 7, "1", "-1 is negative");
  const ReadResult allowed = with_inertia("mass: 1, tensor: [0.1, 0.1, 0.5]", true);
  EXPECT_TRUE(allowed.mechanism.has_value());
  EXPECT_TRUE(has(allowed, Severity::warning, 7, "0.1", "unphysical inertia"));
}

// About the origin the tensor contains m (c² 1 - c cᵀ): here 2 · 0.25 = 0.5 about y and z.
TEST(Check, InertiaAboutTheOriginIsJudgedAboutTheCentreOfMass) {
  expect_clean(with_inertia("mass: 2, com: [0.5, 0, 0], tensor: [0.1, 0.6, 0.6], about: origin"));
  expect_only_error(with_inertia("mass: 2, com: [0.5, 0, 0], tensor: [0.1, 0.1, 0.1], about: origin"), 7, "0.1",
                    "about the centre of mass");
  // turned by 90° about z, the written y axis is the link's -x axis
  expect_clean(with_inertia("mass: 2, com: [0.5, 0, 0], tensor: [0.6, 0.1, 0.6], about: origin, rpy: [0, 0, 90 deg]"));
}

// A joint with what stands in line 7; the faulty number and the message.
struct Fault {
  const char *text, *at, *words;
};
void expect_faults(const std::string& joint, const std::vector<Fault>& faults) {
  for (const Fault& f : faults) {
    SCOPED_TRACE(f.text);
    expect_only_error(with_links("  - name: a\n    parent: base\n    joint: {" + joint + "}\n    " + f.text + "\n"), 7,
                      f.at, f.words);
  }
}

TEST(Check, FrictionHasTheRightSign) {
  expect_faults(
      "type: revolute",
      {{"friction: {viscous: -1}", "-1", "`viscous` is `-1`, which is negative"},
       {"friction: {coulomb: -1}", "-1", "`coulomb` is `-1`, which is negative"},
       {"friction: {coulomb: 1, width: -1}", "-1", "`width` is `-1`, which is negative"},
       {"friction: {stribeck: {static: -1, velocity: 1}}", "-1", "`static` is `-1`, which is negative"},
       {"friction: {stribeck: {static: 1, velocity: 0}}", "0", "`velocity` is `0`, which is not positive"},
       {"friction: {stribeck: {static: 1, velocity: 1, shape: 0}}", "0", "`shape` is `0`, which is not positive"},
       {"friction: {bearing: {type: journal, mu: -0.1, radius: 1, spacing: 1}}", "-0.1",
        "`mu` is `-0.1`, which is negative"},
       {"friction: {bearing: {type: journal, mu: 0.1, radius: -1, spacing: 1}}", "-1",
        "`radius` is `-1`, which is negative"},
       {"friction: {bearing: {type: journal, mu: 0.1, radius: 1, spacing: 0}}", "0",
        "`spacing` is `0`, which is not positive"},
       {"damper: -1", "-1", "`damper` is `-1`"},
       {"damper: {velocity: [0, 2, 1], torque: [0, 1, 2]}", "1]", "`velocity` does not increase at `1`"},
       {"damper: {velocity: [-1, 0, 1], torque: [1, 0, 1]}", "1, 0, 1]", "does not dissipate energy"},
       {"damper: {velocity: [0, 1], torque: [0.1, 1]}", "0.1", "at velocity 0 does not dissipate energy"}});
}

TEST(Check, BearingsFitTheirJointAndDefineTheirLoads) {
  const char* journal = "friction: {bearing: {type: journal, mu: 0.1, radius: 0.1}}";
  expect_faults(
      "type: revolute",
      {{journal, "{type:", "`bearing` has no `spacing`"},
       {journal, "{type:", "`moments: false` neglects them"},
       {"friction: {bearing: {type: journal, mu: 0.1, spacing: 1}}", "{type:", "`bearing` has no `radius`"},
       {"friction: {bearing: {type: thrust, mu: 0.1}}", "{type:", "`bearing` has no `radius`"},
       {"friction: {bearing: {type: thrust, mu: 0.1, radius: 1, spacing: 1}}", "spacing:", "has no `spacing`"},
       {"friction: {bearing: {type: thrust, mu: 0.1, radius: 1, moments: true}}",
        "moments:", "only allowed for a journal"},
       {"friction: {bearing: {type: linear, mu: 0.1, spacing: 1}}", "linear", "a linear bearing on a revolute joint"},
       {"friction: {bearing: {type: roller, mu: 0.1}}", "roller", "`journal`, `linear` or `thrust`, not `roller`"}});
  expect_faults(
      "type: prismatic",
      {{"friction: {bearing: {type: linear, mu: 0.1}}", "{type:", "the distance of the two guides"},
       {"friction: {bearing: {type: linear, mu: 0.1, radius: 1, spacing: 1}}", "radius:", "does not depend on"},
       {"friction: {bearing: {type: journal, mu: 0.1, radius: 1, spacing: 1}}", "radius:", "does not depend on"},
       {"friction: {bearing: {type: thrust, mu: 0.1, radius: 1}}", "thrust", "a thrust bearing on a prismatic joint"}});
  expect_faults("type: planar", {{"friction: {bearing: {type: journal, mu: 0.1, radius: 1, spacing: 1}}", "journal",
                                  "only revolute and prismatic joints have bearings"}});
  expect_clean(with_links(link("a", "base", "type: revolute",
                               "friction: {bearing: [{type: journal, mu: 0.1, radius: 0.1, moments: false}, "
                               "{type: thrust, mu: 0.1, radius: 0.1}]}") +
                          link("b", "a", "type: prismatic",
                               "friction: {width: 0.01, bearing: [{type: journal, mu: 0.1, spacing: 0.2}, "
                               "{type: linear, mu: 0.1, spacing: 0.2}]}")));
}

TEST(Check, DrivesSpringsAndStopsHaveTheRightSign) {
  expect_faults(
      "type: revolute",
      {{"drive: {ratio: 0}", "0", "`ratio` is 0"},
       {"drive: {rotor_inertia: -1}", "-1", "`rotor_inertia` is `-1`"},
       {"drive: {breakaway: -1}", "-1", "`breakaway` is `-1`"},
       {"drive: {rated: 0}", "0", "`rated` is `0`, which is not positive"},
       {"drive: {peak: 0}", "0", "`peak` is `0`, which is not positive"},
       {"drive: {stiffness: 0}", "0", "`stiffness` is `0`, which is not positive"},
       {"drive: {stiffness: 1, damping: -1}", "-1", "`damping` is `-1`"},
       {"drive: {stiffness: 1, backlash: -1}", "-1", "`backlash` is `-1`"},
       {"drive: {backlash: 0.1}", "backlash:", "without `stiffness`"},
       {"drive: {rotor_inertia: 1, rotor_axis: [0, 0, 0]}", "0, 0, 0]", "the rotor axis has length zero"},
       {"drive: {efficiency: 80}", "80", "percent? write 0.8"},
       {"drive: {efficiency: 0}", "0", "the efficiency `0` is not between 0 and 1"},
       {"drive: {efficiency: 1.01}", "1.01", "the efficiency `1.01` is not between 0 and 1"},
       {"drive: {rated: 1, efficiency: {load: [0, 1], value: [0.5, -0.1]}}", "-0.1", "is not between 0 and 1"},
       {"drive: {rated: 1, efficiency: {load: [0, 1, 0.5], value: [0.1, 0.2, 0.3]}}", "0.5",
        "`load` does not increase at `0.5`"},
       {"drive: {rated: 1, efficiency: {load: [-1, 1], value: [0.1, 0.2]}}", "-1", "`load` is `-1`, which is negative"},
       {"drive: {rated: 1, efficiency: {load: [], value: []}}", "{load:", "the table of `efficiency` is empty"},
       {"drive: {rated: 1, efficiency: {load: [0, 1], value: [0.1, 0.2], interpolation: spline}}", "spline",
        "`linear` or `cubic`, not `spline`"},
       // 0.1/0.2 = 0.5 of the rated torque, then 0.2/0.9 = 0.22; driven 0.5 × 0.9 = 0.45, then 1 × 0.4 = 0.4
       {"drive: {rated: 1, efficiency: {load: [0.1, 0.2, 1], value: [0.2, 0.9, 0.95]}}", "0.9",
        "the efficiency rises too fast from 0.2 at load 0.1 to 0.9 at 0.2"},
       {"drive: {rated: 1, efficiency: {load: [0.1, 0.2, 1], value: [0.2, 0.9, 0.95]}}", "0.9",
        "(0.5, then 0.2222 of the rated"},
       {"drive: {rated: 1, efficiency: {load: [0.5, 1], value: [0.9, 0.4]}}", "0.4",
        "the efficiency falls too fast from 0.9 at load 0.5 to 0.4 at 1"},
       {"drive: {rated: 1, efficiency: {load: [0.5, 1], value: [0.9, 0.4], interpolation: cubic}}", "0.4",
        "would not rise with the load (0.45, then 0.4 of the rated torque)"},
       // from 0.5 to 1 the input rises, 1 to 1.11, but not where the cubic is steepest: η′ = 1.2, η = 0.7 at 0.75
       {"drive: {rated: 1, efficiency: {load: [0.1, 0.5, 1, 2], value: [0.5, 0.5, 0.9, 0.9], interpolation: cubic}}",
        "0.9, 0.9]", "rises too fast from 0.5 at load 0.5 to 0.9 at 1"},
       {"spring: {position: [0, 0], torque: [1, 2]}", "0], torque", "`position` does not increase at `0`"},
       {"spring: {position: [0, 1], torque: [1, 2], stiffness: 3}",
        "stiffness:", "`stiffness` together with a table of `torque`"},
       {"spring: {stiffness: 3, interpolation: cubic}", "interpolation:", "`interpolation` without a table"}});
  expect_clean(
      with_links(link("a", "base", "type: revolute",
                      "drive: {rated: 1, efficiency: {load: [0.1, 0.5, 1, 2], value: [0.5, 0.5, 0.9, 0.9]}}")));
  const auto hardly = [](const std::string& entry, const char* at, const char* what) {
    EXPECT_TRUE(has(with_links(link("a", "base", "type: revolute", entry)), Severity::warning, 4, at, what)) << entry;
  };
  hardly("drive: {rated: 10, peak: 5}", "5", "`peak` is `5`, below `rated` (10)");
  hardly("friction: {coulomb: 2, stribeck: {static: 1, velocity: 0.1}}", "1", "`static` is `1`, below `coulomb` (2)");
  const auto stops = [](const std::string& limits) {
    return with_links(link("a", "base", "type: revolute, limits: {" + limits + "}"));
  };
  expect_clean(stops("upper: 1, stiffness: 100, damping: 1"));
  expect_only_error(stops("velocity: 1, stiffness: 100"), 4, "stiffness:", "stops without limits");
  expect_only_error(stops("upper: 1, damping: 1"), 4, "damping:", "without `stiffness`");
  expect_only_error(stops("upper: 1, stiffness: 0"), 4, "0", "`stiffness` is `0`, which is not positive");
  expect_only_error(stops("upper: 1, stiffness: 1, damping: -1"), 4, "-1", "`damping` is `-1`");
}

// Items in line 8 and on, below three joints and a fourth that follows the first.
ReadResult with_elements(const std::string& items) {
  return with_links(link("a", "base") + link("b", "a") + link("c", "b", "type: prismatic") +
                        link("d", "c", "type: revolute, mimic: {joint: a}"),
                    items);
}

TEST(Check, CouplingsAreSquareAndMoveEveryJoint) {
  const auto coupling = [](const std::string& joints, const std::string& matrix, const std::string& motors) {
    return with_elements("couplings:\n  - {name: w, joints: [" + joints + "], matrix: " + matrix + ", motors: [" +
                         motors + "]}\n");
  };
  const std::string two = "{name: m}, {name: n}", plain = "[[1, 1], [1, -1]]";
  expect_clean(
      coupling("a, b", plain, "{name: m, ratio: 50, rotor_inertia: 1e-5}, {name: n, rated: 2, efficiency: 0.9}"));
  expect_only_error(coupling("a, b", "[[1, 2], [2, 4]]", two), 9, "1, 2]", "is singular (rank 1 of 2)");
  expect_only_error(coupling("a, b", "[[1, 2]]", two), 9, "[[1", "`matrix` has 1 row for 2 motors");
  expect_only_error(coupling("a, b", "[[1, 2], [1]]", two), 9, "[1]", "a list of 2 numbers, not 1");
  expect_only_error(coupling("a, b", "[[1, 2]]", "{name: m}"), 9, "[{name: m", "1 motor for 2 joints");
  expect_only_error(coupling("", "[]", ""), 9, "[]", "`joints` is empty");
  expect_only_error(coupling("a, bb", plain, two), 9, "bb", "unknown joint `bb`");
  expect_only_error(coupling("a, d", plain, two), 9, "d", "the mimic joint `d` in a coupling");
  expect_only_error(coupling("a, a", plain, two), 9, "a]", "is in two couplings");
  expect_only_error(coupling("a, b", plain, "{name: m}, {name: m}"), 9, "{name: m}]", "duplicate motor `m`");
  expect_only_error(coupling("a, b", plain, "{name: m}, {name: n, stiffness: 3}"), 9,
                    "stiffness:", "coupled drives are rigid");
  expect_only_error(coupling("a, b", plain, "{name: m}, {name: n, efficiency: 2}"), 9, "2",
                    "motor `n`: the efficiency `2`");
  expect_only_error(with_links(link("a", "base", "type: revolute", "drive: {ratio: 3}"),
                               "couplings: [{name: w, joints: [a], matrix: [[1]], motors: [{name: m}]}]\n"),
                    5, "a]", "has a `drive` of its own");
}

TEST(Check, SpringsForcesAndShaftsActOnExistingParts) {
  const auto spring = [](const std::string& text) { return with_elements("springs:\n  - {name: s, " + text + "}\n"); };
  expect_clean(spring("between: [base, b], at: {b: [1, 0, 0]}, stiffness: 3, rest: 0.1, damping: 1"));
  expect_clean(spring("between: [a, b], length: [0.1, 0.2], tension: [0, 5], interpolation: cubic"));
  expect_clean(spring("between: [a, b], damping: 5"));
  expect_only_error(spring("between: [a, b]"), 9, "{name:", "spring `s` has no `stiffness`");
  expect_only_error(spring("between: [a], stiffness: 1"), 9, "[a]", "a list of two links");
  expect_only_error(spring("between: [a, x], stiffness: 1"), 9, "x", "unknown link `x`");
  expect_only_error(spring("between: [a, a], stiffness: 1"), 9, "a]", "the spring connects `a` to itself");
  expect_only_error(spring("between: [a, b], stiffness: -1"), 9, "-1", "spring `s`: `stiffness` is `-1`");
  expect_only_error(spring("between: [a, b], stiffness: 1, rest: -1"), 9, "-1", "`rest` is `-1`");
  expect_only_error(spring("between: [a, b], damping: -1"), 9, "-1", "`damping` is `-1`");
  expect_only_error(spring("between: [a, b], length: [2, 1], tension: [0, 5]"), 9, "1]",
                    "`length` does not increase at `1`");
  expect_only_error(spring("between: [a, b], length: [-2, 1], tension: [0, 5]"), 9, "-2", "`length` is `-2`");
  expect_only_error(spring("between: [a, b], length: [2, 1]"), 9, "{name:", "spring `s` has no `tension`");

  const auto force = [](const std::string& text) { return with_elements("forces:\n  - {" + text + "}\n"); };
  expect_clean(force("link: b, at: [1, 0, 0], force: [0, 0, 5], moment: [1, 0, 0], in: link"));
  expect_only_error(force("link: x, force: [0, 0, 5]"), 9, "x", "unknown link `x`");
  expect_only_error(force("link: b"), 9, "{link:", "neither `force` nor `moment` is given");
  expect_only_error(force("link: b, force: [1, 2]"), 9, "[1, 2]", "a list of 3 numbers, not 2");
  expect_only_error(force("link: b, force: [1, 2, 3], in: base"), 9, "base", "`world` or `link`, not `base`");
  expect_only_error(force("link: b, time: [0, 1], values: [[1, 2, 3, 4, 5, 6]]"), 9,
                    "{link:", "`time` has 2 entries, `values` 1");
  expect_only_error(force("link: b, time: [0], values: [[1, 2, 3]]"), 9, "[1, 2, 3]", "a list of 6 numbers, not 3");
  expect_only_error(force("link: b, time: [], values: []"), 9, "{link:", "the table over time is empty");
  expect_only_error(force("link: b, time: [0], values: [[1, 2, 3, 4, 5, 6]], force: [0, 0, 1]"), 9,
                    "force:", "`force` together with a table over time");
  expect_only_error(force("link: b, time: [1, 1], values: [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]]"), 9, "1], values",
                    "force on `b`: `time` does not increase");
  EXPECT_TRUE(has(force("link: base, force: [0, 0, 5]"), Severity::warning, 9, "base", "no effect"));

  const auto shaft = [](const std::string& text) { return with_elements("shafts:\n  - {name: s, " + text + "}\n"); };
  expect_clean(shaft("between: [a, b], stiffness: 3, damping: 1, backlash: 0.01"));
  expect_only_error(shaft("between: [a, b]"), 9, "{name:", "shaft `s` has no `stiffness`");
  expect_only_error(shaft("between: [a, x], stiffness: 3"), 9, "x", "unknown joint `x`");
  expect_only_error(shaft("between: [a, d], stiffness: 3"), 9, "d", "the mimic joint `d` in a shaft");
  expect_only_error(shaft("between: [a, a], stiffness: 3"), 9, "a]", "the shaft connects `a` to itself");
  expect_only_error(shaft("between: [a, c], stiffness: 3"), 9, "c]", "both turn or both slide");
  expect_only_error(shaft("between: [a, b], stiffness: 0"), 9, "0", "which is not positive");
  expect_only_error(shaft("between: [a, b], stiffness: 1, backlash: -1"), 9, "-1", "`backlash` is `-1`");
  expect_only_error(shaft("between: [a, b], stiffness: 1, damping: -1"), 9, "-1", "`damping` is `-1`");
  expect_only_error(with_elements("shafts:\n  - {name: s, between: [a, b], stiffness: 3}\n"
                                  "  - {name: s, between: [b, a], stiffness: 3}\n"),
                    10, "{name:", "duplicate shaft `s`");
}

TEST(Check, FrictionOfAMimicJointIsNotedAsIgnored) {
  const ReadResult result =
      with_links(link("a", "base") + link("b", "a", "type: revolute, mimic: {joint: a}", "friction: {viscous: 1}"));
  EXPECT_TRUE(result.mechanism.has_value());
  EXPECT_TRUE(has(result, Severity::note, 5, "{type:", "joint `b` is a mimic joint and has no losses of its own"));
}

TEST(Check, FormulasAreFiniteAtTheParametersGiven) {
  expect_only_error(
      with_links(link("a", "base", "type: revolute, origin: {xyz: [sqrt(p), 0, 0]}"), "parameters: {p: -1}\n"), 4,
      "sqrt", "`sqrt(p)` has no finite value for the given parameters");
  expect_only_error(
      with_links(link("a", "base", "type: revolute, origin: {xyz: [q, 0, 0]}"), "parameters: {p: 0, q: 1/p}\n"), 5, "1",
      "`1/p` has no finite value");
}

TEST(Check, MillimetresForMetresAreAWarning) {
  std::string links =
      link("l1", "base", "type: revolute", "inertia: {mass: 1, com: [0.2, 0, 0], tensor: [0.001, 0.01, 0.01]}");
  for (int k = 2; k < 6; ++k) {
    links += link("l" + std::to_string(k), "l" + std::to_string(k - 1), "type: revolute, origin: {xyz: [0.4, 0, 0]}",
                  "inertia: {mass: 1, com: [0.2, 0, 0], tensor: [0.001, 0.01, 0.01]}");
  }
  expect_clean(with_links(links));
  const ReadResult length = with_links(links + link("l6", "l5", "type: revolute, origin: {xyz: [400, 0, 0]}"));
  EXPECT_TRUE(length.mechanism.has_value());
  EXPECT_TRUE(has(length, Severity::warning, 9, "400", "probably millimetres were written as metres"));
  EXPECT_EQ(length.diagnostics.size(), 1u);
  const ReadResult com = with_links(links + link("l6", "l5", "type: revolute", "inertia: {mass: 1, com: [0, 200, 0]}"));
  EXPECT_TRUE(has(com, Severity::warning, 9, "0", "the centre of mass of link `l6` is 200 m"));
  const ReadResult tensor =
      with_links(links + link("l6", "l5", "type: revolute", "inertia: {mass: 1, tensor: [10000, 10000, 10000]}"));
  EXPECT_TRUE(has(tensor, Severity::warning, 9, "10000", "the radius of gyration of link `l6` is 100 m"));
  // a file in millimetres throughout
  const ReadResult all = with_links(link("a", "base", "type: revolute, origin: {xyz: [300, 0, 0]}") +
                                    link("b", "a", "type: revolute, origin: {xyz: [250, 0, 0]}"));
  EXPECT_TRUE(has(all, Severity::warning, 1, "linkwright:", "half of the lengths are 250 m or more"));
}

// The projection is right if it lies in the cone and every other point of the cone lies farther away.
RC_GTEST_PROP(InertiaCheck, ProjectionIsTheNearestPointOfTheCone, ()) {
  const auto number = [] { return *rc::gen::inRange(-1000, 1000) / 100.0; };
  const Eigen::Vector3d moments(number(), number(), number());
  const Eigen::Vector3d near = nearest_moments(moments);
  for (int k = 0; k < 3; ++k) RC_ASSERT(near[k] + near[(k + 1) % 3] >= near[(k + 2) % 3] - 1e-12);
  const auto second = [] { return *rc::gen::inRange(0, 2000) / 100.0; };
  const double x = second(), y = second(), z = second();
  const Eigen::Vector3d other(y + z, x + z, x + y);
  RC_ASSERT((near - moments).norm() <= (other - moments).norm() + 1e-12);
}

RC_GTEST_PROP(InertiaCheck, TensorsOfPointMassesArePossible, ()) {
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();
  const int points = *rc::gen::inRange(1, 8);
  for (int k = 0; k < points; ++k) {
    const auto number = [] { return *rc::gen::inRange(-1000, 1000) / 100.0; };
    const Eigen::Vector3d p(number(), number(), number());
    const double mass = *rc::gen::inRange(1, 100) / 10.0;
    tensor += mass * (p.squaredNorm() * Eigen::Matrix3d::Identity() - p * p.transpose());
  }
  RC_ASSERT(judge_inertia(tensor).possible);
}

// What the message offers must itself be accepted.
RC_GTEST_PROP(InertiaCheck, TheNearestTensorIsPossible, ()) {
  Eigen::Matrix3d tensor;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) tensor(i, j) = tensor(j, i) = *rc::gen::inRange(-1000, 1000) / 100.0;
  }
  const InertiaVerdict verdict = judge_inertia(tensor);
  RC_PRE(!verdict.possible);
  RC_ASSERT(judge_inertia(verdict.nearest).possible || verdict.nearest.norm() < 1e-9 * tensor.norm());
}

}  // namespace check_test
}  // namespace lw
