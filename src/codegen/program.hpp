// A Program is what is emitted together: some functions of one mechanism, ready for code (passes done, order chosen).
//
// Every back end gives each function the same shape. In C:
//   void NAME_inverse(const double *q, const double *qd, const double *qdd, [const double *p,] double *tau)
// one argument a group of inputs, then one a group of outputs, matrices by columns; p are the parameters that were kept.
#pragma once

#include <string>
#include <vector>

#include "../graph/function.hpp"

namespace lw {

struct Program {
  std::string name;                    // an identifier in every language: "puma560"
  std::string robot;                   // as its file calls it
  std::string source;                  // where it came from: the file's name or the embedded model
  std::vector<std::string> kept;       // parameters that are inputs (the group `p`), in order
  std::vector<double> kept_values;     // what the file gives them
  std::vector<Function> functions;     // named as in the contract: "inverse", "mass-matrix"
  std::vector<std::string> notes;      // for the banner: what was snapped, regrouped, which road was taken
};

// NAME_inverse, NAME_mass_matrix: what a function is called in code.
std::string symbol(const Program& program, const Function& function);

// A file that a back end made.
struct Artefact {
  std::string path;  // relative to the folder that the user names
  std::string text;
};

}  // namespace lw
