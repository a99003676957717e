// Whether bytes are a text that the parsers can be given, and how a place in it is shown.
#pragma once

#include <string>

#include "../complaints.hpp"

namespace lw {

// UTF-8 without NUL; otherwise an error with the place of the first bad byte.
bool check_text(const std::string& text, const std::string& file, Complaints& complaints);

// The line of a text, counted from 1, without its end; "" past the last.
std::string line_of(const std::string& text, int line);

}  // namespace lw
