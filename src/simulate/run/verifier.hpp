// Inside of verification.cpp: the mechanism at random states, and the parts of its verification. Of a tree all joints
// are independent: H is M, and generalised forces are torques.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "../../codegen/compile.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/loops/plant.hpp"
#include "../../model/over.hpp"
#include "../../model/random_state.hpp"
#include "run.hpp"
#include "verification.hpp"

namespace lw {

inline Eigen::Map<const Eigen::VectorXd> mapped(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

struct VerifiedState {
  State s;                // independent and actuated joints
  std::vector<double> q;  // all coordinates
  Eigen::MatrixXd H;
  Eigen::VectorXd h;

  // |H| |q̈| + |h|, entry by entry, and the largest of both.
  Eigen::VectorXd sums(std::span<const double> qdd) const;
  double terms(std::span<const double> qdd) const;
  double condition() const;  // of H
};

struct Verifier {
  Verifier(const Mechanism& from, const VerificationOptions& with);

  const Mechanism& mechanism;
  const VerificationOptions& options;
  const Plant plant;
  const Model<double>& model;
  const LoopPlan& plan;
  const std::size_t n;  // freedoms
  PlantWorkspace<double> work;
  Model<Dual> dual;
  std::vector<VerifiedState> states;
  VerificationReport report;

  void judge(const char* group, std::string name, double worst, double allowed, const char* unit, const char* why,
             std::string note = {});
  void skip(const char* group, std::string name, std::string why);

  // By the methods that are verified: generalised forces of a motion, and what they lack of those that q̈ under the
  // state's torques needs, as a part of its terms.
  void forces(const VerifiedState& c, std::span<const double> qd, std::span<const double> qdd, std::span<double> force);
  double unbalanced(const VerifiedState& c, std::span<const double> qdd);
  // Whether code is compiled for it in reasonable time; says in `name` why it is not.
  bool is_compiled(const char* name);
  // A function of generated code at a state, `last` its third input: so many results.
  std::vector<double> called(Compiled& compiled, const char* function, const VerifiedState& c,
                             std::span<const double> last, std::size_t results) const;

  // The position on its way along the k-th independent velocity.
  LoopPosition<Dual> moved_along(const VerifiedState& c, std::size_t k) const;

  // ∂q̈/∂q and ∂q̈/∂q̇ by columns, and what their errors are measured by.
  struct Slopes {
    std::vector<double> d_q, d_qd;
    double scale_q = 1.0, scale_qd = 1.0;
  };
  // Against dual numbers through position and forward dynamics.
  void judge_slopes(const std::function<Slopes(const VerifiedState&)>& slopes, std::size_t most_states,
                    const char* which, const char* unit, const char* why);

  // From home: free, with velocities of independent joints up to `fastest`.
  Scenario free_from_home(double fastest) const;
  // Of a motion that asks for ever smaller steps nothing more is learnt by waiting. Whether it came to its end is for
  // the caller to judge: a run may reach a singular pose, which is a property of the mechanism and no error.
  RunResult run_for_a_while(const Scenario& s, const std::vector<RunListener*>& listeners);
};

// Kinetic and potential energy of a run, for the report.
struct EnergyListener : RunListener {
  explicit EnergyListener(EnergyCourse& course) : to(course) {}
  void row(const RunRow& r) override;
  EnergyCourse& to;
  double start = 0.0;
};

namespace groups {
inline constexpr const char *kStates = "random states", *kRun = "along a run", *kOrders = "order of integrators";
}

// Parts of the verification. Those of trees alone, whose methods describe no loops (tree_checks.cpp):
void formulations_agree(Verifier& v);
void forward_by_mass_matrix(Verifier& v);
void analytic_derivatives(Verifier& v);
void torques_from_a_run(Verifier& v);
void energy_of_a_run(Verifier& v);
// and of the closures and what follows them (loop_checks.cpp):
void complement_follows_position(Verifier& v);
void forward_by_multipliers(Verifier& v);
void derivatives_of_code(Verifier& v);
void runs_in_both_coordinates(Verifier& v);

}  // namespace lw
