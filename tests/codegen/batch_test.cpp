// Many states at once against the interpreter: the same bits in every lane, nothing else touched.
#include "codegen/c/emit_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>

#include <dlfcn.h>
#include <fmt/format.h>

#include "agreement.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/c/emit_c.hpp"
#include "codegen/c/selftest.hpp"
#include "codegen/compile.hpp"
#include "codegen/trace/traced.hpp"
#include "graph/interpreter.hpp"
#include "model/read/read.hpp"
#include "other_languages.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace batch_test {

using Values = std::vector<double>;
using States = std::vector<Values>;

constexpr int kStates = 1000;
constexpr std::size_t kCounts[] = {0, 1, 3, 7, 8, 9, 16, 17, 1000};

// Compiled into a library and loaded, for as long as this lives.
class Loaded {
 public:
  Loaded(const std::vector<Artefact>& files, const std::string& compiler, const std::string& flags) {
    write(scratch_, files);
    std::string sources;
    for (const Artefact& f : files) {
      if (f.path.ends_with(".c")) sources += " " + f.path;
    }
    output_of(scratch_,
              fmt::format("{} -std=c11 -O1 -shared -fPIC -ffp-contract=off -fno-math-errno -Wall -Wextra -Wconversion "
                          "-Wpedantic -Werror {}{} -o code.so -lm",
                          compiler, flags, sources));
    handle_ = dlopen((scratch_.path / "code.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(handle_, nullptr) << dlerror();
  }
  ~Loaded() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <class F>
  F* get(const std::string& name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name.c_str()));
  }

 private:
  Scratch scratch_;
  void* handle_ = nullptr;
};

// NAME_batch.c with functions of one signature behind it: void f(size_t, const T *const *, T *const *).
std::vector<Artefact> with_groups(const Program& program, const CDialect& dialect, int lanes) {
  std::vector<Artefact> files = emit_batch(program, dialect, lanes);
  std::string text = "\n#ifndef LW_SET\n";
  for (const Function& f : program.functions) {
    const std::string name = c_batch_function(program, f, dialect);
    const std::string head =
        fmt::format("void {0}_groups(size_t n, const {1} *const *in, {1} *const *out)", name, dialect.real());
    std::string arguments;
    for (std::size_t k = 0; k < f.inputs().size(); ++k) arguments += fmt::format(", in[{}]", k);
    for (std::size_t k = 0; k < f.outputs().size(); ++k) arguments += fmt::format(", out[{}]", k);
    text += fmt::format("{0};\n{0} {{ {1}(n{2}); }}\n", head, name, arguments);
  }
  files.back().text += text + "#endif\n";
  return files;
}

constexpr unsigned char kGuard = 0xa5;

// A table between guards, at an address that no vector would choose: one number off.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t size) : bytes_((size + 2 * kRoom) * sizeof(T) + 64, kGuard), size_(size) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    first_ = reinterpret_cast<T*>(bytes_.data() + (64 - address % 64)) + kRoom + 1;
  }
  T* data() { return first_; }
  bool is_intact() const {
    const auto* begin = reinterpret_cast<const unsigned char*>(first_);
    const unsigned char* end = begin + size_ * sizeof(T);
    const auto is_guard = [](unsigned char c) { return c == kGuard; };
    return std::all_of(bytes_.data(), begin, is_guard) && std::all_of(end, bytes_.data() + bytes_.size(), is_guard);
  }

 private:
  static constexpr std::size_t kRoom = 16;
  std::vector<unsigned char> bytes_;
  std::size_t size_;
  T* first_;
};

