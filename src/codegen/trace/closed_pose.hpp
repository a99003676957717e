// What functions of closed mechanisms have in common: the closed pose of their inputs, and what is projected there.
#pragma once

#include "../../base/index.hpp"
#include "closed_methods.hpp"

namespace lw {

// The pose of the function's inputs, closed; its own outputs, which stand last, are given.
class ClosedPose {
 public:
  ClosedPose(const ClosedMethod& method, const std::vector<Expr>& q, const std::vector<Expr>& guess, Results& out)
      : work(method.model, method.plan),
        position_(loop_position<Expr>(method.model, method.plan, q, guess, method.position)) {
    std::vector<Expr>& dependent = out[out.size() - 2];
    for (std::size_t k = 0; k < dependent.size(); ++k) dependent[k] = position_.q[at(method.plan.dependent_q[k])];
    out.back() = position_.residual;
  }
  const std::vector<Expr>& q() const { return position_.q; }

  PlantWorkspace<Expr> work;

 private:
  LoopPosition<Expr> position_;
};

// The same algorithm, which names what it is asked for: the motion of the dependent joints.
TreeTorques<Expr> with_names(const ClosedMethod& method, PlantWorkspace<Expr>& work, const TreeTorques<Expr>& torques);
void name_multipliers(const PlantWorkspace<Expr>& work);

}  // namespace lw
