// Texts that generated C and C++ contain: src/graph/sincos_kernel.h in double and in single precision, and
// src/graph/lanes_kernel.h. They say what must be defined before them (LW_SINCOS_FUSED, LW_FMA or LW_FMAF; LW_LANES, …).
#pragma once

#include <string>

namespace lw {

const std::string& sincos_kernel_text();   // lw_sincos(n, x, s, c)
const std::string& sincosf_kernel_text();  // lw_sincosf(n, x, s, c)
const std::string& lanes_kernel_text();    // lw_v, lw_v_fma, …

}  // namespace lw
