// How often this program has asked for memory: for tests of what allocates nothing. Only folders that
// tests/CMakeLists.txt names count; under a sanitizer, which has an allocator of its own, none does.
#pragma once

#include "support/sanitizer.hpp"

#define LW_SKIP_UNLESS_ALLOCATIONS_ARE_COUNTED() \
  if (kSanitized) GTEST_SKIP() << "allocations are not counted: the sanitizer has an allocator of its own"

namespace lw {

long allocations_so_far();

}  // namespace lw
