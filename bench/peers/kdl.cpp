// Orocos KDL: revolute and prismatic joints. Serial chains have inverse dynamics, mass matrix and forward dynamics;
// trees inverse dynamics only. A chain takes the chain solvers, which are the faster ones.
#include <memory>
#include <string>
#include <vector>

#include <kdl/config.h>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "peer.hpp"

namespace lw::peer {
namespace {

std::string name_of(int body) { return body < 0 ? "root" : "body" + std::to_string(body); }

// As kdl_parser does it: axis and origin in the parent's frame.
KDL::Segment segment(int index, const Body& b) {
  const KDL::Rotation R(b.R[0], b.R[1], b.R[2], b.R[3], b.R[4], b.R[5], b.R[6], b.R[7], b.R[8]);
  const KDL::Vector p(b.p[0], b.p[1], b.p[2]);
  const KDL::Vector axis = R * KDL::Vector(b.axis[0], b.axis[1], b.axis[2]);
  const std::string joint_name = "joint" + std::to_string(index);
  const KDL::Joint joint =
      b.kind == Kind::fixed
          ? KDL::Joint(joint_name, KDL::Joint::Fixed)
          : KDL::Joint(joint_name, p, axis, b.kind == Kind::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis, 1.0,
                       0.0, b.armature);
  const KDL::RigidBodyInertia inertia(b.mass, KDL::Vector(b.com[0], b.com[1], b.com[2]),
                                      KDL::RotationalInertia(b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]));
  return KDL::Segment(name_of(index), joint, KDL::Frame(R, p), inertia);
}

class KdlPeer : public Peer {
 public:
  explicit KdlPeer(const Description& d)
      : size_(static_cast<unsigned>(d.nv)), nq_(d.nq), tree_("root"), tau_(size_), qdd_(size_), M_(size_) {
    bool serial = true;
    for (int i = 0; i < d.body_count; ++i) {
      const Body& b = d.bodies[i];
      tree_.addSegment(segment(i, b), name_of(b.parent));
      serial = serial && b.parent == i - 1;
      if (b.kind != Kind::fixed) place_.push_back(b.v);  // KDL numbers joints as they are added
    }
    const KDL::Vector gravity(d.gravity[0], d.gravity[1], d.gravity[2]);
    if (serial) {
      tree_.getChain("root", name_of(d.body_count - 1), chain_);
      chain_wrenches_.resize(chain_.getNrOfSegments(), KDL::Wrench::Zero());
      chain_inverse_ = std::make_unique<KDL::ChainIdSolver_RNE>(chain_, gravity);
      chain_mass_ = std::make_unique<KDL::ChainDynParam>(chain_, gravity);
      chain_forward_ = std::make_unique<KDL::ChainFdSolver_RNE>(chain_, gravity);
    } else {
      tree_inverse_ = std::make_unique<KDL::TreeIdSolver_RNE>(tree_, gravity);
    }
  }

  bool supports(Function f) const override {
    return f == Function::inverse || (chain_inverse_ && (f == Function::mass_matrix || f == Function::forward));
  }

  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    states_.assign(static_cast<std::size_t>(count), {});
    for (State& s : states_) {
      s = {pick(q), pick(qd), pick(qdd), pick(tau)};
      q += nq_;
      qd += size_;
      qdd += size_;
      tau += size_;
    }
  }

  double compute(Function f, int state, double nudge) override {
    State& s = states_[static_cast<std::size_t>(state)];
    if (nudge != 0.0) s.q.data.array() += nudge;
    switch (f) {
      case Function::inverse:
        if (chain_inverse_) {
          chain_inverse_->CartToJnt(s.q, s.qd, s.qdd, chain_wrenches_, tau_);
        } else {
          tree_inverse_->CartToJnt(s.q, s.qd, s.qdd, tree_wrenches_, tau_);
        }
        return tau_(0) + tau_(size_ - 1);
      case Function::mass_matrix: chain_mass_->JntToMass(s.q, M_); return M_(0, 0) + M_(size_ - 1, size_ - 1);
      case Function::forward:
        chain_forward_->CartToJnt(s.q, s.qd, s.tau, chain_wrenches_, qdd_);
        return qdd_(0) + qdd_(size_ - 1);
      default: return 0.0;
    }
  }

  void result(Function f, double* out) override {
    for (unsigned i = 0; i < size_; ++i) {
      const int row = place_[i];
      if (f != Function::mass_matrix) {
        out[row] = f == Function::inverse ? tau_(i) : qdd_(i);
        continue;
      }
      for (unsigned j = 0; j < size_; ++j)
        out[static_cast<unsigned>(place_[j]) * size_ + static_cast<unsigned>(row)] = M_(i, j);
    }
  }

 private:
  struct State {
    KDL::JntArray q, qd, qdd, tau;
  };

  KDL::JntArray pick(const double* ours) const {
    KDL::JntArray x(size_);
    for (unsigned k = 0; k < size_; ++k) x(k) = ours[place_[k]];
    return x;
  }

  unsigned size_;
  int nq_;
  KDL::Tree tree_;
  KDL::Chain chain_;
  std::vector<int> place_;  // our velocity of KDL's k-th joint
  KDL::Wrenches chain_wrenches_;
  KDL::WrenchMap tree_wrenches_;
  std::unique_ptr<KDL::ChainIdSolver_RNE> chain_inverse_;
  std::unique_ptr<KDL::TreeIdSolver_RNE> tree_inverse_;
  std::unique_ptr<KDL::ChainDynParam> chain_mass_;
  std::unique_ptr<KDL::ChainFdSolver_RNE> chain_forward_;
  std::vector<State> states_;
  KDL::JntArray tau_, qdd_;
  KDL::JntSpaceInertiaMatrix M_;
};

Peer* make(const Description& d) {
  for (int i = 0; i < d.body_count; ++i) {
    if (d.bodies[i].kind == Kind::spherical || d.bodies[i].kind == Kind::floating) return nullptr;
  }
  return new KdlPeer(d);
}

}  // namespace

LINKWRIGHT_PEER("Orocos KDL " KDL_VERSION_STRING, make)

}  // namespace lw::peer
