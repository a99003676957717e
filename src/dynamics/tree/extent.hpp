// What lengths of a mechanism are small or large against.
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

// Largest coordinate of a joint in its parent's frame. Where joints stand on the base is no part of it: no motion
// depends on where in the world a mechanism is, so nothing that is decided by its size may either.
template <class T>
double extent(const Model<T>& model) {
  double size = 0.0;
  for (const Body<T>& b : model.bodies) {
    if (b.parent >= 0) size = std::max(size, typical_size(b.X_PJ.p));
  }
  return size;
}

}  // namespace lw
