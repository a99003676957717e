#include "strategy_cost.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"

namespace lw {
namespace {

double resident_kilobytes() {
  double total = 0.0, resident = 0.0;  // pages
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024.0;
}

// The message of the child process: "ok × + bytes kB", where kB is its memory before, or the reason for a failure.
std::string made_by_child(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options,
                          const std::string& folder) {
  try {
#ifdef __GLIBC__
    malloc_trim(0);  // memory that the parent has freed would be reused and not counted
#endif
    const double before = resident_kilobytes();
    const StrategyCode made = make_by(strategy, mechanism, options);
    if (made.check && !made.check->passed())
      return fmt::format("its torques are off by {:.1e} of their terms", made.check->error);
    std::size_t bytes = 0;
    for (const Artefact& file : made.files) {
      if (!folder.empty()) write_file((std::filesystem::path(folder) / file.path).string(), file.text);
      if (!file.path.ends_with(".h") && !file.path.ends_with(".hpp")) bytes += file.text.size();
    }
    return fmt::format("ok {} {} {} {}", made.operations.multiplications, made.operations.additions, bytes, before);
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string read_all(int from) {
  std::string text;
  char part[512];
  for (;;) {
    const ssize_t n = read(from, part, sizeof part);
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
  }
}

void write_all(int to, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(to, text.data() + at, text.size() - at);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) at += static_cast<std::size_t>(n);
  }
}

}  // namespace

GenerationCost generation_cost(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options,
                               const std::string& folder) {
  GenerationCost cost;
  std::fflush(nullptr);
  int ends[2];
  if (pipe(ends) != 0) throw Error(ErrorCode::toolchain, "no further process can be started");
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    write_all(ends[1], made_by_child(strategy, mechanism, options, folder));
    _exit(0);  // without running the parent's destructors
  }
  close(ends[1]);
  const std::string said = child < 0 ? "" : read_all(ends[0]);
  close(ends[0]);
  if (child < 0) throw Error(ErrorCode::toolchain, "no further process can be started");
  int status = 0;
  struct rusage used {};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status) || !said.starts_with("ok ")) {
    cost.why = said.find("terms") != std::string::npos ? fmt::format("more than {} terms: given up", options.most_terms)
               : said.empty()                          ? "its process ended"
                                                       : said;
    return cost;
  }
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cost.kilobytes = static_cast<double>(used.ru_maxrss);
  std::istringstream(said.substr(3)) >> cost.multiplications >> cost.additions >> cost.bytes >> cost.kilobytes_before;
  return cost;
}

}  // namespace lw
