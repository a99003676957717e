#include "feasibility.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"

namespace lw {
namespace {

constexpr std::size_t kLongestRing = 14, kMostRings = 2000;

bool holds_point(const FreeJoint& j) {
  return j.type == JointType::revolute || j.type == JointType::spherical || j.type == JointType::universal;
}

// Rings of joints, each once: from its lowest group, in one of the two directions.
class Rings {
 public:
  explicit Rings(const LoopGraph& graph) : graph_(graph) {
    for (std::size_t j = 0; j < graph.joints.size(); ++j) {
      if (!holds_point(graph.joints[j])) continue;
      for (int side = 0; side < 2; ++side) {
        start_ = graph.group_of(graph.joints[j], side);
        const int next = graph.group_of(graph.joints[j], 1 - side);
        if (next < start_ || next == start_) continue;
        joints_ = {static_cast<int>(j)};
        groups_ = {start_, next};
        extend();
      }
    }
  }
  struct Ring {
    std::vector<int> joints, groups;  // joint k between groups k and k + 1
  };
  std::vector<Ring> found;

 private:
  void extend() {
    if (found.size() >= kMostRings || joints_.size() >= kLongestRing) return;
    const int here = groups_.back();
    for (std::size_t j = 0; j < graph_.joints.size(); ++j) {
      const FreeJoint& joint = graph_.joints[j];
      const int a = graph_.group_of(joint, 0), b = graph_.group_of(joint, 1);
      if (!holds_point(joint) || (a != here && b != here) || a == b) continue;
      if (std::find(joints_.begin(), joints_.end(), static_cast<int>(j)) != joints_.end()) continue;
      const int there = a == here ? b : a;
      if (there == start_) {
        if (static_cast<int>(j) < joints_.front()) continue;  // the same ring the other way round
        found.push_back({joints_, groups_});
        found.back().joints.push_back(static_cast<int>(j));
        continue;
      }
      if (there < start_ || std::find(groups_.begin(), groups_.end(), there) != groups_.end()) continue;
      joints_.push_back(static_cast<int>(j));
      groups_.push_back(there);
      extend();
      joints_.pop_back();
      groups_.pop_back();
    }
  }

  const LoopGraph& graph_;
  int start_ = 0;
  std::vector<int> joints_, groups_;
};

// The first link of each group, in the file's words.
std::string link_of_group(const Model<double>& model, const LoopGraph& graph, int group) {
  for (const Frame<double>& f : model.frames) {
    if (graph.group[at(f.body + 1)] == group) return f.name;
  }
  return "";
}

}  // namespace

std::string to_string(const OpenPolygon& polygon) {
  std::string links;
  for (std::size_t k = 0; k < polygon.links.size(); ++k) {
    links += (k == 0 ? "`" : k + 1 == polygon.links.size() ? " and `" : ", `") + polygon.links[k] + "`";
  }
  const auto end = [](const std::string& joint) { return joint == kTarget ? joint : "joint `" + joint + "`"; };
  return fmt::format("from {} to {} are {:.4g} m, which {} cannot bridge: {} {:.4g} m, {:.4g} m are missing",
                     end(polygon.joints.front()), end(polygon.joints.back()), polygon.distance, links,
                     polygon.links.size() == 1 ? "it reaches" : "they reach", polygon.reach, polygon.missing());
}

std::vector<std::string> to_lines(const std::vector<OpenPolygon>& polygons) {
  const std::size_t shown = std::min<std::size_t>(polygons.size(), 6);
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < shown; ++k) lines.push_back(to_string(polygons[k]));
  if (polygons.size() > shown)
    lines.push_back(fmt::format("and {} more rings of links do not close", polygons.size() - shown));
  return lines;
}

std::vector<OpenPolygon> open_polygons(const Model<double>& model, In<double> q, const std::vector<int>& held) {
  const LoopGraph graph = loop_graph(model, q, held);
  std::vector<OpenPolygon> open;
  for (const Rings::Ring& ring : Rings(graph).found) {
    const std::size_t n = ring.joints.size();
    const auto joint = [&](std::size_t k) -> const FreeJoint& { return graph.joints[at(ring.joints[k % n])]; };
    // side k is on group k, between joints k − 1 and k
    std::vector<double> across(n), whole(n);
    bool planar = true;
    for (std::size_t k = 0; k < n; ++k) {
      const FreeJoint &in = joint(k + n - 1), &out = joint(k);
      const int group = ring.groups[k];
      // two joints of one pair of groups have this one on both sides
      const Transform<double> F = graph.frame(in, graph.side_in(in, group)),
                              G = graph.frame(out, graph.side_in(out, group));
      const Vec3<double> way = G.p - F.p, a = F.R * in.axis, b = G.R * out.axis;
      planar = planar && in.type == JointType::revolute && out.type == JointType::revolute && norm(cross(a, b)) < 1e-9;
      whole[k] = norm(way);
      across[k] = norm(cross(way, a));
    }
    const std::vector<double>& sides = planar ? across : whole;
    double sum = 0.0;
    for (const double s : sides) sum += s;
    const auto longest = std::max_element(sides.begin(), sides.end());
    if (!(*longest > (sum - *longest) * (1.0 + 1e-9) + 1e-9)) continue;
    OpenPolygon polygon;
    const auto first = static_cast<std::size_t>(longest - sides.begin());
    for (std::size_t k = 0; k < n; ++k) {
      // a joint of two axes stands there twice, with a cross between them that is no link of the file
      if (polygon.joints.empty() || polygon.joints.back() != joint(first + k).name)
        polygon.joints.push_back(joint(first + k).name);
      const std::string link = link_of_group(model, graph, ring.groups[(first + k + 1) % n]);
      if (k + 1 < n && !link.empty()) polygon.links.push_back(link);
    }
    polygon.distance = *longest;
    polygon.reach = sum - *longest;
    open.push_back(std::move(polygon));
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const OpenPolygon& a, const OpenPolygon& b) { return a.joints.size() < b.joints.size(); });
  return open;
}

}  // namespace lw
