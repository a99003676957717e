// A mechanism's shapes at a configuration, seen from the front right and above, as an SVG drawing.
#pragma once

#include <span>
#include <string>

#include "../../model/model.hpp"

namespace lw::cli {

// Boxes, cylinders and spheres of all links, flat shaded, on a ground grid; meshes are omitted. A link without shapes
// is drawn as a bar to the frame of its parent, a prismatic joint on a rod from its zero. Throws Error(model) if there
// is nothing to draw.
std::string picture(const Mechanism& mechanism, const Model<double>& model, std::span<const double> q);

}  // namespace lw::cli
