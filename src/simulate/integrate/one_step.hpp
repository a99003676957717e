// Common base of one-step methods: a step is a function of its initial state and its length.
#pragma once

#include "chart.hpp"
#include "integrator.hpp"

namespace lw {

class OneStep : public Integrator {
 public:
  explicit OneStep(const IntegratorOptions& options) : options_(options) {}

  void step(System& system, MotionState& state, double until) override;
  void at(double t, MotionState& out) override;
  void forget() override;

 protected:
  // The state after h, from start_ and first(): the slopes there.
  virtual void compute(double h, MotionState& out) = 0;
  virtual void reserve() {}  // workspaces, for nq_, nv_ and nz_

  // A new start_; its slopes are computed unless they are carried over.
  void begin(System& system, const MotionState& state, double until);
  // The fixed step, or what is left.
  double fixed_step(double until) const;
  // Accelerations and ż at a state, into slope[nv…]; u̇ is for the caller.
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                std::span<double> slope);

  std::span<double> first() { return first_; }

  IntegratorOptions options_;
  System* system_ = nullptr;
  Chart chart_;
  MotionState start_;
  bool carried_ = false;  // first() holds the slopes of the state that the next step starts from
  std::size_t nq_ = 0, nv_ = 0, nz_ = 0;

 private:
  std::vector<double> first_;   // u̇, v̇, ż
  std::vector<double> origin_;  // u = 0
};

std::unique_ptr<Integrator> make_runge_kutta(std::string_view name, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_euler_like(std::string_view name, const IntegratorOptions& options);
std::unique_ptr<Integrator> make_implicit_midpoint(const IntegratorOptions& options);
std::unique_ptr<Integrator> make_cvode(const IntegratorOptions& options);

}  // namespace lw
