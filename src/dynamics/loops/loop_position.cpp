#include "loop_position.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "../../base/index.hpp"
#include "../../graph/hoist.hpp"
#include "../../graph/interpreter.hpp"
#include "../../graph/passes/optimize.hpp"
#include "../../graph/typical.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

// What a joint's transform is made of: cosine, sine and angle of a turn, the coordinate of a slide, the quaternion of a
// ball, place and quaternion of a floating joint.
template <class T>
using JointNumbers = std::array<T, 7>;

template <class T>
JointNumbers<T> joint_numbers(const Body<T>& b, In<T> q) {
  using std::cos, std::sin;
  JointNumbers<T> n;
  switch (b.kind) {
    case JointKind::revolute: {
      const T angle = joint_coordinate<T>(b, q);
      n[0] = cos(angle);
      n[1] = sin(angle);
      n[2] = angle;
      break;
    }
    case JointKind::prismatic: n[0] = joint_coordinate<T>(b, q); break;
    case JointKind::spherical: std::copy_n(q.begin() + b.q, 4, n.begin()); break;
    case JointKind::floating: std::copy_n(q.begin() + b.q, 7, n.begin()); break;
  }
  return n;
}

template <class T>
Transform<T> transform_of(const Body<T>& b, const JointNumbers<T>& n) {
  switch (b.kind) {
    case JointKind::revolute: return turned_transform<T>(b, n[0], n[1]);
    case JointKind::prismatic: return {b.X_PJ.R, b.X_PJ.p + b.slide * n[0]};
    case JointKind::spherical: return {b.X_PJ.R * rotation_from_quaternion(n[0], n[1], n[2], n[3]), b.X_PJ.p};
    case JointKind::floating:
      return {b.X_PJ.R * rotation_from_quaternion(n[3], n[4], n[5], n[6]),
              b.X_PJ.p + b.X_PJ.R * Vec3<T>(n[0], n[1], n[2])};
  }
  return {};
}

