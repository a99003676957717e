#include "unicode_notation.hpp"

#include <cmath>

#include <fmt/format.h>

#include "greek.hpp"

namespace lw {
namespace {

constexpr int kDigits = 12;  // further digits are rounding errors

constexpr const char* kDigitsBelow[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
constexpr const char* kDigitsAbove[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

std::string digits(const std::string& text, const char* const* set) {
  std::string result;
  for (const char c : text) result += c >= '0' && c <= '9' ? set[c - '0'] : std::string(1, c);
  return result;
}

// Components are superscripts, because Unicode has no subscripts y and z; indices of matrices are subscripts.
std::string raised(const std::string& component) {
  std::string result;
  for (const char c : component) {
    if (c == 'x')
      result += "ˣ";
    else if (c == 'y')
      result += "ʸ";
    else if (c == 'z')
      result += "ᶻ";
    else if (c >= '0' && c <= '9')
      result += kDigitsBelow[c - '0'];
    else if (c == ',')
      result += " ";
    else
      return "_" + component;
  }
  const std::size_t gap = result.find(' ');
  if (gap == std::string::npos) return result;
  return component.size() == 3 ? result.erase(gap, 1) : "[" + component + "]";
}

}  // namespace

std::string UnicodeNotation::number(double value) const {
  if (std::isinf(value)) return value > 0.0 ? "∞" : "(−∞)";
  std::string text = shortest(std::stod(fmt::format("{:.{}g}", value, kDigits)));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  const std::size_t e = text.find('e');
  if (e != std::string::npos) {
    std::string exponent = text.substr(e + 1);
    const bool negative = exponent.front() == '-';
    exponent.erase(0, exponent.find_first_not_of("+-0"));
    const std::string mantissa = text.substr(0, e);
    text = (mantissa == "1" ? "" : mantissa + "·") + "10" + (negative ? "⁻" : "") + digits(exponent, kDigitsAbove);
  }
  return text.front() == '-' ? "(−" + text.substr(1) + ")" : text;
}

std::string UnicodeNotation::symbol(const Symbol& s) const {
  if (s.is_users) return s.quantity;
  std::string base = s.quantity;
  if (const Meaning* m = meaning(s.quantity))
    base = m->unicode;
  else if (const char* letter = greek(s.quantity))
    base = letter;
  return base + digits(s.body, kDigitsBelow) + raised(s.component);
}

std::string UnicodeNotation::function(Op op, const std::vector<std::string>& a) const {
  switch (op) {
    case Op::sqrt: return "√(" + a[0] + ")";
    case Op::abs: return "|" + a[0] + "|";
    case Op::less: return "[" + a[0] + " < " + a[1] + "]";
    case Op::select: return fmt::format("({} if {}, else {})", a[1], a[0], a[2]);
    default:
      if (a.size() == 1 && a[0].find(' ') == std::string::npos) return fmt::format("{} {}", function_name(op), a[0]);
      return fmt::format("{}({})", function_name(op), fmt::join(a, ", "));
  }
}

std::string UnicodeNotation::product(const std::vector<std::string>& factors) const {
  std::string text;
  for (const std::string& f : factors) {
    const bool number = !text.empty() && f.front() >= '0' && f.front() <= '9';
    text += (text.empty() ? "" : number ? "·" : " ") + f;
  }
  return text;
}

std::string UnicodeNotation::fraction(const std::string& above, const std::string& below) const {
  const bool plain = below.find(' ') == std::string::npos;
  const bool sum = above.find(" + ") != std::string::npos || above.find(" − ") != std::string::npos;
  return (sum && above.front() != '(' ? "(" + above + ")" : above) + " / " + (plain ? below : "(" + below + ")");
}

std::string UnicodeNotation::power(const std::string& base, int exponent) const {
  const bool plain = base.find_first_of(" (|") == std::string::npos && base.find("ˣ") == std::string::npos &&
                     base.find("ʸ") == std::string::npos && base.find("ᶻ") == std::string::npos;
  return (plain || base.front() == '(' ? base : "(" + base + ")") + digits(std::to_string(exponent), kDigitsAbove);
}

}  // namespace lw
