// A Program is emitted together: functions of one mechanism, ready for code (passes done, order chosen).
//
// Every back end gives each function the same shape. In C:
//   void NAME_inverse(const double *q, const double *qd, const double *qdd, [const double *p,] double *tau)
// one argument per group of inputs, then one per group of outputs, matrices by columns; p: the kept parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../graph/function.hpp"
#include "../../model/entries.hpp"

namespace lw {

// The contents of a group of inputs or outputs.
struct Contents {
  std::string group;           // "q"
  std::string function;        // its function, if groups of that name differ: d_q of inverse and of forward dynamics
  std::string words;           // "positions"
  std::vector<Entry> entries;  // of a vector its entries; of a matrix its columns, or none if `words` suffice
};

struct Program {
  std::string name;                                // an identifier in every language: "puma560"
  std::string robot;                               // as named in its file
  std::string source;                              // the file's name or the embedded model
  std::vector<std::string> kept;                   // parameters that are inputs (the group `p`), in order
  std::vector<double> kept_values;                 // their values in the mechanism
  std::vector<Function> functions;                 // named as in the table of functions: "inverse", "mass-matrix"
  std::vector<std::string> notes;                  // for the banner: what was snapped and regrouped, and the methods
  std::vector<std::string> in_chosen_frames = {};  // functions with link axes other than the file's
  std::vector<Contents> contents;                  // of the groups of all functions, each once
  std::vector<std::pair<std::string, std::string>> options;  // as on the command line: --set, a2=1
  std::vector<std::string> left_out;                         // parts of the file that the results do not include
};

// The language of the emitted program, and its precision.
struct Form {
  std::string language = "c";     // c, c++, fortran, python, latex, text, dot
  bool single_precision = false;  // the name gets the suffix f
};

// Languages that are equations or drawings, not code.
bool is_to_read(const Form& form);
// NAME_inverse, NAME_mass_matrix: the name of a function in C and Fortran.
std::string symbol(const Program& program, const Function& function);
// The same in any form: NAMEf_inverse, NAME::inverse, NAME.inverse; to read, just inverse.
std::string symbol(const Program& program, const Function& function, const Form& form);
// NAME_c, NAMEf_cpp: the prefix of files beside the code in one language.
std::string stem(const Program& program, const Form& form);

// A file made by a back end.
struct Artefact {
  std::string path;  // relative to the folder that the user names
  std::string text;
};

}  // namespace lw
