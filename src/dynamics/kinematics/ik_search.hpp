// Parts of the numerical inverse kinematics for one target and one frame: steps towards the target, and comparison of
// the results.
#pragma once

#include "inverse_kinematics.hpp"

#include <Eigen/Core>

namespace lw::detail {

class IkSearch {
 public:
  IkSearch(const Model<double>& model, int frame, const IkTarget& target, const IkOptions& options);

  IkSolution judged(std::vector<double> q, std::string branch = {});
  // Damped Gauss-Newton steps from q, to the end.
  IkSolution descend(std::vector<double> q);
  // Whether one solution has a smaller error than another.
  double badness(const IkSolution& s) const;
  // The start, then random poses: any angles, prismatic joints within the distance of the target.
  std::vector<double> start_number(int number, In<double> start) const;
  // Whole turns added to angles: nearest to the start within the limits. False if this is impossible.
  bool unwind(std::vector<double>& q, In<double> start) const;
  // For redundant arms: moves along the solutions towards the start as long as the distance decreases.
  IkSolution settle(IkSolution s, In<double> start);

  // Distance of two configurations over the joints that carry the frame; quaternions by their angle. `around`: ignores
  // whole turns.
  double distance(In<double> a, In<double> b, bool around) const;
  // Whether two solutions are indistinguishable: configurations between them reach the target too.
  bool one_within_tolerance(const IkSolution& a, const IkSolution& b);
  // Whether small steps from a towards b, each corrected back to the target, reach b.
  bool connected(std::vector<double> a, const std::vector<double>& b);

  bool loses_rank(const std::vector<double>& q, int rank);
  // The number of free directions of motion at a solution, where `rank` is that of general position.
  int extra_freedom(const std::vector<double>& q, int rank);

  // Whether the target is farther from the first joint than the sum of all lengths.
  bool too_far() const;

 private:
  void bring_inside(std::vector<double>& q) const;
  // [rotation; position] from where the frame is at q; leaves the workspace there.
  Eigen::Matrix<double, 6, 1> error(const std::vector<double>& q);
  Eigen::VectorXd weighted(const Eigen::Matrix<double, 6, 1>& r) const;
  Eigen::MatrixXd jacobian() const;  // of what `weighted` gives, where the workspace is
  bool held(const std::vector<double>& q, Eigen::Index velocity, double direction) const;
  // The velocities that take a to b in unit time, zero for joints that do not carry the frame.
  Eigen::VectorXd difference(In<double> a, In<double> b, bool around) const;
  std::vector<double> moved(std::vector<double> q, const Eigen::VectorXd& step) const;

  const Model<double>& model_;
  Workspace<double> work_;
  int frame_;
  IkTarget target_;
  IkOptions options_;
  CoordinateLimits limits_;
  Carriers carriers_;
  std::vector<bool> turns_;
  std::vector<int> velocity_to_coordinate_;   // of joints with one; else -1
  Vec3<double> root_ = Vec3<double>::zero();  // where the first joint on the path is
  double reach_ = 0.0;                        // maximum distance from there; infinite with unlimited prismatic joints
  double size_ = 0.0;                         // the same, counting unlimited prismatic joints as a metre; never zero
};

}  // namespace lw::detail
