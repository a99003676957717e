#include "design_tree.hpp"

#include <algorithm>

#include "../../base/index.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/parameters/base_parameters.hpp"
#include "../../dynamics/tree/elements.hpp"
#include "../../graph/interpreter.hpp"

namespace lw {

std::vector<Expr> expr_list(std::initializer_list<std::span<const Expr>> parts) {
  std::vector<Expr> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<Expr> expr_values(const Function& f, const std::vector<Expr>& x) {
  std::vector<Expr> y(f.output_size());
  evaluate<Expr>(f, x, y);
  return y;
}

std::vector<Expr> expr_part(const std::vector<Expr>& all, std::size_t first, std::size_t count) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

DesignTree::DesignTree(const Model<Expr>& full)
    : model(regrouped(full, kRounding)),
      tree(canonical_tree(model)),
      method{std::vector<bool>(full.bodies.size(), false), std::vector<bool>(full.bodies.size(), false)} {
  regauge(tree, model, Gauges(tree.links.size(), Gauge::child));
}

DesignTree::Exprs DesignTree::torques(const Exprs& q, const Exprs& v, const Exprs& a) const {
  Exprs tau(v.size());
  tensor_inverse<Expr>(model, tree, method, q, v, a, tau);
  subtract_elements<Expr>(model, q, tau);
  return tau;
}

DesignTree::Exprs DesignTree::mass_matrix(const Exprs& q) const {
  Exprs M(at(model.nv) * at(model.nv));
  composite_mass_matrix<Expr>(model, tree, method, q, M);
  return M;
}

std::vector<Expr> needed_torques(const Model<Expr>& model, bool friction, const std::vector<Expr>& q,
                                 const std::vector<Expr>& v, const std::vector<Expr>& a, AtRest at_rest) {
  if (!friction) return DesignTree(model).torques(q, v, a);
  Workspace<Expr> work(model);
  Losses<Expr> losses(model);
  inverse_with_losses<Expr>(model, work, q, v, a, losses, {}, at_rest);
  return losses.total;
}

bool losses_need_loads(const Model<double>& model) {
  return std::any_of(model.losses.begin(), model.losses.end(),
                     [](const auto& loss) { return !loss.bearings.empty(); }) ||
         std::any_of(model.transmissions.begin(), model.transmissions.end(), [](const auto& t) {
           return std::any_of(t.drives.begin(), t.drives.end(), [](const auto& d) { return !d.efficiency.empty(); });
         });
}

}  // namespace lw
