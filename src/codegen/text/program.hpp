// A Program is what is emitted together: some functions of one mechanism, ready for code (passes done, order chosen).
//
// Every back end gives each function the same shape. In C:
//   void NAME_inverse(const double *q, const double *qd, const double *qdd, [const double *p,] double *tau)
// one argument a group of inputs, then one a group of outputs, matrices by columns; p are the parameters that were
// kept.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../../graph/function.hpp"
#include "../../model/entries.hpp"

namespace lw {

// What a group of inputs or outputs holds.
struct Contents {
  std::string group;           // "q"
  std::string function;        // whose it is, where groups of that name differ: d_q of inverse and of forward dynamics
  std::string words;           // "positions"
  std::vector<Entry> entries;  // of a vector, place by place; of a matrix its columns, or none where words say it all
};

struct Program {
  std::string name;                 // an identifier in every language: "puma560"
  std::string robot;                // as its file calls it
  std::string source;               // where it came from: the file's name or the embedded model
  std::vector<std::string> kept;    // parameters that are inputs (the group `p`), in order
  std::vector<double> kept_values;  // what the mechanism gives them
  std::vector<Function> functions;  // named as in the contract: "inverse", "mass-matrix"
  std::vector<std::string> notes;   // for the banner: what was snapped, regrouped, which method was taken
  std::vector<std::string> in_chosen_frames = {};  // functions whose links have other axes than in the file
  std::vector<Contents> contents;                  // of the groups of all functions, each once
  std::vector<std::pair<std::string, std::string>>
      options;                        // that it was made with, as on the command line: --set, a2=1
  std::vector<std::string> left_out;  // what the file has and no result holds
};

// The language that a program is written in, and its precision.
struct Form {
  std::string language = "c";     // c, c++, fortran, python, latex, text, dot
  bool single_precision = false;  // the name gets an f behind it
};

// Equations and drawings, not code.
bool is_to_read(const Form& form);
// NAME_inverse, NAME_mass_matrix: what a function is called in C and Fortran.
std::string symbol(const Program& program, const Function& function);
// The same in any form: NAMEf_inverse, NAME::inverse, NAME.inverse; to read, just inverse.
std::string symbol(const Program& program, const Function& function, const Form& form);
// NAME_c, NAMEf_cpp: what files are called that stand beside the code of one language.
std::string stem(const Program& program, const Form& form);

// A file that a back end made.
struct Artefact {
  std::string path;  // relative to the folder that the user names
  std::string text;
};

}  // namespace lw
