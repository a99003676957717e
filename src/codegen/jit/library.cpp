#include "library.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/process.hpp"
#include "../../base/sha256.hpp"
#include "../../base/user_cache.hpp"
#include "../c/c_text.hpp"

namespace lw {
namespace {

namespace fs = std::filesystem;

// Signals that end the process wait until temporary files are gone; a compiler that dies of them ends the wait.
class SignalPause {
 public:
  SignalPause() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, s);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;

 private:
  sigset_t before_{};
};

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent) {
    std::string pattern = (parent / "work.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ErrorCode::io, fmt::format("cannot make a folder in {}: {}", parent.string(), std::strerror(errno)));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : std::string();
}

// What a run that was killed left behind, what was not used for long, and what is too much.
void sweep(const fs::path& cache) {
  constexpr std::uintmax_t kMost = 256u << 20;
  constexpr auto kLong = std::chrono::days(90);
  struct Kept {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t size;
  };
  std::vector<Kept> libraries;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    std::error_code gone;  // by another's hand
    const auto used = entry.last_write_time(gone);
    if (gone) continue;
    if (entry.path().filename().string().starts_with("work.") && now - used > std::chrono::hours(1))
      fs::remove_all(entry.path(), gone);
    if (entry.path().extension() == ".so") libraries.push_back({entry.path(), used, entry.file_size(gone)});
  }
  std::sort(libraries.begin(), libraries.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
  std::uintmax_t together = 0;
  for (const Kept& k : libraries) {
    together += k.size;
    if (together > kMost || now - k.used > kLong) fs::remove(k.path, error);
  }
}

struct Compiler {
  std::vector<std::string> command;  // empty: there is none
  std::string identity;              // changes when the compiler does
};

Compiler find_compiler(const std::string& wanted) {
  const char* cc = std::getenv("CC");
  std::vector<std::string> candidates;
  if (!wanted.empty())
    candidates = {wanted};
  else if (cc != nullptr && *cc != '\0')
    candidates = {cc};
  else
    candidates = {"cc", "gcc", "clang"};
  for (const std::string& candidate : candidates) {
    std::vector<std::string> command = words_of(candidate);
    if (command.empty()) continue;
    const std::string path = find_program(command[0]);
    if (path.empty()) continue;
    command[0] = path;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    struct stat about {};
    if (error || stat(real.c_str(), &about) != 0) continue;
    return {command,
            fmt::format("{} {} {}.{}", real.string(), about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec)};
  }
  return {};
}

// What else decides what a compiler makes of a file.
std::string environment() {
  std::string text;
  for (const char* name :
       {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) text += fmt::format("{}={}\n", name, value);
  }
  return text;
}

// What -march=native means for this process. Every compiler that has these flags knows them by these names.
std::vector<std::string> processor_flags() {
#if defined(__x86_64__)
  std::vector<std::string> flags = {"-mtune=native"};
  const auto add = [&](int has, const char* flag) {
    if (has != 0) flags.emplace_back(flag);
  };
  add(__builtin_cpu_supports("sse3"), "-msse3");
  add(__builtin_cpu_supports("ssse3"), "-mssse3");
  add(__builtin_cpu_supports("sse4.1"), "-msse4.1");
  add(__builtin_cpu_supports("sse4.2"), "-msse4.2");
  add(__builtin_cpu_supports("popcnt"), "-mpopcnt");
  add(__builtin_cpu_supports("avx"), "-mavx");
  add(__builtin_cpu_supports("avx2"), "-mavx2");
  add(__builtin_cpu_supports("fma"), "-mfma");
  add(__builtin_cpu_supports("bmi"), "-mbmi");
  add(__builtin_cpu_supports("bmi2"), "-mbmi2");
  add(__builtin_cpu_supports("avx512f"), "-mavx512f");
  add(__builtin_cpu_supports("avx512cd"), "-mavx512cd");
  add(__builtin_cpu_supports("avx512bw"), "-mavx512bw");
  add(__builtin_cpu_supports("avx512dq"), "-mavx512dq");
  add(__builtin_cpu_supports("avx512vl"), "-mavx512vl");
  return flags;
#else
  return {"-march=native"};
#endif
}

// Elsewhere -march=native, and everywhere -mtune=native, mean another machine's code where a home folder is shared.
std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features"))
      text += line + "\n";
  }
  return text;
}

constexpr std::string_view kSeal = "\nlinkwright ";

