// The numbers of links, joints and tasks are int, −1 being none; the standard library counts without signs.
#pragma once

#include <cstddef>

namespace lw {

inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace lw
