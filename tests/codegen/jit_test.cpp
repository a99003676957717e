// Compiled code against the interpreter: the same bits.
#include "codegen/jit/jit.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "graph/interpreter.hpp"
#include "graph/tangent.hpp"
#include "model/read/read.hpp"
#include "support/random_mechanism.hpp"
#include "support/scratch.hpp"
#include "traces.hpp"

namespace lw {
namespace jit_test {

namespace fs = std::filesystem;

// An environment variable for a while.
struct Environment {
  Environment(const char* variable, const char* value) : name(variable) {
    const char* old = std::getenv(variable);
    if (old != nullptr) before = old;
    had = old != nullptr;
    if (value == nullptr)
      unsetenv(variable);
    else
      setenv(variable, value, 1);
  }
  ~Environment() {
    if (had)
      setenv(name, before.c_str(), 1);
    else
      unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  const char* name;
  std::string before;
  bool had = false;
};

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& e : fs::directory_iterator(folder)) found.push_back(e.path());
  return found;
}

// States at which compiled code has other bits than the interpreter; a NaN is as good as another.
int different(Compiled& compiled, const Program& program, const Model<double>& model, int states) {
  int wrong = 0;
  Random random(7);
  for (const Function& f : program.functions) {
    Interpreter<double> interpret(f);
    std::vector<double> expected(f.output_size()), got(f.output_size());
    for (int k = 0; k < states; ++k) {
      const std::vector<double> inputs = random_inputs(model, f, random);
      interpret(inputs, expected);
      compiled(f.name(), inputs, got);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const bool same = std::memcmp(&got[i], &expected[i], sizeof(double)) == 0;
        if (same || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
        ++wrong;
        break;
      }
    }
  }
  return wrong;
}

bool has(const std::string& program) { return !find_program(program).empty(); }

void expect_same_bits(const Mechanism& mechanism, const std::string& name, const Arithmetic& arithmetic) {
  const Program program = traced_program(mechanism, name, arithmetic);
  const Model<double> model = instantiate<double>(mechanism);
  const Scratch scratch;
  for (const char* compiler : {"gcc", "clang"}) {
    if (!has(compiler)) continue;
    for (const char* level : {"-O1", "-O2", "-O3"}) {
      if (std::string_view(level) != "-O2" && name != "puma560") continue;
      JitOptions options;
      options.compiler = compiler;
      options.flags = {level, "-march=native", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"};
      options.cache = scratch.cache();
      Compiled compiled = jit(program, options);
      ASSERT_TRUE(compiled.is_native());
      EXPECT_EQ(different(compiled, program, model, 2000), 0) << name << " " << compiler << " " << level;
    }
  }
}

TEST(Jit, GivesTheInterpretersBitsForEmbeddedModels) {
  for (const char* name : {"puma560", "stanford", "ur5", "arm7", "cat215b"}) {
    expect_same_bits(load(name), name, {});
  }
}

TEST(Jit, GivesTheInterpretersBitsWithItsOwnSines) {
  for (const bool fused : {false, true}) {
    for (const char* name : {"puma560", "quadruped"}) {
      expect_same_bits(load(name), name, {Arithmetic::Trigonometry::own, fused});
    }
  }
}

TEST(Jit, GivesTheInterpretersBitsForRandomMechanisms) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    RandomMechanismOptions options;
    options.joints = 4;
    options.drives = options.springs = true;
    expect_same_bits(random_mechanism(seed, options), "random" + std::to_string(seed), {});
  }
}

