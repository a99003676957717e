#include "workspace_picture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "../../base/contour.hpp"
#include "../../base/index.hpp"
#include "../../base/svg.hpp"
#include "../../dynamics/tree/kinematics.hpp"

namespace lw::cli {
namespace {

constexpr const char* kBands[] = {"#dcebf5", "#bcdaec", "#93c4e0", "#66aad1",
                                  "#3f8dbd", "#2470a3", "#125584", "#083d63"};
constexpr std::size_t kBandCount = std::size(kBands);
constexpr const char *kSingular = "#D55E00", *kLinkColour = "#3b3f46", *kDrivenColour = "#E69F00";

class WorkspaceDrawing {
 public:
  WorkspaceDrawing(const Model<double>& model, int frame, const WorkspaceMap& map)
      : model_(model), frame_(frame), map_(map), work_(model), home_(assemble_home(model)) {
    forward_kinematics<double>(model, work_, home_.q);
    find_points();
    // the map, and the mechanism where it stands outside it
    left_ = map.left, right_ = map.left + map.step * (map.columns - 1);
    bottom_ = map.bottom, top_ = map.bottom + map.step * (map.rows - 1);
    for (const Link& link : links_) {
      for (const Place& p : link.joints) {
        left_ = std::min(left_, p.u), right_ = std::max(right_, p.u);
        bottom_ = std::min(bottom_, p.v), top_ = std::max(top_, p.v);
      }
    }
    const double margin = 0.04 * std::max(right_ - left_, top_ - bottom_);
    left_ -= margin, right_ += margin, bottom_ -= margin, top_ += margin;
    scale_ = std::min(kWide / (right_ - left_), kHigh / (top_ - bottom_));
  }

  std::string str() const {
    const double width = kLeft + (right_ - left_) * scale_ + kLegend,
                 height = kTop + (top_ - bottom_) * scale_ + kBelow;
    std::string out = fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
        "role='img' font-family='system-ui, sans-serif' font-size='12' fill='currentColor'>\n<title>{2}: "
        "workspace</title>\n",
        width, height, escape_xml(model_.name));
    return out + heading() + region() + grid() + singularities() + mechanism() + legend() + "</svg>\n";
  }

 private:
  static constexpr double kLeft = 64, kTop = 62, kBelow = 52, kLegend = 196, kWide = 620, kHigh = 560;
  struct Place {
    double u, v;
  };
  struct Link {
    std::vector<Place> joints;
    bool driven = false;
  };

  Place place(const Vec3<double>& p) const { return {dot(p, map_.right), dot(p, map_.up)}; }
  double px(double u) const { return kLeft + (u - left_) * scale_; }
  double py(double v) const { return kTop + (top_ - v) * scale_; }

  // What each link joins: its own joint, those of its children, and where loops close.
  void find_points() {
    links_.resize(model_.bodies.size());
    for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
      const Place here = place(work_.X_W[k].p);
      links_[k].joints.push_back(here);
      const int parent = model_.bodies[k].parent;
      if (parent >= 0) {
        links_[at(parent)].joints.push_back(here);
      } else {
        pivots_.push_back(here);
      }
    }
    for (const LoopClosure<double>& loop : model_.loops) {
      for (const Frame<double>* f : {&loop.a, &loop.b}) {
        const Place p = place(frame_pose(work_, *f).p);
        if (f->body >= 0) links_[at(f->body)].joints.push_back(p);
      }
    }
    for (const JointInfo& joint : model_.joints) {
      for (int k = joint.first_body; k <= joint.last_body; ++k) links_[at(k)].driven = joint.actuated;
    }
    tool_ = place(frame_pose(model_, work_, frame_).p);
  }

  std::string heading() const {
    const std::string& frame = model_.frames[at(frame_)].name;
    std::string about = "working mode of home";
    if (!map_.turns_freely) {
      about += map_.turned == 0.0 ? ", orientation as at home"
                                  : fmt::format(", turned by {:.4g}° from home", map_.turned * 180 / std::numbers::pi);
    }
    return fmt::format(
        "<text x='{0:.0f}' y='26' font-size='16' font-weight='600'>{1}: where {2} can go</text>\n<text x='{0:.0f}' "
        "y='45' fill-opacity='0.75'>{3}; {4:.3g} m²</text>\n",
        kLeft, escape_xml(model_.name), escape_xml(frame), about, map_.area);
  }

