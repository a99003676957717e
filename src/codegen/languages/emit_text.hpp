// A program's equations as plain text: NAME.txt, in UTF-8, for reading on a screen.
#pragma once

#include "../text/program.hpp"

namespace lw {

std::vector<Artefact> emit_text(const Program& program);

}  // namespace lw
