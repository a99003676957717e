#include "formula.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "characters.hpp"
#include "complaints.hpp"

namespace lw {
namespace {

constexpr int kDeepestFormula = 100;      // nested parentheses, signs and powers; limits stack use
constexpr double kLargestProduct = 1024;  // largest integer exponent that becomes products

struct FunctionEntry {
  const char* name;
  Expr (*unary)(const Expr&);
  Expr (*binary)(const Expr&, const Expr&);
};
constexpr FunctionEntry kFunctions[] = {
    {"sin", sin, nullptr},   {"cos", cos, nullptr},   {"tan", tan, nullptr},   {"asin", asin, nullptr},
    {"acos", acos, nullptr}, {"atan", atan, nullptr}, {"sqrt", sqrt, nullptr}, {"abs", abs, nullptr},
    {"exp", exp, nullptr},   {"log", log, nullptr},   {"tanh", tanh, nullptr}, {"atan2", nullptr, atan2},
    {"min", nullptr, min},   {"max", nullptr, max},
};

const FunctionEntry* find_function(std::string_view name) {
  const auto* place = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const FunctionEntry& f) { return f.name == name; });
  return place == std::end(kFunctions) ? nullptr : place;
}

// A unit after a number: everything is in SI units, and only `deg` may be written.
const char* unit_hint(std::string_view word) {
  for (const char* length : {"m", "mm", "cm", "dm", "km", "in", "inch", "inches", "ft"}) {
    if (word == length) return "no unit is written: lengths are in metres";
  }
  for (const char* angle : {"rad", "radian", "radians"}) {
    if (word == angle) return "no unit is written: angles are in radians";
  }
  for (const char* other : {"kg", "g", "N", "Nm", "s", "rpm", "Hz"}) {
    if (word == other) return "no unit is written: numbers are in kg, m, s, N and rad";
  }
  return nullptr;
}

Expr integer_power(const Expr& base, int exponent) {
  Expr result = 1.0, square = base;
  for (int n = std::abs(exponent); n > 0; n /= 2) {
    if (n % 2 == 1) result = result * square;
    if (n > 1) square = square * square;
  }
  return exponent < 0 ? 1.0 / result : result;
}

Expr power(const Expr& base, const Expr& exponent) {
  if (exponent.is_constant()) {
    const double n = exponent.constant();
    if (n == std::round(n) && std::abs(n) <= kLargestProduct) return integer_power(base, static_cast<int>(n));
    if (n == 0.5) return sqrt(base);
    if (n == -0.5) return 1.0 / sqrt(base);
  }
  return exp(exponent * log(base));
}

class Parser {
 public:
  Parser(std::string_view text, const FormulaNames& names) : text_(text), names_(names) {
    dotted_ = std::ranges::any_of(names, [](const auto& n) { return n.first.find('.') != std::string::npos; });
  }

  Expr whole() {
    skip_blanks();
    if (at_end()) fail(0, "a number or a formula is missing");
    const Expr result = sum();
    if (!at_end()) unexpected();
    return result;
  }

