#include "codegen/emit_fortran.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/other_languages.hpp"

namespace lw {
namespace {

// A program that reads states from a file and prints what one function gives for each.
std::string driver(const Program& program, const Function& f, std::size_t states) {
  std::string declared, call, outputs;
  std::size_t at = 0;
  for (const Group& g : f.inputs()) {
    call += fmt::format("{}x({}:{})", call.empty() ? "" : ", ", at + 1, at + g.size);
    at += g.size;
  }
  at = 0;
  for (const Group& g : f.outputs()) {
    call += fmt::format(", y({}:{})", at + 1, at + g.size);
    at += g.size;
  }
  return fmt::format(
      "program driver\n  use {0}\n  implicit none\n  double precision :: x({1}), y({2})\n  integer :: k, unit\n"
      "  open(newunit=unit, file='states.txt')\n  do k = 1, {3}\n    read(unit, *) x\n    call {4}({5})\n"
      "    print '(*(es26.17e3))', y\n  end do\nend program\n",
      program.name, f.input_size(), f.output_size(), states, symbol(program, f), call);
}

class EmitFortran : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program("gfortran").empty()) GTEST_SKIP() << "no gfortran";
  }

  double difference(const Program& program, const Function& f, const std::vector<std::vector<double>>& states) {
    const Folder folder;
    folder.write(emit_fortran(program));
    write_file(folder.file("driver.f90"), driver(program, f, states.size()));
    write_file(folder.file("states.txt"), table(states));
    std::string source = program.name + ".f90";
    const Finished compiled = run_program(
        {"sh", "-c",
         fmt::format("cd '{}' && gfortran -std=f2008 -pedantic -Wall -Wextra -Wno-unused-dummy-argument -Werror "
                     "-ffp-contract=off -O1 {} driver.f90 -o driver", folder.path(), source)});
    EXPECT_EQ(compiled.status, 0) << compiled.output;
    if (compiled.status != 0) return 1.0;
    const Finished ran = run_program({"sh", "-c", fmt::format("cd '{}' && ./driver", folder.path())});
    EXPECT_EQ(ran.status, 0) << ran.output;
    return relative_difference(numbers(ran.output), interpreted(f, states));
  }
};

TEST_F(EmitFortran, HasEveryOperation) {
  const Program program = every_operation();
  std::vector<std::vector<double>> states;
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    states.push_back({random.between(-4.0, 4.0), random.between(-4.0, 4.0), random.between(-4.0, 4.0)});
  }
  EXPECT_LE(difference(program, program.functions[0], states), 1e-13);
}

TEST_F(EmitFortran, AgreesWithTheInterpreterForEmbeddedModels) {
  for (const char* model : {"double-pendulum", "puma560", "stanford", "quadruped"}) {
    const Case c = model_case(model, 500);
    for (std::size_t k = 0; k < c.program.functions.size(); ++k) {
      Program one = c.program;
      one.functions = {c.program.functions[k]};
      EXPECT_LE(difference(one, one.functions[0], c.states[k]), 1e-13) << model << " " << one.functions[0].name();
    }
  }
}

TEST(EmitFortranText, KeepsWithinTheStandardsLimits) {
  const Case c = model_case("humanoid", 0);
  const std::string text = emit_fortran(c.program).at(0).text;
  std::size_t longest = 0, from = 0, continued = 0, most_continued = 0;
  for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
    longest = std::max(longest, end - from);
    continued = end > from && text[end - 1] == '&' ? continued + 1 : 0;
    most_continued = std::max(most_continued, continued);
  }
  EXPECT_LE(longest, 132u);
  EXPECT_LE(most_continued, 255u);
}

}  // namespace
}  // namespace lw
