// A function written out in its inputs: every intermediate result replaced by its expression wherever it is used, which
// is what a formula manipulator makes where nothing is given a name. It doubles and doubles, so it is measured without
// being written: the size of an expression follows from those of its operands.
#pragma once

#include "graph/function.hpp"

namespace lw::reproduce {

struct Substituted {
  double multiplications = 0, additions = 0;  // divisions count as multiplications; signs are free
  double bytes = 0;  // as text: (a+b), (a*b), -a, sin(a), inputs by their names, numbers as short as they read back
  double operations() const { return multiplications + additions; }
};

// Sums over all outputs. Elementary functions of one or two operands; no calls, no solves.
Substituted substituted(const Function& function);

}  // namespace lw::reproduce
