// A Function as a system of sums of products, on which the algebraic passes work.
//
//   sum_s = Σ_t k_t Π_l literal_l
//
// A literal is a node that is neither sum nor product (an input, a sine, a quotient), or another sum of the system.
// Roots are the sums used outside the system: the results, and the operands of all other nodes. The cost is (terms − 1)
// additions per sum and (literals − 1, plus one for a constant other than ±1) multiplications per term, which is exact
// if no product occurs twice, as passes/extraction.hpp ensures.
#pragma once

#include <cstdint>
#include <vector>

#include "../function.hpp"

namespace lw {

using Literal = std::uint32_t;
constexpr Literal kSumLiteral = Literal{1} << 31;  // below: NodeId of the function; from here on: index of a sum
inline bool is_sum(Literal l) { return l >= kSumLiteral; }
inline std::size_t sum_index(Literal l) { return l - kSumLiteral; }
inline Literal sum_literal(std::size_t index) { return kSumLiteral + static_cast<Literal>(index); }

struct Term {
  double k = 1.0;
  std::vector<Literal> literals;  // sorted, with repetition
};
using Terms = std::vector<Term>;

struct Polynomials {
  struct Root {
    NodeId node;
    std::size_t sum;
  };
  std::vector<Terms> sums;
  std::vector<Root> roots;
};

// One sum per node. Operations that are rounded once (fma) are literals.
Polynomials polynomials(const Function& function);
// The function with the sums and products of the system.
Function rebuilt(const Function& function, const Polynomials& system);

// Collects like terms and sorts literals; removes coefficients that are only rounding errors.
void collect(Terms& terms);
Term product(const Term& a, const Term& b);
// Sums needed by roots, operands first.
std::vector<std::size_t> topological(const Polynomials& system);

// Selects the sums that are expanded where they are used. Constants and single literals always are.
struct Flattening {
  bool products = true;                         // expand products with one use
  bool shared_products = true;                  // and those with several uses
  bool sums = true;                             // expand sums whose one use is a term of another sum
  bool shared_sums = false;                     // and those with several uses
  const std::vector<bool>* dissolve = nullptr;  // and these sums, even within products, by distribution
};
Polynomials flattened(const Polynomials& system, const Flattening& how);

}  // namespace lw
