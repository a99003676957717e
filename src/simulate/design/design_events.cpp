#include "design_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../integrate/system.hpp"

namespace lw {
namespace {

// t, q, qd as a function of the scenario has them.
template <class T>
std::vector<T> formula_inputs(const T& t, std::span<const T> y, std::size_t nq, std::size_t nv) {
  std::vector<T> x{t};
  x.insert(x.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nq + nv));
  return x;
}

bool goes_through(DesignEvent::Direction direction, double before, double after) {
  const bool up = before < 0.0 && after >= 0.0, down = before > 0.0 && after <= 0.0;
  return direction == DesignEvent::Direction::up ? up : direction == DesignEvent::Direction::down ? down : up || down;
}

}  // namespace

EventWatch::EventWatch(const std::vector<DesignEvent>& events, std::size_t nq, std::size_t nv)
    : events_(events), nq_(nq), nv_(nv), done_(events.size(), false) {
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (!events[k].time) watched_.push_back({k, Interpreter<Dual>(*events[k].crossing)});
  }
}

double EventWatch::value(Watched& w, double t, std::span<const double> y) {
  const std::vector<Dual> at(y.begin(), y.end());
  Dual g;
  w.g(formula_inputs<Dual>(Dual(t), at, nq_, nv_), {&g, 1});
  if (!std::isfinite(g.v)) {
    throw Error(ErrorCode::data, fmt::format("the crossing of the event `{}` is {} at t = {:.9g} s",
                                             events_[w.event].name, fault_of(g.v), t));
  }
  return g.v;
}

double EventWatch::rate(Watched& w, double t, std::span<const double> y, std::span<const double> rates) {
  std::vector<Dual> at;
  for (std::size_t c = 0; c < nq_ + nv_; ++c) at.emplace_back(y[c], rates[c]);
  Dual g;
  w.g(formula_inputs<Dual>(Dual(t, 1.0), at, nq_, nv_), {&g, 1});
  return g.d;
}

void EventWatch::begin(double t, std::span<const double> y, std::span<const double> rates) {
  for (Watched& w : watched_) {
    w.before = value(w, t, y);
    // what has just passed zero, and was not set elsewhere, stands there but for round-off: where it goes tells on
    // which side it is
    const bool stays = w.passed_at && std::abs(w.before) <= 2.0 * std::abs(*w.passed_at);
    if (stays) w.before = std::copysign(std::numeric_limits<double>::min(), rate(w, t, y, rates));
    w.passed_at.reset();
  }
}

bool EventWatch::passed(double t, std::span<const double> y) {
  std::vector<std::size_t> those;
  for (Watched& w : watched_) {
    if (passes(w, t, y)) those.push_back(w.event);
  }
  if (those.empty()) return false;
  located_ = std::move(those);
  located_at_ = t;
  return true;
}

bool EventWatch::passes(Watched& w, double t, std::span<const double> y) {
  return !done_[w.event] && goes_through(events_[w.event].direction, w.before, value(w, t, y));
}

void EventWatch::move_on(double t, std::span<const double> y) {
  for (Watched& w : watched_) w.before = value(w, t, y);
}

double EventWatch::next_time(double t) const {
  double next = HUGE_VAL;
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].time && !done_[k] && *events_[k].time >= t) next = std::min(next, *events_[k].time);
  }
  return next;
}

std::vector<std::size_t> EventWatch::due(double t, std::span<const double> y) {
  std::vector<std::size_t> list;
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].time && !done_[k] && *events_[k].time <= t) list.push_back(k);
  }
  for (Watched& w : watched_) {
    // found there before quaternions were made unit again, by which round-off may lead back
    const bool was_found = t == located_at_ && std::ranges::find(located_, w.event) != located_.end();
    if (was_found || passes(w, t, y)) list.push_back(w.event);
  }
  located_.clear();
  std::ranges::sort(list);
  return list;
}

void EventWatch::happened(std::size_t event, double t, std::span<const double> y) {
  done_[event] = events_[event].time.has_value() || events_[event].once;
  for (Watched& w : watched_) {
    if (w.event == event) w.passed_at = value(w, t, y);
  }
}

