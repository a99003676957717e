#include "tensor_inverse.hpp"

#include "../tree/elements.hpp"
#include "tensor_recursion.hpp"

namespace lw {

template <class T>
void tensor_inverse(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q, In<T> qd,
                    In<T> qdd, Out<T> tau, std::vector<Force<T>>* reactions) {
  TensorRecursion<T> recursion(model, tree, method, q, qd, qdd);
  recursion.outward();
  recursion.inward(tau);
  add_rotor_ties<T>(model, qdd, tau);
  if (reactions == nullptr) return;
  reactions->clear();
  for (std::size_t i = 0; i < tree.links.size(); ++i) reactions->push_back(recursion.reaction(i));
}

#define LW_INSTANTIATE(T)                                                                                             \
  template void tensor_inverse<T>(const Model<T>&, const CanonicalTree<T>&, const TensorMethod&, In<T>, In<T>, In<T>, \
                                  Out<T>, std::vector<Force<T>>*);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
