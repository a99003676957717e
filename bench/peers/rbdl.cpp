// RBDL: all joints and all three functions. Its floating joint is a translation followed by a spherical joint: the
// linear velocity is that of the position, in the parent's axes. With R the rotation, v_rbdl = R v, its rate R (v̇ + ω
// × v), and forces turn alike; those conversions are made outside what is timed.
#include <string>
#include <vector>

#include <rbdl/rbdl.h>
#include <rbdl/rbdl_config.h>

#include "peer.hpp"

namespace lw::peer {
namespace {

namespace rb = RigidBodyDynamics;
using rb::Math::Matrix3d, rb::Math::MatrixNd, rb::Math::Vector3d, rb::Math::VectorNd;

class RbdlPeer : public Peer {
 public:
  explicit RbdlPeer(const Description& d) : nq_(d.nq), nv_(d.nv), bodies_(d.bodies, d.bodies + d.body_count) {
    model_.gravity = Vector3d(d.gravity[0], d.gravity[1], d.gravity[2]);
    for (const Body& b : bodies_) add(b);
    tau_ = VectorNd::Zero(nv_);
    qdd_ = VectorNd::Zero(nv_);
    M_ = MatrixNd::Zero(nv_, nv_);
  }

  bool supports(Function f) const override {
    return f == Function::inverse || f == Function::mass_matrix || f == Function::forward;
  }

  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    states_.assign(static_cast<std::size_t>(count), {});
    for (State& s : states_) {
      s.q = positions(q);
      s.map = MatrixNd::Zero(nv_, nv_);
      s.shift = VectorNd::Zero(nv_);
      for (std::size_t i = 0; i < bodies_.size(); ++i) map_velocities(i, q, qd, s);
      const auto ours = [&](const double* x) { return Eigen::Map<const VectorNd>(x, nv_); };
      s.qd = s.map * ours(qd);
      s.qdd = s.map * ours(qdd) + s.shift;
      s.tau = s.map * ours(tau);  // a rotation: its inverse transpose is itself
      q += nq_;
      qd += nv_;
      qdd += nv_;
      tau += nv_;
    }
  }

  double compute(Function f, int state, double nudge) override {
    last_ = static_cast<std::size_t>(state);
    State& s = states_[last_];
    if (nudge != 0.0) s.q.array() += nudge;
    switch (f) {
      case Function::inverse: rb::InverseDynamics(model_, s.q, s.qd, s.qdd, tau_); return tau_[0] + tau_[nv_ - 1];
      case Function::mass_matrix:
        rb::CompositeRigidBodyAlgorithm(model_, s.q, M_);
        return M_(0, 0) + M_(nv_ - 1, nv_ - 1);
      case Function::forward: rb::ForwardDynamics(model_, s.q, s.qd, s.tau, qdd_); return qdd_[0] + qdd_[nv_ - 1];
      default: return 0.0;
    }
  }

  void result(Function f, double* out) override {
    const State& s = states_[last_];
    if (f == Function::mass_matrix) {
      Eigen::Map<MatrixNd>(out, nv_, nv_) = s.map.transpose() * M_ * s.map;
      return;
    }
    Eigen::Map<VectorNd>(out, nv_) = s.map.transpose() * (f == Function::inverse ? tau_ : VectorNd(qdd_ - s.shift));
  }

 private:
  struct State {
    VectorNd q, qd, qdd, tau;
    MatrixNd map;    // RBDL's velocities from ours: a permutation and rotations
    VectorNd shift;  // RBDL's accelerations where ours are zero
  };

  void add(const Body& b) {
    const Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R);
    const rb::Math::SpatialTransform X(R.transpose(), Vector3d(b.p[0], b.p[1], b.p[2]));
    const Vector3d axis(b.axis[0], b.axis[1], b.axis[2]);
    Matrix3d I;
    I << b.I[0], b.I[3], b.I[4], b.I[3], b.I[1], b.I[5], b.I[4], b.I[5], b.I[2];
    const rb::Body body(b.mass, Vector3d(b.com[0], b.com[1], b.com[2]), I);
    rb::Joint joint(rb::JointTypeFixed);
    switch (b.kind) {
      case Kind::revolute: joint = rb::Joint(rb::JointTypeRevolute, axis); break;
      case Kind::prismatic: joint = rb::Joint(rb::JointTypePrismatic, axis); break;
      case Kind::spherical: joint = rb::Joint(rb::JointTypeSpherical); break;
      case Kind::floating: joint = rb::Joint(rb::JointTypeFloatingBase); break;
      case Kind::fixed: break;
    }
    const unsigned parent = b.parent < 0 ? 0 : ids_[static_cast<std::size_t>(b.parent)];
    ids_.push_back(model_.AddBody(parent, X, joint, body));
    first_.push_back(b.kind == Kind::fixed ? 0 : first_velocity(ids_.back(), b.kind));
  }

  // A floating joint is two of RBDL's: translation, then rotation.
  int first_velocity(unsigned id, Kind kind) const {
    return static_cast<int>(model_.mJoints[kind == Kind::floating ? id - 1 : id].q_index);
  }

  VectorNd positions(const double* ours) {
    VectorNd x = VectorNd::Zero(static_cast<Eigen::Index>(model_.q_size));
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      const double* q = ours + b.q;
      if (b.kind == Kind::revolute || b.kind == Kind::prismatic) x[first_[i]] = *q;
      if (b.kind == Kind::floating) {
        for (int k = 0; k < 3; ++k) x[first_[i] + k] = *q++;
      }
      if (b.kind == Kind::floating || b.kind == Kind::spherical) {
        model_.SetQuaternion(ids_[i], rb::Math::Quaternion(q[0], q[1], q[2], q[3]), x);
      }
    }
    return x;
  }

  void map_velocities(std::size_t i, const double* q, const double* qd, State& s) const {
    const Body& b = bodies_[i];
    const int first = first_[i];
    if (b.kind == Kind::revolute || b.kind == Kind::prismatic) s.map(first, b.v) = 1.0;
    if (b.kind == Kind::spherical) s.map.block<3, 3>(first, b.v).setIdentity();
    if (b.kind == Kind::floating) {
      const double* r = q + b.q + 3;
      const Matrix3d R = Eigen::Quaterniond(r[3], r[0], r[1], r[2]).toRotationMatrix();
      s.map.block<3, 3>(first, b.v + 3) = R;
      s.map.block<3, 3>(first + 3, b.v).setIdentity();
      const Vector3d w(qd[b.v], qd[b.v + 1], qd[b.v + 2]), v(qd[b.v + 3], qd[b.v + 4], qd[b.v + 5]);
      s.shift.segment<3>(first) = R * w.cross(v);
    }
  }

  int nq_, nv_;
  std::vector<Body> bodies_;
  rb::Model model_;
  std::vector<unsigned> ids_;
  std::vector<int> first_;  // RBDL's first velocity of a body's joint
  std::vector<State> states_;
  std::size_t last_ = 0;
  VectorNd tau_, qdd_;
  MatrixNd M_;
};

Peer* make(const Description& d) {
  for (int i = 0; i < d.body_count; ++i) {
    if (d.bodies[i].armature != 0.0) return nullptr;
  }
  return new RbdlPeer(d);
}

std::string name() {
  const int version = (RBDL_API_VERSION);
  return "RBDL " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff) + "." +
         std::to_string(version & 0xff);
}

}  // namespace

LINKWRIGHT_PEER(name(), make)

}  // namespace lw::peer
