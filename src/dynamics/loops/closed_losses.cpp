#include "closed_losses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../model/directions.hpp"
#include "../linear/fixed_point.hpp"
#include "../tree/elements.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

// How the links of a cut joint move against each other along one of its freedoms: angular velocity times n, or velocity
// of the second frame's origin times n; in the world's axes.
template <class T>
struct Freedom {
  bool slides = false;
  Vec3<T> n;
};
template <class T>
Freedom<T> freedom_of(const LoopClosure<T>& loop, int k, const Mat3<T>& R_A, const Mat3<T>& R_B) {
  switch (loop.type) {
    case JointType::revolute: return {false, R_B * loop.axis};
    case JointType::prismatic: return {true, R_A * loop.axis};
    case JointType::cylindrical: return {k == 1, R_A * loop.axis};
    case JointType::spherical: return {false, R_B.col(k)};
    case JointType::planar:
      return k == 2 ? Freedom<T>{false, R_A * loop.axis} : Freedom<T>{true, R_A * plane_directions(loop.axis)[at(k)]};
    case JointType::universal: {
      // ω = u q̇₁ + w q̇₂, the axes not always at right angles
      const T g = dot(loop.axis, loop.axis2), scale = T(1.0) / (T(1.0) - g * g);
      const Vec3<T> u = R_A * loop.axis, w = R_B * loop.axis2;
      return {false, (k == 0 ? u - w * g : w - u * g) * scale};
    }
    default: return {};
  }
}

}  // namespace

template <class T>
ClosedLosses<T>::ClosedLosses(const Model<T>& model, const LoopPlan& plan)
    : losses([&] {
        Model<T> sizes;
        sizes.nv = static_cast<int>(plan.actuated.size());
        return Losses<T>(sizes);
      }()),
      model_(model),
      plan_(plan),
      sharing_(plan),
      damping_(at(model.nv)),
      tree_(at(model.nv)),
      force_(plan.freedoms()),
      friction_(plan.freedoms()),
      qd_(plan.actuated.size()),
      qdd_(plan.actuated.size()),
      of_tree_(at(model.nv)),
      total_(at(model.nv)),
      with_friction_(plan.freedoms()),
      external_(model.bodies.size()) {
  needed.resize(plan.freedoms());
  sharing_.actuated = plan.pushed;
  if (std::is_permutation(sharing_.actuated.begin(), sharing_.actuated.end(), plan.independent.begin(),
                          plan.independent.end()))
    sharing_.actuated = plan.independent;
  shared_.resize(sharing_.actuated.size());
  motors_.name = model.name;
  motors_.nv = static_cast<int>(plan.actuated.size());
  motors_.bodies = model.bodies;
  std::map<int, int> place;
  for (std::size_t k = 0; k < plan.actuated.size(); ++k) {
    place[plan.actuated[k]] = static_cast<int>(k);
    motors_.velocity_names.push_back(model.velocity_names[at(plan.actuated[k])]);
  }
  for (Transmission<T> t : model.transmissions) {
    const auto driven = std::count_if(t.v.begin(), t.v.end(), [&](int v) { return place.contains(v); });
    if (driven == 0) continue;
    if (driven != static_cast<std::ptrdiff_t>(t.v.size())) {
      throw Error(ErrorCode::model,
                  fmt::format("the coupling `{}` moves joints of which some are not actuated", t.name));
    }
    for (int& v : t.v) v = place.at(v);
    motors_.transmissions.push_back(std::move(t));
  }
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    for (const JointLoss<T>& loss : model.loops[k].losses) {
      Cut cut{k, loss, {}, std::vector<T>(at(model.nv))};
      cut.joint.axis = model.loops[k].axis;
      cut.joint.kind = freedom_of<T>(model.loops[k], loss.v, Mat3<T>::identity(), Mat3<T>::identity()).slides
                           ? JointKind::prismatic
                           : JointKind::revolute;
      feels_ = feels_ || !loss.bearings.empty();
      cuts_.push_back(std::move(cut));
    }
  }
  const std::vector<bool> felt = felt_reactions(model);
  feels_ = feels_ || std::any_of(felt.begin(), felt.end(), [](bool b) { return b; });
  of_cuts_.resize(cuts_.size());
  rubs_.resize(model.losses.size() + cuts_.size());
}

