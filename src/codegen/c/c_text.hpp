// The common part of C and C++: definitions of a program's functions and of everything that they call.
//
// A function with more than about 5000 operations is cut into parts that pass values through an array, because compile
// time grows faster than linearly. One kernel call computes all sines and cosines whose angles are known; angles that
// depend on other sines need a later call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../text/program.hpp"

namespace lw {

struct CDialect {
  bool cpp = false;               // in a namespace, with std:: before functions of the standard library
  bool single_precision = false;  // float instead of double
  int longest_function = 5000;    // operations
  bool calls_in_lanes = true;     // equal calls that do not wait for each other run as one call over vectors

  const char* real() const { return single_precision ? "float" : "double"; }
};

// Compiler flags for the interpreter's bits (the first two) and for speed: straight-line code is slower if gcc packs it
// into vectors, and sqrt must not set errno.
inline const std::vector<std::string> kCFlags = {"-ffp-contract=off", "-fno-fast-math", "-fno-tree-slp-vectorize",
                                                 "-fno-math-errno"};

// NAME, or NAMEf for float: the name of the file and the prefix of its functions.
std::string c_name(const Program& program, const CDialect& dialect);
// NAME_inverse, or inverse in C++: the name of a function; and its arguments, inputs first.
std::string c_function(const Program& program, const Function& function, const CDialect& dialect);
std::vector<std::string> c_arguments(const Function& function, const CDialect& dialect);
// in, in + 6, in + 12: the groups in one array.
std::string pieces(const std::vector<Group>& groups, const std::string& array);
// q[6], qd[6], qdd[6], tau[6]
std::string c_sizes(const Function& function);
// void NAME_inverse(const double *q, const double *qd, const double *qdd, double *tau), as declared in a header.
std::string c_declaration(const Program& program, const Function& function, const CDialect& dialect);
// Functions compute with numbers, or with vectors of `lanes` numbers (2, 4, 8, 16; extensions of gcc and clang). Text,
// bits and names are the same except for the type of a value. 1: double or float; 4: lw_v4; 0: lw_v with LW_LANES lanes
// (a macro).
std::string c_value(const CDialect& dialect, int lanes);
// NAME, NAME_x4, NAME_lanes.
std::string c_over_lanes(const std::string& name, int lanes);
// static void NAME_leg_x4(const lw_v4 *restrict q, …, lw_v4 *restrict tau) for every function of the program and
// everything that they call: headers and macros first, then types, helpers and functions, in C++ within the caller's
// namespace.
struct LanesSource {
  std::string preamble, text;
};
LanesSource c_lanes_source(const Program& program, const CDialect& dialect, int lanes);

// The part of a source file after the banner; `header` is included first.
std::string c_source(const Program& program, const CDialect& dialect, const std::string& header);
// Whether C, C++ or their headers reserve a name.
bool is_word_of_c(const std::string& name);
// Lines as one comment.
std::string c_comment(const std::vector<std::string>& lines);

void replace_all(std::string& text, std::string_view what, std::string_view by);

}  // namespace lw
