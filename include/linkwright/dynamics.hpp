// Derive: the algorithms, each written once over any scalar.
#pragma once

#include "dynamics/assembly/assembly.hpp"
#include "dynamics/derivatives/forward_derivatives.hpp"
#include "dynamics/derivatives/inverse_derivatives.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/kinematics/inverse_kinematics.hpp"
#include "dynamics/loops/dynamics.hpp"
#include "dynamics/parameters/base_parameters.hpp"
#include "dynamics/parameters/regressor.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/centroidal.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model.hpp"
