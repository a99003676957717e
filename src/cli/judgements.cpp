#include "judgements.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../base/text.hpp"
#include "../dynamics/crba.hpp"
#include "../model/evaluate.hpp"
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

std::vector<PassedLimit> passed_limits(const Mechanism& mechanism, const Model<double>& model,
                                       std::span<const double> q) {
  const DefaultValues values(mechanism);
  std::vector<PassedLimit> passed;
  for (const JointInfo& info : model.joints) {
    if (coordinates(info.type) != 1) continue;
    const Joint& joint = mechanism.find_joint(info.name)->joint;
    const double x = q[static_cast<std::size_t>(info.q)];
    const auto add = [&](const Formula& limit, const char* side) {
      passed.push_back({&joint, x, side, values(limit), limit.where.line > 0 ? limit.where : joint.where});
    };
    if (joint.limits.lower && x < values(*joint.limits.lower)) add(*joint.limits.lower, "below its lower");
    if (joint.limits.upper && x > values(*joint.limits.upper)) add(*joint.limits.upper, "above its upper");
  }
  return passed;
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
