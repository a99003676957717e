// Model<T>: a mechanism with its parameters fixed (as numbers or as symbols), flattened for the algorithms.
//
// A body consists of links that move together: links on fixed joints are lumped into it and remain as frames. Its frame
// is the joint frame after the joint's motion. Joints with several coordinates are chains of massless bodies
// (cylindrical: revolute, prismatic; universal: revolute, revolute; planar: prismatic, prismatic, revolute), so that
// algorithms handle four kinds. Bodies are ordered parents first; coordinates keep the order of the file.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "../base/view.hpp"
#include "../spatial/spatial.hpp"
#include "curve.hpp"
#include "mechanism.hpp"

namespace lw {

enum class JointKind { revolute, prismatic, spherical, floating };

template <class T>
struct Body {
  int parent = -1;  // body, or -1 for the base
  JointKind kind = JointKind::revolute;
  int q = 0, v = 0;  // first coordinate and first velocity
  bool mimics = false;
  T ratio = T(1.0), offset = T(0.0);  // for a mimic joint: its coordinate is ratio · q + offset
  Vec3<T> axis = Vec3<T>(T(0.0), T(0.0), T(1.0));
  Transform<T> X_PJ;  // joint frame in the parent body at q = 0
  // revolute: R(q) = R0 + cos q · Rc + sin q · Rs, with R0 = R a aᵀ, Rc = R (1 − a aᵀ), Rs = R [a]
  Mat3<T> R0, Rc, Rs;
  Vec3<T> slide;  // prismatic: R a, so that p(q) = p + slide · q
  RigidInertia<T> inertia;
  T armature = T(0.0);                  // ratio² · rotor inertia of the drive
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

// Losses of a joint, for one of its velocities. Bearings only if the joint has one velocity (revolute, prismatic).
template <class T>
struct BearingLoss {
  Bearing::Kind kind = Bearing::Kind::journal;
  bool moments = true;
  T mu, radius, spacing;
  Vec3<T> across;  // of a flat guide: one of the two directions of pressure; the other is axis × across
};
template <class T>
struct JointLoss {
  int body = 0, v = 0;
  T viscous = T(0.0), coulomb = T(0.0);
  bool stribeck = false;
  T static_torque = T(0.0), stribeck_velocity = T(1.0), shape = T(2.0);
  std::vector<BearingLoss<T>> bearings;
  T damper = T(0.0);      // a force element, independent of load
  Curve<T> damper_table;  // if nonlinear
  T width = T(0.0);       // of the transition between directions
};

// A joint that closes a loop.
template <class T>
struct LoopClosure {
  std::string name;
  JointType type = JointType::revolute;
  Vec3<T> axis, axis2;
  Frame<T> a, b;
  std::vector<JointLoss<T>> losses = {};  // one per degree of freedom, numbered by v; empty without friction
};

// A drive on its output side: efficiency over |torque| (not over |torque|/rated), breakaway torque.
template <class T>
struct DriveLoss {
  std::string name;
  T ratio = T(1.0), rotor_inertia = T(0.0);
  Curve<T> efficiency;  // empty: 1
  T breakaway = T(0.0);
  bool has_rated = false, has_peak = false;
  T rated = T(0.0), peak = T(0.0);
  int rotor_body = -1;  // if the rotor is a separate body, for its gyroscopic effect; else it is an armature
};
// Drives and the joints that they move: φ̇ = C q̇, τ = Cᵀ τ_φ. An uncoupled drive has C = 1.
template <class T>
struct Transmission {
  std::string name;
  std::vector<int> v;                // velocities of the joints
  std::vector<DriveLoss<T>> drives;  // as many
  std::vector<T> C, C_inverse;       // by rows
  T width = T(0.0);
};

// Torques that depend on a joint's coordinate, besides the body's linear spring: -table(q), and stops at the limits:
// beyond `upper` -stiffness (q - upper) and, with friction, -damping q̇, never pulling; the same below `lower`.
template <class T>
struct JointElement {
  int body = 0;
  Curve<T> spring;
  bool has_lower = false, has_upper = false;
  T lower = T(0.0), upper = T(0.0), stiffness = T(0.0), damping = T(0.0);
};
template <class T>
struct PointSpringElement {
  std::string name;
  Frame<T> a, b;  // the points; axes do not matter
  T stiffness = T(0.0), rest = T(0.0), damping = T(0.0);
  Curve<T> tension;  // over the length, if nonlinear
};
template <class T>
struct ForceElement {
  Frame<T> frame;
  bool in_link = false;
  Force<T> wrench;  // at the frame's origin
};
template <class T>
struct ShaftElement {
  std::string name;
  int body_a = 0, body_b = 0;
  T stiffness = T(0.0), damping = T(0.0), play = T(0.0);  // half the backlash
};
// Rotors of coupled drives couple joints: M(v, w) and M(w, v) gain `inertia`.
template <class T>
struct RotorTie {
  int v = 0, w = 0;
  T inertia = T(0.0);
};

template <class T>
struct Model {
  Model();
  LW_COPIED_ONCE(Model);

