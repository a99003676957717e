// Stand-alone simulators are compiled and run here as a user does, and their results compared with motions known from
// elsewhere.
#include "simulate/standalone/standalone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "model/read/read.hpp"
#include "reproduce/twu.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace standalone_test {

Mechanism mechanism(const std::string& yaml) {
  const ReadResult result = read_text(yaml, "test.yaml");
  EXPECT_TRUE(result.mechanism.has_value()) << (result.diagnostics.empty() ? "" : to_string(result.diagnostics[0]));
  return *result.mechanism;
}

using Row = std::map<std::string, double>;

// A simulator in a folder of its own.
class Built {
 public:
  explicit Built(const Mechanism& m, StandaloneOptions options = {}, bool quick = true) {
    options.program.trace.search.trials = 0;
    options.program.trace.fused = true;
    made = make_standalone(m, options);
    for (const Artefact& file : made.files) write_file((scratch_.path / file.path).string(), file.text);
    std::vector<std::string> command{"c++"};
    command.insert(command.end(), made.compile.begin(), made.compile.end());
    for (std::string& word : command) {
      if (quick && word == "-O2") word = "-O0";
    }
    const Finished done = run_program(command, folder());
    EXPECT_EQ(done.status, 0) << done.output;
  }
  Finished operator()(std::vector<std::string> words) const {
    words.insert(words.begin(), "./" + made.program.name);
    return run_program(words, folder());
  }
  void write(const std::string& name, const std::string& text) const {
    write_file((scratch_.path / name).string(), text);
  }
  std::vector<Row> rows(const std::string& name) const {
    std::ifstream in(scratch_.path / name);
    std::vector<std::string> names;
    std::vector<Row> all;
    for (std::string line; std::getline(in, line);) {
      std::vector<std::string> cells;
      std::istringstream parts(line);
      for (std::string cell; std::getline(parts, cell, ',');) cells.push_back(cell);
      if (names.empty()) {
        names = cells;
        continue;
      }
      all.emplace_back();
      for (std::size_t k = 0; k < cells.size(); ++k) all.back()[names[k]] = std::stod(cells[k]);
    }
    return all;
  }
  std::string folder() const { return scratch_.path.string(); }

  Standalone made;

 private:
  Scratch scratch_;
};

void expect_right(const Built& simulator) {
  const Finished test = simulator({"selftest"});
  EXPECT_EQ(test.status, 0) << test.output;
  EXPECT_NE(test.output.find("all right"), std::string::npos);
}

// "…off by 1.5e-12 J at most (2.8e-13 of the largest)"
double energy_residual(const std::string& said) {
  const std::size_t at = said.find("at most (");
  return at == std::string::npos ? NAN : std::stod(said.substr(at + 9));
}

double at(const Row& row, const std::string& name) {
  const auto found = row.find(name);
  return found == row.end() ? NAN : found->second;
}

// q1, …, qd1, …, qdd1, …
std::vector<std::string> motion_names(std::size_t n) {
  std::vector<std::string> names;
  for (const char* group : {"q", "qd", "qdd"}) {
    for (std::size_t k = 1; k <= n; ++k) names.push_back(group + std::to_string(k));
  }
  return names;
}

const std::string kPlanarData =
    "[start]\nqd(link1) = 12 deg\nqd(link2) = -8 deg\nqd(link3) = -4 deg\n"
    "[forces]\nlink1 = 10*sqrt(t) + 6\nlink2 = 8*sqrt(t) + 5\nlink3 = 6*sqrt(t) + 4\n"
    "[run]\nduration = 0.18\noutput = 0.02\ntolerance = 1e-13\n";
