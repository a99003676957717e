// CanonicalTree<T>: the model in those frames and with those inertias that make its equations shortest.
//
// Frames. A joint's axis is the z axis of its link's frame, and the frame stands where the common normal to the axis of
// the link's first child leaves it, with x along that normal (Denavit-Hartenberg, Khalil-Kleinfinger). So
//
//   pose of a link in its parent:  R = B Rz(θ), p      revolute: θ = q + offset;  prismatic: p moves along B z by q +
//                                  offset
//
// B, the axes of the *carrier*, is a turn about x alone for a first child; by a multiple of 90° it costs nothing.
// Offsets by multiples of 90° cost nothing either: `quarters` counts them apart.
//
// Inertias. P = [E h; hᵀ m], the second moments about the origin: mass m, first moment h, E = ∫ r rᵀ dm. The wrench of
// a body whose points accelerate by a + U r is
//
//   f = U h + m a,   n = axial(U E + a hᵀ)     (axial(W) = (W₃₂ − W₂₃, W₁₃ − W₃₁, W₂₁ − W₁₂))
//
// Mass on the axis of a revolute joint can be given to the parent or to the child: m, h_z and E_zz of each link are a
// matter of choice (regauge).
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
    int quarters = 0;       // of a turn, after the offset
    bool parallel = false;  // to its parent's axis, both revolute: B = 1
    SecondMoments<T> inertia;
    T mean = T(0.0), spread = T(0.0);    // (E_xx ± E_yy)/2: what turning about z makes of them
    Mat3<T> axes = Mat3<T>::identity();  // its own as columns, in the body's frame
    T along = T(0.0);                    // of its origin, from the body's along the joint's axis

    void set_mean_and_spread();  // from the inertia
  };
  Vec3<T> gravity;
  std::vector<Link> links;  // one for each body, in the same order
};

// What is left of zeros and right angles by rounding, in rad and as a part of the mechanism's size.
inline constexpr double kRounding = 1e-13;

// Inertias are as the model has them. Axes that are nearly parallel have their common normal far away: there a frame
// stays where it is, since moments about a distant point lose the digits of the body's own. Where a direction is a
// symbol, all frames stay, but for z along the axis. A link of `near_parent` stands where the common normal to its
// parent's axis meets its own, not where its child's does.
template <class T>
CanonicalTree<T> canonical_tree(const Model<T>& model, const std::vector<bool>& near_parent = {});

// The same as a model, for the other algorithms: its joints and coordinates, but the tree's frames and inertias, and
// frames on links and force elements gone (their Q are the model's: `subtract_elements`). Bearings stay where they are:
// `along` of their links says where that is.
template <class T>
Model<T> canonical_model(const CanonicalTree<T>& tree, const Model<T>& model);

// How mass on a joint's axis is divided between parent and child: the child has none, or what makes the parent's h_x
// (or h_y) vanish, where the joint stands away from the parent's origin in that direction.
enum class Gauge { child, parent_hx, parent_hy };
using Gauges = std::vector<Gauge>;  // of each link

// Whether a link's joint stands so that mass can be moved between it and the parent: the distance is a number, which no
// value of a symbol makes zero, and is no small one, by which masses would become large and of opposite signs.
template <class T>
bool has_gauge(const CanonicalTree<T>& tree, std::size_t link, Gauge gauge);

// Divides so on all joints, from the leaves to the base. The model is the one of the tree, already `regrouped`. Torques
// stay; joint reactions and the base's wrench do not, but for those of `felt` bodies, whose joints nothing crosses.
// Gauges that a link does not have are as `child`.
template <class T>
void regauge(CanonicalTree<T>& tree, const Model<T>& model, const Gauges& gauges, const std::vector<bool>& felt = {});

}  // namespace lw
