#include "describe_mechanism.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <map>
#include <string>

namespace lw {
namespace {

using Eigen::AngleAxisd, Eigen::Isometry3d, Eigen::Matrix3d, Eigen::Vector3d;

double value(const Formula& f) { return f.value.constant(); }
Vector3d value(const Formula3& f) { return {value(f[0]), value(f[1]), value(f[2])}; }

Matrix3d value(const Rotation& r) {
  std::vector<double> v;
  for (const Formula& f : r.values) v.push_back(value(f));
  switch (r.kind) {
    case Rotation::Kind::none: break;
    case Rotation::Kind::rpy:
      return (AngleAxisd(v[2], Vector3d::UnitZ()) * AngleAxisd(v[1], Vector3d::UnitY()) *
              AngleAxisd(v[0], Vector3d::UnitX()))
          .toRotationMatrix();
    case Rotation::Kind::quaternion: return Eigen::Quaterniond(v[3], v[0], v[1], v[2]).normalized().toRotationMatrix();
    case Rotation::Kind::matrix: return Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(v.data());
  }
  return Matrix3d::Identity();
}

Isometry3d pose(const Vector3d& p, const Matrix3d& R) {
  Isometry3d X = Isometry3d::Identity();
  X.linear() = R;
  X.translation() = p;
  return X;
}

class Teller {
 public:
  explicit Teller(const Mechanism& mechanism) : mechanism_(mechanism) {
    int q = 0, v = 0;
    for (const Link& link : mechanism.links) {
      first_[link.name] = {q, v};
      q += coordinates(link.joint.type);
      v += velocities(link.joint.type);
    }
    body_of_[mechanism.base] = -1;
    for (const Link& link : mechanism.links) tell(link.name);
    for (const Payload& payload : mechanism.payloads) {
      add(peer::Kind::fixed, body_of_.at(payload.link), Isometry3d::Identity(), Vector3d::UnitZ());
      give_inertia(payload.inertia);
    }
  }
  std::vector<peer::Body> bodies;

 private:
  void tell(const std::string& name) {
    if (body_of_.count(name)) return;
    const Link& link = *mechanism_.find_link(name);
    tell(link.parent);
    const Joint& j = link.joint;
    Isometry3d before = pose(value(j.origin.xyz), value(j.origin.rotation)), after = Isometry3d::Identity();
    Vector3d axis = value(j.axis).normalized();
    if (j.dh) {
      const Isometry3d x = pose(Vector3d(value(j.dh->a), 0.0, 0.0),
                                AngleAxisd(value(j.dh->alpha), Vector3d::UnitX()).toRotationMatrix());
      const Isometry3d z = pose(Vector3d(0.0, 0.0, value(j.dh->d)),
                                AngleAxisd(value(j.dh->theta), Vector3d::UnitZ()).toRotationMatrix());
      before = j.dh->standard ? z : x * z;
      if (j.dh->standard) after = x;
      axis = Vector3d::UnitZ();
    }
    std::tie(q_, v_) = first_.at(name);
    add_joint(j, axis, body_of_.at(link.parent), before);
    if (j.drive) bodies.back().armature = value(j.drive->ratio) * value(j.drive->ratio) * value(j.drive->rotor_inertia);
    if (j.dh && j.dh->standard) add(peer::Kind::fixed, last(), after, axis);
    if (link.inertia) give_inertia(*link.inertia);
    body_of_[name] = last();
  }

  void add_joint(const Joint& j, const Vector3d& axis, int parent, const Isometry3d& X) {
    using peer::Kind;
    const Isometry3d here = Isometry3d::Identity();
    switch (j.type) {
      case JointType::fixed: add(Kind::fixed, parent, X, axis); break;
      case JointType::revolute: add(Kind::revolute, parent, X, axis); break;
      case JointType::prismatic: add(Kind::prismatic, parent, X, axis); break;
      case JointType::spherical: add(Kind::spherical, parent, X, axis); break;
      case JointType::floating: add(Kind::floating, parent, X, axis); break;
      case JointType::cylindrical:
        add(Kind::revolute, parent, X, axis);
        add(Kind::prismatic, last(), here, axis);
        break;
      case JointType::universal:
        add(Kind::revolute, parent, X, axis);
        add(Kind::revolute, last(), here, value(j.axis2).normalized());
        break;
      case JointType::planar: {
        // x of the plane: the coordinate axis after the one nearest to the normal, in the plane; y completes the frame
        Eigen::Index nearest = 0;
        axis.cwiseAbs().maxCoeff(&nearest);
        const Vector3d next = Vector3d::Unit((nearest + 1) % 3);
        const Vector3d x = axis.cross(next).cross(axis).normalized();
        add(Kind::prismatic, parent, X, x);
        add(Kind::prismatic, last(), here, axis.cross(x));
        add(Kind::revolute, last(), here, axis);
        break;
      }
    }
  }

  int last() const { return static_cast<int>(bodies.size()) - 1; }

  void add(peer::Kind kind, int parent, const Isometry3d& X, const Vector3d& axis) {
    peer::Body b{};
    b.parent = parent;
    b.kind = kind;
    if (kind != peer::Kind::fixed) {
      b.q = q_++;
      b.v = v_++;
    }
    for (int i = 0; i < 3; ++i) {
      b.axis[i] = axis[i];
      b.p[i] = X.translation()[i];
      for (int k = 0; k < 3; ++k) b.R[3 * i + k] = X.linear()(i, k);
    }
    bodies.push_back(b);
  }

  void give_inertia(const Inertia& inertia) {
    peer::Body& b = bodies.back();
    b.mass = value(inertia.mass);
    const Vector3d com = value(inertia.com);
    const auto t = [&](std::size_t k) { return value(inertia.tensor[k]); };
    Matrix3d I;
    I << t(0), t(3), t(4), t(3), t(1), t(5), t(4), t(5), t(2);
    const Matrix3d R = value(inertia.rotation);
    I = R * I * R.transpose();
    if (inertia.about_origin) I -= b.mass * (com.squaredNorm() * Matrix3d::Identity() - com * com.transpose());
    const double elements[6] = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    std::copy_n(elements, 6, b.I);
    std::copy_n(com.data(), 3, b.com);
  }

  const Mechanism& mechanism_;
  std::map<std::string, std::pair<int, int>> first_;  // coordinate, velocity of a link's joint
  std::map<std::string, int> body_of_;
  int q_ = 0, v_ = 0;
};

}  // namespace

std::vector<peer::Body> describe_bodies(const Mechanism& mechanism) { return Teller(mechanism).bodies; }

}  // namespace lw
