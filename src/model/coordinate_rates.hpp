// Rates of the coordinates for velocities v: equal to v, except q̇ = ½ q ⊗ ω for quaternions and ṗ = R v for the
// position of a floating joint. Derivatives with respect to q are derivatives along these rates, one per velocity.
#pragma once

#include "../base/view.hpp"
#include "model.hpp"

namespace lw {

template <class T>
void coordinate_rates(const Model<T>& model, In<T> q, In<T> v, Out<T> rates);

// A configuration that moves along velocity k.
std::vector<Dual> moving_along(const Model<double>& model, std::span<const double> q, int k);

}  // namespace lw
