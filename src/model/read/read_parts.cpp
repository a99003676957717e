#include "read_parts.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "../../base/text.hpp"

namespace lw {
namespace {

const std::vector<std::string> kJointTypes{"fixed",     "revolute",  "prismatic", "cylindrical",
                                           "universal", "spherical", "planar",    "floating"};

const std::vector<std::string> kRotationKeys{"rpy", "quaternion", "matrix"};

// Three rows of three numbers; nine NaNs if malformed.
std::vector<Formula> read_matrix(FieldReader& reader, const YamlNode& node, const std::string& what) {
  std::vector<Formula> unknown(9, Formula(std::nan("")));
  if (node.kind != YamlNode::Kind::list || node.items.size() != 3) {
    reader.complaints().error(node.where, fmt::format("`{}` should be three rows of three numbers", what));
    return unknown;
  }
  std::vector<Formula> result;
  for (const auto& row : node.items) {
    const std::vector<Formula> numbers = reader.formulas(*row, what, 3);
    result.insert(result.end(), numbers.begin(), numbers.end());
  }
  return result;
}

bool has_axis(JointType type) {
  return type != JointType::fixed && type != JointType::spherical && type != JointType::floating;
}

DenavitHartenberg read_dh(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`dh`", {"alpha", "a", "theta", "d", "convention"});
  DenavitHartenberg dh;
  dh.where = node.where;
  fields.read("alpha", dh.alpha);
  fields.read("a", dh.a);
  fields.read("theta", dh.theta);
  fields.read("d", dh.d);
  if (const YamlNode* n = fields.find("convention")) {
    dh.standard = reader.choice(*n, "convention", {"modified", "standard"}) == 1;
  }
  return dh;
}

// `stiffness` and `damping` are those of the stops.
Limits read_limits(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`limits`", {"lower", "upper", "velocity", "effort", "stiffness", "damping"});
  Limits limits;
  fields.read("lower", limits.lower);
  fields.read("upper", limits.upper);
  fields.read("velocity", limits.velocity);
  fields.read("effort", limits.effort);
  fields.read("stiffness", limits.stiffness);
  fields.read("damping", limits.damping);
  if (limits.stiffness && !limits.lower && !limits.upper) {
    reader.complaints().error(fields.place("stiffness"), "stops without limits",
                              "`stiffness` is that of the stops at `lower` and `upper`; give at least one of these");
  } else if (limits.damping && !limits.stiffness) {
    reader.complaints().error(fields.place("damping"), "`damping` of stops without `stiffness`");
  }
  return limits;
}

Mimic read_mimic(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`mimic`", {"joint", "ratio", "offset"});
  Mimic mimic;
  mimic.joint = fields.require_word("joint");
  const YamlNode* joint = fields.find("joint");
  mimic.where = joint != nullptr ? joint->where : node.where;
  fields.read("ratio", mimic.ratio);
  fields.read("offset", mimic.offset);
  return mimic;
}

void read_dh_placement(FieldReader& reader, const Fields& fields, const YamlNode& node, Joint& joint) {
  joint.dh = read_dh(reader, node);
  for (const char* key : {"origin", "axis", "axis2"}) {
    if (fields.has(key)) {
      reader.complaints().error(fields.place(key), fmt::format("`{}` together with `dh`", key),
                                "`dh` defines the frame, whose z axis is the joint axis; remove one of the two");
    }
  }
  if (has_axis(joint.type) && joint.type != JointType::universal && joint.type != JointType::planar) return;
  if (joint.type == JointType::fixed) return;
  reader.complaints().error(fields.place("dh"), fmt::format("a {} joint cannot use `dh`", to_string(joint.type)),
                            "give its `origin`");
}

// xx … yz in the order of Inertia::tensor; from a matrix given by rows.
constexpr std::size_t kFromRows[6] = {0, 4, 8, 1, 2, 5};
constexpr std::size_t kTransposed[6] = {0, 4, 8, 3, 6, 7};

void read_color(FieldReader& reader, const YamlNode& node, Visual& visual) {
  if (node.kind != YamlNode::Kind::list || (node.items.size() != 3 && node.items.size() != 4)) {
    reader.complaints().error(node.where, "`color` should be a list of 3 or 4 numbers: [r, g, b] or [r, g, b, a]");
    return;
  }
  for (std::size_t k = 0; k < node.items.size(); ++k) {
    visual.color[k] = reader.number(*node.items[k], "color");
    if (visual.color[k] < 0.0 || visual.color[k] > 1.0) {
      reader.complaints().error(
          node.items[k]->where,
          fmt::format("components of `color` must be between 0 and 1, not {}", in_quotes(node.items[k]->text)));
    }
  }
}

Visual read_visual(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`visual`", {"box", "cylinder", "sphere", "mesh", "scale", "origin", "color"});
  Visual visual;
  int shapes = 0;
  if (const YamlNode* n = fields.find("box")) {
    ++shapes;
    visual.shape = Visual::Shape::box;
    visual.size = reader.formulas(*n, "box", 3);
  }
  if (const YamlNode* n = fields.find("cylinder")) {
    ++shapes;
    const Fields cylinder(reader, *n, "`cylinder`", {"radius", "length"});
    visual.shape = Visual::Shape::cylinder;
    visual.size.resize(2);
    cylinder.require("radius", visual.size[0]);
    cylinder.require("length", visual.size[1]);
  }
  if (const YamlNode* n = fields.find("sphere")) {
    ++shapes;
    visual.shape = Visual::Shape::sphere;
    visual.size = {reader.formula(*n, "sphere")};
  }
  if (fields.has("mesh")) {
    ++shapes;
    visual.shape = Visual::Shape::mesh;
    visual.mesh = fields.require_word("mesh");
    visual.size.assign(3, Formula(1.0));
    if (const YamlNode* n = fields.find("scale")) visual.size = reader.formulas(*n, "scale", 3);
  } else if (fields.has("scale")) {
    reader.complaints().error(fields.place("scale"), "only a `mesh` has a `scale`");
  }
  if (shapes != 1 && node.kind == YamlNode::Kind::map) {
    reader.complaints().error(node.where,
                              shapes == 0 ? "a `visual` without a shape" : "a `visual` with more than one shape",
                              "give one of `box`, `cylinder`, `sphere`, `mesh`; several shapes form a list");
  }
  if (const YamlNode* n = fields.find("origin")) visual.origin = read_origin(reader, *n, "`origin`");
  if (const YamlNode* n = fields.find("color")) read_color(reader, *n, visual);
  return visual;
}

}  // namespace

const std::vector<std::string> kInertiaKeys{"mass", "com", "tensor", "about", "rpy", "quaternion", "matrix"};

Formula3 read_axis(FieldReader& reader, const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::list) return reader.formula3(node, what);
  const std::string& text = node.text;
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  Formula3 axis{0.0, 0.0, 0.0};
  if (node.kind == YamlNode::Kind::scalar && text.size() == sign + 1 && text[sign] >= 'x' && text[sign] <= 'z') {
    axis[static_cast<std::size_t>(text[sign] - 'x')] = Formula(Expr(text[0] == '-' ? -1.0 : 1.0), node.where, text);
    return axis;
  }
  reader.complaints().error(node.where,
                            fmt::format("`{}` should be x, y, z, -x, -y, -z or a list of 3 numbers, not {}", what,
                                        node.kind == YamlNode::Kind::scalar ? in_quotes(text) : to_string(node.kind)));
  return {std::nan(""), std::nan(""), std::nan("")};
}

