// A configuration displaced along velocities, to first order: the start of derivatives with respect to q in a trace.
#pragma once

#include "coordinate_rates.hpp"

namespace lw {

// q + q̇(step): `step` has nv entries.
template <class T>
std::vector<T> displaced(const Model<T>& model, In<T> q, In<T> step) {
  std::vector<T> moved(q.size());
  coordinate_rates<T>(model, q, step, moved);
  for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = q[k] + moved[k];
  return moved;
}

}  // namespace lw
