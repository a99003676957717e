#include "loop_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "../../base/index.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

FreeJoint tree_joint(const Model<double>& model, int k) {
  const Body<double>& body = model.bodies[at(k)];
  FreeJoint joint;
  joint.type = body.kind == JointKind::revolute    ? JointType::revolute
               : body.kind == JointKind::prismatic ? JointType::prismatic
               : body.kind == JointKind::spherical ? JointType::spherical
                                                   : JointType::floating;
  joint.body[0] = body.parent;
  joint.body[1] = k;
  joint.X[0] = body.X_PJ;
  joint.axis = joint.axis2 = body.axis;
  for (const JointInfo& info : model.joints) {
    if (info.first_body <= k && k <= info.last_body) joint.name = info.name;
  }
  return joint;
}

FreeJoint loop_joint(const LoopClosure<double>& loop) {
  FreeJoint joint;
  joint.type = loop.type;
  joint.body[0] = loop.a.body;
  joint.body[1] = loop.b.body;
  joint.X[0] = loop.a.X_BF;
  joint.X[1] = loop.b.X_BF;
  joint.axis = loop.axis;
  joint.axis2 = loop.axis2;
  joint.name = loop.name;
  return joint;
}

double nearest_turn(double angle, double near) {
  return angle + 2.0 * std::numbers::pi * std::round((near - angle) / (2.0 * std::numbers::pi));
}

void put_quaternion(const Mat3<double>& R, In<double> near, double* out) {
  Eigen::Quaterniond u(R.eigen());
  u.normalize();
  const Eigen::Quaterniond old(near[3], near[0], near[1], near[2]);
  if (u.dot(old) < 0.0) u.coeffs() *= -1.0;
  out[0] = u.x(), out[1] = u.y(), out[2] = u.z(), out[3] = u.w();
}

// Chains of bodies with one velocity each, as instantiate makes them of joints with several.
struct ChainLink {
  JointKind kind;
  Vec3<double> axis;
};
std::vector<ChainLink> chain_of(const FreeJoint& joint, bool reversed) {
  const Vec3<double> across = Vec3<double>::from(joint.axis.eigen().unitOrthogonal());
  switch (joint.type) {
    case JointType::revolute: return {{JointKind::revolute, joint.axis}};
    case JointType::prismatic: return {{JointKind::prismatic, joint.axis}};
    case JointType::cylindrical: return {{JointKind::revolute, joint.axis}, {JointKind::prismatic, joint.axis}};
    case JointType::universal:
      if (reversed) return {{JointKind::revolute, joint.axis2}, {JointKind::revolute, joint.axis}};
      return {{JointKind::revolute, joint.axis}, {JointKind::revolute, joint.axis2}};
    case JointType::planar: {
      return {{JointKind::prismatic, across},
              {JointKind::prismatic, cross(joint.axis, across)},
              {JointKind::revolute, joint.axis}};
    }
    case JointType::spherical: return {{JointKind::spherical, joint.axis}};
    case JointType::fixed:
    case JointType::floating: return {};
  }
  return {};
}

}  // namespace

bool LoopGraph::joins(const FreeJoint& joint, int a, int b) const {
  const int i = group_of(joint, 0), j = group_of(joint, 1);
  return (i == a && j == b) || (i == b && j == a);
}

void LoopGraph::merge(int keep, int gone, const Transform<double>& X_keep_gone) {
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (group[k] != gone) continue;
    group[k] = keep;
    X[k] = X_keep_gone * X[k];
  }
  std::erase_if(yokes, [&](int g) { return g == keep || g == gone; });
}

bool LoopGraph::whole() const {
  return std::all_of(group.begin(), group.end(), [](int g) { return g == 0; });
}

LoopGraph loop_graph(const Model<double>& model, In<double> q, const std::vector<int>& held) {
  LoopGraph graph;
  graph.group = {0};
  graph.X.resize(1);
  int groups = 1;
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Body<double>& body = model.bodies[k];
    const std::size_t parent = at(body.parent + 1);
    const bool is_held = std::find(held.begin(), held.end(), body.v) != held.end();
    if (is_held) {
      graph.group.push_back(graph.group[parent]);
      graph.X.push_back(graph.X[parent] * joint_transform<double>(body, q));
      continue;
    }
    graph.tied = graph.tied || body.mimics;
    graph.group.push_back(groups++);
    graph.X.emplace_back();
    if (body.kind != JointKind::floating) graph.joints.push_back(tree_joint(model, static_cast<int>(k)));
    const auto within = [&](const JointInfo& j) {
      const int b = static_cast<int>(k);
      return j.type == JointType::universal && j.first_body <= b && b < j.last_body &&
             std::find(held.begin(), held.end(), j.v + 1) == held.end();
    };
    if (std::any_of(model.joints.begin(), model.joints.end(), within)) graph.yokes.push_back(graph.group.back());
  }
  for (const LoopClosure<double>& loop : model.loops) {
    if (loop.type == JointType::floating) continue;
    const FreeJoint joint = loop_joint(loop);
    const int a = graph.group_of(joint, 0), b = graph.group_of(joint, 1);
    if (loop.type != JointType::fixed) {
      graph.joints.push_back(joint);
    } else if (a != b) {
      const int keep = std::min(a, b), gone = std::max(a, b), side = keep == a ? 0 : 1;
      graph.merge(keep, gone, graph.frame(joint, side) * graph.frame(joint, 1 - side).inverse());
    }
  }
  return graph;
}

