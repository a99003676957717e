#include "derivative_terms.hpp"

#include <cmath>

#include "../../base/index.hpp"
#include "../tree/elements.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

constexpr double kOtherAxes = 0.01;

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

bool is_free(const Body<double>& b) { return b.kind == JointKind::spherical || b.kind == JointKind::floating; }

// visit(b, X, velocity k of its joint, whether it turns, its axis) of the bodies b whose joints carry a body, in the
// axes of b; X is the pose of the carried one there.
template <class Visit>
void each_above(const Model<double>& model, const Workspace<double>& work, int carried, const Visit& visit) {
  Transform<double> X;
  for (int a = carried; a >= 0; a = model.bodies[at(a)].parent) {
    const Body<double>& joint = model.bodies[at(a)];
    for (int k = 0; k < joint.velocities(); ++k) {
      const bool free = is_free(joint), turns = free ? k < 3 : joint.kind == JointKind::revolute;
      visit(at(a), X, k, turns, free ? Vec3<double>::unit(k % 3) : joint.axis);
    }
    X = work.X[at(a)] * X;
  }
}

struct Acceleration {
  Vec3<double> w, alpha, a;
};

// Sizes of motions of one body's points.
class PointNorm {
 public:
  explicit PointNorm(const RigidInertia<double>& I) : mass_(std::abs(I.mass)), central_(I.I) {
    if (I.mass == 0.0) return;
    com_ = I.h / I.mass;
    central_ = I.I + outer(com_, I.h) - Mat3<double>::diagonal(dot(com_, I.h));
  }
  const Vec3<double>& com() const { return com_; }
  // Of a turn, and of a velocity of the centre of mass.
  double of(const Vec3<double>& turn, const Vec3<double>& centre) const {
    return std::sqrt(mass_ * dot(centre, centre) + std::abs(dot(turn, central_ * turn)));
  }
  // Of turns about all axes through a point at this distance from the centre.
  double of_all_turns(double distance) const {
    const double trace = central_(0, 0) + central_(1, 1) + central_(2, 2);
    return std::sqrt(2.0 * mass_ * distance * distance + std::abs(trace));
  }
  // Of the accelerations of a frame in which the centre of mass is at c.
  double of(const Acceleration& x, const Vec3<double>& c) const {
    const Vec3<double> centre = x.a + cross(x.alpha, c) + cross(x.w, cross(x.w, c));
    return std::sqrt(mass_) * norm(centre) + (norm(x.alpha) + dot(x.w, x.w)) * of_all_turns(0.0);
  }

 private:
  double mass_;
  Vec3<double> com_;
  Mat3<double> central_;
};

