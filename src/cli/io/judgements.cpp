#include "judgements.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "../../dynamics/tree/crba.hpp"
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
  return losses.empty() ? "" : losses + " are omitted; --friction includes them (`inverse`, `forward`)";
}

BadPivots bad_pivots(const Model<double>& model, const LoopPlan& plan, const std::vector<double>& q) {
  constexpr double kFast = 1e6;  // velocities of joints that follow, by the given ones
  const std::size_t n = plan.freedoms();
  PlantWorkspace<double> work(model, plan);
  std::vector<double> M(n * n);
  mass_matrix<double>(model, plan, work, q, M);
  BadPivots bad;
  if (std::ranges::any_of(work.R, [](double x) { return std::abs(x) >= kFast; })) return bad;
  require_finite("M", M,
                 [&](std::size_t k) { return "of `" + model.velocity_names[at(plan.independent[k % n])] + "`"; });
  // from the tips inwards: a pivot of zero spoils those after it
  std::vector<std::size_t> outwards;
  for (std::size_t k = 0; k < n; ++k) outwards.push_back(k);
  if (!has_dense_mass_matrix(model)) {
    std::vector<int> place(at(model.nv));
    for (std::size_t k = 0; k < model.dof_order.size(); ++k) place[at(model.dof_order[k])] = static_cast<int>(k);
    std::ranges::sort(outwards, {}, [&](std::size_t k) { return place[at(plan.independent[k])]; });
  }
  std::vector<double> diagonal(n);
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = M[k * n + k];
  for (std::size_t i = n; i-- > 0 && bad.zero < 0;) {
    const std::size_t k = outwards[i];
    const double pivot = M[k * n + k];
    if (!(std::abs(pivot) > 1e-14 * std::abs(diagonal[k]))) {
      bad.zero = plan.independent[k];
    } else if (pivot < 0.0 && bad.negative < 0) {
      bad.negative = plan.independent[k];
    }
    for (std::size_t j = 0; j < i; ++j) {
      const double factor = M[k * n + outwards[j]] / pivot;
      for (std::size_t r = 0; factor != 0.0 && r <= j; ++r)
        M[outwards[j] * n + outwards[r]] -= factor * M[k * n + outwards[r]];
    }
  }
  return bad;
}

void judge_mass_matrix(const Arguments& arguments, const Model<double>& model, const LoopPlan& plan,
                       const std::vector<double>& q) {
  const BadPivots bad = bad_pivots(model, plan, q);
  const auto name = [&](int k) { return model.velocity_names[static_cast<std::size_t>(k)]; };
  if (bad.zero >= 0 && bad.negative >= 0) {
    throw Error(ErrorCode::data, fmt::format("the mass matrix is not positive definite (an acceleration of `{}` would "
                                             "be helped, not resisted), and cannot be factorised at `{}`",
                                             name(bad.negative), name(bad.zero)));
  }
  if (bad.zero >= 0) {
    throw Error(ErrorCode::data,
                fmt::format("the mass matrix is singular: nothing resists an acceleration of `{}` (no mass or inertia "
                            "moves with it alone), so the torques do not determine the accelerations",
                            name(bad.zero)));
  }
  if (bad.negative >= 0 && !arguments.quiet()) {
    say_warning(fmt::format("the mass matrix is not positive definite: inertia helps an acceleration of `{}`",
                            name(bad.negative)));
  }
}

void judge_mass_matrix(const Arguments& arguments, const Model<double>& model) {
  if (model.nv > kAffordablePivots) return;
  const LoopPlan plan = plan_loops(model);
  RandomStates states(model, plan);
  Random random(1);
  states.next(random);
  judge_mass_matrix(arguments, model, plan, states.tree_q());
}

}  // namespace lw::cli
