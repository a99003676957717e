// How often this program has called operator new: for tests of what allocates nothing.
#pragma once

namespace lw {

long allocations_so_far();

}  // namespace lw
