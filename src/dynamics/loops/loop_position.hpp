// The position of a closed mechanism from its independent coordinates, over any scalar.
//
// From a guess of the dependent coordinates, by Newton's method x ← x − (∂r/∂x)⁻¹ r on what is left after the ends of
// the loops (loop_plan.hpp). x are displacements from the guess: of a slide its change, of a turn the tangent t of half
// the angle,
//   cos = (1 − t²)/(1 + t²), sin = 2t/(1 + t²),   Δt = ½(1 + t²) Δθ
// (of a ball the vector of these, Rodrigues 1840), so that no sine is computed on the way. Numbers iterate until
// nothing changes. Expressions make a Solve node of so many steps, with a step of its own: what does not depend on x is
// computed once outside, a short first step too, which has no half turns at x = 0; the angles that come out know their
// sines and cosines.
#pragma once

#include <memory>

#include "../../graph/function.hpp"
#include "loop_plan.hpp"

namespace lw {

// Three steps reach machine precision if the guess is within 0.02 rad.
inline constexpr int kNewtonStepsOfLoops = 3;

// The functions of a Solve node, simplified, to be used again where the same position is traced anew.
struct LoopPositionCache {
  std::shared_ptr<const Function> residual, step;
};

struct LoopPositionOptions {
  int steps = kNewtonStepsOfLoops;     // of expressions; numbers take what they need
  LoopPositionCache* cache = nullptr;  // filled by the first who finds it empty
};

template <class T>
struct LoopPosition {
  std::vector<T> q;         // of the tree
  std::vector<T> residual;  // of plan.position_rows, metres and radians
  bool converged = true;    // of numbers
};

// `q`: the independent coordinates, plan.independent_q; `guess`: the dependent ones. Of an end in closed form the guess
// decides which turn its angle is in; expressions give it between −π and π, where nothing but its sine and cosine
// matters.
template <class T>
LoopPosition<T> loop_position(const Model<T>& model, const LoopPlan& plan, In<T> q, In<T> guess,
                              const LoopPositionOptions& options = {});

// The Jacobian of position_rows by `unknown` (along velocities, by columns) in any configuration of the tree: what
// plans are made of.
std::vector<double> position_jacobian(const Model<double>& model, const LoopPlan& plan, In<double> q);

}  // namespace lw
