#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "../../model/coordinate_rates.hpp"
#include "../integrate/advance.hpp"
#include "../motion/energy_balance.hpp"
#include "run_guard.hpp"

namespace lw {
namespace {

constexpr int kLooks = 4;             // at crossings, in a step that the integrator chose
constexpr std::size_t kChatter = 20;  // times within `kMoment` of the duration, or of a second: that never ends
constexpr double kMoment = 1e-6, kShortly = 1e-3;
constexpr int kStuck = 1000;  // steps in which the time does not go on
constexpr std::size_t kMostEvents = 1000;
constexpr double kJustPassed = 1e-12;  // of a crossing's value, where a pose of loops was found anew
constexpr double kBeyond = 1e9;        // radians and metres that no mechanism comes to

bool passes(ScenarioEvent::Direction direction, double before, double after) {
  const bool up = before < 0.0 && after >= 0.0, down = before > 0.0 && after <= 0.0;
  switch (direction) {
    case ScenarioEvent::Direction::up: return up;
    case ScenarioEvent::Direction::down: return down;
    case ScenarioEvent::Direction::both: return up || down;
  }
  return false;
}

// A crossing that is watched: the formula's value where it was last looked at.
//
// An action that sends the state back (a bounce) leaves the formula on the far side by what bisection could not
// resolve. It then counts as just before its crossing, by `shift`, so that the next one is found however soon it comes.
struct Watch {
  bool done = false;
  double before = 0.0, shift = 0.0;
  int returning = 0;  // the sign from which it will pass again
  bool up = false;    // how it passed last, and its value there: zero but for round-off
  double passed_at = 0.0;
  std::deque<double> fired;  // when, lately

  std::ptrdiff_t fired_since(double t) const {
    return std::ranges::count_if(fired, [&](double x) { return x >= t; });
  }
};

class Run {
 public:
  Run(ScenarioDriven& scene, Integrator& integrator, const Scenario& scenario, const RunOptions& options)
      : scene_(scene),
        integrator_(integrator),
        scenario_(scenario),
        options_(options),
        adaptive_(is_adaptive(scenario.integrator, scenario.options)),
        crossings_(scenario, formulas(scenario.events, [](const ScenarioEvent& e) { return e.crossing; })),
        outputs_(scenario, formulas(scenario.outputs, [](const auto& o) { return o.second; })),
        state_(scene.start()),
        before_(state_),
        balance_(scene, state_),
        watches_(scenario.events.size()),
        set_(scenario.events.size()),
        a_(state_.v.size()),
        rates_(state_.q.size()),
        dz_(state_.z.size()) {
    if (options.guard) guard_.emplace(scene, scenario, balance_, options.duration);
  }

  RunResult operator()() {
    try {
      whole();
    } catch (const Error& e) {
      result_.end = RunResult::End::failed;
      if (dynamic_cast<const BranchUndecided*>(&e) != nullptr) {
        ++result_.event_count;
        result_.events.push_back({state_.t, "branch point", e.what(), state_.q, state_.v});
        for (RunListener* l : options_.listeners) l->event(result_.events.back());
      }
      const bool grows = is_beyond(state_);
      // a step that failed has left something in it; what lies behind a pose that could not be shown, or that the guard
      // does not believe, is not known either
      if (stepping_ || judging_ || dynamic_cast<const ModesMeet*>(&e) != nullptr)
        state_ = result_.rows > 0 && shown_.t > before_.t ? shown_ : before_;
      result_.ended_by =
          e.code() == ErrorCode::io ? fmt::format("{}, at t = {:.9g} s", e.what(), state_.t) : explained(e, grows);
      try {
        record(state_);
      } catch (const Error&) {
        // what has no accelerations has no row
      }
    }
    result_.energy_residual = balance_.residual();
    result_.counts = integrator_.counts();
    result_.final = state_;
    if (guard_) result_.warning = guard_->warning();
    return std::move(result_);
  }

