// A program's data flow for Graphviz: NAME_FUNCTION.dot for each function, one node per variable, one cluster per link.
//
//   dot -Tsvg puma560_inverse.dot -o puma560_inverse.svg
#pragma once

#include "../text/program.hpp"

namespace lw {

std::vector<Artefact> emit_dot(const Program& program);

}  // namespace lw
