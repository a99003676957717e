// Move: mechanisms in motion, what motions tell about a mechanism, and motions that tell it.
#pragma once

#include "control.hpp"
#include "simulate/advance.hpp"
#include "simulate/batch_run.hpp"
#include "simulate/driven.hpp"
#include "simulate/excite.hpp"
#include "simulate/identify.hpp"
#include "simulate/integrator.hpp"
#include "simulate/low_pass.hpp"
#include "simulate/physical_fit.hpp"
#include "simulate/system.hpp"
#include "simulate/run.hpp"
#include "simulate/scenario.hpp"
#include "simulate/scene.hpp"
#include "simulate/verification.hpp"
