// A mechanism brought into the form that URDF can say: numbers instead of formulas, only joints that URDF knows, rotations
// as rpy, inertias about the centre of mass. It moves as the original does.
#pragma once

#include <string>
#include <vector>

#include "mechanism.hpp"
#include "spatial.hpp"

namespace lw {

// Springs, drives and the like stay in the result, although URDF cannot say them; `warnings` names these and all else
// that is lost or changed.
Mechanism urdf_form(const Mechanism& mechanism, std::vector<std::string>& warnings);

// roll, pitch, yaw about fixed x, y, z, such that R = Rz(yaw) Ry(pitch) Rx(roll), to the last bits near pitch = ±90° too.
std::array<double, 3> rpy_of(const Mat3<double>& R);

}  // namespace lw
