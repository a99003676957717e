// Linear equations with the square part J_u of the closures' Jacobian, J_u x = b and J_uᵀ y = c, over any scalar.
//
// Numbers are eliminated with row pivots as they come, block by block where the matrix is block triangular. Expressions
// cannot choose: what they do is laid down before, once for all states, by an EliminationPlan. It begins with pivots
// that are safe, the same at random configurations as far as that matters (levers from a link's joint to its cut joint
// are, and slides), or alone in their row or column: such a one is a factor of the determinant and vanishes where the
// mechanism is singular and nowhere else. Those of least fill-in come first. Of the core that is left, up to 3×3 is
// inverted by its adjugate, whose determinant is the rest of the factor; up to 8×8 is factorised by reflections, which
// need no pivots (reflections.hpp); a larger one is a Solve node of one step, which pivots when it runs.
#pragma once

#include "../../base/eigen_names.hpp"
#include "reflections.hpp"

namespace lw {

struct EliminationPlan {
  struct Pivot {
    std::size_t row, column;
  };
  std::vector<Pivot> pivots;
  std::vector<std::size_t> rows, columns;  // of the core
  // For numbers: parts that are solved one after the other, each with those before it known. None: all at once.
  struct Block {
    std::vector<std::size_t> rows, columns;
  };
  std::vector<Block> blocks = {};
};
// From the matrix at random configurations.
EliminationPlan plan_elimination(std::vector<EigenMatrixX> samples);

// How many right-hand sides follow. With one, a small core's determinant divides last, when all else is there: from
// step to step of Newton's method nothing then waits for the division but x itself. With several it divides the
// inverse, once.
enum class Solutions { one, several };

template <class T>
class LoopFactors {
 public:
  // `plan` must outlive it.
  explicit LoopFactors(const EliminationPlan& plan);

  // A by columns, n × n. Of numbers: false where it is singular to the last bit.
  bool factorize(In<T> A, Solutions wanted = Solutions::several);
  // b, an entry a row, becomes x, an entry a column; and c, an entry a column, becomes y, an entry a row.
  void solve(Out<T> b);
  void solve_transposed(Out<T> c);
  // Of numbers: the smallest pivot by size.
  double smallest_pivot() const;

 private:
  T& at(std::size_t row, std::size_t column) { return A_[column * n_ + row]; }
  bool factorize_blocks();
  void eliminate();
  void factorize_core();
  void solve_core(std::vector<T>& b, bool transposed);

  const EliminationPlan& plan_;
  std::size_t n_, core_;
  std::vector<T> A_, inverse_pivots_, core_inverse_, x_, part_;
  T core_scale_{};  // core_inverse_ lacks this factor, where one solution is wanted
  Solutions wanted_ = Solutions::several;
  Reflections<T> reflections_;  // of a larger core
  // of numbers: step k uses up row order_[k] for column column_order_[k]; a block ends before the steps in block_ends_
  std::vector<std::size_t> order_, start_order_, column_order_, block_ends_;
};

}  // namespace lw
