#include "projection.hpp"

#include <algorithm>
#include <functional>

#include "../../base/index.hpp"
#include "../../graph/typical.hpp"
#include "../linear/cholesky.hpp"
#include "../tree/aba.hpp"
#include "../tree/crba.hpp"
#include "../tree/energy.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

namespace lw {

template <class T>
PlantWorkspace<T>::PlantWorkspace(const Model<T>& model, const LoopPlan& plan)
    : tree(model),
      factors(plan.velocity),
      J(plan.equations.size() * at(model.nv)),
      qd(at(model.nv)),
      qdd(qd),
      tau(qd),
      multipliers(plan.equations.size()),
      R(at(model.nv) * plan.freedoms()),
      M(at(model.nv) * at(model.nv)),
      H(plan.freedoms() * plan.freedoms()),
      rows(plan.equations.size()),
      square(rows.size() * rows.size()),
      column(at(model.nv)),
      force(plan.freedoms()) {
  // the part of R that is the same in all poses
  for (std::size_t k = 0; k < plan.freedoms(); ++k) R[k * at(model.nv) + at(plan.independent[k])] = T(1.0);
}

template <class T>
bool set_pose(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q) {
  forward_kinematics<T>(model, work.tree, q);
  closure_jacobian<T>(model, work.tree, plan.equations, ClosureAt::closed, work.J);
  const std::size_t m = work.rows.size();
  for (std::size_t j = 0; j < m; ++j)
    std::copy_n(work.J.begin() + static_cast<std::ptrdiff_t>(at(plan.dependent[j]) * m), m,
                work.square.begin() + static_cast<std::ptrdiff_t>(j * m));
  return work.factors.factorize(work.square);
}

template <class T>
void tree_velocities(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> qd) {
  check_sizes("tree_velocities", model, {{"qd", qd.size(), static_cast<int>(plan.freedoms())}});
  const std::size_t m = work.rows.size();
  for (std::size_t i = 0; i < m; ++i) {
    work.rows[i] = T(0.0);
    for (std::size_t k = 0; k < qd.size(); ++k) work.rows[i] -= work.J[at(plan.independent[k]) * m + i] * qd[k];
  }
  work.factors.solve(work.rows);
  for (std::size_t k = 0; k < qd.size(); ++k) work.qd[at(plan.independent[k])] = qd[k];
  for (std::size_t k = 0; k < m; ++k) work.qd[at(plan.dependent[k])] = work.rows[k];
}

template <class T>
void tree_accelerations(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qdd) {
  check_sizes("tree_accelerations", model, {{"qdd", qdd.size(), static_cast<int>(plan.freedoms())}});
  // as if dependent joints were not accelerated: what the closures then lack they must make up for
  for (T& x : work.qdd) x = T(0.0);
  for (std::size_t k = 0; k < qdd.size(); ++k) work.qdd[at(plan.independent[k])] = qdd[k];
  if (plan.dependent.empty()) return;
  forward_accelerations<T>(model, work.tree, q, work.qd, work.qdd, Vec3<T>::zero());
  closure_accelerations<T>(model, work.tree, plan.equations, work.qd, work.rows);
  for (T& x : work.rows) x = -x;
  work.factors.solve(work.rows);
  for (std::size_t k = 0; k < work.rows.size(); ++k) work.qdd[at(plan.dependent[k])] = work.rows[k];
}

template <class T>
void project_torques(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> of_tree, Out<T> force) {
  const std::size_t m = work.rows.size();
  for (std::size_t k = 0; k < m; ++k) work.multipliers[k] = of_tree[at(plan.dependent[k])];
  work.factors.solve_transposed(work.multipliers);
  for (std::size_t k = 0; k < force.size(); ++k) {
    const std::size_t v = at(plan.independent[k]);
    T sum = of_tree[v];
    for (std::size_t i = 0; i < m; ++i) sum -= work.J[v * m + i] * work.multipliers[i];
    force[k] = sum;
  }
}

template <class T>
void multipliers_under(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> of_tree, In<T> actuated) {
  for (std::size_t k = 0; k < work.multipliers.size(); ++k) {
    work.multipliers[k] = of_tree[at(plan.dependent[k])];
    for (std::size_t i = 0; i < actuated.size(); ++i) {
      if (plan.actuated[i] == plan.dependent[k]) work.multipliers[k] -= actuated[i];
    }
  }
  work.factors.solve_transposed(work.multipliers);
}

template <class T>
void complement_by_unit_velocities(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv);
  std::vector<T>& unit = work.force;
  for (T& x : unit) x = T(0.0);
  for (std::size_t k = 0; k < n; ++k) {
    unit[k] = T(1.0);
    tree_velocities<T>(model, plan, work, unit);
    std::copy(work.qd.begin(), work.qd.end(), work.R.begin() + static_cast<std::ptrdiff_t>(k * nv));
    unit[k] = T(0.0);
  }
}

