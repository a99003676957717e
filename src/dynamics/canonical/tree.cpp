#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "../../base/index.hpp"
#include "../formulations/linkage.hpp"
#include "../parameters/regrouping.hpp"
#include "../tree/elements.hpp"
#include "../tree/extent.hpp"

namespace lw {

template <class T>
SecondMoments<T> SecondMoments<T>::of(const RigidInertia<T>& inertia) {
  // E = ½ tr(I) 1 − I
  SecondMoments P{inertia.mass, inertia.h, inertia.I * T(-1.0)};
  const T xx = inertia.I(0, 0), yy = inertia.I(1, 1), zz = inertia.I(2, 2), half(0.5);
  P.E(0, 0) = half * (yy + zz - xx);
  P.E(1, 1) = half * (xx + zz - yy);
  P.E(2, 2) = half * (xx + yy - zz);
  return P;
}

template <class T>
RigidInertia<T> SecondMoments<T>::rigid() const {
  RigidInertia<T> inertia{m, h, E * T(-1.0)};
  inertia.I(0, 0) = E(1, 1) + E(2, 2);
  inertia.I(1, 1) = E(0, 0) + E(2, 2);
  inertia.I(2, 2) = E(0, 0) + E(1, 1);
  return inertia;
}

template <class T>
void CanonicalTree<T>::Link::set_mean_and_spread() {
  mean = T(0.5) * (inertia.E(0, 0) + inertia.E(1, 1));
  spread = T(0.5) * (inertia.E(0, 0) - inertia.E(1, 1));
}

template <class T>
SecondMoments<T> SecondMoments<T>::turned(const Mat3<T>& R) const {
  const Mat3<T> Rt = transpose(R);
  return {m, Rt * h, Rt * (E * R)};
}

template <class T>
SecondMoments<T> SecondMoments<T>::seen_from(const Vec3<T>& r) const {
  return {m, h - r * m, E - outer(h, r) - outer(r, h) + outer(r, r * m)};
}

template <class T>
SecondMoments<T>& SecondMoments<T>::operator+=(const SecondMoments& o) {
  return *this = {m + o.m, h + o.h, E + o.E};
}
template <class T>
SecondMoments<T>& SecondMoments<T>::operator-=(const SecondMoments& o) {
  return *this = {m - o.m, h - o.h, E - o.E};
}

namespace {

using Direction = Vec3<double>;

Direction unit(const Direction& v) { return v / norm(v); }
// Across both; where they are nearly parallel, across the first to the last bits.
Direction common_normal(const Direction& a, const Direction& b) {
  const Direction n = unit(cross(a, b));
  return unit(n - a * dot(a, n));
}

template <class T>
Vec3<T> lifted(const Direction& v) {
  return {T(v[0]), T(v[1]), T(v[2])};
}
template <class T>
Mat3<T> lifted(const Mat3<double>& m) {
  return {lifted<T>(m.col(0)), lifted<T>(m.col(1)), lifted<T>(m.col(2))};
}

// The number that it is, where it is one.
template <class T>
std::optional<double> number(const T& x) {
  const double v = typical_values(std::vector<T>{x})[0];
  return is_exactly(x, v) ? std::optional(v) : std::nullopt;
}
template <class T>
std::optional<Mat3<double>> numbers(const Mat3<T>& m) {
  Mat3<double> out;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      const std::optional<double> v = number(m(r, c));
      if (!v) return std::nullopt;
      out(r, c) = *v;
    }
  }
  return out;
}

template <class T>
class Canonical {
 public:
  Canonical(const Model<T>& model, const std::vector<bool>& near_parent) : model_(model), near_parent_(near_parent) {
    for (const Body<T>& b : model.bodies) {
      const std::size_t i = at_rest_.size();
      const auto R = numbers(b.X_PJ.R);
      const auto axis = numbers(Mat3<T>{b.axis, {}, {}});
      if (!R || !axis) {
        symbolic_ = true;
        return;
      }
      const AtRest above = b.parent < 0 ? AtRest{} : at_rest_[at(b.parent)];
      AtRest here;
      here.R = above.R * *R;
      if (b.parent >= 0) here.P = above.P + lifted<T>(above.R) * b.X_PJ.p;
      here.z = here.R * axis->col(0);
      here.line = b.kind == JointKind::revolute || b.kind == JointKind::prismatic;
      if (b.parent >= 0 && at_rest_[at(b.parent)].child < 0 && here.line && above.line) {
        at_rest_[at(b.parent)].child = static_cast<int>(i);
      }
      at_rest_.push_back(here);
    }
    size_ = extent(model);
  }

