// Code as users have it, made by make_program and run by every back end at 10 000 states of every model that comes with
// the project: against the algorithms over double, and JIT, C and interpreter byte for byte.
#include "codegen/compile.hpp"
#include "codegen/trace/traced.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "agreement.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/worse.hpp"
#include "codegen/c/emit_c.hpp"
#include "codegen/languages/emit_fortran.hpp"
#include "codegen/languages/emit_python.hpp"
#include "codegen/scene/snapping.hpp"
#include "graph/interpreter.hpp"
#include "model/read/read.hpp"
#include "other_languages.hpp"
#include "support/random_mechanism.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace compile_test {

using Values = std::vector<double>;
using States = std::vector<Values>;

const char* kPython = "/usr/bin/python3";  // Debian's, which has Debian's NumPy
constexpr int kStates = 10000;

bool is_dynamics(const Function& f) {
  return f.name() == "inverse" || f.name() == "forward" || f.name() == "mass-matrix" || f.name() == "bias";
}

// Results of all functions of a program, each for its states.
using Results = std::vector<Values>;

Results interpreted(const Program& program, const std::vector<States>& states) {
  Results all;
  for (std::size_t k = 0; k < program.functions.size(); ++k)
    all.push_back(interpreted(program.functions[k], states[k]));
  return all;
}

Results jitted(const Program& program, const std::vector<States>& states, const std::string& compiler,
               const std::string& level) {
  const Scratch scratch;
  JitOptions options;
  options.cache = scratch.cache();
  options.compiler = compiler;
  options.flags = {level, "-march=native"};
  Compiled compiled = jit(program, options);
  EXPECT_TRUE(compiled.is_native());
  Results all;
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    Values out(f.output_size()), list;
    for (const Values& in : states[k]) {
      compiled(f.name(), in, out);
      list.insert(list.end(), out.begin(), out.end());
    }
    all.push_back(std::move(list));
  }
  return all;
}

bool same_bytes(const Results& a, const Results& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].size() != b[k].size() || std::memcmp(a[k].data(), b[k].data(), a[k].size() * sizeof(double)) != 0)
      return false;
  }
  return true;
}

// ---- other languages: one process that reads in_K and writes out_K for each function, as bytes

// x, y: all inputs, all outputs; slice(x, 6, 3) is how the language writes a part.
template <class Slice>
std::string arguments(const Function& f, const Slice& slice) {
  std::string text;
  std::size_t at = 0;
  for (const Group& g : f.inputs()) {
    text += (text.empty() ? "" : ", ") + slice("x", at, g.size);
    at += g.size;
  }
  at = 0;
  for (const Group& g : f.outputs()) {
    text += ", " + slice("y", at, g.size);
    at += g.size;
  }
  return text;
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string cpp_driver(const Program& program) {
  std::string text = "#include \"" + program.name + ".hpp\"\n#include <fstream>\n#include <vector>\nint main() {\n";
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    const auto slice = [](const char* v, std::size_t at, std::size_t) { return fmt::format("{}.data() + {}", v, at); };
    text += fmt::format(
        "  {{\n    std::ifstream in(\"in_{0}\", std::ios::binary);\n    std::ofstream out(\"out_{0}\", "
        "std::ios::binary);\n"
        "    std::vector<double> x({1}), y({2});\n    while (in.read(reinterpret_cast<char*>(x.data()), {1} * 8)) {{\n"
        "      {3}::{4}({5});\n      out.write(reinterpret_cast<const char*>(y.data()), {2} * 8);\n    }}\n  }}\n",
        k, f.input_size(), f.output_size(), program.name, underscored(f.name()), arguments(f, slice));
  }
  return text + "}\n";
}

std::string fortran_driver(const Program& program) {
  std::string body, sizes;
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    const auto slice = [](const char* v, std::size_t at, std::size_t size) {
      return fmt::format("{}({}:{})", v, at + 1, at + size);
    };
    body += fmt::format(
        "  allocate(x({1}), y({2}))\n  open(newunit=a, file='in_{0}', access='stream', form='unformatted', "
        "status='old')\n"
        "  open(newunit=b, file='out_{0}', access='stream', form='unformatted')\n  do\n    read(a, iostat=e) x\n"
        "    if (e /= 0) exit\n    call {3}( &\n      {4})\n    write(b) y\n  end do\n  close(a)\n  close(b)\n  "
        "deallocate(x, "
        "y)\n",
        k, f.input_size(), f.output_size(), symbol(program, f), arguments(f, slice));
  }
  return fmt::format(
      "program driver\n  use {}\n  implicit none\n  double precision, allocatable :: x(:), y(:)\n"
      "  integer :: a, b, e\n{}end program\n",
      program.name, body);
}