 private:
  template <class List, class Get>
  static std::vector<Expr> formulas(const List& list, const Get& get) {
    std::vector<Expr> all;
    for (const auto& item : list) all.push_back(get(item));
    return all;
  }

  static bool is_beyond(const MotionState& s) {
    const auto far = [](double x) { return std::abs(x) > kBeyond; };
    return std::ranges::any_of(s.q, far) || std::ranges::any_of(s.v, far);
  }

  // What went wrong in the motion, with the last state that is believed. `grows`: the one that is not is far off.
  std::string explained(const Error& e, bool grows) const {
    std::string text = e.what();
    // where events crowd, an integrator may be the first to lose its way
    for (std::size_t k = 0; k < watches_.size() && text.find("recurs endlessly") == std::string::npos; ++k) {
      if (watches_[k].fired_since(state_.t - kMoment * span()) < 3) continue;
      text = fmt::format("the event `{}` recurs endlessly: {}", scenario_.events[k].name, text);
    }
    if (!adaptive_ && grows) {
      text += fmt::format(
          "\n  with steps of {:g} s the motion grows without bound: a shorter step may help, or an integrator that "
          "chooses its own",
          scenario_.options.step);
    }
    const std::string state = scene_.describe(state_);
    if (text.find(state) == std::string::npos) text += "\n  last state: " + state;
    return text;
  }

  double end() const { return options_.duration; }
  double span() const { return std::min(1.0, end()); }  // a run of days does not make a second an instant
  // Multiples of the sample, as near as a double comes to what a person would write: 0.3 and not 3 × 0.1.
  double output_time() const {
    const double k = static_cast<double>(outputs_made_), rate = std::round(1.0 / options_.sample);
    const bool whole = rate >= 1.0 && std::abs(rate * options_.sample - 1.0) < 1e-12;
    const double t = whole ? k / rate : k * options_.sample;
    return t > end() - 1e-9 * options_.sample ? end() : t;
  }

  void whole() {
    integrator_.restart();
    look_again(state_);
    int stuck = 0;
    for (;;) {
      if (scene_.enter(state_.t)) integrator_.restart();
      if (fire_timed()) return;
      if (scene_.begin(state_)) integrator_.restart();
      if (state_.t >= output_time()) record(state_);
      if (state_.t >= end()) return;
      if (options_.proceed && !options_.proceed(state_.t)) {
        result_.end = RunResult::End::interrupted;
        record(state_);
        return;
      }
      before_ = state_;
      stepping_ = true;
      const Advance done = advance(integrator_, scene_, state_, until());
      stepping_ = false;
      judging_ = true;
      if (guard_) guard_->step(before_, state_, done);
      judging_ = false;
      stuck = state_.t > before_.t ? 0 : stuck + 1;
      if (stuck == kStuck) {
        throw Error(ErrorCode::data, fmt::format("the motion does not advance: friction changes repeatedly at {}",
                                                 scene_.describe(state_)));
      }
      if (step_with_events()) return;
    }
  }

  double until() const {
    double t = std::min(end(), scene_.next_knot(state_.t));
    for (std::size_t k = 0; k < watches_.size(); ++k) {
      const ScenarioEvent& e = scenario_.events[k];
      if (e.time && !watches_[k].done) t = std::min(t, std::max(*e.time, state_.t));
    }
    // a method with steps of its own length meets the outputs, which keeps its order; others interpolate
    const double output = output_time();
    if (!adaptive_ && output > state_.t) t = std::min(t, output);
    return t;
  }

  // True where the run is over.
  bool fire_timed() {
    for (std::size_t k = 0; k < watches_.size(); ++k) {
      const ScenarioEvent& e = scenario_.events[k];
      if (!e.time || watches_[k].done || state_.t < *e.time) continue;
      watches_[k].done = true;
      if (fire({k})) return true;
    }
    return false;
  }

