// The reference length of a mechanism, for comparisons.
#pragma once

#include <algorithm>
#include <cmath>

#include "../../graph/typical.hpp"
#include "../../model/model.hpp"

namespace lw {

// Largest coordinate of a vector, symbols at random values.
template <class T>
double typical_size(const Vec3<T>& v) {
  double size = 0.0;
  for (const double x : typical_values(std::vector<T>{v[0], v[1], v[2]})) size = std::max(size, std::abs(x));
  return size;
}

// Largest coordinate of a joint in its parent's frame. Positions of joints on the base are excluded: motion does not
// depend on the mechanism's position in the world, so decisions based on its size must not either.
template <class T>
double extent(const Model<T>& model) {
  double size = 0.0;
  for (const Body<T>& b : model.bodies) {
    if (b.parent >= 0) size = std::max(size, typical_size(b.X_PJ.p));
  }
  return size;
}

}  // namespace lw
