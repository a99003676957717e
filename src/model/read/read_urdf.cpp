#include "read_urdf.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "urdf_visual.hpp"

namespace lw {
namespace {

struct UrdfLink {
  Location where;
  std::optional<Inertia> inertia;
  std::vector<Visual> visuals;
  std::string parent_joint;  // "" for the root
  int parent_joint_line = 0;
};

class UrdfReader {
 public:
  UrdfReader(const XmlElement& robot, const std::string& file, Mechanism& mechanism, NamePlaces& places,
             Complaints& complaints)
      : robot_(robot),
        fields_(file, complaints),
        visuals_(fields_, robot),
        m_(mechanism),
        places_(places),
        complaints_(complaints) {}

  void run(bool floating_base) {
    m_.where = fields_.place(robot_);
    m_.name = fields_.require_text(robot_, "", "name");
    fields_.children(robot_, "the robot", {"link", "joint", "material", "transmission", "gazebo"}, {});
    for (const XmlElement* e = robot_.FirstChildElement("link"); e != nullptr; e = e->NextSiblingElement("link"))
      link(*e);
    if (links_.empty()) {
      complaints_.error(m_.where, "the robot has no <link>");
      return;
    }
    for (const XmlElement* e = robot_.FirstChildElement("joint"); e != nullptr; e = e->NextSiblingElement("joint"))
      joint(*e);
    root(floating_base);
    visuals_.report_missing_meshes();
  }

 private:
  void link(const XmlElement& e) {
    const std::string name = fields_.require_text(e, "", "name");
    const std::string what = fmt::format("link {}", in_quotes(name));
    fields_.children(e, what, {"inertial", "visual", "collision"}, {"inertial"});
    UrdfLink link;
    link.where = fields_.place(e);
    if (const XmlElement* inertial = e.FirstChildElement("inertial")) link.inertia = inertia(*inertial, what);
    link.visuals = visuals_.read(e, what);
    const auto [first, fresh] = links_.try_emplace(name, std::move(link));
    if (fresh) {
      order_.push_back(name);
    } else if (!name.empty()) {
      complaints_.error(
          fields_.place(e),
          fmt::format("duplicate link {}; first defined in line {}", in_quotes(name), first->second.where.line),
          "names must be unique");
    }
  }

