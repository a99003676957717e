#include "base/error.hpp"

#include <gtest/gtest.h>

namespace lw {
namespace error_test {

TEST(NearestWord, ToleratesTyposAndCase) {
  EXPECT_EQ(nearest_word("tensr", {"mass", "tensor"}), "tensor");
  EXPECT_EQ(nearest_word("hlep", {"models", "help"}), "help");
  EXPECT_EQ(nearest_word("PUMA560", {"stanford", "puma560"}), "puma560");
  EXPECT_EQ(nearest_word("kinematcs", {"check", "kinematics"}), "kinematics");
}

TEST(NearestWord, PrefersTheShortestWordWithTheSameBeginning) {
  EXPECT_EQ(nearest_word("puma", {"puma560-dhanaraj", "puma560"}), "puma560");
  EXPECT_EQ(nearest_word("pu", {"puma560"}), "");
}

TEST(NearestWord, AllowsOneErrorInShortWords) {
  EXPECT_EQ(nearest_word("damp", {"demo", "bias"}), "");
  EXPECT_EQ(nearest_word("bais", {"demo", "bias"}), "bias");
  EXPECT_EQ(nearest_word("x", {"y"}), "");
}

}  // namespace error_test
}  // namespace lw
