// The two sweeps of tensor_inverse.hpp, with intermediate results for functions that need more than torques.
#pragma once

#include <string>

#include "../../base/index.hpp"
#include "tensor_inverse.hpp"
#include "turn.hpp"

namespace lw {

// Motion of a link in some axes at some point fixed in it.
template <class T>
struct TensorMotion {
  Vec3<T> w, alpha, a;
  Mat3<T> U;
  T d1 = T(0.0), d2 = T(0.0), d3 = T(0.0);  // U₁₁ − U₃₃, U₃₃ − U₂₂, U₂₂ − U₁₁
  bool crossless = false;                   // ω_x ω_y = 0 in all states, so that U₂₁ = −U₁₂ = α_z
};

// All of U from ω, its third column and α_z.
template <class T>
void complete(TensorMotion<T>& m, const Vec3<T>& third, const T& alpha_z) {
  const T x = m.w[0], y = m.w[1], z = m.w[2];
  const T kx = y * z, ky = x * z, kz = x * y, xx = x * x, zz = z * z, U33 = third[2];
  m.alpha = {kx - third[1], third[0] - ky, alpha_z};
  const T sum = xx + zz;
  m.d1 = xx - zz;
  m.d2 = U33 + sum;
  const T U11 = U33 + m.d1, U22 = -sum;
  m.d3 = U22 - U11;
  m.U = {{U11, kz + alpha_z, ky - m.alpha[1]}, {kz - alpha_z, U22, kx + m.alpha[0]}, third};
}

template <class T>
void complete(TensorMotion<T>& m) {
  const Vec3<T>& w = m.w;
  const T xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2];
  const T kx = w[1] * w[2], ky = w[0] * w[2], kz = w[0] * w[1];
  m.U = {{-(yy + zz), kz + m.alpha[2], ky - m.alpha[1]},
         {kz - m.alpha[2], -(xx + zz), kx + m.alpha[0]},
         {ky + m.alpha[1], kx - m.alpha[0], -(xx + yy)}};
  m.d1 = xx - zz;
  m.d2 = zz - yy;
  m.d3 = yy - xx;
}

// `inertia_z`: E_xx + E_yy, if known without the addition.
template <class T>
Force<T> wrench(const SecondMoments<T>& P, const TensorMotion<T>& m, const T* inertia_z = nullptr) {
  const Mat3<T>&U = m.U, &E = P.E;
  const Vec3<T>& a = m.a;
  const T about_z = m.crossless && inertia_z != nullptr ? U(1, 0) * *inertia_z : U(1, 0) * E(0, 0) - U(0, 1) * E(1, 1);
  const Vec3<T> n(U(2, 0) * E(0, 1) - U(1, 0) * E(0, 2) + m.d2 * E(1, 2) + U(2, 1) * E(1, 1) - U(1, 2) * E(2, 2),
                  U(0, 1) * E(1, 2) - U(2, 1) * E(0, 1) + m.d1 * E(0, 2) + U(0, 2) * E(2, 2) - U(2, 0) * E(0, 0),
                  U(1, 2) * E(0, 2) - U(0, 2) * E(1, 2) + m.d3 * E(0, 1) + about_z);
  return {n + cross(P.h, a), U * P.h + a * P.m};
}

// U₁₁ − U₃₃, U₃₃ − U₂₂ and U₂₂ − U₁₁ in other axes: the same three, where these are the old ones in another order.
template <class T>
void turn_tensor(const TensorMotion<T>& from, const Mat3<T>& B, TensorMotion<T>& to) {
  to.U = transpose(B) * (from.U * B);
  int old[3] = {-1, -1, -1};
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      // cos 1e-9 is 1 too: what is beside it counts
      if (is_zero(B((r + 1) % 3, c)) && is_zero(B((r + 2) % 3, c))) old[c] = r;
    }
  }
  const auto difference = [&](int i, int j) {
    const int a = old[i], b = old[j];
    if (a < 0 || b < 0) return to.U(i, i) - to.U(j, j);
    const T d[3] = {from.d2, from.d1, from.d3};  // by the axis that is not in it
    const int other = 3 - a - b;
    const bool forward = (other == 0 && a == 2) || (other == 1 && a == 0) || (other == 2 && a == 1);
    return forward ? d[other] : -d[other];
  };
  to.d1 = difference(0, 2);
  to.d2 = difference(2, 1);
  to.d3 = difference(1, 0);
}

