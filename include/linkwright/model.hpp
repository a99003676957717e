// Describe: mechanisms as their files say them, and the flat models that the algorithms read.
#pragma once

#include "model/displace.hpp"
#include "model/limits.hpp"
#include "model/mechanism.hpp"
#include "model/model.hpp"
#include "model/read/embedded.hpp"
#include "model/read/read.hpp"
#include "model/write/write_urdf.hpp"
#include "model/write/write_yaml.hpp"
