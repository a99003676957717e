// A Function as a system of sums of products: what the algebraic passes work on.
//
//   sum_s = Σ_t k_t Π_l literal_l
//
// A literal is a node that is neither sum nor product (an input, a sine, a quotient), or another sum of the system.
// Roots are the sums that something outside the system needs: the results, and the operands of all other nodes. Its
// cost is (terms − 1) additions a sum and (literals − 1, and one for a constant other than ±1) multiplications a term:
// exact where no product is written twice, which passes/extraction.hpp sees to.
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

// One sum a node. Operations that are rounded once (fma) are literals.
Polynomials polynomials(const Function& function);
// The function with its sums and products as the system says.
Function rebuilt(const Function& function, const Polynomials& system);

// Like terms collected, literals sorted; coefficients that vanish but for rounding are gone.
void collect(Terms& terms);
Term product(const Term& a, const Term& b);
// Sums that roots need, each after those that it needs.
std::vector<std::size_t> topological(const Polynomials& system);

// What stands in its own sum and what is written out where it is used. Constants and single literals always are.
struct Flattening {
  bool products = true;                         // products with one use are written out there
  bool shared_products = true;                  // and those with several uses
  bool sums = true;                             // sums with one use are, where that is a term of another sum
  bool shared_sums = false;                     // and those with several uses
  const std::vector<bool>* dissolve = nullptr;  // and these sums, even out of products, by distribution
};
Polynomials flattened(const Polynomials& system, const Flattening& how);

}  // namespace lw
