#include "aba.hpp"

#include "../../graph/scalar_eigen.hpp"
#include "../../spatial/cross.hpp"
#include "crba.hpp"
#include "elements.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

// The contribution of an articulated inertia to the parent: rotate, then move the reference point by −r. With n = I α +
// H a, f = Hᵀ α + M a and a_child = a − [r] α:  H' = H + [r] M,  I' = I − H' [r] − (H [r])ᵀ.
template <class T>
void add_to_parent(ArticulatedInertia<T>& parent, const Transform<T>& X, const ArticulatedInertia<T>& A) {
  const Mat3<T> Rt = transpose(X.R);
  const Mat3<T> I = X.R * (A.I * Rt), H = X.R * (A.H * Rt), M = X.R * (A.M * Rt);
  const Mat3<T> H_moved = H + cross_columns(X.p, M);
  const Mat3<T> Hr = times_skew(H, X.p);
  parent.M += M;
  parent.H += H_moved;
  parent.I += I - times_skew(H_moved, X.p) - transpose(Hr);
}

template <class T>
Force<T> operator*(const ArticulatedInertia<T>& A, const Motion<T>& m) {
  return {A.I * m.ang + A.H * m.lin, transpose(A.H) * m.ang + A.M * m.lin};
}

template <class T>
Motion<T> joint_velocity(const Body<T>& b, In<T> qd) {
  const auto k = static_cast<std::size_t>(b.v);
  Motion<T> m;
  switch (b.kind) {
    case JointKind::revolute: m.ang = b.axis * qd[k]; break;
    case JointKind::prismatic: m.lin = b.axis * qd[k]; break;
    case JointKind::floating: m.lin = Vec3<T>(qd[k + 3], qd[k + 4], qd[k + 5]); [[fallthrough]];
    case JointKind::spherical: m.ang = Vec3<T>(qd[k], qd[k + 1], qd[k + 2]); break;
  }
  return m;
}

// velocity, its bias, and the body's own inertia and bias force
template <class T>
void step_out(const Model<T>& model, Workspace<T>& work, std::size_t i, In<T> q, In<T> qd,
              std::span<const Force<T>> external) {
  const Body<T>& b = model.bodies[i];
  work.X[i] = joint_transform<T>(b, q);
  const Motion<T> joint = joint_velocity<T>(b, qd);
  Motion<T> v = joint;
  if (b.parent >= 0) v += work.X[i].to_child(work.velocity[static_cast<std::size_t>(b.parent)]);
  work.velocity[i] = v;
  work.column[i].c = cross(v, joint);
  const RigidInertia<T>& I = b.inertia;
  work.articulated[i] = {I.I, skew(I.h), Mat3<T>::diagonal(I.mass)};
  work.bias[i] = cross(v, I * v);
  if (!external.empty()) work.bias[i] -= external[i];
}

// fold the body into its parent through a joint with one velocity
template <class T>
void step_in_one(const Model<T>& model, Workspace<T>& work, std::size_t i, In<T> q, In<T> tau) {
  const Body<T>& b = model.bodies[i];
  ArticulatedInertia<T>& A = work.articulated[i];
  auto& col = work.column[i];
  const bool turns = b.kind == JointKind::revolute;
  if (turns) {
    col.U = {A.I * b.axis, transpose(A.H) * b.axis};
  } else {
    col.U = {A.H * b.axis, A.M * b.axis};
  }
  const T D = dot(b.axis, turns ? col.U.ang : col.U.lin) + b.armature;
  col.inverse_D = T(1.0) / D;
  col.u = tau[static_cast<std::size_t>(b.v)] - b.stiffness * (joint_coordinate<T>(b, q) - b.rest) -
          dot(b.axis, turns ? work.bias[i].ang : work.bias[i].lin);
  if (b.parent < 0) return;
  const Vec3<T> ang = col.U.ang * col.inverse_D, lin = col.U.lin * col.inverse_D;
  A.I -= outer(ang, col.U.ang);
  A.H -= outer(ang, col.U.lin);
  A.M -= outer(lin, col.U.lin);
  const Force<T> Ac = A * col.c;
  const Force<T> p{work.bias[i].ang + Ac.ang + ang * col.u, work.bias[i].lin + Ac.lin + lin * col.u};
  work.bias[static_cast<std::size_t>(b.parent)] += work.X[i].to_parent(p);
  add_to_parent(work.articulated[static_cast<std::size_t>(b.parent)], work.X[i], A);
}

// a spherical joint transmits the force at its centre, and only the applied moment
template <class T>
void step_in_spherical(const Model<T>& model, Workspace<T>& work, std::size_t i, In<T> tau) {
  const Body<T>& b = model.bodies[i];
  ArticulatedInertia<T>& A = work.articulated[i];
  auto& col = work.column[i];
  const auto k = static_cast<std::size_t>(b.v);
  const Vec3<T> applied(tau[k], tau[k + 1], tau[k + 2]);
  col.u6.ang = applied - work.bias[i].ang;
  if (b.parent < 0) return;
  // I⁻¹ applied to u and to the columns of H
  ArticulatedInertia<T> folded{Mat3<T>::zero(), Mat3<T>::zero(), A.M};
  Vec3<T> passed = work.bias[i].lin;
  for (int j = 0; j < 4; ++j) {
    Mat3<T> I = A.I;
    Vec3<T> x = j < 3 ? A.H.col(j) : col.u6.ang;
    solve_positive<3>(I, x);
    const Vec3<T> Hx = transpose(A.H) * x;
    if (j < 3) {
      folded.M.col(j) -= Hx;
    } else {
      passed += Hx;
    }
  }
  passed += folded.M * col.c.lin;
  work.bias[static_cast<std::size_t>(b.parent)] += work.X[i].to_parent(Force<T>{applied, passed});
  add_to_parent(work.articulated[static_cast<std::size_t>(b.parent)], work.X[i], folded);
}

