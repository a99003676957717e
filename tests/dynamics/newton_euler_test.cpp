// What is particular to the Newton-Euler formulations: identities, frames, and that a link costs what its steps cost.
// That they give the right torques, formulations_test.cpp shows.
#include <gtest/gtest.h>

#include <cmath>

#include <Eigen/Core>

#include "base/largest.hpp"
#include "base/random.hpp"
#include "base/worse.hpp"
#include "dynamics/formulations/binder.hpp"
#include "dynamics/formulations/newton_euler.hpp"
#include "reproduce/counting.hpp"
#include "reproduce/evaluate.hpp"

namespace lw {
namespace newton_euler_test {

namespace steps = newton_euler_steps;
using V = Vec3<double>;
using M = Mat3<double>;

V random_vector(Random& random) { return {random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)}; }

M random_rotation(Random& random) {
  const Eigen::Vector4d q{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1), 1.1};
  const Eigen::Vector4d unit = q.normalized();
  return rotation_from_quaternion(unit[0], unit[1], unit[2], unit[3]);
}

double difference(const V& a, const V& b) { return largest((a - b).eigen()); }
double difference(const M& a, const M& b) { return largest((a - b).eigen()); }

TEST(NewtonEulerModified, LambdaIsWhatTurningDoes) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const V w = random_vector(random), alpha = random_vector(random), a = random_vector(random),
            r = random_vector(random);
    EXPECT_LE(difference(steps::point_acceleration(a, steps::spin(w, alpha).lambda, r),
                         steps::point_acceleration(a, w, alpha, r)),
              1e-13);
  }
}

TEST(NewtonEulerModified, LambdaOfASlideIsTurnedByTheTransposeFirst) {
  Random random(2);
  for (int k = 0; k < 1000; ++k) {
    const V w = random_vector(random), alpha = random_vector(random);
    const M R = random_rotation(random), Rt = transpose(R);
    const steps::Spin<double> there = steps::spin(w, alpha), here = steps::spin(Rt * w, Rt * alpha);
    EXPECT_LE(difference(steps::turned_spin(R, there).lambda, here.lambda), 1e-13);
    EXPECT_LE(difference(steps::turned_spin(R, there).S, here.S), 1e-13);
    EXPECT_GT(difference(R * (there.lambda * Rt), here.lambda), 1e-3);  // Dhanaraj's equation 2.29
  }
}

TEST(NewtonEulerModified, GyroscopicMomentOfAFullTensor) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const V w = random_vector(random), alpha = random_vector(random), d = random_vector(random),
            o = random_vector(random);
    const M I{{d[0], o[2], o[1]}, {o[2], d[1], o[0]}, {o[1], o[0], d[2]}};
    EXPECT_LE(difference(steps::own_moment(I, steps::inertia_differences(I), steps::spin(w, alpha).S, alpha),
                         steps::own_moment(I, w, alpha)),
              1e-13);
  }
}

// Binder's frames are those of standard Denavit-Hartenberg rows (without offsets along the axis, which could go to
// either side of it): A(i−1, i) as he prints it (2.1-13), S = (a, d sin α, d cos α), and the centre of mass as the file
// gives it.
TEST(BinderLinkFrames, AreDenavitHartenberg) {
  struct Dh {
    double alpha, a, theta, d;
  };
  const double q[3] = {0.6, 0.25, -0.4};
  const Dh rows[2] = {{0.7, 0.4, q[0], 0.0}, {-1.2, 0.2, 0.0, q[1]}};
  const Linkage<double> arm = linkage(reproduce::from_text(R"(
linkwright: 1
name: arm
links:
  - name: one
    parent: base
    joint: {type: revolute, dh: {alpha: 0.7, a: 0.4, convention: standard}}
    inertia: {mass: 2, com: [0.1, 0.2, 0.3], tensor: [1, 1.2, 0.9]}
  - name: two
    parent: one
    joint: {type: prismatic, dh: {alpha: -1.2, a: 0.2, convention: standard}}
    inertia: {mass: 2, com: [0.1, 0.2, 0.3], tensor: [1, 1.2, 0.9]}
  - name: three
    parent: two
    joint: {type: revolute, dh: {convention: standard}}
    inertia: {mass: 2, com: [0.1, 0.2, 0.3], tensor: [1, 1.2, 0.9]}
)"));
  const BinderChain<double> chain = chain_in_link_frames<double>(arm, joint_poses<double>(arm, q));
  for (std::size_t i = 0; i < 2; ++i) {
    const Dh& row = rows[i];
    const double ca = std::cos(row.alpha), sa = std::sin(row.alpha);
    const double c = std::cos(row.theta), s = std::sin(row.theta);
    const M printed{{c, s, 0}, {-s * ca, c * ca, sa}, {s * sa, -c * sa, ca}};
    EXPECT_LE(difference(transpose(chain.links[i].A), printed), 1e-15) << i;
    EXPECT_LE(difference(chain.links[i].S, V(row.a, row.d * sa, row.d * ca)), 1e-15) << i;
    EXPECT_LE(difference(chain.links[i].r, V(0.1, 0.2, 0.3)), 1e-15) << i;
    EXPECT_LE(difference(chain.links[i].J, M({1, 0, 0}, {0, 1.2, 0}, {0, 0, 0.9})), 1e-15) << i;
  }
}

// Counted by hand: turning a vector 9 and 6, a cross product 6 and 3, a sum of vectors 3.
TEST(NewtonEuler, ALinkCostsWhatItsStepsCost) {
  using Cost = std::vector<double>;
  // ω 9, 7; α 11, 9; a 27, 21; a_c 18, 15; F 3; N 24, 18; f 9, 9; n 21, 21
  EXPECT_EQ(reproduce::cost_of_a_link(newton_euler<Count>), (Cost{122, 100}));
  EXPECT_EQ(reproduce::cost_of_a_link(newton_euler<Count>, true), (Cost{110, 88}));
  // λ 6, 9; a 18, 15; a_c 9, 9; N 6, 3 or 24, 21; the others alike
  EXPECT_EQ(reproduce::cost_of_a_link(newton_euler_modified<Count>, true), (Cost{92, 82}));
  EXPECT_EQ(reproduce::cost_of_a_link(newton_euler_modified<Count>), (Cost{110, 100}));
}

}  // namespace newton_euler_test
}  // namespace lw
