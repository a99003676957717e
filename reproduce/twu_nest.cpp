#include "twu_nest.hpp"

#include <cmath>

#include <Eigen/Core>

#include "all_stages.hpp"
#include "base/error.hpp"
#include "base/linear.hpp"

namespace lw::reproduce {
namespace {

using Matrix4 = Eigen::Matrix4d;
using Vector4 = Eigen::Vector4d;
using Vector3 = Eigen::Vector3d;

// The basic matrices of a joint, or their derivatives by b.
struct Basics {
  Matrix4 A, rate, rate_rate, by_q, rate_by_q;
  Vector3 turn = Vector3::Zero(), turn_rate = Vector3::Zero();  // q̇ e, q̈ e
};
struct JointPair {
  Basics value, slope;
  Vector3 e = Vector3::Zero();  // axis; zero of a slide
};

// dᵏ/dqᵏ of the joint's own motion, k = 0 … 3.
Matrix4 joint_matrix(const TwuLink& link, double q, int k) {
  Matrix4 A = Matrix4::Zero();
  if (link.axis == ' ') {
    if (k == 0) A.setIdentity();
    if (k < 2) A(link.direct - 'X', 3) = k == 0 ? q : 1.0;
    return A;
  }
  const int a = link.axis - 'X', i = (a + 1) % 3, j = (a + 2) % 3;
  const double angle = q + k * M_PI_2;  // each derivative turns it by 90°
  if (k == 0) A.setIdentity();
  A(i, i) = A(j, j) = std::cos(angle);
  A(i, j) = -std::sin(angle);
  A(j, i) = std::sin(angle);
  return A;
}

JointPair joint_pair(const TwuArm& arm, std::size_t k, const TwuInstant& m, const TwuVariable& b,
                     const TwuInstant& by) {
  const TwuLink& link = arm.links[k];
  const double q_b = by.q[k], v = m.qd[k], v_b = by.qd[k], a = m.qdd[k], a_b = by.qdd[k];
  Matrix4 place = Matrix4::Identity(), place_by_b = Matrix4::Zero();  // Trans(L e) of the link before
  if (k > 0) {
    const int along = arm.links[k - 1].direct - 'X';
    place(along, 3) = arm.links[k - 1].length;
    if (b.of == TwuVariable::Of::length && b.link == k - 1) place_by_b(along, 3) = 1.0;
  }
  Matrix4 A[4], A_b[4];  // A, A', A'', A''', and their derivatives
  for (int d = 0; d < 4; ++d) A[d] = place * joint_matrix(link, m.q[k], d);
  for (int d = 0; d < 3; ++d) A_b[d] = place_by_b * joint_matrix(link, m.q[k], d) + A[d + 1] * q_b;
  JointPair j;
  j.value.A = A[0];
  j.value.rate = A[1] * v;
  j.value.rate_rate = A[1] * a + A[2] * (v * v);
  j.value.by_q = A[1];
  j.value.rate_by_q = A[2] * v;
  j.slope.A = A_b[0];
  j.slope.rate = A_b[1] * v + A[1] * v_b;
  j.slope.rate_rate = A_b[1] * a + A[1] * a_b + A_b[2] * (v * v) + A[2] * (2.0 * v * v_b);
  j.slope.by_q = A_b[1];
  j.slope.rate_by_q = A_b[2] * v + A[2] * v_b;
  if (link.axis != ' ') j.e[link.axis - 'X'] = 1.0;
  j.value.turn = j.e * v;
  j.value.turn_rate = j.e * a;
  j.slope.turn = j.e * v_b;
  j.slope.turn_rate = j.e * a_b;
  return j;
}

// Something, and its derivative by b.
template <class V>
struct Nested {
  V value = V::Zero(), slope = V::Zero();
  Nested& operator+=(const Nested& o) {
    value += o.value, slope += o.slope;
    return *this;
  }
  friend Nested operator-(const Nested& a, const Nested& c) { return {a.value - c.value, a.slope - c.slope}; }
};
using Moved = Nested<Vector4>;
using Turned = Nested<Vector3>;
struct Product {
  double value = 0.0, slope = 0.0;
};

using Joints = std::vector<JointPair>;
using Take = Matrix4 Basics::*;

// A group: D_1 … D_i x with D_k what `taken` says of position k.
template <class Taken>
Moved nest(const Joints& joints, std::size_t i, const Moved& x, const Taken& taken) {
  Moved n = x;
  for (std::size_t k = i + 1; k-- > 0;) {
    const Take take = taken(k);
    const Matrix4 &D = joints[k].value.*take, &D_b = joints[k].slope.*take;
    n.slope = D * n.slope + D_b * n.value;
    n.value = D * n.value;
  }
  return n;
}

// The sums of chapter 4 for link i, coordinate j.
struct Groups {
  const Joints& joints;
  std::size_t i;
  Moved r;

