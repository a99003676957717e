#include "closed_form_arm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../model/rotation_vector.hpp"
#include "kinematics.hpp"

namespace lw {
namespace {

using V = Vec3<double>;

// Axes count as parallel, perpendicular or meeting within this: what rounding leaves of frames written with `90 deg`.
constexpr double kSame = 1e-12;
// Beyond the reach by no more than rounding is at its border.
constexpr double kBorder = 1e-12;
// The sine of the wrist's bend below which joint 4 does not matter: whatever its angle, the pose is met to twice this, well
// within what counts as reached.
constexpr double kStraight = 1e-11;

double norm(const V& a) { return std::sqrt(dot(a, a)); }
bool parallel(const V& a, const V& b) { return norm(cross(a, b)) < kSame; }
bool perpendicular(const V& a, const V& b) { return std::abs(dot(a, b)) < kSame; }

struct Line {
  V axis, point;
};

// Distance of a point from a line.
double off(const Line& line, const V& p) { return norm(cross(line.axis, p - line.point)); }

// The point where two lines meet, if they do.
std::optional<V> meeting(const Line& a, const Line& b, double size) {
  const V n = cross(a.axis, b.axis), between = b.point - a.point;
  const double square = dot(n, n);
  if (square < kSame) return std::nullopt;
  const V p = a.point + a.axis * (dot(cross(between, b.axis), n) / square);
  if (off(b, p) > kSame * size) return std::nullopt;
  return p;
}

// The square root of what should not be negative: nothing where it is by more than rounding of `scale`.
std::optional<double> root(double square, double scale) {
  if (square < -kBorder * scale) return std::nullopt;
  return std::sqrt(std::max(square, 0.0));
}

// Angle of a turn about `axis` that takes the direction of a, across it, to that of b.
double angle_about(const V& axis, const V& a, const V& b) {
  const V across = b - axis * dot(axis, b);
  return std::atan2(dot(axis, cross(a, across)), dot(a, across));
}

}  // namespace

std::optional<ClosedFormArm> ClosedFormArm::recognise(const Model<double>& model, int frame) {
  require(frame >= 0 && frame < static_cast<int>(model.frames.size()), "no such frame in the model");
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
    const std::optional<V> centre = meeting(line[3], line[4], size);
    if (!centre || off(line[5], *centre) > kSame * size || parallel(line[4].axis, line[5].axis)) return std::nullopt;
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
    arm.fore_ = in_plane(arm.point_ - line[2].point);
    const double shortest = std::min(std::hypot(arm.upper_.z, arm.upper_.x), std::hypot(arm.fore_.z, arm.fore_.x));
    if (shortest <= kSame * size) return std::nullopt;
  }
  return arm;
}

std::vector<ClosedFormArm::Candidate> ClosedFormArm::place(const V& target, In<double> start) const {
  const auto started = [&](int k) { return start[static_cast<std::size_t>(coordinate_[static_cast<std::size_t>(k)])]; };
  const auto turn = [](double angle, const P& a) {
    const double c = std::cos(angle), s = std::sin(angle);
    return P{c * a.z - s * a.x, s * a.z + c * a.x};
  };
  const auto dot2 = [](const P& a, const P& b) { return a.z * b.z + a.x * b.x; };
  // of the turn that takes a to b; any will do where one of them has no length
  const auto angle = [&](const P& a, const P& b, double scale, double otherwise) {
    if (std::hypot(a.z, a.x) <= kBorder * scale || std::hypot(b.z, b.x) <= kBorder * scale) return otherwise;
    return std::atan2(a.z * b.x - a.x * b.z, dot2(a, b));
  };
  std::vector<Candidate> out;
  const V r = target - origin_;
  const double rx = dot(x_, r), ry = dot(axis_[1], r), rz = dot(axis_[0], r);
  const double rho = std::hypot(rx, ry);
  const std::optional<double> reach = root((rho - std::abs(d_)) * (rho + std::abs(d_)), rho * rho + d_ * d_);
  if (!reach) return out;
  for (const double shoulder : {1.0, -1.0}) {
    const double X = shoulder * *reach;
    // x_, a₂, a₁ are right-handed: a turn about a₁ takes x_ towards a₂
    const double q1 = rho <= kBorder * norm(r) ? started(0) : std::atan2(ry * X - rx * d_, rx * X + ry * d_);
    const P u{rz - shoulder_.z, X - shoulder_.x};
    const double uu = dot2(u, u);
    for (const double elbow : {1.0, -1.0}) {
      Candidate c{{q1, 0, 0, 0, 0, 0}, std::string(shoulder > 0 ? "shoulder+" : "shoulder-")};
      P folded{};
      if (slides_) {
        const double along = dot2(fore_, slide_), across = fore_.z * slide_.x - fore_.x * slide_.z;
        const std::optional<double> stroke = root(uu - across * across, uu + across * across);
        if (!stroke) continue;
        c.q[2] = -along + elbow * *stroke;
        folded = {fore_.z + c.q[2] * slide_.z, fore_.x + c.q[2] * slide_.x};
        c.name += elbow > 0 ? " slide+" : " slide-";
      } else {
        const double L = std::hypot(upper_.z, upper_.x), m = std::hypot(fore_.z, fore_.x), d = std::sqrt(uu);
        // half angles: exact where the elbow is straight or folded
        const std::optional<double> s = root((L + m - d) * (L + m + d), L * m);
        const std::optional<double> k = root((d - L + m) * (d + L - m), L * m);
        if (!s || !k) continue;
        const double bend = elbow * 2.0 * std::atan2(*s, *k);
        const double at_zero = std::atan2(upper_.z * fore_.x - upper_.x * fore_.z, dot2(upper_, fore_));
        const double turned = bend - at_zero;
        c.q[2] = turn3_ * turned;
        const P lower = turn(turned, fore_);
        folded = {upper_.z + lower.z, upper_.x + lower.x};
        c.name += elbow > 0 ? " elbow+" : " elbow-";
      }
      c.q[1] = angle(folded, u, std::hypot(shoulder_.z, shoulder_.x) + std::abs(d_) + norm(r), started(1));
      out.push_back(c);
    }
  }
  return out;
}

