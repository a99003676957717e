// A mechanism as URDF, all numbers at the values of its parameters.
//
// What URDF says in another way is rewritten: DH rows as origins, inertias about the centre of mass, a cylindrical or
// universal joint as two joints with a massless link between them (J.angle and J.slide, J.first and J.second), a
// spherical joint as three revolutes (J.rx, J.ry, J.rz), the frame at the far end of a standard DH link as a fixed
// link. What belongs to a mechanism but not into a URDF goes to its sidecar; what neither can say is named in the
// remarks. Reading both gives the same dynamics as far as they name no losses.
#pragma once

#include <string>
#include <vector>

#include "../mechanism.hpp"
#include "urdf_form.hpp"

namespace lw {

struct UrdfFiles {
  std::string urdf;
  std::string sidecar;  // of NAME.loops.yaml; "" where none is needed
  UrdfRemarks remarks;
};

UrdfFiles write_urdf(const Mechanism& mechanism);

}  // namespace lw