// every operation, a call of a call, more operations than one function may have
Program everything() {
  const auto inner = std::make_shared<Function>(
      trace("inner", {{"x", 1}, {"y", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        out[0] = {in[0][0] * in[1][0] + sin(in[0][0]), fma(in[0][0], in[1][0], in[0][0])};
      }));
  const auto middle = std::make_shared<Function>(
      trace("middle", {{"x", 2}}, {{"r", 1}, {"s", 1}}, [&](const Arguments& in, Results& out) {
        const auto a = in[0][0].graph()->call(inner, {in[0][0], in[0][1]});
        const auto b = in[0][0].graph()->call(inner, {a[0], a[1]});
        out[0][0] = b[0] - b[1];
        out[1][0] = a[0];
      }));
  Program program;
  program.name = "all";
  program.functions.push_back(
      trace("all", {{"x", 2}, {"unused", 1}}, {{"r", 12}}, [&](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1];
        const auto c = x.graph()->call(middle, {x + y, y});
        out[0] = {(x + y) * (x - y) / (Expr(3.0) + x * x),
                  sin(x) * cos(y) + tan(x * Expr(0.3)) - (-y),
                  sqrt(Expr(1.0) + x * x) + exp(x * Expr(0.1)) + log(Expr(5.0) + y) + tanh(y),
                  asin(x * Expr(0.2)) + acos(y * Expr(0.2)) + atan(x) + atan2(y, x + Expr(7.0)),
                  abs(x) + min(x, y) * max(x, Expr(0.25)) + select(less(x, y), x * y, x - y) +
                      select(less(-x, y) * less(y, 2.0 * x), x, y),
                  sin(sin(x) + cos(y) * y) * cos(x + sin(y * cos(x))),
                  fma(-x, y, sin(x)),
                  c[0],
                  c[1] * c[1],
                  Expr(-0.5),
                  y,
                  -x};
      }));
  program.functions.push_back(trace("long", {{"x", 20}}, {{"r", 2}}, [&](const Arguments& in, Results& out) {
    std::vector<Expr> v = in[0];
    for (std::size_t round = 0; round < 400; ++round) {
      for (std::size_t k = 0; k < v.size(); ++k) {
        v[k] = v[k] * in[0][(k * 7 + round) % 20] + v[(k + 1) % 20] * Expr(0.25);
      }
      if (round % 100 == 0) {
        v[3] = sin(v[3]);
        v[5] = in[0][0].graph()->call(inner, {v[5], v[6]})[1];
      }
    }
    out[0] = {v[0], v[1]};
  }));
  // sines and arc tangents that wait for each other, more of these than a vector has lanes, some that nothing waits for
  program.functions.push_back(trace("turns", {{"x", 2}}, {{"r", 9}}, [&](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[0][1], early = atan2(x, y), late = atan2(sin(x), cos(early));
    out[0] = {early,
              sin(early) * y,
              late,
              sin(late + y) - atan(late),
              atan(y),
              atan2(y, Expr(2.0)),
              atan2(Expr(-0.5), x),
              atan(sin(late)),
              atan2(x * y, y)};
  }));
  return program;
}

TEST(Jit, CompilesEveryOperationCallsAndLongFunctions) {
  for (const auto trigonometry : {Arithmetic::Trigonometry::libm, Arithmetic::Trigonometry::own}) {
    for (const char* compiler : {"gcc", "clang"}) {
      if (!has(compiler)) continue;
      Program program = everything();
      for (Function& f : program.functions) f = f.with({trigonometry, true});
      const Scratch scratch;
      JitOptions options;
      options.compiler = compiler;
      const char* level =
          std::string_view(compiler) == "gcc" ? "-O0" : "-O1";  // gcc takes long to optimise long functions
      options.flags = {level, "-march=native", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"};
      options.cache = scratch.cache();
      Compiled compiled = jit(program, options);
      Random random(5);
      for (const Function& f : program.functions) {
        Interpreter<double> interpret(f);
        std::vector<double> in(f.input_size()), expected(f.output_size()), got(f.output_size());
        for (int k = 0; k < 1000; ++k) {
          for (double& x : in) x = random.between(-1.0, 1.0) * (f.name() == "long" ? 1.0 : 4.0);
          if (k == 0) in[0] = -0.0;
          interpret(in, expected);
          compiled(f.name(), in, got);
          for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(std::memcmp(&got[i], &expected[i], sizeof(double)), 0)
                << compiler << " " << f.name() << " " << i << ": " << got[i] << " for " << expected[i];
          }
        }
      }
    }
  }
}

