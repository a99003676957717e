// What a file says about forces, in the model: each number against the file's or against a calculation of its own.
#include "model/instantiate_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <fstream>
#include <sstream>

#include "base/worse.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "expect_diagnostic.hpp"
#include "model/check/elastic.hpp"
#include "model/random_state.hpp"

namespace lw {
namespace instantiate_forces_test {

Mechanism parsed(const std::string& text) {
  const ReadResult result = read_text(text, "f.yaml");
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity != Severity::note) ADD_FAILURE() << to_string(d);
  }
  return result.mechanism.value_or(Mechanism());
}

std::string slurp(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
Mechanism everything() { return parsed(slurp(LW_SOURCE_DIR "/tests/fuzz/yaml/forces.yaml")); }

std::vector<double> inverse(const Model<double>& model, const State& s) {
  Workspace<double> work(model);
  std::vector<double> tau(static_cast<std::size_t>(model.nv));
  rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
  return tau;
}
Eigen::MatrixXd mass_matrix(const Model<double>& model, const std::vector<double>& q) {
  Workspace<double> work(model);
  std::vector<double> M(static_cast<std::size_t>(model.nv * model.nv));
  crba<double>(model, work, q, M);
  return Eigen::Map<const Eigen::MatrixXd>(M.data(), model.nv, model.nv);
}

TEST(InstantiateForces, EveryElementHasTheValuesOfTheFile) {
  const Model<double> m = instantiate<double>(everything());
  ASSERT_EQ(m.losses.size(), 2u);
  EXPECT_EQ(m.losses[0].bearings.size(), 2u);
  EXPECT_FALSE(m.losses[0].bearings[0].moments);
  EXPECT_EQ(m.losses[0].width, 0.01);
  EXPECT_DOUBLE_EQ(m.losses[0].damper_table(-3.0), -6.0);  // straight on
  EXPECT_EQ(m.losses[1].v, 4);
  // a flat guide presses in two directions across its slide
  const Vec3<double> across = m.losses[1].bearings[0].across;
  EXPECT_NEAR(dot(across, m.bodies[static_cast<std::size_t>(m.losses[1].body)].axis), 0.0, 1e-15);
  EXPECT_NEAR(dot(across, across), 1.0, 1e-15);

  ASSERT_EQ(m.joint_elements.size(), 2u);  // stops of the column, table of the arm
  EXPECT_TRUE(m.joint_elements[0].has_lower && m.joint_elements[0].has_upper);
  EXPECT_EQ(m.joint_elements[0].lower, -2.0);
  EXPECT_EQ(m.joint_elements[0].stiffness, 3000.0);
  EXPECT_EQ(m.joint_elements[0].damping, 20.0);
  EXPECT_EQ(m.joint_elements[1].spring(1.0), 20.0);
  EXPECT_EQ(m.bodies[1].stiffness, 0.0);

  ASSERT_EQ(m.transmissions.size(), 2u);
  EXPECT_EQ(m.transmissions[0].name, "arm");
  EXPECT_EQ(m.transmissions[0].v, std::vector<int>{1});
  EXPECT_DOUBLE_EQ(m.transmissions[0].drives[0].efficiency(6.0), 0.6);  // load 0.1 of 60 N·m
  EXPECT_EQ(m.transmissions[0].drives[0].efficiency(1e3), 0.8);
  EXPECT_EQ(m.transmissions[1].v, (std::vector<int>{2, 3}));
  EXPECT_EQ(m.transmissions[1].drives[1].name, "right");

  ASSERT_EQ(m.springs.size(), 2u);
  EXPECT_EQ(m.springs[0].a.body, 0);
  EXPECT_EQ(m.springs[0].b.body, 1);
  EXPECT_EQ(m.springs[0].a.X_BF.p[2], 0.9);
  EXPECT_EQ(m.springs[0].stiffness, 300.0);
  EXPECT_TRUE(m.springs[0].tension.empty());
  EXPECT_EQ(m.springs[1].a.body, -1);
  EXPECT_DOUBLE_EQ(m.springs[1].tension(0.5), -40.0);

  ASSERT_EQ(m.forces.size(), 2u);
  EXPECT_DOUBLE_EQ(m.forces[0].wrench.lin[0], 10.0 * std::sin(0.5));
  EXPECT_EQ(m.forces[0].wrench.ang[2], 0.25);
  EXPECT_EQ(m.forces[0].frame.X_BF.p[0], 0.1);
  EXPECT_FALSE(m.forces[0].in_link);
  EXPECT_TRUE(m.forces[1].in_link);

  ASSERT_EQ(m.shafts.size(), 1u);
  EXPECT_EQ(m.shafts[0].body_a, m.joints[0].last_body);
  EXPECT_EQ(m.shafts[0].body_b, m.joints[5].last_body);
  EXPECT_EQ(m.shafts[0].play, 0.005);
}

// At 0.25 a quarter of the way from the second row to the third; before and after the table as at its ends.
TEST(InstantiateForces, ForcesDependOnTheTimeParameter) {
  const Mechanism mechanism = everything();
  const auto at = [&](double t) { return instantiate<double>(mechanism, {{"t", t}}).forces[1].wrench; };
  EXPECT_DOUBLE_EQ(at(0.25).lin[2], 3.0 + 0.25 * 297.0);
  EXPECT_DOUBLE_EQ(at(0.25).ang[0], 3.0);
  EXPECT_DOUBLE_EQ(at(0.1).lin[1], 1.0);
  EXPECT_EQ(at(-1.0).lin[2], 0.0);
  EXPECT_EQ(at(9.0).lin[2], 300.0);
  const Model<Dual> moved = instantiate<Dual>(mechanism, {{"t", Dual(0.1, 1.0)}});
  EXPECT_NEAR(moved.forces[1].wrench.lin[2].d, 3.0 / 0.2, 1e-12);
  EXPECT_NEAR(moved.forces[0].wrench.lin[0].d, 20.0 * std::cos(0.2), 1e-12);
  // a file that does not name it has it at 0
  const Mechanism unsaid = parsed(R"(linkwright: 1
name: x
links: [{name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1}}]
forces: [{link: a, force: [cos(t), 0, 0]}]
)");
  ASSERT_EQ(unsaid.parameters.size(), 1u);
  EXPECT_EQ(unsaid.parameters[0].name, "t");
  EXPECT_EQ(instantiate<double>(unsaid).forces[0].wrench.lin[0], 1.0);
  EXPECT_EQ(instantiate<double>(unsaid, {{"t", 2.0}}).forces[0].wrench.lin[0], std::cos(2.0));
}

