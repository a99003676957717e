#include "tensor_derivatives.hpp"

#include <algorithm>
#include <array>

#include "../../base/index.hpp"
#include "../tree/elements.hpp"
#include "tensor_recursion.hpp"

namespace lw {
namespace {

// All bodies supported by a joint; N and momentum are doubled.
template <class T>
struct Hanging {
  SecondMoments<T> P;
  T inertia_z = T(0.0);  // E_xx + E_yy
  Mat3<T> N;
  Vec3<T> momentum;

  void operator+=(const Hanging& o) {
    P += o.P;
    inertia_z = inertia_z + o.inertia_z;
    N = N + o.N;
    momentum += o.momentum;
  }
};

// a bᵀ taken from (a·b) 1
template <class T>
Mat3<T> across(const Vec3<T>& a, const Vec3<T>& b) {
  return Mat3<T>::diagonal(dot(a, b)) - outer(a, b);
}

// For an observer who sees all velocities increased by half of `twice`.
template <class T>
void speed_up(Hanging<T>& c, const Vec3<T>& twice) {
  c.N = c.N + across(twice, c.P.h);
  c.momentum += twice * c.P.m;
}

// About a point from which its own is seen at r.
template <class T>
void shift(Hanging<T>& c, const Vec3<T>& r) {
  c.N = c.N + across(c.momentum, r);
  const Mat3<T> side = outer(c.P.h, r);
  c.P = {c.P.m, c.P.h + r * c.P.m, c.P.E + (side + transpose(side)) + outer(r, r * c.P.m)};
}

// N about its own origin, and the momentum: both doubled.
template <class T>
void set_motion(Hanging<T>& c, const SecondMoments<T>& P, const Vec3<T>& w) {
  const Vec3<T> twice = w + w;
  c.N = {cross(P.E.col(0), twice), cross(P.E.col(1), twice), cross(P.E.col(2), twice)};
  c.momentum = cross(twice, P.h);
}

// R A Rᵀ for a rotation about z.
template <class T>
Mat3<T> turned(const Mat3<T>& A, const Turn<T>& turn) {
  const T z = (A(0, 0) - A(1, 1)) * turn.c - (A(0, 1) + A(1, 0)) * turn.s, x = turn.c * z, y = turn.s * z;
  const Vec3<T> column = turn.out(A.col(2)), row = turn.out({A(2, 0), A(2, 1), T(0.0)});
  return {{A(1, 1) + x, A(1, 0) + y, row[0]}, {A(0, 1) + y, A(0, 0) - x, row[1]}, column};
}

// z × v
template <class T>
Vec3<T> about_z(const Vec3<T>& v) {
  return {-v[1], v[0], T(0.0)};
}

// The wrenches that a joint passes on to those above.
template <class T>
struct Passed {
  Force<T> inertia, q, qd;  // I S, ∂/∂q, ∂/∂q̇
  Vec3<T> w;

  void turn_and_shift(const Transform<T>& X) {
    inertia = X.to_parent(inertia);
    q = X.to_parent(q);
    qd = X.to_parent(qd);
    w = X.R * w;
  }
  void turn_out(const Turn<T>& turn) {
    for (Force<T>* f : {&inertia, &q, &qd}) *f = {turn.out(f->ang), turn.out(f->lin)};
    w = turn.out(w);
  }
  void speed_up(const Vec3<T>& twice) { w += cross(twice, inertia.lin); }
};

template <class T>
class Derivatives {
 public:
  Derivatives(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q, In<T> qd,
              In<T> qdd, std::array<Out<T>, 3> out)
      : model_(model),
        tree_(tree),
        method_(method),
        q_(q),
        qd_(qd),
        motion_(model, tree, method, q, qd, qdd),
        out_(out),
        inner_(tree.links.size()),
        outer_(tree.links.size()),
        bears_(tree.links.size(), false) {
    std::vector<T> tau(at(model.nv));
    motion_.outward();
    motion_.inward(tau);
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      if (tree.links[i].parent >= 0 && !method.merged[i]) bears_[at(tree.links[i].parent)] = true;
    }
    for (Out<T>& matrix : out_) std::fill(matrix.begin(), matrix.end(), T(0.0));
  }

