// How fast the coordinates change at the velocities v: the same numbers, but for quaternions q̇ = ½ q ⊗ ω and for the
// place of a floating joint ṗ = R v. Derivatives with respect to q are derivatives along these: as many as there are
// velocities.
#pragma once

#include "../base/view.hpp"
#include "model.hpp"

namespace lw {

template <class T>
void coordinate_rates(const Model<T>& model, In<T> q, In<T> v, Out<T> rates);

// A configuration on its way along velocity k.
std::vector<Dual> moving_along(const Model<double>& model, std::span<const double> q, int k);

}  // namespace lw
