#include "legs.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"

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

void add_turn(std::vector<Twist>& columns, const Vec3<double>& axis, const Vec3<double>& at_point,
              const Vec3<double>& origin) {
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

std::vector<Twist> leg_columns(const Model<double>& model, const Workspace<double>& work, const Leg& leg,
                               const Vec3<double>& origin) {
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

// All turns about one direction, all slides across it.
bool in_plane(const std::vector<Twist>& columns, Eigen::Vector3d& normal) {
  normal.setZero();
  for (const Twist& t : columns) {
    if (normal.isZero()) normal = t.head<3>();
    if (t.head<3>().cross(normal).norm() > 1e-9) return false;
  }
  return !normal.isZero() && std::all_of(columns.begin(), columns.end(), [&](const Twist& t) {
    return std::abs(normal.dot(t.tail<3>())) < 1e-9 * (1.0 + t.norm());
  });
}

// Those rows that a leg of so many freedoms is made to move.
Eigen::MatrixXd leg_rows(const std::vector<Twist>& columns, bool planar) {
  const auto n = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd J(6, n);
  for (Eigen::Index k = 0; k < n; ++k) J.col(k) = columns[static_cast<std::size_t>(k)];
  Eigen::Vector3d normal;
  if (!planar || !in_plane(columns, normal)) return n == 3 ? Eigen::MatrixXd(J.bottomRows(3)) : J;
  const Eigen::Vector3d e = normal.unitOrthogonal(), f = normal.cross(e);
  Eigen::MatrixXd flat(3, n);
  flat << normal.transpose() * J.topRows(3), e.transpose() * J.bottomRows(3), f.transpose() * J.bottomRows(3);
  return n == 2 ? Eigen::MatrixXd(flat.bottomRows(2)) : flat;
}

// Whether it moves in a plane in general: by its axes in some configuration of the open tree, which a plane does not
// leave.
bool moves_in_plane(const Model<double>& model, Workspace<double>& work, const Leg& leg) {
  Random random(7);
  std::vector<double> q = model.home, step(at(model.nv));
  for (double& x : step) x = random.between(-1.0, 1.0);
  advance(model, q, step);
  forward_kinematics<double>(model, work, q);
  Eigen::Vector3d normal;
  return in_plane(leg_columns(model, work, leg, Vec3<double>::zero()), normal);
}

}  // namespace

std::vector<Leg> legs_to(const Model<double>& model, int frame) {
  const int target = model.frames[at(frame)].body;
  if (target < 0) return {};
  const Ways ways(model, target);
  if (ways.found.size() < 2) return {};
  std::vector<bool> passed(model.bodies.size(), false);
  std::vector<Leg> legs;
  Workspace<double> work(model);
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
    leg.planar = moves_in_plane(model, work, leg);
    legs.push_back(std::move(leg));
  }
  return legs;
}

LegMeasure leg_measure(const Model<double>& model, Workspace<double>& work, In<double> q, int frame, const Leg& leg,
                       const LegMeasure* from) {
  forward_kinematics<double>(model, work, q);
  const std::vector<Twist> columns = leg_columns(model, work, leg, frame_pose(model, work, frame).p);
  if (columns.empty()) return {};
  LegMeasure measure{0.0, leg_rows(columns, leg.planar)};
  const Eigen::MatrixXd& J = measure.J;
  if (J.rows() == J.cols()) {
    measure.value = determinant(J);
    return measure;
  }
  measure.value =
      std::sqrt(std::max(0.0, J.rows() > J.cols() ? determinant(J.transpose() * J) : determinant(J * J.transpose())));
  if (from == nullptr || from->J.rows() != J.rows() || J.rows() < J.cols()) return measure;
  const bool over = determinant(from->J.transpose() * J) < 0.0;
  if ((from->value < 0.0) != over) measure.value = -measure.value;
  return measure;
}

}  // namespace lw