class Terms {
 public:
  Terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd,
        DerivativeTerms& to)
      : model_(model), work_(work), q_(q), qd_(qd), to_(to), bodies_(model.bodies.size()) {
    for (const Body<double>& b : model.bodies) norms_.emplace_back(b.inertia);
    for (const bool moving : {false, true}) {
      forward_accelerations<double>(model, work, q, moving ? qd : In<double>(work.zero),
                                    moving ? In<double>(work.zero) : qdd, Vec3<double>::zero());
      for (std::size_t i = 0; i < bodies_.size(); ++i) {
        bodies_[i].causes[moving ? 1 : 0] = {work.velocity[i].ang, work.alpha[i], work.acceleration[i]};
        bodies_[i].alpha += norm(work.alpha[i]);
        bodies_[i].w = norm(work.velocity[i].ang);
      }
    }
  }

  void add_body(std::size_t b) {
    struct Column {
      std::size_t v;
      double ratio, turns, J, w, alpha, u, a;
    };
    std::vector<Column> columns;
    const PointNorm& size = norms_[b];
    Motion<double> relative;  // of the body to the parent of the joint, at the centre of mass in the body's axes
    each_above(model_, work_, static_cast<int>(b),
               [&](std::size_t above, const Transform<double>& X, int k, bool turns, const Vec3<double>& axis) {
                 const Body<double>& joint = model_.bodies[above];
                 const Vec3<double> r = X.R * size.com() + X.p, none = Vec3<double>::zero();
                 const Mat3<double> back = transpose(X.R);
                 const Motion<double> J{turns ? back * axis : none, back * (turns ? cross(axis, r) : axis)};
                 const double rate = is_free(joint) ? qd_[at(joint.v + k)] : joint_rate<double>(joint, qd_);
                 relative += {J.ang * rate, J.lin * rate};
                 double own = size.of(J.ang, J.lin);
                 if (turns)
                   own = is_free(joint) ? size.of_all_turns(norm(r)) : own + kOtherAxes * size.of_all_turns(norm(r));
                 const Moving parent = joint.parent < 0 ? Moving{} : bodies_[at(joint.parent)];
                 const double carried =
                     joint.parent < 0 ? 0.0
                                      : accelerations(at(joint.parent), size, work_.X[above].R * r + work_.X[above].p);
                 double spin = 0.0;  // of axes that turn with the joint
                 if (is_free(joint)) spin = std::hypot(qd_[at(joint.v)], qd_[at(joint.v + 1)], qd_[at(joint.v + 2)]);
                 columns.push_back({at(joint.v + k), std::abs(joint.ratio), turns ? 1.0 : 0.0, own, parent.w + spin,
                                    parent.alpha + parent.w * parent.w, 0.0, carried});
                 // a free joint's velocities go together
                 if (k + 1 < joint.velocities()) return;
                 for (int c = 0; c < joint.velocities(); ++c)
                   columns[columns.size() - 1 - at(c)].u = size.of(relative.ang, relative.lin);
               });
    const double a = size.of(Vec3<double>::zero(), model_.gravity) + accelerations(b, size, size.com());
    const std::size_t n = at(model_.nv);
    for (const Column& j : columns) {
      for (const Column& i : columns) {
        const double ratio = i.ratio * j.ratio;
        const std::size_t entry = j.v * n + i.v;
        to_.d_qdd[entry] += ratio * i.J * j.J;
        to_.d_qd[entry] += ratio * i.J * 2.0 * (j.w * j.J + j.turns * j.u);
        to_.d_q[entry] += ratio * (i.J * (j.alpha * j.J + j.turns * (a + j.a + 4.0 * j.w * j.u)) + i.turns * j.J * a);
      }
    }
  }

  void add_joints() {
    for (const Body<double>& b : model_.bodies) {
      if (is_free(b)) continue;
      const std::size_t entry = diagonal(b.v);
      to_.d_qdd[entry] += b.ratio * b.ratio * std::abs(b.armature);
      to_.d_q[entry] += b.ratio * b.ratio * std::abs(b.stiffness);
    }
    for (const RotorTie<double>& tie : model_.rotor_ties) {
      to_.d_qdd[at(tie.v * model_.nv + tie.w)] += std::abs(tie.inertia);
      to_.d_qdd[at(tie.w * model_.nv + tie.v)] += std::abs(tie.inertia);
    }
  }

  void add_elements() {
    forward_kinematics<double>(model_, work_, q_);
    for (const PointSpringElement<double>& s : model_.springs) {
      const SpringLine<double> line = spring_line<double>(frame_pose(work_, s.a).p, frame_pose(work_, s.b).p);
      const double pull = std::abs(tension<double>(s, line.length));
      const double slope = std::abs(s.tension.empty() ? s.stiffness : s.tension.slope(line.length));
      std::vector<AtPoint> both = arm(s.a);
      for (const AtPoint& c : arm(s.b)) both.push_back(c);
      add_pairs(both, slope + pull / line.length, pull, 0.0);
    }
    for (const ForceElement<double>& f : model_.forces)
      add_pairs(arm(f.frame), 0.0, norm(f.wrench.lin), norm(f.wrench.ang));
    for (const JointElement<double>& e : model_.joint_elements) {
      const Body<double>& b = model_.bodies[at(e.body)];
      const double x = joint_coordinate<double>(b, q_), slope = e.spring.empty() ? 0.0 : std::abs(e.spring.slope(x));
      to_.d_q[diagonal(b.v)] += b.ratio * b.ratio * (slope + std::abs(e.stiffness));
    }
    for (const ShaftElement<double>& s : model_.shafts) {
      for (const int j : {s.body_a, s.body_b}) {
        for (const int i : {s.body_a, s.body_b}) {
          const Body<double>&row = model_.bodies[at(i)], &column = model_.bodies[at(j)];
          to_.d_q[at(column.v * model_.nv + row.v)] += std::abs(row.ratio * column.ratio * s.stiffness);
        }
      }
    }
  }

 private:
  struct Moving {
    Acceleration causes[2];  // by q̈, and by q̇
    double w = 0.0, alpha = 0.0;
  };
  struct AtPoint {  // what a velocity does to a point
    std::size_t v;
    double ratio, turns, J;
  };

  // Of points that move with body p, with their centre of mass at c in its frame; without weight.
  double accelerations(std::size_t p, const PointNorm& points, const Vec3<double>& c) const {
    return points.of(bodies_[p].causes[0], c) + points.of(bodies_[p].causes[1], c);
  }

  std::size_t diagonal(int v) const { return at(v * model_.nv + v); }

  std::vector<AtPoint> arm(const Frame<double>& f) const {
    std::vector<AtPoint> columns;
    each_above(model_, work_, f.body,
               [&](std::size_t above, const Transform<double>& X, int k, bool turns, const Vec3<double>&) {
                 const Body<double>& joint = model_.bodies[above];
                 columns.push_back({at(joint.v + k), std::abs(joint.ratio), turns ? 1.0 : 0.0,
                                    turns ? norm(X.R * f.X_BF.p + X.p) : 1.0});
               });
    return columns;
  }
  void add_pairs(const std::vector<AtPoint>& columns, double stiffness, double force, double moment) {
    for (const AtPoint& j : columns) {
      for (const AtPoint& i : columns) {
        to_.d_q[j.v * at(model_.nv) + i.v] +=
            i.ratio * j.ratio *
            (stiffness * i.J * j.J + force * (i.turns * j.J + j.turns * i.J) + moment * i.turns * j.turns);
      }
    }
  }

  const Model<double>& model_;
  Workspace<double>& work_;
  In<double> q_, qd_;
  DerivativeTerms& to_;
  std::vector<PointNorm> norms_;
  std::vector<Moving> bodies_;
};