// Results of `count` states, one behind the other; the guards around all tables are looked after.
template <class T>
std::vector<T> run_batch(const Loaded& code, const std::string& name, const Function& f, const States& states,
                         std::size_t count) {
  auto* batch = code.get<void(std::size_t, const T* const*, T* const*)>(name + "_groups");
  EXPECT_NE(batch, nullptr) << name;
  std::vector<Guarded<T>> tables;
  std::vector<const T*> in;
  std::vector<T*> out;
  std::size_t at = 0;
  for (const auto* groups : {&f.inputs(), &f.outputs()}) {
    for (const Group& g : *groups) tables.emplace_back(g.size * (g.name == "p" ? 1 : count));
  }
  std::size_t k = 0;
  for (const Group& g : f.inputs()) {
    T* to = tables[k++].data();
    for (std::size_t s = 0; s < (g.name == "p" ? 1 : count); ++s) {
      for (std::size_t i = 0; i < g.size; ++i) *to++ = static_cast<T>(states[s][at + i]);
    }
    in.push_back(tables[k - 1].data());
    at += g.size;
  }
  for (std::size_t g = 0; g < f.outputs().size(); ++g) out.push_back(tables[k++].data());
  if (batch == nullptr) return {};
  batch(count, in.data(), out.data());
  for (const Guarded<T>& t : tables) EXPECT_TRUE(t.is_intact()) << name << ", " << count << " states";
  std::vector<T> all;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t g = 0; g < out.size(); ++g) {
      const std::size_t size = f.outputs()[g].size;
      all.insert(all.end(), out[g] + s * size, out[g] + (s + 1) * size);
    }
  }
  return all;
}

bool same_bits(const Values& a, const Values& b, std::size_t count) {
  if (a.size() < count || b.size() < count) return false;
  return count == 0 || std::memcmp(a.data(), b.data(), count * sizeof(double)) ==
                           0;  // of nothing, data() may be null: not for memcmp
}

bool has(const char* feature) {
#if defined(__x86_64__)
  const std::string name = feature;
  if (name == "512") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
  return name != "256" || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
  return std::string(feature) == "128";
#endif
}

struct Build {
  const char* compiler;
  const char* bits;  // of vectors
  std::string flags;
};

// Every instruction set that this machine has, by either compiler; the shortest vectors with fused multiply-adds, which
// they do not have by themselves.
std::vector<Build> builds() {
  std::vector<Build> list;
  for (const char* compiler : {"gcc", "clang"}) {
    if (find_program(compiler).empty()) continue;
    for (const char* bits : {"512", "256", "128"}) {
      if (!has(bits)) continue;
      const bool fma = std::string_view(bits) == "128" && machine_has_fma();
      list.push_back({compiler, bits, fmt::format("-DLW_ONLY={}{}", bits, fma ? " -mfma" : "")});
    }
  }
  return list;
}

void expect_bits(const Program& program, const std::vector<States>& states, int lanes, const Build& build,
                 std::span<const std::size_t> counts) {
  const Loaded code(with_groups(program, {}, lanes), build.compiler, build.flags);
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    const Values expected = interpreted(f, states[k]);
    for (const std::size_t count : counts) {
      const Values got = run_batch<double>(code, c_batch_function(program, f, {}), f, states[k], count);
      EXPECT_TRUE(same_bits(got, expected, count * f.output_size()))
          << program.name << " " << f.name() << ", " << lanes << " lanes, " << count << " states, " << build.compiler
          << " " << build.flags;
    }
  }
}

std::vector<States> random_states(const Mechanism& mechanism, const Program& program, int count) {
  const Model<double> model = instantiate<double>(mechanism);
  std::vector<States> all;
  for (const Function& f : program.functions) all.push_back(states_of(model, f, count, program.kept_values));
  return all;
}

ProgramOptions quick(bool fused) {
  ProgramOptions options;
  options.trace.fused = fused;
  options.trace.search.trials = 0;
  return options;
}

// ---- all functions of the contract, all lengths

TEST(Batch, HasTheInterpretersBitsInEveryLane) {
  const Mechanism puma = load("puma560");
  std::vector<std::string> functions = function_names();
  const auto expect = [&](std::span<const Build> with) {
    const Program program = make_program(puma, functions_named(functions), quick(true));
    const std::vector<States> states = random_states(puma, program, kStates);
    for (const Build& build : with) expect_bits(program, states, 8, build, kCounts);
  };
  const std::vector<Build> all = builds();
  expect(std::span(all).first(1));
  // those of derivatives are long, and made of the same operations
  std::erase_if(functions, [](const std::string& f) { return f.ends_with("-derivatives"); });
  expect(std::span(all).subspan(1));
}

