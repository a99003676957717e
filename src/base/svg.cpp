#include "svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "text.hpp"

namespace lw {
namespace {

// Okabe and Ito's palette, without yellow: distinct for every kind of colour vision, and dark enough for paper.
constexpr std::array<const char*, 7> kPalette{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#7F7F7F"};
constexpr std::array<const char*, 4> kDashes{"", "7 3", "2 3", "9 3 2 3"};

struct Range {
  double low, high;
};

Range range_of(const std::vector<Series>& series, const std::vector<double> Series::*values) {
  Range r{HUGE_VAL, -HUGE_VAL};
  for (const Series& s : series) {
    for (const double v : s.*values) {
      if (!std::isfinite(v)) continue;
      r.low = std::min(r.low, v);
      r.high = std::max(r.high, v);
    }
  }
  if (r.low > r.high) return {0.0, 1.0};
  if (r.low == r.high) return {r.low - 0.5, r.high + 0.5};
  return r;
}

// From pixels of the frame to values and back: x to the right, y up.
struct Frame {
  double left, right, top, bottom;
  Range x, y;
  double px(double v) const { return left + (v - x.low) / (x.high - x.low) * (right - left); }
  double py(double v) const { return bottom - (v - y.low) / (y.high - y.low) * (bottom - top); }
};

std::string tick_label(double value, double step) {
  const double size = std::max(std::abs(value), step);
  if (size >= 1e5 || step < 1e-4) return fmt::format("{:.3g}", value);
  int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const double shifted = step * std::pow(10.0, decimals);
  if (std::abs(shifted - std::round(shifted)) > 1e-6) ++decimals;  // a step of 2.5 has one more
  return fmt::format("{:.{}f}", std::abs(value) < 1e-9 * step ? 0.0 : value, decimals);
}

std::string axes(const Plot& plot, const Frame& f, const std::vector<double>& xs, const std::vector<double>& ys) {
  std::string out;
  for (const double v : xs) {
    out += fmt::format(
        "<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' stroke='currentColor' stroke-opacity='0.13'/>\n",
        f.px(v), f.top, f.bottom);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", f.px(v), f.bottom + 17,
                       tick_label(v, xs[1] - xs[0]));
  }
  for (const double v : ys) {
    out += fmt::format(
        "<line x1='{0:.1f}' y1='{1:.1f}' x2='{2:.1f}' y2='{1:.1f}' stroke='currentColor' stroke-opacity='{3}'/>\n",
        f.left, f.py(v), f.right, v == 0.0 ? 0.4 : 0.13);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>\n", f.left - 7, f.py(v) + 4,
                       tick_label(v, ys[1] - ys[0]));
  }
  out += fmt::format(
      "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='currentColor' "
      "stroke-opacity='0.6'/>\n",
      f.left, f.top, f.right - f.left, f.bottom - f.top);
  out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", (f.left + f.right) / 2,
                     f.bottom + 37, escape_xml(plot.x_label));
  out += fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n", 16.0,
                     (f.top + f.bottom) / 2, escape_xml(plot.y_label));
  out += fmt::format("<text x='{:.1f}' y='20' font-size='14' font-weight='600'>{}</text>\n", f.left,
                     escape_xml(plot.title));
  return out;
}

struct Pen {
  const char* colour;
  const char* dash;
};

Pen pen_of(const Series& s, std::size_t place) {
  const std::size_t k = s.colour >= 0 ? static_cast<std::size_t>(s.colour) : place;
  return {kPalette[k % kPalette.size()], kDashes[k % kDashes.size()]};
}

std::string curve(const Series& s, const Pen& pen, const Frame& f) {
  std::string out;
  const std::size_t n = std::min(s.x.size(), s.y.size());
  if (s.look == Series::Look::points) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) continue;
      out += fmt::format(
          "<circle cx='{:.1f}' cy='{:.1f}' r='3.4' fill='{}' fill-opacity='0.35' stroke='{}' stroke-width='1.3'/>\n",
          f.px(s.x[i]), f.py(s.y[i]), pen.colour, pen.colour);
    }
    return out;
  }
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(s.x[i]) || !std::isfinite(s.y[i])) {
      drawing = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", f.px(s.x[i]), f.py(s.y[i]));
    drawing = true;
  }
  return fmt::format(
      "<path d='{}' fill='none' stroke='{}' stroke-width='1.8' stroke-linejoin='round' stroke-dasharray='{}'/>\n", path,
      pen.colour, pen.dash);
}

std::string legend_entry(const Series& s, const Pen& pen, double x, double y) {
  const std::string mark =
      s.look == Series::Look::points
          ? fmt::format(
                "<circle cx='{:.1f}' cy='{:.1f}' r='3.4' fill='{}' fill-opacity='0.35' stroke='{}' "
                "stroke-width='1.3'/>\n",
                x + 11, y, pen.colour, pen.colour)
          : fmt::format(
                "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}' stroke-width='2' "
                "stroke-dasharray='{}'/>\n",
                x, y, x + 22, y, pen.colour, pen.dash);
  return mark + fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x + 29, y + 4, escape_xml(s.label));
}

