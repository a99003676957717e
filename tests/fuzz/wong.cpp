// Any bytes as a mechanism in the vocabulary of Wong.
#include "target.hpp"
#include "walk.hpp"

const Target wong("wong", [](const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  lw::ReadOptions options;
  options.allow_unphysical = size % 2 == 0;
  walk(lw::read_text(text, "input.wong", options));
});