// --- along parameters

Vec3<double> rate(const Vec3<Dual>& v) { return {v[0].d, v[1].d, v[2].d}; }
Vec3<double> value(const Vec3<Dual>& v) { return {v[0].v, v[1].v, v[2].v}; }
double rate(const Mat3<Dual>& m) {
  double sum = 0.0;
  for (int c = 0; c < 3; ++c) sum += dot(rate(m.col(c)), rate(m.col(c)));
  return std::sqrt(sum);
}

class ParameterTerms {
 public:
  ParameterTerms(const Model<Dual>& model, Workspace<Dual>& work)
      : terms(at(model.nv), 0.0), model_(model), work_(work) {}

  // The change of a wrench on body i, at the joints that carry it.
  void add_wrench(std::size_t i, const Force<Dual>& f) { add_wrench(i, f, norm(rate(f.ang)), norm(rate(f.lin))); }
  // `ang`, `lin`: sums without signs of the parts, which may cancel.
  void add_wrench(std::size_t i, Force<Dual> f, double ang, double lin) {
    for (std::size_t j = i;;) {
      const Body<Dual>& b = model_.bodies[j];
      const auto v = at(b.v);
      if (b.kind == JointKind::revolute || b.kind == JointKind::prismatic) {
        const bool turns = b.kind == JointKind::revolute;
        const Dual torque = b.ratio * dot(b.axis, turns ? f.ang : f.lin);
        terms[v] += std::abs(torque.d) + kOtherAxes * (std::abs(b.ratio.v) * (turns ? ang : lin) +
                                                       std::abs(b.ratio.d) * norm(value(turns ? f.ang : f.lin)));
      } else {
        for (std::size_t k = 0; k < 3; ++k) {
          terms[v + k] += ang;
          if (b.kind == JointKind::floating) terms[v + 3 + k] += lin;
        }
      }
      if (b.parent < 0) break;
      const Transform<Dual>& X = work_.X[j];
      const double force = norm(value(f.lin)), turned = rate(X.R);
      ang += turned * norm(value(f.ang)) + norm(value(X.p)) * (lin + turned * force) + norm(rate(X.p)) * force;
      lin += turned * force;
      f = X.to_parent(f);
      j = at(b.parent);
    }
  }

