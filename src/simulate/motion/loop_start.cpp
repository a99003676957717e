// How a motion with loops starts: the closed state that a given one stands for.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../dynamics/assembly/assembly.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/loops/multipliers.hpp"
#include "driven_dynamics.hpp"

namespace lw {

void DrivenDynamics::assemble(MotionState& s) {
  const std::vector<double> given = s.v;
  q_ = assembled(s.q);
  start_at(s, [&] {
    throw Error(ErrorCode::data, fmt::format("`{}` is at a singular pose, where the velocities of {} do not determine "
                                             "those of the others: begin elsewhere, or "
                                             "at rest; {}",
                                             model_.name, independent_names(), way_through()));
  });
  require_inertia(model_, coordinates_->plan(), work(), q_);
  for (const int v : given_.dependent) {
    const double wanted = given[at(v)], follows = s.v[at(v)];
    if (wanted == 0.0 || std::abs(wanted - follows) <= 1e-9 * (1.0 + std::abs(follows))) continue;
    throw Error(ErrorCode::data,
                fmt::format("`{}` cannot start with a velocity of {:.6g}: the loops require {:.6g} for that of {}",
                            model_.velocity_names[at(v)], wanted, follows, independent_names()));
  }
}

void DrivenDynamics::complete(MotionState& s) {
  Assembled there = assemble_from(led_, work_, s.q, given_.independent);
  if (!there.closed) {
    throw Error(ErrorCode::data,
                fmt::format("`{}` cannot be assembled there: {}", model_.name, open_loop(model_, work_, there.q)));
  }
  q_ = std::move(there.q);
  start_at(s, [&] {
    throw Error(
        ErrorCode::data,
        fmt::format("`{}` is at a singular pose, where the velocities of {} do not determine those of the others",
                    model_.name, independent_names()));
  });
}

// The closed configuration that belongs to a state as a user gives it: independent coordinates, and others that are
// home's or tell the mode.
std::vector<double> DrivenDynamics::assembled(const std::vector<double>& q) {
  const auto differs = [&](int v) {
    const JointInfo& joint = *std::ranges::find_if(
        model_.joints, [&](const JointInfo& j) { return v >= j.v && v < j.v + velocities(j.type); });
    for (int k = 0; k < coordinates(joint.type); ++k) {
      if (q[at(joint.q + k)] != model_.home[at(joint.q + k)]) return true;
    }
    return false;
  };
  if (std::ranges::any_of(given_.dependent, differs)) {
    Assembled there = assemble_from(led_, work_, q, given_.independent);
    if (!there.closed) {
      throw Error(ErrorCode::data, fmt::format("no assembled state exists near the given initial state: {}",
                                               open_loop(model_, work_, there.q)));
    }
    return there.q;
  }
  Assembled home = assemble_home(led_);
  std::vector<double> near = home.q;
  for (const JointInfo& joint : led_.joints) {
    for (int k = 0; joint.actuated && k < coordinates(joint.type); ++k) near[at(joint.q + k)] = q[at(joint.q + k)];
  }
  constexpr double kNearHome = 0.1;
  use(given_, home.q);
  if (coordinates_->close(near, kNearHome)) return near;
  std::vector<double> led;
  for (const int k : actuated_coordinates(led_)) led.push_back(q[at(k)]);
  return continue_to(led_, work_, home, led).q;
}

// From here on the state is q_ with the independent velocities of s.
void DrivenDynamics::start_at(MotionState& s, const std::function<void()>& refuse) {
  use(given_, q_);
  other_ = false;
  independence_ = std::max(independence_, independence_of_closures(model_, given_, q_));
  if (friction_ != nullptr) friction_->forget();
  settled_.reset();
  split(s.v);
  leave(s);
  const bool at_rest = std::ranges::all_of(v_, [](double v) { return v == 0.0; });
  if (at_rest)
    std::ranges::fill(s.v, 0.0);
  else
    require_closed_velocities(s, refuse);
  if (branches_are_near(q_))
    use(given_, given_.general_pose);  // at the pose itself no choice is better than another
  else if (!fixed_)
    use(choose_coordinates(model_, given_, q_, keeps_equations()).plan, q_);
}

// At a dead centre the driven joints do not say how fast the others are.
void DrivenDynamics::require_closed_velocities(const MotionState& s, const std::function<void()>& refuse) {
  const ClosureState c = closure_state(model_, work_, s.q);
  const std::size_t m = c.residual.size();
  double fastest = 0.0, given = 0.0, open = 0.0;
  for (const double v : s.v) fastest = std::max(fastest, std::isfinite(v) ? std::abs(v) : HUGE_VAL);
  for (const double v : v_) given = std::max(given, std::abs(v));
  for (std::size_t i = 0; i < m; ++i) {
    double rate = 0.0;
    for (std::size_t v = 0; v < nv_; ++v) rate += c.jacobian[v * m + i] * s.v[v];
    open = std::max(open, std::abs(rate));
  }
  constexpr double kFast = 1e8;  // of what is given: that is rounding, divided by nothing
  if (fastest <= kFast * given && open <= 1e-9 * (1.0 + fastest)) return;
  refuse();
}

}  // namespace lw
