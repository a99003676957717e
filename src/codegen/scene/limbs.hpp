// Equal limbs (four legs, two arms): subtrees that differ only in their numbers. The computations for each limb become
// a call of one Function with those numbers as arguments, and equal calls can run in the lanes of one vector.
//
//   private part   what depends only on the state of one limb and of its carrier: before limbs are combined
//   last part      what only the results of one limb need, after that: for instance accelerations outward
#pragma once

#include <vector>

#include "../../dynamics/canonical/tree.hpp"
#include "../../graph/function.hpp"

namespace lw {

struct LimbGroup {
  std::vector<std::vector<std::size_t>> limbs;  // the links of each limb, in the same order
};

// Finds subtrees on one link (or on the base) with the same joints; none within another.
template <class T>
std::vector<LimbGroup> equal_limbs(const CanonicalTree<T>& tree, const Model<T>& model);

// Replaces numbers that differ among equal limbs by symbols: `symbol` gives one for a value. `model` belongs to the
// tree.
void make_limbs_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::vector<LimbGroup>& groups,
                      const std::function<Expr(double)>& symbol);

// Replaces all numbers of all links by symbols, except 0 and ±1, which determine what there is to compute.
void make_links_alike(CanonicalTree<Expr>& tree, Model<Expr>& model, const std::function<Expr(double)>& symbol);

// `function` with calls for the equal steps of its recursion: its sections (Graph::begin_section). The last group of
// inputs are the symbols, as below.
Function with_steps_called(const Function& function, const std::vector<double>& values);

// `function` with calls for equal limbs. Its last group of inputs, the symbols, is replaced by `values`. Inputs are q
// and groups with one entry per velocity; results have one entry per velocity or, for matrices, per pair of velocities.
Function with_limbs_called(const Function& function, const Model<double>& model, const std::vector<LimbGroup>& groups,
                           const std::vector<double>& values);

}  // namespace lw