 private:
  struct Value {
    Expr expr;
    bool bare_degrees = false;  // ends in a `deg` that no parenthesis encloses
  };

  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > kDeepestFormula)
        parser.fail(parser.at_, fmt::format("nested more than {} deep", kDeepestFormula));
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  [[noreturn]] void fail(std::size_t offset, std::string message, std::string hint = {}) const {
    throw FormulaError{offset, std::move(message), std::move(hint), {}};
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }
  bool accept(char c) {
    if (peek() != c || at_end()) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  std::string_view word() const {
    if (!is_letter(peek())) return {};
    std::size_t end = at_;
    const auto continues = [&](std::size_t k) {
      return k < text_.size() && (is_letter(text_[k]) || is_digit(text_[k]));
    };
    while (continues(end) || (dotted_ && text_.substr(end, 1) == "." && continues(end + 1))) ++end;
    return text_.substr(at_, end - at_);
  }
  void skip_word(std::string_view w) {
    at_ += w.size();
    skip_blanks();
  }

  [[noreturn]] void unexpected() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("\xC2\xB0")) fail(at_, "unexpected `°`", "degrees are written `90 deg`");
    if (rest.starts_with("\xE2\x88\x92")) fail(at_, "this minus sign is the character U+2212", "write the ASCII `-`");
    if (const std::string_view w = word(); !w.empty()) {
      if (const char* hint = unit_hint(w)) fail(at_, fmt::format("unexpected {} after a value", in_quotes(w)), hint);
      const bool degrees = w.starts_with("deg") || w == "°";
      fail(at_, fmt::format("unexpected {} after a value", in_quotes(w)),
           degrees ? "degrees are written `90 deg`" : fmt::format("write `*{}` to multiply", w));
    }
    if (rest[0] == ',') fail(at_, "unexpected `,`", "the decimal sign is a point: `1.5`");
    if (rest[0] == ')') fail(at_, "`)` without `(`");
    if (is_digit(rest[0]) || rest[0] == '.') fail(at_, "an operator is missing before this number");
    std::size_t length = 1;  // one UTF-8 character
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80) ++length;
    fail(at_, fmt::format("unexpected {}", in_quotes(rest.substr(0, length))), "operators are + - * / ^");
  }

  // Constants must be finite at every step, so that 1/0 is reported where it is written.
  Expr finite(const Expr& e, std::size_t from) const {
    if (!e.is_constant() || std::isfinite(e.constant())) return e;
    std::size_t end = at_;
    while (end > from && is_blank(text_[end - 1])) --end;
    fail(from, fmt::format("{} has no finite value", in_quotes(text_.substr(from, end - from))));
  }

  Expr sum() {
    const std::size_t from = at_;
    Expr result = product();
    for (;;) {
      if (accept('+')) {
        result = finite(result + product(), from);
      } else if (accept('-')) {
        result = finite(result - product(), from);
      } else {
        return result;
      }
    }
  }

  Expr product() {
    const std::size_t from = at_;
    Expr result = signed_value().expr;
    for (;;) {
      if (accept('*')) {
        result = finite(result * signed_value().expr, from);
      } else if (accept('/')) {
        const std::size_t divisor = at_;
        const Value value = signed_value();
        if (value.bare_degrees) ambiguous_degrees(divisor);
        if (value.expr.is_constant(0.0)) fail(divisor, "division by zero");
        result = finite(result / value.expr, from);
      } else {
        return result;
      }
    }
  }

  [[noreturn]] void ambiguous_degrees(std::size_t offset) const {
    fail(offset, "`deg` is ambiguous here", "write parentheses: `(90/2) deg` or `90/(2 deg)`");
  }

  // All nesting passes through here.
  Value signed_value() {
    const Depth depth(*this);
    if (accept('-')) {
      Value value = signed_value();
      value.expr = -value.expr;
      return value;
    }
    if (accept('+')) return signed_value();
    return power_value();
  }

  Value power_value() {
    const std::size_t from = at_;
    const Value base = value();
    if (!accept('^')) return base;
    if (base.bare_degrees) ambiguous_degrees(from);
    const std::size_t exponent_from = at_;
    const Value exponent = signed_value();
    if (exponent.bare_degrees) ambiguous_degrees(exponent_from);
    return {finite(power(base.expr, exponent.expr), from), false};
  }

  Value value() {
    const std::size_t from = at_;
    Expr result = plain_value();
    if (word() != "deg") return {result, false};
    skip_word("deg");
    // x/180 first, so that multiples of 45° give the double nearest to the angle
    result = result.is_constant() ? Expr(result.constant() / 180.0 * std::numbers::pi)
                                  : result * Expr(std::numbers::pi / 180.0);
    if (word() == "deg") fail(at_, "`deg` twice");
    return {finite(result, from), true};
  }

  Expr plain_value() {
    if (at_end()) fail(text_.size(), "the formula ends where a value is expected");
    if (is_digit(peek()) || peek() == '.') return number();
    if (accept('(')) {
      const Expr inner = sum();
      if (!accept(')')) missing_parenthesis();
      return inner;
    }
    const std::string_view w = word();
    if (w.empty()) unexpected_start();
    return named(w);
  }

  [[noreturn]] void unexpected_start() const {
    const std::string_view rest = text_.substr(at_);
    if (rest[0] == ')' || rest[0] == ',' || rest[0] == '*' || rest[0] == '/' || rest[0] == '^') {
      const bool doubled = rest[0] == '*' && at_ > 0 && text_[at_ - 1] == '*';
      fail(at_, fmt::format("a value is missing before {}", in_quotes(rest.substr(0, 1))),
           doubled ? "powers are written `l^2`" : "");
    }
    unexpected();
  }

  [[noreturn]] void missing_parenthesis() const {
    if (!at_end()) unexpected();
    fail(text_.size(), "`)` is missing", "inside [ ] and { } a formula with a comma needs quotes: \"max(a, b)\"");
  }

  Expr number() {
    double result = 0.0;
    const char* begin = text_.data() + at_;
    const auto [end, fault] = std::from_chars(begin, text_.data() + text_.size(), result);
    const std::string_view written(begin, static_cast<std::size_t>(end - begin));
    if (fault == std::errc::result_out_of_range) {
      fail(at_, fmt::format("{} is too large or too small for a double", in_quotes(written)));
    }
    if (fault != std::errc()) fail(at_, "unexpected `.`", "a number is written 0.5");
    skip_word(written);
    return result;
  }

  Expr named(std::string_view w) {
    const std::size_t from = at_;
    skip_word(w);
    if (const FunctionEntry* function = find_function(w)) return call(*function, from);
    if (w == "pi") return std::numbers::pi;
    if (w == "deg") fail(from, "`deg` has no value before it", "degrees are written `90 deg`");
    if (const auto place = names_.find(w); place != names_.end()) return place->second;
    std::vector<std::string> known{"pi"};
    if (peek() == '(') known.clear();
    for (const FunctionEntry& f : kFunctions) known.emplace_back(f.name);
    for (const auto& [name, value] : names_) {
      if (peek() != '(' && known.size() < kMostCompared) known.push_back(name);
    }
    const std::string near = w.size() <= 200 ? nearest_word(std::string(w), known) : std::string();
    throw FormulaError{
        from, fmt::format("unknown {} {}", peek() == '(' ? "function" : "name", in_quotes(w)),
        near.empty() ? "a name must stand under `parameters`" : fmt::format("did you mean {}?", in_quotes(near)),
        std::string(w)};
  }

  Expr call(const FunctionEntry& function, std::size_t from) {
    if (!accept('(')) fail(from, fmt::format("`{}` is a function: `{}(…)`", function.name, function.name));
    const Expr first = sum();
    if (function.unary != nullptr) {
      if (peek() == ',') fail(at_, fmt::format("`{}` takes one argument", function.name));
      if (!accept(')')) missing_parenthesis();
      return finite(function.unary(first), from);
    }
    if (!accept(',')) {
      if (at_end()) missing_parenthesis();
      fail(at_, fmt::format("`{}` takes two arguments", function.name));
    }
    const Expr second = sum();
    if (peek() == ',') fail(at_, fmt::format("`{}` takes two arguments", function.name));
    if (!accept(')')) missing_parenthesis();
    return finite(function.binary(first, second), from);
  }

  std::string_view text_;
  const FormulaNames& names_;
  bool dotted_ = false;  // accepts names such as q.elbow
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::variant<Expr, FormulaError> parse_formula(std::string_view text, const FormulaNames& names) {
  try {
    return Parser(text, names).whole();
  } catch (FormulaError& error) {
    return std::move(error);
  }
}

std::string parameter_name_fault(const std::string& name) {
  const bool well_formed = !name.empty() && is_letter(name[0]) &&
                           std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (!well_formed) return "a parameter is named by a letter, then letters, digits and _";
  if (find_function(name) != nullptr) return "that is the name of a function";
  if (name == "pi" || name == "deg") return "that is a word of the formula language";
  return {};
}

bool parse_number(std::string_view text, double& number) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  if (text.starts_with('+') && text.size() > 1 && (is_digit(text[1]) || text[1] == '.')) text.remove_prefix(1);
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() && std::isfinite(number);
}

}  // namespace lw
