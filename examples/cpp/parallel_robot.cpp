// A parallel robot, three legs with one motor each: the pose of its platform and the torques of its motors along a
// motion. Forward dynamics gives the motion back, and the power of the motors is the change of the robot's energy.
#include <linkwright/linkwright.hpp>

#include <cmath>
#include <cstdio>

using Vector = Eigen::VectorXd;

int main() {
  const lw::Mechanism mechanism = lw::load("planar-3rrr");
  lw::Dynamics robot(mechanism);  // as for a tree; q, qd, qdd and tau are those of the three motors
  const int platform = robot.model().frame_index("platform");
  const Vector home = lw::to_eigen(robot.independent());

  const auto motion = [&](double t) { return Vector(home.array() + 0.3 * std::sin(2.0 * t)); };
  const auto velocity = [&](double t) { return Vector::Constant(3, 0.6 * std::cos(2.0 * t)).eval(); };
  const auto acceleration = [&](double t) { return Vector::Constant(3, -1.2 * std::sin(2.0 * t)).eval(); };
  const auto kinetic_energy = [&](double t) {
    Eigen::MatrixXd M(3, 3);
    robot.mass_matrix(motion(t), M);
    return 0.5 * velocity(t).dot(M * velocity(t));
  };

  Vector torque(3), gravity(3), back(3);
  double worst = 0.0;
  std::printf("  t      platform x, y, angle         motor torques (N m)\n");
  for (int k = 0; k <= 10; ++k) {
    const double t = 0.15 * k, h = 1e-4;
    robot.inverse(motion(t), velocity(t), acceleration(t), torque);
    const Eigen::Isometry3d pose = lw::to_eigen(robot.pose(motion(t), platform));
    const double angle = std::atan2(pose(1, 0), pose(0, 0));
    std::printf("%.2f s  %7.4f %7.4f %7.4f   %8.4f %8.4f %8.4f\n", t, pose(0, 3), pose(1, 3), angle, torque[0],
                torque[1], torque[2]);

    robot.forward(motion(t), velocity(t), torque, back);
    worst = std::max(worst, (back - acceleration(t)).cwiseAbs().maxCoeff());
    robot.gravity(motion(t), gravity);
    const double power = (torque - gravity).dot(velocity(t));
    worst = std::max(worst, std::abs(power - (kinetic_energy(t + h) - kinetic_energy(t - h)) / (2 * h)));
  }
  std::printf("Forward dynamics and the energy agree with these torques within %.0e.\n", worst);
  return worst < 1e-6 ? 0 : 1;
}
