#include "twu.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/read/read.hpp"
#include "simulate/optimize/optimize_design.hpp"

namespace lw::reproduce {
namespace {

constexpr int kPrintedDigits = 4;

double last_digit(double x, double coarsest) {
  if (x == 0.0) return 0.0;
  return std::min(coarsest, std::pow(10.0, std::floor(std::log10(std::abs(x))) - kPrintedDigits + 1));
}

}  // namespace

Vector TwuExample::start() const {
  Vector v;
  for (const double d : degrees) v.push_back(d * kDegree);
  return v;
}

Vector TwuExample::force(double t) const {
  Vector all;
  for (std::size_t j = 0; j < a.size(); ++j) all.push_back(a[j] * std::sqrt(t) + b[j]);
  return all;
}

std::vector<const TwuExample*> twu_examples() { return {&twu_planar_example(), &twu_spatial_example()}; }

Mechanism twu_mechanism(const TwuExample& example, double g) {
  return with_values(load(example.model), {{.name = "g"}}, Vector{g});
}

TwuInput twu_input(const std::vector<TwuLink>& links, bool zeros_given) {
  TwuInput in{fmt::format("NUML:={};\n", links.size()), {"g"}};
  std::string values;
  const auto symbol = [&](const std::string& name, const std::string& index, double value) {
    std::string parameter = name + index;
    std::replace(parameter.begin(), parameter.end(), ',', '_');
    in.symbols.push_back(parameter);
    values += fmt::format("{}({}):={};\n", name, index, value);
    return fmt::format("{}({})", name, index);
  };
  for (std::size_t i = 0; i < links.size(); ++i) {
    const TwuLink& link = links[i];
    const std::string at = std::to_string(i + 1);
    in.text += fmt::format("L({}):={};\n", at, symbol("RL", at, link.length));
    for (const char c : {'X', 'Y', 'Z'}) {
      const bool along = c == link.direct;
      in.text += fmt::format(
          "CM({},{}):={};\n", at, c - 'X' + 1,
          along || !zeros_given ? symbol(std::string(1, c) + "CM", at, along ? link.centre : 0.0) : std::string("0"));
    }
    in.text += fmt::format("CM({},4):=1;\nMAS({}):={};\n", at, at, symbol("RM", at, link.mass));
    for (int k = 0; k < 3; ++k) {
      const std::string index = fmt::format("{},{}", at, k + 1);
      in.text += fmt::format("MI({}):={};\n", index, symbol("RMI", index, link.moments[k]));
    }
    in.text += fmt::format("DIRECT({}):={};\n", at, link.direct);
    in.text += link.axis == ' ' ? fmt::format("JOINT({}):=TRAN;\n", at)
                                : fmt::format("JOINT({}):=REV;\nAXIS({}):={};\n", at, at, link.axis);
  }
  in.text += ";END;\n" + values;
  return in;
}

Vector last_digits(const Vector& values, double coarsest) {
  Vector digits;
  for (const double x : values) digits.push_back(last_digit(x, coarsest));
  return digits;
}

Vector last_digits(const std::vector<Vector>& rows, double coarsest) {
  return last_digits(table_of_rows(rows).values, coarsest);
}

Numbers table_of_rows(const std::vector<Vector>& rows) {
  Vector all;
  for (const Vector& row : rows) all.insert(all.end(), row.begin(), row.end());
  return {std::move(all), rows.front().size()};
}

Numbers table_of_motion(const std::vector<Vector>& q, const std::vector<Vector>& qd, const std::vector<Vector>& qdd) {
  std::vector<Vector> rows = q;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    rows[k].insert(rows[k].end(), qd[k].begin(), qd[k].end());
    rows[k].insert(rows[k].end(), qdd[k].begin(), qdd[k].end());
  }
  return table_of_rows(rows);
}

}  // namespace lw::reproduce
