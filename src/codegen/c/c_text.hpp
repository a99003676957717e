// The text that C and C++ have in common: definitions of a program's functions and of all that they call.
//
// A function of more than about 5000 operations is cut into parts that pass values through an array, since compilers
// take more than linear time. All sines and cosines whose angles are known come from one call of the kernel; angles
// that depend on other sines come from a later one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../text/program.hpp"

namespace lw {

struct CDialect {
  bool cpp = false;               // in a namespace, with std:: in front of the library's functions
  bool single_precision = false;  // float for double
  int longest_function = 5000;    // operations
  bool calls_in_lanes = true;     // equal calls that do not wait for each other, as one over vectors

  const char* real() const { return single_precision ? "float" : "double"; }
};

// What compilers must be told for the interpreter's bits (the first two) and for speed: straight-line code is slower
// where gcc packs it into vectors, and a root must not set errno.
inline const std::vector<std::string> kCFlags = {"-ffp-contract=off", "-fno-fast-math", "-fno-tree-slp-vectorize",
                                                 "-fno-math-errno"};

// NAME, or NAMEf where it computes in float: the file and what its functions begin with.
std::string c_name(const Program& program, const CDialect& dialect);
// NAME_inverse, or inverse in C++: what a function is called, and its arguments, inputs first.
std::string c_function(const Program& program, const Function& function, const CDialect& dialect);
std::vector<std::string> c_arguments(const Function& function, const CDialect& dialect);
// in, in + 6, in + 12: the groups in an array.
std::string pieces(const std::vector<Group>& groups, const std::string& array);
// q[6], qd[6], qdd[6], tau[6]
std::string c_sizes(const Function& function);
// void NAME_inverse(const double *q, const double *qd, const double *qdd, double *tau), as a header says it.
std::string c_declaration(const Program& program, const Function& function, const CDialect& dialect);
// Functions are written over numbers, or over vectors of `lanes` of them (2, 4, 8, 16) by the extensions of gcc and
// clang: the same text, bits and names but for the type of a value. 1: double or float; 4: lw_v4; 0: lw_v, of as many
// as the macro LW_LANES says.
std::string c_value(const CDialect& dialect, int lanes);
// NAME, NAME_x4, NAME_lanes.
std::string c_over_lanes(const std::string& name, int lanes);
// static void NAME_leg_x4(const lw_v4 *restrict q, …, lw_v4 *restrict tau) for every function of the program and all
// that they call: headers and macros first, then types, helpers and functions, which in C++ stand in the caller's
// namespace.
struct LanesSource {
  std::string preamble, text;
};
LanesSource c_lanes_source(const Program& program, const CDialect& dialect, int lanes);

// What follows the banner in a source file; `header` is included first.
std::string c_source(const Program& program, const CDialect& dialect, const std::string& header);
// Whether C, C++ or their headers have taken a name.
bool is_word_of_c(const std::string& name);
// Lines as one comment.
std::string c_comment(const std::vector<std::string>& lines);

void replace_all(std::string& text, std::string_view what, std::string_view by);

}  // namespace lw