std::string python_driver(const Program& program) {
  std::string text = fmt::format("import numpy as np\nimport {}\n", program.name);
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    std::string inputs, rows;
    std::size_t at = 0;
    for (const Group& g : f.inputs()) {
      inputs += fmt::format("x[:, {}:{}], ", at, at + g.size);
      at += g.size;
    }
    for (const Group& g : f.outputs()) rows += fmt::format("{}, ", g.rows);
    text += fmt::format(
        "x = np.fromfile('in_{0}').reshape(-1, {1})\nr = {2}.{3}({4})\nr = r if isinstance(r, tuple) else (r,)\n"
        "y = np.concatenate([(np.swapaxes(v, -1, -2) if m else v).reshape(len(x), -1) for v, m in zip(r, [{5}])], "
        "axis=1)\n"
        "np.ascontiguousarray(y).tofile('out_{0}')\n",
        k, f.input_size(), program.name, underscored(f.name()), inputs, rows);
  }
  return text;
}

Results results_of(const Program& program, const std::vector<States>& states, std::vector<Artefact> files,
                   Artefact driver, const std::string& command) {
  const Scratch scratch;
  files.push_back(std::move(driver));
  write(scratch, files);
  for (std::size_t k = 0; k < states.size(); ++k) {
    std::ofstream out(scratch.path / fmt::format("in_{}", k), std::ios::binary);
    for (const Values& s : states[k])
      out.write(reinterpret_cast<const char*>(s.data()), static_cast<long>(s.size() * sizeof(double)));
  }
  output_of(scratch, command);
  Results all;
  for (std::size_t k = 0; k < states.size(); ++k) {
    Values list(states[k].size() * program.functions[k].output_size());
    std::ifstream in(scratch.path / fmt::format("out_{}", k), std::ios::binary);
    EXPECT_TRUE(in.read(reinterpret_cast<char*>(list.data()), static_cast<long>(list.size() * sizeof(double))));
    EXPECT_EQ(in.peek(), std::ifstream::traits_type::eof());
    all.push_back(std::move(list));
  }
  return all;
}

// ---- the judgement

// Of large mechanisms without those that are long and say little more.
std::vector<std::string> functions_of(bool small) {
  if (!small) return {"inverse", "forward", "mass-matrix", "bias", "energy"};
  std::vector<std::string> names = function_names();
  std::erase_if(names, [](const std::string& name) { return name.ends_with("-derivatives"); });
  return names;
}

void expect_agreement(const Model<double>& model, const Program& program, const std::vector<States>& states,
                      const Results& results, const std::string& who) {
  double worst = 0.0;
  for (std::size_t k = 0; k < program.functions.size(); ++k) {
    const Function& f = program.functions[k];
    std::size_t at = 0;
    const auto next = [&](std::span<const double>, std::span<double> out) {
      std::copy_n(results[k].begin() + static_cast<long>(at), out.size(), out.begin());
      at += out.size();
    };
    const double error = disagreement(model, f, states[k], next);
    EXPECT_LE(error, 1.0) << program.name << " " << f.name() << " by " << who;
    worst = worse(worst, error);
  }
  ::testing::Test::RecordProperty(who + ", of the limit", fmt::format("{:.3f}", worst));
}

// All back ends; `small`: all functions but derivatives, else those of the dynamics.
void expect_every_back_end(const Mechanism& mechanism, const ProgramOptions& options, bool small,
                           const ParameterValues<double>& values = {}, int count = kStates) {
  std::vector<Traced> details;
  const Program program = make_program(mechanism, functions_named(functions_of(small)), options, &details);
  const Model<double> model = snapped(instantiate<double>(mechanism, values), options.trace.snap);
  Values p = program.kept_values;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (values.contains(program.kept[k])) p[k] = values.at(program.kept[k]);
  }
  double snapping = 0.0;
  std::vector<States> states;
  for (const Traced& t : details) {
    states.push_back(states_of(model, t.function, is_dynamics(t.function) ? count : count / 20, p));
    snapping = std::max(snapping, verify(t, 20).snapping);
  }
  ::testing::Test::RecordProperty("snapping", fmt::format("{:.1e}", snapping));
  const Results exact = interpreted(program, states);
  expect_agreement(model, program, states, exact, "interpreter");
  // One as it is written, one rearranged by the compiler: in clang, which takes a third of gcc's time for long
  // functions.
  for (const auto& [compiler, level] : {std::pair("gcc", "-O0"), std::pair("clang", "-O1")}) {
    if (find_program(compiler).empty()) continue;
    EXPECT_TRUE(same_bytes(jitted(program, states, compiler, level), exact)) << program.name << " by " << compiler;
  }
  const std::string name = program.name;
  EXPECT_TRUE(
      same_bytes(results_of(program, states, emit_cpp(program), {"driver.cpp", cpp_driver(program)},
                            fmt::format("c++ -std=c++20 -O0 -march=native {} {}.cpp driver.cpp -o driver && ./driver",
                                        fmt::join(kCFlags, " "), name)),
                 exact))
      << program.name << " in C++";
  if (!find_program("gfortran").empty()) {
    expect_agreement(model, program, states,
                     results_of(program, states, emit_fortran(program), {"driver.f90", fortran_driver(program)},
                                fmt::format("gfortran -std=f2008 -O0 {}.f90 driver.f90 -o driver && ./driver", name)),
                     "Fortran");
  }
  if (!find_program(kPython).empty() && run_program({kPython, "-c", "import numpy"}).status == 0) {
    expect_agreement(model, program, states,
                     results_of(program, states, emit_python(program), {"driver.py", python_driver(program)},
                                fmt::format("{} -W error -B driver.py", kPython)),
                     "Python");
  }
}