  void run() {
    for (std::size_t i = tree_.links.size(); i-- > 0;) {
      const Hanging<T> c = on_joint(i);
      const Link& link = tree_.links[i];
      for (int k = 0; k < body(i).velocities(); ++k) climb(i, k, passed(i, k, c));
      if (link.parent >= 0) give_to_parent(i, c);
    }
  }

 private:
  using Link = typename CanonicalTree<T>::Link;
  const Body<T>& body(std::size_t i) const { return model_.bodies[at(tree_.links[i].body)]; }
  bool is_free(std::size_t i) const {
    return tree_.links[i].kind == JointKind::spherical || tree_.links[i].kind == JointKind::floating;
  }
  Transform<T> pose(std::size_t i) const {  // of the carrier, or of a free link
    if (is_free(i)) return free_pose<T>(tree_.links[i], body(i), q_);
    return {tree_.links[i].B, origin_of<T>(tree_.links[i], body(i), q_)};
  }
  // The link's origin moves so against the parent's point there; doubled.
  Vec3<T> twice_slip(std::size_t i) const {
    const Body<T>& b = body(i);
    switch (b.kind) {
      case JointKind::prismatic: return {T(0.0), T(0.0), T(2.0) * joint_rate<T>(b, qd_)};
      case JointKind::floating: return Vec3<T>(qd_[at(b.v + 3)], qd_[at(b.v + 4)], qd_[at(b.v + 5)]) * T(2.0);
      default: return {};
    }
  }
  bool slips(std::size_t i) const {
    return body(i).kind == JointKind::prismatic || body(i).kind == JointKind::floating;
  }

  // Of the parent in what axes the child needs, doubled; and where the child stands there.
  Vec3<T> twice_turning(std::size_t parent, bool in_carrier) const {
    const Vec3<T>& w = in_carrier ? motion_[parent].carrier.w : motion_[parent].body.w;
    return w + w;
  }
  Vec3<T> merged_place(std::size_t i) const { return motion_[at(tree_.links[i].parent)].turn.out(tree_.links[i].p); }

  // In the carrier's axes (of a free joint: its own), for an observer on the parent's point.
  Hanging<T> on_joint(std::size_t i) {
    const Link& link = tree_.links[i];
    const TensorLink<T>& m = motion_[i];
    Hanging<T> c;
    if (method_.in_carrier[i]) {
      c.P = turned_out<T>(link, m.turn);
      c.inertia_z = link.mean + link.mean;
      set_motion(c, c.P, m.carrier.w);
      c += outer_[i];
      return c;
    }
    set_motion(c, link.inertia, m.body.w);
    c.P = link.inertia;
    c.inertia_z = link.mean + link.mean;
    if (bears_[i]) {
      c += inner_[i];
      c.inertia_z = c.P.E(0, 0) + c.P.E(1, 1);
    }
    if (link.kind == JointKind::revolute) {
      c.P = bears_[i] ? turned_out(c.P, c.inertia_z, m.turn) : turned_out<T>(link, m.turn);
      c.N = turned(c.N, m.turn);
      c.momentum = m.turn.out(c.momentum);
      if (m.carries) c += outer_[i];
    }
    if (slips(i)) speed_up(c, twice_slip(i));
    return c;
  }

  void give_to_parent(std::size_t i, Hanging<T> c) {
    const Link& link = tree_.links[i];
    const std::size_t parent = at(link.parent);
    if (method_.merged[i]) {
      const Vec3<T> r = merged_place(i);
      speed_up(c, cross(twice_turning(parent, true), r));
      // rotation does not change the length of r
      c.inertia_z = c.inertia_z + T(2.0) * (r[0] * c.P.h[0] + r[1] * c.P.h[1]) +
                    c.P.m * (link.p[0] * link.p[0] + link.p[1] * link.p[1]);
      shift(c, r);
      outer_[parent] += c;
      return;
    }
    const Transform<T> X = pose(i);
    c.P = c.P.turned(transpose(X.R));
    c.N = X.R * (c.N * transpose(X.R));
    c.momentum = X.R * c.momentum;
    speed_up(c, cross(twice_turning(parent, false), X.p));
    shift(c, X.p);
    inner_[parent] += c;
  }

