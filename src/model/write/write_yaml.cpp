#include "write_yaml.hpp"

#include <algorithm>
#include <cmath>

#include "../formula_text.hpp"
#include "yaml_text.hpp"

namespace lw {
namespace {

bool is_constant(const Formula& f, double value) { return f.value.is_constant(value); }
bool is_zero(const Formula& f) { return is_constant(f, 0.0); }
template <class List>
bool all_zero(const List& list) {
  return std::all_of(list.begin(), list.end(), is_zero);
}
bool is(const Formula3& f, double x, double y, double z) {
  return is_constant(f[0], x) && is_constant(f[1], y) && is_constant(f[2], z);
}

class Writer {
 public:
  explicit Writer(const Mechanism& mechanism) : m_(mechanism), text_(mechanism) {}

  std::string whole() const {
    YamlText root = YamlText::map();
    root.add("linkwright", "1");
    root.add("name", YamlText::name(m_.name));
    if (!m_.summary.empty()) root.add("summary", YamlText::name(m_.summary));
    if (!m_.unphysical.empty()) root.add("unphysical", YamlText::name(m_.unphysical));
    gravity(root);
    if (!m_.parameters.empty()) {
      YamlText map = YamlText::map();
      for (const Parameter& p : m_.parameters) map.add(p.name, text_(p.value));
      root.add("parameters", YamlText::block(std::move(map)));
    }
    if (m_.base != "base") root.add("base", YamlText::name(m_.base));
    YamlText links = YamlText::list();
    for (const Link& l : m_.links) links.add(YamlText::block(link(l)));
    root.add("links", YamlText::block(std::move(links)));
    closures(root);
    elements(root);
    if (!m_.base_visuals.empty()) root.add("base_visuals", visuals(m_.base_visuals));
    return root.str();
  }

  std::string sidecar() const {
    YamlText root = YamlText::map();
    gravity(root);
    closures(root);
    YamlText driven = YamlText::list();
    bool usual = true;
    for (const Link& l : m_.links) {
      usual = usual && actuated_as_usual(l.joint);
      if (moves(l.joint) && l.joint.actuated) driven.add(YamlText::name(l.joint.name));
    }
    if (!usual) root.add("actuated", std::move(driven));
    return root.empty() ? "" : root.str();
  }

 private:
  // Numbers.
  template <class List>
  YamlText list(const List& formulas) const {
    YamlText result = YamlText::list();
    for (const Formula& f : formulas) result.add(text_(f));
    return result;
  }
  void number(YamlText& map, const char* key, const Formula& f, double absent) const {
    if (!is_constant(f, absent)) map.add(key, text_(f));
  }
  void number(YamlText& map, const char* key, const std::optional<Formula>& f) const {
    if (f) map.add(key, text_(*f));
  }

  // Places.
  void rotation(YamlText& map, const Rotation& r) const {
    switch (r.kind) {
      case Rotation::Kind::none: break;
      case Rotation::Kind::rpy: map.add("rpy", list(r.values)); break;
      case Rotation::Kind::quaternion: map.add("quaternion", list(r.values)); break;
      case Rotation::Kind::matrix: {
        YamlText rows = YamlText::list();
        for (auto row = r.values.begin(); row != r.values.end(); row += 3)
          rows.add(list(Formula3{row[0], row[1], row[2]}));
        map.add("matrix", std::move(rows));
        break;
      }
    }
  }
  YamlText origin(const Origin& o) const {
    YamlText map = YamlText::map();
    if (!all_zero(o.xyz)) map.add("xyz", list(o.xyz));
    rotation(map, o.rotation);
    return map;
  }
  YamlText axis(const Formula3& a) const {
    for (const double sign : {1.0, -1.0}) {
      if (is(a, sign, 0.0, 0.0)) return sign > 0.0 ? "x" : "-x";
      if (is(a, 0.0, sign, 0.0)) return sign > 0.0 ? "y" : "-y";
      if (is(a, 0.0, 0.0, sign)) return sign > 0.0 ? "z" : "-z";
    }
    return list(a);
  }

