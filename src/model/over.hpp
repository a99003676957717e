// A model of numbers over another scalar: its numbers, standing still. What is lost to friction (losses, transmissions) and loops
// are left out.
#pragma once

#include "model.hpp"

namespace lw {

template <class T>
Model<T> over(const Model<double>& model);

}  // namespace lw
