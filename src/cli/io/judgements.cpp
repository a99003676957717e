#include "judgements.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/random.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../model/random_state.hpp"
#include "../frame/terminal.hpp"
#include "results.hpp"

namespace lw::cli {

namespace {

bool loses(const Drive& drive) { return drive.efficiency || drive.breakaway; }

// The first four of these, and how many more there are.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kNamed); ++k) text += (k > 0 ? ", " : "") + names[k];
  return names.size() <= kNamed ? text : text + fmt::format(" and {} more", names.size() - kNamed);
}

}  // namespace

std::string losses_of(const Mechanism& mechanism) {
  std::vector<std::string> joints;
  bool in_joints = false, in_drives = false;
  for (const Link& link : mechanism.links) {
    const Joint& joint = link.joint;
    const bool rough = joint.friction.present || joint.damper || joint.limits.damping;
    const bool driven = joint.drive && loses(*joint.drive);
    in_joints = in_joints || rough;
    in_drives = in_drives || driven;
    if (rough || driven) joints.push_back(joint.name);
  }
  std::vector<std::string> others;
  for (const Coupling& c : mechanism.couplings) {
    if (std::any_of(c.drives.begin(), c.drives.end(), loses)) others.push_back(c.name);
  }
  in_drives = in_drives || !others.empty();
  const std::size_t couplings = others.size();
  for (const PointSpring& s : mechanism.springs) {
    if (!s.damping.value.is_constant(0.0)) others.push_back(s.name);
  }
  for (const Shaft& s : mechanism.shafts) {
    if (!s.damping.value.is_constant(0.0)) others.push_back(s.name);
  }
  for (const Loop& l : mechanism.loops) {
    if (l.friction.present) others.push_back(l.name);
  }
  in_joints = in_joints || others.size() > couplings;
  if (joints.empty() && others.empty()) return {};
  const char* what = !in_drives  ? "friction and damping"
                     : in_joints ? "friction, damping and drive losses"
                                 : "drive losses";
  std::string where;
  if (!joints.empty()) where = fmt::format("of {} ({})", counted(joints.size(), "joint"), some_of(joints));
  if (!others.empty()) where += (where.empty() ? "of " : " and of ") + some_of(others);
  return fmt::format("{} {}", what, where);
}

std::string losses_left_out(const Mechanism& mechanism) {
  const std::string losses = losses_of(mechanism);
  return losses.empty() ? "" : losses + " are left out; --friction includes them (`inverse`, `forward`)";
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
