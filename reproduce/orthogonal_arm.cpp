#include "orthogonal_arm.hpp"

#include "base/random.hpp"
#include "dh_arm.hpp"

namespace lw::reproduce {

Mechanism orthogonal_arm(int joints) {
  Random random(1);
  const auto sixteenths = [&](int least, int most) { return (least + random.below(most - least)) / 16.0; };
  std::vector<DhLink> links;
  for (int i = 0; i < joints; ++i) {
    const double twist = i == 0 ? 0.0 : i % 2 == 1 ? -90.0 : 90.0;
    const double x = sixteenths(1, 8), y = sixteenths(9, 16), z = sixteenths(17, 24);  // second moments along the axes
    links.push_back({.alpha_degrees = twist,
                     .a = sixteenths(2, 9),
                     .d = sixteenths(2, 9),
                     .slides = false,
                     .mass = sixteenths(17, 48),
                     .com = {sixteenths(1, 5), sixteenths(1, 5), sixteenths(1, 5)},
                     .inertia = {y + z, z + x, x + y},
                     .rotor = 0.0});
  }
  return dh_mechanism(links, 9.8);
}

}  // namespace lw::reproduce
