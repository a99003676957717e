// Base parameters: torques of the regrouped model against the original's, their number against the rank of regressors.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <numbers>
#include <set>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "dynamics/parameters/base_parameters.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace base_parameters_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Values = std::vector<double>;

// The whole turned: nothing is along an axis of coordinates any more, but all that was parallel still is.
Mechanism turned(Mechanism m, Random& random) {
  const Rotation turn{Rotation::Kind::rpy, {random.between(-3, 3), random.between(-1, 1), random.between(-3, 3)}};
  Link stand;
  stand.name = "stand";
  stand.parent = m.base;
  stand.joint.name = "stand";
  stand.joint.origin.rotation = turn;
  for (Link& link : m.links) {
    if (link.parent == m.base) link.parent = stand.name;
  }
  Eigen::Vector3d g;
  for (int k = 0; k < 3; ++k) g[k] = m.gravity[static_cast<std::size_t>(k)].value.constant();
  Mechanism frame;  // the reader's own arithmetic of rpy
  frame.links.push_back(stand);
  const Vec3<double> rotated = instantiate<double>(frame).frames[1].X_BF.R * Vec3<double>::from(g);
  for (int k = 0; k < 3; ++k) m.gravity[static_cast<std::size_t>(k)] = rotated[k];
  m.links.push_back(stand);
  return m;
}

Mechanism from_text(const std::string& text) { return read_text(text, "test.yaml").mechanism.value(); }

struct Figures {
  int mechanisms = 0, states = 0;
  double worst = 0.0;
};

void check(const Mechanism& mechanism, Figures& figures, bool minimal = true) {
  const Model<double> model = instantiate<double>(mechanism);
  const BaseParameters<double> parameters = base_parameters(model);
  const Model<double> small = regrouped(model);
  const auto n = static_cast<Eigen::Index>(parameters.standard.size());
  const auto rows = static_cast<Eigen::Index>(parameters.base.size());
  const Values full = parameter_values(model, parameters.standard), left = parameter_values(small, parameters.standard);

  // only base parameters are left, and they are K π
  const Values base = base_values<double>(parameters, full);
  VectorXd expected = VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < rows; ++k)
    expected[parameters.base[static_cast<std::size_t>(k)]] = base[static_cast<std::size_t>(k)];
  const double size = VectorXd(Eigen::Map<const VectorXd>(full.data(), n)).cwiseAbs().sum();
  EXPECT_LT(largest(Eigen::Map<const VectorXd>(left.data(), n) - expected), 1e-13 * size * (1.0 + n)) << model.name;
  for (Eigen::Index k = 0; k < n; ++k) {
    if (expected[k] == 0.0) {
      EXPECT_EQ(left[static_cast<std::size_t>(k)], 0.0) << model.name;
    }
  }

  Workspace<double> work(model);
  Random random(7);
  ++figures.mechanisms;
  for (int k = 0; k < 5; ++k, ++figures.states) {
    const State s = random_state(model, random);
    VectorXd tau(model.nv), ours(model.nv);
    rnea<double>(model, work, s.q, s.qd, s.qdd, {tau.data(), s.qdd.size()});
    rnea<double>(small, work, s.q, s.qd, s.qdd, {ours.data(), s.qdd.size()});
    MatrixXd Y(model.nv, n);
    regressor<double>(model, parameters.standard, work, s.q, s.qd, s.qdd,
                      {Y.data(), static_cast<std::size_t>(Y.size())});
    const double terms =
        (Y.cwiseAbs() * (Eigen::Map<const VectorXd>(full.data(), n).cwiseAbs() + expected.cwiseAbs())).maxCoeff() + 1.0;
    const double error = largest(tau - ours) / terms;
    figures.worst = worse(figures.worst, error);
    EXPECT_LT(error, 1e-12) << model.name;
  }
  const int rank = base_rank(model);
  if (minimal) {
    EXPECT_EQ(static_cast<int>(rows), rank) << model.name;
  } else {
    EXPECT_GE(static_cast<int>(rows), rank) << model.name;
  }
}

TEST(BaseParameters, AnyTreeHasAsManyAsTheRankOfItsRegressor) {
  Figures figures;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    check(random_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 7),
                                  .branching = seed % 2 == 0 ? 0.4 : 0.0,
                                  .drives = true,
                                  .springs = true}),
          figures);
  }
  fmt::print("  {} mechanisms, {} states: torques within {:.1e}\n", figures.mechanisms, figures.states, figures.worst);
}

