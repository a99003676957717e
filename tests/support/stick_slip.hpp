// A motion with dry friction, step by step: Runge and Kutta's fourth-order step between the instants at which a joint comes
// to rest. These are found by bisection, so that no step sees friction change its direction. For joints with plain
// coordinates (nq = nv).
#pragma once

#include <functional>
#include <vector>

#include "dynamics/forward_friction.hpp"

namespace lw {

struct StickSlip {
  // tau(t, q, qd), nv entries; none: zero.
  using Torques = std::function<std::vector<double>(double, const std::vector<double>&, const std::vector<double>&)>;

  StickSlip(const Model<double>& model, std::vector<double> start, std::vector<double> rates, Torques torques = {});

  void advance(double duration, double step);

  double t = 0.0, lost = 0.0;  // time, and the work of all losses: ∫ (bearing + transmission)·q̇ dt by their laws
  std::vector<double> q, qd, qdd;
  struct Stop {
    double t;
    std::size_t joint;
    double q;
  };
  std::vector<Stop> stops;  // where a joint came to rest

  double energy() const;

 private:
  struct State {
    std::vector<double> q, qd;
    double lost = 0.0;
  };
  State derivative(double at, const State& s, bool first);
  State step(double h, const State& first);

  const Model<double>& model_;
  mutable Workspace<double> work_;
  Losses<double> losses_;
  ForwardWithLosses forward_;
  Torques torques_;
};

}  // namespace lw
