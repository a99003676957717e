#include "base_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <Eigen/QR>

#include "../base/random.hpp"
#include "../graph/interpreter.hpp"
#include "../model/random_state.hpp"

namespace lw {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

// ---- numbers that stand for scalars where a rule asks whether something vanishes

// Of symbols: at a random point, where nothing vanishes but what vanishes everywhere.
std::vector<double> typical_values(const std::vector<Expr>& x) {
  const Graph* graph = nullptr;
  std::vector<double> values(x.size());
  std::vector<std::size_t> symbolic;
  std::vector<NodeId> nodes;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (x[k].is_constant()) {
      values[k] = x[k].constant();
    } else {
      graph = x[k].graph();
      symbolic.push_back(k);
      nodes.push_back(x[k].id());
    }
  }
  if (graph == nullptr) return values;
  const std::shared_ptr<const Graph> borrowed(std::shared_ptr<const Graph>(), graph);
  const Function geometry("geometry", {{"symbols", graph->inputs().size()}}, {{"values", nodes.size()}}, borrowed, nodes);
  std::vector<double> point(geometry.input_size()), found(nodes.size());
  Random random(1);
  for (int attempt = 0; attempt < 100; ++attempt) {
    const double size = attempt % 2 == 0 ? 1.0 : 10.0;
    for (double& p : point) p = random.between(0.1, 0.9) * size;
    evaluate<double>(geometry, point, found);
    if (!std::all_of(found.begin(), found.end(), [](double v) { return std::isfinite(v); })) continue;
    for (std::size_t k = 0; k < found.size(); ++k) values[symbolic[k]] = found[k];
    return values;
  }
  throw Error(ErrorCode::data, "base parameters: the geometry is not finite at any of 100 random values of its symbols");
}

// Of what carries a derivative: a little along it, so that only what vanishes with its derivative vanishes.
double moved(double x) { return x; }
double moved(const Dual& x) { return x.v + 1e-3 * x.d; }
double moved(const ComplexStep& x) { return x.re + 1e-3 * derivative_of(x); }
double moved(const Count& x) { return x.v; }
template <class T>
std::vector<double> typical_values(const std::vector<T>& x) {
  std::vector<double> values;
  for (const T& v : x) values.push_back(moved(v));
  return values;
}

// A zero that stays one, whatever it is multiplied by.
bool is_zero(double x) { return x == 0.0; }
bool is_zero(const Expr& x) { return x.is_constant(0.0); }
bool is_zero(const Dual& x) { return x.v == 0.0 && x.d == 0.0; }
bool is_zero(const ComplexStep& x) { return x.re == 0.0 && x.im == 0.0; }
bool is_zero(const Count& x) { return x.v == 0.0; }

// ---- the mechanism at q = 0, in the world

template <class T>
struct Line {
  Vec3<T> axis, point;
};

template <class T>
struct Geometry {
  explicit Geometry(const Model<T>& model) : gravity(model.gravity) {
    for (const Body<T>& b : model.bodies) {
      pose.push_back(b.parent < 0 ? b.X_PJ : pose[at(b.parent)] * b.X_PJ);
      line.push_back({pose.back().R * b.axis, pose.back().p});
    }
  }
  Vec3<T> gravity;
  std::vector<Transform<T>> pose;
  std::vector<Line<T>> line;
};

struct Shape {  // the same as typical numbers
  template <class T>
  explicit Shape(const Geometry<T>& g) {
    std::vector<T> all;
    const auto put = [&](const Vec3<T>& v) {
      for (int k = 0; k < 3; ++k) all.push_back(v[k]);
    };
    put(g.gravity);
    for (const Line<T>& l : g.line) put(l.axis), put(l.point);
    const std::vector<double> values = typical_values(all);
    const auto take = [&](std::size_t k) { return Vec3<double>(values[3 * k], values[3 * k + 1], values[3 * k + 2]); };
    gravity = take(0);
    for (std::size_t k = 0; k < g.line.size(); ++k) line.push_back({take(2 * k + 1), take(2 * k + 2)});
  }
  Vec3<double> gravity;
  std::vector<Line<double>> line;
};

bool vanishes(double x) { return std::abs(x) < 1e-9; }
bool vanishes(const Vec3<double>& v) { return vanishes(v[0]) && vanishes(v[1]) && vanishes(v[2]); }
bool parallel(const Vec3<double>& a, const Vec3<double>& b) { return vanishes(cross(a, b)); }

// Where line a meets line b, as the way along a from its point.
template <class T>
T way_to(const Line<T>& a, const Line<T>& b) {
  const Vec3<T> n = cross(a.axis, b.axis);
  return dot(cross(b.point - a.point, b.axis), n) / dot(n, n);
}

