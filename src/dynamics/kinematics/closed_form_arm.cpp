#include "closed_form_arm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

using V = Vec3<double>;

// Tolerance for parallel, perpendicular or intersecting axes: the rounding errors of frames written with `90 deg`.
constexpr double kSame = 1e-12;
// Targets beyond the reach by rounding only count as on its boundary.
constexpr double kBorder = 1e-12;
// The sine of the wrist's bend below which joint 4 is undetermined: for any angle, the pose is reached to twice this,
// well within the tolerance.
constexpr double kStraight = 1e-11;

bool parallel(const V& a, const V& b) { return norm(cross(a, b)) < kSame; }
bool perpendicular(const V& a, const V& b) { return std::abs(dot(a, b)) < kSame; }

struct Line {
  V axis, point;
};

// Distance of a point from a line.
double off(const Line& line, const V& p) { return norm(cross(line.axis, p - line.point)); }

// The intersection of two lines, if it exists.
std::optional<V> meeting(const Line& a, const Line& b, double size) {
  const V n = cross(a.axis, b.axis), between = b.point - a.point;
  const double square = dot(n, n);
  if (square < kSame) return std::nullopt;
  const V p = a.point + a.axis * (dot(cross(between, b.axis), n) / square);
  if (off(b, p) > kSame * size) return std::nullopt;
  return p;
}

// The square root of a value that should not be negative: empty if it is negative by more than rounding of `scale`.
std::optional<double> root(double square, double scale) {
  if (square < -kBorder * scale) return std::nullopt;
  return std::sqrt(std::max(square, 0.0));
}

template <class P>
P turned(double angle, const P& a) {
  const double c = std::cos(angle), s = std::sin(angle);
  return P{c * a.z - s * a.x, s * a.z + c * a.x};
}
template <class P>
double dot2(const P& a, const P& b) {
  return a.z * b.z + a.x * b.x;
}
template <class P>
double length(const P& a) {
  return std::hypot(a.z, a.x);
}
// The angle of the rotation from a to b.
template <class P>
double angle_from(const P& a, const P& b) {
  return std::atan2(a.z * b.x - a.x * b.z, dot2(a, b));
}

// Angle of the rotation about `axis` from the direction of a, normal to it, to that of b.
double angle_about(const V& axis, const V& a, const V& b) {
  const V across = b - axis * dot(axis, b);
  return std::atan2(dot(axis, cross(a, across)), dot(a, across));
}

}  // namespace

std::optional<ClosedFormArm> ClosedFormArm::recognise(const Model<double>& model, int frame) {
  require(frame >= 0 && frame < static_cast<int>(model.frames.size()), "the model has no frame with this index");
  ClosedFormArm arm;
  arm.nq_ = static_cast<std::size_t>(model.nq);
  const Frame<double>& f = model.frames[static_cast<std::size_t>(frame)];
  std::vector<int> path;
  for (int i = f.body; i >= 0; i = model.bodies[static_cast<std::size_t>(i)].parent) path.insert(path.begin(), i);
  if (path.size() != 3 && path.size() != 6) return std::nullopt;
  arm.has_wrist_ = path.size() == 6;

  Workspace<double> work(model);
  std::vector<double> zero = model.home;
  for (const Body<double>& b : model.bodies) {
    if (b.velocities() == 1) zero[static_cast<std::size_t>(b.q)] = 0.0;
  }
  forward_kinematics<double>(model, work, zero);
  arm.home_ = frame_pose(model, work, frame);

  std::array<Line, 6> line;
  double size = norm(arm.home_.p);
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Body<double>& b = model.bodies[static_cast<std::size_t>(path[k])];
    const bool may_slide = k == 2;
    if (b.mimics || !(b.kind == JointKind::revolute || (may_slide && b.kind == JointKind::prismatic))) {
      return std::nullopt;
    }
    if (k == 2) arm.slides_ = b.kind == JointKind::prismatic;
    const Transform<double>& X = work.X_W[static_cast<std::size_t>(path[k])];
    line[k] = {X.R * b.axis, X.p};
    arm.axis_[k] = line[k].axis;
    arm.coordinate_[k] = b.q;
    size = std::max(size, norm(X.p));
  }
  arm.point_ = arm.home_.p;
  if (arm.has_wrist_) {
    arm.offset_ = !arm.slides_ && parallel(line[2].axis, line[3].axis);
    const std::optional<V> centre = arm.offset_ ? meeting(line[4], line[5], size) : meeting(line[3], line[4], size);
    if (!centre || parallel(line[3].axis, line[4].axis) || parallel(line[4].axis, line[5].axis)) return std::nullopt;
    if (!arm.offset_ && off(line[5], *centre) > kSame * size) return std::nullopt;
    arm.point_ = *centre;
  }
  const V &a1 = arm.axis_[0], &a2 = arm.axis_[1], &a3 = arm.axis_[2];
  if (!perpendicular(a1, a2)) return std::nullopt;
  if (arm.slides_ ? !perpendicular(a2, a3) : !parallel(a2, a3)) return std::nullopt;

  arm.origin_ = line[0].point;
  arm.x_ = cross(a2, a1);
  const auto in_plane = [&](const V& v) { return P{dot(a1, v), dot(arm.x_, v)}; };
  arm.d_ = dot(a2, arm.point_ - arm.origin_);
  arm.shoulder_ = in_plane(line[1].point - arm.origin_);
  if (arm.slides_) {
    arm.fore_ = in_plane(arm.point_ - line[1].point);
    arm.slide_ = in_plane(a3);
  } else {
    arm.turn3_ = dot(a2, a3) > 0.0 ? 1.0 : -1.0;
    arm.upper_ = in_plane(line[2].point - line[1].point);
    const V& end = arm.offset_ ? line[3].point : arm.point_;
    arm.fore_ = in_plane(end - line[2].point);
    if (std::min(length(arm.upper_), length(arm.fore_)) <= kSame * size) return std::nullopt;
    if (arm.offset_) {
      arm.turn4_ = dot(a2, arm.axis_[3]) > 0.0 ? 1.0 : -1.0;
      arm.hand_ = in_plane(arm.point_ - end);
    }
  }
  arm.size_ = size;
  return arm;
}

