// Command: trajectories.
#pragma once

#include "control/trajectory.hpp"
#include "dynamics.hpp"
