#include "program.hpp"

#include <algorithm>

namespace lw {

std::string symbol(const Program& program, const Function& function) {
  std::string text = program.name + "_" + function.name();
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

}  // namespace lw