TEST(Batch, WorksWithEveryNumberOfLanesAndWithoutFma) {
  const Mechanism puma = load("puma560");
  const Program fused = make_program(puma, {"inverse", "mass-matrix"}, quick(true));
  const Program plain = make_program(puma, {"inverse", "mass-matrix"}, quick(false));
  const std::vector<States> states = random_states(puma, fused, kStates);
  for (const Build& build : builds()) {
    expect_bits(plain, states, 8, build, kCounts);
    for (const int lanes : {4, 16}) expect_bits(fused, states, lanes, build, kCounts);
  }
}

TEST(Batch, HasTheInterpretersBitsForEveryModel) {
  const std::vector<Build> list = builds();
  const auto by_clang =
      std::find_if(list.begin(), list.end(), [](const Build& b) { return std::string_view(b.compiler) == "clang"; });
  const Build& quickest = by_clang == list.end() ? list.front() : *by_clang;
  for (const std::string& name : embedded_trees()) {
    const Mechanism mechanism = load(name);
    if (instantiate<double>(mechanism).nv > 20) continue;                       // the next test has a large one
    const Program program = make_program(mechanism, {"inverse"}, quick(true));  // the others of puma560 above
    const std::vector<States> states = random_states(mechanism, program, 19);
    constexpr std::size_t counts[] = {19};
    expect_bits(program, states, 8, quickest, counts);
  }
}

TEST(Batch, LongFunctionsAreCutIntoParts) {
  const Mechanism mechanism = load("humanoid");
  const Program program = make_program(mechanism, {"mass-matrix", "inverse"}, quick(true));
  CDialect dialect;
  dialect.longest_function = 1000;
  EXPECT_NE(emit_batch(program, dialect, 8).back().text.find("_part2"), std::string::npos);
  const std::vector<States> states = random_states(mechanism, program, 11);
  constexpr std::size_t counts[] = {11};
  for (const Build& build : builds()) {
    if (std::string_view(build.bits) == "512" || std::string_view(build.compiler) == "clang") continue;
    const Loaded code(with_groups(program, dialect, 8), build.compiler, build.flags);
    for (std::size_t k = 0; k < program.functions.size(); ++k) {
      const Function& f = program.functions[k];
      const Values got = run_batch<double>(code, c_batch_function(program, f, {}), f, states[k], counts[0]);
      EXPECT_TRUE(same_bits(got, interpreted(f, states[k]), counts[0] * f.output_size())) << f.name();
    }
  }
}

// ---- all operations, calls, solves

