#include "families.hpp"

#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>
#include <Eigen/Core>
#include <Eigen/Geometry>

#include "../../base/random.hpp"

namespace lw {
namespace {

// Away from zero, with either sign.
double signed_between(Random& random, double low, double high) {
  const double size = random.between(low, high);
  return random.below(2) == 0 ? size : -size;
}

std::string list(double x, double y, double z) { return fmt::format("[{:.6f}, {:.6f}, {:.6f}]", x, y, z); }

// Principal moments (y+z, x+z, x+y) of a body with second moments x, y, z > 0 satisfy the triangle inequality by
// construction; the margin survives rounding to six digits.
std::string tensor(Random& random, double mass) {
  Eigen::Vector3d second;
  for (double& s : second) s = mass * random.between(0.002, 0.01);
  const Eigen::Vector3d moments = Eigen::Vector3d::Constant(second.sum()) - second;
  Eigen::Vector4d turn;
  for (double& x : turn) x = signed_between(random, 0.2, 1.0);
  const Eigen::Matrix3d R = Eigen::Quaterniond(turn).normalized().toRotationMatrix();
  const Eigen::Matrix3d I = R * moments.asDiagonal() * R.transpose();
  return fmt::format("{{xx: {:.6f}, yy: {:.6f}, zz: {:.6f}, xy: {:.6f}, xz: {:.6f}, yz: {:.6f}}}", I(0, 0), I(1, 1),
                     I(2, 2), I(0, 1), I(0, 2), I(1, 2));
}

std::string link(Random& random, int index, const std::string& parent) {
  const auto coordinate = [&] { return signed_between(random, 0.05, 0.3); };
  const auto angle = [&] { return signed_between(random, 0.2, 1.4); };
  const bool slides = random.below(5) == 0;
  static constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
  const double mass = random.between(0.5, 5.0);
  // one statement per draw, because the order of evaluation of arguments is unspecified
  const char* axis = kAxes[static_cast<std::size_t>(random.below(3))];
  const double x = coordinate(), y = coordinate(), z = coordinate();
  const double roll = angle(), pitch = angle(), yaw = angle();
  const double cx = coordinate() / 3, cy = coordinate() / 3, cz = coordinate() / 3;
  return fmt::format(
      "  - name: link{}\n"
      "    parent: {}\n"
      "    joint: {{type: {}, axis: {}, origin: {{xyz: {}, rpy: {}}}}}\n"
      "    inertia: {{mass: {:.6f}, com: {}, tensor: {}}}\n",
      index, parent, slides ? "prismatic" : "revolute", axis, list(x, y, z), list(roll, pitch, yaw), mass,
      list(cx, cy, cz), tensor(random, mass));
}

std::string arm_text(const std::string& name, int joints) {
  std::string text = fmt::format(
      "linkwright: 1\nname: {}\nsummary: an arm of {} links with alternating axes z and y, generated\ngravity: [0, "
      "-9.81, 0]\nlinks:\n",
      name, joints);
  const auto length = [](int i) { return 0.3 + 0.01 * i; };
  for (int i = 1; i <= joints; ++i) {
    const double mass = 2.0 + 0.1 * i, moment = mass * length(i) * length(i) / 12.0;
    text += fmt::format(
        "  - name: link{}\n"
        "    parent: {}\n"
        "    joint: {{type: revolute, axis: {}, origin: {{xyz: [{:.2f}, 0, 0]}}}}\n"
        "    inertia: {{mass: {:.1f}, com: [{:.3f}, 0, 0], tensor: [{:.6f}, {:.6f}, {:.6f}]}}\n",
        i, i == 1 ? "base" : fmt::format("link{}", i - 1), i % 2 == 1 ? "z" : "y", i == 1 ? 0.0 : length(i - 1), mass,
        length(i) / 2.0, 0.05 * moment, moment, moment);
  }
  return text;
}

std::string family_of(const std::string& name) { return name.substr(0, name.find('-')); }

std::optional<int> family_size(const std::string& name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string::npos || !(resembles_family(name) || family_of(name) == "arm")) return std::nullopt;
  int size = 0;
  const char* end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + dash + 1, end, size);
  if (fault != std::errc() || stop != end || size < 1 || size > kLargestFamily || name[dash + 1] == '0')
    return std::nullopt;
  return size;
}

}  // namespace

bool resembles_family(const std::string& name) { return name.starts_with("chain-") || name.starts_with("tree-"); }

std::optional<std::string> family_text(const std::string& name) {
  const std::optional<int> size = family_size(name);
  if (!size) return std::nullopt;
  if (family_of(name) == "arm") return arm_text(name, *size);
  const bool tree = family_of(name) == "tree";
  Random random(static_cast<std::uint64_t>(*size) * 2 + (tree ? 1 : 0));
  std::string text = fmt::format(
      "linkwright: 1\nname: {}\nsummary: a {} of {} links with dense frames and inertias, generated\nlinks:\n", name,
      tree ? "branched tree" : "serial chain", *size);
  for (int k = 1; k <= *size; ++k) {
    // half of the links of a tree extend the last one, so that it is both deep and broad
    const bool continues = !tree || k == 1 || random.below(2) == 0;
    const int parent = continues ? k - 1 : random.below(k);
    text += link(random, k, parent == 0 ? "base" : fmt::format("link{}", parent));
  }
  return text;
}

}  // namespace lw