std::string legend(const Plot& plot, const Frame& f) {
  std::string out;
  double y = f.top + 6;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (plot.series[i].label.empty()) continue;
    out += legend_entry(plot.series[i], pen_of(plot.series[i], i), f.right + 14, y);
    y += 19;
  }
  return out;
}

// Axes and curves, with room for `at_right` beside the frame.
struct Scales {
  Frame frame;
  std::vector<double> xs, ys;
};
Scales frame_of(const Plot& plot, double at_right, int ticks) {
  const Range x = range_of(plot.series, &Series::x), y = range_of(plot.series, &Series::y);
  const std::vector<double> xs = round_ticks(x.low, x.high, ticks + 2), ys = round_ticks(y.low, y.high, ticks);
  return {{72.0, plot.width - at_right, 34.0, plot.height - 48.0, {xs.front(), xs.back()}, {ys.front(), ys.back()}},
          xs,
          ys};
}
std::string panel(const Plot& plot, const Scales& s) {
  std::string out = axes(plot, s.frame, s.xs, s.ys);
  for (const double x : plot.marks) {
    out += fmt::format(
        "<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' stroke='currentColor' stroke-opacity='0.5' "
        "stroke-dasharray='3 3'/>\n",
        s.frame.px(x), s.frame.top, s.frame.bottom);
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) out += curve(plot.series[i], pen_of(plot.series[i], i), s.frame);
  return out;
}

std::string opening(int width, int height, const std::string& title) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' role='img' color='#222' "
      "fill='currentColor' font-family='system-ui, Helvetica, Arial, sans-serif' font-size='12'>\n<title>{2}</title>\n",
      width, height, escape_xml(title));
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int wanted) {
  const double raw = (high - low) / std::max(1, wanted);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    step = factor * power;
    if (step >= raw * (1.0 - 1e-9)) break;
  }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  for (double k = first; k <= last; k += 1.0) ticks.push_back(k * step);
  return ticks;
}

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string to_svg(const std::vector<Plot>& panels, const std::string& title) {
  constexpr int kWidth = 380, kHeight = 236, kHead = 62, kMargin = 12;
  const int columns = panels.size() <= 1 ? 1 : panels.size() == 2 || panels.size() == 4 ? 2 : 3;
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  std::string out = opening(columns * kWidth + 2 * kMargin, kHead + rows * kHeight + kMargin, title);
  out +=
      fmt::format("<text x='{}' y='28' font-size='16' font-weight='600'>{}</text>\n", kMargin + 58, escape_xml(title));
  double x = kMargin + 58;
  for (std::size_t i = 0; !panels.empty() && i < panels[0].series.size(); ++i) {
    const Series& s = panels[0].series[i];
    if (s.label.empty()) continue;
    out += legend_entry(s, pen_of(s, i), x, 48);
    x += 52 + 6.8 * static_cast<double>(display_width(s.label));
  }
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const int column = static_cast<int>(k) % columns, row = static_cast<int>(k) / columns;
    const bool last = k + static_cast<std::size_t>(columns) >= panels.size();
    Plot p = panels[k];
    p.width = kWidth;
    p.height = kHeight;
    if (!last) p.x_label.clear();
    out += fmt::format("<g transform='translate({} {})'>\n{}</g>\n", kMargin + column * kWidth, kHead + row * kHeight,
                       panel(p, frame_of(p, 14.0, 5)));
  }
  return out + "</svg>\n";
}

std::string to_svg_stack(const std::vector<Plot>& panels, const std::string& title) {
  constexpr int kHead = 16, kOverlap = 26;  // a panel without title leaves room above its frame
  const int width = panels.empty() ? 0 : panels.front().width;
  std::size_t longest = 0;
  int height = kHead;
  for (const Plot& p : panels) {
    height += p.height - (&p == &panels.back() ? 0 : kOverlap);
    for (const Series& s : p.series) longest = std::max(longest, display_width(s.label));
  }
  std::string out = opening(width, height, title);
  out += fmt::format("<text x='72' y='24' font-size='16' font-weight='600'>{}</text>\n", escape_xml(title));
  int top = kHead;
  for (const Plot& panel_given : panels) {
    Plot p = panel_given;
    p.width = width;
    if (&panel_given != &panels.back()) p.x_label.clear();
    const Scales scales = frame_of(p, 50.0 + 6.8 * static_cast<double>(longest), std::max(3, p.height / 45));
    out += fmt::format("<g transform='translate(0 {})'>\n{}{}</g>\n", top, panel(p, scales), legend(p, scales.frame));
    top += p.height - kOverlap;
  }
  return out + "</svg>\n";
}

std::string to_svg(const Plot& plot) {
  std::size_t longest = 0;
  for (const Series& s : plot.series) longest = std::max(longest, display_width(s.label));
  const Scales scales = frame_of(plot, longest == 0 ? 16.0 : 50.0 + 6.8 * static_cast<double>(longest), 6);
  return opening(plot.width, plot.height, plot.title) + panel(plot, scales) + legend(plot, scales.frame) + "</svg>\n";
}

}  // namespace lw
