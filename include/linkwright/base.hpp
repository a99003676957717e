// Ground: errors and where they are.
#pragma once

#include "base/error.hpp"