  CanonicalTree<T> result() {
    CanonicalTree<T> tree;
    tree.gravity = model_.gravity;
    if (symbolic_) return as_they_are();
    for (std::size_t i = at_rest_.size(); i-- > 0;) place(i);
    for (std::size_t i = 0; i < at_rest_.size(); ++i) tree.links.push_back(link(i));
    for (int k = 0; k < 3; ++k) tree.gravity[k] = cleaned(model_.gravity[k], kRounding * typical_size(model_.gravity));
    return tree;
  }

 private:
  // Of a body at q = 0, in axes parallel to the world's at the first joint of its chain: digits of small links far away
  // from the world's origin are kept.
  struct AtRest {
    Mat3<double> R = Mat3<double>::identity();
    Vec3<T> P;
    Direction z{0, 0, 1};
    bool line = false;  // one axis
    int child = -1;     // that the frame is made for
    std::optional<Direction> x;
    Mat3<double> axes = Mat3<double>::identity();  // the canonical frame
    Vec3<T> O;
  };

  static T cleaned(const T& x, double tolerance) {
    const std::optional<double> v = number(x);
    return v && std::abs(*v) <= tolerance ? T(0.0) : x;
  }
  T cleaned_length(const T& x) const { return cleaned(x, kRounding * size_); }

  // From the leaves to the base: where the frame stands on its axis, and its x axis where a child decides it.
  void place(std::size_t i) {
    AtRest& own = at_rest_[i];
    own.O = own.P;
    if (!own.line) {
      own.axes = own.R;
      return;
    }
    if (own.child < 0) {
      // on the common normal to the parent's axis
      const int parent = model_.bodies[i].parent;
      if (parent >= 0 && at_rest_[at(parent)].line) own.O = foot(own, at_rest_[at(parent)]);
      return;
    }
    const AtRest& child = at_rest_[at(own.child)];
    const int parent = model_.bodies[i].parent;
    const bool near = i < near_parent_.size() && near_parent_[i] && parent >= 0 && at_rest_[at(parent)].line;
    if (norm(cross(own.z, child.z)) > kRounding) {
      own.O = foot(own, near ? at_rest_[at(parent)] : child);
      own.x = common_normal(own.z, child.z);
      return;
    }
    const Vec3<T> way = child.O - own.P, z = lifted<T>(own.z);
    own.O = near ? foot(own, at_rest_[at(parent)]) : own.P + z * dot(z, way);
    const Vec3<T> across = way - z * dot(z, way);
    // along the one coordinate axis of the body that it follows, or as its numbers say
    const Mat3<double> Rt = transpose(own.R);
    Vec3<T> inside = lifted<T>(Rt) * across;
    Direction numeric;
    int left = 0, last = 0;
    bool constant = true;
    for (int k = 0; k < 3; ++k) {
      inside[k] = cleaned_length(inside[k]);
      if (is_zero(inside[k])) continue;
      ++left;
      last = k;
      const std::optional<double> v = number(inside[k]);
      constant = constant && v;
      if (v) numeric[k] = *v;
    }
    if (left == 1) own.x = own.R.col(last);
    if (left > 1 && constant) own.x = own.R * unit(numeric);
  }

  // Of the common normal, on the first axis. Where they are parallel, or nearly so that it is far, next to the second's
  // point.
  Vec3<T> foot(const AtRest& first, const AtRest& second) const {
    const Direction n = cross(first.z, second.z);
    const double square = dot(n, n);
    const Vec3<T> z = lifted<T>(first.z), beside = first.P + z * dot(z, second.P - first.P);
    if (square < kRounding * kRounding) return beside;
    const T t = dot(second.P - first.P, lifted<T>(cross(second.z, n))) / T(square);
    const std::optional<double> way = number(t);
    const bool near = way ? std::abs(*way) <= kFar * typical_size(second.P - first.P) : square >= 1.0 / (kFar * kFar);
    return near ? first.P + z * t : beside;
  }
  static constexpr double kFar = 10.0;  // of the way from joint to joint; its square is lost in moments

