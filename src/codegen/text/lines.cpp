#include "lines.hpp"

#include <algorithm>
#include <cctype>

namespace lw {

std::string code_line(const std::string& line, std::size_t indent, std::size_t width, const std::string& continued) {
  std::string text;
  std::size_t from = 0, margin = indent;
  while (line.size() - from + margin > width) {
    const std::size_t cut = line.rfind(' ', from + width - margin - continued.size());
    if (cut == std::string::npos || cut <= from) break;
    text += std::string(margin, ' ') + line.substr(from, cut - from) + continued + "\n";
    from = cut + 1;
    margin = indent + 4;
  }
  return text + std::string(margin, ' ') + line.substr(from) + "\n";
}

std::string operand(const std::string& expression) {
  int depth = 0;
  bool is_simple = expression.front() != '-';
  for (const char c : expression) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ' ' && depth == 0) is_simple = false;
  }
  return is_simple ? expression : "(" + expression + ")";
}

std::string commented(const std::vector<std::string>& lines, const std::string& sign) {
  std::string text;
  for (const std::string& line : lines) text += sign + (line.empty() ? "" : " ") + line + "\n";
  return text;
}

std::string Symbols::unique(const std::string& wish) {
  std::string stem = wish;
  std::replace_if(
      stem.begin(), stem.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  std::string name = stem;
  for (int k = 2; taken_.contains(name); ++k) name = stem + "_" + std::to_string(k);
  taken_.insert(name);
  return name;
}

bool is_one_call(const std::string& expression, const std::string& begin) {
  if (!expression.starts_with(begin)) return false;
  int depth = 0;
  for (std::size_t k = expression.find('('); k < expression.size(); ++k) {
    depth += expression[k] == '(' ? 1 : expression[k] == ')' ? -1 : 0;
    if (depth == 0) return k + 1 == expression.size();
  }
  return false;
}

}  // namespace lw