Rotation read_rotation(FieldReader& reader, const Fields& fields) {
  Rotation rotation;
  int given = 0;
  if (const YamlNode* n = fields.find("rpy")) {
    ++given;
    rotation = {Rotation::Kind::rpy, reader.formulas(*n, "rpy", 3)};
  }
  if (const YamlNode* n = fields.find("quaternion")) {
    ++given;
    rotation = {Rotation::Kind::quaternion, reader.formulas(*n, "quaternion", 4)};
  }
  if (const YamlNode* n = fields.find("matrix")) {
    ++given;
    rotation = {Rotation::Kind::matrix, read_matrix(reader, *n, "matrix")};
  }
  if (given > 1)
    reader.complaints().error(fields.where(), "more than one rotation", "give one of `rpy`, `quaternion`, `matrix`");
  return rotation;
}

Origin read_origin(FieldReader& reader, const YamlNode& node, const std::string& what) {
  const Fields fields(reader, node, what, joined({"xyz"}, kRotationKeys));
  Origin origin;
  origin.where = node.where;
  fields.read("xyz", origin.xyz);
  origin.rotation = read_rotation(reader, fields);
  return origin;
}

void read_joint_type(FieldReader& reader, const Fields& fields, JointType& type, Formula3& axis, Formula3& axis2) {
  const YamlNode* type_node = fields.require("type");
  const int index = type_node != nullptr ? reader.choice(*type_node, "type", kJointTypes) : -1;
  // if it cannot be read: a placeholder for which the rest of the joint is valid
  type = index >= 0 ? static_cast<JointType>(index) : JointType::revolute;
  if (const YamlNode* n = fields.find("axis")) {
    axis = read_axis(reader, *n, "axis");
    if (index >= 0 && !has_axis(type)) {
      reader.complaints().error(fields.place("axis"), fmt::format("a {} joint has no axis", to_string(type)));
    }
  }
  if (const YamlNode* n = fields.find("axis2")) {
    axis2 = read_axis(reader, *n, "axis2");
    if (index >= 0 && type != JointType::universal) {
      reader.complaints().error(fields.place("axis2"), fmt::format("a {} joint has no second axis", to_string(type)));
    }
  }
}