  // Multiples of 90° exactly, where rounding made them.
  struct Turn {
    double c, s, angle;
    int quarters = 0;
    bool exact = false;
  };
  Turn turn(double c, double s) const {
    const double angle = std::atan2(s, c), right = 0.5 * std::numbers::pi, nearest = std::round(angle / right);
    if (std::abs(angle - nearest * right) > kRounding) return {std::cos(angle), std::sin(angle), angle, 0, false};
    const int quarters = (static_cast<int>(nearest) + 4) % 4;
    constexpr double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    return {cosines[quarters], sines[quarters], nearest * right, quarters, true};
  }
  static Mat3<double> about_z(const Turn& t) { return {{t.c, t.s, 0}, {-t.s, t.c, 0}, {0, 0, 1}}; }
  static Mat3<double> about_x(const Turn& t) { return {{1, 0, 0}, {0, t.c, t.s}, {0, -t.s, t.c}}; }

  // Parents are done: the frame in its parent, and what is measured in it.
  typename CanonicalTree<T>::Link link(std::size_t i) {
    const Body<T>& b = model_.bodies[i];
    AtRest& own = at_rest_[i];
    const AtRest base;
    const AtRest& parent = b.parent < 0 ? base : at_rest_[at(b.parent)];
    typename CanonicalTree<T>::Link out;
    out.parent = b.parent;
    out.body = static_cast<int>(i);
    out.kind = b.kind;
    const Vec3<T> way = b.parent < 0 ? own.O + b.X_PJ.p : own.O - parent.O;
    Vec3<T> p = transpose(lifted<T>(parent.axes)) * way;
    if (!own.line) {
      out.B = lifted<T>(rounded(transpose(parent.axes) * own.axes));
    } else {
      const Direction x = parent.axes.col(0), y = parent.axes.col(1), z = parent.axes.col(2);
      const Direction normal = norm(cross(z, own.z)) <= kRounding ? x : common_normal(z, own.z);
      const Turn beta = turn(dot(normal, x), dot(normal, y));
      const Turn alpha = turn(dot(own.z, z), -dot(own.z, cross(z, normal)));
      const Direction carrier_y = cross(own.z, normal);
      const Turn gamma = own.x ? turn(dot(*own.x, normal), dot(*own.x, carrier_y)) : turn(1.0, 0.0);
      Mat3<double> B = about_z(beta) * about_x(alpha);
      if (b.kind == JointKind::prismatic) {
        B = B * about_z(gamma);
        out.offset = cleaned_length(dot(lifted<T>(own.z), way));
        p -= lifted<T>(B.col(2)) * out.offset;
      } else if (gamma.exact) {
        out.quarters = gamma.quarters;
      } else {
        out.offset = T(gamma.angle);
      }
      out.B = lifted<T>(B);
      out.parallel = b.kind == JointKind::revolute && b.parent >= 0 &&
                     model_.bodies[at(b.parent)].kind == JointKind::revolute && beta.exact && beta.quarters == 0 &&
                     alpha.exact && alpha.quarters == 0;
      const Direction own_x = normal * gamma.c + carrier_y * gamma.s;
      own.axes = {own_x, cross(own.z, own_x), own.z};
    }
    for (int k = 0; k < 3; ++k) out.p[k] = cleaned_length(p[k]);
    const Vec3<T> moved = lifted<T>(transpose(own.R)) * (own.O - own.P);
    Vec3<T> shift;
    for (int k = 0; k < 3; ++k) shift[k] = cleaned_length(moved[k]);
    out.axes = lifted<T>(rounded(transpose(own.R) * own.axes));
    if (own.line) out.along = cleaned_length(dot(b.axis, shift));
    out.inertia = SecondMoments<T>::of(b.inertia).seen_from(shift).turned(out.axes);
    clean(out.inertia);
    out.set_mean_and_spread();
    return out;
  }

