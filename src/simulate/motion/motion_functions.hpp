// Generated code for the accelerations of a motion, used instead of the library's algorithms, and Jacobians.
//
// Of a tree (tree_functions.cpp): `forward` and, with losses, `friction` of the table, with time and losses in them.
// With loops (loop_functions.cpp): a function of its own from independent joints to the accelerations of all, without
// losses and external forces.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driven.hpp"

namespace lw {

class DrivenDynamics;
class ForwardLosses;

class MotionFunctions {
 public:
  virtual ~MotionFunctions() = default;

  // Where there is code. Accelerations of all joints; false where it cannot tell.
  virtual bool accelerations(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> motors, std::span<double> a) = 0;
  // Accelerates the friction of this motion with code, if possible.
  virtual void serve(ForwardLosses& /*friction*/) {}
  // Power that friction and drives dissipate at that state, with these accelerations.
  virtual double lost_power(std::span<const double> /*v*/, std::span<const double> /*a*/) { return 0.0; }

  // Whether there are Jacobians, where the coordinates in use are those of the actuated joints or others.
  virtual bool has_jacobian(bool coordinates_are_given) = 0;
  // ∂a/∂q, ∂a/∂v, and ∂a/∂τ of the actuated joints, by columns, at a closed state.
  struct JacobianAt {
    double t;
    std::span<const double> q, v;    // of all joints
    std::span<const double> motors;  // torques of the actuated joints
    // With the losses, in the directions that were decided.
    std::function<std::span<const double>()> accelerations;
    const ForwardLosses* friction;  // null where nothing is lost
  };
  virtual void jacobian(const JacobianAt& at, std::span<double> d_q, std::span<double> d_v,
                        std::span<double> d_tau) = 0;

  bool has_code() const { return way != DrivenOptions::Way::reference; }

  DrivenOptions::Way way = DrivenOptions::Way::reference;
  std::vector<std::string> notes;

 protected:
  // Whether to compile or interpret; notes the reason if not, where it may be unexpected.
  bool wants_code(const DrivenDynamics& motion);
};

std::unique_ptr<MotionFunctions> functions_of_tree(const DrivenDynamics& motion);
std::unique_ptr<MotionFunctions> functions_of_loops(const DrivenDynamics& motion);

}  // namespace lw
