#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "../../base/svg.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/evaluate.hpp"
#include "faces.hpp"

namespace lw::cli {
namespace {

using Point = Vec3<double>;
using Color = std::array<double, 4>;

// Looks along -depth: right and up span the picture.
struct Camera {
  Point right, up, depth;
};

// x points to the lower left, y to the lower right, z up (or whatever is opposite to gravity).
Camera camera_for(const Point& gravity) {
  Point up(0.0, 0.0, 1.0);
  const double g = std::sqrt(dot(gravity, gravity));
  if (g > 0.0) up = -gravity / g;
  // two horizontal directions: for z up these are x and y
  Point ahead = std::abs(up[0]) < 0.9 ? Point(1.0, 0.0, 0.0) : Point(0.0, 1.0, 0.0);
  ahead = ahead - up * dot(ahead, up);
  ahead = ahead / std::sqrt(dot(ahead, ahead));
  const Point side = cross(up, ahead);
  const double turn = 0.9, height = 0.42;  // radians: about the vertical, and above the horizon
  const Point toward = ahead * std::cos(turn) - side * std::sin(turn);
  return {ahead * std::sin(turn) + side * std::cos(turn), up * std::cos(height) - toward * std::sin(height),
          toward * std::cos(height) + up * std::sin(height)};
}

class Scene {
 public:
  void add_box(const Transform<double>& X, const Point& half, const Color& color) {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        Face face{{}, X.R * (Point::unit(axis) * sign), color};
        for (const auto& [a, b] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
          Point corner;
          corner[axis] = sign * half[axis];
          corner[i] = a * half[i];
          corner[j] = b * half[j];
          face.corners.push_back(X.p + X.R * corner);
        }
        faces.push_back(std::move(face));
      }
    }
  }

  void add_cylinder(const Transform<double>& X, double radius, double length, const Color& color) {
    constexpr int kSides = 28;
    const auto rim = [&](int k, double z) {
      const double angle = 2 * std::numbers::pi * k / kSides;
      return X.p + X.R * Point(radius * std::cos(angle), radius * std::sin(angle), z);
    };
    Face top{{}, X.R.col(2), color}, bottom{{}, -X.R.col(2), color};
    for (int k = 0; k < kSides; ++k) {
      const double middle = 2 * std::numbers::pi * (k + 0.5) / kSides;
      faces.push_back({{rim(k, -length / 2), rim(k + 1, -length / 2), rim(k + 1, length / 2), rim(k, length / 2)},
                       X.R * Point(std::cos(middle), std::sin(middle), 0.0),
                       color});
      top.corners.push_back(rim(k, length / 2));
      bottom.corners.push_back(rim(k, -length / 2));
    }
    faces.push_back(std::move(top));
    faces.push_back(std::move(bottom));
  }

  void add_sphere(const Point& centre, double radius, const Color& color) {
    constexpr int kRings = 10, kSides = 20;
    const auto at = [&](double ring, double side) {
      const double a = std::numbers::pi * ring / kRings, b = 2 * std::numbers::pi * side / kSides;
      return Point(std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a));
    };
    for (int r = 0; r < kRings; ++r) {
      for (int s = 0; s < kSides; ++s) {
        Face face{{}, at(r + 0.5, s + 0.5), color};
        for (const auto& [a, b] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
          face.corners.push_back(centre + at(r + a, s + b) * radius);
        }
        faces.push_back(std::move(face));
      }
    }
  }

  // a thin bar, for links that have no shape
  void add_bar(const Point& a, const Point& b, double thickness, const Color& color) {
    const Point d = b - a;
    const double length = std::sqrt(dot(d, d));
    if (length < 1e-9) return;
    const Point z = d / length;
    const Point x0 = std::abs(z[0]) < 0.9 ? Point(1, 0, 0) : Point(0, 1, 0);
    Point x = x0 - z * dot(x0, z);
    x = x / std::sqrt(dot(x, x));
    add_cylinder({{x, cross(z, x), z}, (a + b) * 0.5}, thickness, length, color);
  }

  std::vector<Face> faces;
};