std::vector<ClosedFormArm::Shoulder> ClosedFormArm::shoulders(const V& target, In<double> start) const {
  std::vector<Shoulder> out;
  const V r = target - origin_;
  const double rx = dot(x_, r), ry = dot(axis_[1], r), rz = dot(axis_[0], r);
  const double rho = std::hypot(rx, ry);
  const std::optional<double> reach = root((rho - std::abs(d_)) * (rho + std::abs(d_)), rho * rho + d_ * d_);
  if (!reach) return out;
  for (const double sign : {1.0, -1.0}) {
    const double X = sign * *reach;
    // x_, a₂, a₁ are right-handed: a rotation about a₁ turns x_ towards a₂
    const double q1 = rho <= kBorder * norm(r) ? started(0, start) : std::atan2(ry * X - rx * d_, rx * X + ry * d_);
    out.push_back({q1, {rz - shoulder_.z, X - shoulder_.x}, sign > 0 ? "shoulder+" : "shoulder-"});
  }
  return out;
}

std::vector<ClosedFormArm::Elbow> ClosedFormArm::elbows(const P& u, In<double> start) const {
  // any angle is valid if one of them has length zero
  const auto q2 = [&](const P& folded) {
    const bool any = std::min(length(folded), length(u)) <= kBorder * (size_ + length(u));
    return any ? started(1, start) : angle_from(folded, u);
  };
  std::vector<Elbow> out;
  if (slides_) {
    const double uu = dot2(u, u), along = dot2(fore_, slide_), across = fore_.z * slide_.x - fore_.x * slide_.z;
    const std::optional<double> stroke = root(uu - across * across, uu + across * across);
    if (!stroke) return out;
    for (const double sign : {1.0, -1.0}) {
      const double q3 = -along + sign * *stroke;
      const P folded{fore_.z + q3 * slide_.z, fore_.x + q3 * slide_.x};
      out.push_back({q2(folded), q3, sign > 0 ? " slide+" : " slide-"});
    }
    return out;
  }
  const double L = length(upper_), m = length(fore_), d = length(u);
  // half angles are exact if the elbow is straight or folded
  const std::optional<double> s = root((L + m - d) * (L + m + d), L * m);
  const std::optional<double> c = root((d - L + m) * (d + L - m), L * m);
  if (!s || !c) return out;
  for (const double sign : {1.0, -1.0}) {
    const double bend = sign * 2.0 * std::atan2(*s, *c) - angle_from(upper_, fore_);
    const P lower = turned(bend, fore_), folded{upper_.z + lower.z, upper_.x + lower.x};
    out.push_back({q2(folded), turn3_ * bend, sign > 0 ? " elbow+" : " elbow-"});
  }
  return out;
}

