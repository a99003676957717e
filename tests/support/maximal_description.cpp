#include "support/maximal_description.hpp"

#include <stdexcept>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "base/index.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "model/directions.hpp"

namespace lw {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;
using Json = nlohmann::json;

Json numbers(const Vector3d& v) { return {v[0], v[1], v[2]}; }
Json matrix(const Matrix3d& M) {
  return {numbers(Vector3d(M.row(0))), numbers(Vector3d(M.row(1))), numbers(Vector3d(M.row(2)))};
}

Json body_of(const RigidInertia<double>& inertia, const Transform<double>& X, const Motion<double>& motion,
             const std::string& name) {
  const Matrix3d R = X.R.eigen();
  const double m = inertia.mass;
  const Vector3d c = m > 0.0 ? Vector3d(inertia.h.eigen() / m) : Vector3d::Zero();
  const Matrix3d about_com = inertia.I.eigen() - m * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  const Vector3d w = R * motion.ang.eigen(), v = R * motion.lin.eigen();
  return {{"name", name},
          {"mass", m},
          {"com", numbers(X.p.eigen() + R * c)},
          {"inertia", matrix(Matrix3d(R * (m > 0.0 ? about_com : Matrix3d(inertia.I.eigen())) * R.transpose()))},
          {"velocity", numbers(v + w.cross(R * c))},
          {"omega", numbers(w)}};
}

Json friction_of(const JointLoss<double>& loss, int freedom) {
  return {{"freedom", freedom}, {"coulomb", loss.coulomb}, {"viscous", loss.viscous + loss.damper}};
}

}  // namespace

std::string maximal_description(const Model<double>& model, In<double> q, In<double> qd, double duration) {
  if (!model.forces.empty() || !model.shafts.empty() || !model.joint_elements.empty() || !model.rotor_ties.empty()) {
    throw std::invalid_argument("maximal_description: an element of the model that the oracle does not know");
  }
  Workspace<double> work(model);
  forward_velocities<double>(model, work, q, qd);
  Json bodies = Json::array(), joints = Json::array(), couplings = Json::array(), springs = Json::array();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body<double>& b = model.bodies[i];
    const Transform<double>& X = work.X_W[i];
    const std::string name = "body" + std::to_string(i);
    bodies.push_back(body_of(b.inertia, X, work.velocity[i], name));
    const bool spherical = b.kind == JointKind::spherical, slides = b.kind == JointKind::prismatic;
    if (b.kind == JointKind::floating) throw std::invalid_argument("maximal_description: a floating joint");
    Vector3d point = X.p.eigen();
    Json joint{{"name", name},
               {"type", spherical ? "spherical"
                        : slides  ? "prismatic"
                                  : "revolute"},
               {"a", b.parent},
               {"b", i},
               {"point_a", numbers(point)},
               {"point_b", numbers(point)}};
    const Matrix3d R = X.R.eigen();
    if (spherical)
      joint["axes"] = matrix(Matrix3d(R.transpose()));
    else
      joint["axis"] = numbers(R * b.axis.eigen());
    for (const JointLoss<double>& loss : model.losses) {
      if (loss.body == static_cast<int>(i)) joint["friction"].push_back(friction_of(loss, loss.v - b.v));
    }
    if (b.stiffness != 0.0)
      joint["spring"] = {{{"freedom", 0},
                          {"stiffness", b.stiffness},
                          {"offset", b.rest},
                          {"initial", joint_coordinate<double>(b, q)}}};
    joints.push_back(joint);
    if (!b.mimics) continue;
    for (std::size_t k = 0; k < model.bodies.size(); ++k) {
      if (!model.bodies[k].mimics && model.bodies[k].v == b.v)
        couplings.push_back({{"joint_1", k}, {"joint_2", i}, {"ratio", b.ratio}});
    }
  }
  for (const LoopClosure<double>& loop : model.loops) {
    const Transform<double> X_A = frame_pose(work, loop.a), X_B = frame_pose(work, loop.b);
    Json joint{{"name", loop.name}, {"type", to_string(loop.type)},      {"a", loop.a.body},
               {"b", loop.b.body},  {"point_a", numbers(X_A.p.eigen())}, {"point_b", numbers(X_B.p.eigen())}};
    if (loop.type == JointType::spherical)
      joint["axes"] = matrix(Matrix3d(X_B.R.eigen().transpose()));
    else
      joint["axis"] = numbers((X_A.R * loop.axis).eigen());
    if (loop.type == JointType::universal) joint["axis2"] = numbers((X_B.R * loop.axis2).eigen());
    if (loop.type == JointType::planar) joint["axis2"] = numbers((X_A.R * plane_directions(loop.axis)[0]).eigen());
    for (const JointLoss<double>& loss : loop.losses) joint["friction"].push_back(friction_of(loss, loss.v));
    joints.push_back(joint);
  }
  for (const PointSpringElement<double>& s : model.springs) {
    if (!s.tension.empty()) throw std::invalid_argument("maximal_description: a spring with a table");
    springs.push_back({{"a", s.a.body},
                       {"b", s.b.body},
                       {"point_a", numbers(frame_pose(work, s.a).p.eigen())},
                       {"point_b", numbers(frame_pose(work, s.b).p.eigen())},
                       {"stiffness", s.stiffness},
                       {"rest_length", s.rest},
                       {"damping", s.damping}});
  }
  return Json{{"name", model.name},     {"gravity", numbers(model.gravity.eigen())},
              {"duration", duration},   {"times", {duration}},
              {"bodies", bodies},       {"joints", joints},
              {"couplings", couplings}, {"springs", springs}}
      .dump(1);
}

}  // namespace lw