  Mat3<double> rounded(Mat3<double> R) const {
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        double& x = R(r, c);
        for (const double exact : {0.0, 1.0, -1.0}) {
          if (std::abs(x - exact) <= kRounding) x = exact;
        }
      }
    }
    return R;
  }

  // What rounding leaves of zeros.
  static void clean(SecondMoments<T>& P) {
    double largest = 0.0, moment = 0.0;
    for (int r = 0; r < 3; ++r) {
      moment = std::max(moment, std::abs(typical_values(std::vector<T>{P.h[r]})[0]));
      for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(typical_values(std::vector<T>{P.E(r, c)})[0]));
    }
    for (int r = 0; r < 3; ++r) {
      P.h[r] = cleaned(P.h[r], 1e-13 * moment);
      for (int c = 0; c < 3; ++c) P.E(r, c) = cleaned(P.E(r, c), 1e-13 * largest);
    }
  }

  CanonicalTree<T> as_they_are() const;

  const Model<T>& model_;
  const std::vector<bool>& near_parent_;
  std::vector<AtRest> at_rest_;
  bool symbolic_ = false;
  double size_ = 0.0;
};

// Where a direction is a symbol: the frames of the linkage, z along the axis.
template <class T>
CanonicalTree<T> Canonical<T>::as_they_are() const {
  CanonicalTree<T> tree;
  tree.gravity = model_.gravity;
  std::vector<Mat3<T>> axes;
  for (const Body<T>& b : model_.bodies) {
    typename CanonicalTree<T>::Link link;
    link.parent = b.parent;
    link.body = static_cast<int>(axes.size());
    link.kind = b.kind;
    const bool line = b.kind == JointKind::revolute || b.kind == JointKind::prismatic;
    axes.push_back(line ? frame_with_z(b.axis) : Mat3<T>::identity());
    link.B = b.X_PJ.R * axes.back();
    link.p = b.X_PJ.p;
    if (b.parent >= 0) {
      const Mat3<T> to = transpose(axes[at(b.parent)]);
      link.B = to * link.B;
      link.p = to * link.p;
    }
    link.axes = axes.back();
    link.inertia = SecondMoments<T>::of(b.inertia).turned(link.axes);
    link.set_mean_and_spread();
    tree.links.push_back(link);
  }
  return tree;
}

}  // namespace

template <class T>
CanonicalTree<T> canonical_tree(const Model<T>& model, const std::vector<bool>& near_parent) {
  return Canonical<T>(model, near_parent).result();
}

template <class T>
bool has_gauge(const CanonicalTree<T>& tree, std::size_t link, Gauge gauge) {
  const auto& own = tree.links[link];
  if (gauge == Gauge::child) return true;
  if (own.kind != JointKind::revolute || own.parent < 0) return false;
  double size = 0.0;
  for (const auto& other : tree.links) {
    if (other.parent >= 0) size = std::max(size, typical_size(other.p));
  }
  const std::optional<double> distance = number(own.p[gauge == Gauge::parent_hx ? 0 : 1]);
  return distance && std::abs(*distance) >= 0.01 * size && *distance != 0.0;
}

