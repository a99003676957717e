// Formulas of a mechanism file: `l1/2`, `-d3*cos(alpha)`, `90 deg`, `2^3`.
//
//   sum     = product { ("+" | "-") product }
//   product = signed { ("*" | "/") signed }
//   signed  = { "-" | "+" } power
//   power   = value [ "^" signed ]                       right associative, binds tighter than a sign: -2^2 is -4
//   value   = (number | name | function "(" sum { "," sum } ")" | "(" sum ")") [ "deg" ]
//
// An integer exponent becomes products, ±0.5 a square root, any other a^b = exp(b log a). `deg` applies to the value
// directly before it; ambiguous formulas (`90/2 deg`, `2^3 deg`) are rejected. A name is a letter followed by letters,
// digits and _; names with points (`q.elbow` in scenarios) are accepted where they are defined.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "../graph/expr.hpp"

namespace lw {

// Placeholder for a number that could not be read; checks skip it.
inline constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();

using FormulaNames = std::map<std::string, Expr, std::less<>>;

struct FormulaError {
  std::size_t offset = 0;  // in the text, from 0
  std::string message;
  std::string hint;
  std::string unknown;  // the name, if the error is that it is unknown
};

std::variant<Expr, FormulaError> parse_formula(std::string_view text, const FormulaNames& names);

// Why a parameter cannot have this name, or "": names are a letter or _, then letters, digits and _, and no word of the
// language.
std::string parameter_name_fault(const std::string& name);

// A finite number and nothing else, whatever the locale; surrounding blanks are allowed.
bool parse_number(std::string_view text, double& number);

}  // namespace lw
