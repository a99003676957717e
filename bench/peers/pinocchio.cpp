// Pinocchio: all joints, inverse and forward dynamics with their derivatives, and the mass matrix, in the conventions
// that its documentation calls the faster ones (LOCAL). Joints about or along a coordinate axis are given as such, as
// its URDF reader does. Its free joint orders velocities [v; ω].
#include <pinocchio/fwd.hpp>  // before any Boost header

#include <memory>
#include <string>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "peer.hpp"

namespace lw::peer {
namespace {

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

class PinocchioPeer : public Peer {
 public:
  explicit PinocchioPeer(const Description& d) : nq_(d.nq), nv_(d.nv) {
    model_.gravity.linear(Eigen::Map<const Eigen::Vector3d>(d.gravity));
    for (int i = 0; i < d.body_count; ++i) {
      if (d.bodies[i].parent < 0) add_tree(d, i, {0, pin::SE3::Identity()});
    }
    data_ = std::make_unique<pin::Data>(model_);
  }

  bool supports(Function f) const override { return f != Function::bias && f != Function::kinematics; }

  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    states_.assign(static_cast<std::size_t>(count), {});
    for (State& s : states_) {
      s = {Vector(nq_), pick(qd), pick(qdd), pick(tau)};
      for (int k = 0; k < nq_; ++k) s.q[k] = q[q_place_[static_cast<std::size_t>(k)]];
      q += nq_;
      qd += nv_;
      qdd += nv_;
      tau += nv_;
    }
  }

  double compute(Function f, int state, double nudge) override {
    State& s = states_[static_cast<std::size_t>(state)];
    if (nudge != 0.0) s.q.array() += nudge;
    switch (f) {
      case Function::inverse: return ends(pin::rnea(model_, *data_, s.q, s.qd, s.qdd));
      case Function::mass_matrix: return ends(pin::crba(model_, *data_, s.q, pin::Convention::LOCAL).reshaped());
      case Function::forward: return ends(pin::aba(model_, *data_, s.q, s.qd, s.tau, pin::Convention::LOCAL));
      case Function::inverse_derivatives:
        pin::computeRNEADerivatives(model_, *data_, s.q, s.qd, s.qdd);
        return ends(data_->dtau_dq.reshaped());
      case Function::forward_derivatives:
        pin::computeABADerivatives(model_, *data_, s.q, s.qd, s.tau);
        return ends(data_->ddq_dq.reshaped());
      default: return 0.0;
    }
  }

  void result(Function f, double* out) override {
    switch (f) {
      case Function::mass_matrix: put(data_->M, true, out); break;
      case Function::inverse_derivatives:
        put(data_->dtau_dq, false, out);
        put(data_->dtau_dv, false, out + nv_ * nv_);
        put(data_->M, true, out + 2 * nv_ * nv_);
        break;
      case Function::forward_derivatives:
        put(data_->ddq_dq, false, out);
        put(data_->ddq_dv, false, out + nv_ * nv_);
        put(data_->Minv, true, out + 2 * nv_ * nv_);
        break;
      default:
        for (int i = 0; i < nv_; ++i) {
          out[v_place_[static_cast<std::size_t>(i)]] = f == Function::inverse ? data_->tau[i] : data_->ddq[i];
        }
    }
  }

 private:
  struct Place {
    pin::JointIndex joint;
    pin::SE3 X;  // of the body's frame in the joint's
  };
  struct State {
    Vector q, qd, qdd, tau;
  };

  // Depth first: Pinocchio's mass matrix wants a branch's velocities to stand together.
  void add_tree(const Description& d, int i, const Place& parent) {
    const Body& b = d.bodies[i];
    Place at{parent.joint, parent.X * pin::SE3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R),
                                               Eigen::Map<const Eigen::Vector3d>(b.p))};
    if (b.kind != Kind::fixed) at = {add_joint(i, b, parent.joint, at.X), pin::SE3::Identity()};
    Eigen::Matrix3d I;
    I << b.I[0], b.I[3], b.I[4], b.I[3], b.I[1], b.I[5], b.I[4], b.I[5], b.I[2];
    model_.appendBodyToJoint(at.joint, pin::Inertia(b.mass, Eigen::Map<const Eigen::Vector3d>(b.com), I), at.X);
    for (int k = i + 1; k < d.body_count; ++k) {
      if (d.bodies[k].parent == i) add_tree(d, k, at);
    }
  }

  pin::JointIndex add_joint(int index, const Body& b, pin::JointIndex parent, const pin::SE3& X) {
    const std::string name = "joint" + std::to_string(index);
    const auto add = [&](const auto& joint) { return model_.addJoint(parent, joint, X, name); };
    const Eigen::Vector3d axis(b.axis[0], b.axis[1], b.axis[2]);
    const auto along = [&](int k) { return axis == Eigen::Vector3d::Unit(k); };
    pin::JointIndex joint = 0;
    switch (b.kind) {
      case Kind::revolute:
        joint = along(0)   ? add(pin::JointModelRX())
                : along(1) ? add(pin::JointModelRY())
                : along(2) ? add(pin::JointModelRZ())
                           : add(pin::JointModelRevoluteUnaligned(axis));
        break;
      case Kind::prismatic:
        joint = along(0)   ? add(pin::JointModelPX())
                : along(1) ? add(pin::JointModelPY())
                : along(2) ? add(pin::JointModelPZ())
                           : add(pin::JointModelPrismaticUnaligned(axis));
        break;
      case Kind::spherical: joint = add(pin::JointModelSpherical()); break;
      default: joint = add(pin::JointModelFreeFlyer()); break;
    }
    for (int k = 0; k < model_.nqs[joint]; ++k) q_place_.push_back(b.q + k);
    const int nv = model_.nvs[joint];
    for (int k = 0; k < nv; ++k) v_place_.push_back(b.v + (nv == 6 ? (k + 3) % 6 : k));
    if (nv == 1) model_.armature[model_.idx_vs[joint]] = b.armature;
    return joint;
  }

  // By columns in our order; of a symmetric one only the upper half is computed.
  template <class Matrix>
  void put(const Matrix& m, bool symmetric, double* out) const {
    for (int i = 0; i < nv_; ++i) {
      for (int j = 0; j < nv_; ++j) {
        const int row = v_place_[static_cast<std::size_t>(i)], column = v_place_[static_cast<std::size_t>(j)];
        out[column * nv_ + row] = symmetric && i > j ? m(j, i) : m(i, j);
      }
    }
  }

  template <class T>
  static double ends(const T& x) {
    return x[0] + x[x.size() - 1];
  }

  Vector pick(const double* ours) const {
    Vector x(nv_);
    for (int k = 0; k < nv_; ++k) x[k] = ours[v_place_[static_cast<std::size_t>(k)]];
    return x;
  }

  int nq_, nv_;
  pin::Model model_;
  std::unique_ptr<pin::Data> data_;
  std::vector<int> q_place_, v_place_;  // our coordinate and velocity of Pinocchio's k-th
  std::vector<State> states_;
};

Peer* make(const Description& d) { return new PinocchioPeer(d); }

}  // namespace

LINKWRIGHT_PEER("Pinocchio " PINOCCHIO_VERSION, make)

}  // namespace lw::peer
