// Integrators: one step at a time, quaternions on their sphere, so that a method keeps its order for every joint.
//
//   explicit, fixed step   semi-implicit-euler (1), taylor (1; Binder 1985), rk4 (4; Wong 1991), gill (4; Dhanaraj
//                          1990), verner (6; Twu 1987)
//   explicit, adaptive     dormand-prince 5(4) with its dense output; verner 6(5) if no step is given
//   implicit               implicit-midpoint (2; fixed step, time-reversible), cvode (BDF of SUNDIALS; for what is
//                          stiff)
//
// Every step uses coordinates u around its beginning, q = q₀ exp(u) (chart.hpp), which form a vector space. `cvode`
// keeps a history and therefore uses the quaternions themselves (cvode.cpp explains why this is exact).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "system.hpp"

namespace lw {

struct IntegratorOptions {
  double step = 0.0;    // of fixed steps; of adaptive ones the first (0: chosen). Fixed-step methods need one
  double rtol = 1e-12;  // adaptive: of the larger of both ends, quaternions counting as 1
  double atol = 1e-12;
  double longest = 0.0;   // adaptive; 0: none
  double shortest = 0.0;  // adaptive: where the next one is shorter, the run ends with Error(data); 0: round-off of t
};

struct IntegratorCounts {
  long steps = 0, rejected = 0, slopes = 0, jacobians = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  // One step towards `until`, later than state.t: fixed (the last one shortened to meet `until`) or its own choice,
  // never beyond. Throws Error(data) with time, joint and state if there is no next step. The first step allocates,
  // later ones of one-step methods do not.
  virtual void step(System& system, MotionState& state, double until) = 0;
  // Within the last step: of `dormand-prince` and `cvode` by their interpolation, of others by a shortened step, which
  // has the method's order (and asks the system, which must still be there).
  virtual void at(double t, MotionState& out) = 0;
  // To be called after an event has changed the state, or before another system: discards the last step.
  void restart();
  virtual void forget() = 0;  // of its own steps, not of a detour's

  IntegratorCounts counts() const;

  // The method that made the last step in place of this one (advance.hpp), where one did: what lies within the step is
  // asked of it.
  void make_detour(std::shared_ptr<Integrator> method) { detour_ = std::move(method); }
  void on_detour(bool yes) { on_detour_ = yes; }
  const std::shared_ptr<Integrator>& detour() const { return detour_; }
  Integrator& of_last_step() { return on_detour_ ? *detour_ : *this; }

 protected:
  IntegratorCounts counts_;

 private:
  std::shared_ptr<Integrator> detour_;
  bool on_detour_ = false;
};

// In the order above.
const std::vector<std::string>& integrator_names();
// Whether it is adaptive with these options.
bool is_adaptive(std::string_view name, const IntegratorOptions& options);
// Throws Error(usage) for an unknown name (with the nearest), a step that is missing, not positive or not finite,
// tolerances that are not positive.
std::unique_ptr<Integrator> make_integrator(std::string_view name, const IntegratorOptions& options);

}  // namespace lw