  Moved v() const {  // (4-4)
    Moved sum;
    for (std::size_t l = 0; l <= i; ++l)
      sum += nest(joints, i, r, [&](std::size_t k) { return k == l ? &Basics::rate : &Basics::A; });
    return sum;
  }
  Moved v_rate() const {  // (4-5)
    Moved sum;
    for (std::size_t l = 0; l <= i; ++l) {
      for (std::size_t m = 0; m <= i; ++m) {
        sum += nest(joints, i, r, [&](std::size_t k) {
          if (l == m) return k == l ? &Basics::rate_rate : &Basics::A;
          return k == l || k == m ? &Basics::rate : &Basics::A;
        });
      }
    }
    return sum;
  }
  // (4-6); with the same matrices also (4-8)
  Moved v_by_q(std::size_t j) const {
    Moved sum;
    for (std::size_t l = 0; l <= i; ++l) {
      sum += nest(joints, i, r, [&](std::size_t k) {
        if (l == j) return k == l ? &Basics::rate_by_q : &Basics::A;
        return k == j ? &Basics::by_q : k == l ? &Basics::rate : &Basics::A;
      });
    }
    return sum;
  }
  Moved v_by_rate(std::size_t j) const {  // (4-7)
    return nest(joints, i, r, [&](std::size_t k) { return k == j ? &Basics::by_q : &Basics::A; });
  }
};

// Rᵀ x, R the turning part of a basic matrix: one step of the nest.
Turned turned(const JointPair& joint, Take take, const Turned& x) {
  const Eigen::Matrix3d R = (joint.value.*take).topLeftCorner<3, 3>().transpose(),
                        R_b = (joint.slope.*take).topLeftCorner<3, 3>().transpose();
  return {R * x.value, R * x.slope + R_b * x.value};
}

// W_i in link axes and its derivatives, by the recursion W_i = Rᵀ W_p + q̇ e.
struct Turning {
  Turned W, W_rate;
  std::vector<Turned> by_q, by_rate, by_rate_rate;  // by every coordinate; the last is d/dt ∂W/∂q̇
};
Turning turning_after(const Turning& p, const JointPair& joint, std::size_t i, std::size_t n) {
  Turning t;
  t.W = turned(joint, &Basics::A, p.W);
  t.W += {joint.value.turn, joint.slope.turn};
  t.W_rate = turned(joint, &Basics::rate, p.W);
  t.W_rate += turned(joint, &Basics::A, p.W_rate);
  t.W_rate += {joint.value.turn_rate, joint.slope.turn_rate};
  for (std::size_t j = 0; j < n; ++j) {
    t.by_q.push_back(turned(joint, &Basics::A, p.by_q[j]));
    t.by_rate.push_back(turned(joint, &Basics::A, p.by_rate[j]));
    t.by_rate_rate.push_back(turned(joint, &Basics::rate, p.by_rate[j]));
    t.by_rate_rate.back() += turned(joint, &Basics::A, p.by_rate_rate[j]);
    if (j != i) continue;
    t.by_q[j] += turned(joint, &Basics::by_q, p.W);
    t.by_rate[j] += {joint.e, Vector3::Zero()};
  }
  return t;
}

// Σ_k c_k a_k b_k, and its derivative with that of the coefficients.
template <class V>
Product product(const V& c, const V& c_b, const Nested<V>& a, const Nested<V>& b) {
  return {(c.array() * a.value.array() * b.value.array()).sum(),
          (c_b.array() * a.value.array() * b.value.array()).sum() +
              (c.array() * (a.slope.array() * b.value.array() + a.value.array() * b.slope.array())).sum()};
}

Joints joints_of(const TwuArm& arm, const TwuInstant& m, const TwuVariable& b, const TwuInstant& by) {
  Joints joints;
  for (std::size_t k = 0; k < arm.links.size(); ++k) joints.push_back(joint_pair(arm, k, m, b, by));
  return joints;
}

Moved centre_of(const TwuArm& arm, std::size_t i, const TwuVariable& b) {
  Moved r;
  const int along = arm.links[i].direct - 'X';
  r.value[along] = arm.links[i].centre;
  r.value[3] = 1.0;
  if (b.of == TwuVariable::Of::centre && b.link == i) r.slope[along] = 1.0;
  return r;
}

Vector3 moments_of(const TwuArm& arm, std::size_t i) {
  const auto& I = arm.links[i].moments;
  return {I[0], I[1], I[2]};
}

Turning still(std::size_t n) {
  Turning t;
  t.by_q.resize(n), t.by_rate.resize(n), t.by_rate_rate.resize(n);
  return t;
}

}  // namespace

TwuVariable twu_variable(const std::string& parameter) {
  using Of = TwuVariable::Of;
  if (parameter == "g") return {Of::gravity};
  const auto link = [](char digit) { return static_cast<std::size_t>(digit - '1'); };
  if (parameter.size() == 8 && parameter.starts_with("link"))
    return {Of::moment, link(parameter[4]), parameter[6] - 'x'};
  require(parameter.size() == 2, "a variable of his input");
  const Of of = parameter[0] == 'l'   ? Of::length
                : parameter[0] == 'm' ? Of::mass
                : parameter[0] == 'c' ? Of::centre
                                      : Of::moment;
  return {of, link(parameter[1])};
}

double& twu_value(TwuArm& arm, const TwuVariable& variable) {
  if (variable.of == TwuVariable::Of::gravity) return arm.g;
  TwuLink& link = arm.links.at(variable.link);
  switch (variable.of) {
    case TwuVariable::Of::length: return link.length;
    case TwuVariable::Of::mass: return link.mass;
    case TwuVariable::Of::centre: return link.centre;
    default: return link.moments[variable.axis];
  }
}

TwuForces nested_forces(const TwuArm& arm, const TwuInstant& motion, const TwuVariable& b, const TwuInstant& by_b) {
  const std::size_t n = arm.links.size();
  const Joints joints = joints_of(arm, motion, b, by_b);
  TwuForces f{Vector(n, 0.0), Vector(n, 0.0)};
  Turning turning = still(n);
  const double g_b = b.of == TwuVariable::Of::gravity ? 1.0 : 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    turning = turning_after(turning, joints[i], i, n);
    const Groups groups{joints, i, centre_of(arm, i, b)};
    const Moved v = groups.v(), v_rate = groups.v_rate();
    const double m = arm.links[i].mass, m_b = b.of == TwuVariable::Of::mass && b.link == i ? 1.0 : 0.0;
    const Vector4 mass = Vector4::Constant(m), mass_b = Vector4::Constant(m_b);
    const Vector3 I = moments_of(arm, i);
    Vector3 I_b = Vector3::Zero();
    if (b.of == TwuVariable::Of::moment && b.link == i) I_b[b.axis] = 1.0;
    for (std::size_t j = 0; j <= i; ++j) {
      const Moved by_q = groups.v_by_q(j), by_rate_rate = groups.v_by_q(j), by_rate = groups.v_by_rate(j);
      for (const Product& p : {product(mass, mass_b, v_rate, by_rate), product(mass, mass_b, v, by_rate_rate - by_q),
                               product(I, I_b, turning.W_rate, turning.by_rate[j]),
                               product(I, I_b, turning.W, turning.by_rate_rate[j] - turning.by_q[j]),
                               // m g ∂Y/∂q, and ∂Y/∂q = ∂v_y/∂q̇
                               Product{m * arm.g * by_rate.value[1],
                                       (m_b * arm.g + m * g_b) * by_rate.value[1] + m * arm.g * by_rate.slope[1]}}) {
        f.Q[j] += p.value;
        f.by[j] += p.slope;
      }
    }
  }
  return f;
}

