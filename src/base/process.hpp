// Runs other programs as child processes without a shell.
#pragma once

#include <string>
#include <vector>

namespace lw {

struct Finished {
  int status = 0;           // exit status, or 128 + the signal that ended it
  std::string output;       // stdout and stderr, in the order written
  long peak_kilobytes = 0;  // peak memory of the program or of its children
};

// Runs a program and waits for its end. arguments[0] is the program: a path, or a name found in PATH. stdin is empty.
// It runs in `folder`, or in the current folder. Throws Error(toolchain) if it cannot be started.
Finished run_program(const std::vector<std::string>& arguments, const std::string& folder = {});

// The words of a command such as CC="ccache gcc -m64", split at blanks.
std::vector<std::string> words_of(const std::string& command);

// The path of a program found in PATH, or of an executable file if the name contains a slash; "" if there is none.
std::string find_program(const std::string& name);

}  // namespace lw