template <class T>
void regauge(CanonicalTree<T>& tree, const Model<T>& model, const Gauges& gauges, const std::vector<bool>& felt) {
  const detail::Regrouping<T> rules = detail::regrouping(model, kRounding, felt);
  const auto is_felt = [&](const typename CanonicalTree<T>::Link& link) {
    return !felt.empty() && felt[static_cast<std::size_t>(link.body)];
  };
  using Passes = detail::Passes<T>;
  const std::size_t count = tree.links.size();
  for (std::size_t i = count; i-- > 0;) {
    auto& link = tree.links[i];
    SecondMoments<T>& P = link.inertia;
    for (std::size_t c = i + 1; c < count; ++c) {
      auto& child = tree.links[c];
      if (child.parent != static_cast<int>(i) || is_felt(child)) continue;
      if (gauges[c] == Gauge::child || !has_gauge(tree, c, gauges[c])) continue;
      const int k = gauges[c] == Gauge::parent_hx ? 0 : 1;
      if (is_zero(P.h[k])) continue;
      const T moved = P.h[k] / child.p[k];
      child.inertia.m += moved;
      P -= SecondMoments<T>{moved, child.p * moved, outer(child.p, child.p * moved)};
      P.h[k] = T(0.0);
    }
    if (link.kind != JointKind::revolute || is_felt(link)) continue;
    if (rules.passes[i].tensor == Passes::Tensor::not_axial) {
      // I_zz alone acts; so it may be a rod along x
      const T zz = P.E(0, 0) + P.E(1, 1);
      P.E = Mat3<T>::zero();
      P.E(0, 0) = zz;
      if (rules.passes[i].moment == Passes::Moment::all) P.h[0] = P.h[1] = T(0.0);
    }
    SecondMoments<T> gone{P.m, {T(0.0), T(0.0), P.h[2]}, {}};
    gone.E(2, 2) = P.E(2, 2);
    P.m = P.h[2] = P.E(2, 2) = T(0.0);
    if (link.parent < 0) continue;
    SecondMoments<T> above = gone.turned(transpose(link.B)).seen_from(-link.p);
    // a slide does not turn: it passes all of E on
    auto* holder = &tree.links[static_cast<std::size_t>(link.parent)];
    while (holder->kind == JointKind::prismatic && !is_felt(*holder)) {
      holder->inertia.m += above.m;
      holder->inertia.h += above.h;
      above = SecondMoments<T>{T(0.0), {}, above.E}.turned(transpose(holder->B));
      if (holder->parent < 0) break;
      holder = &tree.links[static_cast<std::size_t>(holder->parent)];
    }
    if (holder->kind != JointKind::prismatic || is_felt(*holder)) holder->inertia += above;
  }
  for (auto& link : tree.links) link.set_mean_and_spread();
}

template <class T>
Model<T> canonical_model(const CanonicalTree<T>& tree, const Model<T>& model) {
  Model<T> out = without_elements(model);
  out.gravity = tree.gravity;
  for (JointLoss<T>& loss : out.losses) {
    const Mat3<T> to_link = transpose(tree.links[static_cast<std::size_t>(loss.body)].axes);
    for (BearingLoss<T>& bearing : loss.bearings) bearing.across = to_link * bearing.across;
  }
  for (const auto& link : tree.links) {
    Body<T>& b = out.bodies[static_cast<std::size_t>(link.body)];
    b.inertia = link.inertia.rigid();
    b.X_PJ = {link.B, link.p};
    if (b.kind != JointKind::revolute && b.kind != JointKind::prismatic) continue;
    b.axis = Vec3<T>::unit(2);
    b.slide = link.B.col(2);
    if (b.kind == JointKind::prismatic) {
      b.X_PJ.p += link.B.col(2) * link.offset;
      continue;
    }
    using std::cos, std::sin;
    T c(1.0), s(0.0);
    if (!is_zero(link.offset)) c = cos(link.offset), s = sin(link.offset);
    for (int k = 0; k < ((link.quarters % 4) + 4) % 4; ++k) {
      const T turned = -s;
      s = c;
      c = turned;
    }
    const Vec3<T> x = link.B.col(0), y = link.B.col(1), z = link.B.col(2), none;
    b.X_PJ.R = {x * c + y * s, y * c - x * s, z};
    b.R0 = {none, none, z};
    b.Rc = {b.X_PJ.R.col(0), b.X_PJ.R.col(1), none};
    b.Rs = {b.X_PJ.R.col(1), -b.X_PJ.R.col(0), none};
  }
  return out;
}

#define LW_INSTANTIATE(T)                                                                 \
  template struct SecondMoments<T>;                                                       \
  template struct CanonicalTree<T>;                                                       \
  template Model<T> canonical_model<T>(const CanonicalTree<T>&, const Model<T>&);         \
  template CanonicalTree<T> canonical_tree<T>(const Model<T>&, const std::vector<bool>&); \
  template bool has_gauge<T>(const CanonicalTree<T>&, std::size_t, Gauge);                \
  template void regauge<T>(CanonicalTree<T>&, const Model<T>&, const Gauges&, const std::vector<bool>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
