#include "counting.hpp"

namespace lw::reproduce {

Linkage<Count> dense_links(std::size_t n, bool diagonal_inertia) {
  Linkage<Count> chain;
  chain.nq = chain.nv = static_cast<int>(n);
  const Count off = diagonal_inertia ? 0.0 : 0.3;
  for (int i = 0; i < chain.nv; ++i) {
    Linkage<Count>::Link link;
    link.parent = i - 1;
    link.q = link.v = i;
    link.mass = 7.0;
    link.com = {0.2, 0.3, 0.4};
    // no two differ by 0 or 1; the largest first, so that a triangular root of it has no zero in the joint's column
    link.I = {{9.0, off, off}, {off, 5.0, off}, {off, off, 2.0}};
    chain.links.push_back(link);
  }
  return chain;
}

DenseChain::DenseChain(Variables& x, std::size_t n, bool diagonal_inertia)
    : linkage(dense_links(n, diagonal_inertia)), rates(x.numbers(n)), accelerations(x.numbers(n)), tau(n) {
  linkage.gravity = x.vector();
  for (std::size_t i = 0; i < n; ++i) poses.push_back({x.matrix(), x.vector()});
}

}  // namespace lw::reproduce