// C⁻¹ C = 1, also where elimination in the order of the rows would divide by zero, and for every scalar.
TEST(InstantiateForces, CouplingsAreInverted) {
  const Mechanism m = parsed(R"(linkwright: 1
name: x
parameters: {e: 0.3}
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: a, joint: {type: revolute, axis: x}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: c, parent: b, joint: {type: revolute, axis: y}, inertia: {mass: 1, tensor: [1, 1, 1]}}
couplings:
  - name: w
    joints: [c, a, b]
    matrix: [[0, 2, e], [1, e, 0], [0, 0, -3]]
    motors: [{name: m}, {name: n}, {name: o}]
)");
  const auto residual = [](const auto& t) {
    double worst = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        auto sum = t.C_inverse[0] * 0.0;
        for (std::size_t k = 0; k < 3; ++k) sum += t.C_inverse[i * 3 + k] * t.C[k * 3 + j];
        worst = std::max(worst, std::abs(value_of(sum) - (i == j ? 1.0 : 0.0)));
      }
    }
    return worst;
  };
  const Transmission<double> plain = instantiate<double>(m).transmissions[0];
  EXPECT_EQ(plain.v, (std::vector<int>{2, 0, 1}));
  EXPECT_LT(residual(plain), 1e-15);
  // d(C⁻¹) = -C⁻¹ dC C⁻¹
  const Transmission<Dual> moved = instantiate<Dual>(m, {{"e", Dual(0.3, 1.0)}}).transmissions[0];
  const Eigen::Matrix3d inverse = (Eigen::Matrix3d() << 0, 2, 0.3, 1, 0.3, 0, 0, 0, -3).finished().inverse();
  const Eigen::Matrix3d dC = (Eigen::Matrix3d() << 0, 0, 1, 0, 1, 0, 0, 0, 0).finished();
  const Eigen::Matrix3d expected = -inverse * dC * inverse;
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(moved.C_inverse[static_cast<std::size_t>(k)].v, inverse(k / 3, k % 3), 1e-15);
    EXPECT_NEAR(moved.C_inverse[static_cast<std::size_t>(k)].d, expected(k / 3, k % 3), 1e-15);
  }
  Graph graph;
  const Transmission<Expr> kept = instantiate<Expr>(m, {{"e", graph.input("e")}}).transmissions[0];
  EXPECT_EQ(kept.C_inverse.size(), 9u);
}