template <class T>
void complement_by_projection(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv), m = work.rows.size();
  for (T& x : work.R) x = T(0.0);
  for (std::size_t k = 0; k < n; ++k) work.R[k * nv + at(plan.independent[k])] = T(1.0);
  for (std::size_t j = 0; j < m; ++j) {
    for (T& x : work.rows) x = T(0.0);
    work.rows[j] = T(1.0);
    work.factors.solve_transposed(work.rows);  // a row of J_u⁻¹
    for (std::size_t k = 0; k < n; ++k) {
      T sum(0.0);
      for (std::size_t i = 0; i < m; ++i) sum -= work.rows[i] * work.J[at(plan.independent[k]) * m + i];
      work.R[k * nv + at(plan.dependent[j])] = sum;
    }
  }
}

template <class T>
void gather_torques(const LoopPlan& plan, const PlantWorkspace<T>& work, In<T> actuated, Out<T> force) {
  if (plan.actuated == plan.independent) {
    std::copy(actuated.begin(), actuated.end(), force.begin());
    return;
  }
  const std::size_t nv = work.qd.size();
  for (std::size_t k = 0; k < force.size(); ++k) {
    force[k] = T(0.0);
    for (std::size_t i = 0; i < actuated.size(); ++i) force[k] += work.R[k * nv + at(plan.actuated[i])] * actuated[i];
  }
}

template <class T>
void distribute_torques(const LoopPlan& plan, PlantWorkspace<T>& work, In<T> force, In<T> weights, Out<T> actuated) {
  if (plan.actuated == plan.independent) {
    std::copy(force.begin(), force.end(), actuated.begin());
    return;
  }
  // τ = W⁻¹ A (Aᵀ W⁻¹ A)⁻¹ f, A the rows of R of the actuated joints
  const std::size_t nv = work.qd.size(), n = force.size();
  const auto A = [&](std::size_t i, std::size_t k) -> const T& { return work.R[k * nv + at(plan.actuated[i])]; };
  const auto lightness = [&](std::size_t i) { return weights.empty() ? T(1.0) : T(1.0) / weights[i]; };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l < n; ++l) {
      T sum(0.0);
      for (std::size_t i = 0; i < actuated.size(); ++i) sum += A(i, k) * lightness(i) * A(i, l);
      work.H[k * n + l] = sum;
    }
  }
  std::vector<T>& x = work.column;
  std::copy(force.begin(), force.end(), x.begin());
  cholesky_solve<T>(work.H, std::span<T>(x).first(n));
  for (std::size_t i = 0; i < actuated.size(); ++i) {
    actuated[i] = T(0.0);
    for (std::size_t k = 0; k < n; ++k) actuated[i] += lightness(i) * A(i, k) * x[k];
  }
}

template <class T>
void projected_torques(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                       In<T> qdd, Out<T> force, const TreeTorques<T>& torques) {
  tree_velocities<T>(model, plan, work, qd);
  tree_accelerations<T>(model, plan, work, q, qdd);
  torques(q, work.qd, work.qdd, work.tau);
  project_torques<T>(plan, work, work.tau, force);
}

template <class T>
bool prepare_projection(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q) {
  return plan.is_tree() || set_pose<T>(model, plan, work, q);
}

template <class T>
void generalised_forces(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                        In<T> qdd, Out<T> force, const TreeTorques<T>& torques) {
  check_sizes("generalised_forces", model, {{"force", force.size(), static_cast<int>(plan.freedoms())}});
  prepare_projection<T>(model, plan, work, q);
  projected_torques<T>(model, plan, work, q, qd, qdd, force, torques);
}

template <class T>
void generalised_forces(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                        In<T> qdd, Out<T> force, std::span<const Force<std::type_identity_t<T>>> external) {
  const auto torques = [&](In<T> x, In<T> xd, In<T> xdd, Out<T> tau) {
    rnea<T>(model, work.tree, x, xd, xdd, tau, external);
  };
  generalised_forces<T>(model, plan, work, q, qd, qdd, force, TreeTorques<T>(std::ref(torques)));
}

