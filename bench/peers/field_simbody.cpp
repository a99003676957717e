#include "field_simbody.hpp"

#include <Simbody.h>

#include <ctime>
#include <functional>
#include <memory>
#include <stdexcept>

namespace {

struct SimbodyModel {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  std::map<std::string, SimTK::MobilizedBody> links;
  std::map<std::string, SimTK::MobilizedBody::Pin> joints;

  // A link on a revolute joint; `central` are moments of inertia about axes through the centre of mass.
  void link(const std::string& name, const std::string& parent, const std::string& joint, SimTK::Vec3 at,
            SimTK::CoordinateAxis axis, double mass, SimTK::Vec3 com, SimTK::Vec3 central) {
    const SimTK::Inertia inertia = SimTK::Inertia(central).shiftFromMassCenter(com, mass);
    const SimTK::Rotation along(SimTK::UnitVec3(axis), SimTK::ZAxis);
    SimTK::MobilizedBody& before = parent == "base" ? matter.updGround() : links.at(parent);
    SimTK::MobilizedBody::Pin pin(before, SimTK::Transform(along, at),
                                  SimTK::Body::Rigid(SimTK::MassProperties(mass, com, inertia)),
                                  SimTK::Transform(along));
    links[name] = pin;
    joints[joint] = pin;
  }
  SimTK::MobilizedBody& body(const std::string& name) { return name == "base" ? matter.updGround() : links.at(name); }
  // A pin that closes a loop in the x-y plane: two equations.
  void close_in_plane(const std::string& a, SimTK::Vec3 on_a, const std::string& b, SimTK::Vec3 on_b) {
    for (const SimTK::CoordinateAxis axis :
         {SimTK::CoordinateAxis(SimTK::XAxis), SimTK::CoordinateAxis(SimTK::YAxis)}) {
      SimTK::Constraint::PointInPlane(body(a), SimTK::UnitVec3(axis), on_a[axis], body(b), on_b);
    }
  }
  void gravity() { SimTK::Force::UniformGravity(forces, matter, SimTK::Vec3(0, -9.81, 0)); }
};

using SimTK::Vec3, SimTK::XAxis, SimTK::YAxis, SimTK::ZAxis;

void build_pendulum(SimbodyModel& m) {
  m.gravity();
  m.link("bar", "base", "P", Vec3(0), ZAxis, 1, Vec3(0, -1, 0), Vec3(0));
}

void build_windows(SimbodyModel& m) {
  m.gravity();
  const Vec3 upright(1.0 / 12, 0, 1.0 / 12), flat(0, 1.0 / 12, 1.0 / 12);
  m.link("v0", "base", "A0", Vec3(0), ZAxis, 1, Vec3(0, 0.5, 0), upright);
  for (int i = 1; i <= 2; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    m.link("h" + n, "v" + before, "H" + n, Vec3(0, i == 1 ? 1 : 0, 0), ZAxis, 1, Vec3(0.5, 0, 0), flat);
    m.link("v" + n, "h" + n, "B" + n, Vec3(1, 0, 0), ZAxis, 1, Vec3(0, -0.5, 0), upright);
    m.close_in_plane("base", Vec3(i, 0, 0), "v" + n, Vec3(0, -1, 0));
  }
}

void build_andrews(SimbodyModel& m) {
  const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
               sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
               zf = 0.02, zt = 0.04, fa = 0.01421;
  const Vec3 A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0), C(0.014, 0.072, 0);
  m.link("K1", "base", "beta", Vec3(0), ZAxis, 0.04325, Vec3(ra, 0, 0), Vec3(2.194e-6));
  m.link("K2", "K1", "theta", Vec3(rr, 0, 0), ZAxis, 0.00365, Vec3(-da, 0, 0), Vec3(4.410e-7));
  m.link("K3", "base", "gamma", B, ZAxis, 0.02373, Vec3(sb, -sa, 0), Vec3(5.255e-6));
  m.link("K5", "base", "delta", A, ZAxis, 0.0705, Vec3(ta, tb, 0), Vec3(1.169e-5));
  m.link("K4", "K5", "phi", Vec3(zt, 0, 0), ZAxis, 0.00706, Vec3(0, ea - e, 0), Vec3(5.667e-7));
  m.link("K7", "base", "epsilon", A, ZAxis, 0.05498, Vec3(-ub, -ua, 0), Vec3(1.912e-5));
  m.link("K6", "K7", "omega", Vec3(0, -u, 0), ZAxis, 0.00706, Vec3(zf - fa, 0, 0), Vec3(5.667e-7));
  m.close_in_plane("K2", Vec3(-d, 0, 0), "K3", Vec3(0, -ss, 0));
  m.close_in_plane("K2", Vec3(-d, 0, 0), "K4", Vec3(0, -e, 0));
  m.close_in_plane("K2", Vec3(-d, 0, 0), "K6", Vec3(zf, 0, 0));
  SimTK::Force::TwoPointLinearSpring(m.forces, m.matter.updGround(), C, m.body("K3"), Vec3(sd, -sc, 0), 4530, 0.07785);
  SimTK::Force::MobilityConstantForce(m.forces, m.joints.at("beta"), 0, 0.033);
}