// A library carries behind its end the hash of itself and of what it was made from.
std::string seal(const std::string& library, const std::string& key) {
  return std::string(kSeal) + sha256(library + key) + "\n";
}
bool is_sealed(const std::string& content, const std::string& key) {
  const std::size_t size = kSeal.size() + 65;
  if (content.size() <= size) return false;
  const std::string library = content.substr(0, content.size() - size);
  return content.substr(content.size() - size) == seal(library, key);
}

}  // namespace

// From memory: what is loaded is what was read, whatever becomes of the file. The file itself only where a system has
// no such memory or lets no code be loaded from it.
void Library::load(const std::string& content, const std::string& path) {
  memory_ = memfd_create("linkwright", MFD_CLOEXEC);
  std::size_t written = 0;
  while (memory_ >= 0 && written < content.size()) {
    const ssize_t n = write(memory_, content.data() + written, content.size() - written);
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  if (memory_ >= 0 && written == content.size()) {
    handle_ = dlopen(fmt::format("/proc/self/fd/{}", memory_).c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (handle_ == nullptr) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw Error(ErrorCode::toolchain, fmt::format("cannot load compiled code: {}", dlerror()));
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      memory_(std::exchange(other.memory_, -1)),
      cached_(other.cached_),
      notes_(std::move(other.notes_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(memory_, other.memory_);
  cached_ = other.cached_;
  std::swap(notes_, other.notes_);
  return *this;
}

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
  if (memory_ >= 0) close(memory_);
}

void* Library::symbol(const std::string& name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
}

Library compile_c(const std::string& name, const std::vector<Artefact>& files, const JitOptions& options) {
  const Compiler compiler = find_compiler(options.compiler);
  Library library;
  if (compiler.command.empty()) {
    library.notes_.emplace_back(
        "no C compiler was found (CC, cc, gcc, clang): functions are interpreted, with the same results");
    return library;
  }
  std::vector<std::string> flags;
  for (const std::string& flag : options.flags) {
    if (flag != "-march=native")
      flags.push_back(flag);
    else
      for (std::string& own : processor_flags()) flags.push_back(std::move(own));
  }
  flags.insert(flags.end(), kCFlags.begin(), kCFlags.end());
  for (const char* always : {"-std=c11", "-shared", "-fPIC"}) flags.emplace_back(always);
  std::string made_from = fmt::format("{}\n{}\n{}\n{}", compiler.identity, fmt::join(compiler.command, "\n"),
                                      fmt::join(flags, "\n"), machine() + environment());
  for (const Artefact& f : files) made_from += f.text;
  const std::string key = sha256(made_from);

  const UserCache cache = open_user_cache(options.cache);
  if (cache.folder.empty()) {
    library.notes_.push_back(fmt::format("compiled code is not kept: {}", cache.why));
  } else {
    const fs::path kept = cache.folder / (key + ".so");
    const std::string content = content_of(kept);
    if (is_sealed(content, key)) {
      std::error_code ignored;
      fs::last_write_time(kept, fs::file_time_type::clock::now(), ignored);  // used: see sweep
      library.load(content, kept.string());
      library.cached_ = true;
      return library;
    }
  }

  if (options.progress) options.progress(fmt::format("compiling {} with {}", name, compiler.command[0]));
  const SignalPause pause;
  if (!cache.folder.empty()) sweep(cache.folder);
  const TemporaryFolder work(cache.folder.empty() ? fs::temp_directory_path() : cache.folder);
  for (const Artefact& f : files) write_file((work.path() / f.path).string(), f.text);
  const fs::path made = work.path() / (name + ".so");
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"-o", made.string()});
  for (const Artefact& f : files) {
    if (f.path.ends_with(".c")) command.push_back((work.path() / f.path).string());
  }
  command.emplace_back("-lm");
  const Finished finished = run_program(command);
  if (finished.status != 0) {
    throw Error(ErrorCode::toolchain, fmt::format("{} refuses the code of {} (exit status {}):\n{}",
                                                  compiler.command[0], name, finished.status, finished.output));
  }
  const std::string content = content_of(made);
  if (!cache.folder.empty()) {
    write_file(made.string(), content + seal(content, key));
    const fs::path kept = cache.folder / (key + ".so");
    std::error_code error;
    fs::rename(made, kept, error);
    if (!error) {
      library.load(content, kept.string());
      return library;
    }
    library.notes_.push_back(fmt::format("compiled code is not kept: {}: {}", kept.string(), error.message()));
  }
  library.load(content, made.string());
  return library;
}

}  // namespace lw
