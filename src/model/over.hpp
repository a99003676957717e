// Converts a whole numerical model to another scalar: each of its numbers becomes a constant of T.
#pragma once

#include "model.hpp"

namespace lw {

template <class T>
JointLoss<T> over(const JointLoss<double>& loss);
template <class T>
Model<T> over(const Model<double>& model);

}  // namespace lw
