// Converts a mechanism into a form that URDF can represent: numbers instead of formulas, only joint types of URDF,
// rotations as rpy, inertias about the centre of mass. Its motion is that of the original.
#pragma once

#include <string>
#include <vector>

#include "../../spatial/spatial.hpp"
#include "../mechanism.hpp"

namespace lw {

struct UrdfRemarks {
  std::vector<std::string> losses;   // omitted parts that affect the motion
  std::vector<std::string> changes;  // parts represented differently
};

// Springs, drives and similar parts stay in the result, although URDF cannot represent them; `remarks` lists them and
// everything else that is lost or changed.
Mechanism urdf_form(const Mechanism& mechanism, UrdfRemarks& remarks);

// roll, pitch, yaw about fixed x, y, z, such that R = Rz(yaw) Ry(pitch) Rx(roll), to the last bits near pitch = ±90°
// too.
std::array<double, 3> rpy_of(const Mat3<double>& R);

}  // namespace lw
