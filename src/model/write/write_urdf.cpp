#include "write_urdf.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "../formula_text.hpp"
#include "write_yaml.hpp"

namespace lw {
namespace {

// Prints a mechanism in the form of urdf_form: every formula is a number.
class UrdfPrinter {
 public:
  explicit UrdfPrinter(const Mechanism& mechanism) : m_(mechanism) {}

  std::string run() {
    xml_.PushHeader(false, true);
    if (!m_.summary.empty()) xml_.PushComment(comment().c_str());
    open("robot", {{"name", m_.name}});
    link(m_.base, m_.base_inertia, m_.base_visuals);
    for (const Link& l : m_.links) link(l.name, l.inertia, l.visuals);
    for (const Link& l : m_.links) joint(l);
    xml_.CloseElement();
    return xml_.CStr();
  }

 private:
  using Attributes = std::vector<std::pair<const char*, std::string>>;

  void open(const char* element, const Attributes& attributes = {}) {
    xml_.OpenElement(element);
    for (const auto& [name, value] : attributes) xml_.PushAttribute(name, value.c_str());
  }
  void leaf(const char* element, const Attributes& attributes) {
    open(element, attributes);
    xml_.CloseElement();
  }

  static std::string text(const Formula& f) { return number_text(f.value.constant()); }
  template <class List>
  static std::string text(const List& formulas) {
    std::string result;
    for (const Formula& f : formulas) result += (result.empty() ? "" : " ") + text(f);
    return result;
  }
  static bool is_zero(const Formula& f) { return f.value.is_constant(0.0); }

  // A comment must not contain "--" or end with "-".
  std::string comment() const {
    std::string result = " ";
    for (const char c : m_.summary) {
      if (c == '-' && result.back() == '-') result += ' ';
      result += c;
    }
    return result + ' ';
  }

  void origin(const Formula3& xyz, const Rotation& rotation) {
    Attributes attributes;
    if (!std::all_of(xyz.begin(), xyz.end(), is_zero)) attributes.emplace_back("xyz", text(xyz));
    if (rotation.kind != Rotation::Kind::none) attributes.emplace_back("rpy", text(rotation.values));
    if (!attributes.empty()) leaf("origin", attributes);
  }

  void link(const std::string& name, const std::optional<Inertia>& inertia, const std::vector<Visual>& visuals) {
    open("link", {{"name", name}});
    if (inertia) {
      open("inertial");
      origin(inertia->com, inertia->rotation);
      leaf("mass", {{"value", text(inertia->mass)}});
      const auto& t = inertia->tensor;
      leaf("inertia", {{"ixx", text(t[0])},
                       {"ixy", text(t[3])},
                       {"ixz", text(t[4])},
                       {"iyy", text(t[1])},
                       {"iyz", text(t[5])},
                       {"izz", text(t[2])}});
      xml_.CloseElement();
    }
    for (const Visual& v : visuals) visual(v);
    xml_.CloseElement();
  }

  void visual(const Visual& v) {
    open("visual");
    origin(v.origin.xyz, v.origin.rotation);
    open("geometry");
    switch (v.shape) {
      case Visual::Shape::box: leaf("box", {{"size", text(v.size)}}); break;
      case Visual::Shape::cylinder: leaf("cylinder", {{"radius", text(v.size[0])}, {"length", text(v.size[1])}}); break;
      case Visual::Shape::sphere: leaf("sphere", {{"radius", text(v.size[0])}}); break;
      case Visual::Shape::mesh: leaf("mesh", {{"filename", v.mesh}, {"scale", text(v.size)}}); break;
    }
    xml_.CloseElement();
    if (v.color != Visual().color) {
      const auto [place, first] = colors_.try_emplace(v.color, colors_.size() + 1);
      open("material", {{"name", fmt::format("color{}", place->second)}});
      leaf("color", {{"rgba", text(std::vector<Formula>(v.color.begin(), v.color.end()))}});
      xml_.CloseElement();
    }
    xml_.CloseElement();
  }

  void joint(const Link& l) {
    const Joint& j = l.joint;
    const bool bounded = j.limits.lower || j.limits.upper;
    const char* type = j.type == JointType::revolute && !bounded ? "continuous" : to_string(j.type);
    open("joint", {{"name", j.name}, {"type", type}});
    origin(j.origin.xyz, j.origin.rotation);
    leaf("parent", {{"link", l.parent}});
    leaf("child", {{"link", l.name}});
    const bool has_axis = j.type != JointType::fixed && j.type != JointType::floating;
    if (has_axis) leaf("axis", {{"xyz", text(j.axis)}});
    limits(j, bounded);
    if (j.friction.present)
      leaf("dynamics", {{"damping", text(j.friction.viscous)}, {"friction", text(j.friction.coulomb)}});
    if (j.mimic) {
      leaf("mimic",
           {{"joint", j.mimic->joint}, {"multiplier", text(j.mimic->ratio)}, {"offset", text(j.mimic->offset)}});
    }
    xml_.CloseElement();
  }

  // If a joint has limits, URDF requires all four; a prismatic joint always has them. The largest double means no
  // limit.
  void limits(const Joint& j, bool bounded) {
    if (velocities(j.type) != 1) return;
    const bool all = bounded || j.type == JointType::prismatic;
    Attributes attributes;
    const auto add = [&](const char* name, const std::optional<Formula>& limit, bool needed, double none) {
      if (limit || needed) attributes.emplace_back(name, text(limit.value_or(none)));
    };
    constexpr double kNone = std::numeric_limits<double>::max();
    const bool some = all || j.limits.velocity || j.limits.effort;
    add("lower", j.limits.lower, all, -kNone);
    add("upper", j.limits.upper, all, kNone);
    add("effort", j.limits.effort, some, kNone);
    add("velocity", j.limits.velocity, some, kNone);
    if (some) leaf("limit", attributes);
  }

  const Mechanism& m_;
  tinyxml2::XMLPrinter xml_;
  std::map<std::array<double, 4>, std::size_t> colors_;
};

}  // namespace

UrdfFiles write_urdf(const Mechanism& mechanism) {
  UrdfFiles files;
  const Mechanism form = urdf_form(mechanism, files.remarks);
  files.urdf = UrdfPrinter(form).run();
  files.sidecar = write_sidecar(form);
  return files;
}

}  // namespace lw
