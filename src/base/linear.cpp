#include "linear.hpp"

#include <algorithm>

#include <Eigen/Dense>

namespace lw {

using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

// JacobiSVD is more accurate for small matrices, but takes minutes for large ones.
bool is_large(const AnyMatrix& A) { return std::min(A.rows(), A.cols()) >= 24; }

int rank_of(const VectorXd& s, double threshold) {
  return s.size() == 0 ? 0 : static_cast<int>((s.array() > threshold * s[0]).count());
}

}  // namespace

int rank(const AnyMatrix& A, double threshold) {
  if (A.size() == 0) return 0;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(A);
  qr.setThreshold(threshold);
  return static_cast<int>(qr.rank());
}

VectorXd least_squares(const AnyMatrix& A, const AnyVector& b) {
  return Eigen::ColPivHouseholderQR<MatrixXd>(A).solve(b);
}

VectorXd damped_least_squares(const AnyMatrix& J, const AnyVector& r, double damping) {
  const MatrixXd normal = J.transpose() * J + damping * MatrixXd::Identity(J.cols(), J.cols());
  return solve_positive(normal, J.transpose() * r);
}

void absorb_rows(MatrixXd& R, const AnyMatrix& rows) {
  MatrixXd all(R.rows() + rows.rows(), rows.cols());
  all << R, rows;
  const Eigen::Index kept = std::min(all.rows(), all.cols());
  const Eigen::HouseholderQR<MatrixXd> qr(all);
  R = qr.matrixQR().topRows(kept).triangularView<Eigen::Upper>();
}

std::optional<MatrixXd> cholesky(const AnyMatrix& A) {
  const Eigen::LLT<MatrixXd> llt(A);
  if (llt.info() != Eigen::Success) return {};
  return MatrixXd(llt.matrixL());
}

VectorXd solve_positive(const AnyMatrix& A, const AnyVector& b) { return Eigen::LDLT<MatrixXd>(A).solve(b); }

double determinant(const AnyMatrix& A) { return A.size() == 0 ? 1.0 : Eigen::PartialPivLU<MatrixXd>(A).determinant(); }
MatrixXd inverse(const AnyMatrix& A) { return Eigen::PartialPivLU<MatrixXd>(A).inverse(); }

VectorXd symmetric_eigenvalues(const AnyMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

std::vector<std::complex<double>> polynomial_roots(std::span<const double> ascending) {
  while (!ascending.empty() && ascending.back() == 0.0) ascending = ascending.first(ascending.size() - 1);
  const auto degree = static_cast<Eigen::Index>(ascending.size()) - 1;
  if (degree < 1) return {};
  MatrixXd companion = MatrixXd::Zero(degree, degree);
  companion.diagonal(-1).setOnes();
  for (Eigen::Index k = 0; k < degree; ++k) {
    companion(k, degree - 1) = -ascending[static_cast<std::size_t>(k)] / ascending.back();
  }
  const Eigen::VectorXcd roots = Eigen::EigenSolver<MatrixXd>(companion, false).eigenvalues();
  return {roots.begin(), roots.end()};
}

Svd::Svd(const AnyMatrix& A, bool whole_space) {
  if (A.size() == 0) {
    U.resize(A.rows(), 0);
    V = MatrixXd::Identity(A.cols(), whole_space ? A.cols() : 0);
    return;
  }
  const unsigned parts = Eigen::ComputeThinU | (whole_space ? Eigen::ComputeFullV : Eigen::ComputeThinV);
  const auto take = [&](const auto& svd) {
    U = svd.matrixU();
    V = svd.matrixV();
    s = svd.singularValues();
  };
  if (is_large(A))
    take(Eigen::BDCSVD<MatrixXd>(A, parts));
  else
    take(Eigen::JacobiSVD<MatrixXd>(A, parts));
}

VectorXd singular_values(const AnyMatrix& A) {
  if (A.size() == 0) return {};
  if (!is_large(A)) return Eigen::JacobiSVD<MatrixXd>(A).singularValues();
  // those of the triangular factor of A
  const Eigen::HouseholderQR<MatrixXd> qr(A.rows() < A.cols() ? MatrixXd(A.transpose()) : MatrixXd(A));
  const Eigen::Index n = qr.matrixQR().cols();
  return Eigen::BDCSVD<MatrixXd>(MatrixXd(qr.matrixQR().topRows(n).triangularView<Eigen::Upper>())).singularValues();
}

VectorXd least_norm(const AnyMatrix& A, const AnyVector& b, double threshold) {
  if (!is_large(A)) return Svd(A).solve(b, threshold);
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> qr;
  qr.setThreshold(threshold);
  return qr.compute(A).solve(b);
}

int numerical_rank(const AnyMatrix& A, double threshold) { return rank_of(singular_values(A), threshold); }

int Svd::rank(double threshold) const { return rank_of(s, threshold); }

VectorXd Svd::solve(const AnyVector& b, double threshold) const {
  const int r = rank(threshold);
  const VectorXd part = (U.leftCols(r).transpose() * b).cwiseQuotient(s.head(r));
  return V.leftCols(r) * part;
}

}  // namespace lw
