#include "legs.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "../../base/index.hpp"
#include "../kinematics.hpp"

namespace lw {
namespace {

struct Connection {
  int a, b, joint;  // bodies; body of the tree joint, or -1 - k for loop k
};

class Ways {
 public:
  Ways(const Model<double>& model, int target) : target_(target) {
    for (std::size_t k = 0; k < model.bodies.size(); ++k) {
      connections_.push_back({model.bodies[k].parent, static_cast<int>(k), static_cast<int>(k)});
    }
    for (std::size_t l = 0; l < model.loops.size(); ++l) {
      connections_.push_back({model.loops[l].a.body, model.loops[l].b.body, -1 - static_cast<int>(l)});
    }
    walk(-1);
  }
  struct Way {
    std::vector<int> bodies, joints;  // bodies passed, the base and the target not among them
  };
  std::vector<Way> found;

 private:
  void walk(int here) {
    if (found.size() > 64) return;
    for (const Connection& c : connections_) {
      if ((c.a != here && c.b != here) || c.a == c.b) continue;
      const int there = c.a == here ? c.b : c.a;
      if (there == -1 || std::find(way_.bodies.begin(), way_.bodies.end(), there) != way_.bodies.end()) continue;
      way_.joints.push_back(c.joint);
      if (there == target_) {
        found.push_back(way_);
      } else {
        way_.bodies.push_back(there);
        walk(there);
        way_.bodies.pop_back();
      }
      way_.joints.pop_back();
    }
  }
  int target_;
  std::vector<Connection> connections_;
  Way way_;
};

using Twist = Eigen::Matrix<double, 6, 1>;

void add_turn(std::vector<Twist>& columns, const Vec3<double>& axis, const Vec3<double>& at_point, const Vec3<double>& origin) {
  Twist t;
  t << axis.eigen(), cross(axis, origin - at_point).eigen();
  columns.push_back(t);
}
void add_slide(std::vector<Twist>& columns, const Vec3<double>& axis) {
  Twist t;
  t << Eigen::Vector3d::Zero(), axis.eigen();
  columns.push_back(t);
}
void add_ball(std::vector<Twist>& columns, const Transform<double>& X, const Vec3<double>& origin) {
  for (int k = 0; k < 3; ++k) add_turn(columns, X.R.col(k), X.p, origin);
}

std::vector<Twist> leg_columns(const Model<double>& model, const Workspace<double>& work, const Leg& leg, const Vec3<double>& origin) {
  std::vector<Twist> columns;
  for (const int j : leg.bodies) {
    if (j >= 0) {
      const Body<double>& body = model.bodies[at(j)];
      const Transform<double>& X = work.X_W[at(j)];
      if (body.kind == JointKind::revolute) add_turn(columns, X.R * body.axis, X.p, origin);
      if (body.kind == JointKind::prismatic) add_slide(columns, X.R * body.axis);
      if (body.kind == JointKind::spherical || body.kind == JointKind::floating) add_ball(columns, X, origin);
      for (int k = 0; k < 3 && body.kind == JointKind::floating; ++k) add_slide(columns, X.R.col(k));
      continue;
    }
    const LoopClosure<double>& loop = model.loops[at(-1 - j)];
    const Transform<double> A = frame_pose(work, loop.a), B = frame_pose(work, loop.b);
    const Vec3<double> axis = A.R * loop.axis;
    switch (loop.type) {
      case JointType::fixed: break;
      case JointType::revolute: add_turn(columns, axis, A.p, origin); break;
      case JointType::prismatic: add_slide(columns, axis); break;
      case JointType::cylindrical:
        add_turn(columns, axis, A.p, origin);
        add_slide(columns, axis);
        break;
      case JointType::universal:
        add_turn(columns, axis, A.p, origin);
        add_turn(columns, B.R * loop.axis2, A.p, origin);
        break;
      case JointType::spherical: add_ball(columns, A, origin); break;
      case JointType::planar: {
        const Vec3<double> across = Vec3<double>::from(axis.eigen().unitOrthogonal());
        add_slide(columns, across);
        add_slide(columns, cross(axis, across));
        add_turn(columns, axis, A.p, origin);
        break;
      }
      case JointType::floating: return {};
    }
  }
  return columns;
}

}  // namespace

std::vector<Leg> legs_to(const Model<double>& model, int frame) {
  const int target = model.frames[at(frame)].body;
  if (target < 0 || model.loops.empty()) return {};
  const Ways ways(model, target);
  if (ways.found.size() < 2) return {};
  std::vector<bool> passed(model.bodies.size(), false);
  std::vector<Leg> legs;
  for (const Ways::Way& way : ways.found) {
    for (const int body : way.bodies) {
      if (passed[at(body)]) return {};
      passed[at(body)] = true;
    }
    Leg leg;
    for (const int j : way.joints) {
      leg.bodies.push_back(j);
      std::string name;
      if (j < 0) {
        name = model.loops[at(-1 - j)].name;
      } else {
        for (const JointInfo& info : model.joints) {
          if (info.first_body <= j && j <= info.last_body) name = info.name;
        }
      }
      if (leg.joints.empty() || leg.joints.back() != name) leg.joints.push_back(name);
    }
    legs.push_back(std::move(leg));
  }
  return legs;
}

double leg_determinant(const Model<double>& model, Workspace<double>& work, In<double> q, int frame, const Leg& leg) {
  forward_kinematics<double>(model, work, q);
  const std::vector<Twist> columns = leg_columns(model, work, leg, frame_pose(model, work, frame).p);
  if (columns.size() == 6) {
    Eigen::Matrix<double, 6, 6> J;
    for (int k = 0; k < 6; ++k) J.col(k) = columns[at(k)];
    return J.determinant();
  }
  if (columns.size() != 3) return 0.0;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
  for (const Twist& t : columns) {
    const Eigen::Vector3d w = t.head<3>();
    if (normal.isZero()) normal = w;
    if (w.cross(normal).norm() > 1e-9) return 0.0;
  }
  if (normal.isZero()) return 0.0;
  const Eigen::Vector3d e = normal.unitOrthogonal(), f = normal.cross(e);
  Eigen::Matrix3d J;
  for (int k = 0; k < 3; ++k) {
    const Twist& t = columns[at(k)];
    J.col(k) << normal.dot(t.head<3>()), e.dot(t.tail<3>()), f.dot(t.tail<3>());
  }
  return J.determinant();
}

}  // namespace lw
