// Verification of a mechanism: every result is computed by an independent method, and the differences are measured.
//
//   at random states   inverse dynamics by every formulation that can describe the mechanism; the mass matrix; forward
//                      dynamics inserted into inverse dynamics; compiled code against the algorithms; derivatives
//                      against dual numbers; power: dE/dt = τ·q̇
//   along a run        torques recomputed from the motion; the unaccounted energy
//   of integrators     the order of convergence
//
// With loops: the dependent motion against Newton's method in dual numbers, forward dynamics by multipliers, and runs
// in minimal and in redundant coordinates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../../dynamics/loops/projection.hpp"
#include "integrator_orders.hpp"

namespace lw {

struct VerificationCheck {
  std::string group, name;
  double worst = 0.0, allowed = 0.0;
  enum class Verdict { passed, failed, skipped } verdict = Verdict::passed;
  std::string
      // how it was measured, why it was skipped (a check that cannot be made says nothing against the mechanism), or
      // what went wrong
      note;
  std::string unit;  // of worst and allowed: "of |M| |q̈| + |h|" where they are fractions of that
  std::string why;   // the limit is where it is
};

// Reasons for the limits.
namespace limits {
inline constexpr const char
    *kSums = "rounding of sums, which each method makes in its own order; an error in a term is far larger",
    *kSolution = "rounding of a stable solution, whatever the condition of the matrix",
    *kCondition = "one is what rounding of M makes of q̈ at worst: two sound methods are a few of these apart",
    *kDerivatives = "one is what rounding of M makes of the derivatives: correct methods differ by a few of these",
    *kClosedDerivatives =
        "one is what rounding of H and of the closures makes of the derivatives: correct methods differ by a few of "
        "these",
    *kIntegration = "errors of integration at the tolerance of a step, summed over the run",
    *kFound = "steps end at instants that are found by bisection where friction changes",
    *kIterated = "accelerations with friction are found by iteration, to the rounding of the largest torque",
    *kNewton = "what Newton's method leaves of the closures, through the condition of the loops",
    *kOrder = "orders are whole numbers: half of one off is another order";
}  // namespace limits

struct EnergyCourse {
  std::vector<double> t, kinetic, potential, residual;  // potential: its change
};

// The algorithms that are verified; others than the library's in tests. Torques of the spanning tree, and accelerations
// of the independent joints.
struct VerifiedMethods {
  std::function<void(const Model<double>&, Workspace<double>&, In<double> q, In<double> qd, In<double> qdd,
                     Out<double> tau)>
      inverse;
  std::function<void(const Model<double>&, const LoopPlan&, PlantWorkspace<double>&, In<double> q, In<double> qd,
                     In<double> tau, Out<double> qdd)>
      forward;
};
VerifiedMethods library_methods();  // rnea, forward_dynamics

struct VerificationOptions {
  int states = 50;
  std::uint64_t seed = 1;
  double duration = 1.0;  // of the runs
  bool compiled = true;
  VerifiedMethods methods = library_methods();
  std::function<void(double fraction, const std::string& what)> progress = {};
};

struct VerificationReport {
  std::vector<VerificationCheck> checks;
  std::vector<ConvergenceCurve> convergence;
  EnergyCourse energy;
  bool passed() const;
};

VerificationReport verify_mechanism(const Mechanism& mechanism, const VerificationOptions& options = {});

}  // namespace lw
