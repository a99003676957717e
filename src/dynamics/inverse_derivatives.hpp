// Analytic derivatives of inverse dynamics: ∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂q̈ = M (Carpentier, Mansard 2018; Singh, Russo, Wensing
// 2022). For joints with quaternions ∂q is a turn (and a shift) along the joint's velocities: as many columns as velocities.
//
// All vectors are spatial, in the axes and about the origin of the root body of the tree, so that what hangs on a body is
// added up without transforms, a joint at the root is trivial, and where the tree floats costs no digits. Of joint j, with
// p its parent, v velocity and a acceleration of bodies (the base accelerated by −gravity):
//   Ψ̇_j = v_p × S_j,   Ψ̈_j = a_p × S_j + v_p × Ψ̇_j,   E_j = Ψ̇_j + v_j × S_j  (= 2 Ψ̇_j for one velocity)
// of what hangs on joint i (composites: sums over the bodies from i on): inertia I, wrench f, and
//   B m = ½ (v ×* I m + m ×* I v − I (v × m)) = ∫ (x × (α × u), α × u) dm  for a motion m = (α, ·), u the velocity at x
//       = (N α, α × p),   N = (v·h) 1 − v hᵀ + [ω] (I − ½ tr I 1),   p the momentum: twelve numbers instead of 36
// Then for j between i and the base, or i itself:
//   ∂τ_i/∂q_j = S_iᵀ (2 B_i Ψ̇_j + I_i Ψ̈_j)        ∂τ_j/∂q_i = S_jᵀ (2 B_i Ψ̇_i + I_i Ψ̈_i + S_i ×* f_i)   (j ≠ i)
//   ∂τ_i/∂q̇_j = S_iᵀ (2 B_i S_j + I_i E_j)          ∂τ_j/∂q̇_i = S_jᵀ (2 B_i S_i + I_i E_i)
//   M_ij = S_jᵀ I_i S_i
// and zero where neither joint is above the other. A pair of joints costs five scalar products. A root that turns or
// floats freely has S = 1: the products with its velocities are the components of wrenches.
#pragma once

#include <cstddef>
#include <vector>

#include "lanes.hpp"
#include "workspace.hpp"

namespace lw {

template <class T>
struct DerivativeWorkspace {
  explicit DerivativeWorkspace(const Model<T>& model);

  // A velocity of a joint. A joint that follows another (mimic) has one of its own here.
  struct Column {
    Motion<T> S, rate, acceleration, twice;  // S, Ψ̇, Ψ̈, E
    int above = -1;                          // the column above it in the tree, or -1; a free root does not count
    std::ptrdiff_t velocity = 0;             // whose place it has in the results
    T ratio = T(1.0);                        // of a mimic
  };
  // A body in the axes of its root.
  struct Placed {
    Transform<T> X;
    Motion<T> v, a;
    RigidInertia<T> inertia;
    Force<T> coriolis;  // v ×* I v = B v
  };
  // All that hangs on a joint.
  struct Composite {
    RigidInertia<T> inertia;
    Mat3<T> N;
    Vec3<T> momentum;
    Force<T> f;
  };
  std::vector<Column> columns;  // of the first body, of the second, …
  std::vector<Placed> placed;
  std::vector<Composite> composite;
  std::vector<int> first;      // of each body: its first column
  std::vector<int> root;       // of each body: its tree's root where that turns or floats freely, else -1
  std::vector<Vec3<T>> fall;   // of each root: −gravity in its axes
  bool branches = false;       // some joints are not above one another: their entries are zero


  // Where the entries of column j stand: by columns, or spread over lanes, eight columns a block.
  std::vector<std::ptrdiff_t> by_columns, in_lanes;

  // Of forward_derivatives. Row k of M or of its factors: the velocities above k from the root on, and k itself last.
  struct Row {
    int path = 0, size = 0;
    int lanes = 0;  // where its entries begin; a row fills whole lanes
  };
  std::vector<Row> rows;  // by velocity
  std::vector<int> path;  // whose entries these are
  std::vector<Lanes<T>> factors;
  struct Entry {
    int velocity;
    int below;  // how many of those that follow hang on it
  };
  std::vector<Entry> order;                 // all velocities, what hangs on one right behind it
  std::vector<std::vector<Entry>> touched;  // of every block: those whose rows have entries in it
  std::vector<std::vector<Entry>> above;    // of every block: its own and those above
  std::vector<T> zero, h, qdd;
  std::vector<TwoLanes<T>> both;  // d_q and d_qd, rows of a block one behind the other
  std::vector<Lanes<T>> single;   // a block of M⁻¹

  // All of that. Above Workspace::kDense velocities it is megabytes that few want: forward_derivatives then calls this first.
  void prepare_solutions(const Model<T>& model);
};

template <class T>
void check_workspace(const char* algorithm, const Model<T>& model, const DerivativeWorkspace<T>& work) {
  const bool fits = work.placed.size() == model.bodies.size() && work.qdd.size() == static_cast<std::size_t>(model.nv);
  if (!fits) [[unlikely]] refuse_workspace(algorithm, model.name);
}

// All results nv × nv by columns: d_q[j · nv + i] = ∂τ_i/∂q_j.
template <class T>
void inverse_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, Out<T> d_q,
                         Out<T> d_qd, Out<T> d_qdd);

// The steps of it. Positions, velocities, inertias and what hangs on every joint:
template <class T>
void place_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qd);
// then accelerations, and the wrenches of what hangs on every joint,
template <class T>
void accelerate_bodies(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> qd, In<T> qdd);
// τ, after accelerate_bodies,
template <class T>
void placed_torques(const Model<T>& model, DerivativeWorkspace<T>& work, In<T> q, In<T> qdd, Out<T> tau);
// M, after place_bodies,
template <class T>
void placed_mass_matrix(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> M);
// and the other two, after accelerate_bodies: by columns, or in work.both.
template <class T>
void placed_derivatives(const Model<T>& model, DerivativeWorkspace<T>& work, Out<T> d_q, Out<T> d_qd);
template <class T>
void placed_derivatives_in_lanes(const Model<T>& model, DerivativeWorkspace<T>& work);

}  // namespace lw
