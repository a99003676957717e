// A configuration moving along a velocity, for derivatives by complex step: q + i h q̇, quaternions by ½ q ⊗ ω.
#pragma once

#include <vector>

#include "graph/scalar.hpp"
#include "model/model.hpp"

namespace lw {

std::vector<ComplexStep> moving(const Model<double>& model, const std::vector<double>& q,
                                const std::vector<double>& qd);

inline std::vector<ComplexStep> moving(const std::vector<double>& x, const std::vector<double>& rate) {
  std::vector<ComplexStep> out;
  for (std::size_t k = 0; k < x.size(); ++k) out.emplace_back(x[k], kComplexStep * rate[k]);
  return out;
}

inline std::vector<ComplexStep> still(const std::vector<double>& x) { return {x.begin(), x.end()}; }

}  // namespace lw
