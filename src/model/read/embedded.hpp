// Files embedded in the library: those of models/ and machines/, which can be requested by name, and the kernels
// contained in generated code.
#pragma once

#include <span>
#include <string_view>

namespace lw {

struct EmbeddedFile {
  std::string_view name;  // as in models/: "puma560.yaml", "panda.urdf", "panda.loops.yaml"
  std::string_view text;
};

// Sorted by name. The sources are generated (cmake/embed.cmake).
std::span<const EmbeddedFile> embedded_files();
std::span<const EmbeddedFile> embedded_machine_files();      // src/schedule/machine.hpp
std::span<const EmbeddedFile> embedded_kernels();            // src/graph/*_kernel.h
std::span<const EmbeddedFile> embedded_codegen_kernels();    // src/codegen/*_kernel.h
std::span<const EmbeddedFile> embedded_simulator_kernels();  // src/simulate/standalone_*_kernel.*

}  // namespace lw
