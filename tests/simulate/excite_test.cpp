// Exciting motions: from rest to rest, within limits, and better than chance.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/linear.hpp"
#include "dynamics/friction.hpp"
#include "model/read.hpp"
#include "simulate/excite.hpp"

namespace lw {
namespace excite_test {

Mechanism puma() { return load("puma560"); }

ExciteOptions quick(int evaluations) {
  ExciteOptions options;
  options.evaluations = evaluations;
  return options;
}

TEST(Excite, TRY) {
  const Model<double> model = instantiate<double>(puma());
  MotionLimits limits = motion_limits(puma(), model);
  limits.velocity.assign(6, 2.0);
  ExciteOptions o = quick(4000);
  o.progress = [](int k, double c) { if (k % 500 == 0 || k == 20) printf("%d %g\n", k, c); return true; };
  const Excitation e = excite(model, limits, o);
  printf("%g\n", e.condition);
}

}  // namespace excite_test
}  // namespace lw