template <class T>
void inverse_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> qdd, Out<T> tau, const TreeTorques<T>& torques, In<T> weights) {
  check_sizes("inverse_dynamics", model, {{"tau", tau.size(), static_cast<int>(plan.actuated.size())}});
  prepare_projection<T>(model, plan, work, q);
  if (plan.actuated == plan.independent) return projected_torques<T>(model, plan, work, q, qd, qdd, tau, torques);
  refuse_undriven(plan, model.name, model.velocity_names);
  complement_by_unit_velocities<T>(model, plan, work);
  std::vector<T> force(plan.freedoms());
  projected_torques<T>(model, plan, work, q, qd, qdd, force, torques);
  distribute_torques<T>(plan, work, force, weights, tau);
  multipliers_under<T>(plan, work, work.tau, tau);
}

template <class T>
void inverse_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> qdd, Out<T> tau, In<T> weights, std::span<const Force<std::type_identity_t<T>>> external) {
  const auto torques = [&](In<T> x, In<T> xd, In<T> xdd, Out<T> of_tree) {
    rnea<T>(model, work.tree, x, xd, xdd, of_tree, external);
  };
  inverse_dynamics<T>(model, plan, work, q, qd, qdd, tau, TreeTorques<T>(std::ref(torques)), weights);
}

namespace {

// v·H v is twice the kinetic energy of the motion R v, and H_kl = T(e_k + e_l) − T(e_k) − T(e_l).
template <class T>
void mass_by_energy(const Model<T>& model, PlantWorkspace<T>& work, In<T> q, std::size_t n, Out<T> H) {
  const std::size_t nv = at(model.nv);
  const auto kinetic = [&](std::size_t k, std::size_t l) {
    for (std::size_t i = 0; i < nv; ++i)
      work.column[i] = k == l ? work.R[k * nv + i] : work.R[k * nv + i] + work.R[l * nv + i];
    forward_velocities<T>(model, work.tree, q, work.column);
    return energy<T>(model, work.tree, q, work.column).kinetic;
  };
  for (std::size_t k = 0; k < n; ++k) H[k * n + k] = T(2.0) * kinetic(k, k);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l < k; ++l)
      H[k * n + l] = H[l * n + k] = kinetic(k, l) - T(0.5) * (H[k * n + k] + H[l * n + l]);
  }
}

}  // namespace

template <class T>
void projected_mass_matrix(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, Out<T> H,
                           const TreeMassMatrix<T>& mass) {
  if (plan.is_tree()) return mass(q, H);
  const std::size_t n = plan.freedoms(), nv = at(model.nv);
  complement_by_unit_velocities<T>(model, plan, work);
  mass(q, work.M);
  for (std::size_t k = 0; k < n; ++k) {
    if constexpr (std::is_same_v<T, Expr>) {
      for (std::size_t i = 0; i < nv; ++i) {
        T sum(0.0);
        for (std::size_t j = 0; j < nv; ++j) sum += work.M[j * nv + i] * work.R[k * nv + j];
        work.column[i] = sum;
      }
    } else {  // the same sums, along the columns as they lie in memory
      for (T& x : work.column) x = T(0.0);
      for (std::size_t j = 0; j < nv; ++j) {
        const T& r = work.R[k * nv + j];
        for (std::size_t i = 0; i < nv; ++i) work.column[i] += work.M[j * nv + i] * r;
      }
    }
    for (std::size_t l = 0; l <= k; ++l) {
      T sum(0.0);
      for (std::size_t i = 0; i < nv; ++i) sum += work.R[l * nv + i] * work.column[i];
      H[k * n + l] = H[l * n + k] = sum;
    }
  }
}

template <class T>
void mass_matrix(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, Out<T> H, PoseIs pose) {
  const std::size_t n = plan.freedoms(), nv = at(model.nv);
  if (pose == PoseIs::given) prepare_projection<T>(model, plan, work, q);
  if constexpr (!std::is_same_v<T, Expr>) {
    // of a long chain that few freedoms move, their motions are less than M
    constexpr std::size_t kMany = 16;
    if (nv > kMany * n) {
      complement_by_unit_velocities<T>(model, plan, work);
      return mass_by_energy<T>(model, work, q, n, H);
    }
  }
  const auto mass = [&](In<T> x, Out<T> M) { crba<T>(model, work.tree, x, M); };
  projected_mass_matrix<T>(model, plan, work, q, H, std::ref(mass));
}

