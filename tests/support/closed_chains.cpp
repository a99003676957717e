#include "support/closed_chains.hpp"

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "base/random.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "support/mechanism_of.hpp"

namespace lw {

Mechanism closed_chain(JointType cut, std::uint64_t seed) {
  Random random(seed);
  const int joints = 7, freedoms = joints + velocities(cut) - 6;
  std::string links = "name: chain\nlinks:\n", home = "home: {";
  const auto three = [&](double size) {
    const double numbers[] = {random.between(-size, size), random.between(-size, size), random.between(-size, size)};
    return fmt::format("[{}, {}, {}]", numbers[0], numbers[1], numbers[2]);
  };
  for (int k = 1; k <= joints; ++k) {
    const std::string axis = three(1.0), origin = three(0.4);  // one draw after the other
    const double mass = random.between(0.5, 2.0);
    const std::string com = three(0.1);
    const double moment = random.between(0.02, 0.04);
    links += fmt::format(
        "  - {{name: l{}, parent: {}, joint: {{type: revolute, axis: {}, actuated: {}, origin: {{xyz: {}}}}}, inertia: "
        "{{mass: {}, com: {}, "
        "tensor: [{}, 0.03, 0.025]}}}}\n",
        k, k == 1 ? "base" : fmt::format("l{}", k - 1), axis, k <= freedoms, origin, mass, com, moment);
    home += fmt::format("{}l{}: {}", k == 1 ? "" : ", ", k, random.between(-1.5, 1.5));
  }
  home += "}\n";
  // where the end of the tree is at home, with a frame of its own there: the other half of the joint stands on the base
  const Mechanism tree = mechanism_of(links + home);
  const Model<double> model = instantiate<double>(tree);
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, model.home);
  Eigen::Quaterniond turn{random.between(0.2, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0),
                          random.between(-1.0, 1.0)};
  turn.normalize();
  const Eigen::Vector3d on_link(0.1, -0.05, 0.2);
  const Transform<double>& X = work.X_W.back();
  // of a joint that slides or turns, home is not its zero
  Eigen::Matrix3d R = X.R.eigen() * turn.toRotationMatrix();
  Eigen::Vector3d p = X.R.eigen() * on_link + X.p.eigen();
  const Eigen::Vector3d z = R.col(2);
  if (cut == JointType::prismatic || cut == JointType::cylindrical) p += 0.13 * z;
  if (cut == JointType::planar) p += 0.2 * R.col(0) - 0.1 * R.col(1);
  if (cut == JointType::revolute || cut == JointType::cylindrical || cut == JointType::planar)
    R = Eigen::AngleAxisd(0.7, z).toRotationMatrix() * R;
  const auto euler = [](const Eigen::Matrix3d& M) {
    return fmt::format("[{}, {}, {}]", std::atan2(M(2, 1), M(2, 2)), std::atan2(-M(2, 0), std::hypot(M(0, 0), M(1, 0))),
                       std::atan2(M(1, 0), M(0, 0)));
  };
  const std::string axes = cut == JointType::universal                              ? ", axis: x, axis2: y"
                           : cut == JointType::spherical || cut == JointType::fixed ? ""
                                                                                    : ", axis: z";
  return mechanism_of(links + home +
                      fmt::format("loops: [{{name: cut, joint: {{type: {}{}}}, between: [l7, base], at: {{l7: {{xyz: "
                                  "[0.1, -0.05, 0.2], rpy: {}}}, base: {{xyz: [{}, {}, {}], rpy: {}}}}}}}]\n",
                                  to_string(cut), axes, euler(turn.toRotationMatrix()), p[0], p[1], p[2], euler(R)));
}

}  // namespace lw
