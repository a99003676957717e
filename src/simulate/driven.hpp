// A mechanism driven by torques: v̇ from forward dynamics, compiled where a compiler is, with what joints and drives lose.
//
//   Driven arm(load("puma560"), [](double t, auto q, auto v, auto tau) { … });
//   MotionState state = arm.home();
//   auto rk4 = make_integrator("rk4", {.step = 1e-3});
//   while (state.t < 1.0) advance(*rk4, arm, state, 1.0);
//
// Along with the motion goes the work that comes in and that is lost, z = {∫ τ·v + outer forces, ∫ losses·v}, so that
// E(t) − E(0) = z₀ − z₁ can be held against the energy at any time (energy_balance.hpp).
#pragma once

#include <functional>
#include <memory>

#include "../dynamics/energy.hpp"
#include "system.hpp"

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
};

class Driven : public System {
 public:
  // No torques: zero. Throws Error(model) for a mechanism with loops.
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
  bool still_holds(const MotionState& state) override;
  std::vector<std::string> settle(MotionState& state) override;

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

 private:
  class Dynamics;
  template <class Action>
  auto telling(double t, std::span<const double> q, std::span<const double> v, const Action& action) const;
  std::unique_ptr<Dynamics> dynamics_;
};

}  // namespace lw

#include "energy_balance.hpp"  // whoever moves a mechanism balances its energy