// ---- what the joints above a joint can do

class Above {
 public:
  template <class T>
  Above(const Model<T>& model, const Shape& shape, int joint) : shape_(shape), own_(shape.line[at(joint)]) {
    for (int j = model.bodies[at(joint)].parent; j >= 0; j = model.bodies[at(j)].parent) {
      above_.push_back({j, model.bodies[at(j)].kind});
    }
  }

  bool nothing_turns() const { return none([](JointKind kind, const Line<double>&) { return kind != JointKind::prismatic; }); }
  bool turns_only_about_axis() const {
    return none([&](JointKind kind, const Line<double>& l) {
      return is_ball(kind) || (kind == JointKind::revolute && !parallel(l.axis, own_.axis));
    });
  }
  // a revolute joint to whose axis all turns are parallel
  std::optional<int> only_direction() const {
    std::optional<int> found;
    for (const auto& [j, kind] : above_) {
      if (is_ball(kind)) return {};
      if (kind != JointKind::revolute) continue;
      if (found && !parallel(shape_.line[at(*found)].axis, shape_.line[at(j)].axis)) return {};
      found = j;
    }
    return found;
  }
  bool never_turns_about_axis() const {
    if (nothing_turns()) return true;
    const std::optional<int> j = only_direction();
    return j && vanishes(dot(shape_.line[at(*j)].axis, own_.axis));
  }
  // where it turns only about the axis: the points of the axis stay on it
  bool axis_stays_on_itself() const {
    return none([&](JointKind kind, const Line<double>& l) {
      return kind == JointKind::prismatic ? !parallel(l.axis, own_.axis) : !parallel(l.point - own_.point, own_.axis);
    });
  }
  // where it turns only about the axis
  bool never_moves_along_axis() const {
    return none([&](JointKind kind, const Line<double>& l) {
      return kind == JointKind::prismatic && !vanishes(dot(l.axis, own_.axis));
    });
  }
  bool stays(const Vec3<double>& point) const {
    return none([&](JointKind kind, const Line<double>& l) {
      const Vec3<double> arm = point - l.point;
      if (kind == JointKind::revolute) return !vanishes(cross(l.axis, arm));
      return kind != JointKind::spherical || !vanishes(arm);
    });
  }
  // a joint that turns across the axis, and tells by its own axis or centre which point of the axis may be at rest
  std::optional<int> turns_across() const {
    for (const auto& [j, kind] : above_) {
      if (kind == JointKind::spherical) return j;
      if (kind == JointKind::revolute && !parallel(shape_.line[at(j)].axis, own_.axis)) return j;
    }
    return {};
  }

 private:
  static bool is_ball(JointKind kind) { return kind == JointKind::spherical || kind == JointKind::floating; }
  template <class Condition>
  bool none(Condition condition) const {
    for (const auto& [j, kind] : above_) {
      if (condition(kind, shape_.line[at(j)])) return false;
    }
    return true;
  }
  const Shape& shape_;
  const Line<double>& own_;
  std::vector<std::pair<int, JointKind>> above_;
};

// ---- what a joint passes on

// A direction fixed in the body, in its frame, with the component to divide by.
template <class T>
struct Direction {
  Vec3<T> a;
  Vec3<double> typical;
  int largest() const {
    int k = 2;  // z where they are alike
    for (const int j : {1, 0}) {
      if (std::abs(typical[j]) > std::abs(typical[k]) + 1e-6) k = j;
    }
    return k;
  }
};

template <class T>
struct Passes {
  bool mass = true;
  enum class Moment { none, along, all } moment = Moment::all;
  Direction<T> line;  // of `along`
  // ring: multiples of 1 − a aᵀ; not_axial: those with aᵀ I a = 0
  enum class Tensor { none, ring, not_axial, all } tensor = Tensor::all;
  Direction<T> axis;  // of both
  // about a point P of the axis, s from the origin: a first moment h ⊥ a goes with I = −s (h aᵀ + a hᵀ)
  bool about_point = false;
  T s = T(0.0);
};

template <class T>
class Rules {
 public:
  using Moment = typename Passes<T>::Moment;
  using Tensor = typename Passes<T>::Tensor;

