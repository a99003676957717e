// Problems of design as YAML files (docs/optimize.md).
#pragma once

#include "optimize_design.hpp"

namespace lw {

// Throws Error with all diagnostics: what is wrong with the file, with its place. The model is looked for beside the
// file, then by name.
DesignProblem load_design_problem(const std::string& path);
DesignProblem read_design_problem(const std::string& text, const std::string& file);

}  // namespace lw