class EveryModel : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryModel, InEveryLanguage) {
  const Mechanism mechanism = load(GetParam());
  ProgramOptions options;
  options.trace.fused = GetParam().size() % 2 == 0;  // some with, some without
  expect_every_back_end(mechanism, options, mechanism.links.size() < 15);
}

INSTANTIATE_TEST_SUITE_P(Compile, EveryModel, ::testing::ValuesIn(embedded_trees()),
                         [](const auto& p) { return identifier(p.param); });

TEST(Compile, RandomMechanismsInEveryLanguage) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RandomMechanismOptions how;
    how.joints = 3;
    how.drives = how.springs = true;
    how.mimic = seed % 2 == 0 ? 0.3 : 0.0;
    ProgramOptions options;
    options.trace.fused = seed <= 2;
    options.libm = seed == 3;
    expect_every_back_end(seed % 2 == 0 ? random_mechanism(seed, how) : special_mechanism(seed, how), options, true);
  }
}

TEST(Compile, KeptParametersInEveryLanguage) {
  ProgramOptions options;
  options.trace.keep = {"d4", "a2", "transfer"};
  options.trace.fused = true;
  expect_every_back_end(load("puma560"), options, true, {{"d4", 0.0}, {"a2", 0.7}});
}

// ---- what compilers make of it

const std::vector<std::string> kWarnings{"-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"};

std::string compiled(const Scratch& scratch, const Program& program, const std::string& compiler,
                     const std::vector<std::string>& more) {
  std::vector<std::string> command{compiler};
  command.insert(command.end(), kWarnings.begin(), kWarnings.end());
  command.insert(command.end(), kCFlags.begin(), kCFlags.end());
  command.insert(command.end(), more.begin(), more.end());
  const std::string object = (scratch.path / (compiler + ".o")).string();
  command.insert(command.end(), {"-c", (scratch.path / (program.name + ".c")).string(), "-o", object});
  const Finished made = run_program(command);
  EXPECT_EQ(made.status, 0) << compiler << ": " << made.output;
  return object;
}

Program program_of(const std::string& model, bool fused) {
  ProgramOptions options;
  options.trace.fused = fused;
  const Mechanism mechanism = load(model);
  return make_program(mechanism, functions_named(functions_of(mechanism.links.size() < 15)), options);
}

TEST(Compile, CodeHasNoWarningAndNoBranch) {
  for (const char* model : {"puma560", "stanford", "quadruped"}) {
    for (const bool fused : {false, true}) {
      const Program program = program_of(model, fused);
      const Scratch scratch;
      write(scratch, emit_c(program));
      for (const char* compiler : {"gcc", "clang"}) {
        if (find_program(compiler).empty()) continue;
        const std::string object = compiled(scratch, program, compiler, {"-march=native"});
        // jmp, ret and call are no branches
        const Finished jumps = run_program(
            {"sh", "-c", "objdump -d --no-show-raw-insn " + object + R"( | awk '$2 ~ /^(j|loop)/ && $2 !~ /^jmp/')"});
        EXPECT_EQ(jumps.status, 0);
        EXPECT_EQ(jumps.output, "") << model << " by " << compiler;
      }
    }
  }
}

// Instructions within a function, as valgrind counts them. It knows AVX2, not the newest.
long instructions(const Scratch& scratch, const std::string& function, int state) {
  const Finished run =
      run_program({"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=" + function,
                   (scratch.path / "driver").string(), std::to_string(state)});
  EXPECT_EQ(run.status, 0) << run.output;
  const std::size_t at = run.output.find("Collected : ");
  EXPECT_NE(at, std::string::npos) << run.output;
  return at == std::string::npos ? -1 : std::stol(run.output.substr(at + 12));
}

