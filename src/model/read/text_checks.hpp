// Checks that bytes are valid text for the parsers, and displays a location in it.
#pragma once

#include <string>

#include "../complaints.hpp"

namespace lw {

// UTF-8 without NUL; otherwise an error at the first invalid byte.
bool check_text(const std::string& text, const std::string& file, Complaints& complaints);

// The line of a text, counted from 1, without its line break; "" after the last.
std::string line_of(const std::string& text, int line);

}  // namespace lw