// (x, y, z, w) ⊗ (g, 1), of length 1.
template <class T>
void turn_quaternion(T* q, const T* g) {
  using std::sqrt;
  const T scale = T(1.0) / sqrt(T(1.0) + g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const T x = q[0], y = q[1], z = q[2], w = q[3];
  q[0] = scale * (x + w * g[0] + y * g[2] - z * g[1]);
  q[1] = scale * (y + w * g[1] + z * g[0] - x * g[2]);
  q[2] = scale * (z + w * g[2] + x * g[1] - y * g[0]);
  q[3] = scale * (w - x * g[0] - y * g[1] - z * g[2]);
}

// Cosine and sine of the angle whose half has the tangent t.
template <class T>
struct HalfTurn {
  explicit HalfTurn(const T& t) {
    const T half = T(1.0) / (T(1.0) + t * t), twice = half + half;
    c = twice - T(1.0);
    s = t * twice;
  }
  T c, s;
};

// Newton's method around given numbers of all joints.
template <class T>
class PositionStep {
 public:
  PositionStep(const Model<T>& model, const LoopPlan& plan)
      : model_(model),
        plan_(plan),
        work_(model),
        factors_(plan.position),
        place_(at(model.nv), -1),
        plain_(at(model.nv), false),
        numbers_(model.bodies.size()),
        all_(plan.equations.size()),
        columns_(all_.size() * at(model.nv)),
        J_(plan.unknown.size() * plan.unknown.size()),
        residual_(plan.unknown.size()) {
    for (std::size_t k = 0; k < plan.unknown.size(); ++k) place_[at(plan.unknown[k])] = static_cast<int>(k);
    // where another joint follows at its own ratio, the tangent of half the angle says nothing about that
    for (const Body<T>& b : model.bodies) plain_[at(b.v)] = plain_[at(b.v)] || b.mimics;
  }

  const Workspace<T>& work() const { return work_; }
  const std::vector<JointNumbers<T>>& numbers() const { return numbers_; }
  std::vector<JointNumbers<T>>& numbers() { return numbers_; }

  // Where bodies are with the unknowns displaced by x. A turn comes last: what stands before it does not depend on x
  // where nothing inward does.
  void place(const std::vector<JointNumbers<T>>& from, In<T> x) {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const Body<T>& b = model_.bodies[i];
      numbers_[i] = moved(b, from[i], x);
      const bool turns = b.kind == JointKind::revolute && place_[at(b.v)] >= 0 && !plain_[at(b.v)];
      put(i, transform_of(b, turns ? from[i] : numbers_[i]));
      if (!turns) continue;
      const HalfTurn<T> turn(x[at(place_[at(b.v)])]);
      const Mat3<T> along = outer(b.axis, b.axis);
      const Transform<T> X{along + (Mat3<T>::identity() - along) * turn.c + skew(b.axis) * turn.s, {}};
      work_.X[i] = work_.X[i] * X;
      work_.X_W[i] = work_.X_W[i] * X;
    }
  }
  // With the numbers as they are.
  void place() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) put(i, transform_of(model_.bodies[i], numbers_[i]));
  }

  // Of position_rows, distances as half their squares.
  const std::vector<T>& residual() {
    closure_residual<T>(model_, work_, plan_.equations, all_);
    for (std::size_t k = 0; k < residual_.size(); ++k) {
      const LoopPlan::PositionRow& row = plan_.position_rows[k];
      residual_[k] = row.end < 0 ? all_[row.row] : T(0.5) * excess(plan_.ends[at(row.end)]);
    }
    return residual_;
  }

  const std::vector<T>& jacobian() {
    closure_jacobian<T>(model_, work_, plan_.equations, ClosureAt::closed, columns_);
    const std::size_t n = residual_.size(), m = all_.size();
    for (T& x : J_) x = T(0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const LoopPlan::PositionRow& row = plan_.position_rows[k];
      if (row.end >= 0) {
        distance_row(plan_.ends[at(row.end)], k);
        continue;
      }
      for (std::size_t j = 0; j < n; ++j) J_[j * n + k] = columns_[at(plan_.unknown[j]) * m + row.row];
    }
    return J_;
  }

  // What is to be taken off x. False where J is singular.
  bool step(In<T> x, Out<T> step) {
    std::copy(residual().begin(), residual().end(), step.begin());
    if (!factors_.factorize(jacobian(), Solutions::one)) return false;
    factors_.solve(step);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) change_of(model_.bodies[i], numbers_[i], x, step);
    return true;
  }

  // The joint's frame at zero, where it stands on its parent.
  Transform<T> stand(const LoopEnd& end) const {
    const Body<T>& b = model_.bodies[at(end.body)];
    return b.parent < 0 ? b.X_PJ : work_.X_W[at(b.parent)] * b.X_PJ;
  }
  // A, from the joint, in the axes of its link; B, from the joint, in the world's.
  Vec3<T> own_point(const LoopEnd& end) const {
    const Frame<T>& A = first_frame(model_.loops[end.loop], plan_.equations.loops[end.loop]);
    Transform<T> X = A.X_BF;
    for (int i = A.body; i != end.body; i = model_.bodies[at(i)].parent) X = work_.X[at(i)] * X;
    return X.p;
  }
  Vec3<T> other_point(const LoopEnd& end) const {
    return frame_pose(work_, second_frame(model_.loops[end.loop], plan_.equations.loops[end.loop])).p - stand(end).p;
  }
  // |v|² − |r|²
  T excess(const LoopEnd& end) const {
    const Vec3<T> v = other_point(end), r = own_point(end);
    return dot(v, v) - dot(r, r);
  }

  bool is_plain(int v) const { return plain_[at(v)]; }
  int place_of(int v) const { return place_[at(v)]; }

 private:
  void put(std::size_t i, const Transform<T>& X) {
    const int parent = model_.bodies[i].parent;
    work_.X[i] = X;
    work_.X_W[i] = parent < 0 ? X : work_.X_W[at(parent)] * X;
  }

  JointNumbers<T> moved(const Body<T>& b, JointNumbers<T> n, In<T> x) const {
    using std::cos, std::sin;
    const int place = place_[at(b.v)];
    if (place < 0) return n;
    const T* d = &x[at(place)];
    switch (b.kind) {
      case JointKind::revolute: {
        if (plain_[at(b.v)]) {
          n[2] = n[2] + (b.mimics ? b.ratio * d[0] : d[0]);
          return {cos(n[2]), sin(n[2]), n[2]};
        }
        const HalfTurn<T> turn(d[0]);
        return {n[0] * turn.c - n[1] * turn.s, n[1] * turn.c + n[0] * turn.s, n[2]};
      }
      case JointKind::prismatic: n[0] = n[0] + (b.mimics ? b.ratio * d[0] : d[0]); return n;
      case JointKind::spherical: turn_quaternion<T>(n.data(), d); return n;
      case JointKind::floating:
        turn_quaternion<T>(n.data() + 3, d);
        for (std::size_t k = 0; k < 3; ++k) n[k] += d[3 + k];
        return n;
    }
    return n;
  }

  // Changes along velocities become changes of x.
  void change_of(const Body<T>& b, const JointNumbers<T>& n, In<T> x, Out<T> step) const {
    const int place = place_[at(b.v)];
    if (place < 0 || b.mimics) return;
    T* d = &step[at(place)];
    const T* g = &x[at(place)];
    if (b.kind == JointKind::revolute && !plain_[at(b.v)]) d[0] = d[0] * (T(0.5) + T(0.5) * (g[0] * g[0]));
    if (b.kind != JointKind::spherical && b.kind != JointKind::floating) return;
    const Vec3<T> w(d[0], d[1], d[2]), G(g[0], g[1], g[2]);
    const Vec3<T> rate = (w + cross(G, w) + G * dot(G, w)) * T(0.5);
    for (int k = 0; k < 3; ++k) d[k] = rate[k];
    if (b.kind != JointKind::floating) return;
    const Vec3<T> v = rotation_from_quaternion(n[3], n[4], n[5], n[6]) * Vec3<T>(d[3], d[4], d[5]);
    for (int k = 0; k < 3; ++k) d[3 + k] = v[k];
  }

  // The rate of ½|v|²: v times the velocity of B against the joint.
  void distance_row(const LoopEnd& end, std::size_t row) {
    const LoopView& view = plan_.equations.loops[end.loop];
    const Vec3<T> stands = stand(end).p, B = frame_pose(work_, second_frame(model_.loops[end.loop], view)).p,
                  v = B - stands;
    const auto add = [&](int i, const Vec3<T>& point, double sign) {
      const Transform<T>& X = work_.X_W[at(i)];
      visit_columns<T>(model_.bodies[at(i)], X.R, point - X.p, [&](int velocity, const Vec3<T>&, const Vec3<T>& lin) {
        const int place = place_[at(velocity)];
        if (place >= 0) J_[at(place) * residual_.size() + row] += sign > 0.0 ? dot(v, lin) : -dot(v, lin);
      });
    };
    for (const int i : view.b) add(i, B, 1.0);
    const auto own = std::find(view.a.begin(), view.a.end(), end.body);
    for (auto i = own + 1; i < view.a.end(); ++i) add(*i, stands, -1.0);
  }

  const Model<T>& model_;
  const LoopPlan& plan_;
  Workspace<T> work_;
  LoopFactors<T> factors_;
  std::vector<int> place_;
  std::vector<bool> plain_;
  std::vector<JointNumbers<T>> numbers_;
  std::vector<T> all_, columns_, J_, residual_;
};