  explicit Rules(const Model<T>& m) : model(m), table(parameter_table(m)), geometry_(m), shape_(geometry_) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      Passes<T> p;
      int above = static_cast<int>(i);
      if (table.first[i] >= 0) {
        p = of_joint(static_cast<int>(i));
        above = model.bodies[i].parent;
        while (above >= 0 && table.first[at(above)] < 0) {  // the rest of a composed joint
          p = both(p, of_joint(above));
          above = model.bodies[at(above)].parent;
        }
      }
      passes.push_back(p);
      holder.push_back(above);
      rotor_in_body.push_back(table.rotor[i] >= 0 && !model.bodies[i].mimics && is_rotor_in_body(static_cast<int>(i)));
    }
  }

  // The body's part of the parameters that stays, all in its own frame: what goes is returned.
  RigidInertia<T> take(std::size_t body, RigidInertia<T>& inertia) const {
    const Passes<T>& p = passes[body];
    RigidInertia<T> gone;
    if (p.mass) std::swap(gone.mass, inertia.mass);
    if (p.moment == Moment::all) {
      std::swap(gone.h, inertia.h);
    } else if (p.moment == Moment::along) {
      const int k = p.line.largest();
      gone.h = p.line.a * (inertia.h[k] / p.line.a[k]);
      inertia.h -= gone.h;
      inertia.h[k] = T(0.0);
    }
    if (p.about_point) {
      const Vec3<T>& a = p.axis.a;
      const Vec3<T> across = (gone.h - a * dot(a, gone.h)) * p.s;
      gone.I -= outer(across, a) + outer(a, across);
      inertia.I -= gone.I;
    }
    if (p.tensor == Tensor::all) {
      gone.I += inertia.I;
      inertia.I = Mat3<T>::zero();
    } else if (p.tensor == Tensor::not_axial) {
      const int k = p.axis.largest();
      const Vec3<T>& a = p.axis.a;
      Mat3<T> stays;
      stays(k, k) = dot(a, inertia.I * a) / (a[k] * a[k]);
      gone.I += inertia.I - stays;
      inertia.I = stays;
    } else if (p.tensor == Tensor::ring) {
      const int k = ring_pivot(p);
      const Vec3<T>& a = p.axis.a;
      const Mat3<T> ring =
          (Mat3<T>::identity() - outer(a, a)) * (inertia.I(k, k) / (T(1.0) - a[k] * a[k]));
      gone.I += ring;
      inertia.I -= ring;
      inertia.I(k, k) = T(0.0);
    }
    return gone;
  }

  // Where a rotor cannot be told from the body's own parameters, it becomes one of them; the rest is returned.
  RigidInertia<T> take_rotor(std::size_t body, RigidInertia<T>& inertia, T& rotor) const {
    RigidInertia<T> gone;
    if (!rotor_in_body[body]) return gone;
    const Body<T>& b = model.bodies[body];
    if (b.kind == JointKind::revolute) {
      inertia.I += outer(b.axis, b.axis) * rotor;
    } else {
      inertia.mass += rotor;  // a mass that the parent does not feel
      gone.mass = -rotor;
    }
    rotor = T(0.0);
    return gone;
  }

  // What a body passes on, as seen from the body that takes it.
  RigidInertia<T> at_holder(std::size_t body, const RigidInertia<T>& gone) const {
    std::size_t first = body;  // of a composed joint; its bodies coincide at q = 0
    while (model.bodies[first].parent != holder[body]) first = at(model.bodies[first].parent);
    return to_parent(model.bodies[first].X_PJ, gone);
  }

  // All at once: inertias of the bodies and armatures of their joints.
  void regroup(Model<T>& m) const {
    for (Body<T>& b : m.bodies) {
      if (!b.mimics) continue;
      m.bodies[leader(b)].armature += b.ratio * b.ratio * b.armature;
      b.armature = T(0.0);
    }
    for (std::size_t i = m.bodies.size(); i-- > 0;) {
      if (table.first[i] < 0) continue;
      Body<T>& b = m.bodies[i];
      RigidInertia<T> gone = take_rotor(i, b.inertia, b.armature);
      gone += take(i, b.inertia);
      if (holder[i] >= 0) m.bodies[at(holder[i])].inertia += at_holder(i, gone);
    }
  }

  // One standard parameter, given as a body of nothing else: keep(parameter, factor) for what becomes of it on the way to
  // the base.
  template <class Keep>
  void follow(std::size_t body, RigidInertia<T> inertia, T rotor, Keep keep) const {
    if (model.bodies[body].mimics) {
      const T there = model.bodies[body].ratio * model.bodies[body].ratio * rotor;
      if (!is_zero(rotor)) return follow(leader(model.bodies[body]), {}, there, keep);
    }
    RigidInertia<T> gone = take_rotor(body, inertia, rotor);
    if (table.rotor[body] >= 0) keep(table.rotor[body], rotor);
    while (true) {
      gone += take(body, inertia);
      const std::array<T, ParameterTable::kPerBody> left = inertial_parameters(inertia);
      for (std::size_t k = 0; k < left.size(); ++k) keep(table.first[body] + static_cast<int>(k), left[k]);
      if (holder[body] < 0) return;
      inertia = at_holder(body, gone);
      gone = {};
      body = at(holder[body]);
    }
  }

  // Which parameters stay.
  std::vector<int> base() const {
    std::vector<int> stay;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      const Passes<T>& p = passes[i];
      if (int column = table.first[i]; column >= 0) {
        const auto put = [&](bool stays) {
          if (stays) stay.push_back(column);
          ++column;
        };
        put(!p.mass);
        for (int k = 0; k < 3; ++k) put(p.moment == Moment::none || (p.moment == Moment::along && k != p.line.largest()));
        for (int k = 0; k < 3; ++k) {
          for (int l = k; l < 3; ++l) {
            put(p.tensor == Tensor::none || (p.tensor == Tensor::ring && !(k == l && k == ring_pivot(p))) ||
                (p.tensor == Tensor::not_axial && k == l && k == p.axis.largest()));
          }
        }
      }
      if (table.rotor[i] >= 0 && !rotor_in_body[i] && !model.bodies[i].mimics) stay.push_back(table.rotor[i]);
    }
    return stay;
  }

  const Model<T>& model;
  ParameterTable table;
  std::vector<Passes<T>> passes;
  std::vector<int> holder;          // of what a body passes on: the next body above that has parameters, or the base
  std::vector<bool> rotor_in_body;  // cannot be told from the body's own parameters

 private:
  // the one before the largest: yy of an axis z; 1 − a_k² is no less than ½ there
  static int ring_pivot(const Passes<T>& p) { return (p.axis.largest() + 2) % 3; }

  std::size_t leader(const Body<T>& mimic) const {
    std::size_t k = 0;
    while (model.bodies[k].v != mimic.v || model.bodies[k].mimics) ++k;
    return k;
  }

  Direction<T> axis_in(int body, int joint) const {
    const Mat3<T> Rt = transpose(geometry_.pose[at(body)].R);
    const Vec3<T> a = body == joint ? model.bodies[at(joint)].axis : Rt * geometry_.line[at(joint)].axis;
    const std::vector<double> t = typical_values(std::vector<T>{a[0], a[1], a[2]});
    return {a, {t[0], t[1], t[2]}};
  }

  Passes<T> of_joint(int joint) const {
    const Body<T>& b = model.bodies[at(joint)];
    const Line<double>& line = shape_.line[at(joint)];
    const Above above(model, shape_, joint);
    const bool weightless = vanishes(shape_.gravity);
    Passes<T> p;
    switch (b.kind) {
      case JointKind::revolute: {
        p.moment = Moment::along;
        p.line = p.axis = axis_in(joint, joint);
        p.tensor = Tensor::ring;
        if (above.turns_only_about_axis()) {
          p.tensor = Tensor::not_axial;
          if (above.axis_stays_on_itself() && parallel(shape_.gravity, line.axis)) p.moment = Moment::all;
        } else if (const std::optional<int> j = above.turns_across(); j && weightless) {
          const bool ball = model.bodies[at(*j)].kind == JointKind::spherical;
          const auto way = [&](const auto& own, const auto& other) {
            return ball ? dot(other.point - own.point, own.axis) : way_to(own, other);
          };
          const double s = way(line, shape_.line[at(*j)]);
          if (above.stays(line.point + line.axis * s)) {
            p.moment = Moment::all;
            p.about_point = !vanishes(s);
            if (p.about_point) p.s = way(geometry_.line[at(joint)], geometry_.line[at(*j)]);
          }
        }
        break;
      }
      case JointKind::prismatic:
        p.mass = false;
        if (!above.turns_only_about_axis()) {
          p.moment = Moment::none;
          if (const std::optional<int> j = above.only_direction()) {
            p.moment = Moment::along;
            p.line = axis_in(joint, *j);
          }
        }
        break;
      case JointKind::spherical:
        p.tensor = Tensor::none;
        if (!weightless || !above.stays(line.point)) p.moment = Moment::none;
        break;
      case JointKind::floating:
        p.mass = false;
        p.moment = Moment::none;
        p.tensor = Tensor::none;
        break;
    }
    return p;
  }

  // What both of two joints at one place pass on.
  Passes<T> both(const Passes<T>& a, const Passes<T>& b) const {
    Passes<T> p;
    p.mass = a.mass && b.mass;
    const auto same = [](const Direction<T>& x, const Direction<T>& y) { return parallel(x.typical, y.typical); };
    const Passes<T>*less = &a, *more = &b;
    if (static_cast<int>(less->tensor) > static_cast<int>(more->tensor)) std::swap(less, more);
    p.tensor = less->tensor;
    p.axis = less->axis;
    if (p.tensor != Tensor::none && more->tensor != Tensor::all && !same(less->axis, more->axis)) p.tensor = Tensor::none;

    if (static_cast<int>(a.moment) < static_cast<int>(b.moment)) less = &a, more = &b;
    else less = &b, more = &a;
    p.moment = less->moment;
    p.line = less->line;
    if (p.moment == Moment::along) {
      const bool fits = more->moment == Moment::along ? same(less->line, more->line)
                                                      : !more->about_point || same(less->line, more->axis);
      if (!fits) p.moment = Moment::none;
    }
    return p;
  }

  bool is_rotor_in_body(int joint) const {
    const Above above(model, shape_, joint);
    if (model.bodies[at(joint)].kind == JointKind::revolute) return above.never_turns_about_axis();
    return above.turns_only_about_axis() && above.never_moves_along_axis() &&
           vanishes(dot(shape_.gravity, shape_.line[at(joint)].axis));
  }

  Geometry<T> geometry_;
  Shape shape_;
};

}  // namespace

