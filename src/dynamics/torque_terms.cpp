#include "torque_terms.hpp"

#include <cmath>

#include "elements.hpp"
#include "kinematics.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

constexpr double kBearings = 0.01;

// What a wrench on body i adds to the terms of the joints that carry it.
void add_wrench(const Model<double>& model, const Workspace<double>& work, std::size_t i, Force<double> f,
                std::vector<double>& terms) {
  for (std::size_t j = i;;) {
    const Body<double>& b = model.bodies[j];
    const auto v = static_cast<std::size_t>(b.v);
    if (b.kind == JointKind::revolute || b.kind == JointKind::prismatic) {
      const Vec3<double>& acts = b.kind == JointKind::revolute ? f.ang : f.lin;
      terms[v] += std::abs(b.ratio) * (std::abs(dot(b.axis, acts)) + kBearings * norm(acts));
    } else {
      for (std::size_t k = 0; k < 3; ++k) {
        terms[v + k] += norm(f.ang);
        if (b.kind == JointKind::floating) terms[v + 3 + k] += norm(f.lin);
      }
    }
    if (b.parent < 0) break;
    f = work.X[j].to_parent(f);
    j = static_cast<std::size_t>(b.parent);
  }
}

// What the bodies need, each by itself, under one of the causes.
void add_motion(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd,
                const Vec3<double>& gravity, std::vector<double>& terms) {
  forward_accelerations<double>(model, work, q, qd, qdd, gravity);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<double>& I = model.bodies[i].inertia;
    const Vec3<double>&w = work.velocity[i].ang, &alpha = work.alpha[i], &a = work.acceleration[i];
    const Vec3<double> n = I.I * alpha + cross(w, I.I * w) + cross(I.h, a);
    add_wrench(model, work, i, {n, I.mass * a + cross(alpha, I.h) + cross(w, cross(w, I.h))}, terms);
  }
}

// A curve's value is a piece's constant and its slope times x.
double curve_terms(const Curve<double>& curve, double x) {
  return std::abs(curve(x)) + std::abs(curve.slope(x) * x);
}

void add_elements(const Model<double>& model, Workspace<double>& work, In<double> q, std::vector<double>& terms) {
  forward_kinematics<double>(model, work, q);
  for (const PointSpringElement<double>& s : model.springs) {
    const SpringLine<double> line = spring_line<double>(frame_pose(work, s.a).p, frame_pose(work, s.b).p);
    const double pull = s.tension.empty() ? std::abs(s.stiffness) * (line.length + std::abs(s.rest))
                                          : curve_terms(s.tension, line.length);
    for (const Frame<double>* end : {&s.a, &s.b}) {
      if (end->body < 0) continue;
      const Force<double> f = wrench_on_body<double>(work, *end, {{}, line.along * pull});
      add_wrench(model, work, static_cast<std::size_t>(end->body), f, terms);
    }
  }
  for (const ForceElement<double>& f : model.forces) {
    if (f.frame.body < 0) continue;
    add_wrench(model, work, static_cast<std::size_t>(f.frame.body),
               f.in_link ? f.frame.X_BF.to_parent(f.wrench) : wrench_on_body<double>(work, f.frame, f.wrench), terms);
  }
  const auto add = [&](int body, double torque) {
    const Body<double>& b = model.bodies[static_cast<std::size_t>(body)];
    terms[static_cast<std::size_t>(b.v)] += std::abs(b.ratio) * torque;
  };
  const auto coordinate = [&](int body) {
    return joint_coordinate<double>(model.bodies[static_cast<std::size_t>(body)], q);
  };
  for (const JointElement<double>& e : model.joint_elements) {
    const double x = coordinate(e.body);
    if (!e.spring.empty()) add(e.body, curve_terms(e.spring, x));
    if (e.has_upper && x > e.upper) add(e.body, std::abs(e.stiffness) * (std::abs(x) + std::abs(e.upper)));
    if (e.has_lower && x < e.lower) add(e.body, std::abs(e.stiffness) * (std::abs(x) + std::abs(e.lower)));
  }
  for (const ShaftElement<double>& s : model.shafts) {
    const double a = coordinate(s.body_a), b = coordinate(s.body_b);
    for (const int body : {s.body_a, s.body_b}) {
      add(body, std::abs(s.stiffness) * (std::abs(a) + std::abs(b) + std::abs(s.play)));
    }
  }
}

}  // namespace

std::vector<double> torque_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd) {
  std::vector<double> terms(static_cast<std::size_t>(model.nv), 0.0);
  const Vec3<double> weightless = Vec3<double>::zero();
  add_motion(model, work, q, work.zero, work.zero, model.gravity, terms);
  add_motion(model, work, q, qd, work.zero, weightless, terms);
  add_motion(model, work, q, work.zero, qdd, weightless, terms);
  for (const Body<double>& b : model.bodies) {
    if (b.kind != JointKind::revolute && b.kind != JointKind::prismatic) continue;
    terms[static_cast<std::size_t>(b.v)] +=
        std::abs(b.ratio) * (std::abs(b.armature * joint_rate<double>(b, qdd)) +
                             std::abs(b.stiffness) * (std::abs(joint_coordinate<double>(b, q)) + std::abs(b.rest)));
  }
  for (const RotorTie<double>& tie : model.rotor_ties) {
    const auto v = static_cast<std::size_t>(tie.v), w = static_cast<std::size_t>(tie.w);
    terms[v] += std::abs(tie.inertia * qdd[w]);
    terms[w] += std::abs(tie.inertia * qdd[v]);
  }
  if (has_elements(model)) add_elements(model, work, q, terms);
  return terms;
}

}  // namespace lw