  static Mat3<T> inertia_of(const Hanging<T>& c) {
    const Mat3<T>& E = c.P.E;
    return {{E(1, 1) + E(2, 2), -E(1, 0), -E(2, 0)},
            {-E(0, 1), E(0, 0) + E(2, 2), -E(2, 1)},
            {-E(0, 2), -E(1, 2), c.inertia_z}};
  }

  // Of velocity k of joint i, where it acts.
  Passed<T> passed(std::size_t i, int k, const Hanging<T>& c) const {
    const JointKind kind = tree_.links[i].kind;
    const TensorMotion<T>& before = motion_[i].before;
    const Force<T>& f = motion_[i].joint;
    const Vec3<T>& h = c.P.h;
    const bool free = is_free(i), turns = kind == JointKind::revolute || (free && k < 3);
    const Vec3<T> e = free ? Vec3<T>::unit(k % 3) : Vec3<T>::unit(2);
    const Vec3<T> rate = cross(before.w, e), acceleration = before.U * e;  // Ψ̇, Ψ̈: turning or moving
    Vec3<T> twice = rate + rate, along;                                    // E
    if (free) {
      twice = cross(before.w + motion_[i].body.w, e);
      if (kind == JointKind::floating && turns) along = cross(twice_slip(i) * T(0.5), e);
    }
    Passed<T> p;
    if (!turns) {
      p.inertia = {cross(h, e), e * c.P.m};
      p.q = {cross(h, acceleration) + cross(e, f.lin), acceleration * c.P.m};
      p.qd = {cross(h, twice), twice * c.P.m};
      p.w = cross(c.momentum, e);
      return p;
    }
    const Mat3<T> I = inertia_of(c);
    const Vec3<T> fall = cross(before.a, e);
    p.inertia = {I * e, cross(e, h)};
    p.q = {c.N * rate + I * acceleration + cross(h, fall) + cross(e, f.ang),
           cross(rate, c.momentum) + fall * c.P.m + cross(acceleration, h) + cross(e, f.lin)};
    p.qd = {c.N * e + I * twice + cross(h, along), cross(e, c.momentum) + cross(twice, h) + along * c.P.m};
    p.w = transpose(c.N) * e;
    return p;
  }

  void climb(std::size_t i, int k, Passed<T> p) {
    own(i, k, p);
    std::size_t j = i;
    while (tree_.links[j].parent >= 0) {
      const std::size_t parent = at(tree_.links[j].parent);
      if (method_.merged[j]) {
        const Vec3<T> r = merged_place(j);
        p.speed_up(cross(twice_turning(parent, true), r));
        for (Force<T>* f : {&p.inertia, &p.q, &p.qd}) f->ang += cross(r, f->lin);
      } else {
        const Transform<T> X = pose(j);
        p.turn_and_shift(X);
        p.speed_up(cross(twice_turning(parent, false), X.p));
        if (tree_.links[parent].kind == JointKind::revolute) p.turn_out(motion_[parent].turn);
      }
      j = parent;
      if (slips(j)) p.speed_up(twice_slip(j));
      above(i, k, j, p);
    }
  }