TEST(BaseParameters, SoHaveMechanismsWithParallelAndMeetingAxes) {
  const std::vector<std::vector<JointType>> families{
      {JointType::revolute},
      {JointType::revolute, JointType::prismatic},
      {JointType::prismatic, JointType::prismatic, JointType::cylindrical, JointType::planar, JointType::revolute},
      {JointType::revolute, JointType::universal, JointType::spherical},
      kAllJointTypes};
  Figures figures;
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Mechanism m = special_mechanism(seed, {.joints = 1 + static_cast<int>(seed % 6),
                                                 .types = families[seed % families.size()],
                                                 .branching = seed % 3 == 0 ? 0.4 : 0.0,
                                                 .drives = true});
    Random random(seed);
    check(seed % 4 == 0 ? turned(m, random) : m, figures);
    counts.insert(base_parameters(instantiate<double>(m)).base.size());
  }
  fmt::print("  {} mechanisms, {} states: torques within {:.1e}; {} different numbers of parameters\n",
             figures.mechanisms, figures.states, figures.worst, counts.size());
  EXPECT_GT(counts.size(), 20u);
}

TEST(BaseParameters, EmbeddedModels) {
  Figures figures;
  for (const std::string& name : embedded_names()) {
    const Mechanism mechanism = load(name);
    if (mechanism.loops.empty()) check(mechanism, figures);
  }
  EXPECT_GT(figures.mechanisms, 10);
}

// Corners that chance rarely meets, each with its number counted by hand.
TEST(BaseParameters, CountsByHand) {
  const std::string head = "linkwright: 1\nname: corner\n", still = head + "gravity: [0, 0, 0]\nlinks:\n";
  const std::string body =
      "inertia: {mass: 2, com: [0.1, -0.2, 0.3], tensor: {xx: 1, yy: 1.1, zz: 0.9, xy: 0.1, xz: 0.05, yz: -0.07}}";
  const auto link = [&](const std::string& name, const std::string& parent, const std::string& joint) {
    const bool one = joint.starts_with("type: revolute") || joint.starts_with("type: prismatic");
    const std::string drive = one ? ", drive: {rotor_inertia: 0.1}" : "";
    return "  - {name: " + name + ", parent: " + parent + ", joint: {" + joint + "}, " + body + drive + "}\n";
  };
  struct Corner {
    std::string text;
    std::size_t count;
  };
  const std::vector<Corner> corners{
      // a ball at rest (6), an axis through its centre (5 and a rotor)
      {still + link("a", "base", "type: spherical") +
           link("b", "a", "type: revolute, axis: x, origin: {xyz: [0.3, 0, 0]}"),
       12},
      // three axes that meet where the first stands still; the third's frame is away from there (1, 5, 5 and a rotor)
      {still + link("a", "base", "type: revolute, axis: z") + link("b", "a", "type: revolute, axis: x") +
           link("c", "b", "type: revolute, axis: y, origin: {xyz: [0, 0.2, 0]}"),
       12},
      // a universal joint of which the first axis meets the axis above, the centre does not (1, 9)
      {still + link("a", "base", "type: revolute, axis: z") +
           link("b", "a", "type: universal, axis: x, axis2: y, origin: {xyz: [0.5, 0, 0]}"),
       10},
      // the centre does: every h goes, too (1, 6)
      {still + link("a", "base", "type: revolute, axis: z") + link("b", "a", "type: universal, axis: x, axis2: y"), 7},
      // a level slide feels mass and rotor as one; an upright one does not, since only the mass has weight
      {head + "links:\n" + link("a", "base", "type: prismatic, axis: x"), 1},
      {head + "links:\n" + link("a", "base", "type: prismatic, axis: z"), 2},
      // slide on slide: masses of both, and the rotor of the second where it is not square to the first
      {head + "links:\n" + link("a", "base", "type: prismatic, axis: x") + link("b", "a", "type: prismatic, axis: y"),
       2},
      {head + "links:\n" + link("a", "base", "type: prismatic, axis: x") +
           link("b", "a", "type: prismatic, axis: [1, 1, 0]"),
       3},
      // a crane: turn, lift along the axis (m, rotor), arm out (m, mx or so, my or so, and a rotor)
      {head + "links:\n" + link("a", "base", "type: revolute, axis: z") + link("b", "a", "type: prismatic, axis: z") +
           link("c", "b", "type: prismatic, axis: x"),
       1 + 2 + 4}};
  Figures figures;
  for (const Corner& corner : corners) {
    const Mechanism mechanism = from_text(corner.text);
    check(mechanism, figures);
    EXPECT_EQ(base_parameters(instantiate<double>(mechanism)).base.size(), corner.count) << corner.text;
  }
}

TEST(BaseParameters, MimicsKeepTheirTorques) {
  Figures figures;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RandomMechanismOptions options{
        .joints = 2 + static_cast<int>(seed % 5), .branching = 0.3, .drives = true, .mimic = 0.4};
    check(seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options), figures, false);
  }
  fmt::print("  {} mechanisms, {} states: torques within {:.1e}\n", figures.mechanisms, figures.states, figures.worst);
}

