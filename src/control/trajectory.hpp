// Trajectories: segments between points, in joint space or along a straight line of a frame. Quintics:
//
//   q(s) = Σ c_k s^k, s: time since the beginning of the segment,
//   Δ = q₁ − q₀ − v₀T − ½a₀T²,  δv = v₁ − v₀ − a₀T,  δa = a₁ − a₀,  c₀ = q₀,  c₁ = v₀,  c₂ = ½a₀
//   c₃ = (10Δ − 4δv T + ½δa T²)/T³,  c₄ = (−15Δ + 7δv T − δa T²)/T⁴,  c₅ = (6Δ − 3δv T + ½δa T²)/T⁵
//
// satisfies position, velocity and acceleration at both ends. Segments that share these at their knots form a C² curve.
// Cycloids from rest to rest, with φ = 2πs/T (peak rate 2Δ/T in the middle, peak acceleration 2πΔ/T² at a quarter of
// the time from the ends):
//
//   q = q₀ + Δ (φ − sin φ)/2π,   q̇ = Δ/T (1 − cos φ),   q̈ = 2πΔ/T² sin φ
#pragma once

#include <array>
#include <vector>

#include "../spatial/spatial.hpp"

namespace lw {

// Position, velocity and acceleration of one coordinate.
template <class T>
struct Moving {
  T position = T(0.0), velocity = T(0.0), acceleration = T(0.0);
};

template <class T>
struct Quintic {
  std::array<T, 6> c{};

  static Quintic between(const Moving<T>& from, const Moving<T>& to, const T& duration);
  Moving<T> at(const T& s) const;
};

// From rest to rest.
template <class T>
struct Cycloid {
  T from, way, duration;

  Moving<T> at(const T& s) const;
};

// All joints at one time.
template <class T>
struct JointMotion {
  std::vector<T> q, qd, qdd;
};

// A joint-space trajectory of quintic or cycloidal segments. Outside its time range it has the value at the nearer end.
class Trajectory {
 public:
  // via[k][j]: joint j at times[k]. Throws Error(data) if times do not increase or sizes differ.
  Trajectory(std::vector<double> times, const std::vector<std::vector<Moving<double>>>& via);

  // Passes through the points at the given times, at rest in each.
  static Trajectory rest_to_rest(const std::vector<double>& times, const std::vector<std::vector<double>>& points);
  // Four points: at rest in the first and last, constant velocity from the second to the third, zero acceleration in
  // all.
  static Trajectory cruise(const std::vector<double>& times, const std::vector<std::vector<double>>& points);

  // Passes through the points at the given times, at rest in each, by cycloids.
  static Trajectory cycloidal(const std::vector<double>& times, const std::vector<std::vector<double>>& points);

  // t is clamped to the time range. For any scalar: a trace chooses the segment by `select`.
  template <class T>
  JointMotion<T> at(const T& t) const;
  // The same without allocating a new one.
  template <class T>
  void at(const T& t, JointMotion<T>& out) const;

  const std::vector<double>& times() const { return times_; }
  double duration() const { return times_.back() - times_.front(); }
  int joints() const { return static_cast<int>(segments_.front().size()); }
  // The segments; for cycloids, quintics with the same end conditions.
  const Quintic<double>& segment(int k, int joint) const {
    return segments_[static_cast<std::size_t>(k)][static_cast<std::size_t>(joint)];
  }

 private:
  std::vector<double> times_;
  std::vector<std::vector<Quintic<double>>> segments_;
  std::vector<std::vector<double>> cycloid_points_;  // empty: quintics
};

// Pose and motion of a frame: velocity and acceleration of its origin, in world axes.
template <class T>
struct FrameMotion {
  Transform<T> pose;
  Motion<T> velocity, acceleration;
};

// From one pose to another, at rest in both: the origin moves on a straight line, the orientation about one axis fixed
// in the world (by the smaller angle), both by the same quintic 10s³ − 15s⁴ + 6s⁵.
class CartesianLine {
 public:
  CartesianLine(const Transform<double>& from, const Transform<double>& to, double duration);
  template <class T>
  FrameMotion<T> at(const T& t) const;
  double duration() const { return duration_; }

 private:
  Transform<double> from_;
  Vec3<double> way_, axis_;
  double angle_, duration_;
  Quintic<double> law_;
};

}  // namespace lw
