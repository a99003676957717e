#include "judgements.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/random.hpp"
#include "../base/text.hpp"
#include "../dynamics/crba.hpp"
#include "../model/random_state.hpp"
#include "results.hpp"
#include "terminal.hpp"

namespace lw::cli {

std::string losses_left_out(const Mechanism& mechanism) {
  constexpr std::size_t kNamed = 4;
  std::string names;
  std::size_t count = 0;
  for (const Link& link : mechanism.links) {
    if (!link.joint.friction.present && !link.joint.damper) continue;
    if (++count <= kNamed) names += (count > 1 ? ", " : "") + link.joint.name;
  }
  if (count == 0) return {};
  if (count > kNamed) names += fmt::format(" and {} more", count - kNamed);
  return fmt::format("friction and damping of {} ({}) are in the file, but in no result yet", counted(count, "joint"),
                     names);
}

BadPivots bad_pivots(const Model<double>& model, Workspace<double>& work, std::span<const double> q) {
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> M(n * n), diagonal(n);
  crba<double>(model, work, q, M);
  require_finite("M", M, [&](std::size_t k) { return fmt::format("of `{}`", model.velocity_names[k % n]); });
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = M[k * n + k];
  factorize_mass_matrix<double>(model, M);
  BadPivots bad;
  // from the tips inwards, as the factorisation goes: a pivot of zero spoils those after it
  for (std::size_t i = n; i-- > 0 && bad.zero < 0;) {
    const std::size_t k = has_dense_mass_matrix(model) ? i : static_cast<std::size_t>(model.dof_order[i]);
    if (!(std::abs(M[k * n + k]) > 1e-14 * std::abs(diagonal[k]))) {
      bad.zero = static_cast<int>(k);
    } else if (M[k * n + k] < 0.0 && bad.negative < 0) {
      bad.negative = static_cast<int>(k);
    }
  }
  return bad;
}

void judge_mass_matrix(const Arguments& arguments, const Model<double>& model, Workspace<double>& work,
                       std::span<const double> q) {
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

void judge_mass_matrix(const Arguments& arguments, const Model<double>& model) {
  if (model.nv > kAffordablePivots) return;
  Workspace<double> work(model);
  Random random(1);
  judge_mass_matrix(arguments, model, work, random_state(model, random).q);
}

}  // namespace lw::cli
