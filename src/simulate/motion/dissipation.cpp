#include "dissipation.hpp"

#include <algorithm>

#include "../../dynamics/friction/friction.hpp"

namespace lw {

bool dissipates(const Model<double>& model) {
  const auto any = [](const auto& list, const auto& test) { return std::any_of(list.begin(), list.end(), test); };
  const auto damped = [](const auto& element) { return element.damping != 0.0; };
  const auto loses = [](const JointLoss<double>& l) {
    return l.viscous != 0.0 || l.damper != 0.0 || !l.damper_table.empty() || is_dry<double>(l);
  };
  const auto drives_lose = [&](const Transmission<double>& t) {
    return any(t.drives, [](const DriveLoss<double>& d) { return d.breakaway != 0.0 || !d.efficiency.empty(); });
  };
  const auto cut_joint_loses = [&](const LoopClosure<double>& l) { return any(l.losses, loses); };
  return any(model.losses, loses) || any(model.loops, cut_joint_loses) || any(model.transmissions, drives_lose) ||
         any(model.joint_elements, damped) || any(model.springs, damped) || any(model.shafts, damped);
}

}  // namespace lw
