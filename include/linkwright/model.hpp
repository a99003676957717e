// Describe: mechanisms as their files say them, and the flat models that the algorithms read.
#pragma once

#include "model/displace.hpp"
#include "model/embedded.hpp"
#include "model/limits.hpp"
#include "model/mechanism.hpp"
#include "model/model.hpp"
#include "model/read.hpp"
#include "model/write_urdf.hpp"
#include "model/write_yaml.hpp"