Joint read_joint(FieldReader& reader, const YamlNode& node, const std::string& link, bool actuated) {
  const Fields fields(reader, node, "`joint`",
                      {"type", "name", "axis", "axis2", "origin", "dh", "limits", "mimic", "actuated"},
                      {{"friction", "drive", "spring", "damper", "inertia", "visual", "parent"},
                       "it belongs to the link, next to `joint`"});
  Joint joint;
  joint.where = node.where;
  joint.name = fields.has("name") ? fields.require_word("name") : link;
  read_joint_type(reader, fields, joint.type, joint.axis, joint.axis2);
  if (const YamlNode* n = fields.find("origin")) joint.origin = read_origin(reader, *n, "`origin`");
  if (const YamlNode* n = fields.find("dh")) read_dh_placement(reader, fields, *n, joint);
  if (const YamlNode* n = fields.find("limits")) joint.limits = read_limits(reader, *n);
  if (const YamlNode* n = fields.find("mimic")) joint.mimic = read_mimic(reader, *n);
  const bool moves = joint.type != JointType::fixed && !joint.mimic;
  joint.actuated = actuated && moves;
  if (const YamlNode* n = fields.find("actuated")) {
    joint.actuated = reader.boolean(*n, "actuated");
    if (joint.actuated && !moves && fields.has("type")) {
      reader.complaints().error(n->where,
                                fmt::format("a {} joint cannot be actuated", joint.mimic ? "mimic" : "fixed"));
    }
  }
  return joint;
}

void read_parameters(FieldReader& reader, const YamlNode& node, Mechanism& mechanism) {
  if (node.kind != YamlNode::Kind::map) {
    reader.complaints().error(node.where, fmt::format("`parameters` should be a map, not {}", to_string(node.kind)),
                              "parameters: {l1: 0.4, l2: l1*1.5}");
    return;
  }
  for (const YamlNode::Entry& e : node.entries) reader.announce(e.key);
  for (const YamlNode::Entry& e : node.entries) {
    if (const std::string fault = parameter_name_fault(e.key); !fault.empty()) {
      reader.complaints().error(e.where, fmt::format("a parameter cannot be called {}", in_quotes(e.key)), fault);
      continue;
    }
    // the formula's nodes first, then the input, because evaluation follows the order of the nodes
    Formula value = reader.formula(*e.value, e.key);
    mechanism.parameters.push_back({e.key, value});
    reader.define(e.key, mechanism.formulas->input(e.key));
  }
}

void read_tensor(FieldReader& reader, const YamlNode& node, const std::string& what, Inertia& inertia) {
  static const std::vector<std::string> kElements{"xx", "yy", "zz", "xy", "xz", "yz"};
  if (node.kind == YamlNode::Kind::list && !node.items.empty() && node.items[0]->kind == YamlNode::Kind::list) {
    const std::vector<Formula> rows = read_matrix(reader, node, what);
    for (std::size_t k = 0; k < 6; ++k) {
      inertia.tensor[k] = rows[kFromRows[k]];
      const Expr &above = rows[kFromRows[k]].value, &below = rows[kTransposed[k]].value;
      const bool both_read = !(above.is_constant() && std::isnan(above.constant())) &&
                             !(below.is_constant() && std::isnan(below.constant()));
      if (both_read && !(above == below)) {
        reader.complaints().error(
            rows[kTransposed[k]].where,
            fmt::format("the tensor is not symmetric: element {} is {} on one side and {} on the other", kElements[k],
                        in_quotes(rows[kFromRows[k]].text), in_quotes(rows[kTransposed[k]].text)));
      }
    }
  } else if (node.kind == YamlNode::Kind::list) {
    const Formula3 diagonal = reader.formula3(node, what);
    for (std::size_t k = 0; k < 3; ++k) inertia.tensor[k] = diagonal[k];
  } else {
    const Fields fields(reader, node, fmt::format("`{}`", what), kElements);
    for (std::size_t k = 0; k < 6; ++k) fields.read(kElements[k], inertia.tensor[k]);
  }
}

Inertia read_inertia(FieldReader& reader, const Fields& fields) {
  Inertia inertia;
  inertia.where = fields.where();
  fields.require("mass", inertia.mass);
  fields.read("com", inertia.com);
  if (const YamlNode* n = fields.find("tensor")) read_tensor(reader, *n, "tensor", inertia);
  if (const YamlNode* n = fields.find("about")) {
    inertia.about_origin = reader.choice(*n, "about", {"com", "origin"}) == 1;
  }
  inertia.rotation = read_rotation(reader, fields);
  return inertia;
}

std::vector<Visual> read_visuals(FieldReader& reader, const YamlNode& node) {
  std::vector<Visual> visuals;
  for (const YamlNode* item : reader.items(node, "visual", true)) visuals.push_back(read_visual(reader, *item));
  return visuals;
}

}  // namespace lw
