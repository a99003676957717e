#include "twu.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"

namespace lw::reproduce {
namespace {

Numbers table_of_rows(const std::vector<Vector>& rows) {
  Vector all;
  for (const Vector& row : rows) all.insert(all.end(), row.begin(), row.end());
  return {std::move(all), rows.front().size()};
}

// The step between numbers of four digits near x: 2.2970 and 0.5179e-01 are printed to 1e-4 and 1e-5.
double printed_unit(double x) {
  return x == 0.0 ? 0.0 : std::min(1e-4, std::pow(10.0, std::floor(std::log10(std::abs(x))) - 3.0));
}

Vector given_forces(const TwuExample& x, std::size_t row) {
  const double time = 0.02 * static_cast<double>(row);
  Vector forces;
  for (std::size_t j = 0; j < x.a.size(); ++j) forces.push_back(x.a[j] * std::sqrt(time) + x.b[j]);
  return forces;
}

}  // namespace

void twu_compare(Experiment& e, const TwuExample& x) {
  const Model<double> weightless = embedded(x.model, {{"g", 0.0}}), heavy = embedded(x.model);
  Model<double> inverse_model = weightless;
  for (const std::size_t body : x.lacking_moment_about_x) inverse_model.bodies[body].inertia.I(0, 0) = 0.0;
  const std::size_t rows = x.q.size(), n = x.a.size();
  const Vector zero(n, 0.0), &qd0 = x.exact_qd.front(), start = given_forces(x, 0);
  const Source source = recomputed("independent calculation on the data of chapter 5");

  e.compare("M0", "M(0) (kg·m², kg)", source, {symmetric(n, x.M0), n}, {mass_matrix(weightless, zero), n},
            relative(1e-12));
  e.compare("h0", "h(0, q̇), no gravity (N·m, N)", source, x.h0, bias(weightless, zero, qd0), absolute(1e-10));
  e.compare("start", "q̈ at the start, no gravity (rad/s², m/s²)", source, x.qdd0, forward(weightless, zero, qd0, start),
            absolute(1e-10), fmt::format("Printed in the thesis: {:.5g}.", fmt::join(x.qdd.front(), ", ")));

  // accelerations from the printed states; those are rounded, and so a little off themselves
  std::vector<Vector> qdd, forces, exact_forces, given;
  double rounding = 0.0;  // of the forces, from half a unit of the printed accelerations
  for (std::size_t k = 0; k < rows; ++k) {
    given.push_back(given_forces(x, k));
    qdd.push_back(forward(weightless, x.q[k], x.qd[k], given.back()));
    forces.push_back(inverse(inverse_model, x.q[k], x.qd[k], x.qdd[k]));
    exact_forces.push_back(inverse(weightless, x.exact_q[k], x.exact_qd[k], x.exact_qdd[k]));
    const Vector M = mass_matrix(weightless, x.q[k]);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += std::abs(M[i * n + j]) * 0.5 * printed_unit(x.qdd[k][j]);
      rounding = worse(rounding, sum);
    }
  }
  e.compare("accelerations", "q̈ at t = 0, 0.02, …, 0.18 s, from the printed q, q̇ and forces (rad/s², m/s²)",
            "tables of chapter 5", table_of_rows(x.qdd), table_of_rows(qdd), absolute(1e-4),
            "Without gravity. One unit of the last printed digit: the states are rounded too.");
  e.compare("forces-exact", "joint forces of the motion, integrated independently (N·m, N)",
            "the given functions a √t + b", table_of_rows(given), table_of_rows(exact_forces), absolute(1e-11),
            "Inverse dynamics of a motion known to 16 digits returns the forces that made it.");
  e.compare(
      "forces", "joint forces, from the printed q, q̇, q̈ (N·m, N)", "inverse tables of chapter 5",
      table_of_rows(x.printed_forces), table_of_rows(forces), absolute(rounding + 5e-4),
      fmt::format("{}Half a unit of the printed q̈ moves them by up to {:.1g}; half a unit of their own print is 5e-4.",
                  x.lacking_moment_about_x.empty()
                      ? ""
                      : "Without the moments about x of links 2 to 4, which his inverse run lacked. ",
                  rounding));
  e.compare("kinetic", "kinetic energy at the start (J)", source, x.kinetic, kinetic_energy(weightless, zero, qd0),
            absolute(1e-10));
  const Vector with_gravity = forward(heavy, zero, qd0, start);
  e.misprint("self-weight", "q̈ at the start under self-weight (rad/s², m/s²)", "text and tables of chapter 5",
             x.qdd.front(), with_gravity, x.heavy_qdd, absolute(1e-9),
             "The text says that the links' weight acts; the tables were computed without it. Ours also from a "
             "symbolic Lagrangian, to ten decimals.");
}

}  // namespace lw::reproduce
