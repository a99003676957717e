#include "chart.hpp"

#include <cmath>

namespace lw {
namespace {

// (1 − (θ/2) cot(θ/2))/θ² over θ².
double cotangent_term(double square) {
  if (square < 0.1) {
    return 1.0 / 12 + square * (1.0 / 720 + square * (1.0 / 30240 + square * (1.0 / 1209600 + square / 47900160)));
  }
  const double half = 0.5 * std::sqrt(square);
  return (1.0 - half / std::tan(half)) / square;
}

Vec3<double> vector_at(const double* x) { return {x[0], x[1], x[2]}; }

void turn_by(const double* from, const double* u, double* to) {
  const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], half = 0.5 * std::sqrt(square);
  const double s = square < 1e-8 ? 0.5 - square / 48.0 : 0.5 * std::sin(half) / half, w = std::cos(half);
  const double a = s * u[0], b = s * u[1], c = s * u[2];
  const double x = from[0], y = from[1], z = from[2], r = from[3];
  const double q[4] = {x * w + r * a + y * c - z * b, y * w + r * b + z * a - x * c, z * w + r * c + x * b - y * a,
                       r * w - x * a - y * b - z * c};
  const double scale = 1.0 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int k = 0; k < 4; ++k) to[k] = scale * q[k];
}

}  // namespace

Chart::Chart(const Model<double>& model) {
  for (const JointInfo& joint : model.joints) {
    const auto q = static_cast<std::size_t>(joint.q), v = static_cast<std::size_t>(joint.v);
    if (joint.type == JointType::spherical) {
      rotations_.push_back({q, v, false});
    } else if (joint.type == JointType::floating) {
      plain_.push_back({q, v + 3, 3});
      rotations_.push_back({q + 3, v, true});
    } else {
      const auto count = static_cast<std::size_t>(coordinates(joint.type));
      if (!plain_.empty() && plain_.back().q + plain_.back().count == q && plain_.back().v + plain_.back().count == v) {
        plain_.back().count += count;
      } else {
        plain_.push_back({q, v, count});
      }
    }
  }
}

void Chart::point(std::span<const double> q0, std::span<const double> u, std::span<double> q) const {
  for (const Plain& p : plain_) {
    for (std::size_t k = 0; k < p.count; ++k) q[p.q + k] = q0[p.q + k] + u[p.v + k];
  }
  for (const Turn& r : rotations_) turn_by(&q0[r.q], &u[r.v], &q[r.q]);
}

void Chart::rates(std::span<const double> u, std::span<const double> q, std::span<const double> v,
                  std::span<double> du) const {
  for (const Plain& p : plain_) {
    for (std::size_t k = 0; k < p.count; ++k) du[p.v + k] = v[p.v + k];
  }
  for (const Turn& r : rotations_) {
    const Vec3<double> w = vector_at(&v[r.v]), turned = vector_at(&u[r.v]);
    const Vec3<double> across = cross(turned, w);
    const Vec3<double> rate = w + across * 0.5 + cross(turned, across) * cotangent_term(dot(turned, turned));
    for (int k = 0; k < 3; ++k) du[r.v + static_cast<std::size_t>(k)] = rate[k];
    if (!r.floats) continue;
    const Vec3<double> move =
        rotation_from_quaternion(q[r.q], q[r.q + 1], q[r.q + 2], q[r.q + 3]) * vector_at(&v[r.v + 3]);
    for (int k = 0; k < 3; ++k) du[r.v + 3 + static_cast<std::size_t>(k)] = move[k];
  }
}

void Chart::sizes(std::span<const double> q, std::span<double> sizes) const {
  for (const Plain& p : plain_) {
    for (std::size_t k = 0; k < p.count; ++k) sizes[p.v + k] = std::abs(q[p.q + k]);
  }
  for (const Turn& r : rotations_) {
    for (std::size_t k = 0; k < 3; ++k) sizes[r.v + k] = 1.0;
  }
}

}  // namespace lw
