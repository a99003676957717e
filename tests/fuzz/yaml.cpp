// Any bytes as a mechanism file.
#include <cstdint>

#include "walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  walk(lw::read_text(text, "input.yaml", {.floating_base = false, .allow_unphysical = size % 2 == 0}));
  return 0;
}