void add_visuals(Scene& scene, const std::vector<Visual>& visuals, const Transform<double>& X_WF,
                 const DefaultValues& at) {
  for (const Visual& v : visuals) {
    const Transform<double> X =
        X_WF * Transform<double>{Mat3<double>::from(at(v.origin.rotation)), Vec3<double>::from(at(v.origin.xyz))};
    const auto size = [&](std::size_t k) { return at(v.size[k]); };
    switch (v.shape) {
      case Visual::Shape::box: scene.add_box(X, Point(size(0), size(1), size(2)) * 0.5, v.color); break;
      case Visual::Shape::cylinder: scene.add_cylinder(X, size(0), size(1), v.color); break;
      case Visual::Shape::sphere: scene.add_sphere(X.p, size(0), v.color); break;
      case Visual::Shape::mesh: break;
    }
  }
}

// Where a slide's link would be at zero: the near end of the rod on which it is drawn.
Point foot_of_slide(const Model<double>& model, const Workspace<double>& work, const Workspace<double>& at_zero,
                    int parent, int child) {
  const Transform<double> across = frame_pose(model, at_zero, parent).inverse() * frame_pose(model, at_zero, child);
  return (frame_pose(model, work, parent) * across).p;
}

// Frames of shapeless links joined to their parents' frames, with a ball at a joint that turns and a block at one that
// slides; and every slide on its rod.
void add_bars(Scene& scene, const Mechanism& mechanism, const Model<double>& model, const Workspace<double>& work,
              std::span<const double> q) {
  std::vector<double> zero(q.begin(), q.end());
  for (const JointInfo& joint : model.joints) {
    if (coordinates(joint.type) == 1) zero[static_cast<std::size_t>(joint.q)] = 0.0;
  }
  Workspace<double> at_zero(model);
  forward_kinematics<double>(model, at_zero, zero);

  struct Bar {
    const Link* link;
    Point parent, foot;  // foot: that of a slide's rod; of other joints the child's own place
    Transform<double> child;
  };
  std::vector<Bar> bars;
  double size = 0.0;
  for (std::size_t k = 0; k < mechanism.links.size(); ++k) {
    const Link& link = mechanism.links[k];
    const int child = static_cast<int>(k) + 1, parent = model.frame_index(link.parent);
    Bar bar{&link, frame_pose(model, work, parent).p, {}, frame_pose(model, work, child)};
    const bool slides = link.joint.type == JointType::prismatic;
    bar.foot = slides ? foot_of_slide(model, work, at_zero, parent, child) : bar.child.p;
    const Point length = bar.child.p - bar.parent;
    size = std::max(size, std::sqrt(dot(length, length)));
    bars.push_back(bar);
  }
  if (size == 0.0) return;
  const Color steel{0.45, 0.5, 0.58, 1.0}, joint_color{0.85, 0.45, 0.25, 1.0};
  for (const Bar& bar : bars) {
    scene.add_bar(bar.foot, bar.child.p, 0.014 * size, steel);
    if (!bar.link->visuals.empty()) continue;
    scene.add_bar(bar.parent, bar.foot, 0.02 * size, steel);
    if (bar.link->joint.type == JointType::prismatic) {
      scene.add_box(bar.child, Point(0.04, 0.04, 0.04) * size, joint_color);
    } else {
      scene.add_sphere(bar.child.p, 0.045 * size, joint_color);
    }
  }
}

struct Bounds {
  double left = std::numeric_limits<double>::max(), right = -left, low = left, high = -left;
  void include(double x, double y) {
    left = std::min(left, x);
    right = std::max(right, x);
    low = std::min(low, y);
    high = std::max(high, y);
  }
};

}  // namespace

