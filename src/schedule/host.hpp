#pragma once
#include "machine.hpp"
namespace lw { Machine host(); }
