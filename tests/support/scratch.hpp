// A folder for one test, gone with it.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace lw {

struct Scratch {
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "linkwright-test.XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Scratch() {
    chmod(path.c_str(), 0700);
    std::filesystem::remove_all(path);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string cache() const { return (path / "cache").string(); }
  std::filesystem::path path;
};

}  // namespace lw
