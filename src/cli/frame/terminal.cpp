#include "terminal.hpp"

#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include "../../base/text.hpp"

namespace lw::cli {
namespace {

bool colours(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return is_terminal(stream) && term != nullptr && std::strcmp(term, "dumb") != 0;
}

const char* code(Style style) {
  switch (style) {
    case Style::heading: return "\033[1m";
    case Style::good: return "\033[32m";
    case Style::warning: return "\033[33m";
    case Style::error: return "\033[1;31m";
    case Style::faint: return "\033[2m";
  }
  return "";
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

std::string styled(const std::string& text, Style style, std::FILE* stream) {
  return colours(stream) ? code(style) + text + "\033[0m" : text;
}

void say(const std::string& line) { std::fputs((visible(line) + "\n").c_str(), stderr); }
void say_marked(const std::string& line, const std::string& word, Style style) {
  std::string text = visible(line);
  const std::size_t place = text.find(word);
  if (place != std::string::npos) text.replace(place, word.size(), styled(word, style, stderr));
  std::fputs((text + "\n").c_str(), stderr);
}
void say_error(const std::string& text) { say_marked("error: " + text, "error:", Style::error); }
void say_warning(const std::string& text) { say_marked("warning: " + text, "warning:", Style::warning); }

}  // namespace lw::cli