template <class T>
void solve_inertia(const Model<T>& model, const LoopPlan& plan, Out<T> H, Out<T> b) {
  if (!plan.is_tree()) return cholesky_solve<T>(H, b);
  factorize_mass_matrix<T>(model, H);
  solve_mass_matrix<T>(model, H, b);
}

template <class T>
void projected_accelerations(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                             In<T> tau, Out<T> qdd, Out<T> H, const TreeTorques<T>& torques) {
  for (T& x : qdd) x = T(0.0);
  projected_torques<T>(model, plan, work, q, qd, qdd, work.force, torques);
  gather_torques<T>(plan, work, tau, qdd);
  for (std::size_t k = 0; k < qdd.size(); ++k) qdd[k] -= work.force[k];
  solve_inertia<T>(model, plan, H, qdd);
}

template <class T>
void forward_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> tau, Out<T> qdd, const TreeTorques<T>& torques, const TreeMassMatrix<T>& mass) {
  prepare_projection<T>(model, plan, work, q);
  projected_mass_matrix<T>(model, plan, work, q, work.H, mass);
  projected_accelerations<T>(model, plan, work, q, qd, tau, qdd, work.H, torques);
}

template <class T>
void forward_dynamics(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, In<T> q, In<T> qd,
                      In<T> tau, Out<T> qdd, std::span<const Force<std::type_identity_t<T>>> external, PoseIs pose) {
  check_sizes("forward_dynamics", model,
              {{"tau", tau.size(), static_cast<int>(plan.actuated.size())},
               {"qdd", qdd.size(), static_cast<int>(plan.freedoms())}});
  if (plan.is_tree()) return aba<T>(model, work.tree, q, qd, tau, qdd, external);
  mass_matrix<T>(model, plan, work, q, work.H, pose);
  const auto torques = [&](In<T> x, In<T> xd, In<T> xdd, Out<T> of_tree) {
    rnea<T>(model, work.tree, x, xd, xdd, of_tree, external);
  };
  projected_accelerations<T>(model, plan, work, q, qd, tau, qdd, work.H, std::ref(torques));
}

template <class T>
void frame_jacobian(const Model<T>& model, const LoopPlan& plan, PlantWorkspace<T>& work, int frame, Out<T> jacobian) {
  const std::size_t nv = at(model.nv);
  std::vector<T> whole(6 * nv);
  frame_jacobian<T>(model, work.tree, frame, whole);
  complement_by_unit_velocities<T>(model, plan, work);
  for (std::size_t k = 0; k < plan.freedoms(); ++k) {
    for (std::size_t r = 0; r < 6; ++r) {
      T sum(0.0);
      for (std::size_t v = 0; v < nv; ++v) sum += whole[6 * v + r] * work.R[k * nv + v];
      jacobian[6 * k + r] = sum;
    }
  }
}

namespace {

// On the view's second frame, at its origin, in the world's axes.
template <class T>
Force<T> wrench_of(const Model<T>& model, const LoopPlan& plan, const PlantWorkspace<T>& work, std::size_t loop) {
  const LoopClosure<T>& closure = model.loops[loop];
  const LoopView& view = plan.equations.loops[loop];
  const std::array<Vec3<T>, 3> e = loop_basis(closure, view);
  const Transform<T> X_WA = frame_pose(work.tree, first_frame(closure, view)),
                     X_WB = frame_pose(work.tree, second_frame(closure, view));
  Force<T> in_A;
  for (std::size_t k = 0; k < plan.equations.size(); ++k) {
    const ClosureRow& row = plan.equations.rows[k];
    if (row.loop != loop) continue;
    const T& size = work.multipliers[k];
    switch (row.kind) {
      case ClosureRow::Kind::shift: in_A.lin += e[at(row.direction)] * size; break;
      case ClosureRow::Kind::turn: in_A.ang += e[at(row.direction)] * size; break;
      case ClosureRow::Kind::tilt: in_A.ang += (row.direction == 0 ? e[1] : -e[0]) * size; break;
      case ClosureRow::Kind::angle: {
        const Vec3<T>&u = view.swapped ? closure.axis2 : closure.axis, &w = view.swapped ? closure.axis : closure.axis2;
        in_A.ang += cross(transpose(X_WA.R) * (X_WB.R * w), u) * size;
        break;
      }
    }
  }
  return {X_WA.R * in_A.ang, X_WA.R * in_A.lin};
}

}  // namespace

