// The states of a self-test and what they must give.
#pragma once

#include "../../codegen/c/selftest.hpp"
#include "../../codegen/trace/verification.hpp"

namespace lw::cli {

inline constexpr int kVectors = 20;  // states in a self-test

TestVectors vectors_of(const Traced& traced, bool single = false);

}  // namespace lw::cli
