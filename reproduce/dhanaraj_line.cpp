#include "dhanaraj_line.hpp"

#include <fmt/format.h>

#include "control/trajectory.hpp"

namespace lw::reproduce {

Model<double> d13_arm() {
  const std::string body = "    inertia: {mass: 1, com: [0, 0, 0], tensor: [1, 1, 1]}\n";
  return from_text(
      fmt::format("linkwright: 1\nname: puma-d13\nparameters: {{e: {}, f: {}, g: {}}}\nlinks:\n", kD13Upper, kD13Fore,
                  kD13Offset) +
      "  - name: link1\n    parent: base\n    joint: {type: revolute, dh: {alpha: 0, a: 0, theta: 0, d: 0}}\n" + body +
      "  - name: link2\n    parent: link1\n    joint: {type: revolute, dh: {alpha: -90 deg, a: 0, theta: 0, d: 0}}\n" +
      body + "  - name: link3\n    parent: link2\n    joint: {type: revolute, dh: {alpha: 0, a: e, theta: 0, d: g}}\n" +
      body + "  - {name: tip, parent: link3, joint: {type: fixed, origin: {xyz: [0, f, 0]}}}\n");
}

D13Line d13_line(const Model<double>& arm, double px, int samples, const Vector& start) {
  const CartesianLine way({Mat3<double>::identity(), {px, 0.1, 0.1}}, {Mat3<double>::identity(), {px, 0.4, 0.4}},
                          kD13Duration);
  D13Line line;
  for (int k = 0; k < samples; ++k) {
    const double t = kD13Duration * k / (samples - 1);
    const FrameMotion<double> m = way.at(t);
    line.path.push_back({t, m.pose, m.velocity, m.acceleration});
  }
  line.motion = follow_path(arm, kD13Tip, line.path, true, start);
  return line;
}

}  // namespace lw::reproduce
