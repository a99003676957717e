// Command: trajectories, and laws over joints.
#pragma once

#include "control/joint_law.hpp"
#include "control/trajectory.hpp"
#include "dynamics.hpp"
