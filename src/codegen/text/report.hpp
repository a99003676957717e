// NAME_c_report.json, named after the language: a machine-readable description of the generated files.
//
//   {"generator": "Linkwright 0.1.0", "name", "robot", "source", "language": "c", "precision": "double" or "single",
//    "options": [{"name": "--set", "value": "a2=0.5"}], "left_out": […], "parameters": [{"name", "value"}],
//    "vectors": {"q": {"words", "entries": [{"name", "unit"}]}},
//    "functions": [{"name", "symbol", "inputs": [{"name", "size"}], "outputs", "operations": {"multiplications", …},
//                   "depth", "error"}], "notes": […], "verified_states", "snapping",
//    "self_test": "passed", "not run" or "none", "build": ["cc", …], "files": […]}
#pragma once

#include "program.hpp"

namespace lw {

// How the code was verified.
struct Proof {
  int states = 0;                    // at which the graphs were verified in double precision
  std::vector<double> errors;        // of each function; empty: not measured
  std::vector<double> float_errors;  // the same in single precision; empty: in double
  double snapping = 0.0;
  std::string self_test = "not run";
  std::vector<std::string> build;  // the command that built it
};

Artefact emit_report(const Program& program, const std::vector<Artefact>& files, const Form& form = {},
                     const Proof& proof = {});

}  // namespace lw
