#include "composite.hpp"

#include "../../base/index.hpp"
#include "../tree/elements.hpp"
#include "turn.hpp"

namespace lw {
namespace {

template <class T>
class Composite {
 public:
  Composite(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q)
      : model_(model), tree_(tree), method_(method), q_(q), bodies_(tree.links.size()) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Link& link = tree.links[i];
      const Body<T>& b = body(i);
      State& s = bodies_[i];
      s.inner = link.inertia;
      if (link.kind != JointKind::revolute) continue;
      T angle = joint_coordinate<T>(b, q) + link.offset;
      int quarters = link.quarters;
      if (method.merged[i]) {
        angle = bodies_[at(link.parent)].angle + angle;
        quarters += bodies_[at(link.parent)].quarters;
      }
      s.angle = angle;
      s.quarters = quarters;
      s.turn = Turn<T>(angle, quarters);
      for (std::size_t c = i + 1; c < bodies_.size(); ++c) {
        if (tree.links[c].parent == static_cast<int>(i)) (method.merged[c] ? s.carries : s.bears) = true;
      }
    }
  }

  void run(Out<T> M) {
    for (T& x : M) x = T(0.0);
    for (std::size_t i = bodies_.size(); i-- > 0;) {
      const Link& link = tree_.links[i];
      State& s = bodies_[i];
      SecondMoments<T> P = s.inner;  // in the carrier's axes
      T inertia_z = P.E(0, 0) + P.E(1, 1);
      if (link.kind == JointKind::revolute) {
        if (!s.bears) inertia_z = link.mean + link.mean;
        P = s.bears ? turned_out(s.inner, inertia_z, s.turn) : turned_out<T>(link, s.turn);
        if (s.carries) {
          P += s.outer;
          inertia_z = inertia_z + s.outer_inertia_z;
        }
      }
      columns(i, P, inertia_z, M);
      if (link.parent < 0) continue;
      State& parent = bodies_[at(link.parent)];
      if (method_.merged[i]) {
        const Vec3<T> p = parent.turn.out(link.p);
        parent.outer += shifted(P, p);
        // rotation changes neither the length of p nor its product with h
        parent.outer_inertia_z = parent.outer_inertia_z + inertia_z + T(2.0) * (p[0] * P.h[0] + p[1] * P.h[1]) +
                                 P.m * (link.p[0] * link.p[0] + link.p[1] * link.p[1]);
      } else if (link.kind == JointKind::revolute || link.kind == JointKind::prismatic) {
        parent.inner += shifted(P.turned(transpose(link.B)), origin(i));
      } else {
        const Transform<T> X = free_pose(i);
        parent.inner += shifted(P.turned(transpose(X.R)), X.p);
      }
    }
  }

 private:
  using Link = typename CanonicalTree<T>::Link;
  struct State {
    Turn<T> turn;
    T angle = T(0.0);
    int quarters = 0;
    bool carries = false, bears = false;  // a child in its carrier's axes, in its own
    SecondMoments<T> inner, outer;        // of everything that it carries, in its axes and in its carrier's
    T outer_inertia_z = T(0.0);
  };

  const Body<T>& body(std::size_t i) const { return model_.bodies[at(tree_.links[i].body)]; }

  Vec3<T> origin(std::size_t i) const { return origin_of<T>(tree_.links[i], body(i), q_); }
  Transform<T> free_pose(std::size_t i) const { return lw::free_pose<T>(tree_.links[i], body(i), q_); }

  // About a point from which their own is seen at p.
  static SecondMoments<T> shifted(const SecondMoments<T>& P, const Vec3<T>& p) {
    const Mat3<T> side = outer(P.h, p);
    return {P.m, P.h + p * P.m, P.E + (side + transpose(side)) + outer(p, p * P.m)};
  }

  // Wrench of a composite body for a unit acceleration k of its joint, in the carrier's axes (of a free joint: its
  // own).
  static Force<T> wrench(JointKind kind, const SecondMoments<T>& P, const T& inertia_z, int k) {
    const T none(0.0);
    if (kind == JointKind::revolute) {
      return {{-P.E(0, 2), -P.E(1, 2), inertia_z}, {-P.h[1], P.h[0], none}};
    }
    if (kind == JointKind::prismatic) return {{P.h[1], -P.h[0], none}, {none, none, P.m}};
    const Vec3<T> e = Vec3<T>::unit(k % 3);
    if (k < 3) return {P.rigid().I.col(k), cross(e, P.h)};
    return {cross(P.h, e), e * P.m};
  }

  void columns(std::size_t i, const SecondMoments<T>& P, const T& inertia_z, Out<T> M) {
    const Body<T>& b = body(i);
    for (int k = 0; k < b.velocities(); ++k) {
      Force<T> f = wrench(tree_.links[i].kind, P, inertia_z, k);
      std::size_t j = i;
      while (true) {
        // f is in j's carrier's axes at j's origin (of a free joint, in its own)
        const Link& link = tree_.links[j];
        const Body<T>& above = body(j);
        for (int l = 0; l < (j == i ? k + 1 : above.velocities()); ++l) {
          T value = link.kind == JointKind::revolute    ? f.ang[2]
                    : link.kind == JointKind::prismatic ? f.lin[2]
                    : l < 3                             ? f.ang[l]
                                                        : f.lin[l - 3];
          if (j == i && k == l) value += b.armature;
          put(M, b, b.v + k, above, above.v + l, value, j == i && k == l);
        }
        if (link.parent < 0) break;
        if (method_.merged[j]) {
          const Vec3<T> p = bodies_[at(link.parent)].turn.out(link.p);
          f.ang += cross(p, f.lin);
        } else {
          f = (link.kind == JointKind::spherical || link.kind == JointKind::floating ? free_pose(j)
                                                                                     : Transform<T>{link.B, origin(j)})
                  .to_parent(f);
          const State& parent = bodies_[at(link.parent)];
          if (tree_.links[at(link.parent)].kind == JointKind::revolute)
            f = {parent.turn.out(f.ang), parent.turn.out(f.lin)};
        }
        j = at(link.parent);
      }
    }
  }

  void put(Out<T> M, const Body<T>& row_body, int row, const Body<T>& column_body, int column, const T& value,
           bool diagonal) const {
    const auto n = at(model_.nv), r = at(row), c = at(column);
    if (!model_.has_mimics) {
      M[r * n + c] = M[c * n + r] = value;
      return;
    }
    const T geared = value * row_body.ratio * column_body.ratio;
    M[r * n + c] += geared;
    if (!diagonal) M[c * n + r] += geared;
  }

  const Model<T>& model_;
  const CanonicalTree<T>& tree_;
  const TensorMethod& method_;
  In<T> q_;
  std::vector<State> bodies_;
};

}  // namespace

template <class T>
void composite_mass_matrix(const Model<T>& model, const CanonicalTree<T>& tree, const TensorMethod& method, In<T> q,
                           Out<T> M) {
  Composite<T>(model, tree, method, q).run(M);
  add_rotor_ties<T>(model, M);
}

#define LW_INSTANTIATE(T) \
  template void composite_mass_matrix<T>(const Model<T>&, const CanonicalTree<T>&, const TensorMethod&, In<T>, Out<T>);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
