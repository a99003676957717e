#include "codegen/languages/emit_fortran.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/random.hpp"
#include "other_languages.hpp"

namespace lw {
namespace emit_fortran_test {

const char* kCompile =
    "gfortran -std=f2008 -pedantic -Wall -Wextra -Wno-unused-dummy-argument -Werror -ffp-contract=off -O1";

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
    const Scratch scratch;
    write(scratch, emit_fortran(program));
    write(scratch, {{"driver.f90", driver(program, f, states.size())}, {"states.txt", table(states)}});
    const std::string output =
        output_of(scratch, fmt::format("{} {}.f90 driver.f90 -o driver && ./driver", kCompile, program.name));
    if (::testing::Test::HasFailure()) return 1.0;
    return relative_difference(numbers(output), interpreted(f, states));
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

TEST_F(EmitFortran, SelfTestPasses) {
  const Case c = model_case("puma560", 20);
  std::vector<TestVectors> vectors;
  for (std::size_t k = 0; k < c.states.size(); ++k) vectors.push_back(vectors_of(c.program.functions[k], c.states[k]));
  const std::string run = fmt::format("{} puma560.f90 puma560_selftest.f90 -o selftest && ./selftest", kCompile);
  const Scratch scratch;
  write(scratch, emit_fortran(c.program));
  write(scratch, {emit_fortran_selftest(c.program, vectors)});
  EXPECT_TRUE(output_of(scratch, run).ends_with("all right\n"));
  // a wrong number is found
  vectors[1].outputs[7][3] *= 1.0 + 1e-8;
  write(scratch, {emit_fortran_selftest(c.program, vectors)});
  const std::string output = output_of(scratch, "(" + run + ") || echo failed as it should");
  EXPECT_NE(output.find("WRONG"), std::string::npos) << output;
  EXPECT_TRUE(output.ends_with("failed as it should\n")) << output;
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

}  // namespace emit_fortran_test
}  // namespace lw
