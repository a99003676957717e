// A model of numbers over another scalar, whole: each of its numbers as a constant of T.
#pragma once

#include "model.hpp"

namespace lw {

template <class T>
Model<T> over(const Model<double>& model);

}  // namespace lw
