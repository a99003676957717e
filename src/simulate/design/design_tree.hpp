// What equations of designs are traced from: torques and mass matrix of the tree, and lists of expressions.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "../../dynamics/canonical/composite.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../graph/function.hpp"
#include "../../model/model.hpp"

namespace lw {

// One list of several; a function's results at expressions; a part of a list.
std::vector<Expr> expr_list(std::initializer_list<std::span<const Expr>> parts);
std::vector<Expr> expr_values(const Function& f, const std::vector<Expr>& x);
std::vector<Expr> expr_part(const std::vector<Expr>& all, std::size_t first, std::size_t count);

// The model with as few inertial numbers as give its torques, in frames that make the equations short.
struct DesignTree {
  using Exprs = std::vector<Expr>;
  Model<Expr> model;
  CanonicalTree<Expr> tree;
  TensorMethod method;

  explicit DesignTree(const Model<Expr>& full);
  Exprs torques(const Exprs& q, const Exprs& v, const Exprs& a) const;
  Exprs mass_matrix(const Exprs& q) const;
};

// What joints and drives lose in the equations of a design: nothing; what is smooth and needs no loads, as generalised
// forces of the independent joints; or anything, solved together with the accelerations.
enum class DesignLosses { none, smooth, any };

// Torques for a motion, with what joints and drives lose where `friction`.
std::vector<Expr> needed_torques(const Model<Expr>& model, bool friction, const std::vector<Expr>& q,
                                 const std::vector<Expr>& v, const std::vector<Expr>& a, AtRest at_rest);
// Whether what is lost depends on loads, and so on accelerations.
bool losses_need_loads(const Model<double>& model);

}  // namespace lw
