#include "polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace lw::reproduce {

double Polynomial::operator()(long n) const {
  long value = 0;
  for (const long c : coefficients) value = value * n + c;
  return static_cast<double>(value) / static_cast<double>(denominator);
}

std::vector<double> values(const Polynomial& p, const std::vector<long>& at) {
  std::vector<double> result;
  for (const long n : at) result.push_back(p(n));
  return result;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum;
  sum.denominator = a.denominator * b.denominator;
  const std::size_t size = std::max(a.coefficients.size(), b.coefficients.size());
  sum.coefficients.assign(size, 0);
  const auto add = [&](const Polynomial& p, long factor) {
    const std::size_t shift = size - p.coefficients.size();
    for (std::size_t k = 0; k < p.coefficients.size(); ++k) sum.coefficients[k + shift] += factor * p.coefficients[k];
  };
  add(a, b.denominator);
  add(b, a.denominator);
  return sum;
}

double interpolated(const std::vector<long>& at, const std::vector<double>& row, std::size_t missing,
                    std::size_t degree) {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < at.size() && others.size() <= degree; ++i) {
    if (i != missing) others.push_back(i);
  }
  if (others.size() <= degree) throw Error(ErrorCode::data, "too few entries for a polynomial of that degree");
  double value = 0.0;
  for (const std::size_t i : others) {
    double weight = row[i];
    for (const std::size_t j : others) {
      if (j != i) weight *= static_cast<double>(at[missing] - at[j]) / static_cast<double>(at[i] - at[j]);
    }
    value += weight;
  }
  return value;
}

std::vector<double> whole(std::vector<double> counts) {
  for (double& c : counts) {
    if (std::abs(c - std::round(c)) < 1e-6) c = std::round(c);
  }
  return counts;
}

}  // namespace lw::reproduce
