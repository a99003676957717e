// Lines of generated code.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace lw {

// A line, broken at blanks if it is wider than `width`: all but the last end with `continued`, all but the first are
// indented by four more columns. Ends with a line break.
std::string code_line(const std::string& line, std::size_t indent, std::size_t width,
                      const std::string& continued = "");

// An expression as an operand: in brackets if it has a blank or a sign outside of brackets.
std::string operand(const std::string& expression);

// Whether an expression begins with `begin` and ends with the bracket that closes its first one: lw_less(a, b), but not
// lw_less(a, b) * lw_less(c, d).
bool is_one_call(const std::string& expression, const std::string& begin);

// Lines as comments: each after `sign` and a blank.
std::string commented(const std::vector<std::string>& lines, const std::string& sign);

// Unique names of functions in one file: letters, digits and underscores, with a number if the name is taken.
class Symbols {
 public:
  std::string unique(const std::string& wish);
  const std::set<std::string>& all() const { return taken_; }

 private:
  std::set<std::string> taken_;
};

}  // namespace lw
