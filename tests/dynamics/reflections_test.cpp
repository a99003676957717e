// Equations by reflections, against Eigen's decompositions with full pivots.
#include "dynamics/linear/reflections.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "base/random.hpp"
#include "graph/function.hpp"
#include "graph/interpreter.hpp"

namespace lw {
namespace reflections_test {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix random_matrix(Random& random, Eigen::Index n) {
  Matrix A(n, n);
  for (double& x : A.reshaped()) x = random.between(-1.0, 1.0);
  return A;
}

// ‖Ax − b‖ of a stable solution is a few roundings of ‖A‖‖x‖, however badly A is conditioned.
void expect_solved(const Matrix& A, const Vector& x, const Vector& b) {
  const double n = static_cast<double>(A.rows());
  EXPECT_LE((A * x - b).norm(), 8.0 * n * 0x1p-53 * A.norm() * x.norm());
}

TEST(Reflections, SolveEquationsAndTransposedOnes) {
  Random random(1);
  for (const Eigen::Index n : {1, 2, 5, 8}) {
    for (int k = 0; k < 20; ++k) {
      Matrix A = random_matrix(random, n);
      if (k % 2 == 1 && n > 1) A.col(0) = A.col(n - 1) + 1e-9 * A.col(0);  // nearly singular
      if (k % 4 == 2 && n > 1) A(0, 0) = 0.0;                              // where elimination must exchange rows
      const Vector b = random_matrix(random, n).col(0);
      Reflections<double> factors(static_cast<std::size_t>(n));
      factors.factorize({A.data(), static_cast<std::size_t>(A.size())});
      Vector x = b, y = b;
      factors.solve({x.data(), static_cast<std::size_t>(n)});
      factors.solve_transposed({y.data(), static_cast<std::size_t>(n)});
      expect_solved(A, x, b);
      expect_solved(A.transpose(), y, b);
    }
  }
}

TEST(Reflections, ColumnsThatAreInPlaceCostNothing) {
  // a triangle needs no root, and no reflection
  const Function f = trace("triangle", {{"a", 6}, {"b", 3}}, {{"x", 3}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& a = in[0];
    Reflections<Expr> factors(3);
    factors.factorize(std::vector<Expr>{a[0], 0.0, 0.0, a[1], a[2], 0.0, a[3], a[4], a[5]});
    out[0] = in[1];
    factors.solve(out[0]);
  });
  const OperationCount c = cost(f).operations;
  EXPECT_EQ(c.roots, 0);
  EXPECT_EQ(c.multiplications, 6);
  std::vector<double> x(3);
  evaluate<double>(f, std::vector<double>{2.0, 3.0, -1.0, 5.0, 7.0, 4.0, 1.0, 2.0, 8.0}, x);
  EXPECT_DOUBLE_EQ(x[2], 2.0);
  EXPECT_DOUBLE_EQ(x[1], 12.0);
  EXPECT_DOUBLE_EQ(x[0], (1.0 - 36.0 - 10.0) / 2.0);
}

}  // namespace reflections_test
}  // namespace lw
