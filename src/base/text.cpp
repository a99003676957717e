#include "text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace lw {
namespace {

bool looks_like_a_number(std::string_view text) {
  return !text.empty() && (text == "-" || text.find_first_not_of("0123456789+-.,eE") == std::string_view::npos);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) == 0x80) continue;  // continues a character
    // U+0300 to U+036F
    const bool combining =
        (byte == 0xCC) || (byte == 0xCD && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xB0);
    if (!combining) ++width;
  }
  return width;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    std::string_view paragraph = text.substr(0, end);
    std::string line;
    while (!paragraph.empty()) {
      const std::size_t blank = paragraph.find(' ');
      const std::string_view word = paragraph.substr(0, blank);
      if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
      paragraph.remove_prefix(blank == std::string_view::npos ? paragraph.size() : blank + 1);
    }
    lines.push_back(std::move(line));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

Table::Table(std::vector<std::string> header) : has_header_(!header.empty()) {
  if (has_header_) rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

std::string Table::str(std::size_t indent) const {
  std::vector<std::size_t> width;
  std::vector<bool> numbers;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      if (c == width.size()) {
        width.push_back(0);
        numbers.push_back(true);
      }
      width[c] = std::max(width[c], display_width(cell));
      const bool is_header = has_header_ && r == 0;
      if (!is_header && !cell.empty() && !looks_like_a_number(cell)) numbers[c] = false;
    }
  }
  std::string out;
  for (const std::vector<std::string>& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      const std::string padding(width[c] - display_width(row[c]), ' ');
      line += numbers[c] ? padding + row[c] : row[c] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::size_t Table::width(std::size_t indent) const {
  const std::string text = str(indent);
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    widest = std::max(widest, display_width(std::string_view(text).substr(at, text.find('\n', at) - at)));
  }
  return widest;
}

Table Table::transposed() const {
  Table table;
  table.has_header_ = true;
  for (const std::vector<std::string>& row : rows_) {
    table.rows_.resize(std::max(table.rows_.size(), row.size()));
  }
  for (std::vector<std::string>& line : table.rows_) line.resize(rows_.size());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) table.rows_[c][r] = rows_[r][c];
  }
  return table;
}

std::string readable(double value, int decimals, double scale) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (std::abs(value) <= 1e-14 * scale) value = 0.0;
  const double size = std::abs(value);
  if (size >= 1e9 || (size > 0.0 && size < 0.5 * std::pow(10.0, -decimals))) return fmt::format("{:.{}e}", value, 3);
  return fmt::format("{:.{}f}", value == 0.0 ? 0.0 : value, decimals);  // the zero without its sign
}

std::string visible(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool controls = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
    out += controls ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  return std::equal(end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

std::string counted(std::size_t n, const std::string& singular, const std::string& plural) {
  return fmt::format("{} {}", n, n == 1 ? singular : plural.empty() ? singular + "s" : plural);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

}  // namespace lw