TEST(Compile, InstructionsDoNotDependOnTheState) {
  if (find_program("valgrind").empty()) GTEST_SKIP() << "no valgrind";
  const Finished machine = run_program({"gcc", "-dumpmachine"});
  const std::vector<std::string> flags = machine.output.starts_with("x86_64") && machine_has_fma()
                                             ? std::vector<std::string>{"-mavx2", "-mfma"}
                                             : std::vector<std::string>{};
  for (const char* model : {"puma560", "quadruped"}) {
    const Program program = program_of(model, true);
    const Scratch scratch;
    std::vector<Artefact> files = emit_c(program);
    // states: all zero; ordinary; angles far beyond a turn, tiny and huge rates
    std::string text =
        "#include <stdlib.h>\n#include \"" + program.name +
        ".h\"\nint main(int n, char **v) {\n"
        "  static double x[1000], y[1000];\n  int s = n > 1 ? atoi(v[1]) : 0;\n"
        "  for (int k = 0; k < 1000; ++k) x[k] = s == 0 ? 0.0 : s == 1 ? 0.3 + 0.1 * (k % 7) : k % 3 == 0 ? "
        "-98765.4 : k % 3 == 1 ? 1e-310 : 3e5;\n";
    for (const Function& f : program.functions) {
      if (f.name() != "inverse" && f.name() != "forward")
        continue;  // in others gcc may use a form of vmovq that valgrind 3.19 does not know
      const auto slice = [](const char* a, std::size_t at, std::size_t) { return fmt::format("{} + {}", a, at); };
      text += fmt::format("  {}({});\n", symbol(program, f), arguments(f, slice));
    }
    files.push_back({"driver.c", text + "  return y[0] == 12345.0;\n}\n"});
    write(scratch, files);
    const std::string object = compiled(scratch, program, "gcc", flags);
    const Finished made = run_program({"gcc", "-std=c11", (scratch.path / "driver.c").string(), object, "-lm", "-o",
                                       (scratch.path / "driver").string()});
    ASSERT_EQ(made.status, 0) << made.output;
    for (const char* function : {"inverse", "forward"}) {
      const std::string name = program.name + "_" + function;
      const long zero = instructions(scratch, name, 0);
      EXPECT_GT(zero, 100) << name;
      EXPECT_EQ(instructions(scratch, name, 1), zero) << name;
      EXPECT_EQ(instructions(scratch, name, 2), zero) << name;
    }
  }
}

// ---- names

TEST(Compile, NamesReservedByLanguages) {
  EXPECT_EQ(identifier("puma560"), "puma560");
  EXPECT_EQ(identifier("torso-wong"), "torso_wong");
  EXPECT_EQ(identifier("7dof arm (left)"), "robot_7dof_arm_left");
  EXPECT_EQ(identifier("  "), "robot");
  EXPECT_EQ(identifier("Größe"), "Gr_e");
  for (const char* taken : {"int", "class", "sin", "std", "main", "lambda", "numpy", "math"}) {
    EXPECT_EQ(identifier(taken), std::string(taken) + "_robot");
  }
  EXPECT_LE(identifier(std::string(200, 'x')).size(), 40u);
  EXPECT_EQ(identifier(identifier("int")), identifier("int"));
}

TEST(Compile, MechanismsWithDifficultNames) {
  const char* text = R"(
linkwright: 1
name: NAME
parameters: {q: 0.3, qd: 0.1, p: 0.2, tau: 2, x: 0.5, y: 0.1, M: 0.3, lambda: 0.2, I: 0.1}
links:
  - name: int
    parent: base
    joint: {type: revolute, axis: z, origin: {xyz: [q, qd, p]}}
    inertia: {mass: tau, com: [x, y, M], tensor: {xx: 0.02, yy: 0.03, zz: 0.025, xy: 0.001}}
  - name: class
    parent: int
    joint: {type: revolute, axis: y, origin: {xyz: [lambda, I, p]}}
    inertia: {mass: tau, com: [x, y, M], tensor: {xx: 0.02, yy: 0.03, zz: 0.025, xy: 0.001}}
)";
  for (const std::string& name : std::vector<std::string>{"int", "lambda", std::string(120, 'x')}) {
    std::string own = text;
    own.replace(own.find("NAME"), 4, name);
    ProgramOptions options;
    options.trace.keep = {"q", "qd", "p", "tau", "x", "y", "M", "lambda", "I"};
    const ReadResult read = read_text(own, "names.yaml");
    ASSERT_TRUE(read.mechanism) << read.diagnostics[0].message;
    expect_every_back_end(*read.mechanism, options, true, {{"q", 0.0}, {"lambda", -0.4}}, 50);
  }
}

}  // namespace compile_test
}  // namespace lw
