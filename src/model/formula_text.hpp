// Expressions as text that parse_formula reads back.
//
// Parsed with the same names in the same graph, the text gives the identical node; in another graph, the same
// calculation, bit for bit. Parentheses are written only where needed, and a product of equal factors is a square:
// `m*(r^2/4 + l^2/12)`.
#pragma once

#include <string>

#include "formula.hpp"
#include "mechanism.hpp"

namespace lw {

// The shortest decimal that reads back as the same double.
std::string number_text(double number);

// Throws Error(model) if the text would have more than 20 000 terms, because shared parts are written out each time.
std::string formula_text(const Expr& expression);

// The formulas of one mechanism.
class FormulaTexts {
 public:
  explicit FormulaTexts(const Mechanism& mechanism);
  // The original text, if parsing it with the mechanism's parameters still gives the formula's value; otherwise as
  // above.
  std::string operator()(const Formula& formula) const;

 private:
  FormulaNames names_;
};

}  // namespace lw
