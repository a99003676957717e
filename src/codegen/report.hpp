// NAME_report.json: what was made, for programs to read.
//
//   {"generator": "Linkwright 0.1.0", "name", "robot", "source", "parameters": [{"name", "value"}],
//    "functions": [{"name", "symbol", "inputs": [{"name", "size"}], "outputs", "operations": {"multiplications", …},
//                   "depth"}], "notes": […], "files": […]}
#pragma once

#include "program.hpp"

namespace lw {

Artefact emit_report(const Program& program, const std::vector<Artefact>& files);

}  // namespace lw
