#include "graph/passes/products.hpp"

#include "graph/objective.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace products_test {

TEST(Products, HoldOnAllSamples) { check_pass("products", products, operations); }

TEST(Products, ShareFactors) {
  const Function f = trace("f", {{"x", 4}}, {{"y", 3}}, [](const Arguments& in, Results& out) {
    const std::vector<Expr>& x = in[0];
    out[0] = {x[0] * x[1] * x[2], x[2] * x[3] * x[0], 3.0 * x[2] * (x[0] * 2.0)};
  });
  const Function g = products(f);
  EXPECT_TRUE(same_values(f, g));
  EXPECT_EQ(cost(f).operations.multiplications, 7);
  EXPECT_EQ(cost(g).operations.multiplications, 4);  // x0 x2, and one each
}

TEST(Products, RaiseToPowers) {
  const Function f = trace("f", {{"x", 1}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    const Expr x = in[0][0];
    out[0][0] = x * x * x * x * x * x * x * x;
  });
  EXPECT_TRUE(same_values(f, products(f)));
  EXPECT_EQ(cost(products(f)).operations.multiplications, 3);
}

}  // namespace products_test
}  // namespace lw
