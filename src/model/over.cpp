#include "over.hpp"

namespace lw {
namespace {

template <class T>
Vec3<T> over(const Vec3<double>& v) {
  return {T(v[0]), T(v[1]), T(v[2])};
}
template <class T>
Mat3<T> over(const Mat3<double>& m) {
  return {over<T>(m.col(0)), over<T>(m.col(1)), over<T>(m.col(2))};
}
template <class T>
Transform<T> over(const Transform<double>& X) {
  return {over<T>(X.R), over<T>(X.p)};
}
template <class T>
Frame<T> over(const Frame<double>& f) {
  return {f.name, f.body, over<T>(f.X_BF)};
}
template <class T>
Body<T> over(const Body<double>& b) {
  Body<T> to;
  to.parent = b.parent;
  to.kind = b.kind;
  to.q = b.q;
  to.v = b.v;
  to.mimics = b.mimics;
  to.ratio = b.ratio;
  to.offset = b.offset;
  to.axis = over<T>(b.axis);
  to.X_PJ = over<T>(b.X_PJ);
  to.R0 = over<T>(b.R0);
  to.Rc = over<T>(b.Rc);
  to.Rs = over<T>(b.Rs);
  to.slide = over<T>(b.slide);
  to.inertia = {T(b.inertia.mass), over<T>(b.inertia.h), over<T>(b.inertia.I)};
  to.armature = b.armature;
  to.stiffness = b.stiffness;
  to.rest = b.rest;
  return to;
}

template <class T>
Transmission<T> over(const Transmission<double>& t) {
  Transmission<T> to{t.name, t.v, {}, {t.C.begin(), t.C.end()}, {t.C_inverse.begin(), t.C_inverse.end()}, t.width};
  for (const DriveLoss<double>& d : t.drives) {
    to.drives.push_back({d.name, d.ratio, d.rotor_inertia, Curve<T>(d.efficiency), d.breakaway, d.has_rated, d.has_peak,
                         d.rated, d.peak, d.rotor_body});
  }
  return to;
}

}  // namespace

template <class T>
JointLoss<T> over(const JointLoss<double>& l) {
  JointLoss<T> to{l.body,
                  l.v,
                  l.viscous,
                  l.coulomb,
                  l.stribeck,
                  l.static_torque,
                  l.stribeck_velocity,
                  l.shape,
                  {},
                  l.damper,
                  Curve<T>(l.damper_table),
                  l.width};
  for (const BearingLoss<double>& b : l.bearings)
    to.bearings.push_back({b.kind, b.moments, b.mu, b.radius, b.spacing, over<T>(b.across)});
  return to;
}
template <class T>
Model<T> over(const Model<double>& model) {
  Model<T> to;
  to.name = model.name;
  to.nq = model.nq;
  to.nv = model.nv;
  to.gravity = over<T>(model.gravity);
  for (const Body<double>& b : model.bodies) to.bodies.push_back(over<T>(b));
  for (const Frame<double>& f : model.frames) to.frames.push_back(over<T>(f));
  for (const LoopClosure<double>& l : model.loops) {
    to.loops.push_back({l.name, l.type, over<T>(l.axis), over<T>(l.axis2), over<T>(l.a), over<T>(l.b), {}});
    for (const JointLoss<double>& loss : l.losses) to.loops.back().losses.push_back(over<T>(loss));
  }
  to.home.assign(model.home.begin(), model.home.end());
  for (const JointLoss<double>& l : model.losses) to.losses.push_back(over<T>(l));
  for (const Transmission<double>& t : model.transmissions) to.transmissions.push_back(over<T>(t));
  for (const JointElement<double>& e : model.joint_elements) {
    to.joint_elements.push_back(
        {e.body, Curve<T>(e.spring), e.has_lower, e.has_upper, e.lower, e.upper, e.stiffness, e.damping});
  }
  for (const PointSpringElement<double>& s : model.springs) {
    to.springs.push_back({s.name, over<T>(s.a), over<T>(s.b), s.stiffness, s.rest, s.damping, Curve<T>(s.tension)});
  }
  for (const ForceElement<double>& f : model.forces) {
    to.forces.push_back({over<T>(f.frame), f.in_link, {over<T>(f.wrench.ang), over<T>(f.wrench.lin)}});
  }
  for (const ShaftElement<double>& s : model.shafts) {
    to.shafts.push_back({s.name, s.body_a, s.body_b, s.stiffness, s.damping, s.play});
  }
  for (const RotorTie<double>& tie : model.rotor_ties) to.rotor_ties.push_back({tie.v, tie.w, tie.inertia});
  to.joints = model.joints;
  to.coordinate_names = model.coordinate_names;
  to.velocity_names = model.velocity_names;
  to.dof_parent = model.dof_parent;
  to.dof_order = model.dof_order;
  to.has_mimics = model.has_mimics;
  return to;
}

template JointLoss<Dual> over<Dual>(const JointLoss<double>&);
template Model<Dual> over<Dual>(const Model<double>&);

}  // namespace lw
