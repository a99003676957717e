// Computed torque control of a PUMA 560 on a path: inverse dynamics of the wanted acceleration plus feedback,
//
//   tau = M(q) (qdd* + 2 w (qd* - qd) + w^2 (q* - q)) + h(q, qd),
//
// leaves the error e = q* - q with e'' + 2 w e' + w^2 e = 0, so that it decays as e(0) (1 + w t) exp(-w t).
#include <linkwright/linkwright.hpp>

#include <cmath>
#include <cstdio>

using Vector = Eigen::VectorXd;

struct Wanted {
  Vector q, qd, qdd;
};
Wanted path(double t) {
  const Vector middle = (Vector(6) << 0.0, -1.0, 1.5, 0.0, 0.5, 0.0).finished(), swing = Vector::Constant(6, 0.4);
  const double speed = 3.0;
  return {middle + swing * std::sin(speed * t), swing * speed * std::cos(speed * t),
          -swing * speed * speed * std::sin(speed * t)};
}

int main() {
  const auto robot = lw::instantiate(lw::load("puma560"));
  lw::Workspace work(robot);
  const double w = 20.0, step = 1e-3;
  Vector torque(6);

  // d/dt (q, qd) of the controlled robot
  const auto rates = [&](double t, const Vector& state) {
    const Wanted wanted = path(t);
    const Vector q = state.head(6), qd = state.tail(6);
    lw::rnea(robot, work, q, qd, wanted.qdd + 2.0 * w * (wanted.qd - qd) + w * w * (wanted.q - q), torque);
    Vector rate(12);
    rate.head(6) = qd;
    lw::aba(robot, work, q, qd, torque, rate.tail(6));
    return rate;
  };

  Vector state(12);
  const double offset = 0.1;  // rad: the robot starts beside the path
  state << path(0.0).q.array() + offset, path(0.0).qd;
  double worst = 0.0;
  std::printf("   t     error    theory   largest torque\n");
  for (int k = 0; k <= 500; ++k) {
    const double t = k * step;
    const Vector k1 = rates(t, state);
    const double error = (state.head(6) - path(t).q).cwiseAbs().maxCoeff();
    const double theory = offset * (1.0 + w * t) * std::exp(-w * t);
    worst = std::max(worst, std::abs(error - theory));
    if (k % 50 == 0) std::printf("%.2f s  %.5f  %.5f  %5.1f N m\n", t, error, theory, torque.cwiseAbs().maxCoeff());
    const Vector k2 = rates(t + step / 2, state + step / 2 * k1), k3 = rates(t + step / 2, state + step / 2 * k2);
    state += step / 6 * (k1 + 2 * k2 + 2 * k3 + rates(t + step, state + step * k3));
  }
  std::printf("The error is that of the theory within %.0e rad.\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
