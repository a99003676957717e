#include "regrouping.hpp"

#include <cmath>
#include <tuple>
#include <utility>

#include "reach.hpp"

namespace lw::detail {

template <class T>
int Direction<T>::largest() const {
  int k = 2;
  for (const int j : {1, 0}) {
    if (std::abs(typical[j]) > std::abs(typical[k]) + 1e-6) k = j;
  }
  return k;
}

template <class T>
RigidInertia<T> Passes<T>::take(RigidInertia<T>& inertia) const {
  RigidInertia<T> gone;
  if (mass) std::swap(gone.mass, inertia.mass);
  if (moment == Moment::all) {
    std::swap(gone.h, inertia.h);
  } else if (moment == Moment::along) {
    const int k = line.largest();
    gone.h = line.a * (inertia.h[k] / line.a[k]);
    inertia.h -= gone.h;
    inertia.h[k] = T(0.0);
  }
  const Vec3<T>& a = axis.a;
  if (about_point) {
    const Vec3<T> across = (gone.h - a * dot(a, gone.h)) * s;
    gone.I -= outer(across, a) + outer(a, across);
    inertia.I -= gone.I;
  }
  Mat3<T> left;
  switch (tensor) {
    case Tensor::none: return gone;
    case Tensor::ring: {
      const int k = ring_pivot();
      left = inertia.I - (Mat3<T>::identity() - outer(a, a)) * (inertia.I(k, k) / (T(1.0) - a[k] * a[k]));
      left(k, k) = T(0.0);
      break;
    }
    case Tensor::not_axial: {
      const int k = axis.largest();
      left(k, k) = dot(a, inertia.I * a) / (a[k] * a[k]);
      break;
    }
    case Tensor::all: break;
  }
  gone.I += inertia.I - left;
  inertia.I = left;
  return gone;
}

template <class T>
bool Passes<T>::stays(int k) const {
  if (k == 0) return !mass;
  if (k < 4) return moment == Moment::none || (moment == Moment::along && k - 1 != line.largest());
  const int diagonal = k == 4 ? 0 : k == 7 ? 1 : k == 9 ? 2 : -1;
  switch (tensor) {
    case Tensor::none: return true;
    case Tensor::ring: return diagonal != ring_pivot();
    case Tensor::not_axial: return diagonal == axis.largest();
    case Tensor::all: break;
  }
  return false;
}

namespace {

template <class T>
class Rules {
 public:
  using Moment = typename Passes<T>::Moment;
  using Tensor = typename Passes<T>::Tensor;

  Rules(const Model<T>& model, double nearly_zero, const std::vector<bool>& felt)
      : model_(model), felt_(felt), zero_(model), shape_(zero_, nearly_zero) {}

  Passes<T> of_joint(int joint) const {
    if (is_felt(joint)) return Passes<T>::nothing();
    const bool moves_alike_only = is_felt_above(joint);
    const Line<double>& line = shape_.line[static_cast<std::size_t>(joint)];
    const Reach above(model_, shape_, joint);
    const bool weightless = shape_.vanishes(shape_.gravity);
    Passes<T> p;
    switch (body(joint).kind) {
      case JointKind::revolute:
        p.moment = Moment::along;
        p.tensor = Tensor::ring;
        p.line = p.axis = axis_in(joint, joint);
        if (moves_alike_only) break;
        if (above.turns_only_about_axis()) {
          p.tensor = Tensor::not_axial;
          if (above.axis_stays_on_itself() && shape_.parallel(shape_.gravity, line.axis)) p.moment = Moment::all;
        } else if (const std::optional<int> other = above.turns_across(); other && weightless) {
          const double s = way(shape_.line, joint, *other);
          if (above.stays(line.point + line.axis * s)) {
            p.moment = Moment::all;
            p.about_point = !shape_.vanishes(s);
            if (p.about_point) p.s = way(zero_.line, joint, *other);
          }
        }
        break;
      case JointKind::prismatic:
        p.mass = false;
        if (moves_alike_only) {
          p.moment = Moment::none;
          break;
        }
        if (above.turns_only_about_axis()) break;
        if (const std::optional<int> other = above.only_direction()) {
          p.moment = Moment::along;
          p.line = axis_in(joint, *other);
        } else {
          p.moment = Moment::none;
        }
        break;
      case JointKind::spherical:
        p.tensor = Tensor::none;
        if (moves_alike_only || !weightless || !above.stays(line.point)) p.moment = Moment::none;
        break;
      case JointKind::floating:
        p.mass = false;
        p.moment = Moment::none;
        p.tensor = Tensor::none;
        break;
    }
    return p;
  }

