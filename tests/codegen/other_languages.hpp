// Code in another language, run at many states and compared with the interpreter.
#pragma once

#include <string>
#include <vector>

#include "codegen/c/selftest.hpp"
#include "codegen/text/program.hpp"
#include "support/scratch.hpp"

namespace lw {

// Into the folder of a test.
void write(const Scratch& scratch, const std::vector<Artefact>& artefacts);
// In that folder; what it prints. The exit status must be 0.
std::string output_of(const Scratch& scratch, const std::string& shell_command);

// Every operation once, in two outputs (one a 2×2 matrix), with a call; for languages to show that they have them all.
Program every_operation();

// One line a state of all numbers that it needs, with every bit; and numbers read back.
std::string table(const std::vector<std::vector<double>>& rows);
std::vector<double> numbers(const std::string& text);

// What the interpreter gives for each state, one behind the other; and the largest difference to it, relative to the
// largest number of the function.
std::vector<double> interpreted(const Function& function, const std::vector<std::vector<double>>& states);
double relative_difference(const std::vector<double>& got, const std::vector<double>& expected);

// Expected outputs from the interpreter, for self-tests.
TestVectors vectors_of(const Function& function, const std::vector<std::vector<double>>& states);

// Embedded models (arms, trees, a floating base) with their traced functions, and states for each function.
struct Case {
  Program program;
  std::vector<std::vector<std::vector<double>>> states;  // by function
};
Case model_case(const std::string& model, int states);

// Inverse dynamics with its values named (omega2_x, f3_z, …), and the mass matrix as a matrix.
Program named_program(const std::string& model);

}  // namespace lw
