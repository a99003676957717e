#include "objective.hpp"

#include "schedule.hpp"

namespace lw {

double price(const Function& function, Objective objective) {
  switch (objective) {
    case Objective::operations: {
      const OperationCount c = cost(function).operations;
      return static_cast<double>(c.multiplications + c.additions + c.divisions + c.roots + c.comparisons +
                                 kTrigonometricPrice * c.trigonometric);
    }
    case Objective::latency: return cycles(function);
    case Objective::depth: return cost(function).depth;
  }
  return 0.0;
}

}  // namespace lw