template <class T>
BaseParameters<T> base_parameters(const Model<T>& model) {
  const Rules<T> rules(model);
  BaseParameters<T> result{rules.table, rules.base(), {}};
  result.K.resize(result.base.size());
  std::vector<int> row(rules.table.size(), -1);
  for (std::size_t k = 0; k < result.base.size(); ++k) row[at(result.base[k])] = static_cast<int>(k);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const auto follow = [&](int parameter, const RigidInertia<T>& inertia, const T& rotor) {
      rules.follow(i, inertia, rotor, [&](int base, const T& factor) {
        if (!is_zero(factor)) result.K[at(row[at(base)])].push_back({parameter, factor});
      });
    };
    if (rules.table.first[i] >= 0) {
      for (int k = 0; k < ParameterTable::kPerBody; ++k) {
        std::array<T, ParameterTable::kPerBody> unit;
        unit.fill(T(0.0));
        unit[at(k)] = T(1.0);
        follow(rules.table.first[i] + k, rigid_inertia<T>(unit), T(0.0));
      }
    }
    if (rules.table.rotor[i] >= 0) follow(rules.table.rotor[i], {}, T(1.0));
  }
  return result;
}

template <class T>
std::vector<T> base_values(const BaseParameters<T>& parameters, In<T> standard_values) {
  std::vector<T> values;
  for (const auto& terms : parameters.K) {
    T sum(0.0);
    for (const auto& [parameter, factor] : terms) sum += factor * standard_values[at(parameter)];
    values.push_back(sum);
  }
  return values;
}

