// Any bytes as a URDF; what follows a line of %% is its sidecar.
#include "target.hpp"
#include "walk.hpp"

const Target urdf("urdf", [](const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::optional<std::string> sidecar;
  if (const std::size_t split = text.find("\n%%\n"); split != std::string::npos) {
    sidecar = text.substr(split + 4);
    text.resize(split);
  }
  walk(lw::read_text(text, "input.urdf", {.floating_base = size % 3 == 0, .allow_unphysical = size % 2 == 0}, sidecar));
});