// Twice the rotors' energy, Σ J (r φ̇)² with φ̇ = C q̇, is what coupled rotors add to q̇ᵀ M q̇.
TEST(InstantiateForces, CoupledRotorsAddTheirEnergy) {
  const Mechanism with = everything();
  Mechanism without = with;
  without.couplings.clear();
  const Model<double> a = instantiate<double>(with), b = instantiate<double>(without);
  const std::vector<double> qd{0.3, -1.2, 0.7, 2.0, 0.1, -0.5};
  double added = 0.0;
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    const double v = qd[static_cast<std::size_t>(a.bodies[k].v)];
    added += (a.bodies[k].armature - b.bodies[k].armature) * v * v;
  }
  ASSERT_EQ(a.rotor_ties.size(), 1u);
  for (const RotorTie<double>& t : a.rotor_ties) {
    added += 2.0 * t.inertia * qd[static_cast<std::size_t>(t.v)] * qd[static_cast<std::size_t>(t.w)];
  }
  const double left = 50.0 * qd[3], right = 60.0 * (qd[2] + qd[3]);
  EXPECT_NEAR(added, 1e-5 * left * left + 2e-5 * right * right, 1e-15);
}

TEST(InstantiateForces, CouplingsBetweenBranchesMakeTheMassMatrixDense) {
  const auto tree = [](const char* parent) {
    return instantiate<double>(parsed(std::string(R"(linkwright: 1
name: x
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: b, parent: )") + parent + R"(, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
couplings: [{name: w, joints: [a, b], matrix: [[1, 1], [1, -2]], motors: [{name: m, rotor_inertia: 1}, {name: n, rotor_inertia: 1}]}]
)"));
  };
  EXPECT_FALSE(has_dense_mass_matrix(tree("a")));
  EXPECT_TRUE(has_dense_mass_matrix(tree("base")));  // their entry is not in the tree's sparsity
}

// A rotor as a body of its own must act like a link that the file says by itself: a massless link with a mimic joint
// and J a aᵀ (which no body has), on a parent that has as much less. The rotor's axis is z of a link that is fixed to
// that parent.
TEST(InstantiateForces, AGyroscopicRotorIsAMimicLinkOfItsJoint) {
  const std::string head = R"(linkwright: 1
name: x
links:
  - {name: a, parent: base, joint: {type: revolute, axis: [1, 2, 3]}, inertia: {mass: 3, com: [0.1, 0.2, 0.3], tensor: [0.5, 0.6, 0.7]}}
  - {name: f, parent: a, joint: {type: fixed, origin: {xyz: [0.2, 0, 0], rpy: [0.4, 0.5, 0.6]}}}
  - {name: b, parent: f, joint: {axis: [0, 1, 1], origin: {xyz: [0, 0.3, 0]}, type: )";
  const std::string body = "}, inertia: {mass: 2, com: [0.3, 0, 0.1], tensor: [0.1, 0.2, 0.2]}";
  struct Case {
    std::string joint, leader, ratio;
  };
  for (const Case& c : {Case{"revolute", "b", "40"}, Case{"prismatic", "b", "40"},
                        Case{"revolute, mimic: {joint: a, ratio: 0.5, offset: 0.3}", "a", "20"}}) {
    const Mechanism by_drive =
        parsed(head + c.joint + body + ", drive: {ratio: 40, rotor_inertia: 0.002, rotor_axis: [0, 0, 2]}}\n");
    const ReadResult by_link =
        read_text(head + c.joint + body +
                      "}\n  - {name: rotor, parent: f, joint: {type: revolute, axis: z, mimic: {joint: " + c.leader +
                      ", ratio: " + c.ratio + "}}, inertia: {mass: 0, tensor: [0, 0, 0.002]}}\n" +
                      "  - {name: less, parent: f, joint: {type: fixed}, inertia: {mass: 0, tensor: [0, 0, -0.002]}}\n",
                  "f.yaml", {.floating_base = false, .allow_unphysical = true});
    ASSERT_TRUE(by_link.mechanism);
    const Model<double> ours = instantiate<double>(by_drive), other = instantiate<double>(*by_link.mechanism);
    Random random(4);
    double worst = 0.0;
    for (int k = 0; k < 20; ++k) {
      const State s = random_state(ours, random);
      worst = worse(worst, largest_difference(inverse(ours, s), inverse(other, s)));
      worst = worse(worst, (mass_matrix(ours, s.q) - mass_matrix(other, s.q)).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(worst, 1e-13) << c.joint;
    EXPECT_EQ(ours.bodies[1].armature, 0.0);
    if (c.leader == "b") {
      EXPECT_EQ(ours.transmissions[0].drives[0].rotor_body, 2);
    }
  }
}

// On the base, whose turning does not count, the gyroscopic rotor is the armature.
TEST(InstantiateForces, ARotorOnTheBaseIsAnArmature) {
  const auto arm = [](const std::string& axis) {
    return instantiate<double>(parsed(R"(linkwright: 1
name: x
links:
  - {name: a, parent: base, joint: {type: revolute, axis: x}, inertia: {mass: 3, com: [0, 0.2, 0.3], tensor: [0.5, 0.6, 0.7]}, drive: {ratio: 40, rotor_inertia: 0.002)" +
                                      axis + "}}\n"));
  };
  const Model<double> plain = arm(""), turning = arm(", rotor_axis: y");
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(plain, random);
    EXPECT_LT(largest_difference(inverse(plain, s), inverse(turning, s)), 1e-13);
    // what does not pass the gear is known either way
    Losses<double> a(plain), b(turning);
    Workspace<double> work_a(plain), work_b(turning);
    inverse_with_losses<double>(plain, work_a, s.q, s.qd, s.qdd, a);
    inverse_with_losses<double>(turning, work_b, s.q, s.qd, s.qdd, b);
    EXPECT_NEAR(a.total[0], b.total[0], 1e-13);
  }
}

TEST(ElasticDrives, AddAMotorAndAShaftToEachElasticJoint) {
  const Mechanism rigid = parsed(R"(linkwright: 1
name: x
parameters: {k: 1e4}
links:
  - {name: a, parent: base, joint: {type: revolute, name: ja}, inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]},
     friction: {coulomb: 1, width: 0.1}, drive: {ratio: 50, rotor_inertia: 1e-4, stiffness: k, damping: 3, backlash: 0.01, efficiency: 0.8}}
  - {name: ja.motor, parent: a, joint: {type: prismatic, axis: x}, inertia: {mass: 2}, drive: {ratio: 100, rotor_inertia: 1e-4}}
  - {name: c, parent: a, joint: {type: prismatic, axis: y}, inertia: {mass: 2}, drive: {ratio: 100, rotor_inertia: 1e-4, rotor_axis: x, stiffness: 2*k}}
home: {ja: 0.5}
)");
  const Mechanism elastic = with_elastic_drives(rigid);
  const Model<double> model = instantiate<double>(elastic);
  EXPECT_EQ(model.coordinate_names, (std::vector<std::string>{"ja", "ja.motor", "c", "ja.motor_", "c.motor"}));
  EXPECT_EQ(model.home, (std::vector<double>{0.5, 0.0, 0.0, 0.5, 0.0}));
  ASSERT_EQ(model.shafts.size(), 2u);
  EXPECT_EQ(model.shafts[0].stiffness, 1e4);
  EXPECT_EQ(model.shafts[0].damping, 3.0);
  EXPECT_EQ(model.shafts[0].play, 0.005);
  EXPECT_EQ(model.shafts[1].stiffness, 2e4);
  EXPECT_EQ(model.bodies[static_cast<std::size_t>(model.shafts[0].body_a)].v, 3);
  EXPECT_EQ(model.bodies[static_cast<std::size_t>(model.shafts[0].body_b)].v, 0);
  EXPECT_FALSE(elastic.links[0].joint.actuated || elastic.links[0].joint.drive);
  EXPECT_TRUE(elastic.links[1].joint.actuated && elastic.links[1].joint.drive);
  ASSERT_EQ(model.transmissions.size(), 3u);
  EXPECT_EQ(model.transmissions[1].v, std::vector<int>{3});
  EXPECT_EQ(model.transmissions[1].width, 0.1);
  // where motor and joint move alike, the motor and joint together are the rigid drive: M summed over both
  const Model<double> stiff = instantiate<double>(rigid);
  const std::vector<double> q{0.3, 0.2, -0.4}, both{0.3, 0.2, -0.4, 0.3, -0.4};
  Eigen::MatrixXd alike(5, 3);
  alike << 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1;
  const Eigen::MatrixXd together = alike.transpose() * mass_matrix(model, both) * alike;
  EXPECT_LT((together - mass_matrix(stiff, q)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(ElasticDrives, RequireRotorInertia) {
  const Mechanism m = parsed(R"(linkwright: 1
name: x
links: [{name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1}, drive: {stiffness: 5}}]
)");
  try {
    with_elastic_drives(m);
    ADD_FAILURE() << "not refused";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("joint `a` is elastic, but its rotor has no inertia"), std::string::npos)
        << e.what();
  }
}

// Table 3.5 of Dhanaraj 1990 from its first columns, with the file's drives: joints 1 and 2 are driven, joint 3 is
// braked.
TEST(PumaOfDhanaraj, DrivesGiveHisInputTorques) {
  const Model<double> m = instantiate<double>(load(LW_SOURCE_DIR "/models/puma560-dhanaraj.yaml"));
  const double at_joint[] = {2.9943, -15.9646, -0.6801}, velocity[] = {1.0, -1.0, 1.0};
  const double input[] = {12.8911, -33.9117, 2.3648};
  ASSERT_EQ(m.transmissions.size(), 6u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(drive_input<double>(m.transmissions[k].drives[0], at_joint[k], velocity[k], 0.0), input[k], 2e-4);
  }
}

}  // namespace instantiate_forces_test
}  // namespace lw