// U of a link whose joint rotates about z with q̇ and q̈, from its parent's in the same axes: U = U′ + 2 q̇ [ω′][z] +
// q̇² [z][z] + q̈ [z].
template <class T>
void add_turn(TensorMotion<T>& m, const T& rate, const T& acceleration) {
  m.crossless = is_zero(m.U(0, 1)) && is_zero(m.U(1, 0));
  const T twice = rate + rate, s = rate * (m.w[2] + (m.w[2] + rate));
  m.U(0, 0) -= s;
  m.U(1, 1) -= s;
  m.U(1, 0) += acceleration;
  m.U(0, 1) -= acceleration;
  m.U(2, 0) += twice * m.w[0];
  m.U(2, 1) += twice * m.w[1];
  m.d1 -= s;
  m.d2 += s;
  m.w[2] += rate;
  m.alpha[2] += acceleration;
}

// "omega2_x"
template <class T>
void name_vector(const Vec3<T>& v, const char* what, std::size_t link) {
  if constexpr (std::is_same_v<T, Expr>) {
    for (int k = 0; k < 3; ++k) name_value(v[k], what + std::to_string(link + 1) + "_" + "xyz"[k]);
  }
}
template <class T>
void name_state(const TensorMotion<T>& m, const std::string& axes, std::size_t link) {
  if constexpr (std::is_same_v<T, Expr>) {
    name_vector(m.w, ("omega" + axes).c_str(), link);
    name_vector(m.a, ("a" + axes).c_str(), link);
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        name_value(m.U(r, c), "U" + axes + std::to_string(link + 1) + "_" + "xyz"[r] + "xyz"[c]);
      }
    }
  }
}

template <class T>
struct TensorLink {
  TensorMotion<T> body;     // in the link's axes, at its origin
  TensorMotion<T> carrier;  // in the carrier's axes, at its origin; only if requested
  TensorMotion<T>
      before;      // the parent's motion in the carrier's axes, at the link's origin; of U the third column is sure
  Force<T> joint;  // wrench through the joint, in the carrier's axes (of a free joint: its own)
  Turn<T> turn;
  T angle = T(0.0);
  int quarters = 0;
  bool carries = false;  // a merged child
  Force<T> inner;        // wrench on the link, in its axes
  Force<T> outer;        // what its carrier's axes are better for
};

