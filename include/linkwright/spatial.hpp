// Measure: vectors, rotations and spatial algebra over any scalar.
#pragma once

#include "spatial/spatial.hpp"
#include "spatial/vec3.hpp"
