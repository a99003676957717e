// Code in another language, run at many states and compared with the interpreter.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/program.hpp"

namespace lw {

// A folder of its own for each test, gone with it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::vector<Artefact>& artefacts) const;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Every operation once, in two outputs (one a 2×2 matrix), with a call; for languages to show that they have them all.
Program every_operation();

// One line a state of all numbers that it needs, with every bit; and numbers read back.
std::string table(const std::vector<std::vector<double>>& rows);
std::vector<double> numbers(const std::string& text);

// What the interpreter gives for each state, one behind the other; and the largest difference to it, relative to the
// largest number of the function.
std::vector<double> interpreted(const Function& function, const std::vector<std::vector<double>>& states);
double relative_difference(const std::vector<double>& got, const std::vector<double>& expected);

// Embedded models (arms, trees, a floating base) with their traced functions, and states for each function.
struct Case {
  Program program;
  std::vector<std::vector<std::vector<double>>> states;  // by function
};
Case model_case(const std::string& model, int states);

// Inverse dynamics with its values named (omega2_x, f3_z, …), and the mass matrix as a matrix.
Program named_program(const std::string& model);

}  // namespace lw
