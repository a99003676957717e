// Many motions of one mechanism at once: Runge and Kutta's fourth-order step over all of them, forward dynamics
// compiled for vectors.
//
//   BatchRun run(load("puma560"), 8);
//   std::copy(…, run.q(3).begin());       // the state of lane 3
//   run.advance(1.0, 1e-3);
//
// All lanes have the same time, and each lane's motion is independent of the others. Dry friction is not supported,
// because joints stop at different times in every lane.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "../integrate/system.hpp"

namespace lw {

// tau of all lanes: tables with one row per lane.
using BatchTorques =
    std::function<void(double t, std::span<const double> q, std::span<const double> v, std::span<double> tau)>;

struct BatchOptions {
  bool friction = true;
  bool work = true;  // integrates work and losses with the motion
  ParameterValues<double> values = {};
};

class BatchRun {
 public:
  // At the home pose, at rest. Throws Error(model) for loops, dry friction and external forces.
  BatchRun(const Mechanism& mechanism, std::size_t lanes, BatchTorques torques = {}, const BatchOptions& options = {});
  ~BatchRun();

  const Model<double>& model() const;
  std::size_t lanes() const;
  double t() const;
  std::span<double> q(std::size_t lane);
  std::span<double> v(std::size_t lane);
  double work(std::size_t lane) const;  // of the torques
  double losses(std::size_t lane) const;
  MotionState state(std::size_t lane) const;  // z = {work, losses}
  bool is_vectorised() const;                 // otherwise lane by lane, with the same results

  // Steps of equal length, the last shortened. Does not allocate. Throws NotFinite with the lane.
  void advance(double until, double step);

 private:
  class Lanes;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace lw
