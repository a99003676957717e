#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "twu.hpp"

// Twu 1987, chapter 5: the equations of motion of both examples, instant by instant. twu_motion.cpp has the motions.
namespace lw::reproduce {
namespace {

void twu_instants(Experiment& e, const TwuExample& x) {
  const Model<double> weightless = embedded(x.model, {{"g", 0.0}}), heavy = embedded(x.model);
  const std::size_t rows = x.q.size(), n = x.joints();
  const Vector zero(n, 0.0), qd0 = x.start(), start = x.force(0.0);
  const Source source = recomputed("twu.py", "data of chapter 5");

  e.compare("M0", "M(0) (kg·m², kg)", source, {symmetric(n, x.M0), n}, {mass_matrix(weightless, zero), n},
            relative(1e-12));
  e.compare("h0", "h(0, q̇), no gravity (N·m, N)", source, x.h0, bias(weightless, zero, qd0), absolute(1e-10));
  e.compare("start", "q̈ at the start, no gravity (rad/s², m/s²)", source, x.qdd0, forward(weightless, zero, qd0, start),
            absolute(1e-10), fmt::format("Printed in the thesis: {:.5g}.", fmt::join(x.qdd.front(), ", ")));
  e.compare("kinetic", "kinetic energy at the start (J)", source, x.kinetic, kinetic_energy(weightless, zero, qd0),
            absolute(1e-10));

  // from the printed motion; its numbers are rounded, and so a little off themselves
  std::vector<Vector> qdd, forces, lacking, given;
  Model<double> inverse_model = weightless;
  for (const std::size_t body : x.lacking_moment_about_x) inverse_model.bodies[body].inertia.I(0, 0) = 0.0;
  const Vector digits = last_digits(x.qdd, 1e-4);
  double rounding = 0.0;  // of the forces, from half a unit of the printed accelerations
  for (std::size_t k = 0; k < rows; ++k) {
    given.push_back(x.force_at(k));
    qdd.push_back(forward(weightless, x.q[k], x.qd[k], given.back()));
    forces.push_back(inverse(weightless, x.q[k], x.qd[k], x.qdd[k]));
    lacking.push_back(inverse(inverse_model, x.q[k], x.qd[k], x.qdd[k]));
    const Vector M = mass_matrix(weightless, x.q[k]);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += std::abs(M[i * n + j]) * 0.5 * digits[k * n + j];
      rounding = worse(rounding, sum);
    }
  }
  e.compare("accelerations", "q̈ at t = 0, 0.02, …, 0.18 s, from the printed q, q̇ and forces (rad/s², m/s²)",
            "tables of chapter 5", table_of_rows(x.qdd), table_of_rows(qdd), absolute(1e-4),
            "Without gravity. One unit of the last printed digit: the states are rounded too.");
  e.compare("given", "joint forces, from the printed q, q̇, q̈, against those that made the motion (N·m, N)",
            "the given functions a √t + b", table_of_rows(given), table_of_rows(forces), absolute(rounding),
            fmt::format("Four digits of q̈ are not enough for more: half a unit of the last moves them by up to {:.1g}.",
                        rounding));
  e.compare("forces", "joint forces, from the printed q, q̇, q̈ (N·m, N)", "inverse tables of chapter 5",
            table_of_rows(x.forces), table_of_rows(lacking), absolute(rounding + 5e-4),
            fmt::format("{}Half a unit of their own print is 5e-4.",
                        x.lacking_moment_about_x.empty()
                            ? ""
                            : "Without the moments about x of links 2 to 4, which his inverse run lacked. "));
  const Vector with_gravity = forward(heavy, zero, qd0, start);
  e.misprint("self-weight", "q̈ at the start under self-weight (rad/s², m/s²)", "text and tables of chapter 5",
             x.qdd.front(), with_gravity, x.heavy_qdd, absolute(1e-9),
             "The text says that the links' weight acts; the tables were computed without it. Ours also by "
             "tests/oracles/twu.py, to ten decimals.");
}

}  // namespace

Experiment twu_planar() {
  Experiment e("twu", "twu.planar", "Planar arm, three revolute joints (chapter 5, example 1)",
               "Mass matrix and accelerations at the start, accelerations and joint forces along the printed motion.");
  twu_instants(e, twu_planar_example());
  return e;
}

Experiment twu_spatial() {
  Experiment e("twu", "twu.spatial", "Spatial arm, three revolute joints and a prismatic joint (chapter 5, example 2)",
               "As example 1, in space and with a slide.");
  twu_instants(e, twu_spatial_example());
  return e;
}

}  // namespace lw::reproduce
