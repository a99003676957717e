#include "reach.hpp"

namespace lw::detail {
namespace {

bool is_ball(JointKind kind) { return kind == JointKind::spherical || kind == JointKind::floating; }

}  // namespace

template <class Condition>
bool Reach::none(Condition condition) const {
  for (const auto& [j, kind] : above_) {
    if (condition(kind, line(j))) return false;
  }
  return true;
}

bool Reach::nothing_turns() const {
  return none([](JointKind kind, const Line<double>&) { return kind != JointKind::prismatic; });
}

bool Reach::turns_only_about_axis() const {
  return none([&](JointKind kind, const Line<double>& l) {
    return is_ball(kind) || (kind == JointKind::revolute && !parallel(l.axis, own_.axis));
  });
}

bool Reach::never_turns_about_axis() const {
  if (nothing_turns()) return true;
  const std::optional<int> j = only_direction();
  return j && vanishes(dot(line(*j).axis, own_.axis));
}

std::optional<int> Reach::only_direction() const {
  std::optional<int> found;
  for (const auto& [j, kind] : above_) {
    if (is_ball(kind)) return {};
    if (kind != JointKind::revolute) continue;
    if (found && !parallel(line(*found).axis, line(j).axis)) return {};
    found = j;
  }
  return found;
}

std::optional<int> Reach::turns_across() const {
  for (const auto& [j, kind] : above_) {
    if (kind == JointKind::spherical) return j;
    if (kind == JointKind::revolute && !parallel(line(j).axis, own_.axis)) return j;
  }
  return {};
}

bool Reach::stays(const Vec3<double>& point) const {
  return none([&](JointKind kind, const Line<double>& l) {
    const Vec3<double> arm = point - l.point;
    if (kind == JointKind::revolute) return !vanishes(cross(l.axis, arm));
    return kind != JointKind::spherical || !vanishes(arm);
  });
}

bool Reach::axis_stays_on_itself() const {
  return none([&](JointKind kind, const Line<double>& l) {
    return !parallel(kind == JointKind::prismatic ? l.axis : l.point - own_.point, own_.axis);
  });
}

bool Reach::never_moves_along_axis() const {
  return none([&](JointKind kind, const Line<double>& l) {
    return kind == JointKind::prismatic && !vanishes(dot(l.axis, own_.axis));
  });
}

}  // namespace lw::detail
