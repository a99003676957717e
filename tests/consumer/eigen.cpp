// Uses the installed package with Eigen: forward dynamics, its derivatives beside finite differences, a mechanism with
// loops, and compiled code. Built with other instruction sets than the library.
#include <cstdio>

#include <linkwright/linkwright.hpp>

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

int failures = 0;
void expect_small(const char* what, double error, double bound) {
  std::printf("%-50s %.1e\n", what, error);
  if (!(error <= bound)) ++failures;
}

double random_number() {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return state / 4294967296.0 * 2.0 - 1.0;
}
Vector random_vector(int n) {
  return Vector::NullaryExpr(n, [] { return random_number(); });
}

void tree() {
  const lw::Mechanism mechanism = lw::load("puma560");
  const auto model = lw::instantiate(mechanism);
  lw::Workspace work(model);
  lw::DerivativeWorkspace derivatives(model);
  const int n = model.nv;
  const Vector q = random_vector(n), qd = random_vector(n), tau = 20.0 * random_vector(n);
  Vector qdd(n), back(n), h(n);
  lw::aba(model, work, q, qd, tau, qdd);
  lw::rnea(model, work, q, qd, qdd, back);
  expect_small("inverse of forward dynamics", (back - tau).cwiseAbs().maxCoeff(), 1e-12 * 100.0);

  Matrix M(n, n);
  lw::crba(model, work, q, M);
  lw::bias_forces(model, work, q, qd, h);
  expect_small("M qdd + h", (M * qdd + h - tau).cwiseAbs().maxCoeff(), 1e-12 * 100.0);

  // into blocks of a matrix, and by rows
  Matrix A = Matrix::Zero(2 * n, 2 * n), B = Matrix::Zero(2 * n, n);
  lw::forward_derivatives(model, derivatives, q, qd, tau, A.bottomLeftCorner(n, n), A.bottomRightCorner(n, n),
                          B.bottomRows(n));
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> d_q(n, n), d_qd(n, n), d_tau(n, n);
  lw::forward_derivatives(model, derivatives, q, qd, tau, d_q, d_qd, d_tau);
  expect_small("derivatives by rows", (A.bottomLeftCorner(n, n) - d_q).cwiseAbs().maxCoeff(), 0.0);
  expect_small("d_tau M - 1", (B.bottomRows(n) * M - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-11);
  expect_small("other rows of the matrix stay", A.topRows(n).cwiseAbs().maxCoeff(), 0.0);

  const double step = 1e-5;
  Matrix by_differences(n, 2 * n);
  for (int k = 0; k < n; ++k) {
    Vector ahead(n), behind(n);
    const Vector d = step * Vector::Unit(n, k);
    lw::aba(model, work, q + d, qd, tau, ahead);
    lw::aba(model, work, q - d, qd, tau, behind);
    by_differences.col(k) = (ahead - behind) / (2.0 * step);
    lw::aba(model, work, q, qd + d, tau, ahead);
    lw::aba(model, work, q, qd - d, tau, behind);
    by_differences.col(n + k) = (ahead - behind) / (2.0 * step);
  }
  const double scale = by_differences.cwiseAbs().maxCoeff();
  expect_small("derivatives beside finite differences",
               (A.bottomRows(n) - by_differences).cwiseAbs().maxCoeff() / scale, 1e-7);

  lw::forward_kinematics(model, work, q);
  const int tool = static_cast<int>(model.frames.size()) - 1;
  Matrix J(6, n);
  lw::frame_jacobian(model, work, tool, J);
  const Eigen::Isometry3d pose = lw::to_eigen(lw::frame_pose(model, work, tool));
  lw::forward_kinematics(model, work, q + step * qd);
  const Eigen::Isometry3d moved = lw::to_eigen(lw::frame_pose(model, work, tool));
  const Eigen::Vector3d velocity = (J * qd).tail(3);  // [angular; linear]
  expect_small("linear velocity of the last frame",
               ((moved.translation() - pose.translation()) / step - velocity).norm(), 1e-3);

  lw::Compiled code = lw::compile(mechanism, {"forward"});
  std::printf("compiled code is %s\n", code.is_native() ? "native" : "interpreted");
  Vector state(3 * n), generated(n);
  state << q, qd, tau;
  code("forward", state, generated);
  expect_small("generated forward dynamics", (generated - qdd).cwiseAbs().maxCoeff() / qdd.cwiseAbs().maxCoeff(),
               1e-11);
}

void loops() {
  lw::Dynamics robot(lw::load("planar-3rrr"));
  const Vector q = lw::to_eigen(robot.independent()), qd = random_vector(3), qdd = random_vector(3);
  Vector tau(3), back(3);
  robot.inverse(q + 0.1 * qd, qd, qdd, tau);
  robot.forward(q + 0.1 * qd, qd, tau, back);
  expect_small("forward of inverse dynamics around loops", (back - qdd).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace

int main() {
  tree();
  loops();
  return failures;
}
