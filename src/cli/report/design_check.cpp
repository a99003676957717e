#include "design_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/random.hpp"
#include "../../base/worse.hpp"

namespace lw::cli {
namespace {

constexpr double kMoved = 1e-4;   // of the parameters, for differences
constexpr double kNoise = 1e-10;  // of a functional, from one run to the next
constexpr double kLoose = 1e-4;   // of what has steps of its own

// Functionals whose differences are judged together, by the largest among them.
using Groups = std::vector<std::size_t>;

double largest_ratio(const std::vector<double>& off, const std::vector<double>& size) {
  double most = 0.0;
  for (std::size_t g = 0; g < off.size(); ++g) {
    if (off[g] != 0.0) most = worse(most, off[g] / size[g]);
  }
  return most;
}

// The largest difference, relative to the largest entry of its group.
double row_difference(const GradientRows& a, const GradientRows& b, const Groups& groups) {
  std::vector<double> off(a.size(), 0.0), size(a.size(), 0.0);
  for (std::size_t f = 0; f < a.size(); ++f) {
    for (std::size_t k = 0; k < a[f].size(); ++k) {
      off[groups[f]] = worse(off[groups[f]], std::abs(a[f][k] - b[f][k]));
      size[groups[f]] = worse(size[groups[f]], std::abs(b[f][k]));
    }
  }
  return largest_ratio(off, size);
}

// Of the derivative along one direction of all parameters, relative to what these give without regard to sign.
double run_difference(ForwardDesign& design, const GradientRows& rows, const Groups& groups) {
  const std::vector<double>& b = design.start();
  std::vector<double> d(b.size()), up = b, down = b;
  Random random(1);
  for (std::size_t k = 0; k < b.size(); ++k) {
    const bool of_state = design.parameters()[k].starts_with("start.");
    const double size = b[k] != 0.0 ? std::abs(b[k]) : of_state ? 1.0 : 1e-3;
    const double length = size * random.between(0.5, 1.0);
    d[k] = random.between(-1.0, 1.0) < 0.0 ? -length : length;
    up[k] += kMoved * d[k];
    down[k] -= kMoved * d[k];
  }
  std::vector<double> above, below;
  try {
    above = design.values(up);
    below = design.values(down);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::data) throw;
    throw Error(ErrorCode::data, fmt::format("--check varies all parameters by up to {:g} of their values, and then {}",
                                             kMoved, e.what()));
  }
  std::vector<double> off(rows.size(), 0.0), size(rows.size(), 0.0);
  for (std::size_t f = 0; f < rows.size(); ++f) {
    double along = 0.0, most = kNoise / (kMoved * kLoose) * std::max(std::abs(above[f]), std::abs(below[f]));
    for (std::size_t k = 0; k < d.size(); ++k) {
      along += rows[f][k] * d[k];
      most += std::abs(rows[f][k] * d[k]);
    }
    off[groups[f]] = worse(off[groups[f]], std::abs((above[f] - below[f]) / (2.0 * kMoved) - along));
    size[groups[f]] = worse(size[groups[f]], most);
  }
  return largest_ratio(off, size);
}

}  // namespace

bool DesignCheck::passed() const {
  return std::ranges::all_of(methods, [](const Method& method) { return method.difference <= method.allowed; });
}

DesignCheck check_design(const Mechanism& mechanism, const std::vector<std::string>& parameters,
                         std::vector<DesignFunctional> functionals, ForwardDesignOptions options) {
  Groups groups;
  for (std::size_t f = 0; f < functionals.size(); ++f) groups.push_back(f);
  if (functionals.empty()) {
    std::vector<double> instants = options.instants;
    if (instants.empty()) instants.push_back(std::nan(""));           // the end
    const std::size_t nq = options.q.size(), nv = options.qd.size();  // with loops, of the independent joints
    for (const auto& [letters, count] : {std::pair("q", nq), std::pair("qd", nv), std::pair("qdd", nv)}) {
      const std::size_t group = functionals.size();
      for (const double t : instants) {
        for (std::size_t k = 1; k <= count; ++k) {
          const std::string name = fmt::format("{}{}", letters, k);
          functionals.push_back({name, {"--check", name}, DesignFunctional::Kind::instant, t});
          groups.push_back(group);
        }
      }
    }
  }
  options.instants.clear();
  ForwardDesign design(mechanism, parameters, functionals, options);
  design.values(design.start());
  const GradientRows direct = design.gradients(DesignMethod::direct);
  DesignCheck check;
  check.methods = {{"complex_step", "direct against a complex step through the integration",
                    row_difference(direct, design.by_complex_step(), groups), 1e-10},
                   {"adjoint", "adjoint against direct",
                    row_difference(design.gradients(DesignMethod::adjoint), direct, groups), 1e-8},
                   {"cvodes", "CVODES against direct",
                    row_difference(design.gradients(DesignMethod::cvodes), direct, groups), kLoose}};
  options.system.fixed = false;
  options.steps.rtol = std::min(options.steps.rtol, 1e-12);
  options.steps.atol = std::min(options.steps.atol, 1e-14);
  ForwardDesign moving(mechanism, parameters, std::move(functionals), options);
  check.methods.push_back(
      {"differences", "direct against differences of whole runs", run_difference(moving, direct, groups), kLoose});
  return check;
}

}  // namespace lw::cli