template <class T>
void cut_row(const Model<T>& model, const LoopView& view, const Workspace<T>& work, std::size_t loop, int freedom,
             Out<T> row) {
  const LoopClosure<T>& closure = model.loops[loop];
  const Transform<T> X_A = frame_pose(work, closure.a), X_B = frame_pose(work, closure.b);
  const Freedom<T> f = freedom_of(closure, freedom, X_A.R, X_B.R);
  for (T& x : row) x = T(0.0);
  for (const bool second : {false, true}) {
    for (const int i : second != view.swapped ? view.b : view.a) {
      const Transform<T>& X = work.X_W[at(i)];
      visit_columns<T>(model.bodies[at(i)], X.R, X_B.p - X.p, [&](int v, const Vec3<T>& ang, const Vec3<T>& lin) {
        const T part = dot(f.n, f.slides ? lin : ang);
        row[at(v)] += second ? part : -part;
      });
    }
  }
}

template <class T>
void ClosedLosses<T>::set_cut_rows(const PlantWorkspace<T>& work) {
  for (Cut& cut : cuts_) cut_row<T>(model_, plan_.equations.loops[cut.loop], work.tree, cut.loop, cut.loss.v, cut.row);
}

// What rubs in each joint with losses, then in each cut, under the reactions that are known.
template <class T>
void ClosedLosses<T>::find_friction(const PlantWorkspace<T>& work, AtRest at_rest, std::vector<T>& rubs) const {
  const bool beginning = at_rest == AtRest::direction_of_acceleration;
  const auto direction_of = [&](const T& rate, const T& acceleration) {
    return beginning ? direction_of_motion<T>(rate, acceleration) : rate;
  };
  std::size_t next = 0;
  for (const JointLoss<T>& loss : model_.losses) {
    const T& rate = work.qd[at(loss.v)];
    rubs[next++] = directed_joint_friction<T>(loss, model_.bodies[at(loss.body)], rate,
                                              direction_of(rate, work.qdd[at(loss.v)]), work.tree.force[at(loss.body)]);
  }
  for (const Cut& cut : cuts_) {
    const auto across = [&](const std::vector<T>& of_tree) {
      T sum(0.0);
      for (std::size_t v = 0; v < cut.row.size(); ++v) sum += cut.row[v] * of_tree[v];
      return sum;
    };
    const T rate = across(work.qd);
    rubs[next++] =
        directed_joint_friction<T>(cut.loss, cut.joint, rate, direction_of(rate, across(work.qdd)), in_cuts_[cut.loop]);
  }
}

// As torques of the tree's joints, damping with it, and forces along the freedoms of cuts.
template <class T>
void ClosedLosses<T>::spread_friction(const std::vector<T>& rubs) {
  std::copy(damping_.begin(), damping_.end(), of_tree_.begin());
  std::size_t next = 0;
  for (const JointLoss<T>& loss : model_.losses) of_tree_[at(loss.v)] += rubs[next++];
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    of_cuts_[k] = rubs[next++];
    for (std::size_t v = 0; v < cuts_[k].row.size(); ++v) of_tree_[v] += cuts_[k].row[v] * of_cuts_[k];
  }
}