Vector nested_mass_matrix(const TwuArm& arm, const Vector& q) {
  const std::size_t n = arm.links.size();
  const TwuVariable none{TwuVariable::Of::length, n};
  const TwuInstant at_rest{q, Vector(n, 0.0), Vector(n, 0.0)}, zero{Vector(n, 0.0), Vector(n, 0.0), Vector(n, 0.0)};
  const Joints joints = joints_of(arm, at_rest, none, zero);
  Vector M(n * n, 0.0);
  Turning turning = still(n);
  for (std::size_t i = 0; i < n; ++i) {
    turning = turning_after(turning, joints[i], i, n);
    const Groups groups{joints, i, centre_of(arm, i, none)};
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t a = 0; a <= i; ++a) {
        M[j * n + a] += arm.links[i].mass * groups.v_by_rate(a).value.dot(groups.v_by_rate(j).value) +
                        turning.by_rate[a].value.dot(moments_of(arm, i).cwiseProduct(turning.by_rate[j].value));
      }
    }
  }
  return M;
}

std::vector<TwuVaried> nested_motion(const TwuArm& arm, const TwuExample& example,
                                     const std::vector<TwuVariable>& variables, const Vector& times,
                                     int steps_between) {
  const std::size_t n = arm.links.size();
  const Vector zero(n, 0.0);
  // y: q, q̇, then ∂q and ∂q̇ by one variable after the other
  const auto part = [&](const Vector& y, std::size_t k) {
    const auto begin = y.begin() + static_cast<std::ptrdiff_t>(k * n);
    return Vector(begin, begin + static_cast<std::ptrdiff_t>(n));
  };
  const auto varied = [&](double t, const Vector& y) {
    TwuVaried state{{part(y, 0), part(y, 1), zero}, {}};
    const Vector M = nested_mass_matrix(arm, state.motion.q);
    const auto order = static_cast<Eigen::Index>(n);
    const Eigen::MatrixXd inverse = lw::inverse(Eigen::Map<const Eigen::MatrixXd>(M.data(), order, order));
    const auto solved = [&](const Vector& right) {
      Vector x(n);
      Eigen::Map<Eigen::VectorXd>(x.data(), order) = inverse * Eigen::Map<const Eigen::VectorXd>(right.data(), order);
      return x;
    };
    Vector right = example.force(t);
    const Vector h = nested_forces(arm, state.motion, {TwuVariable::Of::length, n}, {zero, zero, zero}).Q;
    for (std::size_t j = 0; j < n; ++j) right[j] -= h[j];
    state.motion.qdd = solved(right);
    for (std::size_t k = 0; k < variables.size(); ++k) {
      TwuInstant by{part(y, 2 + 2 * k), part(y, 3 + 2 * k), zero};
      Vector residual = nested_forces(arm, state.motion, variables[k], by).by;
      for (double& r : residual) r = -r;
      by.qdd = solved(residual);
      state.by.push_back(std::move(by));
    }
    return state;
  };
  const auto slope = [&](double s, const Vector& y) {
    const TwuVaried state = varied(s * s, y);
    Vector dy;
    const auto add = [&](const TwuInstant& i) {
      for (const double x : i.qd) dy.push_back(2.0 * s * x);
      for (const double x : i.qdd) dy.push_back(2.0 * s * x);
    };
    add(state.motion);
    for (const TwuInstant& by : state.by) add(by);
    return dy;
  };
  Vector y((2 + 2 * variables.size()) * n, 0.0);
  const Vector start = example.start();
  std::copy(start.begin(), start.end(), y.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<TwuVaried> all;
  double from = 0.0;
  for (const double t : times) {
    const double to = std::sqrt(t);
    if (to > from) y = all_stages_run(butcher_tableau("verner"), slope, from, y, to, steps_between);
    all.push_back(varied(t, y));
    from = to;
  }
  return all;
}

}  // namespace lw::reproduce
