// The input of tests/oracles/maximal.py for a model and a closed state of it: bodies as the model lumps them, joints of
// the tree, cut joints, Coulomb and viscous friction, joint springs, point springs, and couplings for mimic joints.
// Joints with several coordinates are chains of bodies without mass, as in the model. Drives, external forces, shafts
// and tables are not written.
#pragma once

#include <string>

#include "dynamics/tree/workspace.hpp"

namespace lw {

// Results are asked for at t = duration.
std::string maximal_description(const Model<double>& model, In<double> q, In<double> qd, double duration);

}  // namespace lw
