// Converts a whole numerical model to another scalar: each of its numbers becomes a constant of T.
#pragma once

#include "model.hpp"

namespace lw {

template <class T>
Model<T> over(const Model<double>& model);

}  // namespace lw
