// Lines of equal value of a grid, as closed polygons: marching squares with straight interpolation along the edges.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace lw {

using Contour = std::vector<std::pair<double, double>>;  // places in units of the grid: column, row

// Polygons around where value(column, row) ≥ level, the values to their left; outside the grid everything is below.
// Filled by the even-odd rule they are that region. `crossing` may know better where a line crosses the edge from
// (column, row) to the right or upward, as a part of it; NaN where it does not.
std::vector<Contour> contours(int columns, int rows, const std::function<double(int, int)>& value, double level,
                              const std::function<double(int, int, bool)>& crossing = {});

}  // namespace lw
