#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../dynamics/canonical/tree.hpp"
#include "../../model/require_tree.hpp"
#include "streamline.hpp"

namespace lw {

namespace {

constexpr double kZero = 1e-9;  // of a direction, and of lengths as a fraction of the arm's size

std::array<bool, 3> entries(const Vec3<double>& v, double zero) {
  return {std::abs(v[0]) > zero, std::abs(v[1]) > zero, std::abs(v[2]) > zero};
}

std::string joint_of(const Model<double>& model, int body) {
  for (const JointInfo& joint : model.joints) {
    if (joint.first_body <= body && body <= joint.last_body) return joint.name;
  }
  return std::to_string(body + 1);
}

constexpr std::string_view kScope = "Dhanaraj's subtasks are for serial arms with perpendicular or parallel axes";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::model, fmt::format("{}: {}", kScope, what));
}

}  // namespace

std::vector<StreamlinedLink> streamlined_links(const Model<double>& model) {
  if (model.bodies.empty()) refuse("nothing moves");
  require_tree(model, fmt::format(": {}", kScope));
  const CanonicalTree<double> tree = canonical_tree(model);
  double size = 0.0;
  for (const auto& link : tree.links) {
    size = std::max({size, std::abs(link.p[0]), std::abs(link.p[1]), std::abs(link.p[2])});
    if (link.inertia.m <= 0.0) continue;
    for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(link.inertia.h[k]) / link.inertia.m);
  }
  std::vector<StreamlinedLink> links(tree.links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto& link = tree.links[i];
    const int body = static_cast<int>(i);
    const std::string joint = "joint " + joint_of(model, body);
    if (link.parent != body - 1) refuse(joint + " starts a branch");
    if (link.kind != JointKind::revolute && link.kind != JointKind::prismatic)
      refuse(joint + " is neither revolute nor prismatic");
    links[i].prismatic = link.kind == JointKind::prismatic;
    if (i > 0) {
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
          const double x = std::abs(link.B(row, column));
          if (x > kZero && x < 1.0 - kZero)
            refuse("the axis of " + joint + " is neither perpendicular nor parallel to the previous one");
        }
      }
      std::array<bool, 3>& to_here = links[i - 1].next_origin;
      to_here = entries(link.p, kZero * size);
      for (int k = 0; k < 3 && links[i].prismatic; ++k) {
        if (std::abs(link.B(k, 2)) > kZero)
          to_here[static_cast<std::size_t>(k)] = true;  // its displacement is along this axis
      }
    }
    const SecondMoments<double>& P = link.inertia;
    const Vec3<double> centre = P.m > 0.0 ? P.h * (1.0 / P.m) : Vec3<double>();
    links[i].centre_of_mass = entries(centre, kZero * size);
    const SecondMoments<double> own = P.seen_from(centre);
    const double trace = std::abs(own.E(0, 0)) + std::abs(own.E(1, 1)) + std::abs(own.E(2, 2));
    // of the first link only the moment about its axis matters
    const bool diagonal =
        std::max({std::abs(own.E(0, 1)), std::abs(own.E(0, 2)), std::abs(own.E(1, 2))}) <= kZero * trace;
    if (i > 0 && !diagonal) refuse("the link after " + joint + " has products of inertia in its frame");
  }
  return links;
}

}  // namespace lw
