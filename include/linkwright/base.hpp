// Ground: errors and where they are, and the spans that calls take.
#pragma once

#include "base/error.hpp"
#include "base/view.hpp"