const std::string kSpatialData =
    "[start]\nqd(link1) = 20 deg\nqd(link2) = 15 deg\nqd(link3) = -15 deg\nqd(link4) = 5 deg\n"
    "[forces]\nlink1 = 10*sqrt(t) + 6\nlink2 = 8*sqrt(t) + 5\nlink3 = 6*sqrt(t) + 4\nlink4 = 4*sqrt(t) + 3\n"
    "[run]\nduration = 0.18\noutput = 0.02\ntolerance = 1e-13\n";

// q, q̇, q̈ at one of the printed instants.
std::vector<double> moment(const reproduce::TwuMotion& m, std::size_t k) {
  std::vector<double> all = m.q[k];
  all.insert(all.end(), m.qd[k].begin(), m.qd[k].end());
  all.insert(all.end(), m.qdd[k].begin(), m.qdd[k].end());
  return all;
}

// link2.yy, about the frame's origin, is link2.iyy where centres of mass stay where they are.
std::string parameter_of(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(0, dot + 1) + "i" + name.substr(dot + 1);
}

void expect_example(const Built& simulator, const reproduce::TwuExample& x, const std::string& data) {
  const std::size_t n = x.joints(), instants = x.light.q.size();
  expect_right(simulator);
  simulator.write("light.data", "[parameters]\ng = 0\n" + data);
  simulator.write("heavy.data", data);
  std::string parameters;
  for (const auto& slope : x.sensitivities)
    parameters += (parameters.empty() ? "" : ",") + parameter_of(slope.parameter);
  // the motion, every 0.02 s
  const Finished light = simulator({"forward", "light.data", "--energy", "--out", "light.csv"});
  ASSERT_EQ(light.status, 0) << light.output;
  EXPECT_LT(energy_residual(light.output), 1e-12);
  const std::vector<Row> rows = simulator.rows("light.csv");
  ASSERT_EQ(rows.size(), instants);
  const std::vector<std::string> names = motion_names(n);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_NEAR(at(rows[k], "t"), 0.02 * static_cast<double>(k), 1e-15);
    const std::vector<double> expected = moment(x.light, k);
    for (std::size_t j = 0; j < names.size(); ++j) EXPECT_NEAR(at(rows[k], names[j]), expected[j], 1e-9) << names[j];
    EXPECT_NEAR(at(rows[k], "kinetic"), x.light.kinetic[k], 1e-9);
    EXPECT_NEAR(at(rows[k], "work"), x.light.kinetic[k] - x.light.kinetic[0], 1e-9);
  }
  // with gravity
  ASSERT_EQ(simulator({"forward", "heavy.data", "--energy", "--out", "heavy.csv"}).status, 0);
  const Row end = simulator.rows("heavy.csv").back();
  const std::vector<double> expected_end = moment(x.heavy, instants - 1);
  for (std::size_t j = 0; j < names.size(); ++j) EXPECT_NEAR(at(end, names[j]), expected_end[j], 1e-8) << names[j];
  EXPECT_NEAR(at(end, "kinetic"), x.heavy.kinetic.back(), 1e-8);
  EXPECT_NEAR(at(end, "potential"), x.heavy.potential.back(), 1e-8);
  // back to the forces that made it
  const Finished back =
      simulator({"inverse", "light.data", "light.csv", "--out", "back.csv", "--sensitivity", parameters});
  ASSERT_EQ(back.status, 0) << back.output;
  const std::vector<Row> forces = simulator.rows("back.csv");
  ASSERT_EQ(forces.size(), rows.size());
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const std::vector<double> given = x.force(at(rows[k], "t"));
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(at(forces[k], fmt::format("tau{}", j + 1)), given[j], 1e-12);
  }
  // how both change with every parameter
  const Finished varied = simulator({"forward", "light.data", "--out", "varied.csv", "--sensitivity", parameters});
  ASSERT_EQ(varied.status, 0) << varied.output;
  const Row last = simulator.rows("varied.csv").back(), last_forces = forces.back();
  for (const reproduce::TwuSensitivity& slope : x.sensitivities) {
    const std::string parameter = parameter_of(slope.parameter);
    const auto expect = [&](const Row& row, const std::string& what, const std::vector<double>& expected) {
      const double size = reproduce::magnitude(expected);
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(at(row, fmt::format("d{}{}/d{}", what, j + 1, parameter)), expected[j], 1e-8 * size)
            << what << parameter;
    };
    expect(last, "q", slope.q), expect(last, "qd", slope.qd), expect(last, "qdd", slope.qdd);
    expect(last_forces, "tau", slope.tau);
  }
}

