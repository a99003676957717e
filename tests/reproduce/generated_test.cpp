// What the counts of generated code rest on: the size of a function written out, and that a wrong function has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reproduce/generated.hpp"
#include "reproduce/orthogonal_arm.hpp"
#include "reproduce/substituted.hpp"

namespace lw::reproduce {
namespace generated_test {

std::string written(const Graph& g, NodeId id) {
  const Node& n = g[id];
  const auto joined = [&](const char* sign) { return "(" + written(g, n.a) + sign + written(g, n.b) + ")"; };
  switch (n.op) {
    case Op::constant: return fmt::format("{}", n.value);
    case Op::input: return g.inputs()[n.a];
    case Op::add: return joined("+");
    case Op::sub: return joined("-");
    case Op::mul: return joined("*");
    case Op::div: return joined("/");
    case Op::neg: return "-" + written(g, n.a);
    case Op::sin: return "sin(" + written(g, n.a) + ")";
    case Op::cos: return "cos(" + written(g, n.a) + ")";
    default: ADD_FAILURE(); return "";
  }
}

TEST(Substituted, IsTheSizeOfTheText) {
  for (const int joints : {2, 3}) {
    for (const char* formulation : {"lagrange", "newton-euler-modified", "twu"}) {
      const Function f = traced_formulation(formulation, orthogonal_arm(joints));
      std::string text;
      for (const NodeId id : f.results()) text += written(f.graph(), id);
      const Substituted s = substituted(f);
      EXPECT_EQ(s.bytes, static_cast<double>(text.size())) << formulation;
      const auto count = [&](char c) { return static_cast<double>(std::count(text.begin(), text.end(), c)); };
      EXPECT_EQ(s.multiplications, count('*') + count('/')) << formulation;
      // every pair of brackets holds one operation, or the angle of a sine or cosine; these alone have letters like s
      EXPECT_EQ(s.operations(), count('(') - count('s')) << formulation;
    }
  }
}

TEST(OrthogonalArm, KeepsItsZeros) {
  // Dhanaraj 1990, table 2.4, by hand, for one link more: a turned vector costs 4 × and 2 + at right angles, and one
  // coordinate of p is zero. Rounding that left products of inertia would cost more, equal numbers less.
  //                             ω   α   λ   a  a_c  F   N   f'  f   n
  constexpr int multiplications = 4 + 6 + 6 + 10 + 9 + 3 + 6 + 4 + 0 + 14;
  constexpr int additions = 3 + 5 + 9 + 8 + 9 + 0 + 3 + 2 + 3 + 15;
  const auto cost = [](int n) { return arithmetic_of(traced_formulation("newton-euler-modified", orthogonal_arm(n))); };
  for (int n = 3; n < 7; ++n) {
    EXPECT_EQ(cost(n + 1)[0] - cost(n)[0], multiplications);
    EXPECT_EQ(cost(n + 1)[1] - cost(n)[1], additions);
  }
}

TEST(Generated, AWrongFunctionBeatsNothing) {
  Generated g = generate(orthogonal_arm(2), "inverse");
  EXPECT_TRUE(std::isfinite(g.total()));
  g.check.error = 1e-6;
  EXPECT_FALSE(std::isfinite(g.total()));
  g.check.error = std::nan("");
  EXPECT_FALSE(std::isfinite(g.depth()));
}

}  // namespace generated_test
}  // namespace lw::reproduce
