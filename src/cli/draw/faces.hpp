// Flat faces sorted for painting from back to front.
#pragma once

#include <array>
#include <vector>

#include "../../spatial/vec3.hpp"

namespace lw::cli {

struct Face {
  std::vector<Vec3<double>> corners;  // convex and flat, in either sense of rotation
  Vec3<double> normal;                // unit, outwards: for the shade
  std::array<double, 4> color;
};

// For an eye at infinity in the direction `toward`. Faces turned away from it are omitted, because their own body hides
// them; a face cut by another's plane is split if necessary.
std::vector<Face> far_to_near(std::vector<Face> faces, const Vec3<double>& toward);

}  // namespace lw::cli
