// Texts that generated C and C++ contain, from the files *_kernel.h of graph/ and codegen/. Each names what must be
// defined before it (LW_SINCOS_FUSED, LW_FMA or LW_FMAF; LW_LANES, LW_VECTOR, LW_HAS_FMA). Those over lanes exist for
// double and for float: LW_REAL, LW_UNSIGNED (an integer of the same size), LW_BYTES, LW_PD and similar words are
// replaced.
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
