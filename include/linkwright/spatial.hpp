// Measure: vectors, rotations and spatial algebra over any scalar.
#pragma once

#include "spatial/rotation_vector.hpp"
#include "spatial/spatial.hpp"
#include "spatial/vec3.hpp"
