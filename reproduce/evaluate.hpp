// The library's algorithms with vectors in and vectors out, as the experiments want them.
#pragma once

#include <numbers>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace lw::reproduce {

using Vector = std::vector<double>;

inline constexpr double kDegree = std::numbers::pi / 180.0;

// An embedded model, some of its parameters changed.
Model<double> embedded(const std::string& name, const ParameterValues<double>& values = {});
// A mechanism file's text.
Model<double> from_text(const std::string& yaml);
// The file's name tells the language, as on the command line.
Mechanism mechanism_from_text(const std::string& text, const std::string& file = "experiment.yaml");

Vector inverse(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& qdd);
// The same by another method: M(q) q̈ + h(q, q̇), M by composite rigid bodies.
Vector inverse_by_mass_matrix(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& qdd);
Vector forward(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& tau);
Vector mass_matrix(const Model<double>& model, const Vector& q);  // all entries, by rows (it is symmetric)
Vector bias(const Model<double>& model, const Vector& q, const Vector& qd);
Vector gravity(const Model<double>& model, const Vector& q);
double kinetic_energy(const Model<double>& model, const Vector& q, const Vector& qd);

// By a formulation's name.
Vector inverse(const std::string& formulation, const Model<double>& model, const Vector& q, const Vector& qd,
               const Vector& qdd);
Vector mass_matrix(const std::string& formulation, const Model<double>& model, const Vector& q);

// A symmetric matrix by rows from its upper half by rows.
Vector symmetric(std::size_t n, const Vector& upper);

}  // namespace lw::reproduce