  void add_motion(In<Dual> q, In<Dual> qd, In<Dual> qdd, const Vec3<Dual>& gravity) {
    forward_accelerations<Dual>(model_, work_, q, qd, qdd, gravity);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const RigidInertia<Dual>& I = model_.bodies[i].inertia;
      const Vec3<Dual>&w = work_.velocity[i].ang, &alpha = work_.alpha[i], &a = work_.acceleration[i];
      const Vec3<Dual> turning = I.I * alpha, spinning = cross(w, I.I * w), lifting = cross(I.h, a);
      const Vec3<Dual> carried = I.mass * a, swung = cross(alpha, I.h), thrown = cross(w, cross(w, I.h));
      add_wrench(i, {turning + spinning + lifting, carried + swung + thrown},
                 norm(rate(turning)) + norm(rate(spinning)) + norm(rate(lifting)),
                 norm(rate(carried)) + norm(rate(swung)) + norm(rate(thrown)));
    }
  }

  void add_joints(In<Dual> q, In<Dual> qdd) {
    for (const Body<Dual>& b : model_.bodies) {
      if (b.kind != JointKind::revolute && b.kind != JointKind::prismatic) continue;
      const Dual x = joint_coordinate<Dual>(b, q);
      for (const Dual& torque : {b.armature * joint_rate<Dual>(b, qdd), b.stiffness * x, b.stiffness * b.rest}) {
        terms[at(b.v)] += std::abs((b.ratio * torque).d);
      }
    }
    for (const RotorTie<Dual>& tie : model_.rotor_ties) {
      terms[at(tie.v)] += std::abs((tie.inertia * qdd[at(tie.w)]).d);
      terms[at(tie.w)] += std::abs((tie.inertia * qdd[at(tie.v)]).d);
    }
  }

  void add_elements(In<Dual> q) {
    forward_kinematics<Dual>(model_, work_, q);
    for (const PointSpringElement<Dual>& s : model_.springs) {
      const SpringLine<Dual> line = spring_line<Dual>(frame_pose(work_, s.a).p, frame_pose(work_, s.b).p);
      for (const Frame<Dual>* end : {&s.a, &s.b}) {
        if (end->body < 0) continue;
        add_wrench(at(end->body), wrench_on_body<Dual>(work_, *end, {{}, line.along * tension<Dual>(s, line.length)}));
      }
    }
    for (const ForceElement<Dual>& f : model_.forces) {
      if (f.frame.body < 0) continue;
      add_wrench(at(f.frame.body),
                 f.in_link ? f.frame.X_BF.to_parent(f.wrench) : wrench_on_body<Dual>(work_, f.frame, f.wrench));
    }
    std::vector<Dual> at_joints(terms.size());
    subtract_element_torques<Dual>(model_, q, at_joints);
    for (std::size_t k = 0; k < terms.size(); ++k) terms[k] += std::abs(at_joints[k].d);
  }

  std::vector<double> terms;

 private:
  const Model<Dual>& model_;
  Workspace<Dual>& work_;
};

}  // namespace

DerivativeTerms derivative_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd) {
  const std::vector<double> none(at(model.nv * model.nv), 0.0);
  DerivativeTerms all{none, none, none};
  Terms terms(model, work, q, qd, qdd, all);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) terms.add_body(b);
  terms.add_joints();
  if (has_elements(model)) terms.add_elements();
  return all;
}

std::vector<double> parameter_terms(const Model<Dual>& moving, Workspace<Dual>& work, In<double> q, In<double> qd,
                                    In<double> qdd) {
  const std::vector<Dual> x(q.begin(), q.end()), xd(qd.begin(), qd.end()), xdd(qdd.begin(), qdd.end());
  const Vec3<Dual> weightless = Vec3<Dual>::zero();
  ParameterTerms all(moving, work);
  all.add_motion(x, work.zero, work.zero, moving.gravity);
  all.add_motion(x, xd, work.zero, weightless);
  all.add_motion(x, work.zero, xdd, weightless);
  all.add_joints(x, xdd);
  if (has_elements(moving)) all.add_elements(x);
  return std::move(all.terms);
}

}  // namespace lw
