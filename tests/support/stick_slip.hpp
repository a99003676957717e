// A motion with dry friction by Runge and Kutta's step, and a list of its stops.
#pragma once

#include <vector>

#include "simulate/integrate/advance.hpp"
#include "simulate/motion/driven.hpp"

namespace lw {

struct StickSlip {
  // tau(t, q, qd), nv entries; none: zero.
  using Torques = std::function<std::vector<double>(double, const std::vector<double>&, const std::vector<double>&)>;

  StickSlip(const Model<double>& model, std::vector<double> start, std::vector<double> rates, Torques torques = {});

  void advance(double duration, double step);

  double t = 0.0, lost = 0.0;
  std::vector<double> q, qd;
  struct Stop {
    double t;
    std::size_t joint;
    double q;
  };
  std::vector<Stop> stops;  // where a joint came to rest

  double energy();

 private:
  Driven system_;
  MotionState state_;
};

}  // namespace lw