template <class T>
std::vector<T> set_by(const std::vector<DesignEvent>& events, const std::vector<std::size_t>& which,
                      const DesignSystem& system, const T& t, std::span<const T> y) {
  std::vector<T> after(y.begin(), y.end());
  for (const std::size_t k : which) {
    if (!events[k].set) continue;
    const std::vector<T> x = formula_inputs<T>(t, after, system.nq(), system.nv());
    evaluate<T>(*events[k].set, x, std::span<T>(after).first(system.nq() + system.nv()));
    for (const std::size_t first : system.quaternions()) {
      using std::sqrt;
      T square(0.0);
      for (std::size_t c = 0; c < 4; ++c) square += after[first + c] * after[first + c];
      const T length = sqrt(square);
      for (std::size_t c = 0; c < 4; ++c) after[first + c] = after[first + c] / length;
    }
  }
  return after;
}
#define LW_SET_BY(T)                                                                               \
  template std::vector<T> set_by(const std::vector<DesignEvent>&, const std::vector<std::size_t>&, \
                                 const DesignSystem&, const T&, std::span<const T>);
LW_SET_BY(double)
LW_SET_BY(Dual)
LW_SET_BY(ComplexStep)
#undef LW_SET_BY

namespace {

// w of the first that is a crossing: all happen at its instant.
Eigen::VectorXd instant_slope(const DesignEvent& event, double t, std::span<const double> y, std::span<const double> f,
                              const DesignSystem& system) {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(y.size()));
  Interpreter<Dual> crossing(*event.crossing);
  std::vector<Dual> at(y.begin(), y.end());
  Dual g;
  crossing(formula_inputs<Dual>(Dual(t, 1.0), at, system.nq(), system.nv()), {&g, 1});
  double speed = g.d, terms = std::abs(g.d);
  for (std::size_t c = 0; c < system.nq() + system.nv(); ++c) {
    at[c].d = 1.0;
    crossing(formula_inputs<Dual>(Dual(t), at, system.nq(), system.nv()), {&g, 1});
    at[c].d = 0.0;
    w[static_cast<Eigen::Index>(c)] = -g.d;
    speed += g.d * f[c];
    terms += std::abs(g.d * f[c]);
  }
  if (!(std::abs(speed) > 1e-12 * terms)) {
    throw Error(ErrorCode::data,
                fmt::format("the event `{}` only touches zero at t = {:.9g} s: how its instant moves has no "
                            "derivative there",
                            event.name, t));
  }
  return w / speed;
}

}  // namespace

EventPassage passage(const std::vector<DesignEvent>& events, const std::vector<std::size_t>& which, double t,
                     std::span<const double> y, std::span<const double> f, std::span<const double> f_after,
                     const DesignSystem& system) {
  const auto n = static_cast<Eigen::Index>(y.size());
  const auto one = [&](std::size_t k) { return static_cast<Eigen::Index>(k); };
  EventPassage p{which, false, t, Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Identity(n, n)};
  bool sets = false;
  for (const std::size_t k : which) {
    p.stops = p.stops || events[k].stop;
    sets = sets || events[k].set != nullptr;
    if (!events[k].time && p.w.isZero(0.0)) p.w = instant_slope(events[k], t, y, f, system);
  }
  Eigen::VectorXd moved = Eigen::Map<const Eigen::VectorXd>(f.data(), n);  // R_y f + R_t
  if (sets && !p.stops) {
    std::vector<Dual> at(y.begin(), y.end());
    for (std::size_t c = 0; c < system.nq() + system.nv(); ++c) {
      at[c].d = 1.0;
      const std::vector<Dual> column = set_by<Dual>(events, which, system, Dual(t), at);
      at[c].d = 0.0;
      for (std::size_t r = 0; r < y.size(); ++r) p.S(one(r), one(c)) = column[r].d;
    }
    for (std::size_t c = 0; c < y.size(); ++c) at[c].d = f[c];
    const std::vector<Dual> all = set_by<Dual>(events, which, system, Dual(t, 1.0), at);
    for (std::size_t c = 0; c < y.size(); ++c) moved[one(c)] = all[c].d;
  }
  if (!p.stops) moved -= Eigen::Map<const Eigen::VectorXd>(f_after.data(), n);
  p.S += moved * p.w.transpose();
  return p;
}

}  // namespace lw
