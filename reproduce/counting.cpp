#include "counting.hpp"

namespace lw::reproduce {

DenseChain::DenseChain(Variables& x, std::size_t n, bool diagonal_inertia)
    : rates(x.numbers(n)), accelerations(x.numbers(n)), tau(n) {
  linkage.gravity = x.vector();
  linkage.nq = linkage.nv = static_cast<int>(n);
  const Count off = diagonal_inertia ? 0.0 : 0.3;
  for (int i = 0; i < static_cast<int>(n); ++i) {
    Linkage<Count>::Link link;
    link.parent = i - 1;
    link.q = link.v = i;
    link.mass = 7.0;
    link.com = {0.2, 0.3, 0.4};
    link.I = {{2.0, off, off}, {off, 5.0, off}, {off, off, 9.0}};  // no two differ by 0 or 1
    linkage.links.push_back(link);
    poses.push_back({x.matrix(), x.vector()});
  }
}

}  // namespace lw::reproduce
