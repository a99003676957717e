// A mechanism brought into the form that URDF can say: numbers instead of formulas, only joints that URDF knows,
// rotations as rpy, inertias about the centre of mass. It moves as the original does.
#pragma once

#include <string>
#include <vector>

#include "../../spatial/spatial.hpp"
#include "../mechanism.hpp"

namespace lw {

struct UrdfRemarks {
  std::vector<std::string> losses;   // what acts on the motion and is left out
  std::vector<std::string> changes;  // what is said in another way
};

// Springs, drives and the like stay in the result, although URDF cannot say them; `remarks` names these and all else
// that is lost or changed.
Mechanism urdf_form(const Mechanism& mechanism, UrdfRemarks& remarks);

// roll, pitch, yaw about fixed x, y, z, such that R = Rz(yaw) Ry(pitch) Rx(roll), to the last bits near pitch = ±90°
// too.
std::array<double, 3> rpy_of(const Mat3<double>& R);

}  // namespace lw
