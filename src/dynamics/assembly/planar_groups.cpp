#include "planar_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include "../../base/index.hpp"
#include "planar_platform.hpp"

namespace lw {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Still = Transform<double>;  // of the group that keeps its frame; `{}` here makes gcc 12 fail

bool turns(const FreeJoint& j) { return j.type == JointType::revolute || j.type == JointType::spherical; }
bool slides(const FreeJoint& j) { return j.type == JointType::prismatic; }
bool fits(const FreeJoint& j) { return turns(j) || slides(j); }

// A plane as one group sees it: e1, e2 and the normal as columns, and places in it as complex numbers.
struct Plane {
  Matrix3d axes;
  PlanePoint operator()(const Vec3<double>& p) const {
    return {axes.col(0).dot(p.eigen()), axes.col(1).dot(p.eigen())};
  }
  double height(const Vec3<double>& p) const { return axes.col(2).dot(p.eigen()); }
};
Plane plane_across(const Vector3d& normal) {
  Plane plane;
  plane.axes.col(2) = normal.normalized();
  plane.axes.col(0) = plane.axes.col(2).unitOrthogonal();
  plane.axes.col(1) = plane.axes.col(2).cross(plane.axes.col(0));
  return plane;
}

constexpr double kParallel = 1e-9;

// The planes of several groups that joints connect, all normals pointing the same way; none where the joints do not
// move in one.
class Planes {
 public:
  Planes(const LoopGraph& graph, const std::vector<int>& groups, const std::vector<int>& joints)
      : graph_(graph), groups_(groups) {
    planes_.resize(groups.size());
    const auto first = std::find_if(joints.begin(), joints.end(),
                                    [&](int j) { return graph.joints[at(j)].type == JointType::revolute; });
    if (first == joints.end()) return;
    const FreeJoint& joint = graph.joints[at(*first)];
    set(graph.group_of(joint, 0), axis(joint, 0));
    set(graph.group_of(joint, 1), axis(joint, 1));
    // from one group to the next, until all are known; then every joint must agree
    for (std::size_t round = 0; round < groups.size(); ++round) {
      for (const int j : joints) pass_on(graph.joints[at(j)]);
    }
    good_ = std::all_of(planes_.begin(), planes_.end(), [](const auto& p) { return p.has_value(); }) &&
            std::all_of(joints.begin(), joints.end(), [&](int j) { return agrees(graph.joints[at(j)]); });
  }
  explicit operator bool() const { return good_; }
  const Plane& of(int group) const { return *planes_[place(group)]; }
  PlanePoint point(const FreeJoint& joint, int group) const {
    return of(group)(graph_.frame(joint, graph_.side_in(joint, group)).p);
  }
  double height(const FreeJoint& joint, int group) const {
    return of(group).height(graph_.frame(joint, graph_.side_in(joint, group)).p);
  }
  // A group's pose in another's frame: turned by an angle in the plane, a point of the one on a point of the other.
  Transform<double> pose(int in, int of_group, double angle, const PlanePoint& shift, double lift) const {
    const Matrix3d R = of(in).axes * Eigen::AngleAxisd(angle, Vector3d::UnitZ()) * of(of_group).axes.transpose();
    const Vector3d p = of(in).axes * Vector3d(shift.real(), shift.imag(), lift);
    return {Mat3<double>::from(R), Vec3<double>::from(p)};
  }

 private:
  std::size_t place(int group) const {
    return static_cast<std::size_t>(std::find(groups_.begin(), groups_.end(), group) - groups_.begin());
  }
  Vector3d axis(const FreeJoint& joint, int side) const {
    return graph_.frame(joint, side).R.eigen() * joint.axis.eigen();
  }
  void set(int group, const Vector3d& normal) {
    if (!planes_[place(group)]) planes_[place(group)] = plane_across(normal);
  }
  // The normal on the other side, where the joint tells: unchanged along its axis, or turned with the frames of a
  // slide.
  std::optional<Vector3d> across(const FreeJoint& joint, int side, const Vector3d& normal) const {
    if (joint.type == JointType::revolute) {
      const Vector3d a = axis(joint, side);
      if (a.cross(normal).norm() > kParallel) return {};
      return (a.dot(normal) > 0.0 ? 1.0 : -1.0) * axis(joint, 1 - side);
    }
    if (slides(joint)) {
      return graph_.frame(joint, 1 - side).R.eigen() * (graph_.frame(joint, side).R.eigen().transpose() * normal);
    }
    return {};
  }
  void pass_on(const FreeJoint& joint) {
    for (int side = 0; side < 2; ++side) {
      const auto& known = planes_[place(graph_.group_of(joint, side))];
      if (!known) continue;
      if (const auto normal = across(joint, side, known->axes.col(2))) set(graph_.group_of(joint, 1 - side), *normal);
    }
  }
  bool agrees(const FreeJoint& joint) const {
    if (joint.type == JointType::spherical) return true;
    const Vector3d n = of(graph_.group_of(joint, 0)).axes.col(2), m = of(graph_.group_of(joint, 1)).axes.col(2);
    const auto there = across(joint, 0, n);
    if (!there || (*there - m).norm() > kParallel) return false;
    return !slides(joint) || std::abs(axis(joint, 0).dot(n)) <= kParallel;
  }

