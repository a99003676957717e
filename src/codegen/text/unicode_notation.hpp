// Mathematics in plain text: ω₂ˣ, q̇₁, s₂₃.
#pragma once

#include "equations.hpp"

namespace lw {

class UnicodeNotation : public Notation {
 public:
  std::string number(double value) const override;
  std::string symbol(const Symbol& symbol) const override;
  std::string function(Op op, const std::vector<std::string>& arguments) const override;
  std::string product(const std::vector<std::string>& factors) const override;
  std::string fraction(const std::string& above, const std::string& below) const override;
  std::string power(const std::string& base, int exponent) const override;
  std::string brackets(const std::string& inside) const override { return "(" + inside + ")"; }
  const char* minus() const override { return "−"; }
};

}  // namespace lw
