// Legs of any number of freedoms: their determinants against Jacobians of the tree.
#include "dynamics/assembly/legs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/linear.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace legs_test {

// A tripod: legs of a revolute, a prismatic and a ball joint, five freedoms each; the first carries the platform in the
// tree.
const char* const kTripod = R"(linkwright: 1
name: tripod
links:
  - {name: foot1, parent: base, joint: {type: revolute, axis: y, origin: {xyz: [0.4, 0, 0]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: ram1, parent: foot1, joint: {type: prismatic, axis: z, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: plate, parent: ram1, joint: {type: spherical}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: foot2, parent: base, joint: {type: revolute, axis: y, origin: {xyz: [-0.2, 0.3464, 0], rpy: [0, 0, 120 deg]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: ram2, parent: foot2, joint: {type: prismatic, axis: z, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: foot3, parent: base, joint: {type: revolute, axis: y, origin: {xyz: [-0.2, -0.3464, 0], rpy: [0, 0, -120 deg]}}, inertia: {mass: 1, tensor: [1, 1, 1]}}
  - {name: ram3, parent: foot3, joint: {type: prismatic, axis: z, actuated: true}, inertia: {mass: 1, tensor: [1, 1, 1]}}
loops:
  - {name: ball2, joint: {type: spherical}, between: [ram2, plate], at: {ram2: {}, plate: {xyz: [-0.6, 0.3464, 0]}}}
  - {name: ball3, joint: {type: spherical}, between: [ram3, plate], at: {ram3: {}, plate: {xyz: [-0.6, -0.3464, 0]}}}
home: {ram1: 0.5, ram2: 0.5, ram3: 0.5}
)";

TEST(Legs, OfFiveFreedomsHaveAVolumeThatTurnsOver) {
  const ReadResult r = read_text(kTripod, "tripod.yaml");
  ASSERT_TRUE(r.mechanism);
  const Model<double> model = instantiate<double>(*r.mechanism);
  Workspace<double> work(model);
  const int plate = model.frame_index("plate");
  const std::vector<Leg> legs = legs_to(model, plate);
  ASSERT_EQ(legs.size(), 3u);
  std::vector<double> q = model.home;
  q[0] = 0.3, q[2] = 0.1, q[3] = -0.2, q[4] = 0.3, q[5] = std::sqrt(1 - 0.14);
  LegMeasure before;
  for (int k = 0; k <= 12; ++k) {
    // the ram through the axis of its foot, where foot and ball turn the plate alike
    q[1] = 0.5 - 0.1 * k + 0.05;
    const LegMeasure now = leg_measure(model, work, q, plate, legs[0], k > 0 ? &before : nullptr);
    // of this leg all joints are in the tree: the same volume from the frame's Jacobian
    forward_kinematics<double>(model, work, q);
    std::vector<double> J(6 * static_cast<std::size_t>(model.nv));
    frame_jacobian<double>(model, work, plate, J);
    const Eigen::MatrixXd part = Eigen::Map<const Eigen::MatrixXd>(J.data(), 6, model.nv).leftCols(5);
    EXPECT_NEAR(std::abs(now.value), std::sqrt(determinant(part.transpose() * part)), 1e-14) << k;
    // foot and ball: only the foot moves the ball's centre, by its distance
    EXPECT_NEAR(now.value, q[1], 1e-12) << k;
    before = now;
  }
}

TEST(Legs, OfTwoFreedomsInAPlaneLeadAPlace) {
  const Model<double> model = instantiate<double>(load("five-bar"));
  Workspace<double> work(model);
  const std::vector<Leg> legs = legs_to(model, model.frame_index("tool"));
  ASSERT_EQ(legs.size(), 2u);
  EXPECT_TRUE(legs[0].planar && legs[1].planar);
  for (const double bend : {-2.0, -0.3, 0.0, 0.7}) {
    std::vector<double> q = model.home;
    q[0] = 1.1, q[2] = bend;
    const LegMeasure m = leg_measure(model, work, q, model.frame_index("tool"), legs[0]);
    EXPECT_EQ(m.J.rows(), 2);
    EXPECT_NEAR(m.value, 0.16 * 0.24 * std::sin(bend), 1e-15);
  }
}

}  // namespace legs_test
}  // namespace lw