  const LoopGraph& graph_;
  const std::vector<int>& groups_;
  std::vector<std::optional<Plane>> planes_;
  bool good_ = false;
};

constexpr double kTouching = 1e-9;  // of the largest length: nearer than that, places are one

// Places at distance a from `from` and b from `to`: two, one where they touch (to rounding), or none. Two circles that
// are one have no place of their own: `everywhere`.
std::vector<PlanePoint> circles_meet(const PlanePoint& from, double a, const PlanePoint& to, double b,
                                     bool& everywhere) {
  const double d = std::abs(to - from);
  const double scale = std::max({a, b, d});
  everywhere = d <= kTouching * scale && std::abs(a - b) <= kTouching * scale;
  if (everywhere || !(d > 1e-12 * scale)) return {};
  const double along = (a * a - b * b + d * d) / (2.0 * d);
  double square = a * a - along * along;
  if (square < -1e-12 * scale * scale) return {};
  square = std::max(square, 0.0);
  const PlanePoint e = (to - from) / d;
  const double h = std::sqrt(square);
  if (h <= kTouching * scale) return {from + along * e};
  return {from + e * PlanePoint(along, h), from + e * PlanePoint(along, -h)};
}

// Turn and shift that bring two points of a body, given in its plane, onto two in another.
struct InPlane {
  double angle;
  PlanePoint shift;
};
InPlane onto(const PlanePoint& a, const PlanePoint& b, const PlanePoint& A, const PlanePoint& B) {
  const PlanePoint turn = (B - A) * std::conj(b - a);
  const double angle = std::arg(turn);
  return {angle, A - std::polar(1.0, angle) * a};
}

LoopGraph merged(const LoopGraph& graph, const std::vector<int>& groups,
                 const std::vector<Transform<double>>& X_first) {
  LoopGraph next = graph;
  // the base's group is 0 and keeps its frame: the others come into the lowest
  const auto lowest = std::min_element(groups.begin(), groups.end()) - groups.begin();
  const Transform<double> X_low = X_first[static_cast<std::size_t>(lowest)].inverse();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    if (static_cast<std::ptrdiff_t>(k) != lowest)
      next.merge(groups[static_cast<std::size_t>(lowest)], groups[k], X_low * X_first[k]);
  }
  return next;
}

// A–X, X–Y, Y–A all turn.
PlanarSolutions close_triangle(const LoopGraph& graph, const Planes& planes, const std::array<int, 3>& groups,
                               const std::array<const FreeJoint*, 3>& joints) {
  const auto [A, X, Y] = groups;
  const PlanePoint a1 = planes.point(*joints[0], A), a3 = planes.point(*joints[2], A);
  const PlanePoint x1 = planes.point(*joints[0], X), x2 = planes.point(*joints[1], X);
  const PlanePoint y2 = planes.point(*joints[1], Y), y3 = planes.point(*joints[2], Y);
  PlanarSolutions result;
  const double rx = std::abs(x2 - x1), ry = std::abs(y3 - y2), scale = std::max({rx, ry, std::abs(a3 - a1)});
  const std::vector<PlanePoint> places = circles_meet(a1, rx, a3, ry, result.infinite);
  // a link both of whose joints are in one place turns as it likes
  result.infinite = result.infinite || (!places.empty() && std::min(rx, ry) <= kTouching * scale);
  for (const PlanePoint& a2 : places) {
    const InPlane x = onto(x1, x2, a1, a2), y = onto(y2, y3, a2, a3);
    const double lift_x = planes.height(*joints[0], A) - planes.height(*joints[0], X);
    const double lift_y = planes.height(*joints[2], A) - planes.height(*joints[2], Y);
    result.graphs.push_back(
        merged(graph, {A, X, Y},
               {Still(), planes.pose(A, X, x.angle, x.shift, lift_x), planes.pose(A, Y, y.angle, y.shift, lift_y)}));
  }
  return result;
}

