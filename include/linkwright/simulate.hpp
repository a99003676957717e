// Move: what motions tell about a mechanism, and motions that tell it.
#pragma once

#include "control.hpp"
#include "simulate/excite.hpp"
#include "simulate/identify.hpp"
#include "simulate/low_pass.hpp"
#include "simulate/physical_fit.hpp"
#include "simulate/standalone.hpp"