// Counts as published for arms whose links have every inertial parameter: Khalil and Dombre's 7 a revolute joint and 4
// a slide, less 6 where gravity is along the first axis.
TEST(BaseParameters, PumaHas36AndStanford33) {
  const auto count = [](const char* name) {
    Mechanism m = load(name);
    int seed = 0;
    for (Link& link : m.links) {  // dense bodies, with a rotor at every joint
      Mechanism any = random_mechanism(static_cast<std::uint64_t>(++seed), {.joints = 1, .fixed = 0.0, .payload = 0.0});
      link.inertia = any.links[0].inertia;
      link.joint.drive.emplace();
      link.joint.drive->rotor_inertia = 0.1;
    }
    const Model<double> model = instantiate<double>(m);
    const BaseParameters<double> p = base_parameters(model);
    int bodies = 0;
    for (std::size_t k = 0; k < p.base.size(); ++k) bodies += p.name(k).ends_with(".rotor") ? 0 : 1;
    EXPECT_EQ(base_rank(model, false), bodies) << name;
    EXPECT_EQ(base_rank(model), static_cast<int>(p.base.size())) << name;
    return std::pair(bodies, p.base.size());
  };
  // rotors 1 and 2 are part of zz1 and zz2: the second axis is square to the first
  EXPECT_EQ(count("puma560"), std::pair(36, std::size_t{40}));
  EXPECT_EQ(count("stanford"), std::pair(33, std::size_t{37}));
  // as it stands in its file, without drives
  EXPECT_EQ(base_parameters(instantiate<double>(load("stanford"))).base.size(), 33u);
}

// Khalil and Dombre's relations of a revolute joint about z, between modified DH frames α, d (along x of the parent),
// r (along z): the parent's xx gains yy + 2 r mz + r² m, and so forth.
TEST(BaseParameters, SymbolicRelationsAreKhalils) {
  const Mechanism mechanism = from_text(R"(linkwright: 1
name: khalil
gravity: [0, -9.81, 0]
parameters: {alpha: 0.3, d: 0.4, r: 0.5}
links:
  - {name: a, parent: base, joint: {type: floating}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, dh: {alpha: alpha, a: d, theta: 0, d: r}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
)");
  Graph graph;
  const Expr alpha = graph.input("alpha"), d = graph.input("d"), r = graph.input("r");
  const Model<Expr> model = instantiate<Expr>(mechanism, {{"alpha", alpha}, {"d", d}, {"r", r}});
  const BaseParameters<Expr> p = base_parameters(model);
  EXPECT_EQ(p.base.size(), 10u + 7u);  // yy, mz and m of b are gone
  struct Entry {
    const char *to, *from;
    Expr value;
  };
  const Expr c = cos(alpha), s = sin(alpha);
  const std::vector<Entry> entries{{"b.xx", "b.yy", -1.0},
                                   {"a.xx", "b.yy", 1.0},
                                   {"a.xx", "b.mz", 2.0 * r},
                                   {"a.xx", "b.m", r * r},
                                   {"a.xy", "b.mz", d * s},
                                   {"a.xy", "b.m", d * s * r},
                                   {"a.xz", "b.mz", -d * c},
                                   {"a.xz", "b.m", -d * c * r},
                                   {"a.yy", "b.yy", c * c},
                                   {"a.yy", "b.mz", 2.0 * r * c * c},
                                   {"a.yy", "b.m", d * d + r * r * c * c},
                                   {"a.yz", "b.yy", c * s},
                                   {"a.yz", "b.mz", 2.0 * r * c * s},
                                   {"a.yz", "b.m", r * r * c * s},
                                   {"a.zz", "b.yy", s * s},
                                   {"a.zz", "b.mz", 2.0 * r * s * s},
                                   {"a.zz", "b.m", d * d + r * r * s * s},
                                   {"a.mx", "b.m", d},
                                   {"a.my", "b.mz", -s},
                                   {"a.my", "b.m", -r * s},
                                   {"a.mz", "b.mz", c},
                                   {"a.mz", "b.m", r * c},
                                   {"a.m", "b.m", 1.0}};
  std::vector<NodeId> nodes;
  for (const Entry& e : entries) {
    Expr factor = 0.0;
    for (std::size_t k = 0; k < p.base.size(); ++k) {
      for (const auto& [parameter, f] : p.K[k]) {
        if (p.name(k) == e.to && p.standard.names[static_cast<std::size_t>(parameter)] == e.from) factor = f;
      }
    }
    nodes.push_back(graph.intern(factor));
    nodes.push_back(graph.intern(e.value));
  }
  const Function both("entries", {{"x", 3}}, {{"y", nodes.size()}},
                      std::shared_ptr<const Graph>(std::shared_ptr<const Graph>(), &graph), nodes);
  for (const Values& at : {Values{0.3, 0.4, 0.5}, Values{-2.0, 0.1, -0.7}}) {
    Values y(nodes.size());
    evaluate<double>(both, at, y);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      EXPECT_NEAR(y[2 * k], y[2 * k + 1], 1e-15) << entries[k].to << " from " << entries[k].from;
    }
  }
}