void build_bricard(SimbodyModel& m) {
  m.gravity();
  const double ia = 0.01 / 6, it = 1.01 / 12;
  m.link("b0", "base", "j0", Vec3(0), YAxis, 1, Vec3(0.5, 0, 0), Vec3(ia, it, it));
  m.link("b1", "b0", "j1", Vec3(1, 0, 0), ZAxis, 1, Vec3(0, -0.5, 0), Vec3(it, ia, it));
  m.link("b2", "b1", "j2", Vec3(0, -1, 0), XAxis, 1, Vec3(0, 0, 0.5), Vec3(it, it, ia));
  m.link("b3", "b2", "j3", Vec3(0, 0, 1), YAxis, 1, Vec3(-0.5, 0, 0), Vec3(ia, it, it));
  m.link("b4", "b3", "j4", Vec3(-1, 0, 0), ZAxis, 1, Vec3(0, 0.5, 0), Vec3(it, ia, it));
  SimTK::Constraint::Ball(m.matter.updGround(), Vec3(0, 0, 1), m.body("b4"), Vec3(0, 1, 0));
  for (const SimTK::CoordinateAxis axis : {SimTK::CoordinateAxis(YAxis), SimTK::CoordinateAxis(ZAxis)}) {
    SimTK::Constraint::ConstantAngle(m.matter.updGround(), SimTK::UnitVec3(axis), m.body("b4"), SimTK::UnitVec3(XAxis));
  }
}

const std::map<std::string, void (*)(SimbodyModel&)> kBuilders{
    {"A01", build_pendulum}, {"A02-2", build_windows}, {"A03-testset", build_andrews}, {"A04", build_bricard}};

}  // namespace

SimbodyRun run_simbody(const std::string& problem, const std::map<std::string, double>& q0,
                       const std::map<std::string, double>& v0, double end, const std::string& integrator,
                       double accuracy) {
  SimbodyModel m;
  kBuilders.at(problem)(m);
  SimTK::State state = m.system.realizeTopology();
  m.system.realizeModel(state);
  for (auto& [name, joint] : m.joints) {
    joint.setOneQ(state, 0, q0.at(name));
    joint.setOneU(state, 0, v0.at(name));
  }
  std::unique_ptr<SimTK::Integrator> method;
  if (integrator == "RungeKuttaMerson")
    method = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(m.system);
  else if (integrator == "RungeKuttaFeldberg")
    method = std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(m.system);
  else
    throw std::invalid_argument("no integrator " + integrator);
  method->setAccuracy(accuracy);
  const std::clock_t start = std::clock();
  method->initialize(state);
  while (method->getTime() < end) {
    method->stepTo(end);
    if (static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC > 20.0) throw std::runtime_error("takes too long");
  }
  SimbodyRun run{static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, {}};
  for (auto& [name, joint] : m.joints) run.q[name] = joint.getOneQ(method->getState(), 0);
  return run;
}
