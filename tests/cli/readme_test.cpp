// What the front pages show works: the C++ of the README is compiled and run by tests/CMakeLists.txt, the commands of
// docs/commands.md are run here, and the code of docs/generated-code.md is compared with what `compile` writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace readme_test {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> first_steps() {
  std::istringstream document(content(LW_SOURCE_DIR "/docs/commands.md"));
  std::vector<std::string> commands;
  std::string line;
  bool in_shell = false;
  while (std::getline(document, line)) {
    if (line.starts_with("```")) in_shell = line == "```sh";
    if (in_shell && line.starts_with("./run ") && !has(line, "#")) commands.push_back(line.substr(6));
  }
  return commands;
}

TEST(Readme, EveryFirstStepRuns) {
  const std::vector<std::string> commands = first_steps();
  ASSERT_GE(commands.size(), 8u);
  std::filesystem::create_directories(folder() + "/docs");
  for (const std::string& command : commands) {
    const Outcome outcome = shell("linkwright " + command);
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
    EXPECT_FALSE(outcome.out.empty()) << command;
  }
  // the picture in the README is the one that this command draws
  EXPECT_EQ(content(folder() + "/docs/cat215b.svg"), content(LW_SOURCE_DIR "/docs/cat215b.svg"));
}

TEST(Readme, GeneratedCodeShownInTheDocsIsWhatCompileWrites) {
  const Outcome outcome = linkwright({"compile", "puma560", "--functions", "inverse,forward", "--out", "shown"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string code = content(folder() + "/shown/puma560.c");
  std::istringstream document(content(LW_SOURCE_DIR "/docs/generated-code.md"));
  std::string line;
  bool in_c = false;
  int shown = 0;
  while (std::getline(document, line)) {
    if (line.starts_with("```")) in_c = line == "```c";
    if (!in_c || !line.starts_with("  ")) continue;
    EXPECT_TRUE(has(code, "\n" + line + "\n")) << line;
    ++shown;
  }
  EXPECT_GE(shown, 3);
}

}  // namespace readme_test
}  // namespace lw::test
