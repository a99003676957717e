#include "support/same_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "base/worse.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"

namespace lw {
namespace {

bool same(const Vec3<double>& a, const Vec3<double>& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }
bool same(const Mat3<double>& a, const Mat3<double>& b) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (a(i, j) != b(i, j)) return false;
    }
  }
  return true;
}
bool same(const Transform<double>& a, const Transform<double>& b) { return same(a.R, b.R) && same(a.p, b.p); }
bool same(const Frame<double>& a, const Frame<double>& b) {
  return a.name == b.name && a.body == b.body && same(a.X_BF, b.X_BF);
}
bool same(const Body<double>& a, const Body<double>& b) {
  const bool turns = a.kind == JointKind::spherical || a.kind == JointKind::floating;
  return a.parent == b.parent && a.kind == b.kind && a.q == b.q && a.v == b.v && a.mimics == b.mimics &&
         a.ratio == b.ratio && a.offset == b.offset && (turns || same(a.axis, b.axis)) && same(a.X_PJ, b.X_PJ) &&
         a.inertia.mass == b.inertia.mass && same(a.inertia.h, b.inertia.h) && same(a.inertia.I, b.inertia.I) &&
         a.armature == b.armature && a.stiffness == b.stiffness && a.rest == b.rest;
}
bool same(const LoopClosure<double>& a, const LoopClosure<double>& b) {
  return a.name == b.name && a.type == b.type && same(a.axis, b.axis) && same(a.axis2, b.axis2) && same(a.a, b.a) &&
         same(a.b, b.b);
}
bool same(const JointInfo& a, const JointInfo& b) {
  return a.name == b.name && a.type == b.type && a.q == b.q && a.v == b.v && a.first_body == b.first_body &&
         a.last_body == b.last_body && a.actuated == b.actuated;
}

bool same(const Curve<double>& a, const Curve<double>& b) {
  if (a.x() != b.x() || a.y() != b.y()) return false;
  for (const double x : a.x()) {
    // between the places, where straight and cubic differ, and outside
    for (const double place : {x - 0.3, x + 0.1, x + 100.0}) {
      if (a(place) != b(place)) return false;
    }
  }
  return true;
}
bool same(const BearingLoss<double>& a, const BearingLoss<double>& b) {
  return a.kind == b.kind && a.moments == b.moments && a.mu == b.mu && a.radius == b.radius && a.spacing == b.spacing &&
         same(a.across, b.across);
}
bool same(const DriveLoss<double>& a, const DriveLoss<double>& b) {
  return a.name == b.name && a.ratio == b.ratio && a.rotor_inertia == b.rotor_inertia &&
         same(a.efficiency, b.efficiency) && a.breakaway == b.breakaway && a.has_rated == b.has_rated &&
         a.has_peak == b.has_peak && a.rated == b.rated && a.peak == b.peak && a.rotor_body == b.rotor_body;
}
bool same(const JointElement<double>& a, const JointElement<double>& b) {
  return a.body == b.body && same(a.spring, b.spring) && a.has_lower == b.has_lower && a.has_upper == b.has_upper &&
         a.lower == b.lower && a.upper == b.upper && a.stiffness == b.stiffness && a.damping == b.damping;
}
bool same(const PointSpringElement<double>& a, const PointSpringElement<double>& b) {
  return a.name == b.name && same(a.a, b.a) && same(a.b, b.b) && a.stiffness == b.stiffness && a.rest == b.rest &&
         a.damping == b.damping && same(a.tension, b.tension);
}
bool same(const ForceElement<double>& a, const ForceElement<double>& b) {
  return same(a.frame, b.frame) && a.in_link == b.in_link && same(a.wrench.ang, b.wrench.ang) &&
         same(a.wrench.lin, b.wrench.lin);
}
bool same(const ShaftElement<double>& a, const ShaftElement<double>& b) {
  return a.name == b.name && a.body_a == b.body_a && a.body_b == b.body_b && a.stiffness == b.stiffness &&
         a.damping == b.damping && a.play == b.play;
}
bool same(const RotorTie<double>& a, const RotorTie<double>& b) {
  return a.v == b.v && a.w == b.w && a.inertia == b.inertia;
}

bool same(const JointLoss<double>& a, const JointLoss<double>& b);
bool same(const Transmission<double>& a, const Transmission<double>& b);

template <class List>
bool all_same(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const JointLoss<double>& a, const JointLoss<double>& b) {
  return a.body == b.body && a.v == b.v && a.viscous == b.viscous && a.coulomb == b.coulomb &&
         a.stribeck == b.stribeck && a.static_torque == b.static_torque && a.stribeck_velocity == b.stribeck_velocity &&
         a.shape == b.shape && all_same(a.bearings, b.bearings) && a.damper == b.damper &&
         same(a.damper_table, b.damper_table) && a.width == b.width;
}
bool same(const Transmission<double>& a, const Transmission<double>& b) {
  return a.name == b.name && a.v == b.v && all_same(a.drives, b.drives) && a.C == b.C && a.C_inverse == b.C_inverse &&
         a.width == b.width;
}

}  // namespace

double torque_difference(const Model<double>& a, const Model<double>& b, int states) {
  if (a.nq != b.nq || a.nv != b.nv) return HUGE_VAL;
  Random random(1);
  Workspace<double> work_a(a), work_b(b);
  std::vector<double> tau_a(static_cast<std::size_t>(a.nv)), tau_b(tau_a);
  double worst = 0.0;
  for (int k = 0; k < states; ++k) {
    const State s = random_state(a, random);
    rnea<double>(a, work_a, s.q, s.qd, s.qdd, tau_a);
    rnea<double>(b, work_b, s.q, s.qd, s.qdd, tau_b);
    double size = 1.0;
    for (const double tau : tau_a) size = std::max(size, std::abs(tau));
    worst = worse(worst, largest_difference(tau_a, tau_b) / size);
  }
  return worst;
}

::testing::AssertionResult same_bits(const Model<double>& a, const Model<double>& b) {
  const auto differ = [](const char* what) { return ::testing::AssertionFailure() << "different " << what; };
  if (a.name != b.name) return differ("name");
  if (!same(a.gravity, b.gravity)) return differ("gravity");
  if (!all_same(a.bodies, b.bodies)) return differ("bodies");
  if (!all_same(a.frames, b.frames)) return differ("frames");
  if (!all_same(a.loops, b.loops)) return differ("loops");
  if (!all_same(a.joints, b.joints)) return differ("joints");
  if (!all_same(a.losses, b.losses)) return differ("losses");
  if (!all_same(a.transmissions, b.transmissions)) return differ("transmissions");
  if (!all_same(a.joint_elements, b.joint_elements)) return differ("joint elements");
  if (!all_same(a.springs, b.springs)) return differ("springs");
  if (!all_same(a.forces, b.forces)) return differ("forces");
  if (!all_same(a.shafts, b.shafts)) return differ("shafts");
  if (!all_same(a.rotor_ties, b.rotor_ties)) return differ("rotor ties");
  if (a.home != b.home) return differ("home");
  if (a.coordinate_names != b.coordinate_names || a.velocity_names != b.velocity_names) return differ("names");
  return ::testing::AssertionSuccess();
}

}  // namespace lw
