// The scalar equations of loop closures, for any scalar type.
//
// A closure joins frame A on one link to frame B on another; X_AB = (R, p) is their relative pose. In A's axes, with
// e₁, e₂ normal to the joint's axis a and e₃ = a, the constraints of the joint are
//   shift  e·p      tilt  e·(R a)      turn  e·½vee(R − Rᵀ)      angle  u·(R w) − u·w   (universal: u its first, w its
//          second axis)
// J q̇ are the rates of these and J q̈ + J̇ q̇ their second derivatives. Joints that carry both A and B do not change
// their relative pose and have no column. Columns of A's side are computed outward from A: the lever from a link's own
// joint to A is then a constant, not an expression with sines, and gives a pivot that never vanishes (loop_plan.hpp).
//
// The caller chooses which of the two frames is A and the rotation of e₁ and e₂ about a: a LoopView.
#pragma once

#include <vector>

#include "../tree/columns.hpp"

namespace lw {

struct ClosureRow {
  enum class Kind { shift, tilt, turn, angle };
  std::size_t loop = 0;
  Kind kind = Kind::shift;
  int direction = 0;  // e₁, e₂ or e₃
};

struct LoopView {
  bool swapped = false;             // A is the file's second frame
  double cosine = 1.0, sine = 0.0;  // of the rotation angle of e₁ and e₂
  std::vector<int> a, b;            // bodies that carry A but not B, from A inward, and vice versa
};

struct ClosureEquations {
  std::vector<LoopView> loops;  // one per loop of the model
  std::vector<ClosureRow> rows;

  std::size_t size() const { return rows.size(); }
};

// All rows of all loops, without rotation of e₁, e₂; planar mechanisms have dependent ones. Order: loop by loop, shifts
// first.
template <class T>
ClosureEquations closure_equations(const Model<T>& model);

// e₁, e₂, e₃ in A's axes.
template <class T>
std::array<Vec3<T>, 3> loop_basis(const LoopClosure<T>& loop, const LoopView& view);
template <class T>
const Frame<T>& first_frame(const LoopClosure<T>& loop, const LoopView& view) {
  return view.swapped ? loop.b : loop.a;
}
template <class T>
const Frame<T>& second_frame(const LoopClosure<T>& loop, const LoopView& view) {
  return view.swapped ? loop.a : loop.b;
}

// After forward_kinematics, metres and radians.
template <class T>
void closure_residual(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations,
                      Out<T> residual);

// After forward_kinematics; by columns, one row per equation. `closed`: for zero residual, omitting terms of its size;
// Newton's method stays quadratic with it. For `turn`, the result is exact only there.
enum class ClosureAt { closed, anywhere };
template <class T>
void closure_jacobian(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations,
                      ClosureAt where, Out<T> jacobian);

// J q̈ + J̇ q̇ for closed positions and velocities. After forward_kinematics and forward_accelerations without gravity,
// whose q̈ it uses: with q̈ = 0 it is J̇ q̇.
template <class T>
void closure_accelerations(const Model<T>& model, const Workspace<T>& work, const ClosureEquations& equations, In<T> qd,
                           Out<T> accelerations);

}  // namespace lw
