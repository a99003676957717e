// CanonicalTree<T>: the model with the frames and inertias that give the shortest equations.
//
// Frames. A joint's axis is the z axis of its link's frame. The frame's origin is on the common normal to the axis of
// the link's first child, with x along that normal (Denavit-Hartenberg, Khalil-Kleinfinger), so that
//
//   pose of a link in its parent:  R = B Rz(θ), p      revolute: θ = q + offset;  prismatic: p moves along B z by q +
//                                  offset
//
// B, the axes of the *carrier*, is a rotation about x only for a first child; by a multiple of 90° it costs nothing.
// Offsets by multiples of 90° cost nothing either and are counted in `quarters`.
//
// Inertias. P = [E h; hᵀ m], the second moments about the origin: mass m, first moment h, E = ∫ r rᵀ dm. The wrench of
// a body whose points accelerate by a + U r is
//
//   f = U h + m a,   n = axial(U E + a hᵀ)     (axial(W) = (W₃₂ − W₂₃, W₁₃ − W₃₁, W₂₁ − W₁₂))
//
// Mass on the axis of a revolute joint can be assigned to the parent or to the child: m, h_z and E_zz of each link can
// be chosen (regauge).
#pragma once

#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

template <class T>
struct SecondMoments {
  T m = T(0.0);
  Vec3<T> h;
  Mat3<T> E;

  // I = tr(E) 1 − E
  static SecondMoments of(const RigidInertia<T>& inertia);
  RigidInertia<T> rigid() const;
  SecondMoments turned(const Mat3<T>& R) const;     // into axes whose unit vectors are the columns of R
  SecondMoments seen_from(const Vec3<T>& r) const;  // about the point r
  SecondMoments& operator+=(const SecondMoments& o);
  SecondMoments& operator-=(const SecondMoments& o);
};

template <class T>
struct CanonicalTree {
  struct Link {
    int parent = -1;
    int body = 0;  // of the model, whose joint this is
    JointKind kind = JointKind::revolute;
    Mat3<T> B = Mat3<T>::identity();
    Vec3<T> p;
    T offset = T(0.0);
    int quarters = 0;       // quarter turns after the offset
    bool parallel = false;  // to its parent's axis, both revolute: B = 1
    SecondMoments<T> inertia;
    T mean = T(0.0), spread = T(0.0);    // (E_xx ± E_yy)/2, for rotations about z
    Mat3<T> axes = Mat3<T>::identity();  // its own as columns, in the body's frame
    T along = T(0.0);                    // of its origin, from the body's along the joint's axis

    void set_mean_and_spread();  // from the inertia
  };
  Vec3<T> gravity;
  std::vector<Link> links;  // one per body, in the same order
};

// Rounding tolerance of zeros and right angles, in rad and relative to the mechanism's size.
inline constexpr double kRounding = 1e-13;

// Inertias are those of the model. The common normal of nearly parallel axes is far away; the frame is then not moved,
// because moments about a distant point lose the digits of the body's own. If a direction is symbolic, all frames keep
// their position, with z along the axis. A link of `near_parent` has its origin on the common normal to its parent's
// axis instead of its child's.
template <class T>
CanonicalTree<T> canonical_tree(const Model<T>& model, const std::vector<bool>& near_parent = {});

// The same as a model, for the other algorithms: with the joints and coordinates of the model, the frames and inertias
// of the tree, and without frames on links and force elements (their Q are the model's: `subtract_elements`). Bearings
// keep their positions, given by `along` of their links.
template <class T>
Model<T> canonical_model(const CanonicalTree<T>& tree, const Model<T>& model);

// Division of mass on a joint's axis between parent and child: the child has none, or enough to make the parent's h_x
// (or h_y) vanish, if the joint is displaced from the parent's origin in that direction.
enum class Gauge { child, parent_hx, parent_hy };
using Gauges = std::vector<Gauge>;  // of each link

// Whether mass can be moved between a link and its parent: the distance must be a number, not a symbol that may become
// zero, and not small, which would make masses large and of opposite signs.
template <class T>
bool has_gauge(const CanonicalTree<T>& tree, std::size_t link, Gauge gauge);

// Applies this to all joints, from the leaves to the base. The model is that of the tree, already `regrouped`. Torques
// are preserved; joint reactions and the base's wrench are not, except at the joints of `felt` bodies, through which no
// mass is moved. Unavailable gauges are treated as `child`.
template <class T>
void regauge(CanonicalTree<T>& tree, const Model<T>& model, const Gauges& gauges, const std::vector<bool>& felt = {});

}  // namespace lw
