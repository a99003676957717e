#include "read_yaml.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "mesh_files.hpp"
#include "read_forces.hpp"
#include "read_parts.hpp"

namespace lw {
namespace {

bool type_is_written(const YamlNode* joint, JointType type) {
  if (joint == nullptr) return false;
  for (const YamlNode::Entry& e : joint->entries) {
    if (e.key == "type") return e.value->text == to_string(type);
  }
  return false;
}

const Fields::Elsewhere kUrdfTensor{{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"},
                                    "here it is `tensor: {xx: …, yy: …, zz: …, xy: …, xz: …, yz: …}`"};

class YamlReader {
 public:
  YamlReader(Mechanism& mechanism, NamePlaces& places, Complaints& complaints)
      : mechanism_(mechanism), places_(places), reader_(complaints) {}

  void whole(const YamlNode& root) {
    static const std::vector<std::string> kKeys{
        "linkwright", "name",     "summary", "unphysical", "gravity", "parameters", "base",   "links",       "loops",
        "payload",    "payloads", "home",    "couplings",  "springs", "forces",     "shafts", "base_visuals"};
    const bool known = std::any_of(root.entries.begin(), root.entries.end(), [](const YamlNode::Entry& e) {
      return e.key.size() < 100 && !nearest_word(e.key, kKeys).empty();
    });
    if (!root.entries.empty() && !known) {
      reader_.complaints().error(root.where, "not a mechanism file: it has none of its keys",
                                 "a mechanism file begins with `linkwright: 1`, followed by `name` and `links`");
      return;
    }
    const Fields fields(reader_, root, "the file", kKeys);
    mechanism_.where = root.where;
    version(fields.require("linkwright", "give the version of the format first: `linkwright: 1`"));
    mechanism_.name = fields.require_word("name");
    if (const YamlNode* n = fields.find("summary")) mechanism_.summary = reader_.word(*n, "summary");
    if (const YamlNode* n = fields.find("unphysical")) mechanism_.unphysical = reader_.word(*n, "unphysical");
    if (fields.has("base")) mechanism_.base = fields.require_word("base");
    // first, because every other formula may use them
    if (const YamlNode* n = fields.find("parameters")) read_parameters(reader_, *n, mechanism_);
    if (const YamlNode* n = fields.find("gravity")) {
      mechanism_.gravity = reader_.formula3(*n, "gravity", "as in [0, 0, -9.81]");
    }
    if (const YamlNode* n = fields.require("links")) {
      links(*n, !fields.has("loops"));
    }
    closures(fields);
    elements(fields);
    if (const YamlNode* n = fields.find("base_visuals")) mechanism_.base_visuals = read_visuals(reader_, *n);
  }

  void sidecar(const YamlNode& root) {
    const Fields fields(reader_, root, "the sidecar",
                        {"linkwright", "gravity", "loops", "actuated", "home", "payload", "payloads"});
    if (const YamlNode* n = fields.find("linkwright")) version(n);
    fields.read("gravity", mechanism_.gravity);
    closures(fields);
    const YamlNode* list = fields.find("actuated");
    if (list == nullptr && mechanism_.loops.empty()) return;
    for (Link& link : mechanism_.links) link.joint.actuated = false;
    if (list != nullptr) actuated(*list);
  }

 private:
  void version(const YamlNode* node) {
    if (node == nullptr) return;
    if (node->kind == YamlNode::Kind::scalar && node->text == "1") return;
    reader_.complaints().error(
        node->where,
        fmt::format("format version {} is not known",
                    node->kind == YamlNode::Kind::scalar ? in_quotes(node->text) : to_string(node->kind)),
        "this program reads `linkwright: 1`");
  }

  void links(const YamlNode& node, bool actuated) {
    const std::vector<const YamlNode*> items = reader_.items(node, "links");
    if (node.kind == YamlNode::Kind::list && items.empty()) reader_.complaints().error(node.where, "`links` is empty");
    for (std::size_t k = 0; k < items.size(); ++k) link(*items[k], k, actuated);
  }

  void link(const YamlNode& node, std::size_t index, bool actuated) {
    const std::string what = item_name("link", node, index);
    const Fields fields(
        reader_, node, what, {"name", "parent", "joint", "inertia", "friction", "drive", "spring", "damper", "visual"},
        {{"type", "axis", "axis2", "origin", "dh", "limits", "mimic", "actuated"}, "it belongs under `joint`"});
    Link link;
    link.where = node.where;
    link.name = fields.require_word("name");
    link.parent = fields.require_word("parent");
    NamePlaces::OfLink places{value_place(fields, "name"), value_place(fields, "parent"), value_place(fields, "name")};
    if (const YamlNode* n = fields.require("joint")) {
      link.joint = read_joint(reader_, *n, link.name, actuated);
      for (const YamlNode::Entry& e : n->entries) {
        if (e.key == "name") places.joint_name = e.value->where;
      }
    } else {
      link.joint.name = link.name;
    }
    if (const YamlNode* n = fields.find("inertia")) {
      link.inertia = read_inertia(reader_, Fields(reader_, *n, "`inertia`", kInertiaKeys, kUrdfTensor));
    }
    if (const YamlNode* n = fields.find("visual")) link.visuals = read_visuals(reader_, *n);
    forces(fields, link.joint);
    mechanism_.links.push_back(std::move(link));
    places_.links.push_back(std::move(places));
  }

  void forces(const Fields& fields, Joint& joint) {
    const bool known =
        type_is_written(fields.find("joint"), joint.type);  // a misspelt type would otherwise count as fixed
    const bool fixed = joint.type == JointType::fixed;
    if (const YamlNode* n = fields.find("friction")) {
      joint.friction = read_friction(reader_, *n, known && !fixed ? std::optional(joint.type) : std::nullopt);
    }
    if (const YamlNode* n = fields.find("drive")) joint.drive = read_drive(reader_, *n);
    if (const YamlNode* n = fields.find("spring")) joint.spring = read_spring(reader_, *n);
    if (const YamlNode* n = fields.find("damper")) joint.damper = read_damper(reader_, *n);
    if (!known) return;
    for (const char* key : {"friction", "drive", "spring", "damper"}) {
      if (!fields.has(key)) continue;
      const bool needs_one = std::string(key) == "drive" || std::string(key) == "spring";
      if (fixed) {
        reader_.complaints().error(fields.place(key), fmt::format("`{}` on a fixed joint", key));
      } else if (needs_one && velocities(joint.type) != 1) {
        reader_.complaints().error(fields.place(key), fmt::format("`{}` on a {} joint", key, to_string(joint.type)),
                                   "only revolute and prismatic joints may have one");
      }
    }
  }

  void elements(const Fields& fields) {
    const auto each = [&](const char* key, const auto& read) {
      const YamlNode* list = fields.find(key);
      if (list == nullptr) return;
      const std::vector<const YamlNode*> items = reader_.items(*list, key);
      for (std::size_t k = 0; k < items.size(); ++k) read(*items[k], k);
    };
    each("couplings", [&](const YamlNode& n, std::size_t k) {
      mechanism_.couplings.push_back(read_coupling(reader_, n, k, places_.couplings.emplace_back()));
    });
    each("springs", [&](const YamlNode& n, std::size_t k) {
      mechanism_.springs.push_back(read_point_spring(reader_, n, k, places_.springs.emplace_back()));
    });
    if (const YamlNode* n = fields.find("forces"); n != nullptr && depends_on_time(*n)) declare_time();
    each("forces", [&](const YamlNode& n, std::size_t k) {
      mechanism_.forces.push_back(read_force(reader_, n, k, places_.forces.emplace_back()));
    });
    each("shafts", [&](const YamlNode& n, std::size_t k) {
      mechanism_.shafts.push_back(read_shaft(reader_, n, k, places_.shafts.emplace_back()));
    });
  }

  // Time is the parameter `t`, 0 by default.
  void declare_time() {
    const bool known = std::any_of(mechanism_.parameters.begin(), mechanism_.parameters.end(),
                                   [](const Parameter& p) { return p.name == "t"; });
    if (known) return;
    mechanism_.parameters.push_back({"t", Formula(0.0)});
    reader_.define("t", mechanism_.formulas->input("t"));
  }

  // The keys common to mechanism files and sidecars.
  void closures(const Fields& fields) {
    if (const YamlNode* n = fields.find("loops")) {
      const std::vector<const YamlNode*> items = reader_.items(*n, "loops");
      for (std::size_t k = 0; k < items.size(); ++k) loop(*items[k], k);
    }
    if (const YamlNode* n = fields.find("payload")) {
      payload(*n);
      if (fields.has("payloads"))
        reader_.complaints().error(fields.place("payloads"), "`payloads` together with `payload`", "keep one of them");
    } else if (const YamlNode* list = fields.find("payloads")) {
      for (const YamlNode* item : reader_.items(*list, "payloads")) payload(*item);
    }
    if (const YamlNode* n = fields.find("home")) home(*n);
  }

  void loop(const YamlNode& node, std::size_t index) {
    const Fields fields(reader_, node, item_name("loop", node, index), {"name", "joint", "between", "at", "friction"});
    Loop loop;
    loop.where = node.where;
    loop.name = fields.require_word("name");
    if (const YamlNode* n = fields.require("joint")) {
      const Fields joint(reader_, *n, "the loop's `joint`", {"type", "axis", "axis2"},
                         {{"origin"}, "the frames of a loop's joint are given under `at`"});
      read_joint_type(reader_, joint, loop.type, loop.axis, loop.axis2);
    }
    std::array<Location, 2> places{node.where, node.where};
    if (const YamlNode* n = fields.require("between")) read_between(reader_, *n, "links", loop.between, places);
    const bool links_known = !loop.between[0].empty() && !loop.between[1].empty();
    if (const YamlNode* n = links_known ? fields.find("at") : nullptr) {
      const Fields at(reader_, *n, "`at`", {loop.between[0], loop.between[1]});
      for (std::size_t side = 0; side < 2; ++side) {
        const YamlNode* origin = at.find(loop.between[side]);
        if (origin != nullptr) loop.at[side] = read_origin(reader_, *origin, "`at`");
      }
    }
    if (const YamlNode* n = fields.find("friction")) {
      loop.friction = read_friction(reader_, *n, loop.type);
      if (velocities(loop.type) == 0) reader_.complaints().error(n->where, "a fixed joint cannot have friction");
    }
    mechanism_.loops.push_back(std::move(loop));
    places_.loops.push_back(places);
  }

  void payload(const YamlNode& node) {
    const Fields fields(reader_, node, "`payload`", joined({"link"}, kInertiaKeys));
    Payload payload;
    payload.where = node.where;
    payload.link = fields.require_word("link");
    payload.inertia = read_inertia(reader_, fields);
    places_.payloads.push_back(value_place(fields, "link"));
    mechanism_.payloads.push_back(std::move(payload));
  }

  void home(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map) {
      reader_.complaints().error(node.where, fmt::format("`home` should be a map, not {}", to_string(node.kind)),
                                 "home: {shoulder: 45 deg}");
      return;
    }
    for (const YamlNode::Entry& e : node.entries) {
      std::vector<Formula>& values = mechanism_.home[e.key];
      places_.home[e.key] = e.where;
      if (e.value->kind == YamlNode::Kind::list) {
        for (const auto& item : e.value->items) values.push_back(reader_.formula(*item, e.key));
      } else {
        values.push_back(reader_.formula(*e.value, e.key));
      }
    }
  }

  void actuated(const YamlNode& list) {
    std::map<std::string, Joint*> joints;
    std::vector<std::string> movable;
    for (Link& link : mechanism_.links) {
      joints[link.joint.name] = &link.joint;
      if (link.joint.type != JointType::fixed && !link.joint.mimic) movable.push_back(link.joint.name);
    }
    for (const YamlNode* item : reader_.items(list, "actuated")) {
      const std::string name = reader_.word(*item, "actuated");
      const auto place = joints.find(name);
      if (name.empty()) continue;
      if (place == joints.end()) {
        reader_.complaints().error(item->where, fmt::format("unknown joint {}", in_quotes(name)),
                                   suggestion(name, movable));
        continue;
      }
      Joint& joint = *place->second;
      joint.actuated = joint.type != JointType::fixed && !joint.mimic;
      if (!joint.actuated) {
        reader_.complaints().error(item->where, fmt::format("the joint {} is {} and cannot be actuated",
                                                            in_quotes(name), joint.mimic ? "a mimic" : "fixed"));
      }
    }
  }

  Mechanism& mechanism_;
  NamePlaces& places_;
  FieldReader reader_;
};

void find_meshes(Mechanism& mechanism, const std::string& file, Complaints& complaints) {
  MeshFiles meshes(file);
  const auto find = [&](std::vector<Visual>& visuals, const Location& where) {
    for (Visual& v : visuals) {
      if (!v.mesh.empty()) v.mesh = meshes.find(v.mesh, where);
    }
  };
  find(mechanism.base_visuals, mechanism.where);
  for (Link& link : mechanism.links) find(link.visuals, link.where);
  meshes.report_missing(complaints);
}

}  // namespace

Mechanism read_yaml(const std::string& text, const std::string& file, NamePlaces& places, Complaints& complaints) {
  Mechanism mechanism;
  const auto root = parse_yaml(text, file, complaints);
  if (root != nullptr) YamlReader(mechanism, places, complaints).whole(*root);
  find_meshes(mechanism, file, complaints);
  return mechanism;
}

void read_sidecar(const std::string& text, const std::string& file, Mechanism& mechanism, NamePlaces& places,
                  Complaints& complaints) {
  const auto root = parse_yaml(text, file, complaints);
  if (root != nullptr) YamlReader(mechanism, places, complaints).sidecar(*root);
}

}  // namespace lw
