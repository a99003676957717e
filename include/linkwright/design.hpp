// Improve: how runs change with the design of a mechanism, and the best design. Not part of linkwright.hpp.
#pragma once

#include "simulate.hpp"
#include "simulate/design/design_run.hpp"
#include "simulate/optimize/design_problem.hpp"
#include "simulate/optimize/optimize_design.hpp"
