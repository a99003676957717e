#include "torque_terms.hpp"

#include <cmath>

#include "rnea.hpp"

namespace lw {
namespace {

constexpr double kBearings = 0.01;

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// What the motion of each body alone adds to each torque, under one of the causes.
void add_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd,
               const Vec3<double>& gravity, std::vector<double>& terms) {
  forward_accelerations<double>(model, work, q, qd, qdd, gravity);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<double>& I = model.bodies[i].inertia;
    const Vec3<double>&w = work.velocity[i].ang, &alpha = work.alpha[i], &a = work.acceleration[i];
    Force<double> f{I.I * alpha + cross(w, I.I * w) + cross(I.h, a), I.mass * a + cross(alpha, I.h) + cross(w, cross(w, I.h))};
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
}

}  // namespace

std::vector<double> torque_terms(const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd,
                                 In<double> qdd) {
  std::vector<double> terms(static_cast<std::size_t>(model.nv), 0.0);
  const Vec3<double> weightless = Vec3<double>::zero();
  add_terms(model, work, q, work.zero, work.zero, model.gravity, terms);
  add_terms(model, work, q, qd, work.zero, weightless, terms);
  add_terms(model, work, q, work.zero, qdd, weightless, terms);
  for (const Body<double>& b : model.bodies) {
    if (b.kind != JointKind::revolute && b.kind != JointKind::prismatic) continue;
    terms[static_cast<std::size_t>(b.v)] +=
        std::abs(b.ratio) * (std::abs(b.armature * joint_rate<double>(b, qdd)) +
                             std::abs(b.stiffness) * (std::abs(joint_coordinate<double>(b, q)) + std::abs(b.rest)));
  }
  return terms;
}

}  // namespace lw
