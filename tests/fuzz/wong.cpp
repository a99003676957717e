// Any bytes as a mechanism in the vocabulary of Wong.
#include <cstdint>

#include "walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lw::ReadOptions options;
  options.allow_unphysical = size % 2 == 0;
  walk(lw::read_text(text, "input.wong", options));
  return 0;
}
