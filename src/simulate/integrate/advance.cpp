#include "advance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "branch_crossing.hpp"

namespace lw {
namespace {

using Passage = System::Passage;

// The largest change of a velocity.
double close_loops(System& system, MotionState& state) {
  const std::vector<double> before = state.v;
  system.close(state);
  double most = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k) most = std::max(most, std::abs(state.v[k] - before[k]));
  return most;
}

// By Gauss collocation, whatever the integrator. False, and the state as it was, where that fails in passing by such a
// pose.
bool cross_branch(Integrator& integrator, System& system, MotionState& state, double until, Advance& done) {
  if (integrator.detour() == nullptr) integrator.make_detour(std::make_shared<BranchCrossing>());
  const MotionState start = state;
  try {
    integrator.detour()->step(system, state, until);
  } catch (const BranchUndecided&) {
    state = start;
    if (system.may_pass_by(start)) return false;
    throw;
  }
  done.corrected = close_loops(system, state);
  done.crossed_branch = true;
  integrator.on_detour(true);
  integrator.forget();
  return true;
}

// At rest and held there by friction or balance.
bool stays(System& system, const MotionState& state) {
  const auto is_zero = [](double x) { return x == 0.0; };
  if (!std::ranges::all_of(state.v, is_zero)) return false;
  std::vector<double> a(state.v.size()), dz(state.z.size());
  try {
    system.begin(state);
    system.slopes(state.t, state.q, state.v, state.z, a, dz);
  } catch (const Error&) {
    return false;
  }
  return std::ranges::all_of(a, is_zero);
}

// Of loops: a step that ends in the mode in which it began, having been in it all along. Where something may have been
// stepped over, or a dead centre comes, a shorter one is made, until nothing is left between the last good state and
// there.
void step_in_mode(Integrator& integrator, System& system, MotionState& state, double until, Advance& done) {
  constexpr double kLeastWay = 1e-9;  // s
  const MotionState start = state;
  if (system.is_near_branch(start)) {
    if (stays(system, start)) {
      integrator.on_detour(false);
      return integrator.step(system, state, until);
    }
    if (cross_branch(integrator, system, state, until, done)) return;
  }
  MotionState between = start, last = start;
  const auto say_where = [&](const ModesMeet& e) -> Error {
    return {ErrorCode::data, fmt::format("{}, at {}", e.what(), system.describe(start))};
  };
  for (double end = until;;) {
    double there = end;
    const auto shorten = [&] {
      state = last = start;
      integrator.restart();
      end = start.t + 0.5 * (there - start.t);
      return there - start.t > kLeastWay * (1.0 + std::abs(start.t));
    };
    try {
      integrator.on_detour(false);
      integrator.step(system, state, end);
      const double length = state.t - start.t;
      const int parts = system.parts(start, state);
      Passage passage = Passage::free;
      for (int k = 1; k < parts && passage == Passage::free; ++k) {
        there = start.t + length * k / parts;
        look(integrator, system, there, between);
        passage = system.passage(last, between);
        std::swap(last, between);
      }
      if (passage == Passage::free) {
        there = state.t;
        done.corrected = close_loops(system, state);
        passage = system.passage(last, state);
      }
      if (passage == Passage::free) return;
      if (passage == Passage::beside && there == state.t && system.may_pass_by(state)) {
        const MotionState reached = state;
        state = start;
        if (!cross_branch(integrator, system, state, until, done)) state = reached;
        return;
      }
      if (passage == Passage::branch || passage == Passage::beside) {
        state = start;
        if (cross_branch(integrator, system, state, until, done)) return;
      }
      if (shorten()) continue;
      throw BranchUndecided(system.describe_branch(start));
    } catch (const ModesMeet& e) {
      if (shorten()) continue;
      throw say_where(e);
    } catch (const NotFinite&) {
      if (shorten()) continue;
      try {
        system.passage(start, start);
      } catch (const ModesMeet& e) {  // which is why
        throw say_where(e);
      }
      throw;
    }
  }
}

}  // namespace

void look(Integrator& integrator, System& system, double t, MotionState& state) {
  integrator.of_last_step().at(t, state);
  system.close(state);
}

Advance advance(Integrator& integrator, System& system, MotionState& state, double until) {
  Advance done;
  double before = state.t;
  if (system.model().loops.empty())
    integrator.step(system, state, until);
  else
    step_in_mode(integrator, system, state, until, done);
  if (system.still_holds(state)) return done;
  const double length = state.t - before;
  double after = state.t;
  MotionState middle = state;
  while (after - before > 1e-15 * length) {
    const double t = before + 0.5 * (after - before);
    if (t <= before || t >= after) break;
    look(integrator, system, t, middle);
    if (system.still_holds(middle)) {
      before = t;
    } else {
      after = t;
      std::swap(state, middle);
    }
  }
  done.friction_changed = true;
  done.came_to_rest = system.settle(state);
  integrator.restart();
  return done;
}

}  // namespace lw