Program everything(Arithmetic arithmetic) {
  const auto inner = std::make_shared<Function>(
      trace("inner", {{"x", 1}, {"y", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        out[0] = {in[0][0] * in[1][0] + sin(in[0][0]), fma(in[0][0], in[1][0], in[0][0])};
      }).with(arithmetic));
  const auto residual = std::make_shared<Function>(
      trace("residual", {{"x", 2}, {"p", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1], p = in[1][0];
        out[0] = {x * x * x + x + y - p, y + sin(x) * 0.5};
      }).with(arithmetic));
  Program program;
  program.name = "all";
  program.functions.push_back(
      trace("all", {{"x", 3}, {"unused", 1}, {"nothing", 0}, {"p", 2}}, {{"r", 25}, {"s", 4}},
            [&](const Arguments& in, Results& out) {
              const Expr x = in[0][0], y = in[0][1], z = in[0][2];
              Graph& graph = *x.graph();
              const auto called = graph.call(inner, {x, 0.25});
              const auto again = graph.call(inner, {called[0], called[1]});
              const auto solved = graph.solve(residual, {0.1, 0.2}, {y}, 8);
              out[0] = {sqrt(abs(x)),
                        sin(x),
                        cos(y),
                        tan(x),
                        asin(x * 0.1),
                        acos(y * 0.1),
                        atan(z),
                        atan2(x, y),
                        exp(x),
                        log(abs(y)),
                        tanh(z),
                        abs(z),
                        min(x, y),
                        max(x, 0.5),
                        less(y, z),
                        select(less(x, 0.0), y, 2.0),
                        fma(x, 2.0, y),
                        x / y,
                        -z,
                        again[0] - called[1],
                        solved.unknowns[0],
                        solved.unknowns[1],
                        solved.residual[0],
                        7.0,
                        in[3][0] * x + in[3][1]};
              out[1] = {sin(cos(x) + in[3][1]), atan2(sin(x), cos(atan2(y, z))), atan2(y, 2.0), atan2(-0.5, z)};
            })
          .with(arithmetic));
  program.kept = {"a", "b"};
  program.kept_values = {1.5, -0.75};
  return program;
}

TEST(Batch, HasEveryOperationCallsAndSolves) {
  using Trigonometry = Arithmetic::Trigonometry;
  Random random(3);
  States states;
  for (int k = 0; k < 41; ++k) {
    states.push_back({random.between(-3, 3), random.between(-3, 3), random.between(-3, 3), 0.0, 1.5, -0.75});
  }
  constexpr std::size_t counts[] = {1, 41};
  for (const Arithmetic a : {Arithmetic{}, Arithmetic{Trigonometry::own, false}, Arithmetic{Trigonometry::own, true}}) {
    for (const Build& build : builds()) {
      if (a.fused || std::string_view(build.bits) == "256") expect_bits(everything(a), {states}, 8, build, counts);
    }
  }
}

TEST(Batch, SpecialNumbersStayInTheirLanes) {
  const double nan = std::nan(""), inf = INFINITY;
  const States states = {{1, 2, 3, 0, 1, 1},
                         {nan, 1, 1, 0, 1, 1},
                         {inf, -inf, 1, 0, 1, 1},
                         {-0.0, 0.0, -0.0, 0, 1, 1},
                         {1e300, -1e300, 1e-310, 0, 1, 1},
                         {2, 3, 4, 0, 1, 1}};
  Program program;
  program.name = "special";
  program.functions.push_back(trace("f", {{"x", 3}, {"rest", 3}}, {{"r", 10}}, [](const Arguments& in, Results& out) {
                                const Expr x = in[0][0], y = in[0][1], z = in[0][2];
                                out[0] = {x + z,      sin(x),          cos(y), min(x, y),   max(y, x),
                                          less(x, y), select(z, x, y), abs(z), atan2(x, y), atan(z)};
                              }).with({Arithmetic::Trigonometry::own, true}));
  const Function& f = program.functions[0];
  const Values expected = interpreted(f, states);
  for (const Build& build : builds()) {
    const Loaded code(with_groups(program, {}, 8), build.compiler, build.flags);
    const Values got = run_batch<double>(code, "special_f_batch", f, states, states.size());
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool same = std::memcmp(&got[k], &expected[k], sizeof(double)) == 0;
      EXPECT_TRUE(same || (std::isnan(got[k]) && std::isnan(expected[k])))
          << k << ": " << got[k] << ", not " << expected[k];
    }
  }
}

// ---- the processor is asked

TEST(Batch, OneFileServesEveryProcessor) {
  const Mechanism mechanism = load("double-pendulum");
  const Program program = make_program(mechanism, {"inverse"}, quick(true));
  const std::vector<States> states = random_states(mechanism, program, 21);
  for (const char* compiler : {"gcc", "clang"}) {
    if (find_program(compiler).empty()) continue;
    const Loaded code(with_groups(program, {}, 8), compiler, "");  // no -march: all sets are in it
    const std::string taken = code.get<const char*()>("double_pendulum_batch_vectors")();
#if defined(__x86_64__)
    EXPECT_EQ(taken, has("512") ? "AVX-512" : has("256") ? "AVX2" : "none");
    if (!has("256")) continue;  // other last bits
#endif
    const Function& f = program.functions[0];
    EXPECT_TRUE(same_bits(run_batch<double>(code, "double_pendulum_inverse_batch", f, states[0], 21),
                          interpreted(f, states[0]), 21 * f.output_size()));
  }
}

