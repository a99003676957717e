// This computer as a machine.
#pragma once

#include "machine.hpp"

namespace lw {

Machine measure_host();
Machine host();

}  // namespace lw
