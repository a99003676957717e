// Text formatting: display widths on a terminal, wrapped paragraphs, aligned tables, numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lw {

// Width of a UTF-8 text on a terminal in columns; combining marks (the dots of q̈) have width zero.
std::size_t display_width(std::string_view text);

// Lines of at most `width` columns, broken at blanks; line breaks in the text are kept.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// A table of cells in aligned columns, two blanks apart. Columns of numbers are right-aligned, columns of words
// left-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header = {});
  void add(std::vector<std::string> row);
  std::string str(std::size_t indent = 2) const;
  std::size_t width(std::size_t indent = 2) const;
  Table transposed() const;  // rows as columns; the first column becomes the header

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the header, if any
  bool has_header_;
};

// A number for printing: `decimals` after the point, or with an exponent if it is very small or large. Rounding errors
// (below 1e-14 of `scale`, the magnitude of its neighbours) are shown as zero.
std::string readable(double value, int decimals = 6, double scale = 0.0);
// Escapes control characters except line breaks and tabs (`\x1b`), so that external text cannot control the terminal.
std::string visible(std::string_view text);
// Whether the text ends with `end` (lower case), ignoring the text's case.
bool ends_with_ignoring_case(std::string_view text, std::string_view end);
// "1 link", "2 links"
std::string counted(std::size_t n, const std::string& singular, const std::string& plural = {});

// The text without surrounding blanks and line breaks.
std::string trimmed(const std::string& text);

}  // namespace lw
