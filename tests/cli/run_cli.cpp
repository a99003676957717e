#include "run_cli.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lw::test {
namespace {

namespace fs = std::filesystem;

// A new folder, whatever killed runs left behind: process numbers come again. Gone when the test program ends.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "linkwright-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
    path = name;
    fs::create_directory(path / "bin");
    fs::create_symlink(LW_CLI, path / "bin" / "linkwright");
    fs::create_directory_symlink(LW_SOURCE_DIR "/examples", path / "examples");  // which the help names
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

const fs::path& own_folder() {
  static const Folder folder;
  return folder.path;
}

std::string slurp(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Outcome run(const std::vector<std::string>& words, int interrupt_after) {
  const fs::path out = own_folder() / "stdout", err = own_folder() / "stderr";
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int o = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
              e = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0), ::dup2(o, 1), ::dup2(e, 2);
    if (::chdir(own_folder().c_str()) != 0) ::_exit(127);
    ::setenv("PATH", ((own_folder() / "bin").string() + ":" + std::getenv("PATH")).c_str(), 1);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  if (interrupt_after > 0) {
    ::usleep(static_cast<useconds_t>(interrupt_after) * 1000);
    ::kill(child, SIGINT);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out), slurp(err)};
}

std::vector<std::string> with_program(const std::vector<std::string>& words) {
  std::vector<std::string> all{LW_CLI};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

Outcome linkwright(const std::vector<std::string>& words) { return run(with_program(words), 0); }
Outcome shell(const std::string& line) { return run({"/bin/sh", "-c", line}, 0); }
Outcome interrupted(const std::vector<std::string>& words, int milliseconds) {
  return run(with_program(words), milliseconds);
}

std::string folder() { return own_folder().string(); }

std::string write(const std::string& name, const std::string& text) {
  const fs::path path = own_folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace lw::test
