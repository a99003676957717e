// Possible motions of the joints above a joint, determined at q = 0: whether they rotate only about its axis, move the
// axis only along itself, keep a point at rest. Each of these properties holds in every pose if it holds in one,
// because the motions concerned preserve it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "../tree/extent.hpp"

namespace lw::detail {

// The axis of a joint, or the centre of a joint without axis.
template <class T>
struct Line {
  Vec3<T> axis, point;
};

// Where line a meets line b, as the distance along a from its point.
template <class T>
T way_to(const Line<T>& a, const Line<T>& b) {
  const Vec3<T> n = cross(a.axis, b.axis);
  return dot(cross(b.point - a.point, b.axis), n) / dot(n, n);
}

// A mechanism at q = 0, in the world's axes at the first joint of each chain; its position in the world does not
// matter.
template <class T>
struct ZeroPose {
  explicit ZeroPose(const Model<T>& model) : gravity(model.gravity) {
    for (const Body<T>& b : model.bodies) {
      pose.push_back(b.parent < 0 ? Transform<T>{b.X_PJ.R, {}} : pose[static_cast<std::size_t>(b.parent)] * b.X_PJ);
      line.push_back({pose.back().R * b.axis, pose.back().p});
    }
  }
  Vec3<T> gravity;
  std::vector<Transform<T>> pose;
  std::vector<Line<T>> line;
};

// The same as numbers for decisions, with lengths relative to the largest, and gravity scaled to a largest coordinate
// of 1.
struct Shape {
  template <class T>
  Shape(const ZeroPose<T>& zero, double nearly_zero) : tolerance(nearly_zero) {
    std::vector<T> all;
    const auto put = [&](const Vec3<T>& v) { all.insert(all.end(), {v[0], v[1], v[2]}); };
    put(zero.gravity);
    for (const Line<T>& l : zero.line) put(l.axis), put(l.point);
    const std::vector<double> values = typical_values(all);
    const auto take = [&](std::size_t k) { return Vec3<double>(values[3 * k], values[3 * k + 1], values[3 * k + 2]); };
    gravity = take(0);
    if (const double most = typical_size(gravity); most > 0.0) gravity = gravity / most;
    double size = 0.0;
    for (std::size_t k = 0; k < zero.line.size(); ++k) {
      line.push_back({take(2 * k + 1), take(2 * k + 2)});
      for (int i = 0; i < 3; ++i) size = std::max(size, std::abs(line.back().point[i]));
    }
    if (size == 0.0) return;
    for (Line<double>& l : line) l.point = l.point / size;
  }

  bool vanishes(double x) const { return std::abs(x) < tolerance; }
  bool vanishes(const Vec3<double>& v) const { return vanishes(v[0]) && vanishes(v[1]) && vanishes(v[2]); }
  bool parallel(const Vec3<double>& a, const Vec3<double>& b) const { return vanishes(cross(a, b)); }

  double tolerance;
  Vec3<double> gravity;
  std::vector<Line<double>> line;
};

class Reach {
 public:
  template <class T>
  Reach(const Model<T>& model, const Shape& shape, int joint)
      : shape_(shape), own_(shape.line[static_cast<std::size_t>(joint)]) {
    const auto body = [&](int k) -> const Body<T>& { return model.bodies[static_cast<std::size_t>(k)]; };
    for (int j = body(joint).parent; j >= 0; j = body(j).parent) above_.push_back({j, body(j).kind});
  }

  bool nothing_turns() const;
  bool turns_only_about_axis() const;
  bool never_turns_about_axis() const;
  // A revolute joint to whose axis all rotations are parallel.
  std::optional<int> only_direction() const;
  // A joint that rotates normal to the axis; its own axis or centre determines which point of the axis may be at rest.
  std::optional<int> turns_across() const;
  bool stays(const Vec3<double>& point) const;
  // If it rotates only about the axis:
  bool axis_stays_on_itself() const;
  bool never_moves_along_axis() const;

 private:
  template <class Condition>
  bool none(Condition condition) const;
  bool vanishes(const auto& x) const { return shape_.vanishes(x); }
  bool parallel(const Vec3<double>& a, const Vec3<double>& b) const { return shape_.parallel(a, b); }
  const Line<double>& line(int joint) const { return shape_.line[static_cast<std::size_t>(joint)]; }

  const Shape& shape_;
  const Line<double>& own_;
  std::vector<std::pair<int, JointKind>> above_;
};

}  // namespace lw::detail