// The same geometry with other expressions for those that are no numbers.
template <class Change>
Model<Expr> geometry_with(const Model<Expr>& model, const Change& change) {
  const auto vec = [&](const Vec3<Expr>& v) { return Vec3<Expr>(change(v[0]), change(v[1]), change(v[2])); };
  const auto mat = [&](const Mat3<Expr>& m) { return Mat3<Expr>(vec(m.col(0)), vec(m.col(1)), vec(m.col(2))); };
  const auto pose = [&](const Transform<Expr>& X) { return Transform<Expr>{mat(X.R), vec(X.p)}; };
  Model<Expr> to;
  to.name = model.name;
  to.nq = model.nq;
  to.nv = model.nv;
  to.joints = model.joints;
  for (Body<Expr> b : model.bodies) {
    b.ratio = change(b.ratio);
    b.offset = change(b.offset);
    b.axis = vec(b.axis);
    b.X_PJ = pose(b.X_PJ);
    b.R0 = mat(b.R0);
    b.Rc = mat(b.Rc);
    b.Rs = mat(b.Rs);
    b.slide = vec(b.slide);
    b.inertia = {};
    to.bodies.push_back(b);
  }
  for (const LoopClosure<Expr>& l : model.loops) {
    to.loops.push_back({l.name,
                        l.type,
                        vec(l.axis),
                        vec(l.axis2),
                        {l.a.name, l.a.body, pose(l.a.X_BF)},
                        {l.b.name, l.b.body, pose(l.b.X_BF)},
                        {}});
  }
  return to;
}

// Whether a step is so short that one more of it is no burden to the function around it.
bool is_short(const Function& step) {
  constexpr std::int64_t kMost = 300;
  const OperationCount operations = cost(step).operations;
  return operations.multiplications + operations.additions <= kMost;
}

