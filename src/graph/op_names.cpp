#include "op_names.hpp"

namespace lw {

const char* function_name(Op op) {
  switch (op) {
    case Op::sqrt: return "sqrt";
    case Op::sin: return "sin";
    case Op::cos: return "cos";
    case Op::tan: return "tan";
    case Op::asin: return "asin";
    case Op::acos: return "acos";
    case Op::atan: return "atan";
    case Op::atan2: return "atan2";
    case Op::exp: return "exp";
    case Op::log: return "log";
    case Op::tanh: return "tanh";
    case Op::abs: return "abs";
    case Op::min: return "min";
    case Op::max: return "max";
    case Op::fma: return "fma";
    case Op::less: return "less";
    case Op::select: return "select";
    default: return nullptr;
  }
}

}  // namespace lw
