#include <cmath>

#include <Eigen/Cholesky>

#include "base/linear.hpp"
#include "dynamics/tree/crba.hpp"
#include "experiments.hpp"
#include "simulate/integrate/integrator.hpp"
#include "simulate/motion/driven.hpp"
#include "wong.hpp"

// Wong 1991, chapter 5: the excavator on its oil, all valves closed. Oil is a spring, and its fastest mode is too fast
// for the step of 0.01 s that the thesis integrates with: Runge-Kutta stays stable and damps what nothing in the
// machine damps.
namespace lw::reproduce {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Table 5.2
constexpr double kOilStiffness = 1000.0, kDisplacement = 0.7;
const double kGears[] = {307, 545, 220, 250};

struct OnOil {
  Model<double> model = embedded("cat215b");
  MatrixXd M, K;
  VectorXd rates;   // rad/s, ascending
  MatrixXd shapes;  // columns, q of unit energy

  OnOil() {
    model.gravity = Vec3<double>::zero();
    const int n = model.nv;
    M.resize(n, n);
    Workspace<double> work(model);
    const Vector zero(static_cast<std::size_t>(n), 0.0);
    crba<double>(model, work, zero, {M.data(), static_cast<std::size_t>(n * n)});
    K = MatrixXd::Zero(n, n);
    for (int k = 0; k < n; ++k) K(k, k) = 2.0 * kOilStiffness * std::pow(kDisplacement * kGears[k], 2) / 8.0;
    const Eigen::LLT<MatrixXd> L(M);
    const MatrixXd half = L.matrixL().solve(K), A = L.matrixL().solve(half.transpose());
    rates = symmetric_eigenvalues(0.5 * (A + A.transpose())).cwiseSqrt();
    const Svd svd(A);  // symmetric and positive: its singular vectors are its eigenvectors, largest first
    shapes = L.matrixU().solve(svd.U).rowwise().reverse();
  }

  // By which part the amplitude of a mode is left after so many seconds, from its energy; so small that all is linear.
  double left(int mode, const std::string& method, double step, double duration) const {
    DrivenOptions options;
    options.derivatives = [this](double, auto, auto, std::span<double> d_q, auto) {
      Eigen::Map<MatrixXd>(d_q.data(), model.nv, model.nv) = -K;
    };
    Driven system(
        model,
        [this](double, auto q, auto, std::span<double> tau) {
          for (int k = 0; k < model.nv; ++k)
            tau[static_cast<std::size_t>(k)] = -K(k, k) * q[static_cast<std::size_t>(k)];
        },
        options);
    MotionState s = system.home();
    for (int k = 0; k < model.nv; ++k) s.q[static_cast<std::size_t>(k)] = 1e-7 * shapes(k, mode);
    const auto energy = [&] {
      const Eigen::Map<const VectorXd> q(s.q.data(), model.nv), v(s.v.data(), model.nv);
      return v.dot(M * v) + q.dot(K * q);
    };
    const double first = energy();
    const auto integrator = make_integrator(method, {.step = step, .rtol = 1e-10, .atol = 1e-20});
    while (s.t < duration) integrator->step(system, s, duration);
    return std::sqrt(energy() / first);
  }
};

// |R(iωh)| of fourth-order Runge-Kutta, R(z) = 1 + z + z²/2 + z³/6 + z⁴/24.
double runge_kutta_factor(double x) {
  const double re = 1.0 - x * x / 2.0 + x * x * x * x / 24.0, im = x - x * x * x / 6.0;
  return std::hypot(re, im);
}

}  // namespace

Experiment wong_integrators() {
  Experiment e("wong", "wong.integrators", "The excavator's oil and the integrator's step (section 5.2)",
               "All valves closed, no gravity, the arm at 0. What Runge-Kutta with a step of 0.01 s leaves of a motion "
               "that nothing "
               "damps, and what smaller steps and other methods leave.");
  const OnOil arm;
  const Source data = recomputed("wong.py", "tables 5.1 and 5.2");
  Vector stiffness, rates;
  for (int k = 0; k < 4; ++k) stiffness.push_back(arm.K(k, k)), rates.push_back(arm.rates[k]);
  e.compare("stiffness", "of the oil at cab, boom, stick and bucket (N·m/rad)", data,
            {1.1546e7, 3.6386e7, 5.929e6, 7.656e6}, stiffness, relative(1e-4), "Given with four or five digits.");
  e.compare("modes", "undamped modes at θ = 0 (rad/s)", data, {8.92, 19.4, 60.0, 199.7}, rates, relative(2e-3),
            "Given with three or four digits.");
  const double fast = arm.rates[3];
  e.compare("factor", "by which one step of 0.01 s multiplies the bucket's mode", data, 0.75,
            std::pow(arm.left(3, "rk4", 0.01, 0.1), 0.1), absolute(0.005), "Given with two digits.");
  Vector expected, measured;
  for (const double h : {0.01, 0.005, 0.002, 0.001}) {
    expected.push_back(std::pow(runge_kutta_factor(fast * h), 0.1 / h));
    measured.push_back(arm.left(3, "rk4", h, 0.1));
  }
  e.compare("runge-kutta", "part of the bucket's mode that is left after 0.1 s, steps of 10, 5, 2 and 1 ms",
            property("stability polynomial of fourth-order Runge-Kutta"), expected, measured, relative(1e-4));
  e.compare("slow", "the same of the cab's mode, 10 ms", property("stability polynomial of fourth-order Runge-Kutta"),
            std::pow(runge_kutta_factor(arm.rates[0] * 0.01), 10.0), arm.left(0, "rk4", 0.01, 0.1), absolute(1e-9));
  e.compare("midpoint", "of the bucket's mode after 0.1 s by the implicit midpoint rule, 10 ms",
            property("its factor has the length 1"), 1.0, arm.left(3, "implicit-midpoint", 0.01, 0.1), absolute(1e-6));
  e.compare("adaptive", "by Dormand and Prince's method with a tolerance of 1e-10", property("nothing damps it"), 1.0,
            arm.left(3, "dormand-prince", 0.0, 0.1), absolute(1e-7));
  return e;
}

}  // namespace lw::reproduce
