#include "three_legs.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "../../base/index.hpp"
#include "../assembly/assembly.hpp"
#include "../assembly/planar_groups.hpp"
#include "../tree/kinematics.hpp"

namespace lw {
namespace {

// One leg: the knee joint is on a crank, whose own joint is actuated and on the base.
struct RrrLeg {
  int crank = -1;
  Vec3<double> knee_on_crank;  // in the crank's frame
};
std::optional<RrrLeg> rrr_leg(const Model<double>& model, const LoopGraph& graph, const FreeJoint& knee) {
  const int side = graph.side_in(knee, 0), crank = knee.body[side];
  if (crank < 0) return {};
  const Body<double>& body = model.bodies[at(crank)];
  if (body.parent != -1 || body.kind != JointKind::revolute || body.mimics) return {};
  return RrrLeg{crank, knee.X[side].p};
}

}  // namespace

std::optional<ThreeLegs> three_legs(const Model<double>& model) {
  const std::vector<int> held = actuated_velocities(model);
  if (held.size() != 3 || model.has_mimics) return {};
  const LoopGraph graph = loop_graph(model, model.home, held);
  const PlanarPlan plan = planar_plan(graph);
  if (plan.steps.size() != 1 || plan.steps[0].kind != PlanarGroup::Kind::platform || !plan.complete) return {};
  const PlanarGroup& step = plan.steps[0];
  if (step.groups[0] != 0 || !put_together(graph, step)) return {};  // the cranks are on the base, all in one plane
  ThreeLegs legs;
  Eigen::Vector3d normal = Eigen::Vector3d::Zero(), e1, e2;
  Eigen::Vector3d p1, p2;  // axes of the platform's plane
  for (std::size_t k = 0; k < 3; ++k) {
    const FreeJoint &knee = graph.joints[at(step.joints[2 * k])], &ankle = graph.joints[at(step.joints[2 * k + 1])];
    const std::optional<RrrLeg> leg = rrr_leg(model, graph, knee);
    if (!leg) return {};
    const Body<double>& crank = model.bodies[at(leg->crank)];
    const Eigen::Vector3d axis = crank.X_PJ.R.eigen() * crank.axis.eigen();
    if (k == 0) {
      normal = axis;
      // x of the plane along the world's x unless that is along the normal
      e1 = Eigen::Vector3d::UnitX() - normal * normal.x();
      if (e1.norm() < 1e-6) e1 = normal.unitOrthogonal();
      e1.normalize();
      e2 = normal.cross(e1);
    }
    if (axis.cross(normal).norm() > 1e-9) return {};
    const auto flat = [&](const Vec3<double>& p) { return PlaneVector<double>{e1.dot(p.eigen()), e2.dot(p.eigen())}; };
    const Eigen::Vector3d a = crank.axis.eigen(), arm = leg->knee_on_crank.eigen();
    const Eigen::Vector3d arm_across = crank.X_PJ.R.eigen() * (arm - a * a.dot(arm));
    legs.base[k] = flat(crank.X_PJ.p);
    const PlaneVector<double> reach = flat(Vec3<double>::from(arm_across));
    legs.crank[k] = std::hypot(reach.x, reach.y);
    legs.heading[k] = std::atan2(reach.y, reach.x);
    legs.sense[k] = axis.dot(normal) > 0.0 ? 1.0 : -1.0;
    legs.coordinate[k] = crank.q;
    // the rod between its two joints, across its axis
    const int rod = step.groups[k + 2];
    const Transform<double> near = graph.frame(knee, graph.side_in(knee, rod)),
                            far = graph.frame(ankle, graph.side_in(ankle, rod));
    legs.rod[k] = norm(cross(near.R * knee.axis, far.p - near.p));
    // the corner, in the plane of the platform: its normal is that of the base, carried over the first leg
    const Transform<double> corner = graph.frame(ankle, graph.side_in(ankle, step.groups[1]));
    if (k == 0) {
      const double sign =
          (graph.frame(knee, graph.side_in(knee, 0)).R.eigen() * knee.axis.eigen()).dot(normal) > 0.0 ? 1.0 : -1.0;
      const double turn =
          (near.R.eigen() * knee.axis.eigen()).dot(far.R.eigen() * ankle.axis.eigen()) > 0.0 ? 1.0 : -1.0;
      const Eigen::Vector3d n = sign * turn * (corner.R.eigen() * ankle.axis.eigen());
      p1 = Eigen::Vector3d::UnitX() - n * n.x();
      if (p1.norm() < 1e-6) p1 = n.unitOrthogonal();
      p1.normalize();
      p2 = n.cross(p1);
    }
    legs.platform[k] = {p1.dot(corner.p.eigen()), p2.dot(corner.p.eigen())};
    const int side = graph.side_in(ankle, step.groups[1]);
    legs.corner[k] = {ankle.name, ankle.body[side], ankle.X[side]};
  }
  legs.right = Vec3<double>::from(e1);
  legs.up = Vec3<double>::from(e2);
  return legs;
}

Triangle<double> platform_corners(const Model<double>& model, const ThreeLegs& legs, In<double> q) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  Triangle<double> corners;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3<double> p = frame_pose(work, legs.corner[k]).p;
    corners[k] = {dot(p, legs.right), dot(p, legs.up)};
  }
  return corners;
}

template <class T>
Triangle<T> knees(const ThreeLegs& legs, const std::array<T, 3>& q) {
  using std::cos, std::sin;
  Triangle<T> result;
  for (std::size_t k = 0; k < 3; ++k) {
    const T angle = T(legs.heading[k]) + T(legs.sense[k]) * q[k];
    result[k] = {T(legs.base[k].x) + T(legs.crank[k]) * cos(angle), T(legs.base[k].y) + T(legs.crank[k]) * sin(angle)};
  }
  return result;
}

#define LW_INSTANTIATE(T) template Triangle<T> knees<T>(const ThreeLegs&, const std::array<T, 3>&);
LW_INSTANTIATE_FOR_SCALARS(LW_INSTANTIATE)
#undef LW_INSTANTIATE

}  // namespace lw
