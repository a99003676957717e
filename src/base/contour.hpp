// Contour lines of a grid as closed polygons: marching squares with linear interpolation along the edges.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace lw {

using Contour = std::vector<std::pair<double, double>>;  // points in grid units: column, row

// Polygons around the region value(column, row) ≥ level, which is on their left; values outside the grid are below the
// level. Filled by the even-odd rule they give that region. `crossing` may return a more accurate position of the
// crossing on the edge from (column, row) to the right or upward, as a fraction of the edge, or NaN.
std::vector<Contour> contours(int columns, int rows, const std::function<double(int, int)>& value, double level,
                              const std::function<double(int, int, bool)>& crossing = {});

}  // namespace lw