// A four-bar's closure, angles of coupler and rocker from the crank's: two equations with two unknowns, by Newton.
TEST(Jit, CompilesNewtonIterations) {
  const auto closure = std::make_shared<Function>(
      trace("closure", {{"x", 2}, {"crank", 1}, {"l", 3}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        const Expr a = in[0][0], b = in[0][1], c = in[1][0];
        out[0][0] = in[2][0] * cos(c) + in[2][1] * cos(a) - in[2][2] * cos(b) - Expr(1.0);
        out[0][1] = in[2][0] * sin(c) + in[2][1] * sin(a) - in[2][2] * sin(b);
      }));
  for (const auto trigonometry : {Arithmetic::Trigonometry::libm, Arithmetic::Trigonometry::own}) {
    const auto residual = std::make_shared<Function>(closure->with({trigonometry, false}));
    const Function f =
        trace("rates", {{"crank", 1}}, {{"x", 2}, {"r", 2}, {"sign", 1}}, [&](const Arguments& in, Results& out) {
          const auto s = in[0][0].graph()->solve(residual, {0.5, 1.5}, {in[0][0], 0.3, 0.9, 0.8}, 8);
          out[0] = s.unknowns;
          out[1] = s.residual;
          out[2] = {s.orientation};
        });
    Program program;
    program.name = "four_bar";
    // by steps that must be shortened: atan x is too flat for whole ones from far
    const auto far = std::make_shared<Function>(
        trace("far", {{"x", 2}, {"b", 1}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
          const Expr a = in[0][0] - Expr(10.0) * in[1][0], b = in[0][1] + in[0][0];
          out[0] = {atan(a) + Expr(0.01) * b, b - Expr(0.3) * tanh(a)};
        }));
    const Function shortened =
        trace("shortened", {{"b", 1}}, {{"x", 2}, {"r", 2}, {"sign", 1}}, [&](const Arguments& in, Results& out) {
          const auto s = in[0][0].graph()->solve(far, {0.0, 0.0}, {in[0][0]}, 40);
          out[0] = s.unknowns;
          out[1] = s.residual;
          out[2] = {s.orientation};
        });
    program.functions = {f, tangent(f, 1), shortened};  // a solve within the derivative, too
    for (const char* compiler : {"gcc", "clang"}) {
      if (!has(compiler)) continue;
      const Scratch scratch;
      JitOptions options;
      options.compiler = compiler;
      options.flags = {"-O2", "-march=native", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"};
      options.cache = scratch.cache();
      Compiled compiled = jit(program, options);
      for (const Function& g : program.functions) {
        Interpreter<double> interpret(g);
        for (double crank = 0.0; crank < 6.2; crank += 0.01) {
          const std::vector<double> in =
              g.input_size() == 1 ? std::vector<double>{crank} : std::vector<double>{crank, 1.0};
          double expected[5], got[5];
          interpret(in, expected);
          compiled(g.name(), in, got);
          EXPECT_EQ(std::memcmp(got, expected, sizeof got), 0) << compiler << " " << g.name() << " at " << crank;
          EXPECT_LT(std::abs(got[2]) + std::abs(got[3]), 1e-14);  // converged, and so is its derivative
        }
      }
    }
  }
}

Program pendulum() { return traced_program(load("double-pendulum"), "pendulum"); }

TEST(Jit, ThePointersAreTheFunctions) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  Compiled compiled = jit(pendulum(), options);
  auto* inverse = compiled.pointer<void(const double*, const double*, const double*, double*)>("inverse");
  ASSERT_NE(inverse, nullptr);
  const double in[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  double a[2], b[2], c[2];
  inverse(in, in + 2, in + 4, a);
  compiled.flat("inverse")(in, b);
  compiled("inverse", in, c);
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(a[k] == b[k] && b[k] == c[k]);
  EXPECT_THROW(compiled.pointer<void(const double*, const double*, double*)>("inverse"), Error);
  EXPECT_THROW(compiled.pointer<void(const double*, const double*, double*, const double*)>("inverse"), Error);
  EXPECT_THROW(compiled.pointer<void(const double*, const double*, const float*, double*)>("inverse"), Error);
  EXPECT_THROW(compiled.pointer<int(const double*, const double*, const double*, double*)>("inverse"), Error);
  try {
    compiled.pointer<double(double)>("inverse");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "a pointer of another type was asked for: `inverse` is void(const double* q, const double* qd, "
                 "const double* qdd, double* tau)");
  }
  EXPECT_THROW(compiled("inverse", std::span(in, 5), c), Error);
  EXPECT_THROW(compiled("reverse", in, c), Error);
}

