// Operation counts as the theses give them: polynomials in the number of joints, evaluated in whole numbers.
#pragma once

#include <string>
#include <vector>

namespace lw::reproduce {

// (c₀ nᵏ + c₁ nᵏ⁻¹ + … + cₖ) / denominator
struct Polynomial {
  std::vector<long> coefficients;
  long denominator = 1;

  double operator()(long n) const;
};

std::vector<double> values(const Polynomial& p, const std::vector<long>& at);
Polynomial operator+(const Polynomial& a, const Polynomial& b);

// What entry `missing` of a printed row must be if the row is a polynomial of the given degree: the value, there, of
// the polynomial through degree + 1 of the other entries. A method to a count that does not use its formula.
double interpolated(const std::vector<long>& at, const std::vector<double>& row, std::size_t missing,
                    std::size_t degree);

// Counts that came about in floating point: what is a whole number but for rounding becomes one; the rest stays as it
// is, and equals no count.
std::vector<double> whole(std::vector<double> counts);

}  // namespace lw::reproduce
