// Expressions as text that parse_formula reads back.
//
// Read over the same names in the same graph, the text gives the very same node; in another graph, the same
// calculation, bit for bit. Parentheses stand only where the grammar needs them, a product of equals is a square:
// `m*(r^2/4 + l^2/12)`.
#pragma once

#include <string>

#include "formula.hpp"
#include "mechanism.hpp"

namespace lw {

// The shortest decimal that reads back as the same double.
std::string number_text(double number);

// Throws Error(model) where the text would have more than 20 000 terms, as one does in which parts that were used again
// and again are written out each time.
std::string formula_text(const Expr& expression);

// The formulas of one mechanism.
class FormulaTexts {
 public:
  explicit FormulaTexts(const Mechanism& mechanism);
  // As a person wrote it, where reading that over the mechanism's parameters still gives the formula's value; else as
  // above.
  std::string operator()(const Formula& formula) const;

 private:
  FormulaNames names_;
};

}  // namespace lw