TEST(Standalone, PlanarArmOfTwu) {
  const Built simulator(load("twu-3r"));
  EXPECT_EQ(simulator.made.program.kept.size(), 13u);
  expect_example(simulator, reproduce::twu_planar_example(), kPlanarData);
}

TEST(Standalone, SpatialArmOfTwuWithNamedInertias) {
  Mechanism m = load("twu-rrrp");
  EXPECT_EQ(name_inertias(m), 12);  // three moments a link; masses and centres have names
  const Built simulator(m);
  expect_example(simulator, reproduce::twu_spatial_example(), kSpatialData);
}

// What made the original worth it: another axis or joint is a word in the description, and nothing is programmed.
TEST(Standalone, AnotherLayoutIsAnotherWordInTheDescription) {
  const auto arm = [](const std::string& first, const std::string& second) {
    return mechanism(
        fmt::format("linkwright: 1\nname: layout\nparameters: {{m: 2, l: 0.5}}\nlinks:\n"
                    "  - {{name: a, parent: base, joint: {{{}}}, inertia: {{mass: 1, com: [l/2, 0, 0], tensor: [0.01, "
                    "0.02, 0.02]}}}}\n"
                    "  - {{name: b, parent: a, joint: {{{}, origin: {{xyz: [l, 0, 0]}}}}, inertia: {{mass: m, com: "
                    "[0.1, 0, 0]}}}}\n",
                    first, second));
  };
  // a: free fall along z of both, whatever b does about z; b: a pendulum with its point of support at rest
  const Built lift(arm("type: prismatic, axis: z", "type: revolute, axis: z"));
  const Built swing(arm("type: prismatic, axis: x", "type: revolute, axis: y"));
  for (const Built* simulator : {&lift, &swing}) {
    expect_right(*simulator);
    simulator->write("run.data", "[run]\nduration = 0.1\noutput = 0.1\ntolerance = 1e-13\n");
    const Finished run = (*simulator)({"forward", "run.data", "--out", "run.csv"});
    ASSERT_EQ(run.status, 0) << run.output;
    EXPECT_LT(energy_residual(run.output), 1e-12);
  }
  EXPECT_NEAR(at(lift.rows("run.csv").back(), "q1"), -0.5 * 9.81 * 0.01, 1e-12);
  EXPECT_NEAR(at(lift.rows("run.csv").back(), "q2"), 0.0, 1e-14);
  // horizontal momentum: (1 + m) ẋ - m 0.1 sin θ θ̇ stays 0; θ̈ = g/0.1 at the start
  const Row first = swing.rows("run.csv").front(), last = swing.rows("run.csv").back();
  EXPECT_NEAR(at(first, "qdd2"), 9.81 / 0.1, 1e-9);
  EXPECT_NEAR(3.0 * at(last, "qd1") - 0.2 * std::sin(at(last, "q2")) * at(last, "qd2"), 0.0, 1e-11);
}

