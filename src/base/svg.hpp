// Line plots as SVG: axes with round ticks, units in the labels, a legend, legible in print (colour, dash and marker
// tell the curves apart) and on dark pages (text and axes take the page's text colour).
#pragma once

#include <string>
#include <vector>

namespace lw {

struct Series {
  std::string label;
  std::vector<double> x, y;
  enum class Look { line, points } look = Look::line;
  int colour = -1;  // index into the palette; -1: the curve's index in the plot
};

struct Plot {
  std::string title;
  std::string x_label, y_label;  // with units: "time (s)"
  std::vector<Series> series;
  int width = 760, height = 380;
  std::vector<double> marks = {};  // x values marked by a vertical line
};

// A complete <svg> element, for a separate file or inside a page. Non-finite points are omitted.
std::string to_svg(const Plot& plot);

// Several plots over the same kind of quantity as one picture, two or three in a row, under a title and one legend:
// that of the first plot. Their width and height are ignored.
std::string to_svg(const std::vector<Plot>& panels, const std::string& title);

// Several plots over the same x (time, say) one below the other, each with its legend, under a title; the lowest has
// the label of x. Their width is that of the first.
std::string to_svg_stack(const std::vector<Plot>& panels, const std::string& title);

// Round numbers from at or below `low` to at or above `high`, about `wanted` of them.
std::vector<double> round_ticks(double low, double high, int wanted);

// & < > " as entities.
std::string escape_xml(const std::string& text);

}  // namespace lw
