// The files of models/, carried inside the library so that a mechanism can be asked for by name alone.
#pragma once

#include <span>
#include <string_view>

namespace lw {

struct EmbeddedFile {
  std::string_view name;  // as in models/: "puma560.yaml", "panda.urdf", "panda.loops.yaml"
  std::string_view text;
};

// Sorted by name. The source is generated (cmake/embed.cmake).
std::span<const EmbeddedFile> embedded_files();

}  // namespace lw
