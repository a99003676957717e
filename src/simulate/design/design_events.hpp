// Events in a design's run, and the propagation of derivatives through them.
//
// If an event occurs when a formula g(t, q, q̇) passes zero, its instant t* depends on the design, and with it the
// change from one motion to the next. With f and f⁺ the rates before and after, and y⁺ = R(t, y) set by the event:
//
//   dt* = w·dy,  w = −g_y / (g_t + g_y f)
//   dy⁺ = S dy,  S = R_y + (R_y f + R_t − f⁺) wᵀ                 both at the actual instant (saltation matrix)
//
// An event at a given time has w = 0. If it ends the run, y at the end changes by (1 + f wᵀ) dy, because the end itself
// moves. Integrals, which are part of y, continue; g and R are formulas of the scenario, which do not depend on
// parameters of the design.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "../../graph/function.hpp"
#include "../../graph/interpreter.hpp"
#include "design_system.hpp"
#include "recorded_run.hpp"

namespace lw {

struct DesignEvent {
  std::string name;
  std::optional<double> time;                // else where `crossing` passes zero
  std::shared_ptr<const Function> crossing;  // (t, q, qd) → a number
  enum class Direction { up, down, both } direction = Direction::both;
  bool once = false, stop = false;
  std::shared_ptr<const Function> set;  // (t, q, qd) → q, qd; none: they stay
  std::vector<int> drives;              // velocities whose input it changes
};

// One that has happened, or several at the same instant.
struct EventPassage {
  std::vector<std::size_t> events;
  bool stops = false;
  double t = 0.0;
  Eigen::VectorXd w;  // dt*/dy
  Eigen::MatrixXd S;
};

// Which of the events comes next.
class EventWatch : public RunEnd {
 public:
  EventWatch(const std::vector<DesignEvent>& events, std::size_t nq, std::size_t nv);

  // From here on, at the beginning or behind an event; `rates` are those of the motion that follows.
  void begin(double t, std::span<const double> y, std::span<const double> rates);
  bool passed(double t, std::span<const double> y) override;
  void move_on(double t, std::span<const double> y) override;

  bool has_crossings() const { return !watched_.empty(); }
  // The next instant of an event at a given time, not before t; infinity where there is none.
  double next_time(double t) const;
  // Those that happen here, in their order: their time has come, or they have passed.
  std::vector<std::size_t> due(double t, std::span<const double> y);
  // It has happened at y, before what it sets.
  void happened(std::size_t event, double t, std::span<const double> y);

 private:
  struct Watched {
    std::size_t event;
    Interpreter<Dual> g;
    double before = 0.0;
    std::optional<double> passed_at = {};  // its value where it has just happened: zero but for round-off
  };
  double value(Watched& w, double t, std::span<const double> y);
  bool passes(Watched& w, double t, std::span<const double> y);
  double rate(Watched& w, double t, std::span<const double> y, std::span<const double> rates);

  const std::vector<DesignEvent>& events_;
  std::size_t nq_, nv_;
  std::vector<Watched> watched_;
  std::vector<std::size_t> located_;  // events that were found to pass, and where
  double located_at_ = 0.0;
  std::vector<bool> done_;
};

// y after the events, one after the other: q and qd as they set them, quaternions of length 1, integrals as before. In
// any scalar.
template <class T>
std::vector<T> set_by(const std::vector<DesignEvent>& events, const std::vector<std::size_t>& which,
                      const DesignSystem& system, const T& t, std::span<const T> y);

// How derivatives pass them, with the rates at y before and at what follows; where one ends the run, nothing is set.
// Throws Error(data) where a crossing passes zero with no speed, so that its instant has no derivative.
EventPassage passage(const std::vector<DesignEvent>& events, const std::vector<std::size_t>& which, double t,
                     std::span<const double> y, std::span<const double> f, std::span<const double> f_after,
                     const DesignSystem& system);

}  // namespace lw
