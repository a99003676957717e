#include "read_forces.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "read_parts.hpp"

namespace lw {
namespace {

void refuse(FieldReader& reader, const Fields& fields, const std::string& key, const std::string& why) {
  if (fields.has(key)) reader.complaints().error(fields.place(key), why);
}

Bearing read_bearing(FieldReader& reader, const YamlNode& node, std::optional<JointType> joint) {
  const Fields fields(reader, node, "`bearing`", {"type", "mu", "radius", "spacing", "moments"});
  Bearing bearing;
  bearing.where = node.where;
  const YamlNode* type = fields.require("type");
  const int kind = type != nullptr ? reader.choice(*type, "type", {"journal", "linear", "thrust"}) : -1;
  fields.require("mu", bearing.mu);
  if (kind < 0) return bearing;
  bearing.kind = static_cast<Bearing::Kind>(kind);
  const bool journal = bearing.kind == Bearing::Kind::journal, linear = bearing.kind == Bearing::Kind::linear;
  const bool slides = joint == JointType::prismatic;
  if (joint && !slides && (linear || joint != JointType::revolute)) {
    reader.complaints().error(
        type->where, fmt::format("a {} bearing on a {} joint", type->text, to_string(*joint)),
        linear ? "linear bearings guide prismatic joints" : "only revolute and prismatic joints have bearings");
    return bearing;
  }
  if (slides && bearing.kind == Bearing::Kind::thrust) {
    reader.complaints().error(type->where, "a thrust bearing on a prismatic joint",
                              "a thrust bearing carries the force along the axis of a revolute joint");
    return bearing;
  }
  if (linear || (journal && slides)) {
    refuse(reader, fields, "radius", "the friction of a prismatic joint does not depend on a `radius`");
  } else {
    fields.require("radius", bearing.radius);
  }
  if (!journal) refuse(reader, fields, "moments", "`moments` is only allowed for a journal bearing");
  if (const YamlNode* n = fields.find("moments")) bearing.moments = reader.boolean(*n, "moments");
  if (bearing.kind == Bearing::Kind::thrust) {
    refuse(reader, fields, "spacing", "a thrust bearing has no `spacing`");
    return bearing;
  }
  if (linear || bearing.moments) {
    fields.require("spacing", linear ? "the distance of the two guides, which determines their load by moments"
                                     : "the distance of its two supports, by which moments load them; `moments: false` "
                                       "neglects them");
  }
  fields.read("spacing", bearing.spacing);
  return bearing;
}

// Arguments under one key, values under another, and the interpolation, in a map with known keys.
FormulaTable read_table(FieldReader& reader, const Fields& fields, const std::string& what, const std::string& x,
                        const std::string& y) {
  FormulaTable table;
  table.where = fields.where();
  const YamlNode *places = fields.require(x), *values = fields.require(y);
  if (places != nullptr) table.x = reader.formulas(*places, x, 0);
  if (values != nullptr) table.y = reader.formulas(*values, y, 0);
  if (const YamlNode* n = fields.find("interpolation")) {
    table.cubic = reader.choice(*n, "interpolation", {"linear", "cubic"}) == 1;
  }
  const bool lists = places != nullptr && values != nullptr && places->kind == YamlNode::Kind::list &&
                     values->kind == YamlNode::Kind::list;
  if (lists && table.x.size() != table.y.size()) {
    reader.complaints().error(
        fields.where(),
        fmt::format("`{}` has {}, `{}` {}", x, counted(table.x.size(), "entry", "entries"), y, table.y.size()));
  } else if (lists && table.x.empty()) {
    reader.complaints().error(fields.where(), fmt::format("the table of {} is empty", what));
  }
  // so that the checks find equally many arguments and values
  const std::size_t size = std::min(table.x.size(), table.y.size());
  table.x.resize(size);
  table.y.resize(size);
  return table;
}
FormulaTable read_table(FieldReader& reader, const YamlNode& node, const std::string& what, const std::string& x,
                        const std::string& y) {
  return read_table(reader, Fields(reader, node, what, {x, y, "interpolation"}), what, x, y);
}

// The keys common to drives of single joints and coupled drives.
const std::vector<std::string> kDriveKeys{"ratio", "rotor_inertia", "efficiency", "breakaway", "rated", "peak"};

Drive read_drive_fields(FieldReader& reader, const Fields& fields) {
  Drive drive;
  drive.where = fields.where();
  fields.read("ratio", drive.ratio);
  fields.read("rotor_inertia", drive.rotor_inertia);
  fields.read("breakaway", drive.breakaway);
  fields.read("rated", drive.rated);
  fields.read("peak", drive.peak);
  const YamlNode* efficiency = fields.find("efficiency");
  if (efficiency == nullptr) return drive;
  if (efficiency->kind != YamlNode::Kind::map) {
    drive.efficiency = FormulaTable{{0.0}, {reader.formula(*efficiency, "efficiency")}, false, efficiency->where};
    return drive;
  }
  drive.efficiency = read_table(reader, *efficiency, "`efficiency`", "load", "value");
  if (!drive.rated) {
    reader.complaints().error(efficiency->where, "a table of `efficiency` needs `rated`",
                              "its loads are fractions of the rated torque");
  }
  return drive;
}

// A stiffness, or a table under `x` and `y`, but not both.
bool has_table(FieldReader& reader, const Fields& fields, const char* x, const char* y) {
  const bool table = fields.has(x) || fields.has(y);
  for (const char* key : {"stiffness", "rest"}) {
    if (table) refuse(reader, fields, key, fmt::format("`{}` together with a table of `{}`", key, y));
  }
  if (!table) refuse(reader, fields, "interpolation", "`interpolation` without a table");
  return table;
}

bool is_time(const std::string& text) {
  const auto in_word = [&](std::size_t k) {
    return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_' || text[k] == '.');
  };
  for (std::size_t k = text.find('t'); k != std::string::npos; k = text.find('t', k + 1)) {
    if (!(k > 0 && in_word(k - 1)) && !in_word(k + 1)) return true;
  }
  return false;
}

}  // namespace

std::string item_name(const char* kind, const YamlNode& node, std::size_t index) {
  for (const YamlNode::Entry& e : node.entries) {
    if (e.key == "name" && !e.value->text.empty()) return fmt::format("{} {}", kind, in_quotes(e.value->text));
  }
  return fmt::format("{} {}", kind, index + 1);
}

Location value_place(const Fields& fields, const std::string& key) {
  const YamlNode* node = fields.find(key);
  return node != nullptr ? node->where : fields.where();
}

void read_between(FieldReader& reader, const YamlNode& node, const char* what, std::array<std::string, 2>& names,
                  std::array<Location, 2>& places) {
  if (node.kind != YamlNode::Kind::list || node.items.size() != 2) {
    reader.complaints().error(node.where, fmt::format("`between` should be a list of two {}", what));
    return;
  }
  for (std::size_t side = 0; side < 2; ++side) {
    names[side] = reader.word(*node.items[side], "between");
    places[side] = node.items[side]->where;
  }
}

Friction read_friction(FieldReader& reader, const YamlNode& node, std::optional<JointType> type) {
  const Fields fields(reader, node, "`friction`", {"viscous", "coulomb", "stribeck", "bearing", "width"});
  Friction friction;
  friction.present = true;
  fields.read("viscous", friction.viscous);
  fields.read("coulomb", friction.coulomb);
  fields.read("width", friction.width);
  if (const YamlNode* n = fields.find("stribeck")) {
    const Fields inner(reader, *n, "`stribeck`", {"static", "velocity", "shape"});
    Stribeck stribeck;
    inner.require("static", stribeck.static_torque);
    inner.require("velocity", stribeck.velocity);
    inner.read("shape", stribeck.shape);
    friction.stribeck = stribeck;
  }
  if (const YamlNode* n = fields.find("bearing")) {
    for (const YamlNode* item : reader.items(*n, "bearing", true))
      friction.bearings.push_back(read_bearing(reader, *item, type));
  }
  return friction;
}

Drive read_drive(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`drive`", joined(kDriveKeys, {"rotor_axis", "stiffness", "damping", "backlash"}));
  Drive drive = read_drive_fields(reader, fields);
  if (const YamlNode* n = fields.find("rotor_axis")) drive.rotor_axis = read_axis(reader, *n, "rotor_axis");
  fields.read("stiffness", drive.stiffness);
  fields.read("damping", drive.damping);
  fields.read("backlash", drive.backlash);
  for (const char* key : {"damping", "backlash"}) {
    if (!drive.stiffness) refuse(reader, fields, key, fmt::format("`{}` of a drive without `stiffness`", key));
  }
  return drive;
}

Spring read_spring(FieldReader& reader, const YamlNode& node) {
  const Fields fields(reader, node, "`spring`", {"stiffness", "rest", "position", "torque", "interpolation"});
  Spring spring;
  if (has_table(reader, fields, "position", "torque")) {
    spring.table = read_table(reader, fields, "`spring`", "position", "torque");
    return spring;
  }
  fields.require("stiffness", spring.stiffness);
  fields.read("rest", spring.rest);
  return spring;
}

Damper read_damper(FieldReader& reader, const YamlNode& node) {
  Damper damper;
  if (node.kind == YamlNode::Kind::map) {
    damper.table = read_table(reader, node, "`damper`", "velocity", "torque");
  } else {
    damper.coefficient = reader.formula(node, "damper");
  }
  return damper;
}

Coupling read_coupling(FieldReader& reader, const YamlNode& node, std::size_t index, std::vector<Location>& places) {
  const Fields fields(reader, node, item_name("coupling", node, index), {"name", "joints", "matrix", "motors"});
  Coupling coupling;
  coupling.where = node.where;
  coupling.name = fields.require_word("name");
  if (const YamlNode* n = fields.require("joints")) {
    for (const YamlNode* item : reader.items(*n, "joints")) {
      coupling.joints.push_back(reader.word(*item, "joints"));
      places.push_back(item->where);
    }
    if (n->kind == YamlNode::Kind::list && n->items.empty()) {
      reader.complaints().error(n->where, "`joints` is empty");
      return coupling;
    }
  }
  std::size_t motors = 0;
  if (const YamlNode* n = fields.require("motors")) {
    const std::vector<const YamlNode*> items = reader.items(*n, "motors");
    for (; motors < items.size(); ++motors) {
      const YamlNode& item = *items[motors];
      const Fields motor(
          reader, item, item_name("motor", item, motors), joined({"name"}, kDriveKeys),
          {{"rotor_axis", "stiffness", "damping", "backlash"},
           "coupled drives are rigid and have no gyroscopic effect; only the `drive` of a single joint may have this"});
      coupling.motors.push_back(motor.require_word("name"));
      coupling.drives.push_back(read_drive_fields(reader, motor));
    }
    if (n->kind == YamlNode::Kind::list && fields.has("joints") && motors != coupling.joints.size()) {
      reader.complaints().error(
          n->where, fmt::format("{} for {}", counted(motors, "motor"), counted(coupling.joints.size(), "joint")),
          "a coupling needs as many motors as joints");
    }
  }
  if (const YamlNode* n = fields.require("matrix")) {
    const std::vector<const YamlNode*> rows = reader.items(*n, "matrix");
    for (const YamlNode* row : rows) {
      const std::vector<Formula> numbers = reader.formulas(*row, "matrix", coupling.joints.size());
      coupling.matrix.insert(coupling.matrix.end(), numbers.begin(), numbers.end());
    }
    if (n->kind == YamlNode::Kind::list && fields.has("motors") && rows.size() != motors) {
      reader.complaints().error(
          n->where, fmt::format("`matrix` has {} for {}", counted(rows.size(), "row"), counted(motors, "motor")),
          "one row per motor with one number per joint: the rotation of the motor's output per rotation of the joint");
    }
  }
  return coupling;
}

PointSpring read_point_spring(FieldReader& reader, const YamlNode& node, std::size_t index,
                              std::array<Location, 2>& places) {
  const Fields fields(reader, node, item_name("spring", node, index),
                      {"name", "between", "at", "stiffness", "rest", "damping", "length", "tension", "interpolation"});
  PointSpring spring;
  spring.where = node.where;
  spring.name = fields.require_word("name");
  places = {node.where, node.where};
  if (const YamlNode* n = fields.require("between")) read_between(reader, *n, "links", spring.between, places);
  const bool links_known = !spring.between[0].empty() && !spring.between[1].empty();
  if (const YamlNode* n = links_known ? fields.find("at") : nullptr) {
    const Fields at(reader, *n, "`at`", {spring.between[0], spring.between[1]});
    for (std::size_t side = 0; side < 2; ++side) at.read(spring.between[side], spring.at[side]);
  }
  fields.read("damping", spring.damping);
  if (has_table(reader, fields, "length", "tension")) {
    spring.table = read_table(reader, fields, item_name("spring", node, index), "length", "tension");
  } else if (!fields.has("damping")) {
    fields.require("stiffness", spring.stiffness);
  } else {
    fields.read("stiffness", spring.stiffness);
  }
  fields.read("rest", spring.rest);
  return spring;
}

AppliedForce read_force(FieldReader& reader, const YamlNode& node, std::size_t index, Location& place) {
  const Fields fields(reader, node, item_name("force", node, index),
                      {"link", "at", "in", "force", "moment", "time", "values"});
  AppliedForce force;
  force.where = node.where;
  force.link = fields.require_word("link");
  place = value_place(fields, "link");
  fields.read("at", force.at);
  if (const YamlNode* n = fields.find("in")) force.in_link = reader.choice(*n, "in", {"world", "link"}) == 1;
  fields.read("force", force.force);
  fields.read("moment", force.moment);
  if (!fields.has("time") && !fields.has("values")) {
    if (!fields.has("force") && !fields.has("moment")) {
      reader.complaints().error(node.where, "neither `force` nor `moment` is given",
                                "give one of them, or `time: […]` and `values: [[fx, fy, fz, mx, my, mz], …]`");
    }
    return force;
  }
  for (const char* key : {"force", "moment"}) {
    refuse(reader, fields, key, fmt::format("`{}` together with a table over time", key));
  }
  const YamlNode *time = fields.require("time"), *values = fields.require("values");
  if (time != nullptr) force.time = reader.formulas(*time, "time", 0);
  if (values != nullptr) {
    for (const YamlNode* row : reader.items(*values, "values")) {
      const std::vector<Formula> six = reader.formulas(*row, "values", 6);
      std::array<Formula, 6>& entry = force.values.emplace_back();
      std::copy(six.begin(), six.end(), entry.begin());
    }
  }
  const bool lists = time != nullptr && values != nullptr && time->kind == YamlNode::Kind::list &&
                     values->kind == YamlNode::Kind::list;
  if (lists && force.time.size() != force.values.size()) {
    reader.complaints().error(
        node.where,
        fmt::format("`time` has {}, `values` {}", counted(force.time.size(), "entry", "entries"), force.values.size()));
  } else if (lists && force.time.empty()) {
    reader.complaints().error(node.where, "the table over time is empty");
  }
  return force;
}

Shaft read_shaft(FieldReader& reader, const YamlNode& node, std::size_t index, std::array<Location, 2>& places) {
  const Fields fields(reader, node, item_name("shaft", node, index),
                      {"name", "between", "stiffness", "damping", "backlash"});
  Shaft shaft;
  shaft.where = node.where;
  shaft.name = fields.require_word("name");
  places = {node.where, node.where};
  if (const YamlNode* n = fields.require("between")) read_between(reader, *n, "joints", shaft.between, places);
  fields.require("stiffness", shaft.stiffness);
  fields.read("damping", shaft.damping);
  fields.read("backlash", shaft.backlash);
  return shaft;
}

bool depends_on_time(const YamlNode& node) {
  const auto depends = [](const auto& n) { return n != nullptr && depends_on_time(*n); };
  return (node.kind == YamlNode::Kind::scalar && is_time(node.text)) ||
         std::any_of(node.items.begin(), node.items.end(), depends) ||
         std::any_of(node.entries.begin(), node.entries.end(), [&](const YamlNode::Entry& e) {
           return e.key == "time" || (e.key != "link" && e.key != "in" && depends(e.value));
         });
}

}  // namespace lw
