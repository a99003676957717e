// Twu's groups against complex steps. The joint forces alone could not show an error in (4-6) and (4-8), which cancel
// there.
#include <gtest/gtest.h>

#include "dynamics/formulations/twu.hpp"
#include "model/random_state.hpp"
#include "support/motion.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace twu_groups_test {

using detail::TwuMatrices;
using Steps = std::vector<ComplexStep>;

struct Arm {
  explicit Arm(std::uint64_t seed)
      : mechanism(random_mechanism(
            seed, {.joints = 5, .types = {JointType::revolute, JointType::prismatic}, .branching = 0.0})),
        model(instantiate<double>(mechanism)),
        numbers(linkage(model)),
        steps(linkage(instantiate<ComplexStep>(mechanism))) {}
  Mechanism mechanism;
  Model<double> model;
  Linkage<double> numbers;
  Linkage<ComplexStep> steps;
};

template <class T>
std::vector<TwuMatrices<T>> matrices(const Linkage<T>& arm, const std::vector<T>& q, const std::vector<T>& qd,
                                     const std::vector<T>& qdd) {
  const std::vector<Transform<T>> poses = joint_poses<T>(arm, q);
  std::vector<TwuMatrices<T>> way;
  for (std::size_t k = 0; k < poses.size(); ++k)
    way.push_back(detail::twu_matrices<T>(arm.links[k], poses[k], qd[k], qdd[k]));
  return way;
}

void expect_derivative(const Vec3<double>& got, const Vec3<ComplexStep>& moved, const char* what) {
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(got[k], derivative_of(moved[k]), 1e-12 * std::max(1.0, std::abs(got[k]))) << what;
  }
}

TEST(TwuGroups, AreTheDerivativesTheyAreNamedAfter) {
  int slides = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Arm arm(seed);
    Random random(seed);
    const State s = random_state(arm.model, random);
    const std::size_t n = s.q.size();
    for (const auto& link : arm.numbers.links) slides += link.slides() ? 1 : 0;
    const Vec3<double> r = arm.numbers.links.back().com;
    const Vec3<ComplexStep> r_step = arm.steps.links.back().com;
    const auto way = matrices<double>(arm.numbers, s.q, s.qd, s.qdd);
    const auto with = [&](const Steps& q, const Steps& qd) {
      return matrices<ComplexStep>(arm.steps, q, qd, still(s.qdd));
    };

    Transform<ComplexStep> pose;
    for (const Transform<ComplexStep>& A : joint_poses<ComplexStep>(arm.steps, moving(s.q, s.qd))) pose = pose * A;
    expect_derivative(detail::twu_v<double>(way, r), pose.R * r_step + pose.p, "(4-4)");

    const auto on = with(moving(s.q, s.qd), moving(s.qd, s.qdd));
    expect_derivative(detail::twu_v_rate<double>(way, r), detail::twu_v<ComplexStep>(on, r_step), "(4-5)");
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> unit(n, 0.0);
      unit[j] = 1.0;
      const Vec3<double> by_q = detail::twu_v_by_q<double>(way, j, r);
      expect_derivative(by_q, detail::twu_v<ComplexStep>(with(moving(s.q, unit), still(s.qd)), r_step), "(4-6)");
      expect_derivative(detail::twu_v_by_rate<double>(way, j, r),
                        detail::twu_v<ComplexStep>(with(still(s.q), moving(s.qd, unit)), r_step), "(4-7)");
      expect_derivative(by_q, detail::twu_v_by_rate<ComplexStep>(on, j, r_step), "(4-8)");
    }
  }
  EXPECT_GT(slides, 100);
}

}  // namespace twu_groups_test
}  // namespace lw
