#include "wong.hpp"

#include <cmath>

namespace lw::reproduce {

WongProfile wong_profile(double t, double T) {
  const double w = 2.0 * std::numbers::pi / T;
  return {(w * t - std::sin(w * t)) / 2, (w - w * std::cos(w * t)) / 2, w * w * std::sin(w * t) / 2};
}

Vector wong_torque(const Model<double>& model, double t, double T) {
  const WongProfile p = wong_profile(t, T);
  const auto n = static_cast<std::size_t>(model.nv);
  return inverse(model, Vector(n, p.q), Vector(n, p.qd), Vector(n, p.qdd));
}

}  // namespace lw::reproduce