const char* kTree = R"(
linkwright: 1
name: tree
parameters: {m: 2, l: 0.4, k: 60, mu: 0.05, c: 0.3, half: m/2}
links:
  - name: column
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 3, com: [0.02, 0, 0.2], tensor: [0.05, 0.05, 0.02]}
    friction: {viscous: c, coulomb: 0.4, width: 0.5, bearing: {type: journal, mu: mu, radius: 0.03, spacing: 0.1}}
  - name: slide
    parent: column
    joint: {type: prismatic, axis: x, origin: {xyz: [0, 0, l]}}
    inertia: {mass: m, com: [0.1, 0, 0.01], tensor: [0.01, 0.02, 0.02]}
    spring: {stiffness: k, rest: 0.1}
    damper: 1.5
  - name: arm
    parent: column
    joint: {type: revolute, axis: y, origin: {xyz: [0, 0.1, l/2]}}
    inertia: {mass: half, com: [l/2, 0, 0], tensor: [0.001, 0.013, 0.013]}
  - name: ball
    parent: arm
    joint: {type: spherical, origin: {xyz: [l, 0, 0]}}
    inertia: {mass: 0.5, com: [0, 0, -0.1], tensor: [0.01, 0.012, 0.008]}
springs:
  - {name: balancer, between: [base, arm], at: {base: [0, 0, 0.8], arm: [0.2, 0, 0]}, stiffness: 80, rest: 0.3, damping: 2}
forces:
  - {link: slide, at: [0, 0, 0.1], force: [3*sin(2*pi*t), 0, -2]}
)";

