#include "evaluate.hpp"

#include "dynamics/formulations/formulation.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/read/read.hpp"

namespace lw::reproduce {
namespace {

// The theses' data are taken as they stand, impossible inertias included.
const ReadOptions kAsPrinted{.floating_base = false, .allow_unphysical = true};

}  // namespace

Model<double> embedded(const std::string& name, const ParameterValues<double>& values) {
  return instantiate<double>(load(name, kAsPrinted), values);
}

Model<double> from_text(const std::string& yaml) { return instantiate<double>(mechanism_from_text(yaml)); }

Mechanism mechanism_from_text(const std::string& text, const std::string& file) {
  ReadResult result = read_text(text, file, kAsPrinted);
  if (!result.mechanism) throw Error(result.code, std::move(result.diagnostics));
  return std::move(*result.mechanism);
}

Vector inverse(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& qdd) {
  Workspace<double> work(model);
  Vector tau(qd.size());
  rnea<double>(model, work, q, qd, qdd, tau);
  return tau;
}

Vector inverse_by_mass_matrix(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& qdd) {
  const Vector M = mass_matrix(model, q);
  Vector tau = bias(model, q, qd);
  for (std::size_t i = 0; i < tau.size(); ++i) {
    for (std::size_t j = 0; j < tau.size(); ++j) tau[i] += M[i * tau.size() + j] * qdd[j];
  }
  return tau;
}

Vector forward(const Model<double>& model, const Vector& q, const Vector& qd, const Vector& tau) {
  Workspace<double> work(model);
  Vector qdd(tau.size());
  aba<double>(model, work, q, qd, tau, qdd);
  return qdd;
}

Vector mass_matrix(const Model<double>& model, const Vector& q) {
  Workspace<double> work(model);
  const auto n = static_cast<std::size_t>(model.nv);
  Vector M(n * n);
  crba<double>(model, work, q, M);
  return M;
}

Vector bias(const Model<double>& model, const Vector& q, const Vector& qd) {
  Workspace<double> work(model);
  Vector h(qd.size());
  bias_forces<double>(model, work, q, qd, h);
  return h;
}

Vector gravity(const Model<double>& model, const Vector& q) {
  Workspace<double> work(model);
  Vector g(static_cast<std::size_t>(model.nv));
  gravity_forces<double>(model, work, q, g);
  return g;
}

double kinetic_energy(const Model<double>& model, const Vector& q, const Vector& qd) {
  Workspace<double> work(model);
  forward_velocities<double>(model, work, q, qd);
  return energy<double>(model, work, q, qd).kinetic;
}

Vector inverse(const std::string& formulation, const Model<double>& model, const Vector& q, const Vector& qd,
               const Vector& qdd) {
  Vector tau(qd.size());
  inverse_by<double>(*find_formulation(formulation), model, q, qd, qdd, tau);
  return tau;
}

Vector mass_matrix(const std::string& formulation, const Model<double>& model, const Vector& q) {
  const auto n = static_cast<std::size_t>(model.nv);
  Vector M(n * n);
  mass_matrix_by<double>(*find_formulation(formulation), model, q, M);
  return M;
}

Vector symmetric(std::size_t n, const Vector& upper) {
  Vector full(n * n);
  std::size_t k = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) full[i * n + j] = full[j * n + i] = upper[k++];
  }
  return full;
}

}  // namespace lw::reproduce
