// Indices of links, joints and tasks are int, where −1 means none; the standard library uses unsigned sizes.
#pragma once

#include <cstddef>

namespace lw {

inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace lw
