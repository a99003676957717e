// All of Linkwright; each stage also has a header of its own.
#pragma once

#include "base.hpp"
#include "codegen.hpp"
#include "control.hpp"
#include "dynamics.hpp"
#include "graph.hpp"
#include "model.hpp"
#include "schedule.hpp"
#include "simulate.hpp"
#include "spatial.hpp"
