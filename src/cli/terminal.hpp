// Colour where it helps a person: on a terminal, unless NO_COLOR or TERM=dumb asks for none.
#pragma once

#include <cstdio>
#include <string>

namespace lw::cli {

enum class Style { heading, good, warning, error, faint };

bool is_terminal(std::FILE* stream);
std::string styled(const std::string& text, Style style, std::FILE* stream);

}  // namespace lw::cli
