#include "orthogonal_arm.hpp"

#include "base/random.hpp"
#include "dh_arm.hpp"

namespace lw::reproduce {

Mechanism orthogonal_arm(int joints) {
  Random random(1);
  const auto from = [&](int least) { return (least + random.below(16)) / 256.0; };  // ranges do not meet
  std::vector<DhLink> links;
  for (int i = 0; i < joints; ++i) {
    const double twist = i == 0 ? 0.0 : i % 2 == 1 ? -90.0 : 90.0;
    const double x = from(32), y = from(64), z = from(96);  // second moments along the axes
    links.push_back({.alpha_degrees = twist,
                     .a = from(80),
                     .d = from(112),
                     .slides = false,
                     .mass = (33 + 2 * random.below(16)) / 32.0,  // none is 1, which would save its products
                     .com = {from(16), from(32), from(48)},
                     .inertia = {y + z, z + x, x + y},
                     .rotor = 0.0});
  }
  return dh_mechanism(links, 9.8);
}

}  // namespace lw::reproduce