  // Joints. The axis of a joint without axis is ignored.
  void type(YamlText& map, JointType type, const Formula3& first, const Formula3& second, bool placed_by_dh) const {
    map.add("type", to_string(type));
    if (placed_by_dh || type == JointType::fixed || type == JointType::spherical || type == JointType::floating) return;
    map.add("axis", axis(first));
    if (type == JointType::universal) map.add("axis2", axis(second));
  }
  static bool moves(const Joint& j) { return j.type != JointType::fixed && !j.mimic; }
  bool actuated_as_usual(const Joint& j) const { return !moves(j) || j.actuated == m_.loops.empty(); }
  YamlText joint(const Joint& j, const std::string& link) const {
    YamlText map = YamlText::map();
    if (j.name != link) map.add("name", YamlText::name(j.name));
    type(map, j.type, j.axis, j.axis2, j.dh.has_value());
    if (j.dh) {
      YamlText dh = YamlText::map();
      number(dh, "alpha", j.dh->alpha, 0.0);
      number(dh, "a", j.dh->a, 0.0);
      number(dh, "theta", j.dh->theta, 0.0);
      number(dh, "d", j.dh->d, 0.0);
      if (j.dh->standard) dh.add("convention", "standard");
      map.add("dh", std::move(dh));
    } else if (YamlText place = origin(j.origin); !place.empty()) {
      map.add("origin", std::move(place));
    }
    YamlText limits = YamlText::map();
    number(limits, "lower", j.limits.lower);
    number(limits, "upper", j.limits.upper);
    number(limits, "velocity", j.limits.velocity);
    number(limits, "effort", j.limits.effort);
    number(limits, "stiffness", j.limits.stiffness);
    number(limits, "damping", j.limits.damping);
    if (!limits.empty()) map.add("limits", std::move(limits));
    if (j.mimic) {
      YamlText mimic = YamlText::map();
      mimic.add("joint", YamlText::name(j.mimic->joint));
      number(mimic, "ratio", j.mimic->ratio, 1.0);
      number(mimic, "offset", j.mimic->offset, 0.0);
      map.add("mimic", std::move(mimic));
    }
    if (!actuated_as_usual(j)) map.add("actuated", j.actuated ? "true" : "false");
    return map;
  }

  // Bodies.
  void inertia(YamlText& map, const Inertia& i) const {
    map.add("mass", text_(i.mass));
    if (!all_zero(i.com)) map.add("com", list(i.com));
    const bool diagonal = is_zero(i.tensor[3]) && is_zero(i.tensor[4]) && is_zero(i.tensor[5]);
    if (!all_zero(i.tensor) && diagonal) {
      map.add("tensor", list(Formula3{i.tensor[0], i.tensor[1], i.tensor[2]}));
    } else if (!diagonal) {
      YamlText tensor = YamlText::map();
      static constexpr const char* kElements[6] = {"xx", "yy", "zz", "xy", "xz", "yz"};
      for (std::size_t k = 0; k < 6; ++k) number(tensor, kElements[k], i.tensor[k], 0.0);
      map.add("tensor", std::move(tensor));
    }
    if (i.about_origin) map.add("about", "origin");
    rotation(map, i.rotation);
  }
  YamlText link(const Link& l) const {
    YamlText map = YamlText::map();
    map.add("name", YamlText::name(l.name));
    map.add("parent", YamlText::name(l.parent));
    map.add("joint", joint(l.joint, l.name));
    if (l.inertia) {
      YamlText body = YamlText::map();
      inertia(body, *l.inertia);
      map.add("inertia", std::move(body));
    }
    forces(map, l.joint);
    if (!l.visuals.empty()) map.add("visual", visuals(l.visuals));
    return map;
  }

