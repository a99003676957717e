// A mechanism driven by torques: v̇ from forward dynamics, compiled where a compiler is, with what joints and drives
// lose.
//
//   Driven arm(load("puma560"), [](double t, auto q, auto v, auto tau) { … });
//   MotionState state = arm.home();
//   auto rk4 = make_integrator("rk4", {.step = 1e-3});
//   while (state.t < 1.0) advance(*rk4, arm, state, 1.0);
//
// Along with the motion goes the work that comes in and that is lost, z = {∫ τ·v + external forces, ∫ losses·v}, so
// that E(t) − E(0) = z₀ − z₁ can be held against the energy at any time (energy_balance.hpp).
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
  Way way = Way::automatic;  // compiled, where there is a compiler and the mechanism is not too large
  bool friction = true;
  bool work = true;                     // z; without it nz = 0
  TorqueDerivatives derivatives = {};   // for implicit integrators, where torques depend on the state
  ParameterValues<double> values = {};  // for parameters by name

  // Of loops. minimal: the driven joints are the coordinates, the others follow in the mode that the motion began in;
  // it ends at their dead centres. redundant: which joints are the coordinates is chosen anew wherever others are
  // better, so that it goes through dead centres. Either goes through poses in which branches meet, along the branch
  // that it is on (branch_crossing.hpp).
  enum class Coordinates { minimal, redundant };
  Coordinates coordinates = Coordinates::minimal;
};

class DrivenDynamics;

class Driven : public System {
 public:
  // No torques: zero. Of a mechanism with loops the state is that of its spanning tree, with all its joints; torques of
  // joints that are not actuated do nothing.
  explicit Driven(const Mechanism& mechanism, Torques torques = {}, DrivenOptions options = {});
  // Of a model, which has no file to be compiled from: by the reference, and with losses no Jacobian.
  explicit Driven(Model<double> model, Torques torques = {}, DrivenOptions options = {});
  ~Driven() override;

  int nz() const override;
  void slopes(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
              std::span<double> a, std::span<double> dz) override;
  bool jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> d_q,
                std::span<double> d_v) override;
  bool begin(const MotionState& state) override;
  // As long as it keeps them, `begin` decides nothing: steps may be tried beside the motion and leave no trace in it.
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

  // Of loops: the state that independent coordinates and velocities of `state` belong to. The others may be a guess
  // that tells the mode; as at home they leave it at home's. Velocities of joints that follow must be zero, or right:
  // Error(data).
  void assemble(MotionState& state) const;
  // After an event has set independent coordinates or velocities: the others follow, from where they are.
  void complete(MotionState& state) const;
  // The largest residual of the closures, m or rad.
  double opening(const MotionState& state) const;

  // As the last call of `slopes` had them.
  std::span<const double> torques() const;
  void set_torques(Torques torques);  // restart the integrator then
  Energy<double> energy(const MotionState& state);

  // Whether anything dissipates, and whether by dry friction, which makes events.
  bool has_losses() const;
  bool is_dry() const;
  // compiled, interpreted or reference; and what the user should know (why it is not compiled).
  DrivenOptions::Way way() const;
  const std::vector<std::string>& notes() const;
  // Accelerations so far that the algorithms have computed and not generated code: where dry friction holds a joint,
  // say.
  long by_algorithms() const;

 private:
  template <class Action>
  auto telling(double t, std::span<const double> q, std::span<const double> v, const Action& action) const;
  std::unique_ptr<DrivenDynamics> dynamics_;
  bool keeps_decisions_ = false;
};

}  // namespace lw