// How V stands in U when the slide between them is at s = 0, and along which direction it moves.
struct Slide {
  Transform<double> X;
  Vec3<double> direction;
};
Slide slide_of(const LoopGraph& graph, const FreeJoint& joint, int U) {
  const int side = graph.side_in(joint, U);
  const Transform<double> F = graph.frame(joint, side);
  return {F * graph.frame(joint, 1 - side).inverse(), F.R * joint.axis};
}
Transform<double> slid(const Slide& slide, double s) { return {slide.X.R, slide.X.p + slide.direction * s}; }

// U–V slides, V–W and W–U turn.
PlanarSolutions close_with_slide(const LoopGraph& graph, const Planes& planes, const std::array<int, 3>& groups,
                                 const std::array<const FreeJoint*, 3>& joints) {
  const auto [U, V, W] = groups;
  const Slide slide = slide_of(graph, *joints[0], U);
  const Vec3<double> pivot_V = graph.frame(*joints[1], graph.side_in(*joints[1], V)).p;
  const PlanePoint start = planes.of(U)(slide.X.R * pivot_V + slide.X.p), d = planes.of(U)(slide.direction);
  const PlanePoint centre = planes.point(*joints[2], U);
  const PlanePoint w1 = planes.point(*joints[1], W), w2 = planes.point(*joints[2], W);
  const PlanePoint from = start - centre;
  const double along = (std::conj(d) * from).real(), off = (std::conj(d) * from).imag(), a = std::abs(w2 - w1);
  const double square = a * a - off * off, scale = std::max(a, std::abs(off));
  if (square < -1e-12 * scale * scale) return {};
  const double half = std::sqrt(std::max(square, 0.0));
  std::vector<double> ways{-along + half, -along - half};
  if (half <= kTouching * scale) ways.pop_back();
  PlanarSolutions result;
  result.infinite = a <= kTouching * std::abs(from);  // it turns as it likes: both its joints are in one place
  for (const double s : ways) {
    const InPlane w = onto(w1, w2, start + d * s, centre);
    const double lift = planes.height(*joints[2], U) - planes.height(*joints[2], W);
    result.graphs.push_back(
        merged(graph, {U, V, W}, {Still(), slid(slide, s), planes.pose(U, W, w.angle, w.shift, lift)}));
  }
  return result;
}

// U–V and V–W slide, W–U turns: the slides fix the angle, and two lines meet.
PlanarSolutions close_with_two_slides(const LoopGraph& graph, const Planes& planes, const std::array<int, 3>& groups,
                                      const std::array<const FreeJoint*, 3>& joints) {
  const auto [U, V, W] = groups;
  const Slide one = slide_of(graph, *joints[0], U), two = slide_of(graph, *joints[1], V);
  const Transform<double> X_UW = one.X * two.X;
  const PlanePoint d1 = planes.of(U)(one.direction), d2 = planes.of(U)(one.X.R * two.direction);
  const Vec3<double> pivot_W = graph.frame(*joints[2], graph.side_in(*joints[2], W)).p;
  const PlanePoint left = planes.point(*joints[2], U) - planes.of(U)(X_UW.R * pivot_W + X_UW.p);
  const double D = (std::conj(d1) * d2).imag();
  if (std::abs(D) <= kParallel)
    return {{}, std::abs((std::conj(d1) * left).imag()) <= kTouching * std::max(1.0, std::abs(left))};
  const double s = (std::conj(left) * d2).imag() / D, t = (std::conj(d1) * left).imag() / D;
  const Transform<double> X_UV = slid(one, s);
  return {{merged(graph, {U, V, W}, {Still(), X_UV, X_UV * slid(two, t)})}, false};
}

std::optional<PlanarSolutions> solve_dyad(const LoopGraph& graph, const PlanarGroup& step) {
  const Planes planes(graph, step.groups, step.joints);
  if (!planes) return {};
  std::array<int, 3> groups{step.groups[0], step.groups[1], step.groups[2]};
  std::array<const FreeJoint*, 3> joints{};
  for (std::size_t k = 0; k < 3; ++k) joints[k] = &graph.joints[at(step.joints[k])];
  const auto slides_count = std::count_if(joints.begin(), joints.end(), [](const FreeJoint* j) { return slides(*j); });
  // turned round the cycle so that slides come first: joint k is between groups k and k + 1
  for (int k = 0; k < 3 && slides_count > 0 && !(slides(*joints[0]) && !slides(*joints[2])); ++k) {
    std::rotate(joints.begin(), joints.begin() + 1, joints.end());
    std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  }
  switch (slides_count) {
    case 0: return close_triangle(graph, planes, groups, joints);
    case 1: return close_with_slide(graph, planes, groups, joints);
    case 2: return close_with_two_slides(graph, planes, groups, joints);
    default: return {};
  }
}

