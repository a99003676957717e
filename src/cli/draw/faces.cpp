#include "faces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lw::cli {
namespace {

using Point = Vec3<double>;

struct Plane {
  Point normal;  // unit, towards the eye
  double offset;
  double above(const Point& p) const { return dot(normal, p) - offset; }
};

// Newell's normal of a flat polygon, of the length of twice its area.
Point area_normal(const Face& face) {
  Point n;
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    n += cross(face.corners[k] - face.corners[0], face.corners[(k + 1) % face.corners.size()] - face.corners[0]);
  }
  return n;
}

Plane plane_of(const Face& face, const Point& toward) {
  Point n = area_normal(face);
  n = n / std::sqrt(dot(n, n));
  if (dot(n, toward) < 0.0) n = -n;
  Point middle;
  for (const Point& p : face.corners) middle += p / static_cast<double>(face.corners.size());
  return {n, dot(n, middle)};
}

struct Sides {
  bool below = false, above = false;
};

// What is left of the face on one side of a plane.
Face clipped(const Face& face, const Plane& plane, double sign) {
  Face result{{}, face.normal, face.color};
  for (std::size_t k = 0; k < face.corners.size(); ++k) {
    const Point &a = face.corners[k], &b = face.corners[(k + 1) % face.corners.size()];
    const double at_a = sign * plane.above(a), at_b = sign * plane.above(b);
    if (at_a >= 0.0) result.corners.push_back(a);
    if ((at_a > 0.0 && at_b < 0.0) || (at_a < 0.0 && at_b > 0.0)) {
      result.corners.push_back(a + (b - a) * (at_a / (at_a - at_b)));
    }
  }
  return result;
}

class Painter {
 public:
  Painter(const Point& toward, double tolerance) : toward_(toward), tolerance_(tolerance) {}

  // Every plane looks towards the eye, so nothing behind it can cover what is before it: behind, within, before.
  // Kept on a list rather than by recursion, for the depth is that of the scene.
  std::vector<Face> paint(std::vector<Face> faces) const {
    std::vector<Face> painted;
    struct Task {
      std::vector<Face> faces;
      bool flat;           // all in one plane: nothing left to sort
      std::size_t before;  // how many there may be, for halving to be worth it
    };
    constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
    std::vector<Task> tasks;
    tasks.push_back({std::move(faces), false, kAny});
    while (!tasks.empty()) {
      Task task = std::move(tasks.back());
      tasks.pop_back();
      if (task.flat || task.faces.size() < 2) {
        for (Face& face : task.faces) painted.push_back(std::move(face));
        continue;
      }
      constexpr std::size_t kMany = 1000;
      // halving that gets nowhere would go on for ever: all of these lie in one line of sight
      const bool halve = task.faces.size() > kMany && task.faces.size() < task.before;
      const Plane plane = halve ? halving(task.faces) : divider(task.faces);
      const std::size_t most = halve ? task.faces.size() * 3 / 4 + 1 : kAny;
      std::vector<Face> behind, within, before;
      for (Face& face : task.faces) {
        const Sides sides = sides_of(face, plane);
        if (sides.below && sides.above) {
          behind.push_back(clipped(face, plane, -1.0));
          before.push_back(clipped(face, plane, 1.0));
        } else {
          (sides.below ? behind : sides.above ? before : within).push_back(std::move(face));
        }
      }
      tasks.push_back({std::move(before), false, most});
      tasks.push_back({std::move(within), true, most});
      tasks.push_back({std::move(behind), false, most});
    }
    return painted;
  }

 private:
  Sides sides_of(const Face& face, const Plane& plane) const {
    Sides sides;
    for (const Point& p : face.corners) {
      const double above = plane.above(p);
      sides.below = sides.below || above < -tolerance_;
      sides.above = sides.above || above > tolerance_;
    }
    return sides;
  }

  // A plane along the line of sight, with half of the faces on either side: neither side can cover the other. For
  // scenes of many faces, where searching for a divider would take long.
  Plane halving(const std::vector<Face>& faces) const {
    Point across = std::abs(toward_[0]) < 0.9 ? Point(1, 0, 0) : Point(0, 1, 0);
    across = cross(toward_, across);
    across = across / std::sqrt(dot(across, across));
    Plane best{};
    double widest = -1.0;
    for (const Point& n : {across, cross(toward_, across)}) {
      std::vector<double> at;
      for (const Face& face : faces) at.push_back(dot(n, face.corners[0]));
      const auto middle = at.begin() + static_cast<std::ptrdiff_t>(at.size() / 2);
      std::nth_element(at.begin(), middle, at.end());
      const double median = *middle;
      const auto [low, high] = std::minmax_element(at.begin(), at.end());
      if (*high - *low <= widest) continue;
      widest = *high - *low;
      best = {n, median};
    }
    return best;
  }

  // Of a few faces the one whose plane cuts the fewest others, and then divides them most evenly.
  Plane divider(const std::vector<Face>& faces) const {
    constexpr std::size_t kTried = 12;
    Plane best{};
    double least = HUGE_VAL;
    for (std::size_t k = 0; k < std::min(kTried, faces.size()); ++k) {
      const Plane plane = plane_of(faces[k * faces.size() / std::min(kTried, faces.size())], toward_);
      double cut = 0.0, balance = 0.0;
      for (const Face& face : faces) {
        const Sides sides = sides_of(face, plane);
        cut += sides.below && sides.above;
        balance += sides.above - sides.below;
      }
      const double price = 8.0 * cut + std::abs(balance);
      if (price >= least) continue;
      best = plane;
      least = price;
    }
    return best;
  }

  Point toward_;
  double tolerance_;
};

}  // namespace

std::vector<Face> far_to_near(std::vector<Face> faces, const Point& toward) {
  double size = 0.0;
  for (const Face& face : faces) {
    for (const Point& p : face.corners)
      size = std::max(size, std::sqrt(dot(p - faces[0].corners[0], p - faces[0].corners[0])));
  }
  std::erase_if(faces, [&](const Face& face) {
    const Point n = area_normal(face);
    return dot(face.normal, toward) <= 1e-9 || dot(n, n) <= 1e-24 * size * size * size * size;
  });
  return Painter(toward, 1e-7 * size).paint(std::move(faces));
}

}  // namespace lw::cli
