// Move: mechanisms in motion, what motions tell about a mechanism, and motions that tell it.
#pragma once

#include "control.hpp"
#include "simulate/identify/excite.hpp"
#include "simulate/identify/identify.hpp"
#include "simulate/identify/physical_fit.hpp"
#include "simulate/integrate/integrator.hpp"
#include "simulate/run/batch_run.hpp"
#include "simulate/run/run.hpp"
#include "simulate/run/verification.hpp"
#include "simulate/scenario/scenario.hpp"
#include "simulate/scenario/scene.hpp"
#include "simulate/standalone/standalone.hpp"