// Joints of three kinds, springs, dampers, gradual friction, a loaded bearing, a force over time, forces that depend on
// the state.
TEST(Standalone, TreeWithSpringsFrictionAndForces) {
  StandaloneOptions options;
  options.program.trace.friction = true;
  const Built simulator(mechanism(kTree), options);
  EXPECT_EQ(simulator.made.program.kept,
            (std::vector<std::string>{"m", "l", "k", "mu", "c", "t"}));  // `half` follows m
  expect_right(simulator);
  const std::string data =
      "[start]\nq(column) = 0.2\nq(slide) = {1}\nqd(column) = 1\nqd(slide) = 0.2\nqd(ball.wx) = {0}\nqd(ball.wz) = -2\n"
      "[forces]\ncolumn = 5*cos(3*t) - 0.5*q(column) + 0.1*m\narm = -2*qd(arm) + 1\n"
      "[run]\nduration = 0.5\noutput = 0.25\ntolerance = 1e-12\n";
  simulator.write("run.data", fmt::format(fmt::runtime(data), 3.0, 0.0));
  const Finished run = simulator(
      {"forward", "run.data", "--energy", "--out", "run.csv", "--sensitivity", "m,l,k,mu,c,qd(ball.wx),q(slide)"});
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_LT(energy_residual(run.output), 1e-11);
  const Row end = simulator.rows("run.csv").back();
  EXPECT_GT(at(end, "taken"), 0.1);  // friction has taken work
  const double unit = std::hypot(std::hypot(at(end, "q4"), at(end, "q5")), std::hypot(at(end, "q6"), at(end, "q7")));
  EXPECT_NEAR(unit, 1.0, 1e-15);
  // central differences of whole runs
  const auto compare = [&](const std::string& name, const Row& more, const Row& less, double h) {
    for (const char* group : {"q", "qd", "qdd"}) {
      double largest = 0.0, error = 0.0;
      for (int k = 1; k <= (std::string(group) == "q" ? 7 : 6); ++k) {
        const std::string column = group + std::to_string(k);
        const double slope = at(end, fmt::format("d{}/d{}", column, name));
        largest = std::max(largest, std::abs(slope));
        error = std::max(error, std::abs((at(more, column) - at(less, column)) / (2.0 * h) - slope));
      }
      EXPECT_GT(largest, 0.0);
      EXPECT_LE(error, 3e-6 * largest + 1e-8)
          << group << " by " << name;  // what a difference with this step leaves out
    }
  };
  const auto end_of = [&](const std::vector<std::string>& more, const std::string& file) {
    std::vector<std::string> words{"forward", file, "--out", "other.csv"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(simulator(words).status, 0);
    return simulator.rows("other.csv").back();
  };
  for (const auto& [name, value] :
       std::map<std::string, double>{{"m", 2}, {"l", 0.4}, {"k", 60}, {"mu", 0.05}, {"c", 0.3}}) {
    const double h = 1e-4 * value;
    compare(name, end_of({"--set", fmt::format("{}={}", name, value + h)}, "run.data"),
            end_of({"--set", fmt::format("{}={}", name, value - h)}, "run.data"), h);
  }
  const double h = 1e-4;
  simulator.write("more.data", fmt::format(fmt::runtime(data), 3.0 + h, 0.0));
  simulator.write("less.data", fmt::format(fmt::runtime(data), 3.0 - h, 0.0));
  compare("qd(ball.wx)", end_of({}, "more.data"), end_of({}, "less.data"), h);
  simulator.write("more.data", fmt::format(fmt::runtime(data), 3.0, h));
  simulator.write("less.data", fmt::format(fmt::runtime(data), 3.0, -h));
  compare("q(slide)", end_of({}, "more.data"), end_of({}, "less.data"), h);
}

// Dry friction that jumps: where the slide comes to rest there is no more motion to follow, and the run says so.
TEST(Standalone, RestUnderDryFrictionEndsTheRunWithAMessage) {
  const std::string slide =
      "linkwright: 1\nname: slide\nlinks:\n  - {{name: a, parent: base, joint: {{type: prismatic, axis: x}}, inertia: "
      "{{mass: 2}}, friction: {{coulomb: 4{}}}}}\n";
  const Mechanism sharp = mechanism(fmt::format(fmt::runtime(slide), "")),
                  gradual = mechanism(fmt::format(fmt::runtime(slide), ", width: 0.01"));
  EXPECT_EQ(jumping_joints(instantiate<double>(sharp)), std::vector<std::string>{"a"});
  EXPECT_TRUE(jumping_joints(instantiate<double>(gradual)).empty());
  StandaloneOptions options;
  options.program.trace.friction = true;
  const Built simulator(sharp, options);
  simulator.write("run.data", "[start]\nqd(a) = 1\n[forces]\na = -1\n[run]\nduration = 1\noutput = 0.1\n");
  const Finished run = simulator({"forward", "run.data", "--out", "run.csv"});
  EXPECT_EQ(run.status, 3) << run.output;
  for (const char* part : {"`a` has come to rest", "t = 0.4", "does not know", "`width`", "linkwright simulate"}) {
    EXPECT_NE(run.output.find(part), std::string::npos) << part << "\n" << run.output;
  }
  // until then it was right: it slides with -2.5 m/s², and rests after 0.4 s
  const std::vector<Row> rows = simulator.rows("run.csv");
  ASSERT_GE(rows.size(), 4u);
  EXPECT_NEAR(at(rows[3], "q1"), 0.3 - 1.25 * 0.09, 1e-12);
  // fixed steps too; and what is pushed hard enough turns round and goes on: x = 1/9 − 1/2 (½) s², s = 1 − 2/9
  for (const char* method : {"verner", "rk4"}) {
    simulator.write(
        "fixed.data",
        fmt::format("[start]\nqd(a) = 1\n[forces]\na = -1\n[run]\nduration = 1\noutput = 0.1\nintegrator = {}\n",
                    method));
    const Finished fixed = simulator({"forward", "fixed.data", "--out", "fixed.csv"});
    EXPECT_EQ(fixed.status, 3) << fixed.output;
    EXPECT_NE(fixed.output.find("`a` has come to rest"), std::string::npos) << fixed.output;
    simulator.write(
        "turn.data",
        fmt::format("[start]\nqd(a) = 1\n[forces]\na = -5\n[run]\nduration = 1\noutput = 1\nintegrator = {}\n",
                    method));
    const Finished turn = simulator({"forward", "turn.data", "--out", "turn.csv"});
    EXPECT_EQ(turn.status, 0) << turn.output;
    const double s = 1.0 - 2.0 / 9.0;
    // fixed steps lose as much of the jump of 4 m/s² as falls into one step
    EXPECT_NEAR(at(simulator.rows("turn.csv").back(), "q1"), 1.0 / 9.0 - 0.25 * s * s,
                std::string(method) == "rk4" ? 4e-3 * s : 1e-8)
        << method;
    // at rest without a force it stays there
    simulator.write("still.data", fmt::format("[run]\nduration = 1\noutput = 1\nintegrator = {}\n", method));
    EXPECT_EQ(simulator({"forward", "still.data", "--out", "still.csv"}).status, 0);
  }
}

// A mass on a table of forces, by both integrators.
TEST(Standalone, TablesAndIntegrators) {
  const Built simulator(
      mechanism("linkwright: 1\nname: mass\nlinks:\n  - {name: a, parent: base, joint: {type: prismatic, axis: x}, "
                "inertia: {mass: 2}}\n"));
  EXPECT_TRUE(simulator.made.program.kept.empty());
  expect_right(simulator);
  simulator.write("f.csv", "t,tau1\n0,2\n0.5,4\n1,0\n");
  const auto end = [&](const std::string& between, const std::string& integrator) {
    simulator.write("run.data",
                    fmt::format("[forces]\ntable = f.csv\nbetween = {}\n[run]\nintegrator = {}\nstep = 0.03\n", between,
                                integrator));
    const Finished run = simulator({"forward", "run.data", "--out", "run.csv"});
    EXPECT_EQ(run.status, 0) << run.output;
    return simulator.rows("run.csv").back();
  };
  for (const char* integrator : {"verner", "rk4"}) {
    // straight lines: ẍ = 1 + 2 t, then 2 - 4 (t - 0.5)
    EXPECT_NEAR(at(end("line", integrator), "qd1"), 0.75 + 0.5, 1e-13);
    EXPECT_NEAR(at(end("line", integrator), "q1"), 0.125 + 2.0 / 24.0 * 0.5 + 0.75 * 0.5 + 0.25 - 4.0 * 0.125 / 6.0,
                1e-13);
    EXPECT_NEAR(at(end("held", integrator), "qd1"), 0.5 + 1.0, 1e-13);
    EXPECT_NEAR(at(end("held", integrator), "q1"), 0.125 + 0.25 + 0.25, 1e-13);
  }
  // orders, on an oscillator: ẍ = -x
  const auto error = [&](const std::string& run) {
    simulator.write("run.data", "[start]\nq(a) = 1\n[forces]\na = -2*q(a)\n[run]\nduration = 2\noutput = 2\n" + run);
    EXPECT_EQ(simulator({"forward", "run.data", "--out", "run.csv"}).status, 0);
    return std::abs(at(simulator.rows("run.csv").back(), "q1") - std::cos(2.0));
  };
  EXPECT_NEAR(std::log2(error("integrator = rk4\nstep = 0.1\n") / error("integrator = rk4\nstep = 0.05\n")), 4.0, 0.1);
  EXPECT_LT(error("tolerance = 1e-12\n"), 1e-10);
  EXPECT_LT(error("tolerance = 1e-7\n"), 1e-5);
}

TEST(Standalone, BadDataIsNamedWithItsLine) {
  const Built simulator(load("double-pendulum"));
  const auto says = [&](const std::string& data, int code, const std::string& what,
                        std::vector<std::string> more = {}) {
    simulator.write("bad.data", data);
    std::vector<std::string> words{"forward", "bad.data"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = simulator(words);
    EXPECT_EQ(run.status, code) << data << run.output;
    EXPECT_NE(run.output.find(what), std::string::npos) << data << run.output;
  };
  says("[parameters]\nm9 = 1\n", 3, "bad.data:2: there is no parameter `m9`; there are m1, m2, l1, l2, r");
  says("[parameters]\nm1 = 1\nm1 = 2\n", 3, "bad.data:3: `m1` is given twice");
  says("[parameters]\nm1 = 1/0\n", 3, "bad.data:2: `1/0` is not finite");
  says("[parameters]\nm1 =\n", 3, "bad.data:2: `m1` has no value");
  says("[parameters]\nm1 1\n", 3, "bad.data:2: `m1 1` is not of the form name = value");
  says("[things]\n", 3, "bad.data:1: there is no section [things]; there are [parameters], [start], [forces], [run]");
  says("m1 = 1\n", 3, "bad.data:1: `m1` stands before the first section");
  says("[start]\nq(elbow) = 1\n", 3, "bad.data:2: there is no q(elbow); there are upper, lower");
  says("[forces]\nupper = 2*(t + 1\n", 3, "bad.data:2: formula `2*(t + 1`: `)` is missing at its end");
  says("[forces]\nupper = 2*speed\n", 3, "`speed` is unknown; parameters are m1, m2, l1, l2, r");
  says("[forces]\ntable = none.csv\n", 3, "none.csv: cannot be read");
  says("[run]\nstep = -1\n", 3, "bad.data:2: `step` must be above zero, not -1");
  says("[run]\nintegrator = euler\n", 3, "bad.data:2: `integrator` is verner or rk4, not euler");
  says("[parameters]\nm1 = 0\nm2 = 0\nr = 0\n", 3, "t = 0 s: the acceleration of upper is not finite");
  says("[forces]\nupper = 1e3*qd(upper)*abs(qd(upper)) + 1e3\n", 3, " s: ");  // grows beyond bounds in finite time
  says("", 2, "--sensitivity m9: there is no such parameter", {"--sensitivity", "m9"});
  says("", 2, "unknown option --fast", {"--fast"});
  EXPECT_EQ(simulator({}).status, 2);
  EXPECT_EQ(simulator({"forward", "nowhere.data"}).status, 3);
  simulator.write("good.data", "");
  simulator.write("motion.csv", "t,q1,q2,qd1,qd2,qdd1\n0,0,0,0,0,0\n");
  EXPECT_NE(simulator({"inverse", "good.data", "motion.csv"}).output.find("motion.csv: there is no column `qdd2`"),
            std::string::npos);
  simulator.write("motion.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,x,0,0\n");
  EXPECT_NE(
      simulator({"inverse", "good.data", "motion.csv"}).output.find("motion.csv:2: `x` (qd2) is no finite number"),
      std::string::npos);
  // its own data file is a good one
  EXPECT_EQ(simulator({"forward", "double_pendulum.data", "--out", "motion.csv"}).status, 0);
  EXPECT_EQ(simulator({"inverse", "double_pendulum.data", "motion.csv"}).status, 0);
}

// As users build it: make, make test. Of the arm the drives' losses are left out; its rotors act.
TEST(Standalone, PumaByItsMakefile) {
  StandaloneOptions options;
  options.program.trace.search.trials = 0;
  const Standalone made = make_standalone(load("puma560"), options);
  const Scratch scratch;
  for (const Artefact& file : made.files) write_file((scratch.path / file.path).string(), file.text);
  const Finished built = run_program({"make", "test", "CXXFLAGS=-O1 -Wall -Wextra -Werror"}, scratch.path.string());
  EXPECT_EQ(built.status, 0) << built.output;
  EXPECT_NE(built.output.find("all right"), std::string::npos);
  const Finished run = run_program({"make", "run"}, scratch.path.string());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_LT(energy_residual(run.output), 1e-8);
}

TEST(Standalone, WhatDoesNotMoveIsRefused) {
  const Mechanism still = mechanism(
      "linkwright: 1\nname: still\nlinks:\n  - {name: a, parent: base, joint: {type: fixed}, inertia: {mass: 1}}\n");
  EXPECT_THROW(make_standalone(still), Error);
}

}  // namespace standalone_test
}  // namespace lw
