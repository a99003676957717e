// How well a traced function, run by any back end, agrees with the algorithms over double at random states.
//
// Errors are in units of what agreement means: 1 is the limit.
//   inverse, bias    |Δτ|            ≤ 1e-12 of the terms |M||q̈| + |h|
//   forward          |M q̈ + h − τ|   ≤ 1e-13 of them
//   inverse-derivatives   |Δ|        ≤ 1e-12 of the terms of each entry (dynamics/derivatives/derivative_terms.hpp)
//   forward-derivatives   |M Δ|      ≤ 1e-10 of those and of √(M_ii M_jj)|∂q̈_j|; along kept parameters neither is
//                         compared here
//   the others       |Δ|             ≤ 1e-12 of the largest entry
// Other terms are those of the joint with the largest; no unit of length or mass decides what is small.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/trace/verification.hpp"

namespace lw {

// States of a model as inputs of a function, the values of kept parameters (`p`) behind them.
std::vector<std::vector<double>> states_of(const Model<double>& model, const Function& function, int count,
                                           const std::vector<double>& p = {}, std::uint64_t seed = 1);

using Evaluate = std::function<void(std::span<const double> inputs, std::span<double> outputs)>;

// The worst over these states.
double disagreement(const Model<double>& model, const Function& function,
                    const std::vector<std::vector<double>>& states, const Evaluate& evaluate,
                    const std::string& frame = "");
// By the interpreter.
double disagreement(const Model<double>& model, const Function& function,
                    const std::vector<std::vector<double>>& states, const std::string& frame = "");

// Embedded mechanisms without loops.
std::vector<std::string> embedded_trees();

}  // namespace lw
