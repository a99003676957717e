// What the library's templates cost, by running them with numbers that count what is done with them.
//
// Free are sign changes and operations with the constants 0 and ±1, and what can be done beforehand with constants.
#pragma once

#include <vector>

#include "dynamics/formulations/linkage.hpp"

namespace lw::reproduce {

// Variables that count into one place. Their values do not matter.
class Variables {
 public:
  Variables() = default;
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  Count number() { return {1.0, &count_}; }
  Vec3<Count> vector() { return {number(), number(), number()}; }
  Vec3<Count> along_z() { return {0.0, 0.0, number()}; }
  Mat3<Count> matrix() { return {vector(), vector(), vector()}; }
  std::vector<Count> numbers(std::size_t n) { return std::vector<Count>(n, number()); }

  // {multiplications, additions}
  template <class Calculation>
  std::vector<double> cost(const Calculation& calculation) {
    count_ = {};
    calculation();
    return {static_cast<double>(count_.multiplications), static_cast<double>(count_.additions)};
  }

 private:
  OperationCount count_;
};

// The links of a chain of revolute joints that have no zeros: masses, centres and inertias are constants.
Linkage<Count> dense_links(std::size_t n, bool diagonal_inertia = false);

// Such a chain with gravity and poses variable.
struct DenseChain {
  DenseChain(Variables& x, std::size_t n, bool diagonal_inertia = false);

  Linkage<Count> linkage;
  std::vector<Transform<Count>> poses;
  std::vector<Count> rates, accelerations, tau;
};

// {multiplications, additions} that one more link in the middle of such a chain costs an inverse dynamics.
template <class Inverse>
std::vector<double> cost_of_a_link(const Inverse& inverse, bool diagonal_inertia = false) {
  Variables x;
  const auto cost = [&](std::size_t n) {
    DenseChain c(x, n, diagonal_inertia);
    return x.cost([&] { inverse(c.linkage, c.poses, c.rates, c.accelerations, c.tau); });
  };
  const std::vector<double> less = cost(4), more = cost(5);
  return {more[0] - less[0], more[1] - less[1]};
}

}  // namespace lw::reproduce
