#include "urdf_visual.hpp"

#include <fmt/format.h>

namespace lw {
UrdfVisuals::UrdfVisuals(UrdfFields& fields, const XmlElement& robot) : fields_(fields), meshes_(fields.file()) {
  for (const XmlElement* m = robot.FirstChildElement("material"); m != nullptr; m = m->NextSiblingElement("material"))
    collect(*m);
  for (const XmlElement* l = robot.FirstChildElement("link"); l != nullptr; l = l->NextSiblingElement("link")) {
    for (const XmlElement* v = l->FirstChildElement("visual"); v != nullptr; v = v->NextSiblingElement("visual")) {
      if (const XmlElement* m = v->FirstChildElement("material")) collect(*m);
    }
  }
}

void UrdfVisuals::collect(const XmlElement& material) {
  const char* name = material.Attribute("name");
  if (name == nullptr) return;
  const bool defines = material.FirstChildElement() != nullptr;
  if (defines) named_[name] = true;
  const XmlElement* color = material.FirstChildElement("color");
  if (color == nullptr || colors_.contains(name)) return;
  const auto rgba = fields_.numbers(*color, fmt::format("material {}", in_quotes(name)), "rgba", 4);
  if (!rgba) return;
  Color& c = colors_[name];
  for (std::size_t k = 0; k < 4; ++k) c[k] = (*rgba)[k].value.constant();
}

std::vector<Visual> UrdfVisuals::read(const XmlElement& link, const std::string& what) {
  std::vector<Visual> result;
  for (const XmlElement* e = link.FirstChildElement("visual"); e != nullptr; e = e->NextSiblingElement("visual")) {
    fields_.children(*e, what, {"origin", "geometry", "material", "verbose"}, {"origin", "geometry", "material"});
    Visual visual;
    visual.origin = fields_.origin(*e, what);
    if (const XmlElement* m = e->FirstChildElement("material")) material(*m, what, visual);
    const XmlElement* g = e->FirstChildElement("geometry");
    if (g == nullptr) {
      fields_.complaints().error(fields_.place(*e), fmt::format("{}: <visual> has no <geometry>", what));
    } else if (geometry(*g, what, visual)) {
      result.push_back(std::move(visual));
    }
  }
  return result;
}

void UrdfVisuals::material(const XmlElement& e, const std::string& what, Visual& visual) {
  const char* name = e.Attribute("name");
  if (name != nullptr && *name != '\0') {
    if (const auto known = colors_.find(name); known != colors_.end()) {
      visual.color = known->second;
    } else if (!named_.contains(name)) {
      fields_.complaints().warning(fields_.place(e),
                                   fmt::format("{}: the material {} is not defined", what, in_quotes(name)));
    }
  }
  const XmlElement* color = e.FirstChildElement("color");
  if (color == nullptr || (name != nullptr && *name != '\0' && colors_.contains(name))) return;
  if (const auto rgba = fields_.numbers(*color, what, "rgba", 4)) {
    for (std::size_t k = 0; k < 4; ++k) visual.color[k] = (*rgba)[k].value.constant();
  }
}

// False if there is no supported shape.
bool UrdfVisuals::geometry(const XmlElement& e, const std::string& what, Visual& visual) {
  const XmlElement* shape = e.FirstChildElement();
  if (shape == nullptr) {
    fields_.complaints().error(fields_.place(e), fmt::format("{}: <geometry> is empty", what),
                               "<box>, <cylinder>, <sphere> or <mesh>");
    return false;
  }
  const std::string name = shape->Name();
  const auto size = [&](const char* attribute, std::size_t count) {
    auto list = fields_.numbers(*shape, what, attribute, count);
    if (!list) {
      fields_.complaints().error(fields_.place(*shape),
                                 fmt::format("{}: <{}> has no attribute `{}`", what, name, attribute));
      list.emplace(count, Formula(1.0));
    }
    visual.size.insert(visual.size.end(), list->begin(), list->end());
  };
  if (name == "box") {
    visual.shape = Visual::Shape::box;
    size("size", 3);
  } else if (name == "cylinder") {
    visual.shape = Visual::Shape::cylinder;
    size("radius", 1);
    size("length", 1);
  } else if (name == "sphere") {
    visual.shape = Visual::Shape::sphere;
    size("radius", 1);
  } else if (name == "mesh") {
    visual.shape = Visual::Shape::mesh;
    visual.size.assign(3, Formula(1.0));
    if (auto scale = fields_.numbers(*shape, what, "scale", 3)) visual.size = std::move(*scale);
    const std::string written = fields_.require_text(*shape, what, "filename");
    if (written.empty()) return false;
    visual.mesh = meshes_.find(written, fields_.place(*shape));
  } else {
    fields_.complaints().warning(fields_.place(*shape),
                                 fmt::format("{}: the shape <{}> is not supported in drawings", what, name),
                                 suggestion(name, {"box", "cylinder", "sphere", "mesh"}));
    return false;
  }
  return true;
}

void UrdfVisuals::report_missing_meshes() { meshes_.report_missing(fields_.complaints()); }

}  // namespace lw
