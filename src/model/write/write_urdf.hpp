// Writes a mechanism as URDF, with all numbers at the values of its parameters.
//
// Parts that URDF represents differently are converted: DH rows as origins, inertias about the centre of mass, a
// cylindrical or universal joint as two joints with a massless link between them (J.angle and J.slide, J.first and
// J.second), a spherical joint as three revolutes (J.rx, J.ry, J.rz), the frame at the far end of a standard DH link as
// a fixed link. Other parts of a mechanism go to its sidecar; the remarks list what neither can represent. Reading both
// gives the same dynamics unless the remarks list losses.
#pragma once

#include <string>
#include <vector>

#include "../mechanism.hpp"
#include "urdf_form.hpp"

namespace lw {

struct UrdfFiles {
  std::string urdf;
  std::string sidecar;  // text of NAME.loops.yaml; "" if none is needed
  UrdfRemarks remarks;
};

UrdfFiles write_urdf(const Mechanism& mechanism);

}  // namespace lw
