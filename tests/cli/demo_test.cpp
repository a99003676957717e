#include <gtest/gtest.h>

#include "run_cli.hpp"

namespace lw::test {
namespace {

TEST(Demo, AllRoadsAgreeAndLinesFitATerminal) {
  const Outcome o = linkwright({"demo"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(o.err.empty());
  EXPECT_NE(o.out.find("agrees"), std::string::npos);
  EXPECT_NE(o.out.find("4 of 5 theses"), std::string::npos);
  EXPECT_EQ(o.out.find("DIFFERS"), std::string::npos);
  std::size_t start = 0;
  for (std::size_t end = o.out.find('\n'); end != std::string::npos; start = end + 1, end = o.out.find('\n', start)) {
    EXPECT_LE(end - start, 110u) << o.out.substr(start, end - start);
  }
}

}  // namespace
}  // namespace lw::test
