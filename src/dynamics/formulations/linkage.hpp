// Linkage<T>: the model in the frames of the theses' formulations. The z axis of a link's frame is the axis of its
// joint, its inertia is about its centre of mass, and a mimic joint has its own coordinate.
//
//   pose of a link in its parent:  R = R₀ Rz(q), p = p₀ (revolute);  R = R₀, p = p₀ + R₀ z q (prismatic)
//
// Formulations receive these poses precomputed (joint_poses), because the theses count sines and cosines separately.
#pragma once

#include <span>
#include <vector>

#include "../tree/workspace.hpp"

namespace lw {

template <class T>
struct Linkage {
  struct Link {
    int parent = -1;
    JointKind kind = JointKind::revolute;
    int q = 0, v = 0;   // first coordinate and velocity, among those of the linkage
    Transform<T> rest;  // pose in the parent at q = 0
    T mass = T(0.0);
    Vec3<T> com;
    Mat3<T> I;  // about the centre of mass

    int velocities() const { return kind == JointKind::spherical ? 3 : kind == JointKind::floating ? 6 : 1; }
    bool slides() const { return kind == JointKind::prismatic; }
  };
  int nq = 0, nv = 0;
  Vec3<T> gravity;
  std::vector<Link> links;  // parents first
};

template <class T>
using Poses = std::span<const Transform<std::type_identity_t<T>>>;

// Axes whose third is a unit vector a, without branches on values and without normalisation.
template <class T>
Mat3<T> frame_with_z(const Vec3<T>& a);

template <class T>
Linkage<T> linkage(const Model<T>& model);

// Pose of every link in its parent at the linkage's coordinates.
template <class T>
std::vector<Transform<T>> joint_poses(const Linkage<T>& linkage, In<T> q);

// The links on the path to each link, from the base outward, itself included: those whose joints move it.
template <class T>
std::vector<std::vector<std::size_t>> joints_to(const Linkage<T>& linkage);

}  // namespace lw
