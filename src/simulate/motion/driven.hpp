// A mechanism driven by torques: v̇ from forward dynamics, compiled if there is a compiler, with losses of joints and
// drives.
//
//   Driven arm(load("puma560"), [](double t, auto q, auto v, auto tau) { … });
//   MotionState state = arm.home();
//   auto rk4 = make_integrator("rk4", {.step = 1e-3});
//   while (state.t < 1.0) advance(*rk4, arm, state, 1.0);
//
// The work done and dissipated is integrated with the motion, z = {∫ τ·v + external forces, ∫ losses·v}, so that E(t) −
// E(0) = z₀ − z₁ can be checked at any time (energy_balance.hpp).
#pragma once

#include <functional>
#include <memory>

#include "../../dynamics/tree/energy.hpp"
#include "../integrate/system.hpp"

namespace lw {

// tau(t, q, v), nv entries.
using Torques =
    std::function<void(double t, std::span<const double> q, std::span<const double> v, std::span<double> tau)>;
// Their derivatives, nv × nv by columns, along the velocities for q.
using TorqueDerivatives = std::function<void(double t, std::span<const double> q, std::span<const double> v,
                                             std::span<double> d_q, std::span<double> d_v)>;

struct DrivenOptions {
  enum class Way { automatic, compiled, interpreted, reference };
  Way way = Way::automatic;  // compiled, if there is a compiler and the mechanism is not too large
  bool friction = true;
  bool work = true;                     // z; without it nz = 0
  TorqueDerivatives derivatives = {};   // for implicit integrators, if torques depend on the state
  ParameterValues<double> values = {};  // for parameters by name

  // For loops. minimal: the actuated joints are the coordinates, the others follow in the initial mode; the motion ends
  // at their dead centres. redundant: the coordinates are chosen again wherever others are better, so that the motion
  // passes dead centres. Both pass poses at which branches meet, along the current branch (branch_crossing.hpp).
  enum class Coordinates { minimal, redundant };
  Coordinates coordinates = Coordinates::minimal;
};

class DrivenDynamics;

class Driven : public System {
 public:
  // No torques: zero. For closed-loop mechanisms the state is that of the spanning tree, with all joints; torques of
  // joints that are not actuated are ignored.
  explicit Driven(const Mechanism& mechanism, Torques torques = {}, DrivenOptions options = {});
  // For a model without a file to compile from: uses the reference, and has no Jacobian with losses.
  explicit Driven(Model<double> model, Torques torques = {}, DrivenOptions options = {});
  ~Driven() override;

  int nz() const override;
  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
              std::span<double> a, std::span<double> dz) override;
  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override;
  bool begin(const MotionState& state) override;
  // While it keeps them, `begin` decides nothing: trial steps do not affect the motion.
  void keep_decisions(bool yes) { keeps_decisions_ = yes; }
  bool still_holds(const MotionState& state) override;
  std::vector<std::string> settle(MotionState& state) override;
  void close(MotionState& state) override;
  int parts(const MotionState& from, const MotionState& to) const override;
  Passage passage(const MotionState& from, const MotionState& to) override;
  bool is_near_branch(const MotionState& state) override;
  bool may_pass_by(const MotionState& state) override;
  double time_to_branch(const MotionState& state) override;
  std::string describe_branch(const MotionState& state) override;

  // For loops: the state with the independent coordinates and velocities of `state`. The others may be a guess that
  // selects the mode; if as at home, the mode is that of home. Velocities of dependent joints must be zero or
  // consistent, otherwise Error(data).
  void assemble(MotionState& state) const;
  // After an event has set independent coordinates or velocities: computes the others, from their current values.
  void complete(MotionState& state) const;
  // The largest residual of the closures, m or rad.
  double opening(const MotionState& state) const;

  // As in the last call of `slopes`.
  std::span<const double> torques() const;
  void set_torques(Torques torques);  // restart the integrator then
  Energy<double> energy(const MotionState& state);

  // Whether anything dissipates energy, and whether by dry friction, which causes events.
  bool has_losses() const;
  bool is_dry() const;
  // compiled, interpreted or reference; and a message for the user (why it is not compiled).
  DrivenOptions::Way way() const;
  const std::vector<std::string>& notes() const;
  // Number of accelerations computed by the library's algorithms instead of generated code, for example because dry
  // friction holds a joint.
  long by_algorithms() const;

 private:
  template <class Action>
  auto telling(double t, std::span<const double> q, std::span<const double> v, const Action& action) const;
  std::unique_ptr<DrivenDynamics> dynamics_;
  bool keeps_decisions_ = false;
};

}  // namespace lw
