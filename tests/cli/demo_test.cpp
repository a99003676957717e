#include <gtest/gtest.h>

#include "run_cli.hpp"

namespace lw::test {
namespace demo_test {

void expect_lines_fit_a_terminal(const std::string& text) {
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start)) {
    EXPECT_LE(end - start, 110u) << text.substr(start, end - start);
  }
}

TEST(Demo, AllMethodsAgreeAndLinesFitATerminal) {
  const Outcome o = linkwright({"demo"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.err.empty());
  EXPECT_TRUE(has(o.out, "5 theses"));
  EXPECT_FALSE(has(o.out, "DIFFERS"));
  std::size_t agreements = 0;
  for (std::size_t at = 0; (at = o.out.find("agrees", at)) != std::string::npos; ++at) ++agreements;
  EXPECT_EQ(agreements, 8u) << o.out;
  expect_lines_fit_a_terminal(o.out);
}

TEST(Demo, ShowsCountsCodeAndItsTimes) {
  const std::string out = linkwright({"demo"}).out;
  EXPECT_TRUE(has(out, "OpenSYMORO"));
  EXPECT_TRUE(has(out, "const double minus_omega4_y = ") || has(out, "const double omega4_y = ")) << out;
  EXPECT_TRUE(has(out, "compiled in ") || has(out, "found in the cache")) << out;
  EXPECT_TRUE(has(out, "inverse dynamics  generated code"));
  EXPECT_TRUE(has(out, "forward dynamics  generated code"));
}

TEST(Demo, WorksWithoutACompiler) {
  // an empty PATH has none
  const Outcome o = shell("CC= PATH=/nowhere \"$(command -v linkwright)\" demo");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "no C compiler was found"));
  EXPECT_FALSE(has(o.out, "compiled in "));
  EXPECT_FALSE(has(o.out, "dynamics  generated code")) << "what is not there is not timed";
  EXPECT_FALSE(has(o.out, "DIFFERS"));
  expect_lines_fit_a_terminal(o.out);
}

}  // namespace demo_test
}  // namespace lw::test