TEST(Batch, CompilesFromAnyFolder) {
  const Scratch scratch;
  write(scratch, emit_batch(make_program(load("double-pendulum"), {"inverse"}, quick(true)), {}, 8));
  output_of(
      scratch,
      "here=$(basename \"$PWD\") && cd .. && cc -std=c11 -c \"$here/double_pendulum_batch.c\" -o \"$here/made.o\"");
}

// ---- float: lanes have the bits of the function of one state

TEST(Batch, FloatsHaveTheBitsOfOneState) {
  const Mechanism mechanism = load("puma560");
  const CDialect dialect{.single_precision = true};
  const Program program = make_program(mechanism, {"inverse", "mass-matrix", "energy"}, quick(true));
  const std::vector<States> states = random_states(mechanism, program, 50);
  for (const Build& build : builds()) {
    for (const int lanes : {4, 8, 16}) {
      if (lanes == 4 && std::string_view(build.bits) == "512") continue;
      std::vector<Artefact> files = emit_c(program, {.single_precision = true});
      for (Artefact& f : with_groups(program, dialect, lanes)) files.push_back(std::move(f));
      const Loaded code(files, build.compiler, build.flags + (machine_has_fma() ? " -mfma" : ""));
      for (std::size_t k = 0; k < program.functions.size(); ++k) {
        const Function& f = program.functions[k];
        for (const std::size_t count : {std::size_t{1}, std::size_t{17}, std::size_t{50}}) {
          const std::vector<float> got =
              run_batch<float>(code, c_batch_function(program, f, dialect), f, states[k], count);
          std::vector<float> expected;
          for (std::size_t s = 0; s < count; ++s) {
            std::vector<float> in(states[k][s].begin(), states[k][s].end()), out(f.output_size());
            const std::string name = c_function(program, f, dialect);
            const float *a = in.data(), *b = f.inputs().size() > 1 ? a + f.inputs()[0].size : nullptr,
                        *c = f.inputs().size() > 2 ? b + f.inputs()[1].size : nullptr;
            float* r = out.data();
            if (f.name() == "mass-matrix")
              code.get<void(const float*, float*)>(name)(a, r);
            else if (f.name() == "energy")
              code.get<void(const float*, const float*, float*, float*)>(name)(a, b, r, r + 1);
            else
              code.get<void(const float*, const float*, const float*, float*)>(name)(a, b, c, r);
            expected.insert(expected.end(), out.begin(), out.end());
          }
          ASSERT_EQ(got.size(), expected.size());
          EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0)
              << f.name() << ", " << lanes << " lanes, " << count << " states, " << build.compiler << " "
              << build.flags;
        }
      }
    }
  }
}

TEST(Batch, FloatErrorsAreAsStated) {
  const Mechanism mechanism = load("stanford");
  ProgramOptions options = quick(machine_has_fma());
  std::vector<Traced> traced;
  const Program program = make_program(mechanism, {"inverse", "mass-matrix"}, options, &traced);
  std::vector<Artefact> files = with_groups(program, {.single_precision = true}, 16);
  const Loaded code(files, "cc", "-march=native");
  for (std::size_t k = 0; k < traced.size(); ++k) {
    const Function& f = program.functions[k];
    const double stated = float_error(traced[k], 1000);
    States states = states_of(traced[k].model, f, 500, {}, 77);  // others than those of the statement
    for (Values& s : states) {
      for (double& x : s) x = static_cast<double>(static_cast<float>(x));
    }
    const std::vector<float> got =
        run_batch<float>(code, c_batch_function(program, f, {.single_precision = true}), f, states, 500);
    std::size_t next = 0;
    const double units = disagreement(traced[k].model, f, states, [&](std::span<const double>, std::span<double> out) {
      for (double& x : out) x = static_cast<double>(got[next++]);
    });
    EXPECT_LT(units * 1e-12, 2.0 * stated) << f.name();                    // disagreement counts in 1e-12 of the terms
    EXPECT_GT(float_error(traced[k], 500, 77), 0.1 * stated) << f.name();  // nor is more stated than there is
  }
}

