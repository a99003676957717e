// C that was just emitted, compiled by the system's compiler in a child process (no shell), and loaded.
//
// Results are cached in a folder that belongs to the user alone, under the hash of source, compiler, flags, environment
// and machine; what comes from there is verified, and what was verified is loaded, from memory. The folder keeps 256 MB
// at most, and nothing that was not used for 90 days.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../text/program.hpp"

namespace lw {

struct JitOptions {
  std::string compiler;  // a name or a path, arguments behind it; "" is $CC or else cc, gcc or clang
  // Beside those that give the bits. -march=native is replaced by the instructions that this process may execute; under
  // an emulator or valgrind the compiler, a process of its own, would find others.
  std::vector<std::string> flags = {"-O2", "-march=native"};
  bool batch = false;  // code for many states at once too, in the longest vectors that this machine has
  std::string cache;   // a folder; "" is $XDG_CACHE_HOME/linkwright or ~/.cache/linkwright
  std::function<void(const std::string&)> progress = {};  // told before what takes time
};

class Library {
 public:
  Library() = default;
  ~Library();
  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;

  bool is_loaded() const { return handle_ != nullptr; }
  bool was_cached() const { return cached_; }
  // What the user should know: why there is none, why the cache was of no use. Mostly empty.
  const std::vector<std::string>& notes() const { return notes_; }
  void* symbol(const std::string& name) const;  // nullptr where there is none

 private:
  friend Library compile_c(const std::string& name, const std::vector<Artefact>& files, const JitOptions& options);
  void load(const std::string& content, const std::string& path);

  void* handle_ = nullptr;
  int memory_ = -1;  // that holds it: its number is its name to the loader, so it stays open as long
  bool cached_ = false;
  std::vector<std::string> notes_;
};

// Not loaded, with a note, where there is no compiler. Throws Error(toolchain) with the compiler's words where it
// refuses the code.
Library compile_c(const std::string& name, const std::vector<Artefact>& files, const JitOptions& options = {});

}  // namespace lw
