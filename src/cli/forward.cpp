#include "commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "methods.hpp"
#include "model_input.hpp"
#include "results.hpp"
#include "terminal.hpp"
#include "vectors.hpp"
#include "wrenches.hpp"

namespace lw::cli {
namespace {

// Velocities whose pivots in the mass matrix are none of a mechanism: zero, where nothing has inertia that moves with it
// alone, or negative, which impossible inertias can bring about. -1: there is none. A pivot is what is left of M_kk when
// everything further out is free to give way.
struct BadPivots {
  int zero = -1, negative = -1;
};
BadPivots bad_pivots(const Model<double>& model, Workspace<double>& work, const std::vector<double>& q) {
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> M(n * n), diagonal(n);
  crba<double>(model, work, q, M);
  require_finite("M", M, [&](std::size_t k) { return fmt::format("of `{}`", model.velocity_names[k % n]); });
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = M[k * n + k];
  factorize_mass_matrix<double>(model, M);
  BadPivots bad;
  // from the tips inwards, as the factorisation goes: a pivot of zero spoils those after it
  for (std::size_t i = n; i-- > 0 && bad.zero < 0;) {
    const std::size_t k = model.dof_order.empty() ? i : static_cast<std::size_t>(model.dof_order[i]);
    if (!(std::abs(M[k * n + k]) > 1e-14 * std::abs(diagonal[k]))) {
      bad.zero = static_cast<int>(k);
    } else if (M[k * n + k] < 0.0 && bad.negative < 0) {
      bad.negative = static_cast<int>(k);
    }
  }
  return bad;
}

// Refuses what has no answer; an answer that no real mechanism gives is noted.
void judge_mass_matrix(const Arguments& arguments, const Model<double>& model, Workspace<double>& work,
                       const std::vector<double>& q) {
  const BadPivots bad = bad_pivots(model, work, q);
  const auto name = [&](int k) { return model.velocity_names[static_cast<std::size_t>(k)]; };
  if (bad.zero >= 0 && bad.negative >= 0) {
    throw Error(ErrorCode::data,
                fmt::format("the mass matrix is not positive definite (an acceleration of `{}` would be helped, not "
                            "resisted), and cannot be factorised at `{}`",
                            name(bad.negative), name(bad.zero)));
  }
  if (bad.zero >= 0) {
    throw Error(
        ErrorCode::data,
        fmt::format("the mass matrix is singular: nothing resists an acceleration of `{}` (no mass or inertia moves "
                    "with it alone), so the torques do not determine the accelerations",
                    name(bad.zero)));
  }
  if (bad.negative >= 0 && !arguments.quiet()) {
    say_warning(fmt::format("the mass matrix is not positive definite: inertia helps an acceleration of `{}`",
                            name(bad.negative)));
  }
}

int run(const Arguments& arguments) {
  const LoadedModel loaded = load_tree(arguments);
  const Model<double>& model = loaded.model;
  const std::vector<double> q = read_q(arguments, model), qd = read_velocity(arguments, "--qd", model),
                            tau = read_velocity(arguments, "--tau", model, false);
  const std::string method = arguments.text("--method", "aba");
  const Wrenches wrenches(arguments, model, q);
  Workspace<double> work(model);
  std::vector<double> qdd(qd.size());
  if (const Formulation* formulation = chosen_formulation(arguments)) {
    std::vector<double> all = tau;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += wrenches.at_joints()[k];
    forward_by<double>(*formulation, model, q, qd, all, qdd);
  } else if (method == "aba") {
    aba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  } else {
    forward_by_crba<double>(model, work, q, qd, tau, qdd, wrenches.on_bodies());
  }
  const bool finite = std::all_of(qdd.begin(), qdd.end(), [](double x) { return std::isfinite(x); });
  constexpr int kAffordable = 1000;  // the matrix is of order nv², its factors of order nv³
  if (!finite || model.nv <= kAffordable) judge_mass_matrix(arguments, model, work, q);
  require_finite("qdd", qdd, model);

  if (arguments.json()) {
    print_json({{"model", model.name}, {"method", method}, {"q", q}, {"qd", qd}, {"tau", tau}, {"qdd", qdd}});
    return kOk;
  }
  fmt::print("{}: accelerations under the torques ({})\n{}\n", model.name, method, configuration_line(q));
  fmt::print("{}", velocity_table(model, {{"qd", Column::Unit::velocity, qd},
                                          {"tau", Column::Unit::force, tau},
                                          {"qdd", Column::Unit::acceleration, qdd}}));
  return kOk;
}

}  // namespace

Command forward_command() {
  const Methods methods = with_formulations({{"aba", "articulated bodies (the fast one)"},
                                             {"crba", "mass matrix by composite bodies, and its factors"}});
  Command c = dynamics_command({q_option(),
                                velocity_option("--qd", "velocities"),
                                velocity_option("--tau", "torques, forces of slides"),
                                method_option(methods),
                                wrench_option()});
  c.name = "forward";
  c.summary = "accelerations under given torques: qdd from q, qd, tau";
  c.description =
      "Forward dynamics: the accelerations that the torques tau (forces, for slides) cause in the state q, qd under "
      "gravity.";
  c.examples = {"linkwright forward double-pendulum",
                "linkwright forward puma560 --tau 10,0,0,0,0,0 --method crba --json"};
  c.sections = {method_section(methods)};
  c.run = run;
  return c;
}

}  // namespace lw::cli
