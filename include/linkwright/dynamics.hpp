// Derive: the algorithms, each written once over any scalar.
#pragma once

#include "dynamics/aba.hpp"
#include "dynamics/base_parameters.hpp"
#include "dynamics/canonical/composite.hpp"
#include "dynamics/canonical/tensor_derivatives.hpp"
#include "dynamics/canonical/tensor_inverse.hpp"
#include "dynamics/closed_form_arm.hpp"
#include "dynamics/closure.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/follow_path.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/inverse_kinematics.hpp"
#include "dynamics/kinematics.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "model.hpp"
