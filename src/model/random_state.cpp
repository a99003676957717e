#include "random_state.hpp"

#include <cmath>
#include <numbers>

namespace lw {
namespace {

// uniform over rotations: a random point of the four-dimensional unit ball, normalised
void random_quaternion(Random& random, double* q) {
  double square = 0.0;
  do {
    square = 0.0;
    for (int k = 0; k < 4; ++k) {
      q[k] = random.between(-1.0, 1.0);
      square += q[k] * q[k];
    }
  } while (square > 1.0 || square < 0.01);
  for (int k = 0; k < 4; ++k) q[k] /= std::sqrt(square);
}

}  // namespace

State random_state(const Model<double>& model, Random& random) {
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  State s{std::vector<double>(nq), std::vector<double>(nv), std::vector<double>(nv), std::vector<double>(nv)};
  for (const Body<double>& b : model.bodies) {
    if (b.mimics) continue;
    double* q = s.q.data() + b.q;
    switch (b.kind) {
      case JointKind::revolute: *q = random.between(-std::numbers::pi, std::numbers::pi); break;
      case JointKind::prismatic: *q = random.between(-0.5, 0.5); break;
      case JointKind::floating:
        for (int k = 0; k < 3; ++k) *q++ = random.between(-0.5, 0.5);
        [[fallthrough]];
      case JointKind::spherical: random_quaternion(random, q); break;
    }
  }
  for (double& x : s.qd) x = random.between(-2.0, 2.0);
  for (double& x : s.qdd) x = random.between(-5.0, 5.0);
  for (double& x : s.tau) x = random.between(-20.0, 20.0);
  return s;
}

}  // namespace lw