template <class T>
Model<T> regrouped(const Model<T>& model) {
  Model<T> result = model;
  Rules<T>(model).regroup(result);
  return result;
}

std::string relation_text(const BaseParameters<double>& parameters, std::size_t k) {
  std::string text = parameters.name(k);
  for (const auto& [parameter, c] : parameters.K[k]) {
    if (parameter == parameters.base[k] || std::abs(c) < 1e-12) continue;  // what rounding leaves of a zero
    text += c < 0.0 ? " - " : " + ";
    if (std::abs(std::abs(c) - 1.0) > 1e-12) text += fmt::format("{:.6g}*", std::abs(c));
    text += parameters.standard.names[at(parameter)];
  }
  return text;
}

int base_rank(const Model<double>& model, bool rotors) {
  const ParameterTable table = parameter_table(model);
  const auto columns = static_cast<Eigen::Index>(table.size());
  if (columns == 0) return 0;
  const Eigen::Index nv = model.nv, states = 10 + 4 * columns / nv;
  Eigen::MatrixXd stacked(states * nv, columns), Y(nv, columns);
  Workspace<double> work(model);
  Random random(1);
  for (Eigen::Index k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    regressor<double>(model, table, work, s.q, s.qd, s.qdd, {Y.data(), static_cast<std::size_t>(Y.size())});
    stacked.middleRows(k * nv, nv) = Y;
  }
  for (const int r : table.rotor) {
    if (r >= 0 && !rotors) stacked.col(r).setZero();
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(stacked);
  qr.setThreshold(1e-10);
  return static_cast<int>(qr.rank());
}

#define LW_INSTANTIATE(T)                                               \
  template BaseParameters<T> base_parameters<T>(const Model<T>& model); \
  template std::vector<T> base_values<T>(const BaseParameters<T>&, In<T>); \
  template Model<T> regrouped<T>(const Model<T>& model);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
