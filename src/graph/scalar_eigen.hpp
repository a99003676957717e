// Our scalars as entries of Eigen matrices, in a separate header: most files need scalars but no matrices, and parsing
// Eigen takes longer than all of our headers.
#pragma once

#include <Eigen/Core>

#include "scalar.hpp"

namespace Eigen {
template <class T>
struct LinkwrightTraits : GenericNumTraits<double> {
  using Real = T;
  using NonInteger = T;
  using Nested = T;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 4,
    MulCost = 4
  };
};
template <>
struct NumTraits<lw::Expr> : LinkwrightTraits<lw::Expr> {};
template <>
struct NumTraits<lw::Dual> : LinkwrightTraits<lw::Dual> {};
template <>
struct NumTraits<lw::ComplexStep> : LinkwrightTraits<lw::ComplexStep> {};
template <>
struct NumTraits<lw::Count> : LinkwrightTraits<lw::Count> {};
}  // namespace Eigen