  Inertia inertia(const XmlElement& e, const std::string& what) {
    fields_.children(e, what, {"origin", "mass", "inertia"}, {"origin", "mass", "inertia"});
    Inertia result;
    result.where = fields_.place(e);
    const Origin origin = fields_.origin(e, what);
    result.com = origin.xyz;
    result.rotation = origin.rotation;
    result.mass = std::nan("");
    if (const XmlElement* mass = e.FirstChildElement("mass")) {
      fields_.attributes(*mass, what, {"value"});
      result.mass = fields_.require_number(*mass, what, "value");
    } else {
      complaints_.error(result.where, fmt::format("{}: <inertial> has no <mass>", what),
                        "<mass value=\"1.5\"/>, in kg");
    }
    static constexpr const char* kElements[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    if (const XmlElement* tensor = e.FirstChildElement("inertia")) {
      fields_.attributes(*tensor, what, {kElements, kElements + 6});
      for (std::size_t k = 0; k < 6; ++k) result.tensor[k] = fields_.require_number(*tensor, what, kElements[k]);
    } else {
      complaints_.error(result.where, fmt::format("{}: <inertial> has no <inertia>", what),
                        "<inertia ixx= ixy= ixz= iyy= iyz= izz=/>, about the centre of mass");
    }
    return result;
  }

  void joint(const XmlElement& e) {
    const std::string name = fields_.require_text(e, "", "name");
    const std::string what = fmt::format("joint {}", in_quotes(name));
    fields_.attributes(e, what, {"name", "type"});
    fields_.children(
        e, what,
        {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"},
        {"origin", "parent", "child", "axis", "calibration", "dynamics", "limit", "mimic", "safety_controller"});
    Link link;
    Joint& j = link.joint;
    j.name = name;
    j.where = fields_.place(e);
    const bool limited = type(e, what, j);
    j.origin = fields_.origin(e, what);
    axis(e, what, j);
    limits(e, what, limited, j);
    dynamics(e, what, j);
    mimic(e, what, j);
    j.actuated = j.type != JointType::fixed && !j.mimic;
    connect(e, what, std::move(link));
  }

  // Returns whether the type has a lower and an upper limit.
  bool type(const XmlElement& e, const std::string& what, Joint& j) {
    static const std::map<std::string, JointType> kUrdfTypes{
        {"revolute", JointType::revolute}, {"continuous", JointType::revolute}, {"prismatic", JointType::prismatic},
        {"fixed", JointType::fixed},       {"floating", JointType::floating},   {"planar", JointType::planar}};
    const std::string text = fields_.require_text(e, what, "type");
    const auto known = kUrdfTypes.find(text);
    if (known != kUrdfTypes.end()) {
      j.type = known->second;
    } else {
      j.type = JointType::revolute;  // a placeholder for which the rest of the joint is valid
    }
    if (known == kUrdfTypes.end() && !text.empty()) {
      std::vector<std::string> names;
      names.reserve(kUrdfTypes.size());
      for (const auto& [n, t] : kUrdfTypes) names.push_back(n);
      complaints_.error(fields_.place(e), fmt::format("{}: unknown type {}", what, in_quotes(text)),
                        suggestion(text, names));
    }
    return text == "revolute" || text == "prismatic";
  }

  // URDF's default is x, not z.
  void axis(const XmlElement& joint, const std::string& what, Joint& j) {
    j.axis = {1.0, 0.0, 0.0};
    const XmlElement* e = joint.FirstChildElement("axis");
    if (e == nullptr || j.type == JointType::fixed || j.type == JointType::floating) return;
    fields_.attributes(*e, what, {"xyz"});
    if (const auto xyz = fields_.numbers(*e, what, "xyz", 3)) {
      std::copy(xyz->begin(), xyz->end(), j.axis.begin());
    } else {
      complaints_.error(fields_.place(*e), fmt::format("{}: <axis> has no attribute `xyz`", what));
    }
  }

  void limits(const XmlElement& joint, const std::string& what, bool limited, Joint& j) {
    const XmlElement* e = joint.FirstChildElement("limit");
    if (e == nullptr) {
      if (limited) {
        complaints_.warning(
            j.where, fmt::format("{}: a {} joint without <limit> is treated as unlimited", what, to_string(j.type)),
            j.type == JointType::revolute ? "say so by type=\"continuous\""
                                          : "<limit lower= upper= effort= velocity=/>");
      }
      return;
    }
    if (velocities(j.type) != 1) return;
    fields_.attributes(*e, what, {"lower", "upper", "velocity", "effort"});
    if (limited) {
      j.limits.lower = fields_.number(*e, what, "lower", true);
      j.limits.upper = fields_.number(*e, what, "upper", true);
    }
    j.limits.velocity = fields_.number(*e, what, "velocity", true);
    j.limits.effort = fields_.number(*e, what, "effort", true);
  }

  void dynamics(const XmlElement& joint, const std::string& what, Joint& j) {
    const XmlElement* e = joint.FirstChildElement("dynamics");
    if (e == nullptr || j.type == JointType::fixed) return;
    fields_.attributes(*e, what, {"damping", "friction"});
    const auto damping = fields_.number(*e, what, "damping"), friction = fields_.number(*e, what, "friction");
    if (damping) j.friction.viscous = *damping;
    if (friction) j.friction.coulomb = *friction;
    j.friction.present = damping || friction;
  }

  void mimic(const XmlElement& joint, const std::string& what, Joint& j) {
    const XmlElement* e = joint.FirstChildElement("mimic");
    if (e == nullptr || j.type == JointType::fixed) return;
    fields_.attributes(*e, what, {"joint", "multiplier", "offset"});
    Mimic mimic;
    mimic.where = fields_.place(*e);
    mimic.joint = fields_.require_text(*e, what, "joint");
    if (const auto f = fields_.number(*e, what, "multiplier")) mimic.ratio = *f;
    if (const auto f = fields_.number(*e, what, "offset")) mimic.offset = *f;
    j.mimic = std::move(mimic);
  }

  std::string end(const XmlElement& joint, const std::string& what, const char* which, Location& where) {
    where = fields_.place(joint);
    const XmlElement* e = joint.FirstChildElement(which);
    if (e == nullptr) {
      complaints_.error(where, fmt::format("{}: no <{}>", what, which), fmt::format("<{} link=\"…\"/>", which));
      return {};
    }
    where = fields_.place(*e);
    fields_.attributes(*e, what, {"link"});
    std::string name = fields_.require_text(*e, what, "link");
    if (!name.empty() && !links_.contains(name)) {
      complaints_.error(where, fmt::format("{}: unknown {} link {}", what, which, in_quotes(name)),
                        suggestion(name, order_));
      return {};
    }
    return name;
  }

  // Every link is the child of at most one joint, so that a joint and its child form one entry.
  void connect(const XmlElement& e, const std::string& what, Link link) {
    NamePlaces::OfLink places;
    Location child_place;
    places.joint_name = fields_.place(e);
    link.parent = end(e, what, "parent", places.parent);
    link.name = end(e, what, "child", child_place);
    const auto child = links_.find(link.name);
    if (child != links_.end() && !link.name.empty()) {
      UrdfLink& info = child->second;
      if (info.parent_joint_line > 0) {
        complaints_.error(child_place,
                          fmt::format("{}: the link {} already has a parent, by joint {} in line {}", what,
                                      in_quotes(link.name), in_quotes(info.parent_joint), info.parent_joint_line),
                          "a URDF describes a tree; joints that close loops belong in NAME.loops.yaml");
        return;
      }
      info.parent_joint = link.joint.name;
      info.parent_joint_line = link.joint.where.line;
      places.name = link.where = info.where;
      link.inertia = info.inertia;
      link.visuals = info.visuals;
    } else {
      places.name = link.where = fields_.place(e);
      broken_ = true;
    }
    if (link.parent.empty()) broken_ = true;
    m_.links.push_back(std::move(link));
    places_.links.push_back(std::move(places));
  }

  void root(bool floating_base) {
    std::vector<std::string> roots;
    for (const std::string& name : order_) {
      if (links_.at(name).parent_joint_line == 0) roots.push_back(name);
    }
    if (roots.empty()) {
      complaints_.error(m_.where, "there is no root link: every link is the child of a joint",
                        "remove the joint whose child is the base");
      m_.base.clear();
      return;
    }
    if (roots.size() > 1 && !broken_) {
      std::string list;
      for (std::size_t k = 0; k < roots.size() && k < 10; ++k) list += (k > 0 ? ", " : "") + in_quotes(roots[k]);
      complaints_.error(links_.at(roots[1]).where,
                        fmt::format("{} root links: {}{}", roots.size(), list, roots.size() > 10 ? ", …" : ""),
                        "all links except one must be the child of a joint");
    }
    UrdfLink& info = links_.at(roots[0]);
    m_.base = roots[0];
    if (floating_base) {
      float_root(roots[0], info);
    } else {
      m_.base_inertia = info.inertia;
      m_.base_visuals = info.visuals;
    }
    // already an error; attached to the base, the other trees cause no further errors
    for (std::size_t k = 1; k < roots.size(); ++k) {
      Link stray;
      stray.name = roots[k];
      stray.parent = m_.base;
      stray.where = links_.at(roots[k]).where;
      m_.links.push_back(stray);
      places_.links.push_back({stray.where, stray.where, stray.where});
    }
  }

  void float_root(const std::string& name, const UrdfLink& info) {
    m_.base = "world";
    while (links_.contains(m_.base)) m_.base += "_";
    Link link;
    link.name = name;
    link.parent = m_.base;
    link.where = info.where;
    link.inertia = info.inertia;
    link.visuals = info.visuals;
    link.joint.name = "floating_base";
    while (m_.find_joint(link.joint.name) != nullptr) link.joint.name += "_";
    link.joint.type = JointType::floating;
    link.joint.where = info.where;
    m_.links.insert(m_.links.begin(), std::move(link));
    places_.links.insert(places_.links.begin(), {info.where, info.where, info.where});
  }

  const XmlElement& robot_;
  UrdfFields fields_;
  UrdfVisuals visuals_;
  Mechanism& m_;
  NamePlaces& places_;
  Complaints& complaints_;
  std::map<std::string, UrdfLink> links_;
  std::vector<std::string> order_;
  bool broken_ = false;  // a joint without a valid link: roots cannot be counted
};

// URDF has no description: the first paragraph of a comment before <robot> is used as one, on one line.
std::string first_comment(const tinyxml2::XMLDocument& document) {
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (node->ToElement() != nullptr) break;
    if (node->ToComment() == nullptr) continue;
    std::string line, word, text = node->Value();
    const std::size_t paragraph = text.find("\n\n");
    std::istringstream words(text.substr(0, paragraph));
    while (words >> word) line += (line.empty() ? "" : " ") + word;
    return line;
  }
  return {};
}

std::string xml_fault(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT: return "the file is empty";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT: {
      const std::string text = document.ErrorStr();  // "… XMLElement name=link"
      const std::size_t name = text.rfind("name=");
      const std::string element = name == std::string::npos ? "an element" : "<" + text.substr(name + 5) + ">";
      return element + " is not closed, or closed by another name";
    }
    case tinyxml2::XML_ERROR_PARSING: return "an element that begins here is never closed";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "an attribute is not written as name=\"value\", or stands twice";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED: return "elements are nested too deep";
    default: break;
  }
  std::string name = document.ErrorName();  // XML_ERROR_PARSING_COMMENT
  for (const char* prefix : {"XML_ERROR_", "XML_"}) {
    if (name.starts_with(prefix)) name.erase(0, std::string(prefix).size());
  }
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

}  // namespace

Mechanism read_urdf(const std::string& text, const std::string& file, bool floating_base, NamePlaces& places,
                    Complaints& complaints) {
  Mechanism mechanism;
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    complaints.error({file, document.ErrorLineNum(), 0}, "not valid XML: " + xml_fault(document));
    return mechanism;
  }
  const XmlElement* robot = document.RootElement();
  if (robot == nullptr || std::string(robot->Name()) != "robot") {
    complaints.error(
        {file, robot != nullptr ? robot->GetLineNum() : 0, 0},
        robot != nullptr ? fmt::format("the root element is <{}>, not <robot>", robot->Name()) : "no element <robot>",
        "a URDF begins with <robot name=\"…\">");
    return mechanism;
  }
  UrdfReader(*robot, file, mechanism, places, complaints).run(floating_base);
  mechanism.summary = first_comment(document);
  return mechanism;
}

}  // namespace lw
