// The shapes of a URDF: geometry, colours by named materials, mesh files.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "mesh_files.hpp"
#include "urdf_fields.hpp"

namespace lw {

class UrdfVisuals {
 public:
  // Collects the colours of all materials of the file, because a visual may use one defined by a later link.
  UrdfVisuals(UrdfFields& fields, const XmlElement& robot);

  std::vector<Visual> read(const XmlElement& link, const std::string& what);

  void report_missing_meshes();

 private:
  using Color = std::array<double, 4>;

  bool geometry(const XmlElement& e, const std::string& what, Visual& visual);
  void material(const XmlElement& e, const std::string& what, Visual& visual);
  void collect(const XmlElement& material);

  UrdfFields& fields_;
  std::map<std::string, Color> colors_;
  std::map<std::string, bool> named_;  // materials that exist, coloured or not
  MeshFiles meshes_;
};

}  // namespace lw
