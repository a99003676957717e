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
#include "position_step.hpp"

namespace lw {
namespace {

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
  if (plan.is_tree()) return result;
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
