// What is behind a Driven: how its accelerations come about. Trees have tree_dynamics.cpp, mechanisms with loops
// loop_dynamics.cpp.
#pragma once

#include <numeric>
#include <optional>

#include "../../codegen/trace/traced.hpp"
#include "../../graph/interpreter.hpp"
#include "driven.hpp"

namespace lw {

inline bool all_finite(std::span<const double> numbers) {
  double sum = 0.0;
  for (const double x : numbers) sum += 0.0 * x;
  return sum == 0.0;
}
inline double power_of(std::span<const double> torques, std::span<const double> velocities) {
  return std::inner_product(torques.begin(), torques.end(), velocities.begin(), 0.0);
}

class DrivenDynamics {
 public:
  DrivenDynamics(const Model<double>& model, std::optional<Mechanism> mechanism, Torques torques,
                 DrivenOptions options);
  virtual ~DrivenDynamics() = default;
  DrivenDynamics(const DrivenDynamics&) = delete;
  DrivenDynamics& operator=(const DrivenDynamics&) = delete;

  // As System has them; dz empty, or work and losses.
  virtual void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<double> a,
                      std::span<double> dz) = 0;
  virtual bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                        std::span<double> d_v) = 0;
  virtual bool begin(const MotionState&) { return false; }
  virtual bool still_holds(const MotionState&) { return true; }
  virtual std::vector<std::string> settle(MotionState&) { return {}; }
  virtual void close(MotionState&) {}
  virtual void assemble(MotionState&) {}
  virtual void complete(MotionState&) {}
  virtual double opening(const MotionState&) { return 0.0; }
  virtual std::span<double> tau() = 0;  // nv
  virtual int parts(const MotionState&, const MotionState&) const { return 1; }
  virtual System::Passage passage(const MotionState&, const MotionState&) { return System::Passage::free; }
  virtual bool is_near_branch(const MotionState&) { return false; }
  virtual bool may_pass_by(const MotionState&) { return true; }
  virtual double time_to_branch(const MotionState&) { return 0.0; }
  virtual std::string describe_branch(const MotionState&) { return {}; }

  Energy<double> energy(const MotionState& state);

  const std::optional<Mechanism> mechanism_;
  DrivenOptions options_;
  Torques torques_;
  Model<double> model_;  // external forces at the time of the last call
  const std::size_t nq_, nv_;
  const bool lossy_, timed_;  // timed: external forces are functions of t
  bool dry_ = false;
  DrivenOptions::Way way_ = DrivenOptions::Way::reference;
  std::vector<std::string> notes_;
  long plain_ = 0;  // accelerations that the algorithms have computed, not generated code

 protected:
  TraceOptions trace_options() const;
  // Into model_, and into the external forces alone.
  void set_time(double t);
  // Of external forces, at q.
  double outer_power(std::span<const double> q, std::span<const double> v);
  // Whether to compile or interpret; notes why not where one might have expected it.
  bool wants_code();

  Workspace<double> work_;

 private:
  void trace_wrenches();

  Model<double> outer_;  // its external forces and no other element
  std::optional<Interpreter<double>> wrenches_;
  std::vector<double> wrench_, outer_torques_;
};

std::unique_ptr<DrivenDynamics> make_tree_dynamics(const Model<double>& model, std::optional<Mechanism> mechanism,
                                                   Torques torques, DrivenOptions options);
std::unique_ptr<DrivenDynamics> make_loop_dynamics(const Model<double>& model, std::optional<Mechanism> mechanism,
                                                   Torques torques, DrivenOptions options);

}  // namespace lw
