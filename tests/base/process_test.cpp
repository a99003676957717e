#include "base/process.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace lw {
namespace process_test {

TEST(Process, ReturnsStatusAndOutput) {
  const Finished fine = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(fine.status, 3);
  EXPECT_EQ(fine.output, "out\nerr\n");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

TEST(Process, PassesArgumentsUnchangedAndNoInput) {
  EXPECT_EQ(run_program({"printf", "%s|", "a b", "$HOME;", "'"}).output, "a b|$HOME;|'|");
  EXPECT_EQ(run_program({"cat"}).output, "");
}

TEST(Process, AcceptsMoreOutputThanAPipeHolds) {
  EXPECT_EQ(run_program({"head", "-c", "1000000", "/dev/zero"}).output.size(), 1000000u);
}

TEST(Process, ReportsProgramsThatCannotBeStarted) {
  try {
    run_program({"/no/such/program"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::toolchain);
    EXPECT_NE(std::string(e.what()).find("/no/such/program"), std::string::npos);
  }
  EXPECT_EQ(find_program("no-such-program"), "");
  EXPECT_EQ(find_program("/"), "");
  EXPECT_NE(find_program("sh").find("/sh"), std::string::npos);
}

TEST(Process, RunsInAFolder) {
  EXPECT_EQ(run_program({"/bin/pwd"}, "/usr").output, "/usr\n");
  EXPECT_THROW(run_program({"/bin/pwd"}, "/no/such/folder"), Error);
}

TEST(Process, WordsOfACommand) {
  EXPECT_EQ(words_of(" ccache  gcc -m64"), (std::vector<std::string>{"ccache", "gcc", "-m64"}));
  EXPECT_TRUE(words_of(" ").empty());
}

}  // namespace process_test
}  // namespace lw