  std::string grid() const {
    std::string out;
    const double across = right_ - left_, high = top_ - bottom_;
    const auto inside = [](double x, double low, double most) { return x >= low && x <= most; };
    const std::vector<double> ticks = round_ticks(0.0, std::max(across, high), 7);
    const double step = ticks[1] - ticks[0];
    const auto label = [&](double x) { return fmt::format("{:g}", std::abs(x) < 1e-9 * step ? 0.0 : x); };
    for (double u = std::ceil(left_ / step) * step; inside(u, left_, right_); u += step) {
      out += fmt::format(
          "<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' stroke='currentColor' stroke-opacity='0.10'/>\n",
          px(u), py(top_), py(bottom_));
      out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", px(u), py(bottom_) + 17,
                         label(u));
    }
    for (double v = std::ceil(bottom_ / step) * step; inside(v, bottom_, top_); v += step) {
      out += fmt::format(
          "<line x1='{0:.1f}' y1='{1:.1f}' x2='{2:.1f}' y2='{1:.1f}' stroke='currentColor' stroke-opacity='0.10'/>\n",
          px(left_), py(v), px(right_));
      out +=
          fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>\n", px(left_) - 7, py(v) + 4, label(v));
    }
    out += fmt::format(
        "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='currentColor' "
        "stroke-opacity='0.5'/>\n",
        px(left_), py(top_), across * scale_, high * scale_);
    const char* names[] = {"x", "y", "z"};
    const auto axis = [&](const Vec3<double>& a) {
      for (int k = 0; k < 3; ++k) {
        if (a[k] > 0.999) return std::string(names[k]) + " (m)";
      }
      return std::string("m");
    };
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", px((left_ + right_) / 2),
                       py(bottom_) + 38, axis(map_.right));
    out += fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n", 20.0,
                       py((bottom_ + top_) / 2), axis(map_.up));
    return out;
  }

  double level(std::size_t band) const {
    return map_.best * static_cast<double>(band) / static_cast<double>(kBandCount);
  }

  std::string region() const {
    std::string out = "<g stroke='none' fill-rule='evenodd'>\n";
    const auto value = [&](int i, int j) { return map_.dexterity[map_.at(i, j)]; };
    for (std::size_t band = 0; band < kBandCount; ++band) {
      // to a cell that is not reached a line ends where the reach does
      const double at_level = band == 0 ? 0.0 : level(band);
      const auto near = [&](int i, int j) { return value(i, j) < 0.0 ? at_level - 0.5 * map_.best : value(i, j); };
      const auto border = [&](int i, int j, bool upward) {
        return (upward ? map_.border_up : map_.border_right)[map_.at(i, j)];
      };
      out += path(contours(map_.columns, map_.rows, near, at_level, border), kBands[band]);
    }
    return out + "</g>\n";
  }

  std::string path(const std::vector<Contour>& lines, const char* fill) const {
    std::string d;
    for (const Contour& line : lines) {
      for (std::size_t k = 0; k < line.size(); ++k) {
        d += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", px(map_.left + line[k].first * map_.step),
                         py(map_.bottom + line[k].second * map_.step));
      }
      d += "Z";
    }
    return fmt::format("<path d='{}' fill='{}'/>\n", d, fill);
  }

  // Where the volume changes its sign between cells that are reached.
  std::string singularities() const {
    const auto value = [&](int i, int j) {
      const double x = map_.volume[map_.at(i, j)];
      return std::isnan(x) ? -1e-300 : x;
    };
    const auto known = [&](const std::pair<double, double>& p) {
      for (const int i : {static_cast<int>(std::floor(p.first)), static_cast<int>(std::ceil(p.first))}) {
        for (const int j : {static_cast<int>(std::floor(p.second)), static_cast<int>(std::ceil(p.second))}) {
          if (i < 0 || j < 0 || i >= map_.columns || j >= map_.rows || std::isnan(map_.volume[map_.at(i, j)]))
            return false;
        }
      }
      return true;
    };
    std::string d;
    for (const Contour& line : contours(map_.columns, map_.rows, value, 0.0)) {
      bool drawing = false;
      for (std::size_t k = 0; k <= line.size(); ++k) {
        const auto& p = line[k % line.size()];
        const bool here = known(p);
        if (here)
          d += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", px(map_.left + p.first * map_.step),
                           py(map_.bottom + p.second * map_.step));
        drawing = here;
      }
    }
    if (d.empty()) return "";
    return fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='2' stroke-linejoin='round'/>\n", d,
                       kSingular);
  }

  std::string mechanism() const {
    std::string out = "<g stroke-linecap='round' stroke-linejoin='round'>\n";
    for (const Link& link : links_) {
      if (link.joints.size() < 2) continue;
      std::string d;
      for (std::size_t k = 0; k < link.joints.size(); ++k)
        d += fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", px(link.joints[k].u), py(link.joints[k].v));
      if (link.joints.size() > 2) d += "Z";
      out += fmt::format(
          "<path d='{0}' fill='{1}' fill-opacity='0.18' stroke='#ffffff' stroke-opacity='0.85' "
          "stroke-width='7.5'/>\n<path d='{0}' fill='none' stroke='{1}' stroke-width='4.5'/>\n",
          d, link.driven ? kDrivenColour : kLinkColour);
    }
    for (const Place& p : pivots_) {
      out += fmt::format("<path d='M{0:.1f} {1:.1f}l8 13h-16z' fill='{2}'/>\n", px(p.u), py(p.v), kLinkColour);
    }
    for (const Link& link : links_) {
      for (const Place& p : link.joints) {
        out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='4' fill='#ffffff' stroke='{}' stroke-width='1.8'/>\n",
                           px(p.u), py(p.v), kLinkColour);
      }
    }
    out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='5.5' fill='{}' stroke='#ffffff' stroke-width='1.8'/>\n",
                       px(tool_.u), py(tool_.v), kSingular);
    return out + "</g>\n";
  }

  std::string legend() const {
    const double x = px(right_) + 22;
    double y = py(top_) + 12;
    std::string out = fmt::format(
        "<text x='{:.1f}' y='{:.1f}' font-weight='600'>dexterity</text>\n<text x='{:.1f}' y='{:.1f}' "
        "fill-opacity='0.75'>1/condition of the loops</text>\n",
        x, y, x, y + 16);
    y += 28;
    for (std::size_t k = kBandCount; k-- > 0;) {
      out += fmt::format(
          "<rect x='{:.1f}' y='{:.1f}' width='18' height='18' fill='{}'/>\n<text x='{:.1f}' y='{:.1f}'>{:.3f}</text>\n",
          x, y, kBands[k], x + 26, y + 17 + 4, level(k));
      y += 18;
    }
    y += 26;
    const auto entry = [&](const std::string& mark, const std::string& text) {
      out += mark + fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x + 30, y + 4, text);
      y += 21;
    };
    const auto line = [&](const char* colour, double width) {
      return fmt::format(
          "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='{}' stroke-width='{}' "
          "stroke-linecap='round'/>\n",
          x, y, x + 20, y, colour, width);
    };
    entry(line(kSingular, 2), "parallel singularity");
    entry(line(kDrivenColour, 4.5), "driven link, at home");
    entry(line(kLinkColour, 4.5), "other link");
    entry(fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='5.5' fill='{}' stroke='#ffffff' stroke-width='1.8'/>\n",
                      x + 10, y, kSingular),
          escape_xml(model_.frames[at(frame_)].name));
    return out;
  }

  const Model<double>& model_;
  int frame_;
  const WorkspaceMap& map_;
  Workspace<double> work_;
  Assembled home_;
  std::vector<Link> links_;
  std::vector<Place> pivots_;
  Place tool_{};
  double left_, right_, bottom_, top_, scale_;
};

}  // namespace

std::string workspace_picture(const Model<double>& model, int frame, const WorkspaceMap& map) {
  return WorkspaceDrawing(model, frame, map).str();
}

}  // namespace lw::cli
