#include "host.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/file.hpp"
#include "../base/random.hpp"
#include "../base/sha256.hpp"
#include "../base/user_cache.hpp"
#include "../codegen/compile.hpp"
#include "../codegen/trace/traced.hpp"
#include "../graph/interpreter.hpp"
#include "../model/read/read.hpp"
#include "executor.hpp"
#include "grain.hpp"

namespace lw {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// A thread on one core; joined at the end.
class Pinned {
 public:
  template <class Work>
  Pinned(int core, Work work) : thread_(std::move(work)) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    pthread_setaffinity_np(thread_.native_handle(), sizeof set,
                           &set);  // if this is not allowed, the figures are for any two cores
  }
  ~Pinned() { thread_.join(); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::thread thread_;
};

// ---- operations

constexpr int kChain = 64, kColumns = 32, kAngles = 12, kCopies = 3, kSteps = 4;

Function chain(const std::string& name, Expr (*step)(const Expr&, const Expr&)) {
  return trace(name, {{"x", 2}}, {{"y", 1}}, [&](const Arguments& in, Results& out) {
    Expr value = in[0][0];
    for (int k = 0; k < kChain; ++k) value = step(value, in[0][1]);
    out[0][0] = value;
  });
}

// Columns a x + b, each passed through `last`.
Function columns(const std::string& name, Expr (*last)(const Expr&, const Expr&)) {
  return trace(name, {{"x", kColumns + 1}}, {{"y", kColumns}}, [&](const Arguments& in, Results& out) {
    for (std::size_t k = 0; k < kColumns; ++k)
      out[0][k] = last(in[0][k] * in[0][k + 1] + 2.0, in[0][k] * in[0][k] + 1.0);
  });
}

// The function at several independent states.
Function copies(const Function& f, std::size_t count) {
  return trace("large", {{"x", count * f.input_size()}}, {{"y", count * f.output_size()}},
               [&](const Arguments& in, Results& out) {
                 for (std::size_t k = 0; k < count; ++k) {
                   const std::span<const Expr> from(in[0].data() + k * f.input_size(), f.input_size());
                   evaluate<Expr>(f, from, std::span<Expr>(out[0].data() + k * f.output_size(), f.output_size()));
                 }
               });
}

// The step that forward dynamics of a long chain calls most often: the code for which lanes are made.
std::shared_ptr<const Function> recursion_step() {
  TraceOptions options = native();
  options.search.trials = 0;
  const Function whole = trace_function(load("chain-64"), "forward", options).function;
  std::map<std::shared_ptr<const Function>, double> work;
  for (const NodeId id : whole.order()) {
    if (whole.graph()[id].op != Op::call) continue;
    const auto& f = whole.graph().calls()[whole.graph()[id].a].function;
    work[f] += static_cast<double>(f->order().size());
  }
  require(!work.empty(), "long chains are loops over steps");
  return std::max_element(work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

// Calls side by side, in `groups` of so many lanes; each needs the result of the one before it in its lane.
Function side_by_side(const std::string& name, const std::shared_ptr<const Function>& f, std::size_t lanes,
                      std::size_t groups) {
  const std::size_t in = f->inputs()[0].size, out = f->output_size(), count = lanes * groups;
  Random random(2);
  return trace(name, {{"x", count * in}}, {{"y", count * out}}, [&](const Arguments& given, Results& results) {
    std::vector<Expr> values(given[0].begin(), given[0].end());
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        std::vector<Expr> own(values.begin() + static_cast<std::ptrdiff_t>(lane * in),
                              values.begin() + static_cast<std::ptrdiff_t>((lane + 1) * in));
        while (own.size() < f->input_size()) own.emplace_back(random.between(0.5, 1.5));  // the constants of a link
        const std::vector<Expr> y = own[0].graph()->call(f, own);
        for (std::size_t k = 0; k < std::min(in, out); ++k)
          values[lane * in + k] = given[0][lane * in + k] + 1e-30 * y[k];  // a dependence that hardly changes the value
        std::copy(y.begin(), y.end(), results[0].begin() + static_cast<std::ptrdiff_t>(lane * out));
      }
    }
  });
}

struct Emitted {
  Program program;
  const Function& find(const std::string& name) const {
    return *std::find_if(program.functions.begin(), program.functions.end(),
                         [&](const Function& f) { return f.name() == name; });
  }
};

Emitted emitted() {
  TraceOptions options = native();
  options.limbs = false;
  options.search.trials = 0;
  const Function whole = trace_function(load("arm7"), "inverse-derivatives", options).function;
  const auto step = recursion_step();
  Emitted e;
  e.program.name = "host";
  const auto plain = [](const Expr& a, const Expr& b) { return a * b; };
  e.program.functions = {Function("small", whole.inputs(), whole.outputs(), whole.shared_graph(), whole.results()),
                         copies(whole, kCopies),
                         chain("products", [](const Expr& x, const Expr& c) { return x * c; }),
                         chain("sums", [](const Expr& x, const Expr& c) { return x + c; }),
                         side_by_side("two", step, 2, 1),   // narrow trees: each call waits for the one before
                         side_by_side("four", step, 4, 3),  // wide trees: other calls continue meanwhile
                         columns("plain", plain),
                         columns("quotients", [](const Expr& a, const Expr& b) { return a / b * b; }),
                         columns("roots", [](const Expr& a, const Expr& b) { return sqrt(a) * b; }),
                         columns("choices", [](const Expr& a, const Expr& b) { return max(a, b) * b; }),
                         trace("angles", {{"x", kAngles}}, {{"y", 2 * kAngles}}, [](const Arguments& in, Results& out) {
                           for (std::size_t k = 0; k < kAngles; ++k)
                             out[0][k] = sin(in[0][k]), out[0][kAngles + k] = cos(in[0][k]);
                         })};
  for (Function& f : e.program.functions) f = f.with({Arithmetic::Trigonometry::own, machine_has_fma()});
  return e;
}

// Least time of a call that waits for the one before it.
double time_of(const Compiled& compiled, const Function& f) {
  std::vector<double> in(f.input_size()), out(f.output_size());
  Random random(1);
  for (double& v : in) v = random.between(0.5, 1.5);
  auto* call = compiled.flat(f.name());
  const auto run = [&](int times) {
    const auto start = Clock::now();
    for (int k = 0; k < times; ++k) {
      call(in.data(), out.data());
      in[0] += 1e-200 * out[0];
    }
    return seconds_since(start) / times;
  };
  constexpr double kRepetition = 30e-6, kTogether = 0.06;
  run(3);
  const int times = std::clamp(static_cast<int>(kRepetition / run(3)), 1, 3000);
  double least = HUGE_VAL;
  const auto start = Clock::now();
  for (int k = 0; k < 20 || seconds_since(start) < kTogether; ++k) least = std::min(least, run(times));
  return least;
}

void measure_operations(Machine& machine, const std::string& cache) {
  const Emitted code = emitted();
  JitOptions options;
  options.cache = cache;
  const Compiled compiled = jit(code.program, options);
  if (!compiled.is_native()) {
    throw Error(ErrorCode::toolchain,
                "no C compiler was found (CC, cc, gcc, clang): without one there is no code to measure");
  }
  const auto time = [&](const char* name) { return time_of(compiled, code.find(name)); };
  const double call = time("plain");  // mostly the call itself and its surroundings
  machine.multiplication = time("products") / kChain;
  machine.addition = time("sums") / kChain;
  const double sine = time("angles") / (2 * kAngles);
  const auto overlap = [&](const char* name) {
    OperationCount w = cost(code.find(name)).operations;
    w.additions += static_cast<std::int64_t>(code.find(name).results().size());  // results are written
    const double latencies = static_cast<double>(w.multiplications) * machine.multiplication +
                             static_cast<double>(w.additions) * machine.addition;
    return latencies / (time(name) - static_cast<double>(w.trigonometric) * sine);
  };
  machine.overlap = overlap("large");
  machine.small_overlap = std::max(machine.overlap, overlap("small"));
  const auto extra = [&](const char* name) { return std::max(0.0, time(name) - call) / kColumns * machine.overlap; };
  machine.division = extra("quotients");
  machine.root = extra("roots");
  machine.comparison = extra("choices");
  machine.trigonometric = sine * machine.overlap;
  const auto lanes_overlap = [&](const char* name) {
    const Function& f = code.find(name);
    Machine one = machine;
    one.overlap = 1.0;
    OperationCount w;
    for (const NodeId id : f.order()) add_to(w, work_with_passing(f.graph(), id));
    return one.duration(w) / time(name);
  };
  machine.two_lanes = lanes_overlap("two");
  machine.four_lanes = lanes_overlap("four");
}

// ---- messages

constexpr double kLineBytes = 64.0;

struct alignas(128) Line {
  std::atomic<std::uint32_t> flag{0};
  double value = 0.0;
};

// Two cores send each other values, each in its own cache line, followed by a flag. Returns half of the round-trip
// time.
double message_latency(int first, int second, std::size_t values) {
  constexpr std::uint32_t kTurns = 50, kBatches = 2000, kStop = ~0u;
  constexpr double kLongest = 0.4;  // seconds; other work on these cores may prolong it
  Line there, back;
  std::vector<Line> sent(values), answered(values);
  const auto write = [](std::vector<Line>& lines, double value) {
    for (Line& line : lines) line.value = value;
  };
  const auto sum = [](const std::vector<Line>& lines) {
    double all = 0.0;
    for (const Line& line : lines) all += line.value;
    return all;
  };
  const Pinned other(second, [&] {
    for (std::uint32_t seen = 0;;) {
      const std::uint32_t now = there.flag.load(std::memory_order_acquire);
      if (now == kStop) return;
      if (now == seen) continue;
      seen = now;
      write(answered, sum(sent) + 1.0);
      back.flag.store(now, std::memory_order_release);
    }
  });
  std::vector<double> batches;
  {
    const Pinned self(first, [&] {
      std::uint32_t turn = 0;
      const auto start = Clock::now();
      for (std::uint32_t b = 0; b < kBatches && (b < 3 || seconds_since(start) < kLongest); ++b) {
        const auto begin = Clock::now();
        for (std::uint32_t k = 0; k < kTurns; ++k) {
          write(sent, 1e-3 * sum(answered));
          there.flag.store(++turn, std::memory_order_release);
          while (back.flag.load(std::memory_order_acquire) != turn) {}
        }
        batches.push_back(seconds_since(begin) / (2.0 * kTurns));
      }
      there.flag.store(kStop, std::memory_order_release);
    });
  }
  // not the least: on shared computers two logical cores may momentarily be halves of one
  const auto quarter = batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 4);
  std::nth_element(batches.begin(), quarter, batches.end());
  return *quarter;
}

