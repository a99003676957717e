#include "experiments.hpp"

#include <cmath>

#include "control/trajectory.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "evaluate.hpp"

// Binder 1985, section 2.3.1: the worked Lagrange-Euler example, u = D(q) q̈ + H(q, q̇) + G(q), at two instants of his
// second trajectory run in 1 s. The Stanford arm's parameters are not printed; Paul's (1981) with d₂ = 0.16 m give
// every value. His base acceleration is (0, 0, −9.806), which is gravity upwards. Values are truncated, not rounded.
namespace lw::reproduce {
namespace {

// Rest to rest by quintics over half a second each: from J0 to the via point, then to J3. Degrees, metres.
JointMotion<double> trajectory(double t) {
  std::vector<Vector> points{{-74.96, 100.11, .57, 30.20, 73.75, 1.15},
                             {-32.23, 111.51, .27, 22.29, 44.68, 29.70},
                             {43.11, 100.11, .57, -23.43, 59.24, 153.45}};
  for (Vector& p : points) {
    for (std::size_t j = 0; j < 6; ++j) p[j] *= j == 2 ? 1.0 : kDegree;
  }
  return Trajectory::rest_to_rest({0.0, 0.5, 1.0}, points).at(t);
}

Vector less(Vector a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

// −dV/dq is what gravity does to the joints; holding it takes dV/dq.
Vector potential_gradient(const Model<double>& model, const Vector& q) {
  Workspace<double> work(model);
  const Vector zero(q.size(), 0.0);
  const auto potential = [&](const Vector& at) {
    forward_velocities<double>(model, work, at, zero);
    return energy<double>(model, work, at, zero).potential;
  };
  Vector gradient;
  for (std::size_t j = 0; j < q.size(); ++j) {
    Vector up = q, down = q;
    up[j] += 1e-5, down[j] -= 1e-5;
    gradient.push_back((potential(up) - potential(down)) / 2e-5);
  }
  return gradient;
}

// D, H and G by Lagrange's equations, and by torques of the Newton-Euler recursion: D by columns, one unit acceleration
// each.
void two_methods(Experiment& e, const std::string& id, const std::string& when, const Model<double>& model,
                 const JointMotion<double>& x) {
  const Source source = property("two of our formulations agree: Newton-Euler by columns");
  const std::string note = "Ours by the closed Lagrange equations.";
  const Vector still(x.q.size(), 0.0);
  const auto G = [&](const char* method) { return inverse(method, model, x.q, still, still); };
  const auto H = [&](const char* method) { return less(inverse(method, model, x.q, x.qd, still), G(method)); };
  const char *lagrange = "lagrange", *columns = "newton-euler";
  e.compare(id + ".D-methods", "D(q)" + when + ", two methods (kg·m², kg·m, kg)", source,
            {mass_matrix(columns, model, x.q), 6}, {mass_matrix(lagrange, model, x.q), 6}, absolute(1e-10), note);
  e.compare(id + ".H-methods", "H(q, q̇)" + when + ", two methods (N·m, N)", source, H(columns), H(lagrange),
            absolute(1e-10), note);
  e.compare(id + ".G-methods", "G(q)" + when + ", two methods (N·m, N)", source, G(columns), G(lagrange),
            absolute(1e-10), note);
}

struct Printed {
  const char* id;
  double t;
  Vector D, H, G, u, u_exact;
};

}  // namespace

Experiment binder_lagrange() {
  Experiment e("binder", "binder.lagrange", "Lagrange-Euler example on the Stanford arm (section 2.3.1)",
               "D, H, G and u at t = 0.125 s and t = 0.75 s of the second trajectory. The print is truncated, so it "
               "may be off by one unit of its last digit. "
               "The via point is not printed; it follows from the Cartesian via point.");
  Model<double> model = embedded("stanford");
  Model<double> right = model;
  model.gravity = {0, 0, 9.806};
  right.gravity = {0, 0, -9.806};

  const std::vector<Printed> points{
      {"first",
       0.125,
       symmetric(6, {1.89905, .05039, -1.06238, .05103, .03558, -.00026, 1.49800, -.09739, -.02828, .03174, .00014,
                     6.47000, 0,      -.10848,  0,      .01534, 0,       .00010,  .01600,  0,       .00030}),
       {-1.821, .362, -1.811, -.217, .084, -.00019},
       {0, 7.265, 12.421, -.462, .109, 0},
       {36.873, 15.563, -50.086, .003, 1.482, -.00089},
       {36.87368, 15.56382, -50.08698, .00313, 1.48211, -.00089}},
      {"second",
       0.75,
       symmetric(6, {1.76739, .01472, -.98956, .04094, .01658, -.00028, 1.43586, -.09044, .00290, .04574, 0,
                     6.47000, 0,      -.09050, 0,      .01119, 0,       .00018,  .01600,  0,      .00030}),
       {1.586, 8.764, 2.273, .632, .665, .00112},
       {0, .119, 17.285, .063, .426, 0},
       {1.586, 8.884, 19.559, .696, 1.091, .00112},
       {1.58677, 8.88425, 19.55913, .69636, 1.09164, .00112}}};

  for (const Printed& p : points) {
    const JointMotion<double> x = trajectory(p.t);
    const std::string id = p.id, when = std::string(", t = ") + (p.t < 0.5 ? "0.125" : "0.75") + " s";
    const std::string source = "worked example, section 2.3.1";
    const Vector G = gravity(model, x.q);
    e.compare(id + ".D", "D(q)" + when + " (kg·m², kg·m, kg)", source, {p.D, 6}, {mass_matrix(model, x.q), 6},
              absolute(1e-5), "One unit of the last digit: truncated.");
    e.compare(id + ".H", "H(q, q̇)" + when + " (N·m, N)", source, p.H, less(bias(model, x.q, x.qd), G), absolute(1e-3),
              "One unit of the last digit: truncated.");
    e.compare(id + ".G", "G(q)" + when + ", his sign (N·m, N)", source, p.G, G, absolute(1e-3),
              "With gravity upwards, as in the thesis.");
    e.compare(id + ".u", "u" + when + ", his gravity (N·m, N)", source, p.u, inverse(model, x.q, x.qd, x.qdd),
              absolute(1e-3), "One unit of the last digit: truncated.");
    e.compare(id + ".u5", "the same to five decimals (N·m, N)", recomputed("binder.py", "his data"), p.u_exact,
              inverse(model, x.q, x.qd, x.qdd), absolute(6e-6), "Rounded to five decimals.");
    two_methods(e, id, when, model, x);
    e.misprint(id + ".gravity", "G(q)" + when + " for a base that stands upright (N·m, N)", source, p.G,
               gravity(right, x.q), potential_gradient(right, x.q), absolute(1e-6),
               "The base is accelerated by −9.806 along z, which makes weight pull upwards. Ours also as the gradient "
               "of the potential energy.");
  }
  return e;
}

}  // namespace lw::reproduce
