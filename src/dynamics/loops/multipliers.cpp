#include "multipliers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/linear.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/crba.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kSaysNothing = 1e-9;

Eigen::Map<const VectorXd> vector_of(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

bool is_definite(const MatrixXd& H) {
  const std::optional<MatrixXd> L = cholesky(H);
  return L && (L->diagonal().array().square() > 1e-14 * H.diagonal().array()).all();
}

std::string no_inertia(const Model<double>& model, int v) {
  return fmt::format(
      "the mass matrix of `{}` is singular: nothing resists an acceleration in which `{}` moves (no mass or inertia "
      "moves with it), so the "
      "torques do not determine the accelerations",
      model.name, model.velocity_names[static_cast<std::size_t>(v)]);
}

void require_inertia(const Model<double>& model, const LoopPlan& plan, PlantWorkspace<double>& work, In<double> q) {
  const std::size_t n = plan.freedoms();
  MatrixXd H(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  mass_matrix<double>(model, plan, work, q, {H.data(), n * n});
  // next to a singular pose, which is another matter, what moves fastest hides the inertia of the rest
  constexpr double kFast = 1e6;
  const bool sound = std::all_of(work.R.begin(), work.R.end(), [](double x) { return std::abs(x) < kFast; });
  if (!sound || is_definite(H)) return;
  Eigen::Index most = 0;
  Svd(H).V.col(H.cols() - 1).cwiseAbs().maxCoeff(&most);
  throw Error(ErrorCode::data, no_inertia(model, plan.independent[static_cast<std::size_t>(most)]));
}

Multipliers::Multipliers(const Model<double>& model)
    : model_(model),
      equations_(closure_equations(model)),
      work_(model),
      J_(equations_.size() * static_cast<std::size_t>(model.nv)),
      M_(static_cast<std::size_t>(model.nv) * static_cast<std::size_t>(model.nv)),
      rows_(equations_.size()),
      step_(static_cast<std::size_t>(model.nv)),
      none_(step_),
      bias_(step_) {
  const Mobility free = mobility(model);
  rank_ = model.nv - free.dof;
}

// After it, the workspace has the kinematics of q.
Eigen::Map<const MatrixXd> Multipliers::jacobian(In<double> q) {
  forward_kinematics<double>(model_, work_, q);
  closure_jacobian<double>(model_, work_, equations_, ClosureAt::anywhere, J_);
  return {J_.data(), static_cast<Eigen::Index>(equations_.size()), static_cast<Eigen::Index>(model_.nv)};
}

void Multipliers::forward(In<double> q, In<double> qd, In<double> tau, Out<double> qdd) {
  const Svd svd(jacobian(q), true);
  forward_accelerations<double>(model_, work_, q, qd, none_, Vec3<double>::zero());
  closure_accelerations<double>(model_, work_, equations_, qd, rows_);
  const VectorXd p = -svd.solve(vector_of(rows_), kSaysNothing);
  const Eigen::Index nv = model_.nv;
  const MatrixXd N = svd.V.rightCols(nv - svd.rank(kSaysNothing));
  crba<double>(model_, work_, q, M_);
  bias_forces<double>(model_, work_, q, qd, bias_);
  const Eigen::Map<const MatrixXd> M(M_.data(), nv, nv);
  const VectorXd missing = vector_of(tau) - vector_of(bias_) - M * p;
  const MatrixXd H = N.transpose() * M * N;
  if (H.allFinite() && !is_definite(H)) {
    Eigen::Index most = 0;
    (N * Svd(H).V.col(H.cols() - 1)).cwiseAbs().maxCoeff(&most);
    throw Error(ErrorCode::data, no_inertia(model_, static_cast<int>(most)));
  }
  Eigen::Map<VectorXd>(qdd.data(), nv) = p + N * solve_positive(H, N.transpose() * missing);
}

double Multipliers::close(Out<double> q) {
  constexpr int kMost = 20;
  double before = HUGE_VAL;
  for (int k = 0;; ++k) {
    const auto J = jacobian(q);
    closure_residual<double>(model_, work_, equations_, rows_);
    const double open = vector_of(rows_).size() == 0 ? 0.0 : vector_of(rows_).cwiseAbs().maxCoeff();
    // rounding leaves so much, or the last step has gained nothing
    if (open < 1e-15 || k == kMost || (open < 1e-12 && open > 0.25 * before)) return open;
    before = open;
    Eigen::Map<VectorXd>(step_.data(), model_.nv) = -Svd(J).solve(vector_of(rows_), kSaysNothing);
    advance(model_, q, step_);
  }
}

void Multipliers::close_velocities(In<double> q, Out<double> qd) {
  const auto J = jacobian(q);
  Eigen::Map<VectorXd> v(qd.data(), model_.nv);
  const VectorXd open = J * v;
  v -= Svd(J).solve(open, kSaysNothing);
}

double Multipliers::distance(In<double> q) {
  const Svd svd(jacobian(q));
  return rank_ == 0 || svd.s.size() < rank_ ? 1.0 : svd.s[rank_ - 1] / svd.s[0];
}

}  // namespace lw