  // Friction, drive, spring, damper.
  void forces(YamlText& map, const Joint& j) const {
    if (j.friction.present) map.add("friction", friction(j.friction));
    if (j.drive) map.add("drive", drive(*j.drive));
    if (j.spring && j.spring->table) {
      map.add("spring", table(*j.spring->table, "position", "torque"));
    } else if (j.spring) {
      YamlText spring = YamlText::map();
      spring.add("stiffness", text_(j.spring->stiffness));
      number(spring, "rest", j.spring->rest, 0.0);
      map.add("spring", std::move(spring));
    }
    if (j.damper && j.damper->table) {
      map.add("damper", table(*j.damper->table, "velocity", "torque"));
    } else if (j.damper) {
      map.add("damper", text_(j.damper->coefficient));
    }
  }
  void table(YamlText& map, const FormulaTable& t, const char* x, const char* y) const {
    map.add(x, list(t.x));
    map.add(y, list(t.y));
    if (t.cubic) map.add("interpolation", "cubic");
  }
  YamlText table(const FormulaTable& t, const char* x, const char* y) const {
    YamlText map = YamlText::map();
    table(map, t, x, y);
    return map;
  }
  YamlText friction(const Friction& f) const {
    YamlText map = YamlText::map();
    number(map, "viscous", f.viscous, 0.0);
    number(map, "coulomb", f.coulomb, 0.0);
    if (f.stribeck) {
      YamlText stribeck = YamlText::map();
      stribeck.add("static", text_(f.stribeck->static_torque));
      stribeck.add("velocity", text_(f.stribeck->velocity));
      number(stribeck, "shape", f.stribeck->shape, 2.0);
      map.add("stribeck", std::move(stribeck));
    }
    YamlText bearings = YamlText::list();
    for (const Bearing& b : f.bearings) {
      static constexpr const char* kKinds[] = {"journal", "linear", "thrust"};
      YamlText bearing = YamlText::map();
      bearing.add("type", kKinds[static_cast<int>(b.kind)]);
      bearing.add("mu", text_(b.mu));
      number(bearing, "radius", b.radius, 0.0);
      number(bearing, "spacing", b.spacing, 0.0);
      if (!b.moments) bearing.add("moments", "false");
      bearings.add(std::move(bearing));
    }
    if (!bearings.empty()) map.add("bearing", std::move(bearings));
    number(map, "width", f.width, 0.0);
    return map;
  }
  YamlText drive(const Drive& d) const {
    YamlText map = YamlText::map();
    drive(map, d);
    return map;
  }
  void drive(YamlText& map, const Drive& d) const {
    number(map, "ratio", d.ratio, 1.0);
    number(map, "rotor_inertia", d.rotor_inertia, 0.0);
    if (d.rotor_axis) map.add("rotor_axis", axis(*d.rotor_axis));
    if (d.efficiency && d.efficiency->x.size() > 1) {
      map.add("efficiency", table(*d.efficiency, "load", "value"));
    } else if (d.efficiency) {
      map.add("efficiency", text_(d.efficiency->y[0]));
    }
    number(map, "breakaway", d.breakaway);
    number(map, "rated", d.rated);
    number(map, "peak", d.peak);
    number(map, "stiffness", d.stiffness);
    number(map, "damping", d.damping);
    number(map, "backlash", d.backlash);
  }

  // Top-level items that act on several joints or links.
  void elements(YamlText& root) const {
    const auto add = [&](const char* key, const auto& things, const auto& write) {
      YamlText items = YamlText::list();
      for (const auto& thing : things) items.add(YamlText::block(write(thing)));
      if (!items.empty()) root.add(key, YamlText::block(std::move(items)));
    };
    add("couplings", m_.couplings, [&](const Coupling& c) { return coupling(c); });
    add("springs", m_.springs, [&](const PointSpring& s) { return spring(s); });
    add("forces", m_.forces, [&](const AppliedForce& f) { return force(f); });
    add("shafts", m_.shafts, [&](const Shaft& s) { return shaft(s); });
  }
  static YamlText between(const std::array<std::string, 2>& names) {
    return YamlText::list({YamlText::name(names[0]), YamlText::name(names[1])});
  }
  YamlText coupling(const Coupling& c) const {
    YamlText map = YamlText::map(), joints = YamlText::list(), rows = YamlText::list(), motors = YamlText::list();
    const std::size_t n = c.joints.size();
    for (std::size_t k = 0; k < n; ++k) {
      joints.add(YamlText::name(c.joints[k]));
      const auto row = c.matrix.begin() + static_cast<std::ptrdiff_t>(k * n);
      rows.add(list(std::vector<Formula>(row, row + static_cast<std::ptrdiff_t>(n))));
      YamlText motor = YamlText::map();
      motor.add("name", YamlText::name(c.motors[k]));
      drive(motor, c.drives[k]);
      motors.add(std::move(motor));
    }
    map.add("name", YamlText::name(c.name));
    map.add("joints", std::move(joints));
    map.add("matrix", std::move(rows));
    map.add("motors", YamlText::block(std::move(motors)));
    return map;
  }
  YamlText spring(const PointSpring& s) const {
    YamlText map = YamlText::map(), at = YamlText::map();
    map.add("name", YamlText::name(s.name));
    map.add("between", between(s.between));
    for (std::size_t side = 0; side < 2; ++side) {
      if (!all_zero(s.at[side])) at.add(s.between[side], list(s.at[side]));
    }
    if (!at.empty()) map.add("at", std::move(at));
    if (s.table) table(map, *s.table, "length", "tension");
    number(map, "stiffness", s.stiffness, 0.0);
    number(map, "rest", s.rest, 0.0);
    number(map, "damping", s.damping, 0.0);
    if (!s.table && is_zero(s.stiffness) && is_zero(s.damping)) map.add("stiffness", text_(s.stiffness));
    return map;
  }
  YamlText force(const AppliedForce& f) const {
    YamlText map = YamlText::map();
    map.add("link", YamlText::name(f.link));
    if (!all_zero(f.at)) map.add("at", list(f.at));
    if (f.in_link) map.add("in", "link");
    if (f.time.empty()) {
      map.add("force", list(f.force));
      if (!all_zero(f.moment)) map.add("moment", list(f.moment));
      return map;
    }
    YamlText values = YamlText::list();
    for (const auto& six : f.values) values.add(list(six));
    map.add("time", list(f.time));
    map.add("values", std::move(values));
    return map;
  }
  YamlText shaft(const Shaft& s) const {
    YamlText map = YamlText::map();
    map.add("name", YamlText::name(s.name));
    map.add("between", between(s.between));
    map.add("stiffness", text_(s.stiffness));
    number(map, "damping", s.damping, 0.0);
    number(map, "backlash", s.backlash, 0.0);
    return map;
  }

