#include "kernels.hpp"

#include "../../base/error.hpp"
#include "../../model/read/embedded.hpp"
#include "c_text.hpp"

namespace lw {
namespace {

std::string kernel(std::string_view name) {
  for (const auto& files : {embedded_kernels(), embedded_codegen_kernels()}) {
    for (const EmbeddedFile& file : files) {
      if (file.name == name) return std::string(file.text);
    }
  }
  require(false, "the kernel is not embedded in the library");
  return {};
}

std::string in_precision(std::string text, bool single) {
  replace_all(text, "LW_REAL", single ? "float" : "double");
  replace_all(text, "LW_UNSIGNED", single ? "unsigned" : "unsigned long long");
  replace_all(text, "LW_BYTES", single ? "4" : "8");
  // as the makers of processors say it
  replace_all(text, "LW_QUARTER", single ? "f32x4" : "f64x2");
  replace_all(text, "LW_F64", single ? "f32" : "f64");
  replace_all(text, "LW_PD", single ? "ps" : "pd");
  replace_all(text, "__m512LW_D", single ? "__m512" : "__m512d");
  replace_all(text, "__m256LW_D", single ? "__m256" : "__m256d");
  return text;
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

const std::string& arcs_kernel_text() {
  static const std::string text = kernel("arcs_kernel.h");
  return text;
}

std::string lanes_kernel_text(bool single_precision) {
  return in_precision(kernel("lanes_kernel.h"), single_precision);
}
std::string loops_kernel_text() { return in_precision(kernel("loops_kernel.h"), false); }
std::string rows_kernel_text(bool single_precision) { return in_precision(kernel("rows_kernel.h"), single_precision); }

}  // namespace lw
