#include "contour.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace lw {
namespace {

// An edge of the padded grid: from (column, row) to the right or upward.
struct GridEdge {
  int column, row;
  bool upward;
  auto operator<=>(const GridEdge&) const = default;
};

enum Side { kBottom, kRight, kTop, kLeft };

// Which sides a square's lines go from and to, the inside on their left; bits of the corners: bottom left 1, bottom
// right 2, top right 4, top left 8.
std::vector<std::pair<Side, Side>> lines_of(int inside, bool joined) {
  switch (inside) {
    case 1: return {{kBottom, kLeft}};
    case 2: return {{kRight, kBottom}};
    case 4: return {{kTop, kRight}};
    case 8: return {{kLeft, kTop}};
    case 3: return {{kRight, kLeft}};
    case 6: return {{kTop, kBottom}};
    case 12: return {{kLeft, kRight}};
    case 9: return {{kBottom, kTop}};
    case 7: return {{kTop, kLeft}};
    case 14: return {{kLeft, kBottom}};
    case 13: return {{kBottom, kRight}};
    case 11: return {{kRight, kTop}};
    case 5:
      return joined ? std::vector<std::pair<Side, Side>>{{kTop, kLeft}, {kBottom, kRight}}
                    : std::vector<std::pair<Side, Side>>{{kBottom, kLeft}, {kTop, kRight}};
    case 10:
      return joined ? std::vector<std::pair<Side, Side>>{{kLeft, kBottom}, {kRight, kTop}}
                    : std::vector<std::pair<Side, Side>>{{kRight, kBottom}, {kLeft, kTop}};
    default: return {};
  }
}

GridEdge edge_of(int column, int row, Side side) {
  switch (side) {
    case kBottom: return {column, row, false};
    case kRight: return {column + 1, row, true};
    case kTop: return {column, row + 1, false};
    case kLeft: return {column, row, true};
  }
  return {};
}

}  // namespace

std::vector<Contour> contours(int columns, int rows, const std::function<double(int, int)>& value, double level,
                              const std::function<double(int, int, bool)>& crossing) {
  // a step below the level around the grid, so that every line closes
  const auto at = [&](int i, int j) { return i < 0 || j < 0 || i >= columns || j >= rows ? level - 1.0 : value(i, j); };
  std::map<GridEdge, GridEdge> next;
  for (int j = -1; j < rows; ++j) {
    for (int i = -1; i < columns; ++i) {
      const double corner[] = {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
      int inside = 0;
      for (int k = 0; k < 4; ++k) inside |= corner[k] >= level ? 1 << k : 0;
      const bool joined = corner[0] + corner[1] + corner[2] + corner[3] >= 4.0 * level;
      for (const auto& [from, to] : lines_of(inside, joined)) next[edge_of(i, j, from)] = edge_of(i, j, to);
    }
  }
  const auto place = [&](const GridEdge& e) {
    const double a = at(e.column, e.row), b = e.upward ? at(e.column, e.row + 1) : at(e.column + 1, e.row);
    const bool within = e.column >= 0 && e.row >= 0 && e.column + !e.upward < columns && e.row + e.upward < rows;
    double part = crossing && within ? crossing(e.column, e.row, e.upward) : std::nan("");
    if (std::isnan(part)) part = std::clamp((level - a) / (b - a), 0.0, 1.0);
    return std::pair{e.column + (e.upward ? 0.0 : part), e.row + (e.upward ? part : 0.0)};
  };
  std::vector<Contour> all;
  while (!next.empty()) {
    Contour line;
    const GridEdge start = next.begin()->first;
    for (auto here = next.begin(); here != next.end();) {
      line.push_back(place(here->first));
      const GridEdge to = here->second;
      next.erase(here);
      here = to == start ? next.end() : next.find(to);
    }
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace lw
