#include "torque_terms.hpp"

#include <cmath>
#include <functional>

#include "elements.hpp"
#include "kinematics.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

constexpr double kBearings = 0.01;

// What a wrench on body i adds to the terms of the joints that carry it. `size`: sums without signs of what its moment
// and its force are made of, which may cancel in it.
struct WrenchSize {
  double moment, force;
};
void add_wrench(const Model<double>& model, const Workspace<double>& work, std::size_t i, Force<double> f,
                WrenchSize size, std::vector<double>& terms) {
  for (std::size_t j = i;;) {
    const Body<double>& b = model.bodies[j];
    const auto v = static_cast<std::size_t>(b.v);
    if (b.kind == JointKind::revolute || b.kind == JointKind::prismatic) {
      const bool turns = b.kind == JointKind::revolute;
      terms[v] += std::abs(b.ratio) *
                  (std::abs(dot(b.axis, turns ? f.ang : f.lin)) + kBearings * (turns ? size.moment : size.force));
    } else {
      for (std::size_t k = 0; k < 3; ++k) {
        terms[v + k] += size.moment;
        if (b.kind == JointKind::floating) terms[v + 3 + k] += size.force;
      }
    }
    if (b.parent < 0) break;
    size.moment += norm(work.X[j].p) * size.force;
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
    const Vec3<double> turned = I.I * alpha, spun = I.I * w;
    const double h = norm(I.h), a_size = norm(a), w_size = norm(w);
    add_wrench(model, work, i,
               {turned + cross(w, spun) + cross(I.h, a), I.mass * a + cross(alpha, I.h) + cross(w, cross(w, I.h))},
               {norm(turned) + w_size * norm(spun) + h * a_size,
                std::abs(I.mass) * a_size + (norm(alpha) + w_size * w_size) * h},
               terms);
  }
}

// A curve's value is a piece's constant and its slope times x.
double curve_terms(const Curve<double>& curve, double x) { return std::abs(curve(x)) + std::abs(curve.slope(x) * x); }

// At a place of its body, from the origin of which the lever is.
WrenchSize size_at(const Force<double>& on_body, const Force<double>& at_place, const Vec3<double>& lever) {
  const double force = norm(on_body.lin);
  return {norm(at_place.ang) + norm(lever) * force, force};
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
      add_wrench(model, work, static_cast<std::size_t>(end->body), f, size_at(f, {}, end->X_BF.p), terms);
    }
  }
  for (const ForceElement<double>& f : model.forces) {
    if (f.frame.body < 0) continue;
    const Force<double> on_body =
        f.in_link ? f.frame.X_BF.to_parent(f.wrench) : wrench_on_body<double>(work, f.frame, f.wrench);
    add_wrench(model, work, static_cast<std::size_t>(f.frame.body), on_body, size_at(on_body, f.wrench, f.frame.X_BF.p),
               terms);
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

EnergyTerms energy_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd) {
  forward_velocities<double>(model, work, q, qd);
  EnergyTerms terms;
  std::vector<double> reach(model.bodies.size());  // from the world's origin, along the chain
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<double>& b = model.bodies[i];
    const RigidInertia<double>& I = b.inertia;
    const Transform<double>& X = work.X_W[i];
    const double w = norm(work.velocity[i].ang), v = norm(work.velocity[i].lin), h = norm(I.h), mass = std::abs(I.mass);
    reach[i] = norm(work.X[i].p) + (b.parent < 0 ? 0.0 : reach[static_cast<std::size_t>(b.parent)]);
    terms.kinetic += 0.5 * (mass * v * v + w * norm(I.I * work.velocity[i].ang)) + w * v * h;
    const Vec3<double> first = X.R * I.h;
    for (int k = 0; k < 3; ++k)
      terms.potential += std::abs(model.gravity[k]) * (std::abs(I.mass * X.p[k]) + std::abs(first[k]));
    terms.potential += kBearings * norm(model.gravity) * (mass * reach[i] + h);
    if (b.velocities() != 1) continue;
    const double rate = joint_rate<double>(b, qd),
                 stretch = std::abs(joint_coordinate<double>(b, q)) + std::abs(b.rest);
    terms.kinetic += 0.5 * std::abs(b.armature) * rate * rate;
    terms.potential += 0.5 * std::abs(b.stiffness) * stretch * stretch;
  }
  for (const RotorTie<double>& tie : model.rotor_ties) {
    terms.kinetic += std::abs(tie.inertia * qd[static_cast<std::size_t>(tie.v)] * qd[static_cast<std::size_t>(tie.w)]);
  }
  if (has_elements(model)) terms.potential += std::abs(element_energy<double>(model, work, q));
  return terms;
}

namespace {

// From each body's force and moment about its own origin, without signs. Levers: along the chains of bodies, since
// places of bodies and of the centre of mass are differences of these.
MomentumTerms about_centre(const Model<double>& model, const Workspace<double>& work,
                           const std::function<MomentumTerms(std::size_t)>& of_body) {
  std::vector<double> reach(model.bodies.size());
  double farthest = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int parent = model.bodies[i].parent;
    reach[i] = norm(work.X[i].p) + (parent < 0 ? 0.0 : reach[static_cast<std::size_t>(parent)]);
    farthest = std::max(farthest, reach[i]);
  }
  MomentumTerms sum;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const MomentumTerms own = of_body(i);
    sum.linear += own.linear;
    sum.angular += own.angular + (reach[i] + farthest) * own.linear;
  }
  return sum;
}

}  // namespace

MomentumTerms momentum_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd) {
  forward_velocities<double>(model, work, q, qd);
  return about_centre(model, work, [&](std::size_t i) {
    const RigidInertia<double>& I = model.bodies[i].inertia;
    const double w = norm(work.velocity[i].ang), v = norm(work.velocity[i].lin), h = norm(I.h);
    return MomentumTerms{norm(I.I * work.velocity[i].ang) + h * v, std::abs(I.mass) * v + h * w};
  });
}

MomentumTerms momentum_rate_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                  In<double> qdd) {
  forward_kinematics<double>(model, work, q);
  forward_accelerations<double>(model, work, q, qd, qdd, Vec3<double>::zero());
  return about_centre(model, work, [&](std::size_t i) {
    const RigidInertia<double>& I = model.bodies[i].inertia;
    const Vec3<double>& velocity = work.velocity[i].ang;
    const double w = norm(velocity), alpha = norm(work.alpha[i]), a = norm(work.acceleration[i]), h = norm(I.h);
    return MomentumTerms{norm(I.I * work.alpha[i]) + w * norm(I.I * velocity) + h * a,
                         std::abs(I.mass) * a + h * (alpha + w * w)};
  });
}

}  // namespace lw
