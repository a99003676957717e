// Coordinates around a configuration q₀ in which the motion takes place in a vector space: nv numbers u, q = q₀ exp(u).
//
//   plain       q = q₀ + u                                    u̇ = v
//   quaternion  q = q₀ ⊗ (a sin θ/2, cos θ/2), u = θ a        u̇ = ω + ½ u × ω + (1 − (θ/2) cot(θ/2))/θ² · u × (u × ω)
//   position of a floating joint  p = p₀ + u                     u̇ = R(q) v
//
// The middle one is the inverse of the exponential map's right derivative: an exact change of coordinates up to θ = 2π,
// so that a Runge-Kutta method in u keeps its order on the sphere of quaternions (Munthe-Kaas 1999). Steps start at u =
// 0.
#pragma once

#include <span>
#include <vector>

#include "../../model/model.hpp"

namespace lw {

class Chart {
 public:
  Chart() = default;
  explicit Chart(const Model<double>& model);

  // Whether there are no quaternions: q = q₀ + u.
  bool is_flat() const { return rotations_.empty(); }
  // q, its quaternions of length 1.
  void point(std::span<const double> q0, std::span<const double> u, std::span<double> q) const;
  // u̇ at q = point(u).
  void rates(std::span<const double> u, std::span<const double> q, std::span<const double> v,
             std::span<double> du) const;
  // The scale of the error of u: |q|, for rotations 1.
  void sizes(std::span<const double> q, std::span<double> sizes) const;

  // Entries of q that are quaternions (first of four), with the velocity that each begins at; and where a place goes
  // with it.
  struct Turn {
    std::size_t q = 0, v = 0;
    bool floats = false;  // the place stands three coordinates before q and three velocities behind v
  };
  const std::vector<Turn>& rotations() const { return rotations_; }

 private:
  struct Plain {
    std::size_t q = 0, v = 0, count = 0;
  };
  std::vector<Plain> plain_;
  std::vector<Turn> rotations_;
};

}  // namespace lw
