// Generated code to be tested before it is written: its files, and the commands that build and run its self-test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../../codegen/text/program.hpp"

namespace lw::cli {

struct Emitted {
  Form form;
  std::vector<Artefact> files;
  std::vector<std::vector<std::string>>
      commands;      // that build and run the self-test in the folder; none: there is none
  std::string tool;  // that they need: a program, or what is to be said of it
};

struct SelfTest {
  std::string verdict;  // passed, failed, not run, none
  std::string output;
};
// A folder for temporary files, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path path;
};

// In a folder of its own.
SelfTest run_selftest(const Emitted& made);

// Whether it did not fail; if it did, what it said is said.
bool holds(const SelfTest& test, const std::string& whose);
// For the end of the answer: "self-test, 20 states a function against the library's algorithms: passed".
std::string to_string(const SelfTest& test, int states, const std::string& against);

// CC or CXX as it is given, else cc or c++; and what compiles these files of C or C++, and links them, with it.
std::vector<std::string> compiler(bool cpp);
std::vector<std::string> build_command(bool cpp, const std::vector<std::string>& files);

// To be called before long work: throws Error(io) if the folder is not writable.
void require_writable(const std::filesystem::path& folder);

// Creates the folder and writes all files or none; returns their paths.
std::vector<std::string> write_artefacts(const std::filesystem::path& folder, const std::vector<Artefact>& files);

}  // namespace lw::cli
