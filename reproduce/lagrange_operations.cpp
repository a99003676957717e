#include "experiments.hpp"

#include <fmt/format.h>

#include "counting.hpp"
#include "dynamics/formulations/hollerbach.hpp"
#include "dynamics/formulations/lagrange.hpp"
#include "dynamics/formulations/newton_euler.hpp"
#include "dynamics/formulations/twu.hpp"
#include "polynomial.hpp"

// Dhanaraj 1990, table 1.1, the Lagrangian rows: our own texts of the same equations, run with numbers that count.
namespace lw::reproduce {
namespace {

using Inverse = void (*)(const Linkage<Count>&, Poses<Count>, In<Count>, In<Count>, Out<Count>);

const std::vector<long> kJoints{1, 2, 3, 4, 5, 6, 7, 8};

// {multiplications, additions} on a chain of revolute joints without a zero or a one in its data. What the links are
// made of is known beforehand: products of such constants cost nothing. Rotations are given: making them of sines and
// cosines would add 12 × and 6 + a joint, for frames turned anyhow.
std::vector<double> lagrange_operations_of(Inverse inverse, long joints) {
  Variables x;
  DenseChain c(x, static_cast<std::size_t>(joints));
  c.linkage.gravity = {2.0, 3.0, 9.0};
  for (Transform<Count>& pose : c.poses) pose.p = {0.5, 0.7, 0.6};
  return x.cost([&] { inverse(c.linkage, c.poses, c.rates, c.accelerations, c.tau); });
}

struct LagrangeColumns {
  std::vector<double> multiplications, additions;
  Numbers table() const {
    std::vector<double> all = multiplications;
    all.insert(all.end(), additions.begin(), additions.end());
    return {all, multiplications.size()};
  }
};

LagrangeColumns ours(Inverse inverse) {
  LagrangeColumns c;
  for (const long n : kJoints) {
    const std::vector<double> count = lagrange_operations_of(inverse, n);
    c.multiplications.push_back(count[0]);
    c.additions.push_back(count[1]);
  }
  return c;
}

std::vector<double> differences(std::vector<double> row, int order) {
  for (; order > 0; --order) {
    for (std::size_t k = 0; k + 1 < row.size(); ++k) row[k] = row[k + 1] - row[k];
    row.pop_back();
  }
  return row;
}

void set_beside(Experiment& e, const std::string& name, const std::string& whose, const LagrangeColumns& published,
                const LagrangeColumns& computed, int degree, const std::string& saves) {
  const std::string source = "table 1.1, formulas";
  e.beaten(name, fmt::format("{}, n = 1 … 8: × then +", whose), source, published.table(), computed.table(),
           fmt::format("{} n = 6: {} × and {} +.", saves, computed.multiplications[5], computed.additions[5]));
  // a polynomial of this degree, once the chain has a link in the middle
  std::vector<double> rest;
  for (const std::vector<double>& row : {computed.multiplications, computed.additions}) {
    const std::vector<double> d = differences({row.begin() + 1, row.end()}, degree + 1);
    rest.insert(rest.end(), d.begin(), d.end());
  }
  e.compare(name + "-degree", fmt::format("{}, differences of order {} of our counts", whose, degree + 1),
            property("table 1.1, degree of the formulas"), std::vector<double>(rest.size(), 0.0), rest, absolute(0.0),
            "Zero where the cost is a polynomial of the degree that the formula has.");
}

Plot lagrange_plot() {
  Plot plot;
  plot.title = "Inverse dynamics of a dense chain: multiplications + additions, as counted";
  plot.x_label = "joints n";
  plot.y_label = "operations";
  const auto add = [&](const char* label, Inverse inverse) {
    Series s;
    s.label = label;
    for (const long n : kJoints) {
      const std::vector<double> count = lagrange_operations_of(inverse, n);
      s.x.push_back(static_cast<double>(n));
      s.y.push_back(count[0] + count[1]);
    }
    plot.series.push_back(std::move(s));
  };
  add("Twu", twu<Count>);
  add("Lagrange, closed", lagrange<Count>);
  add("Hollerbach 4×4", hollerbach_4x4<Count>);
  add("Hollerbach 3×3", hollerbach_3x3<Count>);
  add("Newton-Euler", newton_euler<Count>);
  return plot;
}

}  // namespace

Experiment lagrange_operations() {
  Experiment e("dhanaraj", "dhanaraj.lagrange-operations",
               "Operation counts of the Lagrangian formulations (table 1.1)",
               "The formulations run with numbers that count what is done with them, on chains of revolute joints "
               "whose data have no zeros and whose rotations are given; products of the links' constants are free. The "
               "published formulas beside them.");
  const auto formulas = [](const Polynomial& mul, const Polynomial& add) {
    return LagrangeColumns{values(mul, kJoints), values(add, kJoints)};
  };
  set_beside(e, "uicker", "Uicker and Kahn",
             formulas({{390, 1037, 2055, 640, -1536}, 12}, {{150, 398, 777, 254, -576}, 6}), ours(lagrange<Count>), 4,
             "Each derivative is its parent's times one matrix; of a product only the trace is formed; half of the "
             "coefficients follow by symmetry; known zeros are not multiplied. (The printed formulas give fractions of "
             "an operation, 215.5 × for one joint, so they cannot be exact.)");
  set_beside(e, "hollerbach4", "Hollerbach 4×4", formulas({{830, -592}}, {{675, -464}}), ours(hollerbach_4x4<Count>), 1,
             "The last rows of the matrices are known, a derivative by a joint's coordinate moves columns and "
             "multiplies nothing, and of a product only the trace is formed.");
  set_beside(e, "hollerbach3", "Hollerbach 3×3", formulas({{412, -277}}, {{320, -201}}), ours(hollerbach_3x3<Count>), 1,
             "A derivative by a joint's coordinate moves columns and multiplies nothing, and of a product only the "
             "trace is formed.");
  e.plots.push_back(lagrange_plot());
  return e;
}

}  // namespace lw::reproduce
