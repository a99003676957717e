// DART: all joints and all three functions. Its ball and free joints have exponential coordinates of the rotation;
// their velocities are, as ours, those of the child in its own axes, angular first.
#include <iostream>
#include <sstream>
#include <vector>

#include <dart/config.hpp>
#include <dart/dynamics/dynamics.hpp>

#include "peer.hpp"

namespace lw::peer {
namespace {

namespace dd = dart::dynamics;

// DART remarks on every name that it invents and every massless body (between the axes of a universal joint, say).
class Silence {
 public:
  Silence() : out_(std::cout.rdbuf(nowhere_.rdbuf())), err_(std::cerr.rdbuf(nowhere_.rdbuf())) {}
  ~Silence() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }

 private:
  std::ostringstream nowhere_;
  std::streambuf *out_, *err_;
};

class DartPeer : public Peer {
 public:
  explicit DartPeer(const Description& d)
      : nq_(d.nq), nv_(d.nv), bodies_(d.bodies, d.bodies + d.body_count), skeleton_(dd::Skeleton::create("mechanism")) {
    skeleton_->setGravity(Eigen::Map<const Eigen::Vector3d>(d.gravity));
    for (const Body& b : bodies_) add(b);
    place_.resize(static_cast<std::size_t>(nv_));
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (std::size_t k = 0; k < joints_[i]->getNumDofs(); ++k) {
        place_[joints_[i]->getIndexInSkeleton(k)] = bodies_[i].v + static_cast<int>(k);
      }
    }
  }

  bool supports(Function f) const override {
    return f == Function::inverse || f == Function::mass_matrix || f == Function::forward;
  }

  void set_states(int count, const double* q, const double* qd, const double* qdd, const double* tau) override {
    states_.assign(static_cast<std::size_t>(count), {});
    for (State& s : states_) {
      s = {positions(q), pick(qd), pick(qdd), pick(tau)};
      q += nq_;
      qd += nv_;
      qdd += nv_;
      tau += nv_;
    }
  }

  double compute(Function f, int state, double nudge) override {
    State& s = states_[static_cast<std::size_t>(state)];
    if (nudge != 0.0) s.q.array() += nudge;
    skeleton_->setPositions(s.q);
    switch (f) {
      case Function::inverse:
        skeleton_->setVelocities(s.qd);
        skeleton_->setAccelerations(s.qdd);
        skeleton_->computeInverseDynamics();
        return skeleton_->getForce(0) + skeleton_->getForce(place_.size() - 1);
      case Function::mass_matrix: {
        const Eigen::MatrixXd& M = skeleton_->getMassMatrix();
        return M(0, 0) + M(nv_ - 1, nv_ - 1);
      }
      case Function::forward:
        skeleton_->setVelocities(s.qd);
        skeleton_->setForces(s.tau);
        skeleton_->computeForwardDynamics();
        return skeleton_->getAcceleration(0) + skeleton_->getAcceleration(place_.size() - 1);
      default: return 0.0;
    }
  }

  void result(Function f, double* out) override {
    if (f == Function::mass_matrix) {
      const Eigen::MatrixXd& M = skeleton_->getMassMatrix();
      for (Eigen::Index i = 0; i < nv_; ++i) {
        for (Eigen::Index j = 0; j < nv_; ++j)
          out[place_[static_cast<std::size_t>(j)] * nv_ + place_[static_cast<std::size_t>(i)]] = M(i, j);
      }
      return;
    }
    const Eigen::VectorXd x = f == Function::inverse ? skeleton_->getForces() : skeleton_->getAccelerations();
    for (Eigen::Index i = 0; i < nv_; ++i) out[place_[static_cast<std::size_t>(i)]] = x[i];
  }

 private:
  struct State {
    Eigen::VectorXd q, qd, qdd, tau;
  };

  void add(const Body& b) {
    dd::BodyNode* parent = b.parent < 0 ? nullptr : joints_[static_cast<std::size_t>(b.parent)]->getChildBodyNode();
    dd::Joint* joint = nullptr;
    dd::BodyNode* node = nullptr;
    const auto take = [&](const auto& made) {
      joint = made.first;
      node = made.second;
    };
    const Eigen::Vector3d axis(b.axis[0], b.axis[1], b.axis[2]);
    switch (b.kind) {
      case Kind::revolute: {
        const auto made = skeleton_->createJointAndBodyNodePair<dd::RevoluteJoint>(parent);
        made.first->setAxis(axis);
        take(made);
        break;
      }
      case Kind::prismatic: {
        const auto made = skeleton_->createJointAndBodyNodePair<dd::PrismaticJoint>(parent);
        made.first->setAxis(axis);
        take(made);
        break;
      }
      case Kind::spherical: take(skeleton_->createJointAndBodyNodePair<dd::BallJoint>(parent)); break;
      case Kind::floating: take(skeleton_->createJointAndBodyNodePair<dd::FreeJoint>(parent)); break;
      case Kind::fixed: take(skeleton_->createJointAndBodyNodePair<dd::WeldJoint>(parent)); break;
    }
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R);
    X.translation() = Eigen::Map<const Eigen::Vector3d>(b.p);
    joint->setTransformFromParentBodyNode(X);
    node->setInertia(dd::Inertia(b.mass, b.com[0], b.com[1], b.com[2], b.I[0], b.I[1], b.I[2], b.I[3], b.I[4], b.I[5]));
    joints_.push_back(joint);
  }

  Eigen::VectorXd positions(const double* ours) const {
    Eigen::VectorXd x(nv_);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& b = bodies_[i];
      if (b.kind == Kind::fixed) continue;
      const auto first = static_cast<Eigen::Index>(joints_[i]->getIndexInSkeleton(0));
      const double* q = ours + b.q;
      if (b.kind == Kind::revolute || b.kind == Kind::prismatic) {
        x[first] = *q;
        continue;
      }
      Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
      if (b.kind == Kind::floating) {
        X.translation() = Eigen::Map<const Eigen::Vector3d>(q);
        q += 3;
      }
      X.linear() = Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix();
      if (b.kind == Kind::floating) {
        x.segment<6>(first) = dd::FreeJoint::convertToPositions(X);
      } else {
        x.segment<3>(first) = dd::BallJoint::convertToPositions(X.linear());
      }
    }
    return x;
  }

  Eigen::VectorXd pick(const double* ours) const {
    Eigen::VectorXd x(nv_);
    for (Eigen::Index k = 0; k < nv_; ++k) x[k] = ours[place_[static_cast<std::size_t>(k)]];
    return x;
  }

  int nq_, nv_;
  std::vector<Body> bodies_;
  dd::SkeletonPtr skeleton_;
  std::vector<dd::Joint*> joints_;
  std::vector<int> place_;  // our velocity of DART's k-th degree of freedom
  std::vector<State> states_;
};

Peer* make(const Description& d) {
  for (int i = 0; i < d.body_count; ++i) {
    if (d.bodies[i].armature != 0.0) return nullptr;
  }
  const Silence silence;
  return new DartPeer(d);
}

}  // namespace

LINKWRIGHT_PEER("DART " DART_VERSION, make)

}  // namespace lw::peer