template <class T>
class TensorRecursion {
 public:
  TensorRecursion(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q, In<T> qd,
                  In<T> qdd)
      : model_(model), tree_(tree), method_(method), q_(q), qd_(qd), qdd_(qdd), states_(tree.links.size()) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (method.merged[i]) states_[at(tree.links[i].parent)].carries = true;
    }
  }

  void outward() {
    TensorMotion<T> still;
    still.a = -tree_.gravity;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      begin_section(q_);
      const Link& link = tree_.links[i];
      const TensorMotion<T>& from = link.parent < 0 ? still : states_[at(link.parent)].body;
      switch (link.kind) {
        case JointKind::revolute: turn(i, from); break;
        case JointKind::prismatic: slide(i, from); break;
        default: free(i, from);
      }
      TensorLink<T>& s = states_[i];
      name_state(s.body, "", i);
      if (s.carries || method_.in_carrier[i]) name_state(s.carrier, "c", i);
      if (method_.in_carrier[i]) {
        const T inertia_z = link.mean + link.mean;
        s.outer = wrench(turned_out<T>(link, s.turn), s.carrier, &inertia_z);
      } else {
        s.inner = wrench(link.inertia, s.body);
      }
    }
  }

  void inward(Out<T> tau) {
    for (T& each : tau) each = T(0.0);
    for (std::size_t i = states_.size(); i-- > 0;) {
      begin_section(q_);
      const Link& link = tree_.links[i];
      const Body<T>& b = body(i);
      TensorLink<T>& s = states_[i];
      const auto v = at(b.v);
      TensorLink<T>* parent = link.parent < 0 ? nullptr : &states_[at(link.parent)];
      if (link.kind == JointKind::spherical || link.kind == JointKind::floating) {
        for (int k = 0; k < 3; ++k) tau[v + at(k)] = s.inner.ang[k];
        if (link.kind == JointKind::floating) {
          for (int k = 0; k < 3; ++k) tau[v + 3 + at(k)] = s.inner.lin[k];
        }
        s.joint = s.inner;
        if (parent != nullptr) parent->inner += pose(i).to_parent(s.inner);
        continue;
      }
      name_vector(s.inner.ang, "n", i);
      name_vector(s.inner.lin, "f", i);
      Force<T> f = s.inner;  // in the carrier's axes
      if (link.kind == JointKind::revolute) {
        if (method_.in_carrier[i]) {
          f = s.outer;
        } else {
          f = {s.turn.out(f.ang), s.turn.out(f.lin)};
          if (s.carries) f += s.outer;
        }
      }
      s.joint = f;
      T own = link.kind == JointKind::revolute ? f.ang[2] : f.lin[2];
      own = own + b.armature * joint_rate<T>(b, qdd_) + b.stiffness * (joint_coordinate<T>(b, q_) - b.rest);
      tau[v] = b.mimics || model_.has_mimics ? tau[v] + b.ratio * own : own;
      if (parent == nullptr) continue;
      name_vector(f.ang, "nc", i);
      name_vector(f.lin, "fc", i);
      if (method_.merged[i]) {
        f.ang += cross(parent->turn.out(link.p), f.lin);
        parent->outer += f;
      } else {
        parent->inner += Transform<T>{link.B, origin(i)}.to_parent(f);
      }
    }
  }

  // After outward(), the joints' wrenches after inward().
  const TensorLink<T>& operator[](std::size_t i) const { return states_[i]; }
  // What the joint passes on, as the link has it before it is turned, where it has all of it.
  const Force<T>& reaction(std::size_t i) const {
    return states_[i].carries || method_.in_carrier[i] ? states_[i].joint : states_[i].inner;
  }

 private:
  using Link = typename CanonicalTree<T>::Link;
  const Body<T>& body(std::size_t i) const { return model_.bodies[at(tree_.links[i].body)]; }

  Vec3<T> origin(std::size_t i) const { return origin_of<T>(tree_.links[i], body(i), q_); }

  void turn(std::size_t i, const TensorMotion<T>& from) {
    const Link& link = tree_.links[i];
    const Body<T>& b = body(i);
    TensorLink<T>& s = states_[i];
    const T rate = joint_rate<T>(b, qd_), acceleration = joint_rate<T>(b, qdd_);
    const Mat3<T> Bt = transpose(link.B);
    TensorMotion<T>& before = s.before;
    s.angle = joint_coordinate<T>(b, q_) + link.offset;
    s.quarters = link.quarters;
    if (method_.merged[i]) {
      const TensorLink<T>& parent = states_[at(link.parent)];
      before = parent.carrier;
      before.a = parent.carrier.a + parent.carrier.U * parent.turn.out(link.p);
      s.angle = parent.angle + s.angle;
      s.quarters += parent.quarters;
    } else {
      before.w = Bt * from.w;
      turn_tensor(from, link.B, before);
      before.a = Bt * (from.a + from.U * link.p);
      before.alpha[2] = dot(link.B.col(2), from.alpha);
    }
    s.turn = Turn<T>(s.angle, s.quarters);
    if (s.carries || method_.in_carrier[i]) {
      s.carrier = before;
      add_turn(s.carrier, rate, acceleration);
    }
    if (method_.in_carrier[i]) return;
    s.body.w = s.turn.in(before.w);
    s.body.w[2] += rate;
    s.body.a = s.turn.in(before.a);
    complete(s.body, s.turn.in(before.U.col(2)), before.alpha[2] + acceleration);
  }

  void slide(std::size_t i, const TensorMotion<T>& from) {
    const Link& link = tree_.links[i];
    TensorMotion<T>& m = states_[i].body;
    const Mat3<T> Bt = transpose(link.B);
    m.w = Bt * from.w;
    m.alpha = Bt * from.alpha;
    turn_tensor(from, link.B, m);
    const T twice = T(2.0) * joint_rate<T>(body(i), qd_);
    m.a = Bt * (from.a + from.U * origin(i)) + Vec3<T>(m.w[1] * twice, -(m.w[0] * twice), joint_rate<T>(body(i), qdd_));
    states_[i].before = m;  // but for a
  }

  // Of a spherical or floating joint.
  Transform<T> pose(std::size_t i) const { return lw::free_pose<T>(tree_.links[i], body(i), q_); }

  void free(std::size_t i, const TensorMotion<T>& from) {
    TensorMotion<T>& m = states_[i].body;
    const std::size_t v = at(body(i).v);
    const Transform<T> X = pose(i);
    const Mat3<T> Rt = transpose(X.R);
    const Vec3<T> w(qd_[v], qd_[v + 1], qd_[v + 2]), before = Rt * from.w;
    m.w = before + w;
    m.alpha = Rt * from.alpha + Vec3<T>(qdd_[v], qdd_[v + 1], qdd_[v + 2]) + cross(before, w);
    m.a = Rt * (from.a + from.U * X.p);
    states_[i].before.w = before;
    states_[i].before.U = Rt * (from.U * X.R);
    states_[i].before.a = m.a;
    if (tree_.links[i].kind == JointKind::floating) {
      m.a += Vec3<T>(qdd_[v + 3], qdd_[v + 4], qdd_[v + 5]) +
             cross(before + m.w, Vec3<T>(qd_[v + 3], qd_[v + 4], qd_[v + 5]));
    }
    complete(m);
  }

  const Model<T>& model_;
  const CanonicalTree<T>& tree_;
  const TensorMethod& method_;
  In<T> q_, qd_, qdd_;
  std::vector<TensorLink<T>> states_;
};

}  // namespace lw
