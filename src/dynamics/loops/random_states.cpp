#include "random_states.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../assembly/assembly.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"
#include "loop_position.hpp"

namespace lw {
namespace {

constexpr double kOffGuess = 1e-3;
constexpr int kStrides = 8;  // from home to a pose

}  // namespace

RandomStates::RandomStates(const Model<double>& model, const LoopPlan& plan)
    : model_(model),
      plan_(plan),
      work_(model),
      home_(assemble_home(model).q),
      q_(home_) {}

double RandomStates::condition(const std::vector<double>& q) {
  forward_kinematics<double>(model_, work_, q);
  const std::size_t m = plan_.equations.size();
  std::vector<double> J(m * at(model_.nv));
  closure_jacobian<double>(model_, work_, plan_.equations, ClosureAt::closed, J);
  Eigen::MatrixXd Ju(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(m));
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i)
      Ju(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = J[at(plan_.dependent[j]) * m + i];
  }
  const Eigen::VectorXd s = Svd(Ju).s;
  return s[s.size() - 1] > 0.0 ? s[0] / s[s.size() - 1] : std::numeric_limits<double>::infinity();
}

State RandomStates::next(Random& random) {
  State s;
  if (plan_.is_tree()) {
    s = random_state(model_, random);
    q_ = s.q;
    return s;
  }
  if (limit_ == 0.0) limit_ = 20.0 * condition(home_);
  // independent joints move, in strides; where these lead astray, the way is shorter the next time
  for (double size = 1.0;; size *= 0.7) {
    std::vector<double> way(at(model_.nv), 0.0);
    for (const Body<double>& b : model_.bodies) {
      const double reach = b.kind == JointKind::prismatic ? 0.2 * std::max(0.1, std::abs(home_[at(b.q)])) : 0.8;
      for (int k = 0; k < b.velocities() && !b.mimics; ++k) {
        if (std::find(plan_.independent.begin(), plan_.independent.end(), b.v + k) == plan_.independent.end()) continue;
        way[at(b.v + k)] = random.between(-reach, reach) * size / kStrides;
      }
    }
    std::vector<double> q = home_;
    bool arrived = true;
    for (int stride = 0; stride < kStrides && arrived; ++stride) {
      std::vector<double> moved = q, given, guess;
      advance(model_, moved, way);
      for (const int k : plan_.independent_q) given.push_back(moved[at(k)]);
      for (const int k : plan_.dependent_q) guess.push_back(q[at(k)]);
      const LoopPosition<double> there = loop_position<double>(model_, plan_, given, guess);
      for (std::size_t k = 0; k < q.size(); ++k) arrived = arrived && std::abs(there.q[k] - q[k]) < 0.5;
      arrived = arrived && there.converged && condition(there.q) < limit_;
      q = there.q;
    }
    if (!arrived && size > 1e-3) continue;
    q_ = arrived ? q : home_;
    break;
  }
  for (const int k : plan_.independent_q) s.q.push_back(q_[at(k)]);
  std::vector<double> off(at(model_.nv), 0.0), near = q_;
  for (const int v : plan_.dependent) off[at(v)] = random.between(-kOffGuess, kOffGuess);
  advance(model_, near, off);
  for (const int k : plan_.dependent_q) s.guess.push_back(near[at(k)]);
  for (std::size_t k = 0; k < plan_.freedoms(); ++k) s.qd.push_back(random.between(-2.0, 2.0));
  for (std::size_t k = 0; k < plan_.freedoms(); ++k) s.qdd.push_back(random.between(-5.0, 5.0));
  for (std::size_t k = 0; k < plan_.actuated.size(); ++k) s.tau.push_back(random.between(-20.0, 20.0));
  return s;
}

}  // namespace lw
