// What the code generator makes of a mechanism, what it costs, and that it is right; and the theses' formulations
// traced as they stand, to set it against.
#pragma once

#include "codegen/trace/verification.hpp"
#include "codegen/scene/snapping.hpp"
#include "evaluate.hpp"

namespace lw::reproduce {

struct Generated {
  Traced traced;
  FunctionCost cost;
  Verification check;

  // {multiplications and divisions, additions}. Infinite where the function is not verified: it beats nothing then.
  Vector operations() const;
  double total() const { return operations()[0] + operations()[1]; }
  double depth() const;
  double trigonometric() const { return static_cast<double>(cost.operations.trigonometric); }
  // How it was verified, for notes.
  std::string verified() const;
};
Generated generate(const Mechanism& mechanism, const std::string& function, const TraceOptions& options = {});

// "inverse" or "forward" by a formulation as its equations stand: zeros and ones and products of numbers fold, what
// occurs twice is computed once, nothing else is done to it.
Function traced_formulation(const std::string& formulation, const Mechanism& mechanism,
                            const std::string& function = "inverse");
Vector arithmetic_of(const Function& function);  // as above

// As C, header and source.
double bytes_of_c(const Function& function);

}  // namespace lw::reproduce
