#include "helmy_manoeuvre.hpp"

#include <cmath>

#include "dynamics/assembly/assembly.hpp"
#include "evaluate.hpp"

namespace lw::reproduce {

const Trajectory& helmy_manoeuvre() {
  static const Trajectory way = Trajectory::cycloidal(
      {0.0, 3.0}, {{90 * kDegree, 60 * kDegree, 120 * kDegree}, {120 * kDegree, 120 * kDegree, 0.0}});
  return way;
}

std::array<double, 3> helmy_cranks(double t) {
  const JointMotion<double> m = helmy_manoeuvre().at(t);
  return {m.q[0], m.q[1], m.q[2]};
}

HelmyPlatform helmy_platform(const Triangle<double>& c) {
  return {c, (c[0].x + c[1].x + c[2].x) / 3, (c[0].y + c[1].y + c[2].y) / 3,
          std::atan2(c[1].y - c[0].y, c[1].x - c[0].x)};
}

std::vector<HelmyPlatform> helmy_platforms(const std::vector<double>& times) {
  const Model<double> model = embedded("planar-3rrr");
  const ThreeLegs legs = three_legs(model).value();
  Workspace<double> work(model);
  Assembled here = assemble_home(model);
  std::vector<HelmyPlatform> result;
  for (const double t : times) {
    here = continue_to(model, work, here, helmy_cranks(t));
    result.push_back(helmy_platform(platform_corners(model, legs, here.q)));
  }
  return result;
}

}  // namespace lw::reproduce
