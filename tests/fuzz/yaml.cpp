// Any bytes as a mechanism file.
#include "target.hpp"
#include "walk.hpp"

const Target yaml("yaml", [](const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  walk(lw::read_text(text, "input.yaml", {.floating_base = false, .allow_unphysical = size % 2 == 0}));
});