std::string picture(const Mechanism& mechanism, const Model<double>& model, std::span<const double> q) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, q);
  const DefaultValues at(mechanism);
  Scene scene;
  add_visuals(scene, mechanism.base_visuals, frame_pose(model, work, 0), at);
  for (std::size_t k = 0; k < mechanism.links.size(); ++k) {
    add_visuals(scene, mechanism.links[k].visuals, frame_pose(model, work, static_cast<int>(k) + 1), at);
  }
  add_bars(scene, mechanism, model, work, q);
  if (scene.faces.empty()) {
    throw Error(ErrorCode::model, "`" + mechanism.name + "` has nothing to draw: no shapes, and all links coincide");
  }

  const Camera camera = camera_for(model.gravity);
  const auto x_of = [&](const Point& p) { return dot(p, camera.right); };
  const auto y_of = [&](const Point& p) { return dot(p, camera.up); };
  Bounds bounds;
  double ground = std::numeric_limits<double>::max();
  Point up(0.0, 0.0, 1.0);
  if (dot(model.gravity, model.gravity) > 0.0) up = -model.gravity / std::sqrt(dot(model.gravity, model.gravity));
  for (const Face& f : scene.faces) {
    for (const Point& p : f.corners) {
      bounds.include(x_of(p), y_of(p));
      ground = std::min(ground, dot(p, up));
    }
  }

  constexpr double kWidth = 720.0, kHeight = 540.0, kMargin = 30.0;
  const double scale = std::min((kWidth - 2 * kMargin) / std::max(bounds.right - bounds.left, 1e-9),
                                (kHeight - 2 * kMargin) / std::max(bounds.high - bounds.low, 1e-9));
  const auto px = [&](const Point& p) { return kWidth / 2 + (x_of(p) - (bounds.left + bounds.right) / 2) * scale; };
  const auto py = [&](const Point& p) { return kHeight / 2 - (y_of(p) - (bounds.low + bounds.high) / 2) * scale; };

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "role=\"img\">\n<title>{2}</title>\n",
      kWidth, kHeight, escape_xml(mechanism.name));

  // ground grid, in steps of a round length
  const double span = std::max(bounds.right - bounds.left, bounds.high - bounds.low);
  const std::vector<double> ticks = round_ticks(0.0, span, 8);
  const double cell = ticks.size() > 1 ? ticks[1] - ticks[0] : span / 8;
  // lines along the world's horizontal axes rather than the camera's
  Point a = std::abs(up[0]) < 0.9 ? Point(1, 0, 0) : Point(0, 1, 0);
  a = a - up * dot(a, up);
  a = a / std::sqrt(dot(a, a));
  const Point b = cross(up, a);
  Point middle;
  for (const Face& f : scene.faces) middle += f.corners[0] / static_cast<double>(scene.faces.size());
  const double ma = std::round(dot(middle, a) / cell) * cell, mb = std::round(dot(middle, b) / cell) * cell;
  constexpr int kCells = 6;
  svg += "<g stroke=\"#8a94a6\" stroke-opacity=\"0.35\" stroke-width=\"1\">\n";
  for (int k = -kCells; k <= kCells; ++k) {
    for (const bool along : {true, false}) {
      const double d = k * cell, e = kCells * cell;
      const Point from = up * ground + (along ? a * (ma + d) + b * (mb - e) : a * (ma - e) + b * (mb + d));
      const Point to = up * ground + (along ? a * (ma + d) + b * (mb + e) : a * (ma + e) + b * (mb + d));
      svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", px(from), py(from),
                         px(to), py(to));
    }
  }
  svg += "</g>\n";

  Point light = camera.depth * 0.55 + camera.up * 0.75 - camera.right * 0.35;
  light = light / std::sqrt(dot(light, light));
  svg += "<g stroke-width=\"1.1\" stroke-linejoin=\"round\">\n";
  for (const Face& f : far_to_near(scene.faces, camera.depth)) {
    const double shade = 0.45 + 0.55 * std::max(0.0, dot(f.normal, light));
    const auto channel = [&](std::size_t k) {
      return static_cast<int>(std::lround(255.0 * std::clamp(f.color[k] * shade, 0.0, 1.0)));
    };
    const std::string fill = fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
    std::string points;
    for (const Point& p : f.corners) points += fmt::format("{:.1f},{:.1f} ", px(p), py(p));
    points.pop_back();
    svg += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", points, fill, fill);
  }
  svg += "</g>\n";
  svg += fmt::format(
      "<text x=\"{:g}\" y=\"{:g}\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#8a94a6\" "
      "text-anchor=\"end\">grid {:g} m</text>\n",
      kWidth - 12.0, kHeight - 12.0, cell);
  return svg + "</svg>\n";
}

}  // namespace lw::cli
