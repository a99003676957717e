// Dense linear algebra of run-time size in double. Eigen is used in one source file only: its factorisations add five
// to fifteen seconds of compile time to every file that uses one.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace lw {

using AnyMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using AnyVector = Eigen::Ref<const Eigen::VectorXd>;

// By column-pivoted QR: pivots below `threshold` times the largest count as zero.
int rank(const AnyMatrix& A, double threshold);

// argmin |A x − b|, by column-pivoted QR.
Eigen::VectorXd least_squares(const AnyMatrix& A, const AnyVector& b);

// argmin |J x − r|² + damping |x|², from (JᵀJ + damping 1) x = Jᵀ r.
Eigen::VectorXd damped_least_squares(const AnyMatrix& J, const AnyVector& r, double damping);

// Adds rows to the triangular factor R of a QR factorisation: RᵀR increases by rowsᵀ rows. An empty R has no rows yet.
// Any number of rows [A b] reduces to a triangle with as many rows as columns and the same least-squares solution.
void absorb_rows(Eigen::MatrixXd& R, const AnyMatrix& rows);

// A = L Lᵀ; empty if A is not positive definite.
std::optional<Eigen::MatrixXd> cholesky(const AnyMatrix& A);

// A⁻¹ b for a symmetric positive definite A, and A⁻¹ for any A.
Eigen::VectorXd solve_positive(const AnyMatrix& A, const AnyVector& b);
Eigen::MatrixXd inverse(const AnyMatrix& A);
double determinant(const AnyMatrix& A);

// Eigenvalues of a symmetric matrix, ascending.
Eigen::VectorXd symmetric_eigenvalues(const AnyMatrix& A);

// All roots of c₀ + c₁ x + …, as eigenvalues of the companion matrix; trailing zero coefficients are ignored.
std::vector<std::complex<double>> polynomial_roots(std::span<const double> ascending);

// Singular values, descending; and the number of those above `threshold` times the largest.
Eigen::VectorXd singular_values(const AnyMatrix& A);
int numerical_rank(const AnyMatrix& A, double threshold);

// Minimum-norm argmin |A x − b|. Directions below `threshold` times the largest are ignored: by singular values, for
// large matrices by the pivots of a complete orthogonal decomposition, which takes a tenth of the time.
Eigen::VectorXd least_norm(const AnyMatrix& A, const AnyVector& b, double threshold);

// A = U diag(s) Vᵀ: s descending, U and V with as many columns as s; with `whole_space`, V is square, and its columns
// beyond s span the null space of A.
struct Svd {
  explicit Svd(const AnyMatrix& A, bool whole_space = false);

  Eigen::VectorXd solve(const AnyVector& b, double threshold) const;  // minimum norm, ignoring s below threshold · s₁
  int rank(double threshold) const;

  Eigen::MatrixXd U, V;
  Eigen::VectorXd s;
};

}  // namespace lw
