// Regions of a graph as calls: the same values, and one function for all regions that are alike.
#include "graph/outline.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "graph/interpreter.hpp"
#include "graph/rewrite.hpp"

namespace lw {
namespace outline_test {

std::vector<double> values(const Function& f, const std::vector<double>& in) {
  std::vector<double> out(f.output_size());
  evaluate<double>(f, in, out);
  return out;
}

std::set<const Function*> called(const Function& f) {
  std::set<const Function*> functions;
  for (const NodeId id : f.order()) {
    if (f.graph()[id].op == Op::call) functions.insert(f.graph().calls()[f.graph()[id].a].function.get());
  }
  return functions;
}
std::set<const Function*> called(const Function&&) = delete;  // they live as long as f

int calls(const Function& f) {
  int count = 0;
  for (const NodeId id : f.order()) count += f.graph()[id].op == Op::call ? 1 : 0;
  return count;
}

// Three limbs that share an input, with numbers of their own, and a sum of what they give. `order`: the first limb's
// two halves are made in the other order.
Function three_limbs(const std::vector<double>& numbers, bool other_order = false) {
  return trace("f", {{"x", 3}, {"t", 1}}, {{"y", 3}, {"sum", 1}}, [&](const Arguments& in, Results& out) {
    Expr sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Expr& x = in[0][k];
      Expr a, b;
      if (other_order && k == 0) {
        b = cos(x) * in[1][0] - numbers[k];
        a = sin(x) * numbers[k] + in[1][0];
      } else {
        a = sin(x) * numbers[k] + in[1][0];
        b = cos(x) * in[1][0] - numbers[k];
      }
      out[0][k] = a * b + sqrt(abs(a));
      sum += a / (b * b + 2.5);
    }
    out[1][0] = sum;
  });
}

// By the input that a node depends on, where it is one.
Regions by_input(const Function& f, std::size_t inputs) {
  std::vector<unsigned> from(f.graph().size(), 0);
  Regions regions(f.graph().size(), -1);
  for (const NodeId id : f.order()) {
    const Node& n = f.graph()[id];
    if (n.op == Op::input && n.a < inputs) from[id] = 1u << n.a;
    for_each_operand(f.graph(), id, [&](NodeId operand) { from[id] |= from[operand]; });
    for (unsigned k = 0; k < inputs; ++k) {
      if (from[id] == 1u << k) regions[id] = static_cast<int>(k);
    }
  }
  return regions;
}

TEST(Outline, EqualRegionsCallOneFunctionWithTheSameBits) {
  for (const bool other_order : {false, true}) {
    const Function f = three_limbs({0.3, 0.7, 1.9}, other_order);
    const Function g = outlined(f, by_input(f, 3), "limb");
    EXPECT_EQ(calls(g), 3);
    ASSERT_EQ(called(g).size(), 1u);
    const std::vector<double> in{0.1, 2.0, -1.3, 0.9};
    EXPECT_EQ(values(f, in), values(g, in));
  }
}

TEST(Outline, EqualConstantsStayInside) {
  const Function f = three_limbs({0.3, 0.3, 0.3});
  const Function g = outlined(f, by_input(f, 3), "limb");
  ASSERT_EQ(called(g).size(), 1u);
  EXPECT_EQ((*called(g).begin())->input_size(), 2u);  // x and t
  const Function h = outlined(three_limbs({0.3, 0.3, 0.4}), by_input(three_limbs({0.3, 0.3, 0.4}), 3), "limb");
  EXPECT_EQ((*called(h).begin())->input_size(), 3u);
}

TEST(Outline, UniqueRegionsStay) {
  // a number that is 1 folds: the second limb has other operations
  const Function f = three_limbs({0.3, 1.0, 1.9});
  const Function g = outlined(f, by_input(f, 3), "limb");
  EXPECT_EQ(calls(g), 2);
  const std::vector<double> in{0.1, 2.0, -1.3, 0.9};
  EXPECT_EQ(values(f, in), values(g, in));
  EXPECT_FALSE(has_calls(outlined(f, by_input(f, 3), "limb", 1000)));
}

TEST(Outline, NonConvexRegionsAreRejected) {
  const Function f = trace("f", {{"x", 2}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    for (std::size_t k = 0; k < 2; ++k) out[0][k] = sin(exp(sin(in[0][k])));
  });
  Regions regions = by_input(f, 2);
  for (const NodeId id : f.order()) {
    if (f.graph()[id].op == Op::exp) regions[id] = -1;
  }
  EXPECT_THROW(outlined(f, regions, "limb", 1), std::exception);
}

TEST(Outline, CalledFunctionsCanBeChanged) {
  const Function f = three_limbs({0.3, 0.7, 1.9});
  const Function g = outlined(f, by_input(f, 3), "limb");
  int asked = 0;
  const Function h = with_calls(g, [&](const Function& inner) {
    ++asked;
    return rewritten(inner, [](Rewrite& to, NodeId id) { return to.copy(id); });
  });
  EXPECT_EQ(asked, 1);
  const std::vector<double> in{0.1, 2.0, -1.3, 0.9};
  EXPECT_EQ(values(g, in), values(h, in));
  const Arithmetic own{Arithmetic::Trigonometry::own, false};
  const Function with_own = with_arithmetic(g, own);
  for (const Function* inner : called(with_own)) {
    EXPECT_EQ(inner->arithmetic().trigonometry, Arithmetic::Trigonometry::own);
  }
}

TEST(Outline, InputsBecomeNumbers) {
  const Function f = three_limbs({0.3, 0.7, 1.9});
  const Function g = with_numbers(f, std::vector<double>{0.9});
  EXPECT_EQ(g.inputs().size(), 1u);
  EXPECT_EQ(values(f, {0.1, 2.0, -1.3, 0.9}), values(g, {0.1, 2.0, -1.3}));
}

}  // namespace outline_test
}  // namespace lw
