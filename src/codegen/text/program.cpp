#include "program.hpp"

#include <algorithm>

namespace lw {

std::string symbol(const Program& program, const Function& function) { return symbol(program, function, {}); }

std::string symbol(const Program& program, const Function& function, const Form& form) {
  const std::string& language = form.language;
  if (is_to_read(form)) return function.name();
  const char* between = language == "c++" ? "::" : language == "python" ? "." : "_";
  std::string text = function.name();
  std::replace(text.begin(), text.end(), '-', '_');
  return program.name + (form.single_precision ? "f" : "") + between + text;
}

bool is_to_read(const Form& form) {
  return form.language == "latex" || form.language == "text" || form.language == "dot";
}

std::string stem(const Program& program, const Form& form) {
  return program.name + (form.single_precision ? "f_" : "_") + (form.language == "c++" ? "cpp" : form.language);
}

}  // namespace lw
