#include "emit_divided.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../text/banner.hpp"
#include "c_writer.hpp"

namespace lw {
namespace {

constexpr const char* kDividedHead = R"(#if !defined(_POSIX_C_SOURCE) && (defined(__unix__) || defined(__APPLE__))
#define _POSIX_C_SOURCE 200809L /* sched_yield, clock_gettime */
#endif
)";

// What waiting needs. A user whose system has neither clock nor scheduler defines LW_NOW and LW_YIELD.
constexpr const char* kWaiting = R"(
#ifndef LW_NOW
#include <time.h>
static double lw_now(void) {
  struct timespec t;
#ifdef CLOCK_MONOTONIC
  (void)clock_gettime(CLOCK_MONOTONIC, &t); /* a clock that is never adjusted */
#else
  (void)timespec_get(&t, TIME_UTC);
#endif
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#define LW_NOW() lw_now()
#endif
#ifndef LW_YIELD
#if defined(__unix__) || defined(__APPLE__)
#include <sched.h>
#define LW_YIELD() (void)sched_yield()
#else
#define LW_YIELD() (void)0
#endif
#endif
#if defined(__x86_64__) || defined(__i386__)
#define LW_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define LW_PAUSE() __asm__ volatile("yield")
#else
#define LW_PAUSE() (void)0
#endif

#ifdef __GNUC__
#define LW_PREFETCH(address, write) __builtin_prefetch(address, write)
#else
#define LW_PREFETCH(address, write) (void)(address)
#endif

static inline void lw_post(lw_count *done, unsigned long long count) {
  atomic_store_explicit(done, count, memory_order_release);
}

/* Returns 1 if the count has not arrived after `patience` seconds. Work of other processors takes microseconds; if it takes
   longer, the other processor does not run, so that yielding costs nothing. */
static int lw_wait_long(lw_count *done, unsigned long long count, double patience) {
  const double start = LW_NOW();
  for (;;) {
    for (int spin = 0; spin < 64; ++spin) {
      if (atomic_load_explicit(done, memory_order_acquire) >= count) return 0;
      LW_PAUSE();
    }
    LW_YIELD();
    if (patience > 0.0 && LW_NOW() - start > patience) return 1;
  }
}
static inline int lw_wait(lw_count *done, unsigned long long count, double patience) {
  for (int spin = 0; spin < 2000; ++spin) {
    if (atomic_load_explicit(done, memory_order_acquire) >= count) return 0;
    LW_PAUSE();
  }
  return lw_wait_long(done, count, patience);
}
)";

// Only where they are called: compilers warn of what is not.
std::string fetching(const std::string& code) {
  std::string text;
  for (const auto& [name, write] : {std::pair("lw_fetch", 0), std::pair("lw_fetch_to_write", 1)}) {
    if (code.find(std::string(name) + "(") == std::string::npos) continue;
    text += fmt::format(
        "static inline void {}(const double *from, int count) {{\n"
        "  for (int k = 0; k < count; k += 8) LW_PREFETCH(from + k, {});\n}}\n",
        name, write);
  }
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string declaration(const Program& program, const Function& f, std::vector<std::string>* names = nullptr) {
  const std::vector<std::string> all = c_arguments(f, {});
  std::vector<std::string> arguments{"int processor", "unsigned long long evaluation",
                                     c_shared(program, f) + " *shared"};
  for (std::size_t k = 0; k < all.size(); ++k) {
    arguments.push_back((k < f.inputs().size() ? "const double *" : "double *") + all[k]);
  }
  if (names != nullptr) *names = all;
  return fmt::format("int {}({})", c_on(program, f), fmt::join(arguments, ", "));
}

// For the head of the header.
std::vector<std::string> how_to_call(const Program& program, const Function& f, std::size_t processors) {
  const std::string call = fmt::format("{}(k, e, &shared, {})", c_on(program, f), fmt::join(c_arguments(f, {}), ", "));
  return {
      "",
      fmt::format("One evaluation on {} processors that share memory (threads on cores of their own, or cores without "
                  "a system).",
                  processors),
      "Processor k, from 0, calls",
      "  " + call,
      "in evaluation e = 0, 1, 2, ... since `shared` was zero, with otherwise equal arguments. You provide the "
      "threads,",
      "and start and stop them.",
      "- Before the first: `static " + c_shared(program, f) + " shared;`, all zero, then set shared.patience.",
      "- To begin: write the inputs, notify the others (a store-release that they read with a load-acquire, or "
      "anything",
      "  that wakes them), and call it as processor 0. The others call it when notified.",
      "- It returns 0 when its share is done; on processor 0 all results are then complete, and the next may begin.",
      "- If a processor does not answer within shared.patience seconds, those that wait for it return",
      "  1 + its number. The results are then invalid. Let all return, set `shared` to zero, count from 0",
      "  again; or compute on one processor (" + symbol(program, f) + ").",
      "It takes no lock, allocates nothing, and gives the same bits as one processor. Waiting spins, then yields",
      "(sched_yield); systems without timespec_get or sched_yield define LW_NOW(), seconds as double, and LW_YIELD().",
      "C11 with atomics; not for C++."};
}

}  // namespace

NodeId Share::elsewhere() const {
  const Graph& graph = function.graph();
  const auto last = static_cast<NodeId>(function.input_size() - 1);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph[id].op == Op::input && graph[id].a == last) return id;
  }
  throw Error(ErrorCode::usage, "a share needs the input `elsewhere`");
}

