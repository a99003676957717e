#include "judgements.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../base/text.hpp"
#include "../dynamics/crba.hpp"
#include "results.hpp"

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
    const std::size_t k = model.dof_order.empty() ? i : static_cast<std::size_t>(model.dof_order[i]);
    if (!(std::abs(M[k * n + k]) > 1e-14 * std::abs(diagonal[k]))) {
      bad.zero = static_cast<int>(k);
    } else if (M[k * n + k] < 0.0 && bad.negative < 0) {
      bad.negative = static_cast<int>(k);
    }
  }
  return bad;
}

}  // namespace lw::cli
