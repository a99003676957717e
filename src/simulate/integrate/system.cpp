#include "system.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lw {
namespace {

// Where the quaternion of a joint begins, -1 where it has none.
int quaternion_of(const JointInfo& joint) {
  if (joint.type == JointType::spherical) return joint.q;
  return joint.type == JointType::floating ? joint.q + 3 : -1;
}

std::string short_list(std::span<const double> numbers) {
  constexpr std::size_t kMost = 12;
  return fmt::format("{:.6g}{}", fmt::join(numbers.first(std::min(kMost, numbers.size())), ", "),
                     numbers.size() > kMost ? ", …" : "");
}

}  // namespace

const char* fault_of(double x) { return std::isnan(x) ? "not a number" : "infinite"; }

bool System::jacobian(double, std::span<const double>, std::span<const double>, std::span<double>, std::span<double>) {
  return false;
}

std::string System::describe(double t, std::span<const double> q, std::span<const double> v) const {
  return fmt::format("t = {:.9g} s; q = {}; qd = {}", t, short_list(q), short_list(v));
}

MotionState System::home() const {
  return {0.0, model_.home, std::vector<double>(static_cast<std::size_t>(model_.nv), 0.0),
          std::vector<double>(static_cast<std::size_t>(nz()), 0.0)};
}

void System::check(MotionState& state) const {
  const auto expect = [&](const char* name, std::size_t size, int wanted) {
    if (size == static_cast<std::size_t>(wanted)) return;
    throw Error(ErrorCode::usage,
                fmt::format("a state of `{}` has {} numbers of {}, not {}", model_.name, wanted, name, size));
  };
  expect("q", state.q.size(), model_.nq);
  expect("qd", state.v.size(), model_.nv);
  expect("z", state.z.size(), nz());
  const auto finite = [&](const std::vector<double>& numbers, const std::vector<std::string>& names, const char* what) {
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!std::isfinite(numbers[k])) {
        throw Error(ErrorCode::data, fmt::format("the {} `{}` is {}", what, names[k], fault_of(numbers[k])));
      }
    }
  };
  if (!std::isfinite(state.t)) throw Error(ErrorCode::data, fmt::format("the time is {}", fault_of(state.t)));
  finite(state.q, model_.coordinate_names, "coordinate");
  finite(state.v, model_.velocity_names, "velocity");
  for (const JointInfo& joint : model_.joints) {
    const int at = quaternion_of(joint);
    if (at < 0) continue;
    double* const x = &state.q[static_cast<std::size_t>(at)];
    const double length = std::hypot(std::hypot(x[0], x[1]), std::hypot(x[2], x[3]));
    if (!(length > 1e-150)) {
      throw Error(ErrorCode::data, fmt::format("the quaternion of `{}` has no length", joint.name));
    }
    for (int k = 0; k < 4; ++k) x[k] /= length;
  }
}

void System::require_finite(double t, std::span<const double> q, std::span<const double> v,
                            std::span<const double> a) const {
  double sum = 0.0;
  for (const double x : a) sum += 0.0 * x;
  if (sum == 0.0) [[likely]]
    return;
  const auto first = std::find_if(a.begin(), a.end(), [](double x) { return !std::isfinite(x); }) - a.begin();
  throw NotFinite(fmt::format("the acceleration of `{}` is {} at {}",
                              model_.velocity_names[static_cast<std::size_t>(first)],
                              fault_of(a[static_cast<std::size_t>(first)]), describe(t, q, v)));
}

}  // namespace lw
