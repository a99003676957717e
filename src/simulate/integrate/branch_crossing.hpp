// A step through a pose in which branches of a closed mechanism's motion meet (a parallelogram stretched flat).
//
// There the closures lose rank and determine neither velocities nor accelerations, but the motion itself is smooth: it
// continues along the branch to which its velocity is tangent. One long step is therefore made across the pose by Gauss
// collocation: y' is a polynomial that satisfies the equations of motion at the nodes t_i,
//   k_i = f(t_i, y_i),   y_i = y_0 + H Σ_j A_ij k_j,   A_ij = ∫₀^c_i ℓ_j
// The nodes are Gauss's without those near the pose, where rounding spoils the closures. Nodes beyond the pose are
// closed starting from the polynomial, which determines the branch; closed states that agree with the polynomial at
// every node confirm that it is the same. The same rule serves steps that must end, or begin, at the pose itself.
//
// The step may extend beyond the requested instant: the state there is that of the polynomial, and the next step
// continues along it unless something has changed.
//
// If this fails for every step length, the motion is undetermined: it stops there, or several branches share its
// tangent.
#pragma once

#include "one_step.hpp"

namespace lw {

class BranchCrossing : public OneStep {
 public:
  BranchCrossing() : OneStep({}) {}

  // Across, or as far as `until` lets it. Throws BranchUndecided.
  void step(System& system, MotionState& state, double until) override;
  void at(double t, MotionState& out) override;
  void forget() override { goes_on_ = false; }

 protected:
  void compute(double h, MotionState& out) override;
  void reserve() override;

 private:
  struct Rule {
    std::vector<double> nodes;  // in [0, 1]
    std::vector<double> A;      // by rows
    Eigen::MatrixXd C;          // Legendre's coefficients of the polynomials that are 1 at one node and 0 at the others
  };
  struct Polynomial {
    Rule rule;
    std::vector<std::vector<double>> slopes;
    double length = 0.0, noise = 0.0;
  };
  static Rule rule_beside(double pose);
  // ∫₀^x of the polynomials that are 1 at one node and 0 at the others.
  static std::vector<double> integrals(const Rule& rule, double x);
  bool attempt(double h, double to_branch);
  void leave(std::span<const double> weights, double h, MotionState& out) const;
  void first_guess(double h);
  bool iterate(double h);
  bool is_one_branch(double h);
  bool continues(const MotionState& state);
  double fastest() const;

  Rule rule_;
  double length_ = 0.0;                 // of the polynomial, from start_ on
  bool goes_on_ = false;                // beyond where the last step ended
  double noise_ = 0.0;                  // of the last iteration, as a part of velocities
  std::vector<std::vector<double>> k_;  // slopes at the nodes: u̇, v̇, ż
  std::vector<double> y_;
  MotionState stage_;
};

}  // namespace lw