// λ under the torques that make the motion, `of_tree` at the tree's joints and `force` at the independent ones: shared
// by all motors, with what the given ones push against each other.
template <class T>
void ClosedLosses<T>::find_multipliers(PlantWorkspace<T>& work, In<T> of_tree, In<T> force, In<T> weights,
                                       In<T> given) {
  if (sharing_.actuated == sharing_.independent) return;  // as project_torques has left them
  distribute_torques<T>(sharing_, work, force, weights, shared_);
  if (!given.empty()) {
    std::vector<T> all(shared_.size(), T(0.0)), moving(force_.size()), least(shared_.size());
    std::copy(given.begin(), given.end(), all.begin());
    gather_torques<T>(sharing_, work, all, moving);
    distribute_torques<T>(sharing_, work, moving, {}, least);
    for (std::size_t k = 0; k < all.size(); ++k) shared_[k] += all[k] - least[k];
  }
  multipliers_under<T>(sharing_, work, of_tree, shared_);
}

// What all joints pass on, by λ. external_: wrenches beside these, friction in the cut joints.
template <class T>
void ClosedLosses<T>::find_reactions(PlantWorkspace<T>& work, In<T> q,
                                     std::span<const Force<std::type_identity_t<T>>> external) {
  in_cuts_ = loop_reactions<T>(model_, plan_, work);
  if (!feels_) return;
  for (std::size_t i = 0; i < external.size(); ++i) external_[i] += external[i];
  add_loop_wrenches<T>(model_, plan_, work, external_);
  rnea_with_damping<T>(model_, work.tree, q, work.qd, work.qdd, tree_, damping_, external_);
}

template <class T>
void add_cut_friction(const Model<T>& model, const Workspace<T>& work, std::size_t of_loop, int freedom,
                      const T& friction, std::span<Force<std::type_identity_t<T>>> on_bodies) {
  const LoopClosure<T>& loop = model.loops[of_loop];
  const Transform<T> X_A = frame_pose(work, loop.a), X_B = frame_pose(work, loop.b);
  const Freedom<T> f = freedom_of(loop, freedom, X_A.R, X_B.R);
  Force<T> wrench;
  (f.slides ? wrench.lin : wrench.ang) = f.n * friction;
  if (loop.b.body >= 0) on_bodies[at(loop.b.body)] -= wrench_on_body<T>(work, loop.b, wrench);
  if (loop.a.body < 0) return;
  wrench.ang += cross(X_B.p - X_A.p, wrench.lin);
  on_bodies[at(loop.a.body)] += wrench_on_body<T>(work, loop.a, wrench);
}

template <class T>
void ClosedLosses<T>::forces(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights,
                             std::span<const Force<std::type_identity_t<T>>> external, In<T> given, AtRest at_rest) {
  set_motion(work, q, qd, qdd, external);
  set_friction(work, q, weights, external, given, at_rest);
}

template <class T>
void ClosedLosses<T>::set_motion(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd,
                                 std::span<const Force<std::type_identity_t<T>>> external) {
  set_pose<T>(model_, plan_, work, q);
  if (plan_.actuated != plan_.independent) complement_by_unit_velocities<T>(model_, plan_, work);
  tree_velocities<T>(model_, plan_, work, qd);
  tree_accelerations<T>(model_, plan_, work, q, qdd);
  rnea_with_damping<T>(model_, work.tree, q, work.qd, work.qdd, work.tau, damping_, external);
  project_torques<T>(plan_, work, work.tau, force_);
}

template <class T>
void ClosedLosses<T>::set_friction(PlantWorkspace<T>& work, In<T> q, In<T> weights,
                                   std::span<const Force<std::type_identity_t<T>>> external, In<T> given,
                                   AtRest at_rest) {
  std::fill(external_.begin(), external_.end(), Force<T>{});
  find_multipliers(work, work.tau, force_, weights, given);
  find_reactions(work, q, external);
  set_cut_rows(work);
  find_friction(work, at_rest, rubs_);
  if (feels_) {
    settle_friction([&](const std::vector<T>& rubs, std::vector<T>& next) {
      load_again(work, q, weights, external, given, rubs);
      find_friction(work, at_rest, next);
    });
  }
  sum_friction(work);
}

