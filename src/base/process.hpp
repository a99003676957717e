// Other programs, run as child processes without a shell.
#pragma once

#include <string>
#include <vector>

namespace lw {

struct Finished {
  int status = 0;           // exit status; 128 + the signal that ended it
  std::string output;       // what it wrote to stdout and stderr, in its order
  long peak_kilobytes = 0;  // of memory that it held, or one that it ran
};

// Waits for the end. arguments[0] is the program: a path, or a name that PATH knows. stdin is empty. It runs
// in `folder`, or here. Throws Error(toolchain) where it cannot be started.
Finished run_program(const std::vector<std::string>& arguments, const std::string& folder = {});

// The words of a command such as CC="ccache gcc -m64", at blanks.
std::vector<std::string> words_of(const std::string& command);

// The path of a program that PATH knows, or of an executable file where the name has a slash; "" where there is none.
std::string find_program(const std::string& name);

}  // namespace lw
