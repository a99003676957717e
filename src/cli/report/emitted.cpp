#include "emitted.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/process.hpp"
#include "../../base/text.hpp"
#include "../../codegen/c/c_text.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) throw Error(ErrorCode::io, "temporary files need a folder, and TMPDIR names none");
  std::string pattern = (temporary / "linkwright-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(ErrorCode::io, fmt::format("no folder for temporary files can be made in {}: {}", temporary.string(),
                                           std::strerror(errno)));
  }
  path = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

SelfTest run_selftest(const Emitted& made) {
  if (made.commands.empty() && !made.tool.empty()) return {"not run", "Python with NumPy was not found"};
  if (made.commands.empty()) return {"none", ""};
  if (find_program(made.tool).empty()) return {"not run", fmt::format("there is no `{}` here", made.tool)};
  const ScratchFolder scratch;
  for (const Artefact& file : made.files) write_file((scratch.path / file.path).string(), file.text);
  SelfTest test{"passed", ""};
  for (const std::vector<std::string>& command : made.commands) {
    const Finished done = lw::run_program(command, scratch.path.string());
    test.output = done.output;
    if (done.status != 0) {
      test.verdict = "failed";
      if (done.output.empty())
        test.output = fmt::format("nothing (`{}`, exit code {})", fmt::join(command, " "), done.status);
      break;
    }
  }
  return test;
}

std::vector<std::string> compiler(bool cpp) {
  const char* chosen = std::getenv(cpp ? "CXX" : "CC");
  std::vector<std::string> words = words_of(chosen == nullptr ? "" : chosen);
  if (words.empty()) words = {cpp ? "c++" : "cc"};
  return words;
}

std::vector<std::string> build_command(bool cpp, const std::vector<std::string>& files) {
  std::vector<std::string> words = compiler(cpp);
  words.insert(words.end(), {cpp ? "-std=c++20" : "-std=c11", "-O2", "-march=native"});
  words.insert(words.end(), kCFlags.begin(), kCFlags.end());
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), {"-o", "selftest", "-lm"});
  return words;
}

bool holds(const SelfTest& test, const std::string& whose) {
  if (test.verdict != "failed") return true;
  say_error(fmt::format("the self-test of {} failed; nothing is written. Its output:\n{}", whose, test.output));
  return false;
}

std::string to_string(const SelfTest& test, int states, const std::string& against) {
  return fmt::format("self-test, {} states per function against {}: {}{}", states, against, test.verdict,
                     test.verdict == "not run" ? " (" + test.output + ")" : "");
}

void require_writable(const fs::path& folder) {
  const auto refuse = [&](int reason) {
    throw Error(ErrorCode::io, fmt::format("--out {}: {}", folder.string(), std::strerror(reason)));
  };
  fs::path there = fs::absolute(folder);  // or what is there of it
  std::error_code error;
  while (fs::status(there, error).type() == fs::file_type::not_found && there.has_relative_path())
    there = there.parent_path();
  if (!fs::is_directory(there, error)) refuse(ENOTDIR);
  if (::access(there.c_str(), W_OK | X_OK) != 0) refuse(errno);
}

std::vector<std::string> write_artefacts(const fs::path& folder, const std::vector<Artefact>& files) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, fmt::format("--out {}: {}", folder.string(), error.message()));
  std::vector<FileToWrite> all;
  std::vector<std::string> paths;
  for (const Artefact& file : files) {
    paths.push_back((folder / file.path).string());
    all.push_back({paths.back(), file.text});
  }
  write_files(all);
  return paths;
}

}  // namespace lw::cli
