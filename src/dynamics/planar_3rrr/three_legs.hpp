// The planar 3-RRR: three actuated cranks, three rods and a platform, with all joints revolute and parallel. Legs may
// differ, and the platform may be any triangle.
//
//   knees    K_i = O_i + c_i (cos(γ_i + q_i), sin(γ_i + q_i))
//   closure  |C_i − K_i| = r_i,  C_i the platform's corners
//
// Points are in the plane of motion, in base axes; the normal gives the sense of rotation.
#pragma once

#include <array>
#include <optional>

#include "../tree/workspace.hpp"

namespace lw {

template <class T>
struct PlaneVector {
  T x = T(0.0), y = T(0.0);

  friend PlaneVector operator+(const PlaneVector& a, const PlaneVector& b) { return {a.x + b.x, a.y + b.y}; }
  friend PlaneVector operator-(const PlaneVector& a, const PlaneVector& b) { return {a.x - b.x, a.y - b.y}; }
  friend PlaneVector operator*(const T& s, const PlaneVector& a) { return {s * a.x, s * a.y}; }
};
template <class T>
T dot(const PlaneVector<T>& a, const PlaneVector<T>& b) {
  return a.x * b.x + a.y * b.y;
}
template <class T>
T cross(const PlaneVector<T>& a, const PlaneVector<T>& b) {
  return a.x * b.y - a.y * b.x;
}
// Rotated by the angle with this cosine and sine.
template <class T>
PlaneVector<T> turned(const PlaneVector<T>& a, const T& c, const T& s) {
  return {c * a.x - s * a.y, s * a.x + c * a.y};
}

template <class T>
using Triangle = std::array<PlaneVector<T>, 3>;

struct ThreeLegs {
  Triangle<double> base;            // O_i
  std::array<double, 3> heading{};  // γ_i
  std::array<double, 3> crank{}, rod{};
  Triangle<double> platform;            // corners in the platform's frame
  std::array<int, 3> coordinate{};      // q_i among the mechanism's
  std::array<double, 3> sense{};        // ±1: −1 for a crank with the opposite sense of rotation, −q_i
  Vec3<double> right, up;               // axes of the plane in the world
  std::array<Frame<double>, 3> corner;  // on the platform, where the rods meet it
};

// Recognised by geometry, independently of names and of the joints that close the loops; none for other mechanisms.
std::optional<ThreeLegs> three_legs(const Model<double>& model);

// The platform's corners in the plane, at a configuration of the whole mechanism.
Triangle<double> platform_corners(const Model<double>& model, const ThreeLegs& legs, In<double> q);

template <class T>
Triangle<T> knees(const ThreeLegs& legs, const std::array<T, 3>& q);

}  // namespace lw
