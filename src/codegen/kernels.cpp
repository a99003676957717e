#include "kernels.hpp"

#include "../base/error.hpp"
#include "../model/embedded.hpp"

namespace lw {
namespace {

std::string kernel(std::string_view name) {
  for (const EmbeddedFile& file : embedded_kernels()) {
    if (file.name == name) return std::string(file.text);
  }
  require(false, "a kernel is embedded");
  return {};
}

}  // namespace

const std::string& sincos_kernel_text() {
  static const std::string text = kernel("sincos_kernel.h");
  return text;
}

const std::string& sincosf_kernel_text() {
  static const std::string text = kernel("sincosf_kernel.h");
  return text;
}

const std::string& lanes_kernel_text() {
  static const std::string text = kernel("lanes_kernel.h");
  return text;
}

}  // namespace lw
