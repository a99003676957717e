// Model predictive control of an arm: every step linearises the dynamics at the state, with analytic derivatives,
//
//   x(k+1) = x(k) + h f + A dx + B du,   A = 1 + h df/dx,   B = h df/dtau,   x = (q, qd),
//
// the best torques over a horizon follow from a Riccati recursion, and the first of them are applied.
#include <linkwright/linkwright.hpp>

#include <cstdio>

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

class Mpc {
 public:
  Mpc(const lw::Model<double>& arm, double h) : arm_(arm), work_(arm), derivatives_(arm), h_(h), n_(arm.nv) {}

  // The torques that bring the arm from the state x nearer to rest at `goal`.
  Vector step(const Vector& x, const Vector& goal) {
    const Vector q = x.head(n_), qd = x.tail(n_), zero = Vector::Zero(n_);
    Vector held(n_), target(2 * n_), f(2 * n_);
    lw::gravity_forces(arm_, work_, goal, held);  // what holds it at the goal
    f.head(n_) = qd;
    lw::aba(arm_, work_, q, qd, held, f.tail(n_));
    Matrix A = Matrix::Zero(2 * n_, 2 * n_), B = Matrix::Zero(2 * n_, n_);
    A.topRightCorner(n_, n_).setIdentity();
    lw::forward_derivatives(arm_, derivatives_, q, qd, held, A.bottomLeftCorner(n_, n_), A.bottomRightCorner(n_, n_),
                            B.bottomRows(n_));
    A = Matrix::Identity(2 * n_, 2 * n_) + h_ * A;
    B *= h_;
    target << goal, zero;
    const Vector drift = x + h_ * f - target - A * (x - target);  // of z = x - target: z(k+1) = A z + B u + drift

    // Cost z'Qz + u'Ru; value z'Pz + 2 p'z from the end of the horizon to its beginning.
    Vector weights(2 * n_);
    weights << Vector::Constant(n_, 100.0), Vector::Constant(n_, 1.0);
    const Matrix Q = weights.asDiagonal(), R = 1e-4 * Matrix::Identity(n_, n_);
    Matrix P = Q, K;
    Vector p = Vector::Zero(2 * n_), k;
    for (int stage = 0; stage < 60; ++stage) {
      const auto S = (R + B.transpose() * P * B).llt();
      K = S.solve(B.transpose() * P * A);
      k = S.solve(B.transpose() * (P * drift + p));
      const Matrix closed = A - B * K;
      p = closed.transpose() * (P * drift + p);
      P = (Q + A.transpose() * P * closed).eval();
    }
    return held - K * (x - target) - k;
  }

 private:
  const lw::Model<double>& arm_;
  lw::Workspace<double> work_;
  lw::DerivativeWorkspace<double> derivatives_;
  double h_;
  int n_;
};

int main() {
  const auto arm = lw::instantiate(lw::load("arm6"));
  const double h = 0.01;
  Mpc mpc(arm, h);
  lw::Workspace work(arm);
  Vector x = Vector::Zero(12), qdd(6);
  const Vector goal = (Vector(6) << 1.0, -0.8, 0.6, 0.5, -0.7, 0.4).finished();
  double distance = 0.0;
  for (int k = 0; k <= 200; ++k) {
    const Vector tau = mpc.step(x, goal);
    distance = (x.head(6) - goal).norm();
    if (k % 20 == 0) std::printf("%.1f s: %.5f rad from the goal, |tau| = %.1f N m\n", k * h, distance, tau.norm());
    for (int part = 0; part < 10; ++part) {  // the arm itself, in shorter steps
      lw::aba(arm, work, x.head(6), x.tail(6), tau, qdd);
      x.tail(6) += h / 10 * qdd;
      x.head(6) += h / 10 * x.tail(6);
    }
  }
  return distance < 1e-3 ? 0 : 1;
}
