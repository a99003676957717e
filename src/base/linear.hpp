// Dense linear algebra of run-time size, over double. Eigen does the work, in one file: its factorisations take the
// compiler five to fifteen seconds in every file that names one.
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

// Takes further rows into the triangle R of a QR: afterwards RᵀR has grown by rowsᵀ rows. An empty R has none so far.
// Of any number of rows [A b] a triangle with as many rows as columns remains, which has the same least squares.
void absorb_rows(Eigen::MatrixXd& R, const AnyMatrix& rows);

// A = L Lᵀ; none where A is not positive definite.
std::optional<Eigen::MatrixXd> cholesky(const AnyMatrix& A);

// A⁻¹ b for a symmetric positive definite A, and A⁻¹ for any.
Eigen::VectorXd solve_positive(const AnyMatrix& A, const AnyVector& b);
Eigen::MatrixXd inverse(const AnyMatrix& A);
double determinant(const AnyMatrix& A);

// Of a symmetric matrix, ascending.
Eigen::VectorXd symmetric_eigenvalues(const AnyMatrix& A);

// All roots of c₀ + c₁ x + …, as eigenvalues of the companion matrix; coefficients that are zero at the end are left
// out.
std::vector<std::complex<double>> polynomial_roots(std::span<const double> ascending);

// Descending; and how many of them are above `threshold` times the largest.
Eigen::VectorXd singular_values(const AnyMatrix& A);
int numerical_rank(const AnyMatrix& A, double threshold);

// argmin |A x − b| of least norm. What A says with less than `threshold` of what it says most counts as nothing: by
// singular values, of large matrices by the pivots of a complete orthogonal decomposition, which takes a tenth of the
// time.
Eigen::VectorXd least_norm(const AnyMatrix& A, const AnyVector& b, double threshold);

// A = U diag(s) Vᵀ: s descending, U and V with as many columns as s; with `whole_space`, V has all of them, those
// beyond s spanning directions that A does not see.
struct Svd {
  explicit Svd(const AnyMatrix& A, bool whole_space = false);

  Eigen::VectorXd solve(const AnyVector& b, double threshold) const;  // of least norm, s under threshold s₁ left out
  int rank(double threshold) const;

  Eigen::MatrixXd U, V;
  Eigen::VectorXd s;
};

}  // namespace lw
