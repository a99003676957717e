// Equal limbs (four legs, two arms): subtrees that differ in their numbers alone. What a function computes for each of
// them becomes a call of one Function, with those numbers as arguments, and equal calls can run in the lanes of one
// vector.
//
//   private part   what depends on the state of one limb (and of what carries it): before limbs meet
//   last part      what only one limb's results need, after they met: accelerations outward, say
#pragma once

#include <vector>

#include "../../dynamics/canonical/tree.hpp"
#include "../../graph/function.hpp"

namespace lw {

struct LimbGroup {
  std::vector<std::vector<std::size_t>> limbs;  // the links of each, in the same order
};

// Subtrees on one link (or on the base) with the same joints; none within another.
template <class T>
std::vector<LimbGroup> equal_limbs(const CanonicalTree<T>& tree, const Model<T>& model);

// Numbers that differ among equal limbs, made symbols: `symbol` gives one for a value. The model is the tree's.
void make_limbs_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::vector<LimbGroup>& groups,
                      const std::function<Expr(double)>& symbol);

// All numbers of all links made symbols, but for 0 and ±1, which decide what there is to compute.
void make_links_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::function<Expr(double)>& symbol);

// `function` with calls for the steps of its recursion, as far as they are alike: its sections (Graph::begin_section).
// The last group of inputs are symbols, as below.
Function with_steps_called(const Function& function, const std::vector<double>& values);

// `function` with calls for equal limbs; its last group of inputs are the symbols, and `values` theirs: they are no
// inputs any more. Inputs q, and all others by velocities, results by velocities or, as matrices, by pairs of them.
Function with_limbs_called(const Function& function, const Model<double>& model, const std::vector<LimbGroup>& groups,
                           const std::vector<double>& values);

}  // namespace lw
