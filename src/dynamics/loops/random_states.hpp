// Random states of a mechanism, for tests and verification. Of a tree those of random_state.hpp. With loops: poses that
// can be reached from home without passing a singular one, with closures about as well conditioned as at home.
#pragma once

#include <optional>

#include "../../base/random.hpp"
#include "../../model/random_state.hpp"
#include "loop_plan.hpp"

namespace lw {

class RandomStates {
 public:
  // Both must outlive it. Throws Error where the mechanism cannot be assembled.
  RandomStates(const Model<double>& model, const LoopPlan& plan);

  // q, qd and qdd of the independent joints, tau of the actuated ones; `guess`: the dependent coordinates, off by up to
  // 1e-3 (rad, m).
  State next(Random& random);
  // All coordinates of the last one.
  const std::vector<double>& tree_q() const { return q_; }

 private:
  double condition(const std::vector<double>& q);

  const Model<double>& model_;
  const LoopPlan& plan_;
  Workspace<double> work_;
  std::vector<double> home_, q_;
  double limit_ = 0.0;
};

}  // namespace lw