std::size_t DividedFunction::most_segments() const {
  std::size_t most = 1;
  for (const Share& s : shares) most = std::max(most, s.segments.size());
  return most;
}

std::string c_divided_name(const Program& program, std::size_t processors) {
  return fmt::format("{}_p{}", program.name, processors);
}
std::string c_on(const Program& program, const Function& function) { return symbol(program, function) + "_on"; }
std::string c_shared(const Program& program, const Function& function) { return symbol(program, function) + "_shared"; }

std::vector<Artefact> emit_divided(const Program& program, const std::vector<DividedFunction>& functions) {
  const std::size_t processors = functions.front().shares.size();
  const std::string name = c_divided_name(program, processors), guard = upper(name) + "_H";
  const Form form{"c", false};
  std::vector<std::string> about = banner(program, form);
  about.push_back(fmt::format("Compile with -O2 -march=native -std=c11 {}.", fmt::join(kCFlags, " ")));
  for (const std::string& line : how_to_call(program, functions.front().whole, processors)) about.push_back(line);
  std::string header = c_comment(about) + fmt::format("#ifndef {0}\n#define {0}\n\n#include <stdatomic.h>\n", guard);
  header += "\n#ifndef LW_COUNT\n#define LW_COUNT\ntypedef atomic_ullong lw_count;\n#endif\n";
  const CDialect dialect;
  CWriter writer(program, dialect);
  std::string drivers;
  for (const DividedFunction& d : functions) {
    require(d.shares.size() == processors, "all functions must be divided over the same number of processors");
    const Function& f = d.whole;
    const std::string shared = c_shared(program, f), on = c_on(program, f);
    std::string passed;
    std::vector<std::string> own;
    for (std::size_t p = 0; p < processors; ++p) {
      own.push_back(fmt::format("{}{}", on, p));
      const std::size_t count = writer.define(d.shares[p], static_cast<int>(p), own.back(), shared);
      passed += fmt::format("  _Alignas(64) double passed{}[{}]; /* private */\n", p, std::max<std::size_t>(count, 1));
    }
    header += fmt::format(
        "\n/* All zero at first, except patience: seconds to wait for another processor; 0: forever. */\n"
        "typedef struct {{\n  struct {{\n    _Alignas(64) lw_count done;\n  }} processor[{}];\n"
        "  _Alignas(64) double patience;\n  _Alignas(64) double exchange[{}];\n{}}} {};\n",
        processors, std::max<std::size_t>(d.exchanged, 1), passed, shared);
    std::vector<std::string> names;
    const std::string declared = declaration(program, f, &names);
    header += fmt::format(
        "/* {}. Returns 0 when done, on processor 0 when all are done; 1 + k: processor k did not answer. */\n",
        c_sizes(f));
    add_line(header, declared + ";", 0);
    add_line(drivers, declared + " {", 0);
    drivers += fmt::format(
        "  const unsigned long long base = evaluation * {}u;\n  int stalled = 0;\n  switch (processor) {{\n",
        d.most_segments());
    for (std::size_t p = 0; p < processors; ++p) {
      add_line(
          drivers,
          fmt::format("{} stalled = {}(shared, {}, base); break;",
                      p + 1 < processors ? fmt::format("case {}:", p) : "default:", own[p], fmt::join(names, ", ")),
          4);
    }
    drivers += fmt::format(
        "  }}\n  if (stalled) return stalled;\n  if (processor != 0) {{\n"
        "    lw_post(&shared->processor[processor].done, base + {0}u);\n    return 0;\n  }}\n"
        "  for (int other = 1; other < {1}; ++other) {{\n"
        "    if (lw_wait(&shared->processor[other].done, base + {0}u, shared->patience)) return 1 + other;\n  }}\n  "
        "return 0;\n}}\n",
        d.most_segments(), processors);
  }
  header += "\n#endif\n";
  std::string source =
      c_comment(banner_with_names(program, form)) + kDividedHead + fmt::format("#include \"{}.h\"\n", name) +
      c_preamble(writer.needs, writer.text.find("LW_PART") != std::string::npos, dialect) + kWaiting +
      fetching(writer.text) + c_helpers(writer.needs, dialect, writer.text) + writer.text + "\n" + drivers;
  return {{name + ".h", header}, {name + ".c", source}};
}

}  // namespace lw
