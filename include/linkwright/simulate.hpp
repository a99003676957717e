// Move: what motions tell about a mechanism, and motions that tell it; how they change with its design.
#pragma once

#include "control.hpp"
#include "simulate/design_problem.hpp"
#include "simulate/design_run.hpp"
#include "simulate/excite.hpp"
#include "simulate/identify.hpp"
#include "simulate/low_pass.hpp"
#include "simulate/optimize_design.hpp"
#include "simulate/physical_fit.hpp"
