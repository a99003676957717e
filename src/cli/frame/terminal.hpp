// Messages besides results, and colour: only on a terminal, unless NO_COLOR or TERM=dumb is set.
#pragma once

#include <cstdio>
#include <string>

namespace lw::cli {

enum class Style { heading, good, warning, error, faint };

bool is_terminal(std::FILE* stream);
std::string styled(const std::string& text, Style style, std::FILE* stream);

// A line on stderr with escaped control characters. Never throws, even if stderr is full or closed; the exit code still
// reports errors.
void say(const std::string& line);
// In which the first such word has a style.
void say_marked(const std::string& line, const std::string& word, Style style);
void say_error(const std::string& text);
void say_warning(const std::string& text);

}  // namespace lw::cli