// x after the first step. It starts from x = 0, where half turns are none: next to nothing of them is left, and no
// division.
std::vector<Expr> first_step(const Function& both, std::size_t n, const std::vector<Expr>& arguments) {
  std::vector<Expr> in(n, Expr(0.0)), out(both.output_size());
  in.insert(in.end(), arguments.begin(), arguments.end());
  Interpreter<Expr> at_zero(both);
  at_zero(in, out);
  out.resize(n);
  for (Expr& x : out) x = -x;
  return out;
}

// Expressions: the unknowns as outputs of a Solve node.
std::vector<Expr> solve_position(const Model<Expr>& model, const LoopPlan& plan,
                                 const std::vector<JointNumbers<Expr>>& numbers, const LoopPositionOptions& options) {
  const std::size_t n = plan.unknown.size();
  // what is no number there becomes a parameter
  std::vector<Expr> parameters;
  std::map<NodeId, std::size_t> place;
  const auto collect = [&](const Expr& e) {
    if (e.is_constant()) return e;
    if (place.try_emplace(e.id(), parameters.size()).second) parameters.push_back(e);
    return e;
  };
  geometry_with(model, collect);
  for (const JointNumbers<Expr>& of : numbers) {
    for (const Expr& e : of) collect(e);
  }
  require(!parameters.empty(), "a position is solved for expressions");
  Graph& graph = *parameters.front().graph();
  const Function both =
      trace("closure", {{"x", n}, {"p", parameters.size()}}, {{"step", n}, {"residual", n}},
            [&](const Arguments& in, Results& out) {
              const auto here = [&](const Expr& e) { return e.is_constant() ? e : in[1][place.at(e.id())]; };
              const Model<Expr> geometry = geometry_with(model, here);
              std::vector<JointNumbers<Expr>> own = numbers;
              for (JointNumbers<Expr>& of : own) {
                for (Expr& e : of) e = here(e);
              }
              PositionStep<Expr> newton(geometry, plan);
              newton.place(own, in[0]);
              newton.step(in[0], out[0]);
              out[1] = newton.residual();
            });
  const Hoisted outside = hoisted(both, n, parameters);
  const auto part = [&](const char* name, std::size_t group) {
    const std::vector<NodeId>& all = outside.inner.results();
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(group * n);
    const Function f(name, outside.inner.inputs(), {outside.inner.outputs()[group]}, outside.inner.shared_graph(),
                     {first, first + static_cast<std::ptrdiff_t>(n)});
    return std::make_shared<const Function>(lw::optimize(f, Objective::operations));
  };
  LoopPositionCache own;
  LoopPositionCache& made = options.cache != nullptr ? *options.cache : own;
  if (made.step == nullptr) made = {part("closure", 1), part("closure-step", 0)};
  std::vector<Expr> start(n, Expr(0.0));
  int steps = options.steps;
  if (steps > 1 && is_short(*made.step)) {
    start = first_step(outside.inner, n, outside.arguments);
    --steps;
  }
  return graph.solve(made.residual, start, outside.arguments, steps, made.step).unknowns;
}

// Numbers: until nothing changes any more, and once more for what goes along with them. False where it does not come to
// that.
template <class T>
bool iterate_position(PositionStep<T>& newton, const std::vector<JointNumbers<T>>& numbers, std::vector<T>& x) {
  constexpr int kMost = 50;
  constexpr double kNear = 1e-8;  // from where the next step is as good as exact
  std::vector<T> step(x.size());
  int left = kMost;
  bool near = false;
  while (left > 0) {
    newton.place(numbers, x);
    if (!newton.step(x, step)) return false;
    double largest = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] -= step[k];
      if (!(std::abs(value_of(step[k])) <= largest)) largest = std::abs(value_of(step[k]));
    }
    if (!std::isfinite(largest)) return false;
    --left;
    if (!near && largest <= kNear) {
      near = true;
      left = 2;
    }
  }
  return near;
}

// Whether anything depends on the coordinate itself, besides its sine and cosine.
template <class T>
bool counts_turns(const Model<T>& model, int body) {
  const auto is = [body](int other) { return other == body; };
  return !is_zero(model.bodies[at(body)].stiffness) ||
         std::any_of(model.joint_elements.begin(), model.joint_elements.end(),
                     [&](const auto& e) { return is(e.body); }) ||
         std::any_of(model.shafts.begin(), model.shafts.end(),
                     [&](const auto& s) { return is(s.body_a) || is(s.body_b); });
}

