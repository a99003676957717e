#include "experiments.hpp"

#include <cmath>

#include "dynamics/loops/loop_position.hpp"
#include "helmy_motion.hpp"

// Helmy 1994, sections 6.2 and 6.4 (routines EVATDD, RUNKT, FOWDYN): forward simulation of the planar 3-RRR under the
// torques of inverse dynamics, open loop, with Runge-Kutta steps of the fourth order.
namespace lw::reproduce {
namespace {

// The largest error of a crank angle on the way (deg), with steps of h.
double open_loop_error(double h) {
  HelmyMotion reference, simulated;
  const auto torque_at = [&](double t) {
    reference.go(t);
    return reference.inverse();
  };
  Vector state(6);
  std::copy(simulated.q.begin(), simulated.q.end(), state.begin());
  std::copy(simulated.qd.begin(), simulated.qd.end(), state.begin() + 3);
  const auto rate = [&](const Vector& x, const Vector& tau) {
    const Vector q(x.begin(), x.begin() + 3), qd(x.begin() + 3, x.end());
    Vector guess, qdd(3);
    for (const int k : simulated.plan.dependent_q) guess.push_back(simulated.tree_q[static_cast<std::size_t>(k)]);
    simulated.tree_q = loop_position<double>(simulated.model, simulated.plan, q, guess).q;
    forward_dynamics<double>(simulated.model, simulated.plan, simulated.work, simulated.tree_q, qd, tau, qdd);
    Vector d = qd;
    d.insert(d.end(), qdd.begin(), qdd.end());
    return d;
  };
  const auto moved = [](const Vector& x, const Vector& d, double by) {
    Vector y = x;
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += by * d[k];
    return y;
  };
  double worst = 0.0;
  const int steps = static_cast<int>(std::lround(3.0 / h));
  for (int i = 0; i < steps; ++i) {
    const double t = h * i;
    const Vector first = torque_at(t), middle = torque_at(t + 0.5 * h), last = torque_at(t + h);
    const Vector k1 = rate(state, first), k2 = rate(moved(state, k1, 0.5 * h), middle),
                 k3 = rate(moved(state, k2, 0.5 * h), middle), k4 = rate(moved(state, k3, h), last);
    for (std::size_t k = 0; k < 6; ++k) state[k] += h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
    Vector q, qd, qdd;
    reference.cranks(t + h, q, qd, qdd);
    for (std::size_t k = 0; k < 3; ++k) worst = std::max(worst, std::abs(state[k] - q[k]) / kDegree);
  }
  return worst;
}

}  // namespace

Experiment helmy_simulation() {
  Experiment e("helmy", "helmy.simulation", "Forward simulation under the computed torques (sections 6.2 and 6.4)",
               "The torques of the table, at the beginning, middle and end of every step, drive the simulated "
               "mechanism open loop; what the angles are "
               "off falls with the fourth power of the step.");
  const Source source = recomputed("helmy.py", "with the data that reproduce appendix D");
  const double coarse = open_loop_error(0.02), middle = open_loop_error(0.01), fine = open_loop_error(0.005);
  e.compare("error", "largest error of a crank angle with steps of 0.02, 0.01 and 0.005 s (deg)", source,
            {0.0645, 0.00414, 0.000263}, {coarse, middle, fine}, relative(0.01));
  e.compare("order", "order of the method, from the errors of steps 0.01 and 0.005 s",
            property("Runge-Kutta's method is of the fourth order"), 4.0, std::log2(middle / fine), absolute(0.1));
  return e;
}

}  // namespace lw::reproduce
