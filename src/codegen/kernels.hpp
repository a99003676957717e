// Texts that generated C and C++ contain: src/graph/sincos_kernel.h in double and in single precision. They say what
// must be defined before them (LW_SINCOS_FUSED, LW_FMA or LW_FMAF).
#pragma once

#include <string>

namespace lw {

const std::string& sincos_kernel_text();   // lw_sincos(n, x, s, c)
const std::string& sincosf_kernel_text();  // lw_sincosf(n, x, s, c)

}  // namespace lw