  // What lies within the step: outputs, and crossings in their order. True where the run is over.
  bool step_with_events() {
    const bool watched = std::ranges::any_of(scenario_.events, [](const ScenarioEvent& e) { return !e.time; });
    if (!watched) {
      outputs_until(state_.t);
      return false;
    }
    const int looks = adaptive_ ? kLooks : 1;
    double from = before_.t;
    for (int i = 1; i <= looks; ++i) {
      const double to = i == looks ? state_.t : before_.t + (state_.t - before_.t) * i / looks;
      if (i == looks) {
        probe_ = state_;
      } else {
        look(integrator_, scene_, to, probe_);
      }
      const std::vector<double>& after = values(probe_, after_);
      std::vector<std::size_t> due;  // first, and those that pass at the same instant
      double when = HUGE_VAL;
      for (std::size_t k = 0; k < watches_.size(); ++k) {
        if (scenario_.events[k].time || watches_[k].done || !will_pass(k, after[k])) continue;
        const double t = instant(k, from, to);
        if (t < when) due.clear();
        when = std::min(when, t);
        if (t == when) due.push_back(k);
      }
      if (!due.empty()) {
        outputs_until(when);
        if (when < state_.t) look(integrator_, scene_, when, state_);
        integrator_.restart();
        for (const std::size_t k : due) {
          Watch& w = watches_[k];
          w.up = w.returning != 0 ? w.returning < 0 : w.before < 0.0;
          // passed one way and moving the other: it has returned more closely than interpolation can tell
          const bool again = w.fired_since(state_.t - kShortly * span()) > 0;
          if (again && !scenario_.events[k].set.empty() && (w.up ? -1.0 : 1.0) * rate(k) > 0.0) never_ends(k);
        }
        return fire(due);
      }
      for (std::size_t k = 0; k < watches_.size(); ++k) move_on(k, after[k]);
      from = to;
    }
    outputs_until(state_.t);
    return false;
  }

  const std::vector<double>& values(const MotionState& s, std::vector<double>& to) {
    const std::span<const double> v = crossings_(s.t, s.q, s.v);
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (scenario_.events[k].time || std::isfinite(v[k])) continue;
      throw Error(ErrorCode::data, fmt::format("the crossing of the event `{}` is {} at {}", scenario_.events[k].name,
                                               fault_of(v[k]), scene_.describe(s)));
    }
    to.assign(v.begin(), v.end());
    return to;
  }
  double value(std::size_t k, double t) {
    look(integrator_, scene_, t, probe_);
    return crossings_(probe_.t, probe_.q, probe_.v)[k] - watches_[k].shift;
  }

  bool will_pass(std::size_t k, double after) const {
    const Watch& w = watches_[k];
    if (w.returning != 0) return (after - w.shift) * w.returning < 0.0;
    return passes(scenario_.events[k].direction, w.before, after);
  }
  void move_on(std::size_t k, double after) {
    Watch& w = watches_[k];
    if (after * w.returning > 0.0) w.returning = 0, w.shift = 0.0;
    w.before = after;
  }

  // Where it passes in (from, to]: the first instant, to round-off, at which it has passed.
  double instant(std::size_t k, double from, double to) {
    const Watch& w = watches_[k];
    const bool rising = w.returning != 0 ? w.returning < 0 : w.before < 0.0;
    const auto has_passed = [&](double t) {
      const double x = value(k, t);
      return w.returning != 0 ? (rising ? x > 0.0 : x < 0.0) : (rising ? x >= 0.0 : x <= 0.0);
    };
    double low = from, high = to;
    if (w.returning != 0) {  // it begins at zero and returns first: find where it has
      double part = high - low;
      while (low + part > low && has_passed(low + part)) high = low + part, part /= 2.0;
      if (!(low + part > low)) {
        state_ = before_;
        never_ends(k);
      }
      low += part;
    }
    while (true) {
      const double middle = low + (high - low) / 2.0;
      if (middle <= low || middle >= high) return high;
      (has_passed(middle) ? high : low) = middle;
    }
  }

  [[noreturn]] void never_ends(std::size_t k) {
    throw Error(ErrorCode::data, fmt::format("the event `{}` recurs endlessly at {}", scenario_.events[k].name,
                                             scene_.describe(state_)));
  }

