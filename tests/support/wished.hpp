// The size of a test: what the environment variable says, or else this. The test presets set such variables
// (CMakePresets.json), for `./test --long` and `./test --sanitize`.
#pragma once

#include <cstdlib>

namespace lw {

inline int wished(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace lw