// ---- what is kept

std::string kept_in() { return fmt::format("host-{}.yaml", allowed_cores().size()); }  // by number of cores
constexpr const char* kSeal = "# seal ";

// Changes with the processor and with the way of measuring, because the figures would.
std::string seal(const std::string& text) {
  return kSeal + sha256(fmt::format("6\n{}\n{}\n{}", cpu_name(), allowed_cores().size(), text)) + "\n";
}

}  // namespace

Machine measure_host(const std::string& cache) {
  Machine machine;
  machine.name = "host";
  machine.in_seconds = true;
  machine.topology = Topology::shared;
  machine.date = date_now();
  machine.cpu = cpu_name();
  const std::vector<int> usable = allowed_cores();
  machine.processors = static_cast<int>(usable.size());
  machine.summary = fmt::format("this computer, {}", machine.cpu);
  measure_operations(machine, cache);
  if (usable.size() > 1) {
    constexpr int kLines = 5;
    machine.start_up = message_latency(usable[0], usable[1], 1);
    machine.line_transfer =
        std::max(0.0, message_latency(usable[0], usable[1], kLines) - machine.start_up) / (kLines - 1);
    machine.per_byte = machine.line_transfer / kLineBytes;
  }
  const UserCache folder = open_user_cache(cache);
  if (!folder.folder.empty()) {
    const std::string text = write_machine(machine);
    write_file((folder.folder / kept_in()).string(), text + seal(text));
  }
  return machine;
}

Machine host(const std::string& cache) {
  const UserCache folder = open_user_cache(cache);
  if (!folder.folder.empty()) {
    std::ifstream file(folder.folder / kept_in(), std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    const std::string all = content.str();
    const std::size_t end = all.rfind(kSeal);
    if (file && end != std::string::npos && all.substr(end) == seal(all.substr(0, end))) {
      return read_machine(all.substr(0, end), (folder.folder / kept_in()).string());
    }
  }
  return measure_host(cache);
}

}  // namespace lw