  // Those of one instant, in their order. True where the run is over.
  bool fire(const std::vector<std::size_t>& due) {
    const std::vector<double>& here = values(state_, after_);
    for (const std::size_t k : due) watches_[k].passed_at = here[k];
    for (const std::size_t k : due) {
      if (happens(k)) return true;
    }
    look_again(state_);
    // followers of loops are known to round-off: what has just passed may seem to be before it
    for (const std::size_t k : due) {
      Watch& w = watches_[k];
      if (!scenario_.events[k].time && (w.up ? w.before < 0.0 : w.before > 0.0) && std::abs(w.before) < kJustPassed)
        w.before = 0.0;
    }
    const bool set = std::ranges::any_of(due, [&](std::size_t k) { return !scenario_.events[k].set.empty(); });
    for (const std::size_t k : due) {
      if (set && !scenario_.events[k].time) watch_return(k);
    }
    return false;
  }

  bool happens(std::size_t k) {
    const ScenarioEvent& e = scenario_.events[k];
    Watch& w = watches_[k];
    const RunEvent happened{state_.t, e.name, e.message, state_.q, state_.v};
    ++result_.event_count;
    if (result_.events.size() < kMostEvents) result_.events.push_back(happened);
    for (RunListener* l : options_.listeners) l->event(happened);
    w.fired.push_back(state_.t);
    if (w.fired.size() > kChatter) w.fired.pop_front();
    if (w.fired.size() == kChatter && state_.t - w.fired.front() <= kMoment * span()) never_ends(k);
    w.done = w.done || e.once;
    if (!e.stop) {
      act(k);
      return false;
    }
    result_.end = RunResult::End::event;
    result_.ended_by = e.name;
    record(state_);
    return true;
  }

  void act(std::size_t k) {
    const ScenarioEvent& e = scenario_.events[k];
    for (const auto& [v, input] : e.inputs) scene_.change(v, input);
    if (!e.inputs.empty()) scene_.enter(state_.t);
    if (!e.set.empty()) {
      const MotionState before = state_;
      std::optional<ScenarioFormulas>& set = set_[k];
      if (!set) set.emplace(scenario_, formulas(e.set, [](const ScenarioEvent::Set& s) { return s.value; }));
      const std::span<const double> x = (*set)(before.t, before.q, before.v);
      for (std::size_t i = 0; i < e.set.size(); ++i) {
        if (!std::isfinite(x[i])) {
          const auto& names = e.set[i].velocity ? scene_.model().velocity_names : scene_.model().coordinate_names;
          throw Error(
              ErrorCode::data,
              fmt::format("the event `{}` sets {}{} to {} at {}", e.name, e.set[i].velocity ? "qd." : "q.",
                          names[static_cast<std::size_t>(e.set[i].index)], fault_of(x[i]), scene_.describe(before)));
        }
        (e.set[i].velocity ? state_.v : state_.q)[static_cast<std::size_t>(e.set[i].index)] = x[i];
      }
      scene_.check(state_);
      scene_.complete(state_);
      balance_.jump(before, state_);
    }
    integrator_.restart();
  }

  // All crossings begin anew from a state: after an action they may be elsewhere.
  void look_again(const MotionState& s) {
    const std::vector<double>& now = values(s, after_);
    for (std::size_t k = 0; k < watches_.size(); ++k) {
      watches_[k].before = now[k];
      watches_[k].shift = 0.0;
      watches_[k].returning = 0;
    }
  }

  // How a crossing changes from the state on, by its difference over a moment.
  double rate(std::size_t k) {
    if (scene_.begin(state_)) integrator_.restart();
    scene_.slopes(state_.t, state_.q, state_.v, state_.z, a_, dz_);
    coordinate_rates<double>(scene_.model(), state_.q, state_.v, rates_);
    constexpr double kAhead = 1e-8;
    MotionState ahead = state_;
    ahead.t += kAhead;
    for (std::size_t i = 0; i < rates_.size(); ++i) ahead.q[i] += kAhead * rates_[i];
    for (std::size_t i = 0; i < a_.size(); ++i) ahead.v[i] += kAhead * a_[i];
    const double here = crossings_(state_.t, state_.q, state_.v)[k];
    return crossings_(ahead.t, ahead.q, ahead.v)[k] - here;
  }