void ClosedFormArm::turn_wrist(const M& R_w, Candidate at, In<double> start, std::vector<Candidate>& out) const {
  const V &a4 = axis_[3], &a5 = axis_[4], &a6 = axis_[5];
  const auto between = [](const V& a, const V& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); };
  const V w = R_w * a6;
  const double alpha = between(a4, a5), beta = between(a5, a6), gamma = between(a4, w);
  const std::optional<double> s =
      root(std::sin((gamma + alpha - beta) / 2) * std::sin((gamma - alpha + beta) / 2), 1.0);
  const std::optional<double> c =
      root(std::sin((alpha + beta + gamma) / 2) * std::sin((alpha + beta - gamma) / 2), 1.0);
  if (!s || !c) return;
  const V across4 = a4 - a5 * dot(a4, a5), across6 = a6 - a5 * dot(a6, a5);
  const double at_zero = std::atan2(dot(a5, cross(across4, across6)), dot(across4, across6));
  for (const double flip : {1.0, -1.0}) {
    Candidate next = at;
    next.name += flip > 0 ? " wrist+" : " wrist-";
    next.q[4] = flip * 2.0 * std::atan2(*s, *c) - at_zero;
    const M R5 = rotation_about_axis(a5, next.q[4]);
    const V bent = R5 * a6, across = bent - a4 * dot(a4, bent);
    const bool straight = norm(across) < kStraight;
    next.q[3] = straight ? start[static_cast<std::size_t>(coordinate_[3])] : angle_about(a4, across, w);
    const M R6 = transpose(rotation_about_axis(a4, next.q[3]) * R5) * R_w;
    const V beside = cross(a6, a5);
    next.q[5] = angle_about(a6, beside, R6 * beside);
    out.push_back(next);
  }
}

std::vector<ClosedFormArm::Branch> ClosedFormArm::solve(const Transform<double>& target, In<double> start) const {
  require(start.size() == nq_, "the start has not as many values as the model has coordinates");
  const M turned = target.R * transpose(home_.R);
  std::vector<Candidate> candidates;
  if (has_wrist_) {
    for (const Candidate& c : place(target.p + turned * (point_ - home_.p), start)) {
      M R = rotation_about_axis(axis_[0], c.q[0]) * rotation_about_axis(axis_[1], c.q[1]);
      if (!slides_) R = R * rotation_about_axis(axis_[2], c.q[2]);
      turn_wrist(transpose(R) * turned, c, start, candidates);
    }
  } else {
    candidates = place(target.p, start);
  }
  std::vector<Branch> branches;
  const std::size_t n = has_wrist_ ? 6 : 3;
  for (const Candidate& c : candidates) {
    Branch branch{{start.begin(), start.end()}, c.name};
    for (std::size_t k = 0; k < n; ++k) {
      const bool is_angle = !(slides_ && k == 2);
      branch.q[static_cast<std::size_t>(coordinate_[k])] =
          is_angle ? std::remainder(c.q[k], 2.0 * std::numbers::pi) : c.q[k];
    }
    branches.push_back(std::move(branch));
  }
  return branches;
}

}  // namespace lw