TEST(Jit, KeepsWhatItCompiledAndNothingElse) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  int told = 0;
  options.progress = [&](const std::string&) { ++told; };
  EXPECT_FALSE(jit(pendulum(), options).was_cached());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(entries(options.cache).size(), 1u);
  EXPECT_TRUE(jit(pendulum(), options).was_cached());
  EXPECT_EQ(told, 1);
  options.flags = {"-O1"};
  EXPECT_FALSE(jit(pendulum(), options).was_cached());
  EXPECT_EQ(entries(options.cache).size(), 2u);
  struct stat about {};
  ASSERT_EQ(stat(options.cache.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST(Jit, DoesNotLoadWhatIsNotItsOwn) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  const Program program = pendulum();
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  jit(program, options);
  const fs::path kept = entries(options.cache).at(0);
  std::string good;
  {
    std::ifstream in(kept, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::string flipped = good, shorter = good.substr(0, good.size() / 2);
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  for (const std::string& bad : {flipped, shorter, std::string(), std::string("no library"), good + "\n"}) {
    std::ofstream(kept, std::ios::binary) << bad;
    Compiled compiled = jit(program, options);
    EXPECT_FALSE(compiled.was_cached());
    EXPECT_EQ(different(compiled, program, model, 10), 0);
    EXPECT_TRUE(jit(program, options).was_cached());
  }
  // a good library under another's name
  options.flags = {"-O1"};
  jit(program, options);
  for (const fs::path& other : entries(options.cache)) {
    if (other != kept) fs::copy_file(kept, other, fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(jit(program, options).was_cached());
}

// What was verified is what runs: a file that is exchanged between the two is not looked at again.
TEST(Jit, LoadsWhatItVerifiedNotWhatHasItsName) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  const Program program = pendulum();
  jit(program, options);
  const Compiled compiled = jit(program, options), again = jit(program, options);
  ASSERT_TRUE(compiled.was_cached() && again.was_cached());
  for (const Compiled* each : {&compiled, &again}) {
    Dl_info about{};
    ASSERT_NE(dladdr(reinterpret_cast<void*>(each->flat("inverse")), &about), 0);
    EXPECT_EQ(std::string(about.dli_fname).find(options.cache), std::string::npos) << about.dli_fname;
  }
}

// A header that the environment puts in the way makes other code.
TEST(Jit, KnowsWhatTheEnvironmentTellsTheCompiler) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  jit(pendulum(), options);
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"}) {
    const Environment other(name, scratch.path.c_str());
    EXPECT_FALSE(jit(pendulum(), options).was_cached()) << name;
    EXPECT_TRUE(jit(pendulum(), options).was_cached()) << name;
  }
  EXPECT_TRUE(jit(pendulum(), options).was_cached());
}

TEST(Jit, KeepsNoMoreThanItSays) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  jit(pendulum(), options);
  const fs::path cache = options.cache, used = entries(cache).at(0);
  const auto kept = [&](const char* name, int days, std::uintmax_t megabytes) {
    std::ofstream(cache / name) << "x";
    fs::resize_file(cache / name, megabytes << 20);  // takes no room
    fs::last_write_time(cache / name, fs::file_time_type::clock::now() - std::chrono::days(days));
  };
  kept("forgotten.so", 91, 1);
  kept("large.so", 20, 200);
  kept("larger.so", 10, 200);
  fs::last_write_time(used, fs::file_time_type::clock::now() - std::chrono::days(80));
  EXPECT_TRUE(jit(pendulum(), options).was_cached());  // by which it is new again
  options.flags = {"-O1"};
  EXPECT_FALSE(jit(pendulum(), options).was_cached());
  EXPECT_FALSE(fs::exists(cache / "forgotten.so"));
  EXPECT_FALSE(fs::exists(cache / "large.so"));
  EXPECT_TRUE(fs::exists(cache / "larger.so"));
  EXPECT_TRUE(fs::exists(used));
}

TEST(Jit, WorksWithoutACacheAndSaysWhy) {
  const Program program = pendulum();
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  const auto expect_uncached = [&](const std::string& cache, const std::string& why) {
    JitOptions options;
    options.cache = cache;
    Compiled compiled = jit(program, options);
    EXPECT_TRUE(compiled.is_native());
    EXPECT_FALSE(compiled.was_cached());
    EXPECT_EQ(different(compiled, program, model, 10), 0);
    ASSERT_EQ(compiled.notes().size(), 1u);
    EXPECT_NE(compiled.notes()[0].find(why), std::string::npos) << compiled.notes()[0];
  };
  const Scratch scratch;
  fs::create_directory(scratch.path / "open");
  chmod((scratch.path / "open").c_str(), 0755);
  expect_uncached((scratch.path / "open").string(), "accessible to other users");
  fs::create_directory(scratch.path / "real");
  chmod((scratch.path / "real").c_str(), 0700);
  fs::create_directory_symlink(scratch.path / "real", scratch.path / "link");
  expect_uncached((scratch.path / "link").string(), "is not a folder");
  std::ofstream(scratch.path / "file") << "x";
  expect_uncached((scratch.path / "file").string(), "is not a folder");
  expect_uncached((scratch.path / "file" / "below").string(), "Not a directory");
  if (geteuid() != 0) {
    chmod((scratch.path / "real").c_str(), 0500);
    expect_uncached((scratch.path / "real").string(), "is not writable");
  } else {
    expect_uncached("/proc/linkwright", "No such file");
  }
}

TEST(Jit, InterpretsWhereThereIsNoCompiler) {
  const Scratch scratch;
  const Environment no_path("PATH", scratch.path.c_str()), no_cc("CC", nullptr);
  const Program program = pendulum();
  JitOptions options;
  options.cache = scratch.cache();
  Compiled compiled = jit(program, options);
  EXPECT_FALSE(compiled.is_native());
  EXPECT_EQ(compiled.flat("inverse"), nullptr);
  ASSERT_EQ(compiled.notes().size(), 1u);
  EXPECT_NE(compiled.notes()[0].find("interpreted"), std::string::npos);
  EXPECT_EQ(different(compiled, program, instantiate<double>(load("double-pendulum")), 10), 0);
}

TEST(Jit, ACompilerThatRefusesIsQuotedAndLeavesNothing) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  options.flags = {"-fno-such-option-exists"};
  try {
    jit(pendulum(), options);
    FAIL() << "compiled with an option that does not exist";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::toolchain);
    EXPECT_NE(std::string(e.what()).find("no-such-option-exists"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(entries(options.cache).empty());
}

TEST(Jit, AnInterruptedRunLeavesNothing) {
  const Scratch scratch;
  const fs::path compiler = scratch.path / "slow-cc", begun = scratch.path / "begun";
  std::ofstream(compiler) << "#!/bin/sh\ntouch " << begun.string() << "\nsleep 0.5\nexit 1\n";
  chmod(compiler.c_str(), 0700);
  JitOptions options;
  options.compiler = compiler.string();
  options.cache = scratch.cache();
  const Program program = pendulum();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      jit(program, options);
    } catch (...) {}
    _exit(0);  // the signal must have come before
  }
  for (int k = 0; k < 500 && !fs::exists(begun); ++k) usleep(10000);
  ASSERT_FALSE(entries(options.cache).empty());  // at work
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_TRUE(entries(options.cache).empty());
}

TEST(Jit, TakesTheCompilerOfTheEnvironment) {
  const Scratch scratch;
  const Environment cc("CC", "gcc -DWHATEVER=1");
  JitOptions options;
  options.cache = scratch.cache();
  std::string told;
  options.progress = [&](const std::string& text) { told = text; };
  EXPECT_TRUE(jit(pendulum(), options).is_native());
  EXPECT_NE(told.find("/gcc"), std::string::npos) << told;
}

TEST(Jit, ManyAtOnceGetTheSame) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  const Program program = pendulum();
  const Model<double> model = instantiate<double>(load("double-pendulum"));
  std::vector<int> wrong(8, -1);
  std::vector<std::thread> threads;
  for (int& w : wrong) {
    threads.emplace_back([&] {
      Compiled compiled = jit(program, options);
      w = compiled.is_native() ? different(compiled, program, model, 10) : -2;
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int w : wrong) EXPECT_EQ(w, 0);
  EXPECT_EQ(entries(options.cache).size(), 1u);
}

}  // namespace jit_test
}  // namespace lw
