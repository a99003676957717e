// Greek letters by their names: "omega" is ω.
#pragma once

#include <string>
#include <utility>

namespace lw {

inline constexpr std::pair<const char*, const char*> kGreek[] = {
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"}, {"eta", "η"},
    {"theta", "θ"}, {"iota", "ι"},  {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},   {"xi", "ξ"},
    {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"},  {"psi", "ψ"},
    {"omega", "ω"}, {"Gamma", "Γ"}, {"Delta", "Δ"}, {"Theta", "Θ"},  {"Lambda", "Λ"},  {"Xi", "Ξ"},   {"Pi", "Π"},
    {"Sigma", "Σ"}, {"Phi", "Φ"},   {"Psi", "Ψ"},   {"Omega", "Ω"}};

// nullptr if there is none
inline const char* greek(const std::string& name) {
  for (const auto& [word, letter] : kGreek) {
    if (name == word) return letter;
  }
  return nullptr;
}

}  // namespace lw
