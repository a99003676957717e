#include "undetermined_loads.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../friction/friction.hpp"
#include "../tree/elements.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"
#include "closed_losses.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double kNoStrain = 1e-9;     // singular values of J by the largest
constexpr double kAnotherLoad = 1e-6;  // of the friction

// What all joints pass on, those of the tree and then the cut ones: six numbers each, moments by a length.
VectorXd in_one_column(const std::vector<Force<double>>& of_tree, const std::vector<Force<double>>& in_cuts,
                       double length) {
  VectorXd all(static_cast<Eigen::Index>(6 * (of_tree.size() + in_cuts.size())));
  Eigen::Index k = 0;
  for (const auto* list : {&of_tree, &in_cuts}) {
    for (const Force<double>& f : *list) {
      for (int i = 0; i < 3; ++i) all[k++] = f.ang[i] / length;
      for (int i = 0; i < 3; ++i) all[k++] = f.lin[i];
    }
  }
  return all;
}
Force<double> out_of_column(const VectorXd& all, std::size_t joint, double length) {
  const auto k = static_cast<Eigen::Index>(6 * joint);
  return {Vec3<double>(all[k], all[k + 1], all[k + 2]) * length, Vec3<double>(all[k + 3], all[k + 4], all[k + 5])};
}

// The friction of a joint in motion under a load.
double friction_under(const JointLoss<double>& loss, const Body<double>& joint, const Force<double>& load) {
  return dry_friction<double>(loss, joint, 1.0, load);
}

}  // namespace

UndeterminedLoads undetermined_loads(const Model<double>& model, const LoopPlan& plan,
                                     const PlantWorkspace<double>& work, In<double> q,
                                     std::span<const Force<double>> external) {
  UndeterminedLoads result;
  const auto bears = [](const JointLoss<double>& l) { return !l.bearings.empty(); };
  const bool any = std::ranges::any_of(model.losses, bears) ||
                   std::ranges::any_of(
                       model.loops, [&](const LoopClosure<double>& l) { return std::ranges::any_of(l.losses, bears); });
  if (!any) return result;
  LoopPlan whole = plan;
  whole.equations = closure_equations(model);
  PlantWorkspace<double> strained(model, whole);
  forward_kinematics<double>(model, strained.tree, q);
  closure_jacobian<double>(model, strained.tree, whole.equations, ClosureAt::closed, strained.J);
  const auto m = static_cast<Eigen::Index>(whole.equations.size());
  const Svd svd(Eigen::Map<const MatrixXd>(strained.J.data(), m, model.nv).transpose(), true);
  const Eigen::Index strains = m - svd.rank(kNoStrain);
  if (strains == 0) return result;

  double length = 0.0;
  for (const Transform<double>& X : strained.tree.X_W) length = std::max(length, norm(X.p));
  if (!(length > 0.0)) length = 1.0;
  const auto reactions = [&](const Model<double>& of, const LoopPlan& by, PlantWorkspace<double>& at_work,
                             const std::vector<double>& qd, const std::vector<double>& qdd,
                             std::span<const Force<double>> outer) {
    std::vector<Force<double>> wrenches(outer.begin(), outer.end());
    wrenches.resize(model.bodies.size());
    add_loop_wrenches<double>(of, by, at_work, wrenches);
    const std::vector<Force<double>> in_cuts = loop_reactions<double>(of, by, at_work);
    std::vector<double> tau(at(model.nv));
    rnea<double>(of, at_work.tree, q, qd, qdd, tau, wrenches);
    return in_one_column(at_work.tree.force, in_cuts, length);
  };
  PlantWorkspace<double> moving = work;
  const VectorXd taken = reactions(model, plan, moving, work.qd, work.qdd, external);
  Model<double> still = without_elements(model);
  still.gravity = Vec3<double>::zero();
  for (Body<double>& body : still.bodies) body.stiffness = 0.0;
  const std::vector<double> zero(at(model.nv), 0.0);
  MatrixXd N(taken.size(), strains);
  for (Eigen::Index k = 0; k < strains; ++k) {
    const VectorXd lambda = svd.V.col(m - strains + k);
    std::copy(lambda.data(), lambda.data() + m, strained.multipliers.begin());
    N.col(k) = reactions(still, whole, strained, zero, zero, {});
  }
  const VectorXd even = taken - N * Svd(N).solve(taken, kNoStrain);

  const auto look = [&](const JointLoss<double>& loss, const Body<double>& joint, std::size_t place,
                        const std::string& name) {
    if (!bears(loss)) return;
    const double a = friction_under(loss, joint, out_of_column(taken, place, length)),
                 b = friction_under(loss, joint, out_of_column(even, place, length));
    if (std::abs(a - b) > kAnotherLoad * std::max(std::abs(a), std::abs(b))) result.joints.push_back(name);
  };
  for (const JointLoss<double>& loss : model.losses)
    look(loss, model.bodies[at(loss.body)], at(loss.body), model.velocity_names[at(loss.v)]);
  const ClosedLosses<double> losses(model, plan);
  for (const ClosedLosses<double>::Cut& cut : losses.cuts())
    look(cut.loss, cut.joint, model.bodies.size() + cut.loop, model.loops[cut.loop].name);
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    double strain = 0.0;
    for (std::size_t k = 0; k < whole.equations.size(); ++k) {
      if (whole.equations.rows[k].loop == l)
        strain = std::max(strain, svd.V.row(static_cast<Eigen::Index>(k)).tail(strains).norm());
    }
    if (strain > 1e-6) result.loops.push_back(model.loops[l].name);
  }
  if (result.joints.empty()) result.loops.clear();
  return result;
}

std::string to_string(const UndeterminedLoads& loads, const std::string& mechanism) {
  if (loads.joints.empty()) return "";
  const auto listed = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", name);
    return text;
  };
  return fmt::format(
      "friction in the bearings of {} is not determined by rigid bodies: {} {} of `{}` hold{} more than {} must, and "
      "how bodies share that is "
      "a matter of their stiffness; here the joints of the tree bear it, so that it depends on which joint the file "
      "cuts",
      listed(loads.joints), loads.loops.size() == 1 ? "the loop" : "the loops", listed(loads.loops), mechanism,
      loads.loops.size() == 1 ? "s" : "", loads.loops.size() == 1 ? "it" : "they");
}

}  // namespace lw
