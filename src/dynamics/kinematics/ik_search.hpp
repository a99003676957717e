// What the numerical method of the inverse kinematics is made of: one target, one frame, steps towards it and
// judgements on what they arrive at.
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
  // Of two solutions, which misses by less.
  double badness(const IkSolution& s) const;
  // The start, then poses all over the place: angles anywhere, slides within what the target's distance suggests.
  std::vector<double> start_number(int number, In<double> start) const;
  // Whole turns added to angles: nearest to the start within the limits. False where no turn brings it there.
  bool unwind(std::vector<double>& q, In<double> start) const;
  // Where joints are left over: along the solutions to the one nearest to the start, as far as the way there leads
  // downhill.
  IkSolution settle(IkSolution s, In<double> start);

  // Of two configurations, over the joints that carry the frame; quaternions by their angle. `around`: whole turns do
  // not count.
  double distance(In<double> a, In<double> b, bool around) const;
  // Nearer than the tolerance tells apart there: what lies between them reaches the target too.
  bool one_within_tolerance(const IkSolution& a, const IkSolution& b);
  // Whether small steps from a towards b, each brought back to the target, arrive there.
  bool connected(std::vector<double> a, const std::vector<double>& b);

  bool loses_rank(const std::vector<double>& q, int rank);
  // Of a solution, directions of motion beyond the `rank` of general position that the target leaves free.
  int extra_freedom(const std::vector<double>& q, int rank);

  // The target is farther from the first joint than all lengths behind it together.
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
  double reach_ = 0.0;                        // no more than so far from there; infinite with slides that have no end
  double size_ = 0.0;                         // the same, slides without an end counted as a metre; never zero
};

}  // namespace lw::detail