std::vector<double> coordinates_from(const Model<double>& model, const LoopGraph& graph, In<double> near) {
  std::vector<double> q(near.begin(), near.end());
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Body<double>& body = model.bodies[k];
    if (body.mimics) continue;
    const Transform<double> X = (graph.X[at(body.parent + 1)] * body.X_PJ).inverse() * graph.X[k + 1];
    const auto i = at(body.q);
    switch (body.kind) {
      case JointKind::revolute: {
        const Eigen::Vector3d a = body.axis.eigen(), e = a.unitOrthogonal(), turned = X.R.eigen() * e;
        q[i] = nearest_turn(std::atan2(a.cross(e).dot(turned), e.dot(turned)), near[i]);
        break;
      }
      case JointKind::prismatic: q[i] = dot(body.axis, X.p); break;
      case JointKind::spherical: put_quaternion(X.R, near.subspan(i, 4), &q[i]); break;
      case JointKind::floating:
        for (int j = 0; j < 3; ++j) q[i + at(j)] = X.p[j];
        put_quaternion(X.R, near.subspan(i + 3, 4), &q[i + 3]);
        break;
    }
  }
  return q;
}

GraphModel model_of(const LoopGraph& graph) {
  GraphModel result;
  Model<double>& model = result.model;
  const int count = 1 + *std::max_element(graph.group.begin(), graph.group.end());
  result.groups.assign(at(count), {"", -2, {}});
  result.groups[0].body = -1;
  const auto attach = [&](const FreeJoint& joint, int parent, int child) {
    const int side = graph.side_in(joint, parent);
    JointInfo info{joint.name, joint.type, model.nq, model.nv, static_cast<int>(model.bodies.size()), 0, false};
    int above = result.groups[at(parent)].body;
    Transform<double> X = result.groups[at(parent)].X_BF * graph.frame(joint, side);
    for (const ChainLink& link : chain_of(joint, side == 1)) {
      Body<double> body;
      body.parent = above;
      body.kind = link.kind;
      body.axis = link.axis;
      body.X_PJ = X;
      body.q = model.nq;
      body.v = model.nv;
      body.set_motion();
      model.nq += link.kind == JointKind::spherical ? 4 : 1;
      model.nv += body.velocities();
      model.home.resize(at(model.nq), 0.0);
      if (link.kind == JointKind::spherical) model.home.back() = 1.0;
      above = static_cast<int>(model.bodies.size());
      model.bodies.push_back(body);
      X = {};
    }
    info.last_body = above;
    model.joints.push_back(info);
    for (int k = info.first_body; k <= above; ++k) {
      const bool middle = joint.type == JointType::universal && k < above;
      result.yokes.push_back(
          middle || (k == above && std::find(graph.yokes.begin(), graph.yokes.end(), child) != graph.yokes.end()));
    }
    // the last body's frame is the joint's on the child's side
    result.groups[at(child)] = {joint.name, above, graph.frame(joint, 1 - side).inverse()};
  };
  std::vector<bool> used(graph.joints.size(), false);
  std::vector<int> reached{0};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (std::size_t j = 0; j < graph.joints.size(); ++j) {
      const FreeJoint& joint = graph.joints[j];
      const int a = graph.group_of(joint, 0), b = graph.group_of(joint, 1), here = reached[next];
      if (used[j] || a == b || (a != here && b != here)) continue;
      const int there = a == here ? b : a;
      if (result.groups[at(there)].body != -2) continue;
      used[j] = true;
      attach(joint, here, there);
      reached.push_back(there);
    }
  }
  for (std::size_t j = 0; j < graph.joints.size(); ++j) {
    const FreeJoint& joint = graph.joints[j];
    const int a = graph.group_of(joint, 0), b = graph.group_of(joint, 1);
    if (used[j] || a == b || result.groups[at(a)].body == -2 || result.groups[at(b)].body == -2) continue;
    const auto end = [&](int side, int of) {
      const Frame<double>& f = result.groups[at(of)];
      return Frame<double>{joint.name, f.body, f.X_BF * graph.frame(joint, side)};
    };
    model.loops.push_back({joint.name, joint.type, joint.axis, joint.axis2, end(0, a), end(1, b)});
  }
  return result;
}

void take_poses(const GraphModel& from, const Workspace<double>& work, LoopGraph& graph) {
  for (std::size_t g = 1; g < from.groups.size(); ++g) {
    if (from.groups[g].body != -2) graph.merge(0, static_cast<int>(g), frame_pose(work, from.groups[g]));
  }
}

}  // namespace lw
