#include "experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/worse.hpp"
#include "dhanaraj_d4.hpp"
#include "dhanaraj_line.hpp"
#include "dynamics/tree/kinematics.hpp"

// Inverse kinematics of the PUMA's first three joints along a straight line, with rates and accelerations, by his
// equations and by the library.
namespace lw::reproduce {
namespace {

// His forward kinematics, in any scalar.
template <class T>
Vec3<T> forward_printed(const std::vector<T>& q) {
  using std::cos, std::sin;
  const T c1 = cos(q[0]), s1 = sin(q[0]), c2 = cos(q[1]), s2 = sin(q[1]), c23 = cos(q[1] + q[2]),
          s23 = sin(q[1] + q[2]);
  const T out = T(kD13Upper) * c2 - T(kD13Fore) * s23;
  return {c1 * out - T(kD13Offset) * s1, s1 * out + T(kD13Offset) * c1, -(T(kD13Fore) * c23) - T(kD13Upper) * s2};
}

// His inverse, for the signs of its two roots.
Vector inverse_printed(const Vec3<double>& p, double first, double third) {
  const double e = kD13Upper, f = kD13Fore, g = kD13Offset, rho = p[0] * p[0] + p[1] * p[1];
  const double q1 = std::atan2(-p[0], p[1]) + std::atan2(first * std::sqrt(rho - g * g), g);
  const double K = e * e + f * f + g * g - rho - p[2] * p[2];
  const double q3 = std::atan2(K, third * std::sqrt(4 * e * e * f * f - K * K));
  const double out = p[0] * std::cos(q1) + p[1] * std::sin(q1), c3 = std::cos(q3), s3 = std::sin(q3);
  return {q1, std::atan2(-out * f * c3 - p[2] * (e - f * s3), out * (e - f * s3) - p[2] * f * c3), q3};
}

// Column by column; exact.
Vector complex_step_jacobian(const Vector& q) {
  Vector J;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<ComplexStep> x(q.begin(), q.end());
    x[k].im = kComplexStep;
    const Vec3<ComplexStep> p = forward_printed(x);
    for (int i = 0; i < 3; ++i) J.push_back(derivative_of(p[i]));
  }
  return J;
}

Vector shifted(const Vector& q, const Vector& qd, double h) {
  Vector r = q;
  for (std::size_t k = 0; k < r.size(); ++k) r[k] += h * qd[k];
  return r;
}

// J̇ q̇: the change of J along the motion, times q̇.
Vector bias_by_differences(const Vector& q, const Vector& qd) {
  const double h = 1e-5;
  const Vector up = complex_step_jacobian(shifted(q, qd, h)), down = complex_step_jacobian(shifted(q, qd, -h));
  Vector r(3, 0.0);
  for (std::size_t k = 0; k < 9; ++k) r[k % 3] += (up[k] - down[k]) / (2 * h) * qd[k / 3];
  return r;
}

Vector list(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }

void line(Experiment& e, const Model<double>& model, double px, const Vector& start) {
  const int n = 201, tip = kD13Tip;
  const auto [path, motion] = d13_line(model, px, n, start);
  Workspace<double> work(model);
  double there = 0.0, printed = 0.0, jacobian = 0.0, central = 0.0, bias = 0.0, branches = 0.0;
  std::size_t fewest = 4;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vector &q = motion[k].q, &qd = motion[k].qd;
    there = worse(there, largest_difference(list(forward_printed(q)), list(path[k].pose.p)));

    const IkResult all = inverse_kinematics(model, tip, {path[k].pose, true}, q);
    fewest = std::min(fewest, all.solutions.size());
    for (const IkSolution& s : all.solutions) {
      branches = worse(branches, largest_difference(list(forward_printed(s.q)), list(path[k].pose.p)));
      double nearest = HUGE_VAL;
      for (const double first : {1.0, -1.0}) {
        for (const double third : {1.0, -1.0}) {
          Vector his = inverse_printed(path[k].pose.p, first, third);
          for (std::size_t j = 0; j < 3; ++j) his[j] = std::remainder(his[j] - s.q[j], 2 * std::numbers::pi);
          nearest = std::min(nearest, largest_difference(his, Vector{0, 0, 0}));
        }
      }
      printed = worse(printed, nearest);
    }

    forward_velocities<double>(model, work, q, qd);
    const Vector J = task_jacobian(model, work, tip, true).values;
    jacobian = worse(jacobian, largest_difference(J, complex_step_jacobian(q)));
    for (std::size_t j = 0; j < 3; ++j) {
      Vector unit(3, 0.0);
      unit[j] = 1.0;
      const double h = 1e-5;
      const Vec3<double> slope =
          (forward_printed(shifted(q, unit, h)) - forward_printed(shifted(q, unit, -h))) / (2 * h);
      central = worse(central, largest_difference(list(slope), Vector{J[3 * j], J[3 * j + 1], J[3 * j + 2]}));
    }
    bias = worse(bias,
                 largest_difference(list(frame_bias<double>(model, work, tip, q, qd).lin), bias_by_differences(q, qd)));
  }
  // q̇ and q̈ against differences of finer samples
  const std::vector<JointSample> fine = d13_line(model, px, 20 * (n - 1) + 1, start).motion;
  double rates = 0.0, accelerations = 0.0;
  for (std::size_t k = 1; k + 1 < fine.size(); ++k) {
    const double h = fine[k + 1].t - fine[k - 1].t;
    for (std::size_t j = 0; j < 3; ++j) {
      rates = worse(rates, std::abs((fine[k + 1].q[j] - fine[k - 1].q[j]) / h - fine[k].qd[j]));
      accelerations = worse(accelerations, std::abs((fine[k + 1].qd[j] - fine[k - 1].qd[j]) / h - fine[k].qdd[j]));
    }
  }

