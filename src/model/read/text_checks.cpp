#include "text_checks.hpp"

#include <fmt/format.h>

#include "read.hpp"

namespace lw {
namespace {

constexpr std::size_t kWidest = 160;  // of a displayed line

// Length of the UTF-8 character at the beginning, or 0 for overlong forms, surrogates and values beyond U+10FFFF.
std::size_t character_length(std::string_view s) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
  const auto continues = [&](std::size_t k) { return (byte(k) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = first == 0xE0 && byte(1) < 0xA0, surrogate = first == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90, past_end = first == 0xF4 && byte(1) >= 0x90;
    return overlong || past_end ? 0 : 4;
  }
  return 0;
}

}  // namespace

bool check_text(const std::string& text, const std::string& file, Complaints& complaints) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    complaints.error({file, 0, 0}, "the file is UTF-16, not UTF-8", "convert it: iconv -f utf-16 -t utf-8");
    return false;
  }
  int line = 1, column = 1;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(std::string_view(text).substr(at));
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0) {
      complaints.error({file, line, column}, "a binary file: it contains a NUL byte",
                       "mechanism files are text, YAML or URDF");
      return false;
    }
    if (length == 0) {
      complaints.error({file, line, column}, fmt::format("the byte 0x{:02X} is not UTF-8", byte),
                       "convert the file: iconv -f latin1 -t utf-8");
      return false;
    }
    if (byte == '\n') {
      ++line;
      column = 1;
    } else {
      column += static_cast<int>(length);
    }
    at += length;
  }
  return true;
}

std::string line_of(const std::string& text, int line) {
  std::size_t begin = 0;
  for (int k = 1; k < line; ++k) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos) return {};
    ++begin;
  }
  std::size_t end = text.find('\n', begin);
  if (end == std::string::npos) end = text.size();
  if (end > begin && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

std::string show(const Diagnostic& diagnostic, const std::string& text) {
  const std::string line = diagnostic.where.line > 0 ? line_of(text, diagnostic.where.line) : std::string();
  if (line.empty() || line.size() > kWidest) return to_string(diagnostic);
  Diagnostic head = diagnostic;
  head.hint.clear();
  std::string result = to_string(head) + "\n    " + line;
  const auto column = static_cast<std::size_t>(std::max(0, diagnostic.where.column));
  if (column > 0 && column <= line.size() + 1) {
    // as wide as the text before it: tabs are kept, a multi-byte character is one blank
    std::string blanks;
    for (const char c : line.substr(0, column - 1)) {
      if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) blanks += c == '\t' ? '\t' : ' ';
    }
    result += "\n    " + blanks + '^';
  }
  if (!diagnostic.hint.empty()) result += "\n  " + diagnostic.hint;
  return result;
}

std::string show(const Diagnostic& diagnostic, const ReadResult& result) {
  const auto source = result.sources.find(diagnostic.where.file);
  return source == result.sources.end() ? to_string(diagnostic) : show(diagnostic, source->second);
}

}  // namespace lw
