#include "closed_derivative_terms.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/index.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/joints_alone.hpp"
#include "../../model/over.hpp"
#include "../derivatives/derivative_terms.hpp"
#include "../tree/torque_terms.hpp"
#include "loop_position.hpp"

namespace lw {
namespace {

using Sizes = std::vector<double>;

Sizes rates(const std::vector<Dual>& x) {
  Sizes list;
  for (const Dual& a : x) list.push_back(std::abs(a.d));
  return list;
}

// Of the velocities, from rates of the coordinates.
Sizes velocity_sizes(const Model<double>& model, const std::vector<Dual>& q) {
  Sizes list(at(model.nv), 0.0);
  for (const JointInfo& joint : model.joints) {
    const std::size_t coordinates = at(joint.q) + at(lw::coordinates(joint.type)),
                      velocities = at(lw::velocities(joint.type));
    double largest = 0.0;
    for (std::size_t k = at(joint.q); k < coordinates; ++k) largest = std::max(largest, std::abs(q[k].d));
    for (std::size_t k = 0; k < velocities; ++k) {
      const bool own = coordinates - at(joint.q) == velocities;
      list[at(joint.v) + k] =
          own ? std::abs(q[at(joint.q) + k].d) : 2.0 * largest;  // ω is twice the rate of a quaternion
    }
  }
  return list;
}

}  // namespace

std::vector<double> closed_derivative_terms(const Model<double>& model, std::span<const Model<Dual>> moving,
                                            const LoopPlan& plan, In<double> q, In<double> guess, In<double> qd,
                                            In<double> qdd) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv);
  const Model<double> joints = joints_alone(model, plan.independent);
  const Model<Dual> twin = over<Dual>(model);
  PlantWorkspace<Dual> work(twin, plan);
  const auto still = [](In<double> x) { return std::vector<Dual>(x.begin(), x.end()); };
  std::vector<Dual> xd = still(qd), xdd = still(qdd);
  std::vector<double> result;

  // the motion of all joints, and the terms of the tree in it
  const std::vector<double> all = loop_position<double>(model, plan, q, guess).q;
  PlantWorkspace<double> motion(model, plan);
  set_pose<double>(model, plan, motion, all);
  complement_by_unit_velocities<double>(model, plan, motion);
  tree_velocities<double>(model, plan, motion, qd);
  tree_accelerations<double>(model, plan, motion, all, qdd);
  const Sizes torques = torque_terms(model, motion.tree, all, motion.qd, motion.qdd);
  const DerivativeTerms of_tree = derivative_terms(model, motion.tree, all, motion.qd, motion.qdd);

  // `along`: the independent velocity along which x moves, if it does
  const auto column = [&](const Model<Dual>& with, std::span<const Dual> x, Sizes tree, std::size_t along) {
    const LoopPosition<Dual> there = loop_position<Dual>(with, plan, x, still(guess));
    set_pose<Dual>(with, plan, work, there.q);
    complement_by_unit_velocities<Dual>(with, plan, work);
    const std::vector<Dual> R = work.R;
    tree_velocities<Dual>(with, plan, work, xd);
    tree_accelerations<Dual>(with, plan, work, there.q, xdd);
    const Sizes dqd = rates(work.qd), dqdd = rates(work.qdd);
    Sizes dq = velocity_sizes(model, there.q);
    for (std::size_t k = 0; k < n; ++k) dq[at(plan.independent[k])] = k == along ? 1.0 : 0.0;
    for (std::size_t v = 0; v < nv; ++v) {
      for (std::size_t j = 0; j < nv; ++j) {
        tree[v] +=
            of_tree.d_q[j * nv + v] * dq[j] + of_tree.d_qd[j * nv + v] * dqd[j] + of_tree.d_qdd[j * nv + v] * dqdd[j];
      }
    }
    for (std::size_t k = 0; k < n; ++k) {
      double sum = there.converged ? 0.0 : std::nan("");
      for (std::size_t v = 0; v < nv; ++v)
        sum += std::abs(R[k * nv + v].d) * torques[v] + std::abs(R[k * nv + v].v) * tree[v];
      result.push_back(sum);
    }
  };
  const Sizes none(nv, 0.0);
  for (std::size_t k = 0; k < n; ++k) column(twin, moving_along(joints, q, static_cast<int>(k)), none, k);
  const std::vector<Dual> here = still(q);
  for (std::vector<Dual>* part : {&xd, &xdd}) {
    for (Dual& x : *part) {
      x.d = 1.0;
      column(twin, here, none, n);
      x.d = 0.0;
    }
  }
  for (const Model<Dual>& m : moving) {
    Workspace<Dual> dual(m);
    column(m, here, parameter_terms(m, dual, all, motion.qd, motion.qdd), n);
  }
  return result;
}

}  // namespace lw
