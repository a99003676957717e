// A model of numbers over another scalar: its numbers, standing still. What is lost to friction (losses, transmissions)
// is left out.
#pragma once

#include "model.hpp"

namespace lw {

template <class T>
Model<T> over(const Model<double>& model);

}  // namespace lw