  // The inertia passed on by both of two joints at the same point.
  Passes<T> both(const Passes<T>& a, const Passes<T>& b) const {
    const auto same = [&](const Direction<T>& x, const Direction<T>& y) {
      return shape_.parallel(x.typical, y.typical);
    };
    Passes<T> p;
    p.mass = a.mass && b.mass;
    {
      const auto& [less, more] = a.tensor < b.tensor ? std::tie(a, b) : std::tie(b, a);
      p.tensor = less.tensor;
      p.axis = less.axis;
      if (more.tensor != Tensor::all && !same(less.axis, more.axis)) p.tensor = Tensor::none;
    }
    const auto& [less, more] = a.moment < b.moment ? std::tie(a, b) : std::tie(b, a);
    p.moment = less.moment;
    p.line = less.line;
    if (p.moment == Moment::along) {
      const bool fits =
          more.moment == Moment::along ? same(less.line, more.line) : !more.about_point || same(less.line, more.axis);
      if (!fits) p.moment = Moment::none;
    }
    return p;
  }

  bool rotor_in_body(int joint) const {
    if (is_felt(joint) || is_felt_above(joint)) return false;
    const Reach above(model_, shape_, joint);
    if (body(joint).kind == JointKind::revolute) return above.never_turns_about_axis();
    return above.turns_only_about_axis() && above.never_moves_along_axis() &&
           shape_.vanishes(dot(shape_.gravity, shape_.line[static_cast<std::size_t>(joint)].axis));
  }

 private:
  const Body<T>& body(int k) const { return model_.bodies[static_cast<std::size_t>(k)]; }
  bool is_felt(int joint) const { return !felt_.empty() && felt_[static_cast<std::size_t>(joint)]; }
  bool is_felt_above(int joint) const {
    const int parent = body(joint).parent;
    return parent >= 0 && (is_felt(parent) || is_felt_above(parent));
  }

  Direction<T> axis_in(int joint, int other) const {
    Vec3<T> a = body(joint).axis;
    if (other != joint) {
      a = transpose(zero_.pose[static_cast<std::size_t>(joint)].R) * zero_.line[static_cast<std::size_t>(other)].axis;
    }
    const std::vector<double> t = typical_values(std::vector<T>{a[0], a[1], a[2]});
    return {a, {t[0], t[1], t[2]}};
  }

  // From the origin along the joint's axis to where the other's axis meets it, or to the foot of the other's centre.
  template <class U>
  U way(const std::vector<Line<U>>& lines, int joint, int other) const {
    const Line<U>&own = lines[static_cast<std::size_t>(joint)], &l = lines[static_cast<std::size_t>(other)];
    return body(other).kind == JointKind::spherical ? dot(l.point - own.point, own.axis) : way_to(own, l);
  }

  const Model<T>& model_;
  const std::vector<bool>& felt_;
  ZeroPose<T> zero_;
  Shape shape_;
};

}  // namespace

template <class T>
Regrouping<T> regrouping(const Model<T>& model, double nearly_zero, const std::vector<bool>& felt) {
  const Rules<T> rules(model, nearly_zero, felt);
  Regrouping<T> result{parameter_table(model), {}, {}, {}};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int joint = static_cast<int>(i);
    const bool has_parameters = result.table.first[i] >= 0;
    Passes<T> passes;
    int above = model.bodies[i].parent;
    if (has_parameters) passes = rules.of_joint(joint);
    // the rest of a composite joint
    while (has_parameters && above >= 0 && result.table.first[static_cast<std::size_t>(above)] < 0) {
      passes = rules.both(passes, rules.of_joint(above));
      above = model.bodies[static_cast<std::size_t>(above)].parent;
    }
    result.passes.push_back(passes);
    result.holder.push_back(above);
    result.rotor_in_body.push_back(result.table.rotor[i] >= 0 && !model.bodies[i].mimics && rules.rotor_in_body(joint));
  }
  return result;
}

#define LW_INSTANTIATE(T)    \
  template struct Passes<T>; \
  template Regrouping<T> regrouping<T>(const Model<T>&, double, const std::vector<bool>&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw::detail
