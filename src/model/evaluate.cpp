#include "evaluate.hpp"

#include <Eigen/Geometry>

namespace lw {
namespace {

using Visit = std::function<void(const Formula&)>;

template <class List>
void each(const List& list, const Visit& visit) {
  for (const Formula& f : list) visit(f);
}
void each(const std::optional<Formula>& formula, const Visit& visit) {
  if (formula) visit(*formula);
}
void each(const Origin& origin, const Visit& visit) {
  each(origin.xyz, visit);
  each(origin.rotation.values, visit);
}
void each(const Inertia& inertia, const Visit& visit) {
  visit(inertia.mass);
  each(inertia.com, visit);
  each(inertia.tensor, visit);
  each(inertia.rotation.values, visit);
}
void each(const Visual& visual, const Visit& visit) {
  each(visual.size, visit);
  each(visual.origin, visit);
}
void each(const FormulaTable& table, const Visit& visit) {
  each(table.x, visit);
  each(table.y, visit);
}
void each(const std::optional<FormulaTable>& table, const Visit& visit) {
  if (table) each(*table, visit);
}
void each(const Friction& friction, const Visit& visit) {
  visit(friction.viscous);
  visit(friction.coulomb);
  visit(friction.width);
  if (friction.stribeck) {
    for (const Formula* f :
         {&friction.stribeck->static_torque, &friction.stribeck->velocity, &friction.stribeck->shape})
      visit(*f);
  }
  for (const Bearing& b : friction.bearings) {
    for (const Formula* f : {&b.mu, &b.radius, &b.spacing}) visit(*f);
  }
}
void each(const Drive& drive, const Visit& visit) {
  visit(drive.ratio);
  visit(drive.rotor_inertia);
  if (drive.rotor_axis) each(*drive.rotor_axis, visit);
  each(drive.efficiency, visit);
  for (const auto* f :
       {&drive.breakaway, &drive.rated, &drive.peak, &drive.stiffness, &drive.damping, &drive.backlash}) {
    each(*f, visit);
  }
}
void each(const Joint& joint, const Visit& visit) {
  each(joint.axis, visit);
  each(joint.axis2, visit);
  each(joint.origin, visit);
  if (joint.dh) {
    for (const Formula* f : {&joint.dh->alpha, &joint.dh->a, &joint.dh->theta, &joint.dh->d}) visit(*f);
  }
  for (const auto* f : {&joint.limits.lower, &joint.limits.upper, &joint.limits.velocity, &joint.limits.effort,
                        &joint.limits.stiffness, &joint.limits.damping})
    each(*f, visit);
  if (joint.mimic) {
    visit(joint.mimic->ratio);
    visit(joint.mimic->offset);
  }
  each(joint.friction, visit);
  if (joint.drive) each(*joint.drive, visit);
  if (joint.spring) {
    visit(joint.spring->stiffness);
    visit(joint.spring->rest);
    each(joint.spring->table, visit);
  }
  if (joint.damper) {
    visit(joint.damper->coefficient);
    each(joint.damper->table, visit);
  }
}

}  // namespace

Eigen::Vector3d DefaultValues::operator()(const Formula3& f) const {
  return {(*this)(f[0]), (*this)(f[1]), (*this)(f[2])};
}

Eigen::Matrix3d DefaultValues::operator()(const Rotation& rotation) const {
  const auto v = [&](std::size_t k) { return (*this)(rotation.values[k]); };
  switch (rotation.kind) {
    case Rotation::Kind::none: break;
    case Rotation::Kind::rpy:
      return (Eigen::AngleAxisd(v(2), Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(v(1), Eigen::Vector3d::UnitY()) *
              Eigen::AngleAxisd(v(0), Eigen::Vector3d::UnitX()))
          .toRotationMatrix();
    case Rotation::Kind::quaternion: return Eigen::Quaterniond(v(3), v(0), v(1), v(2)).normalized().toRotationMatrix();
    case Rotation::Kind::matrix: {
      Eigen::Matrix3d R;
      R << v(0), v(1), v(2), v(3), v(4), v(5), v(6), v(7), v(8);
      return R;
    }
  }
  return Eigen::Matrix3d::Identity();
}

void for_each_formula(const Mechanism& mechanism, const Visit& visit) {
  for (const Parameter& p : mechanism.parameters) visit(p.value);
  each(mechanism.gravity, visit);
  if (mechanism.base_inertia) each(*mechanism.base_inertia, visit);
  for (const Visual& v : mechanism.base_visuals) each(v, visit);
  for (const Link& link : mechanism.links) {
    each(link.joint, visit);
    if (link.inertia) each(*link.inertia, visit);
    for (const Visual& v : link.visuals) each(v, visit);
  }
  for (const Loop& loop : mechanism.loops) {
    each(loop.axis, visit);
    each(loop.axis2, visit);
    for (const Origin& o : loop.at) each(o, visit);
    each(loop.friction, visit);
  }
  for (const Payload& p : mechanism.payloads) each(p.inertia, visit);
  for (const Coupling& c : mechanism.couplings) {
    each(c.matrix, visit);
    for (const Drive& d : c.drives) each(d, visit);
  }
  for (const PointSpring& s : mechanism.springs) {
    for (const Formula3& p : s.at) each(p, visit);
    for (const Formula* f : {&s.stiffness, &s.rest, &s.damping}) visit(*f);
    each(s.table, visit);
  }
  for (const AppliedForce& f : mechanism.forces) {
    for (const Formula3* v : {&f.at, &f.force, &f.moment}) each(*v, visit);
    each(f.time, visit);
    for (const auto& six : f.values) each(six, visit);
  }
  for (const Shaft& s : mechanism.shafts) {
    for (const Formula* f : {&s.stiffness, &s.damping, &s.backlash}) visit(*f);
  }
  for (const auto& [joint, values] : mechanism.home) each(values, visit);
}

}  // namespace lw