  // Whether what was set has turned the crossing of event k round: just past upwards and falling again, or the other
  // way.
  void watch_return(std::size_t k) {
    Watch& w = watches_[k];
    if (std::abs(w.before) > 2.0 * std::abs(w.passed_at)) return;  // it was set elsewhere
    const double turn = rate(k);
    const bool turns = w.up ? w.before >= 0.0 && turn < 0.0 : w.before <= 0.0 && turn > 0.0;
    if (!turns) return;
    w.returning = w.up ? -1 : 1;
    w.shift = w.before;
  }

  void outputs_until(double t) {
    while (output_time() < t) {
      look(integrator_, scene_, output_time(), row_state_);
      record(row_state_);
    }
  }

  void record(const MotionState& s) {
    if (result_.rows > 0 && s.t <= last_row_) return;
    if (s.t >= output_time()) ++outputs_made_;
    scene_.slopes(s.t, s.q, s.v, s.z, a_, dz_);
    const EnergyBalance::Entry e = balance_.look(s);
    const double opening = scene_.opening(s);
    result_.closure = std::max(result_.closure, opening);
    judging_ = true;
    if (guard_ && result_.end != RunResult::End::failed) guard_->judge(s, e.residual, opening);
    judging_ = false;
    const RunRow row{s.t,         s.q,    s.v,    a_,         scene_.torques(),       e.kinetic,
                     e.potential, s.z[0], s.z[1], e.residual, outputs_(s.t, s.q, s.v)};
    for (RunListener* l : options_.listeners) l->row(row);
    last_row_ = s.t;
    shown_ = s;
    ++result_.rows;
  }

  ScenarioDriven& scene_;
  Integrator& integrator_;
  const Scenario& scenario_;
  const RunOptions& options_;
  const bool adaptive_;
  ScenarioFormulas crossings_, outputs_;
  MotionState state_, before_, probe_, row_state_, shown_;  // before_: where the step began; shown_: of the last row
  EnergyBalance balance_;
  std::optional<RunGuard> guard_;
  std::vector<Watch> watches_;
  std::vector<std::optional<ScenarioFormulas>> set_;  // what events set, from the first time on
  std::vector<double> a_, rates_, dz_, after_;
  bool stepping_ = false, judging_ = false;  // now, or when something failed
  long outputs_made_ = 0;
  double last_row_ = 0.0;
  RunResult result_;
};

}  // namespace

RunResult run(ScenarioDriven& scene, Integrator& integrator, const Scenario& scenario, const RunOptions& options) {
  const auto is_time = [](double t) { return t > 0.0 && std::isfinite(t); };
  if (!is_time(options.duration)) {
    throw Error(ErrorCode::usage, fmt::format("the duration must be positive, not {}", options.duration));
  }
  if (!is_time(options.sample)) {
    throw Error(ErrorCode::usage, fmt::format("the time between outputs must be positive, not {}", options.sample));
  }
  // what would end in a hundred years is a slip of the pen
  constexpr double kMostRows = 1e9, kMostSteps = 1e12;
  if (options.duration / options.sample > kMostRows) {
    throw Error(ErrorCode::usage,
                fmt::format("this would write {:.1e} rows, one every {:g} s; increase --sample or --step",
                            options.duration / options.sample, options.sample));
  }
  const double step = scenario.options.step;
  if (!is_adaptive(scenario.integrator, scenario.options) && options.duration / step > kMostSteps) {
    throw Error(ErrorCode::usage, fmt::format("this would take {:.1e} steps of {:g} s; increase the step",
                                              options.duration / step, step));
  }
  return Run(scene, integrator, scenario, options)();
}

}  // namespace lw