// a floating joint transmits only the applied wrench
template <class T>
void step_in_floating(const Model<T>& model, Workspace<T>& work, std::size_t i, In<T> tau) {
  const Body<T>& b = model.bodies[i];
  auto& col = work.column[i];
  const auto k = static_cast<std::size_t>(b.v);
  const Force<T> applied{Vec3<T>(tau[k], tau[k + 1], tau[k + 2]), Vec3<T>(tau[k + 3], tau[k + 4], tau[k + 5])};
  col.u6 = {applied.ang - work.bias[i].ang, applied.lin - work.bias[i].lin};
  if (b.parent < 0) return;
  work.bias[static_cast<std::size_t>(b.parent)] += work.X[i].to_parent(applied);
}

}  // namespace

template <class T>
void aba(const Model<T>& model, Workspace<T>& work, In<T> q, In<T> qd, In<T> tau, Out<T> qdd,
         std::span<const Force<std::type_identity_t<T>>> external) {
  check_sizes("aba", model, work,
              {{"q", q.size(), model.nq},
               {"qd", qd.size(), model.nv},
               {"tau", tau.size(), model.nv},
               {"qdd", qdd.size(), model.nv}});
  if (!external.empty())
    check_sizes("aba", model, {{"external", external.size(), static_cast<int>(model.bodies.size())}});
  if (model.has_mimics || !model.rotor_ties.empty()) {
    forward_by_crba<T>(model, work, q, qd, tau, qdd, external);
    return;
  }
  const std::size_t n = model.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    begin_section(q);
    step_out<T>(model, work, i, q, qd, external);
  }
  if (has_elements(model)) {
    subtract_element_wrenches<T>(model, work, work.bias);
    for (T& each : work.scratch) each = T(0.0);
    subtract_element_torques<T>(model, q, work.scratch);
    for (std::size_t k = 0; k < tau.size(); ++k) work.scratch[k] = tau[k] - work.scratch[k];
    tau = work.scratch;
  }
  for (std::size_t i = n; i-- > 0;) {
    begin_section(q);
    switch (model.bodies[i].kind) {
      case JointKind::revolute:
      case JointKind::prismatic: step_in_one<T>(model, work, i, q, tau); break;
      case JointKind::spherical: step_in_spherical<T>(model, work, i, tau); break;
      case JointKind::floating: step_in_floating<T>(model, work, i, tau); break;
    }
  }
  // outward again; accelerations overwrite the workspace's velocities
  const Motion<T> base{Vec3<T>::zero(), -model.gravity};
  for (std::size_t i = 0; i < n; ++i) {
    begin_section(q);
    const Body<T>& b = model.bodies[i];
    const auto& col = work.column[i];
    const auto v = static_cast<std::size_t>(b.v);
    Motion<T> a = work.X[i].to_child(b.parent < 0 ? base : work.velocity[static_cast<std::size_t>(b.parent)]) + col.c;
    switch (b.kind) {
      case JointKind::revolute:
      case JointKind::prismatic: {
        qdd[v] = (col.u - dot(a, col.U)) * col.inverse_D;
        (b.kind == JointKind::revolute ? a.ang : a.lin) += b.axis * qdd[v];
        break;
      }
      case JointKind::spherical: {
        // moment u = I α + H a with α whole
        Mat3<T> I = work.articulated[i].I;
        Vec3<T> alpha = col.u6.ang - work.articulated[i].H * a.lin;
        solve_positive<3>(I, alpha);
        for (int k = 0; k < 3; ++k) qdd[v + static_cast<std::size_t>(k)] = alpha[k] - a.ang[k];
        a.ang = alpha;
        break;
      }
      case JointKind::floating: {
        const ArticulatedInertia<T>& A = work.articulated[i];
        Eigen::Matrix<T, 6, 6> I;
        Eigen::Matrix<T, 6, 1> x;
        for (int r = 0; r < 3; ++r) {
          for (int k = 0; k < 3; ++k) {
            I(r, k) = A.I(r, k);
            I(3 + k, r) = A.H(r, k);
            I(3 + r, 3 + k) = A.M(r, k);
          }
          x[r] = col.u6.ang[r];
          x[3 + r] = col.u6.lin[r];
        }
        solve_positive<6>(I, x);
        for (int k = 0; k < 6; ++k) qdd[v + static_cast<std::size_t>(k)] = x[k] - (k < 3 ? a.ang[k] : a.lin[k - 3]);
        a = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
        break;
      }
    }
    work.velocity[i] = a;
  }
}

#define LW_INSTANTIATE(T) \
  template void aba<T>(const Model<T>&, Workspace<T>&, In<T>, In<T>, In<T>, Out<T>, std::span<const Force<T>>);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
