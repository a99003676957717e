#include "graph/passes/search.hpp"

#include "graph/objective.hpp"
#include "graph/passes/optimize.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace search_test {

TEST(Search, FindsWhatThePassesMiss) {
  for (const char* model : {"puma560", "stanford", "ur5"}) {
    for (const Method method : kMethods) {
      const Function f = trace_of(model, method), g = optimize(f, Objective::operations);
      const Function h = search(g, {.trials = 1500});
      EXPECT_TRUE(same_values(f, h));
      EXPECT_LT(operations(h), operations(g));
      std::printf("  %-9s %-22s %g → %g → %g\n", model, to_string(method), operations(f), operations(g), operations(h));
    }
  }
}

TEST(Search, KeepsValuesOfRandomFunctions) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Function f = random_function(seed, 80), g = search(f, {.trials = 100, .seed = seed});
    EXPECT_TRUE(same_values(f, g)) << seed;
    EXPECT_LE(operations(g), operations(f)) << seed;
  }
}

// A copy, a constant, a zero, a lone product, a lone quotient, nothing at all: there may be no sum to begin with.
TEST(Search, EndsIfThereIsNothingToGain) {
  const std::vector<std::function<void(const Arguments&, Results&)>> bodies{
      [](const Arguments& x, Results& y) { y[0][0] = x[0][0]; },
      [](const Arguments&, Results& y) { y[0][0] = 2.0; },
      [](const Arguments&, Results& y) { y[0][0] = 0.0; },
      [](const Arguments& x, Results& y) { y[0][0] = 3.0 * x[0][0]; },
      [](const Arguments& x, Results& y) { y[0][0] = x[0][0] / x[0][1]; },
      [](const Arguments& x, Results& y) { y[0][0] = cos(x[0][0]); }};
  for (const auto& body : bodies) {
    const Function f = trace("small", {{"x", 2}}, {{"y", 1}}, body);
    EXPECT_TRUE(same_values(f, search(f, {.trials = 1000})));
  }
  const Function empty = trace("empty", {{"x", 0}}, {{"y", 0}}, [](const Arguments&, Results&) {});
  EXPECT_EQ(operations(search(empty, {.trials = 1000})), 0);
}

TEST(Search, SameSeedSameResult) {
  const Function f = trace_of("stanford", Method::rnea);
  const Function a = search(f, {.trials = 300, .seed = 4}), b = search(f, {.trials = 300, .seed = 4});
  ASSERT_EQ(a.order(), b.order());
  for (const NodeId id : a.order()) {
    EXPECT_EQ(a.graph()[id].op, b.graph()[id].op);
    EXPECT_EQ(a.graph()[id].a, b.graph()[id].a);
    EXPECT_EQ(a.graph()[id].value, b.graph()[id].value);
  }
}

// To compare methods first and search the best of them later is the same as to search at once.
TEST(Search, ContinuesFromTheResultOfThePasses) {
  const SearchEffort effort{.trials = 400};
  for (const char* model : {"puma560", "stanford"}) {
    const Function f = trace_of(model, Method::rnea);
    std::vector<PassReport> at_once, later;
    const Function a = optimize(f, Objective::operations, &at_once, effort);
    const Function b = searched(optimize(f, Objective::operations, &later), Objective::operations, &later, effort);
    EXPECT_TRUE(same_values(a, b));
    EXPECT_EQ(cost(a).operations, cost(b).operations);
    ASSERT_EQ(at_once.size(), later.size());
    for (std::size_t k = 0; k < later.size(); ++k) {
      EXPECT_EQ(at_once[k].pass, later[k].pass);
      EXPECT_EQ(at_once[k].gain, later[k].gain);
      EXPECT_EQ(at_once[k].turns, later[k].turns);
    }
  }
}

}  // namespace search_test
}  // namespace lw
