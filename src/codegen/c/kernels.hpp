// Texts that generated C and C++ contain, of src/graph/*_kernel.h and src/codegen/*_kernel.h. They say what must be
// defined before them (LW_SINCOS_FUSED, LW_FMA or LW_FMAF; LW_LANES, LW_VECTOR, LW_HAS_FMA). Those over lanes are for
// double and for float: what is written LW_REAL, LW_UNSIGNED (an integer of its size), LW_BYTES, LW_PD and the like has
// been filled in.
#pragma once

#include <string>

namespace lw {

const std::string& sincos_kernel_text();               // lw_sincos(n, x, s, c)
const std::string& sincosf_kernel_text();              // lw_sincosf(n, x, s, c)
const std::string& arcs_kernel_text();                 // lw_arcs(n, y, x, a)
std::string lanes_kernel_text(bool single_precision);  // lw_v, lw_v_fma, …
std::string rows_kernel_text(bool single_precision);   // lw_v_read, lw_v_write

std::string loops_kernel_text();  // lw_add_loops, over double

}  // namespace lw