std::vector<ClosedFormArm::Wrist> ClosedFormArm::wrists(const M& R_w, double q4) const {
  const V &a4 = axis_[3], &a5 = axis_[4], &a6 = axis_[5];
  const auto between = [](const V& a, const V& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); };
  const V w = R_w * a6;
  const double alpha = between(a4, a5), beta = between(a5, a6), gamma = between(a4, w);
  const std::optional<double> s =
      root(std::sin((gamma + alpha - beta) / 2) * std::sin((gamma - alpha + beta) / 2), 1.0);
  const std::optional<double> c =
      root(std::sin((alpha + beta + gamma) / 2) * std::sin((alpha + beta - gamma) / 2), 1.0);
  std::vector<Wrist> out;
  if (!s || !c) return out;
  const V across4 = a4 - a5 * dot(a4, a5), across6 = a6 - a5 * dot(a6, a5);
  const double at_zero = std::atan2(dot(a5, cross(across4, across6)), dot(across4, across6));
  for (const double flip : {1.0, -1.0}) {
    Wrist next{q4, flip * 2.0 * std::atan2(*s, *c) - at_zero, 0.0, false, flip > 0 ? " wrist+" : " wrist-"};
    const V bent = rotation_about_axis(a5, next.q5) * a6, across = bent - a4 * dot(a4, bent);
    next.straight = norm(across) < kStraight;
    if (!next.straight) next.q4 = angle_about(a4, across, w);
    next.q6 = last_turn(R_w, next.q4, next.q5);
    out.push_back(next);
  }
  return out;
}

double ClosedFormArm::last_turn(const M& R_w, double q4, double q5) const {
  const M R6 = transpose(rotation_about_axis(axis_[3], q4) * rotation_about_axis(axis_[4], q5)) * R_w;
  const V beside = cross(axis_[5], axis_[4]);
  return angle_about(axis_[5], beside, R6 * beside);
}

// For a straight offset wrist, any θ with u − R(θ) h within the elbow's reach is valid: the given one, or the nearest
// at the boundary of the reach.
double ClosedFormArm::bring_elbow_in_reach(double theta, const P& u) const {
  const double L = length(upper_), m = length(fore_), from = angle_from(hand_, u);
  const P h = turned(turn4_ * theta, hand_);
  const double d = length(P{u.z - h.z, u.x - h.x}), wanted = std::clamp(d, std::abs(L - m), L + m);
  if (d == wanted) return theta;
  const double across = 2.0 * length(u) * length(hand_);
  const double cosine = (dot2(u, u) + dot2(hand_, hand_) - wanted * wanted) / across;
  if (!(std::abs(cosine) <= 1.0)) return theta;  // no θ is valid
  const double away = std::remainder(turn4_ * theta - from, 2.0 * std::numbers::pi);
  return turn4_ * (from + std::copysign(std::acos(cosine), away));
}

std::vector<ClosedFormArm::Branch> ClosedFormArm::solve(const Transform<double>& target, In<double> start) const {
  require(start.size() == nq_, "the start must have as many values as the model has coordinates");
  std::vector<Branch> branches;
  const auto add = [&](const Shoulder& s, const Elbow& e, const Wrist& w) {
    Branch branch{{start.begin(), start.end()}, std::string(s.name) + e.name + w.name};
    const std::array<double, 6> q{s.q1, e.q2, e.q3, w.q4, w.q5, w.q6};
    for (std::size_t k = 0; k < (has_wrist_ ? 6 : 3); ++k) {
      const bool is_angle = !(slides_ && k == 2);
      branch.q[static_cast<std::size_t>(coordinate_[k])] =
          is_angle ? std::remainder(q[k], 2.0 * std::numbers::pi) : q[k];
    }
    branches.push_back(std::move(branch));
  };
  const M R = target.R * transpose(home_.R);
  for (const Shoulder& s : shoulders(has_wrist_ ? target.p + R * (point_ - home_.p) : target.p, start)) {
    const M R_1 = transpose(rotation_about_axis(axis_[0], s.q1)) * R;  // rotation of the joints after the first
    if (offset_) {
      const double theta = started(3, start) + turn4_ * (started(1, start) + turn3_ * started(2, start));
      for (Wrist w : wrists(R_1, theta)) {
        if (w.straight) {
          w.q4 = bring_elbow_in_reach(w.q4, s.u);
          w.q6 = last_turn(R_1, w.q4, w.q5);
        }
        const P h = turned(turn4_ * w.q4, hand_);
        for (const Elbow& e : elbows({s.u.z - h.z, s.u.x - h.x}, start)) {
          Wrist rest = w;
          rest.q4 -= turn4_ * (e.q2 + turn3_ * e.q3);
          add(s, e, rest);
        }
      }
      continue;
    }
    for (const Elbow& e : elbows(s.u, start)) {
      if (!has_wrist_) {
        add(s, e, {0.0, 0.0, 0.0, false, ""});
        continue;
      }
      M R_23 = rotation_about_axis(axis_[1], e.q2);
      if (!slides_) R_23 = R_23 * rotation_about_axis(axis_[2], e.q3);
      for (const Wrist& w : wrists(transpose(R_23) * R_1, started(3, start))) add(s, e, w);
    }
  }
  return branches;
}

}  // namespace lw
