// assemble, and kinematics and ik of mechanisms with loops, as their user types them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace assemble_command_test {

constexpr double kDeg = std::numbers::pi / 180.0;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string manoeuvre_csv(int step) {
  std::string csv = "t,q1,q2,q3\n";
  for (int k = 0; k <= 300; k += step) {
    const double s = k / 300.0, part = s - std::sin(2 * std::numbers::pi * s) / (2 * std::numbers::pi);
    csv += fmt::format("{},{}deg,{}deg,{}deg\n", 0.01 * k, 90 + 30 * part, 60 + 60 * part, 120 - 120 * part);
  }
  return write("manoeuvre.csv", csv);
}

TEST(AssembleCommand, ListsTheSixModesOfThePlatform) {
  const nlohmann::json json = linkwright({"assemble", "planar-3rrr", "--q", "0,0,90deg", "--json"}).json();
  EXPECT_TRUE(json["complete"]);
  EXPECT_EQ(json["dof"], 3);
  EXPECT_EQ(json["gruebler"], 3);
  ASSERT_EQ(json["modes"].size(), 6u);
  // Helmy 1994: x of the first corner and φ, in the order of x
  // oracle: helmy.py modes.x
  const double x[] = {-0.092874, 0.515245, 0.597582, 0.691929, 0.900924, 0.957469};
  // oracle: helmy.py modes.angle
  const double yaw[] = {-32.99539, 61.18974, -164.92806, 140.98087, 37.80963, -44.45867};
  for (std::size_t k = 0; k < 6; ++k) {
    const nlohmann::json& m = json["modes"][k];
    EXPECT_NEAR(m["pose"][0], x[k], 6e-7);
    EXPECT_NEAR(m["pose"][5].get<double>() / kDeg, yaw[k], 6e-6);
    EXPECT_LE(m["residual"], 1e-12);
    EXPECT_GT(m["condition"], 1.0);
    EXPECT_EQ(m["q"].size(), 7u);
  }
  const Outcome text = linkwright({"assemble", "planar-3rrr", "--q", "0,0,90deg", "--all"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(has(text.out, "6 assembly modes") && has(text.out, "so the list is complete") && has(text.out, "mode 6"))
      << text.out;
}

TEST(AssembleCommand, ModesAreTheModesOfOtherCommands) {
  const nlohmann::json json = linkwright({"assemble", "planar-3rrr", "--q", "0,0,90deg", "--json"}).json();
  for (int k = 1; k <= 6; ++k) {
    const nlohmann::json pose =
        linkwright({"kinematics", "planar-3rrr", "--q", "0,0,90deg", "--mode", std::to_string(k), "--json"}).json();
    const nlohmann::json& mode = json["modes"][static_cast<std::size_t>(k) - 1];
    EXPECT_EQ(pose["coordinates"], mode["q"]);
    EXPECT_EQ(pose["q"].size(), 3u);
    for (const auto& f : pose["frames"]) {
      if (f["name"] == "platform") {
        EXPECT_NEAR(f["position"][0], mode["pose"][0], 1e-14);
      }
    }
  }
  // static torques: the potential energy's derivative along each crank, in that mode, by differences of its poses
  const auto height = [](const std::string& q) {
    const nlohmann::json moved = linkwright({"kinematics", "planar-3rrr", "--q", q, "--mode", "5", "--json"}).json();
    double sum = 0.0;
    for (const auto& f : moved["frames"]) {
      const std::string name = f["name"];
      const double m = has(name, "crank") ? 3 : has(name, "rod") ? 4 : name == "platform" ? 8 : 0;
      const double along = has(name, "crank") ? 0.2
                           : has(name, "rod") ? 0.3
                                              : 0.2,
                   across = name == "platform" ? 0.4 / (2 * std::sqrt(3.0)) : 0.0;
      const double angle = 2 * std::atan2(f["quaternion"][2].get<double>(), f["quaternion"][3].get<double>());
      sum += 9.81 * m * (f["position"][1].get<double>() + along * std::sin(angle) + across * std::cos(angle));
    }
    return sum;
  };
  const nlohmann::json torques =
      linkwright({"inverse", "planar-3rrr", "--q", "0,0,90deg", "--mode", "5", "--json"}).json()["tau"];
  const double h = 1e-5;
  EXPECT_NEAR(torques[0].get<double>(),
              (height(fmt::format("{},0,90deg", h)) - height(fmt::format("{},0,90deg", -h))) / (2 * h), 1e-5);
  EXPECT_NEAR(torques[1].get<double>(),
              (height(fmt::format("0,{},90deg", h)) - height(fmt::format("0,{},90deg", -h))) / (2 * h), 1e-5);
  const Outcome none = linkwright({"kinematics", "planar-3rrr", "--q", "0,0,90deg", "--mode", "7"});
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(has(none.err, "has 6 modes there")) << none.err;
}

TEST(AssembleCommand, SaysWhyHelmysPrintedLengthsAreImpossible) {
  const Outcome o = linkwright({"assemble", "planar-3rrr-helmy", "--q", "90deg,60deg,120deg"});
  EXPECT_EQ(o.code, 1);
  for (const char* number : {"0.5685 m", "0.8429 m", "0.8772 m", "they reach 0.565 m"})
    EXPECT_TRUE(has(o.err, number)) << number << "\n" << o.err;
  const nlohmann::json json =
      linkwright({"assemble", "planar-3rrr-helmy", "--q", "90deg,60deg,120deg", "--json"}).json();
  EXPECT_TRUE(json["modes"].empty());
  ASSERT_EQ(json["impossible"].size(), 3u);
  for (const auto& p : json["impossible"])
    EXPECT_NEAR(p["distance"].get<double>() - p["missing"].get<double>(), 0.565, 1e-12);
  EXPECT_EQ(linkwright({"assemble", "planar-3rrr-helmy"}).code, 0);
}

TEST(AssembleCommand, TracksAModeAlongAPath) {
  const std::string csv = manoeuvre_csv(5), out = folder() + "/all.csv", plot = folder() + "/all.svg";
  const nlohmann::json json =
      linkwright({"assemble", "planar-3rrr", "--path", csv, "--out", out, "--plot", plot, "--json"}).json();
  EXPECT_TRUE(json["complete"]);
  EXPECT_EQ(json["legs"].size(), 3u);
  ASSERT_EQ(json["events"].size(), 1u);
  EXPECT_EQ(json["events"][0]["kind"], "leg-stretch");
  EXPECT_NEAR(json["events"][0]["t"], /* oracle: helmy.py helmy.positions.stretch[1] */ 1.856, 2e-3);
  EXPECT_NEAR(json["events"][0]["q"][2].get<double>() / kDeg, /* oracle: helmy.py helmy.positions.stretch[2] */ 32.79,
              5e-2);
  for (const auto& s : json["signs"]) EXPECT_EQ(s, "+");
  EXPECT_TRUE(has(text_of(out), "t,crank1,crank2,crank3") && has(text_of(out), "parallel_condition"));
  EXPECT_TRUE(has(text_of(plot), "<svg"));
  const Outcome text = linkwright({"assemble", "planar-3rrr", "--path", csv});
  EXPECT_TRUE(has(text.out, "leg 3 (crank3-rod3-closure3) passes through full stretch")) << text.out;
}

TEST(AssembleCommand, ComparesTheMethodsOfDirectKinematics) {
  const nlohmann::json json =
      linkwright({"assemble", "planar-3rrr", "--path", manoeuvre_csv(1), "--compare", "--json"}).json();
  ASSERT_EQ(json["methods"].size(), 6u);
  for (const auto& m : json["methods"]) {
    EXPECT_LE(m["error"], 1e-9) << m;
    EXPECT_GT(m["ns"], 0.0);
    EXPECT_LT(m["iterations"], 6.0) << m;
  }
  const Outcome other =
      linkwright({"assemble", "five-bar", "--path", write("two.csv", "t,q1,q2\n0,1,2\n1,1.1,2\n"), "--compare"});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(has(other.err, "is not a planar 3-RRR")) << other.err;
}

TEST(AssembleCommand, EndsWhereTheModeEnds) {
  std::string csv = "t,q1\n";
  for (int k = 0; k <= 40; ++k) csv += fmt::format("{},{}\n", 0.05 * k, 0.5 + 0.03 * k);
  const Outcome o = linkwright({"assemble", "four-bar", "--set", "l_coupler=0.2", "--set", "l_rocker=0.15", "--set",
                                "q0=0.5", "--path", write("far.csv", csv), "--json"});
  EXPECT_EQ(o.code, 1);
  const nlohmann::json json = o.json();
  EXPECT_FALSE(json["complete"]);
  const double end = std::acos((0.4 * 0.4 + 0.12 * 0.12 - 0.35 * 0.35) / (2 * 0.4 * 0.12));
  EXPECT_EQ(json["events"].back()["kind"], "mode-ends");
  EXPECT_NEAR(json["events"].back()["q"][0], end, 1e-6);
  EXPECT_EQ(json["events"].front()["kind"], "parallel-singularity-near");
}

TEST(AssembleCommand, DrawsAWorkspace) {
  const std::string file = folder() + "/reach.svg";
  const nlohmann::json json = linkwright({"assemble", "five-bar", "--workspace", file, "--json"}).json();
  // both legs reach what is 0.08 … 0.4 m from both axes: their rings have this area in common, by counting a fine grid
  double area = 0.0;
  const double h = 0.002;
  for (double x = -0.5; x < 0.5; x += h) {
    for (double y = -0.5; y < 0.5; y += h) {
      const double a = std::hypot(x - 0.06, y), b = std::hypot(x + 0.06, y);
      area += a >= 0.08 && a <= 0.4 && b >= 0.08 && b <= 0.4 ? h * h : 0.0;
    }
  }
  EXPECT_NEAR(json["area"].get<double>() / area, 1.0, 0.01);
  const std::string svg = text_of(file);
  EXPECT_TRUE(has(svg, "<svg") && has(svg, "parallel singularity") && has(svg, "where tool can go"));
  const Outcome spatial = linkwright({"assemble", "stewart", "--workspace", file});
  EXPECT_EQ(spatial.code, 2);
  EXPECT_TRUE(has(spatial.err, "spatial")) << spatial.err;
}

struct BadInput {
  std::vector<std::string> words;
  int code;
  const char* says;
};

TEST(AssembleCommand, SaysWhatIsWrong) {
  const std::string two = R"(linkwright: 1
name: bars
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops:
  - {name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)";
  const std::string again = two +
                            "  - {name: again, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: "
                            "[1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}\n";
  const std::string torn = two +
                           "  - {name: second, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: "
                           "[0.7, 0, 0]}, right: {xyz: [0.1, 0, 0]}}}\n";
  std::string loose = two;
  loose.replace(loose.find("{xyz: [0.5, 0, 0]}}, inertia"), 28, "{xyz: [0.25, 0, 0]}}, inertia");
  loose.replace(loose.find("parent: left"), 12, "parent: middle");
  loose.insert(loose.find("  - {name: coupler"),
               "  - {name: middle, parent: left, joint: {type: revolute, origin: {xyz: [0.25, 0, 0]}}, inertia: {mass: "
               "1, tensor: [1, 1, 1]}}\n");
  const std::string locked = R"(linkwright: 1
name: truss
links:
  - {name: left, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 50 deg, right: 130 deg}
loops:
  - {name: top, joint: {type: revolute}, between: [left, right], at: {left: {xyz: [0.6, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)";
  for (const BadInput& c : std::vector<BadInput>{
           {{"assemble", "puma560"}, 2, "requires closed loops"},
           {{"assemble", "planar-3rrr", "--q", "0,0"},
            2,
            "--q has 2 values, but 3 are expected: crank1, crank2, crank3"},
           {{"assemble", "planar-3rrr", "--q", "0,0,nan"}, 3, "must be finite"},
           {{"assemble", write("again.yaml", again)},
            0,
            "the loop `pin` of `bars` is redundant: the closures have rank 2 with it and without it"},
           {{"assemble", write("torn.yaml", torn)}, 3, "the loops of `bars` conflict"},
           {{"assemble", write("loose.yaml", loose)}, 3, "do not determine its motion: it has 2 freedoms"},
           {{"assemble", write("locked.yaml", locked)}, 3, "is locked: it has 2 velocities and closures of rank 2"},
           {{"kinematics", write("locked.yaml", locked)}, 3, "locked"},
           {{"kinematics", "planar-3rrr-helmy", "--q", "90deg,60deg,120deg"},
            3,
            "cannot be assembled there: from joint"},
           {{"assemble", "four-bar", "--path", write("b.csv", "t,q2\n0,1\n")}, 3, "has no column `q2`"},
           {{"assemble", "four-bar", "--path", write("c.csv", "t,q1\n0,1\n0,2\n")}, 3, "c.csv:3: times must increase"},
           {{"assemble", "four-bar", "--path", write("d.csv", "t,q1\n0,one\n")}, 3, "d.csv:2:"},
           {{"assemble", "four-bar", "--mode", "2"}, 2, "--mode selects the mode at the start of a --path"},
           {{"kinematics", "four-bar", "--q", "1e6"}, 3, "159155 turns from where it starts"},
           {{"assemble", "four-bar", "--out", "x.csv"}, 2, "--out requires a --path"},
           {{"assemble", "four-bar", "--workspace", "x.svg"}, 2, "two or three freedoms"},
           {{"assemble", "four-bar", "--workspace", "x.png"}, 2, ".svg"},
           {{"assemble", "five-bar", "--turn", "1"}, 2, "--turn requires --workspace"}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, c.code) << c.says << "\n" << o.err;
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

TEST(AssembleCommand, NamesLinksAndLoopsWhereLegsAreTooShort) {
  // legs of which one is longer than the way over another and the platform
  const Outcome o = linkwright({"assemble", "stewart", "--q", "0.7,0.7,0.7,0.7,0.7,2"});
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err, "`stewart` cannot be assembled there")) << o.err;
  EXPECT_TRUE(has(o.err, "`leg6`")) << o.err;
  EXPECT_TRUE(has(o.err, "closure6")) << o.err;
  EXPECT_FALSE(has(o.err, "``")) << o.err;
}

TEST(AssembleCommand, SaysThatThereAreInfinitelyMany) {
  // both elbows of the five-bar in one place, 0.06 m from either foot's middle
  const std::string q = fmt::format("{},{}", std::numbers::pi - std::acos(0.06 / 0.16), std::acos(0.06 / 0.16));
  const Outcome o = linkwright({"assemble", "five-bar", "--q", q});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "1 of infinitely many configurations") && has(o.out, "some of infinitely many")) << o.out;
  EXPECT_TRUE(has(o.err, "parts can move there while the actuated joints are fixed")) << o.err;
  const nlohmann::json json = linkwright({"assemble", "five-bar", "--q", q, "--json"}).json();
  EXPECT_EQ(json["infinite"], true);
  EXPECT_EQ(json["complete"], false);
  EXPECT_FALSE(json.contains("search"));
  EXPECT_LE(json["modes"][0]["residual"], 1e-12);
}

TEST(AssembleCommand, TakesTheLeadersOfMoreMotorsThanFreedomsOrAllThatAgree) {
  const auto bars = [](const std::string& right) {
    return write("bars_" + right + ".yaml", R"(linkwright: 1
name: bars
gravity: [0, -9.81, 0]
links:
  - {name: left, parent: base, joint: {type: revolute, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: coupler, parent: left, joint: {type: revolute, origin: {xyz: [0.5, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: right, parent: base, joint: {type: revolute, actuated: )" +
                                                right +
                                                R"(, origin: {xyz: [0.8, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {left: 60 deg, coupler: -60 deg, right: 60 deg}
loops:
  - {name: pin, joint: {type: revolute}, between: [coupler, right], at: {coupler: {xyz: [1, 0, 0]}, right: {xyz: [0.6, 0, 0]}}}
)");
  };
  const std::string one = bars("false"), both = bars("true");
  // what one motor does is the other method; the follower's angle by the cosine rule
  const double q = 1.2, x = 0.5 * std::cos(q) - 0.8, y = 0.5 * std::sin(q), d = std::hypot(x, y);
  const double right = std::atan2(y, x) - std::acos((0.6 * 0.6 + d * d - 1.0) / (2 * 0.6 * d));
  const std::string all = fmt::format("1.2,{:.8f}", right);
  for (const std::string& given : {std::string("1.2"), all}) {
    const nlohmann::json a = linkwright({"kinematics", one, "--q", "1.2", "--qd", "0.7", "--json"}).json();
    const nlohmann::json b = linkwright({"kinematics", both, "--q", given, "--qd", "0.7", "--json"}).json();
    for (const char* field : {"velocity_names", "q", "coordinates", "frames", "jacobian", "velocity", "bias"})
      EXPECT_EQ(a[field], b[field]) << field;
    const std::size_t wanted = given == all ? 1 : 2;
    const nlohmann::json modes = linkwright({"assemble", both, "--q", given, "--json"}).json()["modes"];
    ASSERT_EQ(modes.size(), wanted) << given;
    for (const char* command : {"inverse", "forward", "mass-matrix", "bias"}) {
      const nlohmann::json json = linkwright({command, both, "--q", given, "--json"}).json();
      EXPECT_EQ(json["q"], nlohmann::json({1.2})) << command;
    }
    EXPECT_EQ(linkwright({"ik", both, "--target", fmt::format("{},{},0", 0.5 * std::cos(1.0), 0.5 * std::sin(1.0)),
                          "--frame", "coupler", "--position-only", "--q", given})
                  .code,
              0);
  }
  const std::string wrong = fmt::format("1.2,{:.8f}", right + 1e-4);
  for (const char* command : {"kinematics", "inverse", "forward", "ik"}) {
    std::vector<std::string> words{command, both, "--q", wrong};
    if (std::string(command) == "ik") words.insert(words.end(), {"--target", "0.25,0.433,0", "--position-only"});
    const Outcome o = linkwright(words);
    EXPECT_EQ(o.code, 3) << command;
    EXPECT_TRUE(has(o.err, "has more actuated joints than freedoms (1): where `left` is as given, `right` is"))
        << o.err;
  }
  EXPECT_EQ(linkwright({"assemble", both, "--q", wrong}).code, 1);
  EXPECT_EQ(linkwright({"assemble", both, "--q", "1,2,3"}).code, 2);
  // along a path either way
  EXPECT_EQ(linkwright({"assemble", both, "--path", write("lead.csv", "t,q1\n0,1.2\n1,1.3\n")}).code, 0);
  EXPECT_EQ(
      linkwright({"assemble", both, "--path", write("all.csv", fmt::format("t,q1,q2\n0,1.2,{:.8f}\n", right))}).code,
      0);
  EXPECT_EQ(
      linkwright({"assemble", both, "--path", write("wrong.csv", fmt::format("t,q1,q2\n0,1.2,{:.8f}\n", right + 1e-4))})
          .code,
      1);
  // the file's own home fits one of them only
  for (const char* command : {"assemble", "kinematics", "inverse"})
    EXPECT_EQ(linkwright({command, both}).code, 0) << command;
  // and check speaks of the pose with which they begin
  EXPECT_FALSE(has(linkwright({"check", both}).err, "moves `left`"));
  EXPECT_NEAR(linkwright({"check", both, "--json"}).json()["closed_home"][0].get<double>(), std::numbers::pi / 3.0,
              1e-12);
}

TEST(ClosedKinematics, JacobianIsTheDerivativeOfThePose) {
  const auto at = [](const std::string& q) {
    return linkwright({"kinematics", "excavator", "--q", q, "--frame", "bucket", "--json"}).json();
  };
  const nlohmann::json here = at("0.3,2.1,3.2,1.5");
  ASSERT_EQ(here["jacobian"][0].size(), 4u);
  const double h = 1e-6;
  for (int k = 0; k < 4; ++k) {
    double q[] = {0.3, 2.1, 3.2, 1.5};
    const auto position = [&](double step) {
      q[k] += step;
      const nlohmann::json json = at(fmt::format("{},{},{},{}", q[0], q[1], q[2], q[3]));
      q[k] -= step;
      for (const auto& f : json["frames"]) {
        if (f["name"] == "bucket") return f["position"].get<std::vector<double>>();
      }
      return std::vector<double>{};
    };
    const std::vector<double> up = position(h), down = position(-h);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR((up[i] - down[i]) / (2 * h), here["jacobian"][i + 3][static_cast<std::size_t>(k)], 1e-7) << k;
    }
  }
}

TEST(ClosedKinematics, DrawsEveryMechanismWithLoops) {
  for (const char* name :
       {"four-bar", "slider-crank", "five-bar", "planar-3rrr", "planar-3rrr-helmy", "stewart", "delta", "excavator"}) {
    const std::string file = folder() + "/" + name + ".svg";
    EXPECT_EQ(linkwright({"kinematics", name, "--draw", file}).code, 0) << name;
    EXPECT_TRUE(has(text_of(file), "<polygon")) << name;
    const nlohmann::json check = linkwright({"check", name, "--json"}).json();
    EXPECT_TRUE(check["ok"]) << name;
    EXPECT_TRUE(check["diagnostics"].empty()) << name << check["diagnostics"];
    EXPECT_LE(check["loop_residual"], 1e-12) << name;
  }
}

TEST(ClosedIkCommand, ListsWorkingModesAndFollowsPaths) {
  const nlohmann::json json = linkwright({"ik", "planar-3rrr", "--target", "0.4,0.25,0,0,0,20deg", "--json"}).json();
  EXPECT_TRUE(json["closed_form"] && json["reached"]);
  ASSERT_EQ(json["solutions"].size(), 8u);
  for (const auto& s : json["solutions"]) {
    EXPECT_LE(s["residual"], 1e-12);
    EXPECT_EQ(s["q"].size(), 3u);
    EXPECT_EQ(s["working_mode"].get<std::string>().size(), 3u);
  }
  EXPECT_EQ(linkwright({"ik", "planar-3rrr", "--target", "0.4,0.25,0,0,0,20deg", "--branch", "8"}).code, 0);
  EXPECT_EQ(linkwright({"ik", "planar-3rrr", "--target", "0.4,0.25,0,0,0,20deg", "--branch", "9"}).code, 2);
  const Outcome far = linkwright({"ik", "planar-3rrr", "--target", "1.5,0,0,0,0,0"});
  EXPECT_EQ(far.code, 1);
  EXPECT_TRUE(has(far.err, "out of reach") && has(far.err, "1.5 m") && has(far.err, "they reach 1 m")) << far.err;
  // a straight way of the tool
  const std::string path = write("line.csv", "t,x,y,z\n0,0,0.2,0\n1,0.01,0.21,0\n2,0.02,0.22,0\n3,0.03,0.23,0\n"),
                    out = folder() + "/line_q.csv";
  const nlohmann::json along = linkwright({"ik", "five-bar", "--path", path, "--out", out, "--json"}).json();
  EXPECT_TRUE(along["reached"]);
  EXPECT_TRUE(along["switches"].empty());
  EXPECT_EQ(along["q"].size(), 4u);
  EXPECT_EQ(text_of(out).substr(0, 8), "t,q1,q2\n");
}

}  // namespace assemble_command_test
}  // namespace lw::test