  const std::string id = px == 0.3 ? "line-03" : "line-04", what = px == 0.3 ? ", px = 0.3" : ", px = 0.4";
  const Source his = property("program D.1.3");
  e.compare(id + ".there", "his forward kinematics of our joints − line, 201 samples" + what + " (m)", his, 0.0, there,
            absolute(1e-12));
  e.compare(id + ".all", "the same on all branches (m)", his, 0.0, branches, absolute(1e-12));
  e.compare(id + ".count", "fewest branches of a sample" + what, his, 4.0, static_cast<double>(fewest), absolute(0.0));
  e.compare(id + ".inverse", "our branches − his equations" + what + " (rad)", his, 0.0, printed, absolute(1e-12));
  e.compare(id + ".jacobian", "J − complex step of his forward kinematics" + what, his, 0.0, jacobian, absolute(1e-14));
  e.compare(id + ".central", "J − its central differences" + what, his, 0.0, central, absolute(1e-9));
  e.compare(id + ".bias", "J̇q̇ − central differences of J" + what + " (m/s²)", his, 0.0, bias, absolute(1e-8));
  e.compare(id + ".rates", "q̇ − central differences of q over 1 ms" + what + " (rad/s)", his, 0.0, rates,
            absolute(1e-5));
  e.compare(id + ".accelerations", "q̈ − central differences of q̇ over 1 ms" + what + " (rad/s²)", his, 0.0,
            accelerations, absolute(1e-4));

  Plot plot{"Joints along the line" + what, "time (s)", "q (rad)", {}};
  for (std::size_t j = 0; j < 3; ++j) {
    Series s;
    s.label = "q" + std::to_string(j + 1);
    for (const JointSample& m : motion) {
      s.x.push_back(m.t);
      s.y.push_back(m.q[j]);
    }
    plot.series.push_back(s);
  }
  e.plots.push_back(plot);
}

}  // namespace

Experiment dhanaraj_kinematics() {
  Experiment e(
      "dhanaraj", "dhanaraj.kinematics", "Inverse kinematics along a straight line (program D.1.3)",
      "Three joints of a PUMA, the wrist on a line px constant, py = pz from 0.1 to 0.4 m by a quintic over 2 s. "
      "The program's geometry differs from that of his dynamics; it is taken as the program has it.");
  const Model<double> model = d13_arm();
  const Vector& start = kD4Start;
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, start);
  e.compare("start", "wrist at the start of his simulation, q = (3.6997, 2.3083, 0.5951) (m)",
            recomputed("dhanaraj.py", "the start in appendix D.4"), {0.4, 0.1, 0.1}, list(frame_pose(model, work, 4).p),
            absolute(5e-5));
  const IkResult found = inverse_kinematics(model, 4, {{Mat3<double>::identity(), {0.4, 0.1, 0.1}}, true}, start);
  e.compare("start-joints", "joints of (0.4, 0.1, 0.1) nearest to it (rad)", "appendix D.4, four decimals", start,
            found.nearest.q, absolute(5e-5), "His q₁ is given a full turn further than atan2.");
  line(e, model, 0.3, start);
  line(e, model, 0.4, start);
  return e;
}

}  // namespace lw::reproduce