template <class T>
std::vector<Force<T>> loop_reactions(const Model<T>& model, const LoopPlan& plan, const PlantWorkspace<T>& work) {
  std::vector<Force<T>> list;
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    const LoopView& view = plan.equations.loops[k];
    const Transform<T> first = frame_pose(work.tree, model.loops[k].a),
                       second = frame_pose(work.tree, model.loops[k].b);
    Force<T> f = wrench_of(model, plan, work, k);
    if (view.swapped) {
      // it acts on the file's first link, at its frame: the opposite, seen from the second
      f = {-f.ang, -f.lin};
      f.ang += cross(first.p - second.p, f.lin);
    }
    const Mat3<T> Rt = transpose(second.R);
    list.push_back({Rt * f.ang, Rt * f.lin});
  }
  return list;
}

template <class T>
void add_loop_wrenches(const Model<T>& model, const LoopPlan& plan, const PlantWorkspace<T>& work,
                       std::span<Force<std::type_identity_t<T>>> on_bodies) {
  for (std::size_t k = 0; k < model.loops.size(); ++k) {
    const LoopView& view = plan.equations.loops[k];
    const Frame<T>&A = first_frame(model.loops[k], view), &B = second_frame(model.loops[k], view);
    const Force<T> f = wrench_of(model, plan, work, k);
    if (B.body >= 0) on_bodies[at(B.body)] += wrench_on_body<T>(work.tree, B, f);
    if (A.body < 0) continue;
    // the opposite on A's link, at B too
    const Vec3<T> lever = frame_pose(work.tree, B).p - frame_pose(work.tree, A).p;
    on_bodies[at(A.body)] -= wrench_on_body<T>(work.tree, A, Force<T>{f.ang + cross(lever, f.lin), f.lin});
  }
}

#define LW_INSTANTIATE(T)                                                                                              \
  template struct PlantWorkspace<T>;                                                                                   \
  template bool set_pose<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>);                              \
  template void tree_velocities<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>);                       \
  template void tree_accelerations<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>);             \
  template void project_torques<T>(const LoopPlan&, PlantWorkspace<T>&, In<T>, Out<T>);                                \
  template void multipliers_under<T>(const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>);                               \
  template void complement_by_unit_velocities<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&);                \
  template void complement_by_projection<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&);                     \
  template void gather_torques<T>(const LoopPlan&, const PlantWorkspace<T>&, In<T>, Out<T>);                           \
  template void distribute_torques<T>(const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, Out<T>);                      \
  template void generalised_forces<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>,       \
                                      Out<T>, std::span<const Force<T>>);                                              \
  template void projected_torques<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>,        \
                                     Out<T>, const TreeTorques<T>&);                                                   \
  template void projected_mass_matrix<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, Out<T>,          \
                                         const TreeMassMatrix<T>&);                                                    \
  template void projected_accelerations<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>,  \
                                           Out<T>, Out<T>, const TreeTorques<T>&);                                     \
  template void solve_inertia<T>(const Model<T>&, const LoopPlan&, Out<T>, Out<T>);                                    \
  template bool prepare_projection<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>);                    \
  template void generalised_forces<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>,       \
                                      Out<T>, const TreeTorques<T>&);                                                  \
  template void inverse_dynamics<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                    const TreeTorques<T>&, In<T>);                                                     \
  template void forward_dynamics<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                    const TreeTorques<T>&, const TreeMassMatrix<T>&);                                  \
  template void inverse_dynamics<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                    In<T>, std::span<const Force<T>>);                                                 \
  template void mass_matrix<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, Out<T>, PoseIs);           \
  template void forward_dynamics<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                    std::span<const Force<T>>, PoseIs);                                                \
  template void frame_jacobian<T>(const Model<T>&, const LoopPlan&, PlantWorkspace<T>&, int, Out<T>);                  \
  template std::vector<Force<T>> loop_reactions<T>(const Model<T>&, const LoopPlan&, const PlantWorkspace<T>&);        \
  template void add_loop_wrenches<T>(const Model<T>&, const LoopPlan&, const PlantWorkspace<T>&, std::span<Force<T>>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
