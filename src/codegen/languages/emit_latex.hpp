// A program's equations as a document: NAME.tex, for any LaTeX (article, amsmath, geometry).
#pragma once

#include "../text/program.hpp"

namespace lw {

std::vector<Artefact> emit_latex(const Program& program);

}  // namespace lw