// The angle of this cosine and sine, next to the guess.
template <class T>
T angle_near(const Model<T>& model, int body, const T& c, const T& s, const JointNumbers<T>& guess) {
  using std::atan2;
  if constexpr (std::is_same_v<T, Expr>) {
    const Expr angle = counts_turns(model, body)
                           ? guess[2] + lw::atan2(s * guess[0] - c * guess[1], c * guess[0] + s * guess[1])
                           : lw::atan2(s, c);
    know_angle(angle, s, c);
    return angle;
  } else {
    const T angle = atan2(s, c);
    const double turns = std::round((value_of(guess[2]) - value_of(angle)) / (2.0 * std::numbers::pi));
    return angle + T(2.0 * std::numbers::pi * turns);
  }
}

}  // namespace

template <class T>
LoopPosition<T> loop_position(const Model<T>& model, const LoopPlan& plan, In<T> q, In<T> guess,
                              const LoopPositionOptions& options) {
  using std::atan;
  check_sizes("loop_position", model,
              {{"q", q.size(), static_cast<int>(plan.independent_q.size())},
               {"guess", guess.size(), static_cast<int>(plan.dependent_q.size())}});
  LoopPosition<T> result;
  result.q.resize(at(model.nq));
  for (std::size_t k = 0; k < q.size(); ++k) result.q[at(plan.independent_q[k])] = q[k];
  for (std::size_t k = 0; k < guess.size(); ++k) result.q[at(plan.dependent_q[k])] = guess[k];
  std::vector<JointNumbers<T>> start;
  for (const Body<T>& b : model.bodies) start.push_back(joint_numbers<T>(b, result.q));

  PositionStep<T> newton(model, plan);
  std::vector<T> x(plan.unknown.size(), T(0.0));
  if constexpr (std::is_same_v<T, Expr>) {
    if (!x.empty()) x = solve_position(model, plan, start, options);
  } else {
    result.converged = x.empty() || iterate_position(newton, start, x);
  }
  newton.place(start, x);

  // coordinates of what was solved for
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<T>& b = model.bodies[i];
    const int place = newton.place_of(b.v);
    if (place < 0 || b.mimics) continue;
    T* to = &result.q[at(b.q)];
    const JointNumbers<T>& n = newton.numbers()[i];
    switch (b.kind) {
      case JointKind::revolute: {
        if (newton.is_plain(b.v)) {
          *to = n[2];
          break;
        }
        const T half = atan(x[at(place)]);
        *to = *to + (half + half);
        know_angle(*to, n[1], n[0]);
        break;
      }
      case JointKind::prismatic: *to = n[0]; break;
      case JointKind::spherical: std::copy_n(n.begin(), 4, to); break;
      case JointKind::floating: std::copy_n(n.begin(), 7, to); break;
    }
  }
  // ends, in closed form
  for (const LoopEnd& end : plan.ends) {
    const Body<T>& b = model.bodies[at(end.body)];
    const Vec3<T> v = transpose(newton.stand(end).R) * newton.other_point(end), r = newton.own_point(end), &a = b.axis;
    T& to = result.q[at(b.q)];
    JointNumbers<T>& n = newton.numbers()[at(end.body)];
    if (end.slides) {
      to = n[0] = dot(a, v - r);
      continue;
    }
    const T along = dot(r, a), scale = T(1.0) / (dot(r, r) - along * along);
    const T c = (dot(r, v) - along * dot(v, a)) * scale, s = dot(a, cross(r, v)) * scale;
    to = angle_near<T>(model, end.body, c, s, start[at(end.body)]);
    n[0] = c;
    n[1] = s;
    n[2] = to;
  }
  if (!plan.ends.empty()) newton.place();
  result.residual = newton.residual();
  for (std::size_t k = 0; k < result.residual.size(); ++k) {
    const int end = plan.position_rows[k].end;
    if (end >= 0) result.residual[k] *= T(1.0 / plan.ends[at(end)].length);
  }
  return result;
}

std::vector<double> position_jacobian(const Model<double>& model, const LoopPlan& plan, In<double> q) {
  PositionStep<double> newton(model, plan);
  std::vector<JointNumbers<double>> numbers;
  for (const Body<double>& b : model.bodies) numbers.push_back(joint_numbers<double>(b, q));
  newton.place(numbers, std::vector<double>(plan.unknown.size(), 0.0));
  return newton.jacobian();
}

#define LW_INSTANTIATE(T) \
  template LoopPosition<T> loop_position<T>(const Model<T>&, const LoopPlan&, In<T>, In<T>, const LoopPositionOptions&);
LW_INSTANTIATE_UNCOUNTED(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
