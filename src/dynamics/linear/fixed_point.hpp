// x = G(x) for friction and the loads that it makes.
//
// Passes settle by a factor each, ρ(G'). Where that is near 1 or above, Newton's method on G(x) − x, with G' by
// differences. A solution is one that grows out of no friction only where det(1 − G') > 0: beyond, friction grows
// faster than its load, and none or several forces belong to the motion (Painlevé 1895).
#pragma once

#include <functional>
#include <vector>

namespace lw {

struct FixedPoint {
  bool settled = false;
  std::size_t worst = 0;  // the entry that is to blame where it has not
};
// From x, which the solution replaces. G(x, next) is last called at the solution.
FixedPoint fixed_point(std::vector<double>& x,
                       const std::function<void(const std::vector<double>&, std::vector<double>&)>& G);

}  // namespace lw