  std::string name;
  int nq = 0, nv = 0;
  Vec3<T> gravity;
  std::vector<Body<T>> bodies;
  std::vector<Frame<T>> frames;  // the base, then the links in the file's order
  std::vector<LoopClosure<T>> loops;
  std::vector<T> home;  // nq

  std::vector<JointLoss<T>> losses;            // of the joints that have any
  std::vector<Transmission<T>> transmissions;  // of the joints that have a drive
  std::vector<JointElement<T>> joint_elements;
  std::vector<PointSpringElement<T>> springs;
  std::vector<ForceElement<T>> forces;
  std::vector<ShaftElement<T>> shafts;
  std::vector<RotorTie<T>> rotor_ties;

  std::vector<JointInfo> joints;  // those with coordinates, in the file's order
  std::vector<std::string> coordinate_names, velocity_names;

  // Sparsity of the mass matrix: velocity k is coupled with dof_parent[k] and its ancestors (-1: none); dof_order lists
  // velocities parents first. With mimic joints the matrix is dense and these are empty.
  std::vector<int> dof_parent, dof_order;
  bool has_mimics = false;

  int frame_index(const std::string& wanted) const;  // -1 if there is none
};

// Values of parameters by name; the others keep the file's.
template <class T>
using ParameterValues = std::map<std::string, T>;

// Throws Error(usage) for an unknown parameter name. The mechanism must have passed the checks (done by `load`).
template <class T = double>
Model<T> instantiate(const Mechanism& mechanism, const ParameterValues<T>& values = {});

// The coordinates of a body's joint; mimic joints are resolved.
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

// Pose of the frame of a body rotated by an angle with this cosine and sine.
template <class T>
Transform<T> turned_transform(const Body<T>& b, const T& c, const T& s) {
  return {b.R0 + b.Rc * c + b.Rs * s, b.X_PJ.p};
}

// Pose of the body's frame in its parent's.
template <class T>
Transform<T> joint_transform(const Body<T>& b, std::span<const T> q) {
  using std::cos, std::sin;
  switch (b.kind) {
    case JointKind::revolute: {
      const T angle = joint_coordinate(b, q);
      const T c = cos(angle), s = sin(angle);  // in this order: that of the nodes where it is traced
      return turned_transform<T>(b, c, s);
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

// What every algorithm requires of its caller, in every build: vectors of the model's sizes.
struct Size {
  const char* name;
  std::size_t given;
  int wanted;
};
[[noreturn]] void refuse_size(const char* algorithm, const std::string& model, const Size& size);

template <class T>
void check_sizes(const char* algorithm, const Model<T>& model, std::initializer_list<Size> sizes) {
  for (const Size& s : sizes) {
    if (s.given != static_cast<std::size_t>(s.wanted)) [[unlikely]]
      refuse_size(algorithm, model.name, s);
  }
}

}  // namespace lw
