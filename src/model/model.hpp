// Model<T>: a mechanism with its parameters fixed (as numbers or as symbols), flattened for the algorithms.
//
// A body is what moves as one: links held by fixed joints are lumped into it and remain as frames. Its frame is the joint
// frame after the joint's motion. Joints with several coordinates are chains of massless bodies (cylindrical: revolute,
// prismatic; universal: revolute, revolute; planar: prismatic, prismatic, revolute), so that algorithms know four kinds.
// Bodies are ordered parents first; coordinates keep the order of the file.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "mechanism.hpp"
#include "spatial.hpp"

namespace lw {

enum class JointKind { revolute, prismatic, spherical, floating };

template <class T>
struct Body {
  int parent = -1;  // body, or -1 for the base
  JointKind kind = JointKind::revolute;
  int q = 0, v = 0;  // first coordinate and first velocity
  bool mimics = false;
  T ratio = T(1.0), offset = T(0.0);  // of a mimic: its coordinate is ratio · q + offset
  Vec3<T> axis = Vec3<T>(T(0.0), T(0.0), T(1.0));
  Transform<T> X_PJ;  // joint frame in the parent body at q = 0
  // revolute: R(q) = R0 + cos q · Rc + sin q · Rs, with R0 = R a aᵀ, Rc = R (1 − a aᵀ), Rs = R [a]
  Mat3<T> R0, Rc, Rs;
  Vec3<T> slide;  // prismatic: R a, so that p(q) = p + slide · q
  RigidInertia<T> inertia;
  T armature = T(0.0);           // ratio² · rotor inertia of the drive
  T stiffness = T(0.0), rest = T(0.0);  // joint spring

  int velocities() const { return kind == JointKind::spherical ? 3 : kind == JointKind::floating ? 6 : 1; }
  void set_motion();  // R0, Rc, Rs and slide, from X_PJ and the axis
};

// A link (or the base, body -1) as a frame on a body.
template <class T>
struct Frame {
  std::string name;
  int body = -1;
  Transform<T> X_BF;
};

// A joint of the file that has coordinates.
struct JointInfo {
  std::string name;
  JointType type = JointType::revolute;
  int q = 0, v = 0;
  int first_body = 0, last_body = 0;
  bool actuated = true;
};

template <class T>
struct LoopClosure {
  std::string name;
  JointType type = JointType::revolute;
  Vec3<T> axis, axis2;
  Frame<T> a, b;
};

template <class T>
struct Model {
  std::string name;
  int nq = 0, nv = 0;
  Vec3<T> gravity;
  std::vector<Body<T>> bodies;
  std::vector<Frame<T>> frames;  // the base, then the links in the file's order
  std::vector<LoopClosure<T>> loops;
  std::vector<T> home;  // nq

  std::vector<JointInfo> joints;  // those with coordinates, in the file's order
  std::vector<std::string> coordinate_names, velocity_names;

  // Sparsity of the mass matrix: velocity k reaches up to dof_parent[k] and its ancestors (-1: none);
  // dof_order lists velocities parents first. With mimics the matrix is dense and these are empty.
  std::vector<int> dof_parent, dof_order;
  bool has_mimics = false;

  int frame_index(const std::string& wanted) const;  // -1 where there is none
};

// Values for parameters by name; those not named take the file's.
template <class T>
using ParameterValues = std::map<std::string, T>;

// Throws Error(usage) for an unknown parameter name. The mechanism must have passed the checks (`load` does them).
template <class T>
Model<T> instantiate(const Mechanism& mechanism, const ParameterValues<T>& values = {});

// The coordinates of a body's joint, mimics followed.
template <class T>
T joint_coordinate(const Body<T>& body, std::span<const T> q) {
  return body.mimics ? body.ratio * q[static_cast<std::size_t>(body.q)] + body.offset
                     : q[static_cast<std::size_t>(body.q)];
}
// Its velocity or acceleration.
template <class T>
T joint_rate(const Body<T>& body, std::span<const T> qd) {
  return body.mimics ? body.ratio * qd[static_cast<std::size_t>(body.v)] : qd[static_cast<std::size_t>(body.v)];
}

// Pose of the body's frame in its parent's.
template <class T>
Transform<T> joint_transform(const Body<T>& b, std::span<const T> q) {
  using std::cos, std::sin;
  switch (b.kind) {
    case JointKind::revolute: {
      const T angle = joint_coordinate(b, q);
      const T c = cos(angle), s = sin(angle);
      return {b.R0 + b.Rc * c + b.Rs * s, b.X_PJ.p};
    }
    case JointKind::prismatic: return {b.X_PJ.R, b.X_PJ.p + b.slide * joint_coordinate(b, q)};
    case JointKind::spherical: {
      const auto k = static_cast<std::size_t>(b.q);
      return {b.X_PJ.R * rotation_from_quaternion(q[k], q[k + 1], q[k + 2], q[k + 3]), b.X_PJ.p};
    }
    case JointKind::floating: {
      const auto k = static_cast<std::size_t>(b.q);
      return {b.X_PJ.R * rotation_from_quaternion(q[k + 3], q[k + 4], q[k + 5], q[k + 6]),
              b.X_PJ.p + b.X_PJ.R * Vec3<T>(q[k], q[k + 1], q[k + 2])};
    }
  }
  return {};
}

}  // namespace lw