// What all joints pass on under the friction `rubs`.
template <class T>
void ClosedLosses<T>::load_again(PlantWorkspace<T>& work, In<T> q, In<T> weights,
                                 std::span<const Force<std::type_identity_t<T>>> external, In<T> given,
                                 const std::vector<T>& rubs) {
  spread_friction(rubs);
  for (std::size_t v = 0; v < total_.size(); ++v) total_[v] = work.tau[v] + of_tree_[v];
  project_torques<T>(plan_, work, total_, with_friction_);
  find_multipliers(work, total_, with_friction_, weights, given);
  std::fill(external_.begin(), external_.end(), Force<T>{});
  for (std::size_t k = 0; k < cuts_.size(); ++k)
    add_cut_friction<T>(model_, work.tree, cuts_[k].loop, cuts_[k].loss.v, of_cuts_[k], external_);
  find_reactions(work, q, external);
}

// What the independent joints need for it, and with it.
template <class T>
void ClosedLosses<T>::sum_friction(PlantWorkspace<T>& work) {
  spread_friction(rubs_);
  const std::vector<T> multipliers = work.multipliers;
  project_torques<T>(plan_, work, of_tree_, friction_);
  work.multipliers = multipliers;
  for (std::size_t k = 0; k < needed.size(); ++k) needed[k] = force_[k] + friction_[k];
}

template <class T>
template <class Pass>
void ClosedLosses<T>::settle_friction(const Pass& pass) {
  if constexpr (std::is_same_v<T, double>) {
    const FixedPoint found = fixed_point(rubs_, pass);
    if (!found.settled) refuse_jam(found.worst);
  } else {
    // Symbols and numbers with derivatives do not tell when they have settled: 1e-16 is left where a pass takes 1e-2 of
    // the error.
    constexpr int kMostPasses = std::is_same_v<T, Expr> ? 8 : 100;
    std::vector<T> next(rubs_.size());
    for (int k = 0; k < kMostPasses; ++k) {
      pass(rubs_, next);
      rubs_ = next;
    }
  }
}

template <class T>
void ClosedLosses<T>::refuse_jam(std::size_t worst) const {
  const std::size_t of_tree = model_.losses.size();
  const std::string& name = worst < of_tree ? model_.velocity_names[at(model_.losses[worst].v)]
                                            : model_.loops[cuts_[worst - of_tree].loop].name;
  throw Error(
      ErrorCode::data,
      fmt::format("`{}` jams: its friction grows faster than its load, so that none or several forces make this "
                  "motion",
                  name));
}

template <class T>
void ClosedLosses<T>::inverse(PlantWorkspace<T>& work, In<T> q, In<T> qd, In<T> qdd, In<T> weights,
                              std::span<const Force<std::type_identity_t<T>>> external, AtRest at_rest) {
  refuse_undriven(plan_, model_.name, model_.velocity_names);
  forces(work, q, qd, qdd, weights, external, {}, at_rest);
  distribute_torques<T>(plan_, work, force_, weights, losses.dynamic);
  distribute_torques<T>(plan_, work, friction_, weights, losses.damping);
  for (std::size_t k = 0; k < plan_.actuated.size(); ++k) {
    qd_[k] = work.qd[at(plan_.actuated[k])];
    qdd_[k] = work.qdd[at(plan_.actuated[k])];
  }
  add_losses<T>(motors_, work.tree.force, {}, qd_, qdd_, losses, at_rest);
}

#define LW_INSTANTIATE(T)                                                                                    \
  template class ClosedLosses<T>;                                                                            \
  template void cut_row<T>(const Model<T>&, const LoopView&, const Workspace<T>&, std::size_t, int, Out<T>); \
  template void add_cut_friction<T>(const Model<T>&, const Workspace<T>&, std::size_t, int, const T&,        \
                                    std::span<Force<T>>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