  YamlText visuals(const std::vector<Visual>& shapes) const {
    YamlText result = YamlText::list();
    for (const Visual& v : shapes) result.add(visual(v));
    return YamlText::block(std::move(result));
  }
  YamlText visual(const Visual& v) const {
    YamlText map = YamlText::map();
    switch (v.shape) {
      case Visual::Shape::box: map.add("box", list(v.size)); break;
      case Visual::Shape::cylinder: {
        YamlText cylinder = YamlText::map();
        cylinder.add("radius", text_(v.size[0]));
        cylinder.add("length", text_(v.size[1]));
        map.add("cylinder", std::move(cylinder));
        break;
      }
      case Visual::Shape::sphere: map.add("sphere", text_(v.size[0])); break;
      case Visual::Shape::mesh:
        map.add("mesh", YamlText::name(v.mesh));
        if (!is({v.size[0], v.size[1], v.size[2]}, 1.0, 1.0, 1.0)) map.add("scale", list(v.size));
        break;
    }
    if (YamlText place = origin(v.origin); !place.empty()) map.add("origin", std::move(place));
    if (v.color != Visual().color) {
      YamlText color = YamlText::list();
      for (std::size_t k = 0; k < (v.color[3] == 1.0 ? 3u : 4u); ++k) color.add(number_text(v.color[k]));
      map.add("color", std::move(color));
    }
    return map;
  }

  // The keys common to mechanism files and sidecars.
  void gravity(YamlText& root) const {
    if (!is(m_.gravity, 0.0, 0.0, -9.81)) root.add("gravity", list(m_.gravity));
  }
  void closures(YamlText& root) const {
    YamlText loops = YamlText::list();
    for (const Loop& l : m_.loops) loops.add(YamlText::block(loop(l)));
    if (!loops.empty()) root.add("loops", YamlText::block(std::move(loops)));
    YamlText payloads = YamlText::list();
    for (const Payload& p : m_.payloads) {
      YamlText map = YamlText::map();
      map.add("link", YamlText::name(p.link));
      inertia(map, p.inertia);
      payloads.add(std::move(map));
    }
    if (!payloads.empty()) root.add("payloads", YamlText::block(std::move(payloads)));
    YamlText home = YamlText::map();
    for (const auto& [joint, values] : m_.home) {
      home.add(joint, values.size() == 1 ? YamlText(text_(values[0])) : list(values));
    }
    if (!home.empty()) root.add("home", std::move(home));
  }
  YamlText loop(const Loop& l) const {
    YamlText map = YamlText::map(), joint = YamlText::map(), at = YamlText::map();
    map.add("name", YamlText::name(l.name));
    type(joint, l.type, l.axis, l.axis2, false);
    map.add("joint", std::move(joint));
    map.add("between", between(l.between));
    for (std::size_t side = 0; side < 2; ++side) {
      if (YamlText place = origin(l.at[side]); !place.empty()) at.add(l.between[side], std::move(place));
    }
    if (!at.empty()) map.add("at", std::move(at));
    if (l.friction.present) map.add("friction", friction(l.friction));
    return map;
  }

  const Mechanism& m_;
  FormulaTexts text_;
};

}  // namespace

std::string write_yaml(const Mechanism& mechanism) { return Writer(mechanism).whole(); }
std::string write_sidecar(const Mechanism& mechanism) { return Writer(mechanism).sidecar(); }

}  // namespace lw