  // Entries of the joint with itself. Of a free joint ∂/∂q has no part of the wrench.
  void own(std::size_t i, int k, const Passed<T>& p) {
    const Body<T>& b = body(i);
    if (!is_free(i)) {
      const bool turns = b.kind == JointKind::revolute;
      const auto part = [&](const Force<T>& f) { return turns ? f.ang[2] : f.lin[2]; };
      put(0, i, 0, i, 0, part(p.q) + b.stiffness);
      put(1, i, 0, i, 0, part(p.qd));
      put(2, i, 0, i, 0, part(p.inertia) + b.armature);
      return;
    }
    const Vec3<T> e = Vec3<T>::unit(k % 3);
    const Force<T>& f = motion_[i].joint;
    const Force<T> reaction = k < 3 ? Force<T>{cross(e, f.ang), cross(e, f.lin)} : Force<T>{cross(e, f.lin), Vec3<T>()};
    const Force<T> q = p.q - reaction;
    for (int l = 0; l < b.velocities(); ++l) {
      const auto part = [&](const Force<T>& x) { return l < 3 ? x.ang[l] : x.lin[l - 3]; };
      put(0, i, l, i, k, part(q));
      put(1, i, l, i, k, part(p.qd));
      put(2, i, l, i, k, part(p.inertia));
    }
  }

  // Entries with joint j above, where p has arrived.
  void above(std::size_t i, int k, std::size_t j, const Passed<T>& p) {
    const TensorMotion<T>& before = motion_[j].before;
    const Vec3<T>&n = p.inertia.ang, &f = p.inertia.lin;
    const int count = body(j).velocities();
    for (int l = 0; l < count; ++l) {
      const bool free = is_free(j), turns = tree_.links[j].kind == JointKind::revolute || (free && l < 3);
      const int axis = free ? l % 3 : 2;
      const Vec3<T> e = Vec3<T>::unit(axis);
      const auto part = [&](const Force<T>& x) { return turns ? x.ang[axis] : x.lin[axis]; };
      put(0, j, l, i, k, part(p.q));
      put(1, j, l, i, k, part(p.qd));
      put(2, j, l, i, k, part(p.inertia));
      put(2, i, k, j, l, part(p.inertia));
      const Vec3<T> rate = cross(before.w, e), acceleration = before.U * e;
      Vec3<T> twice = rate + rate, along;
      if (free) {
        twice = cross(before.w + motion_[j].body.w, e);
        if (count == 6 && turns) along = cross(twice_slip(j) * T(0.5), e);
      }
      if (turns) {
        put(0, i, k, j, l, dot(acceleration, n) + dot(cross(before.a, e), f) + dot(rate, p.w));
        put(1, i, k, j, l, dot(twice, n) + dot(along, f) + p.w[axis]);
      } else {
        put(0, i, k, j, l, dot(acceleration, f));
        put(1, i, k, j, l, dot(twice, f));
      }
    }
  }

  // Row: velocity k of link i; mimic joints add to the entries of the joints that they follow.
  void put(std::size_t matrix, std::size_t row, int k, std::size_t column, int l, const T& value) {
    const Body<T>&r = body(row), &c = body(column);
    T& entry = out_[matrix][at(c.v + l) * at(model_.nv) + at(r.v + k)];
    if (model_.has_mimics) {
      entry += r.ratio * c.ratio * value;
    } else {
      entry = value;
    }
  }

  const Model<T>& model_;
  const CanonicalTree<T>& tree_;
  const TensorMethod& method_;
  In<T> q_, qd_;
  TensorRecursion<T> motion_;
  std::array<Out<T>, 3> out_;
  std::vector<Hanging<T>> inner_, outer_;  // of children, in the link's axes and in its carrier's
  std::vector<bool> bears_;                // children in the link's axes
};

}  // namespace

template <class T>
void tensor_derivatives(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q,
                        In<T> qd, In<T> qdd, Out<T> d_q, Out<T> d_qd, Out<T> d_qdd) {
  Derivatives<T>(model, tree, method, q, qd, qdd, {d_q, d_qd, d_qdd}).run();
  add_rotor_ties<T>(model, d_qdd);
}

#define LW_INSTANTIATE(T)                                                                                          \
  template void tensor_derivatives<T>(const Model<T>&, const CanonicalTree<T>&, const TensorMethod&, In<T>, In<T>, \
                                      In<T>, Out<T>, Out<T>, Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