// ---- C++, and the program that tests itself

TEST(Batch, SelfTestPassesInEveryDialect) {
  const Mechanism mechanism = load("puma560");
  ProgramOptions options = quick(true);
  options.trace.keep = {"a2"};
  const Program program = make_program(mechanism, {"inverse", "kinematics"}, options);
  const std::vector<States> states = random_states(mechanism, program, 21);
  for (const bool cpp : {false, true}) {
    for (const bool single : {false, true}) {
      const CDialect dialect{.cpp = cpp, .single_precision = single};
      std::vector<TestVectors> vectors;
      for (std::size_t k = 0; k < program.functions.size(); ++k) {
        vectors.push_back(vectors_of(program.functions[k], states[k]));
        vectors.back().tolerance = single ? 1e-3 : 1e-12;
      }
      std::vector<Artefact> files = cpp ? emit_cpp(program, {.single_precision = single, .batch = 8})
                                        : emit_c(program, {.single_precision = single, .batch = 8});
      for (Artefact& f : emit_selftest(program, vectors, dialect, {.batch = true})) files.push_back(std::move(f));
      const Scratch scratch;
      write(scratch, files);
      for (const char* compiler : {cpp ? "g++" : "gcc", cpp ? "clang++" : "clang"}) {
        if (find_program(compiler).empty()) continue;
        const std::string out = output_of(
            scratch,
            fmt::format(
                "{} {} -O2 -ffp-contract=off -Wall -Wextra -Wconversion -Wpedantic -Werror *.{} -o test -lm && ./test",
                compiler, cpp ? "-std=c++20" : "-std=c11", cpp ? "cpp" : "c"));
        EXPECT_NE(out.find("all right"), std::string::npos) << out;
        EXPECT_NE(out.find("inverse_batch"), std::string::npos) << out;
      }
    }
  }
}

// ---- compiled while we run

TEST(Batch, CompiledEvaluatesTables) {
  const Mechanism mechanism = load("arm7");
  const Program program = make_program(mechanism, {"inverse", "mass-matrix"}, quick(machine_has_fma()));
  const States states = random_states(mechanism, program, 37)[0];
  const Function& f = program.functions[0];
  const Values expected = interpreted(f, states);
  std::vector<Values> tables(3);
  for (const Values& s : states) {
    for (std::size_t g = 0; g < 3; ++g) {
      const auto from = s.begin() + static_cast<long>(7 * g);
      tables[g].insert(tables[g].end(), from, from + 7);
    }
  }
  const std::vector<std::span<const double>> inputs(tables.begin(), tables.end());
  const Scratch scratch;
  for (const bool batch : {true, false}) {
    for (const char* compiler : {"cc", "no such compiler"}) {
      JitOptions options;
      options.batch = batch;
      options.compiler = compiler;
      options.cache = scratch.cache();
      Compiled compiled = jit(program, options);
      EXPECT_EQ(compiled.has_batch(), batch && compiled.is_native());
      Values tau(7 * states.size());
      const std::vector<std::span<double>> outputs = {tau};
      compiled.batch("inverse", states.size(), inputs, outputs);
      EXPECT_TRUE(same_bits(tau, expected, tau.size())) << compiler;
      EXPECT_TRUE(jit(program, options).was_cached() == compiled.is_native());
      EXPECT_ANY_THROW(compiled.batch("inverse", states.size() + 1, inputs, outputs));
    }
  }
}

}  // namespace batch_test
}  // namespace lw