TEST(BaseParameters, SymbolsGiveWhatTheirValuesDo) {
  // the two axes are parallel by cos² + sin² = 1 only
  const Mechanism bent = from_text(R"(linkwright: 1
name: bent
gravity: [0, 0, -9.81]
parameters: {bend: 0.3, length: 0.4}
links:
  - {name: a, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, com: [0.1, 0.2, 0.3]}}
  - {name: knee, parent: a, joint: {type: fixed, origin: {xyz: [length, 0, 0], rpy: [bend, 0, 0]}}}
  - name: b
    parent: knee
    joint: {type: revolute, axis: z, origin: {xyz: [0, length, 0], rpy: [-bend, 0, 0]}}
    inertia: {mass: 2, com: [0.3, 0.1, 0.2], tensor: {xx: 1, yy: 1.1, zz: 0.9, xy: 0.1, xz: 0.05, yz: -0.07}}
)");
  EXPECT_EQ(base_parameters(instantiate<double>(bent)).base.size(), 1u + 3u);
  for (const Mechanism& mechanism : {bent, load("puma560"), load("stanford")}) {
    const Model<double> model = instantiate<double>(mechanism);
    const BaseParameters<double> expected = base_parameters(model);
    const Values values = parameter_values(regrouped(model), expected.standard);
    Values parameters;
    for (const Parameter& p : mechanism.parameters) parameters.push_back(p.value.value.constant());
    const Function symbolic =
        trace("values", {{"p", parameters.size()}}, {{"pi", values.size()}}, [&](const Arguments& in, Results& out) {
          ParameterValues<Expr> given;
          for (std::size_t k = 0; k < parameters.size(); ++k) given[mechanism.parameters[k].name] = in[0][k];
          const Model<Expr> symbols = instantiate<Expr>(mechanism, given);
          EXPECT_EQ(base_parameters(symbols).base, expected.base) << mechanism.name;
          out[0] = parameter_values(regrouped(symbols), expected.standard);
        });
    Values got(values.size());
    evaluate<double>(symbolic, parameters, got);
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], values[k], 1e-14) << expected.standard.names[k];
  }
}

TEST(BaseParameters, DerivativesPassThrough) {
  // two parallel axes, the second being tilted: a parameter that has no effect has one in the derivative, and is kept
  const Mechanism mechanism = from_text(R"(linkwright: 1
name: tilted
parameters: {tilt: 0}
links:
  - {name: a, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, com: [0.1, 0.2, 0.3], tensor: [1, 1, 1]}}
  - name: b
    parent: a
    joint: {type: revolute, axis: z, origin: {xyz: [1, 0, 0], rpy: [tilt, 0, 0]}}
    inertia: {mass: 2, com: [0.3, 0.1, 0.2], tensor: {xx: 1, yy: 1.1, zz: 0.9, xy: 0.1, xz: 0.05, yz: -0.07}}
)");
  EXPECT_LT(base_parameters(instantiate<double>(mechanism)).base.size(),
            base_parameters(instantiate<Dual>(mechanism, {{"tilt", Dual(0.0, 1.0)}})).base.size());
  const Model<Dual> model = instantiate<Dual>(mechanism, {{"tilt", Dual(0.0, 1.0)}}), small = regrouped(model);
  Workspace<Dual> work(model);
  const std::vector<Dual> q{0.3, -0.8}, qd{1.1, 0.4}, qdd{-0.5, 2.0};
  std::vector<Dual> tau(2), ours(2);
  rnea<Dual>(model, work, q, qd, qdd, tau);
  rnea<Dual>(small, work, q, qd, qdd, ours);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(tau[k].v, ours[k].v, 1e-13);
    EXPECT_NEAR(tau[k].d, ours[k].d, 1e-13);
    EXPECT_GT(std::abs(tau[k].d), 1e-3);
  }
}

TEST(BaseParameters, RelationsReadAsSums) {
  const BaseParameters<double> p = base_parameters(instantiate<double>(load("puma560")));
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < p.base.size(); ++k) texts.push_back(relation_text(p, k));
  EXPECT_EQ(texts.back(), "link6.rotor");
  EXPECT_NE(std::find(texts.begin(), texts.end(), "link6.xx - link6.yy"), texts.end());
}

}  // namespace base_parameters_test
}  // namespace lw
