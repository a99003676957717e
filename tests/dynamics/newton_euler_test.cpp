// The identities that the modified Newton-Euler recursion rests on, and that each recursion costs what its steps cost.
#include <gtest/gtest.h>

#include "dynamics/formulations/binder.hpp"
#include "dynamics/formulations/newton_euler.hpp"
#include "model/random_state.hpp"
#include "reproduce/counting.hpp"

namespace lw {
namespace {

namespace steps = newton_euler_steps;
using V = Vec3<double>;
using M = Mat3<double>;

V random_vector(Random& random) { return {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)}; }

M random_rotation(Random& random) {
  const Eigen::Quaterniond q = Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1.1).normalized();
  return M::from(q.toRotationMatrix());
}

double difference(const V& a, const V& b) { return (a - b).eigen().cwiseAbs().maxCoeff(); }
double difference(const M& a, const M& b) { return (a - b).eigen().cwiseAbs().maxCoeff(); }

TEST(NewtonEulerModified, LambdaIsWhatTurningDoes) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const V w = random_vector(random), alpha = random_vector(random), a = random_vector(random), r = random_vector(random);
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
    const V w = random_vector(random), alpha = random_vector(random), d = random_vector(random), o = random_vector(random);
    const M I{{d[0], o[2], o[1]}, {o[2], d[1], o[0]}, {o[1], o[0], d[2]}};
    EXPECT_LE(difference(steps::own_moment(I, steps::inertia_differences(I), steps::spin(w, alpha).S, alpha),
                         steps::own_moment(I, w, alpha)),
              1e-13 * 100);
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

}  // namespace
}  // namespace lw
