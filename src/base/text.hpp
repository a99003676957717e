// Text laid out for a person: widths as a terminal shows them, wrapped paragraphs, aligned tables, numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lw {

// Columns that a UTF-8 text takes on a terminal: combining marks (the dots of q̈) take none.
std::size_t display_width(std::string_view text);

// Lines of at most `width` columns, broken at blanks; a line break in the text stays one.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// A table of cells in aligned columns, two blanks apart. A column of numbers is set to the right, one of words to the
// left.
class Table {
 public:
  explicit Table(std::vector<std::string> header = {});
  void add(std::vector<std::string> row);
  std::string str(std::size_t indent = 2) const;
  std::size_t width(std::size_t indent = 2) const;
  Table transposed() const;  // rows as columns; the first column becomes the header

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the header, where there is one
  bool has_header_;
};

// A number to read: `decimals` after the point, or with exponent where it is tiny or huge. What rounding leaves of a
// zero (1e-14 of `scale`, the size of what stands beside it) is shown as zero.
std::string readable(double value, int decimals = 6, double scale = 0.0);
// Control characters but line breaks and tabs as `\x1b`: text from elsewhere must not command a terminal.
std::string visible(std::string_view text);
// `end` in small letters; the text may have capitals there.
bool ends_with_ignoring_case(std::string_view text, std::string_view end);
// "1 link", "2 links"
std::string counted(std::size_t n, const std::string& singular, const std::string& plural = {});

// Without the blanks and ends of lines around it.
std::string trimmed(const std::string& text);

}  // namespace lw