std::optional<PlanarSolutions> solve_platform(const LoopGraph& graph, const PlanarGroup& step) {
  const Planes planes(graph, step.groups, step.joints);
  if (!planes) return {};
  const int A = step.groups[0], B = step.groups[1];
  PlanarPlatform platform;
  std::array<PlanePoint, 3> near, far;  // of the rods, in their planes
  double lift = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const FreeJoint &at_A = graph.joints[at(step.joints[2 * k])], &at_B = graph.joints[at(step.joints[2 * k + 1])];
    const int rod = step.groups[k + 2];
    platform.fixed[k] = planes.point(at_A, A);
    platform.moving[k] = planes.point(at_B, B);
    near[k] = planes.point(at_A, rod);
    far[k] = planes.point(at_B, rod);
    platform.rod[k] = std::abs(far[k] - near[k]);
    if (k == 0) {
      lift = planes.height(at_A, A) - planes.height(at_A, rod) + planes.height(at_B, rod) - planes.height(at_B, B);
    }
  }
  const PlatformPoses found = platform_poses(platform);
  PlanarSolutions result{{}, found.infinite};
  for (const PlanarPose& pose : found.poses) {
    std::vector<Transform<double>> X{Still(), planes.pose(A, B, pose.angle, pose.p, lift)};
    for (std::size_t k = 0; k < 3; ++k) {
      const FreeJoint& at_A = graph.joints[at(step.joints[2 * k])];
      const int rod = step.groups[k + 2];
      const InPlane r =
          onto(near[k], far[k], platform.fixed[k], pose.p + platform.moving[k] * std::polar(1.0, pose.angle));
      X.push_back(planes.pose(A, rod, r.angle, r.shift, planes.height(at_A, A) - planes.height(at_A, rod)));
    }
    result.graphs.push_back(merged(graph, step.groups, X));
  }
  return result;
}

// Of the joints between two groups the first, or -1.
int joint_between(const LoopGraph& graph, int a, int b, bool turning) {
  for (std::size_t j = 0; j < graph.joints.size(); ++j) {
    const FreeJoint& joint = graph.joints[j];
    if (graph.joins(joint, a, b) && (turning ? turns(joint) : fits(joint))) return static_cast<int>(j);
  }
  return -1;
}

std::optional<PlanarGroup> find_dyad(const LoopGraph& graph, const std::vector<int>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      const int one = joint_between(graph, groups[i], groups[j], false);
      for (std::size_t k = j + 1; one >= 0 && k < groups.size(); ++k) {
        const int two = joint_between(graph, groups[j], groups[k], false),
                  three = joint_between(graph, groups[k], groups[i], false);
        if (two < 0 || three < 0) continue;
        return PlanarGroup{PlanarGroup::Kind::dyad, {one, two, three}, {groups[i], groups[j], groups[k]}};
      }
    }
  }
  return {};
}

std::optional<PlanarGroup> find_platform(const LoopGraph& graph, const std::vector<int>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      PlanarGroup step{PlanarGroup::Kind::platform, {}, {groups[i], groups[j]}};
      for (const int rod : groups) {
        if (rod == groups[i] || rod == groups[j] || step.groups.size() == 5) continue;
        const int near = joint_between(graph, groups[i], rod, true), far = joint_between(graph, rod, groups[j], true);
        if (near < 0 || far < 0) continue;
        step.joints.insert(step.joints.end(), {near, far});
        step.groups.push_back(rod);
      }
      if (step.groups.size() == 5) return step;
    }
  }
  return {};
}

}  // namespace

PlanarPlan planar_plan(const LoopGraph& graph) {
  PlanarPlan plan;
  LoopGraph left = graph;  // poses do not matter here
  for (;;) {
    std::vector<int> groups = left.group;
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    std::optional<PlanarGroup> step = find_dyad(left, groups);
    if (!step) step = find_platform(left, groups);
    if (!step) break;
    const int keep = *std::min_element(step->groups.begin(), step->groups.end());
    for (const int g : step->groups) {
      if (g != keep) left.merge(keep, g, {});
    }
    plan.steps.push_back(std::move(*step));
  }
  plan.complete = left.whole();
  return plan;
}

std::optional<PlanarSolutions> put_together(const LoopGraph& graph, const PlanarGroup& step) {
  return step.kind == PlanarGroup::Kind::dyad ? solve_dyad(graph, step) : solve_platform(graph, step);
}

}  // namespace lw
