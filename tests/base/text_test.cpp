#include <gtest/gtest.h>

#include "base/text.hpp"

namespace lw {
namespace text_test {

TEST(Text, WidthIsThatOfATerminal) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("N·m"), 3u);
  EXPECT_EQ(display_width("q̈"), 1u);
  EXPECT_EQ(display_width("θ̇ = 1"), 5u);
}

TEST(Text, WrapsAtBlanksAndKeepsLineBreaks) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one\ntwo three", 20), (std::vector<std::string>{"one", "two three"}));
  EXPECT_EQ(wrap("unbreakable", 4), (std::vector<std::string>{"unbreakable"}));
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
}

TEST(Text, TablesAlignNumbersRightAndWordsLeft) {
  Table table({"name", "x"});
  table.add({"a", "1.5"});
  table.add({"long", "-10.25"});
  EXPECT_EQ(table.str(), "  name       x\n  a        1.5\n  long  -10.25\n");
  EXPECT_EQ(table.width(), 14u);
  EXPECT_EQ(table.transposed().str(), "  name    a    long\n  x     1.5  -10.25\n");
}

TEST(Text, ReadableNumbers) {
  EXPECT_EQ(readable(1.5), "1.500000");
  EXPECT_EQ(readable(-0.0), "0.000000");
  EXPECT_EQ(readable(1e-9), "1.000e-09");
  EXPECT_EQ(readable(1e-15, 6, 10.0), "0.000000");
  EXPECT_EQ(readable(1e12), "1.000e+12");
  EXPECT_EQ(readable(0.25, 2), "0.25");
}

TEST(Text, ControlCharactersBecomeVisible) { EXPECT_EQ(visible("a\x1b[31m\nq̈\t\x7f"), "a\\x1b[31m\nq̈\t\\x7f"); }

TEST(Text, Plurals) {
  EXPECT_EQ(counted(1, "link"), "1 link");
  EXPECT_EQ(counted(2, "link"), "2 links");
  EXPECT_EQ(counted(0, "degree of freedom", "degrees of freedom"), "0 degrees of freedom");
}

}  // namespace text_test
}  // namespace lw
