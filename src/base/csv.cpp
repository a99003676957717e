#include "csv.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "error.hpp"
#include "text.hpp"

namespace lw {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    out.push_back(cell);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

}  // namespace

std::optional<std::size_t> Csv::column(const std::string& name) const {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return {};
  return static_cast<std::size_t>(place - names.begin());
}

void Csv::fail(std::size_t line, const std::string& what) const {
  const std::string place = line > 0 ? fmt::format("{}:{}", file, line) : file;
  throw Error(ErrorCode::data, fmt::format("{}: {}", place, what));
}

void Csv::require_rows() const {
  if (rows.empty()) fail(header_line, "no samples follow the header");
}

Csv read_csv(const std::string& file, const std::string& header) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) {
    throw Error(ErrorCode::io, fmt::format("`{}` cannot be read: it is a folder", file));
  }
  errno = 0;
  std::ifstream stream(file);
  if (!stream) {
    throw Error(ErrorCode::io,
                fmt::format("`{}` cannot be read: {}", file, errno != 0 ? std::strerror(errno) : "unknown reason"));
  }
  Csv csv{file, 0, {}, {}};
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    if (++number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
    if (line.find('\0') != std::string::npos)
      csv.fail(number, "not UTF-8 text; convert it with: iconv -f utf-16 -t utf-8");
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    std::vector<std::string> words = cells(line);
    if (!csv.names.empty()) {
      if (words.size() != csv.names.size())
        csv.fail(number, fmt::format("{}, but the header has {}", counted(words.size(), "value"), csv.names.size()));
      csv.rows.push_back({number, std::move(words)});
      continue;
    }
    if (words.size() == 1 && words[0].find(';') != std::string::npos) {
      csv.fail(number, "columns must be separated by commas, not semicolons, and the decimal sign is a point");
    }
    csv.header_line = number;
    for (const std::string& name : words) {
      if (csv.column(name)) csv.fail(number, fmt::format("duplicate column `{}`", name));
      csv.names.push_back(name);
    }
  }
  if (csv.names.empty()) {
    csv.fail(number,
             fmt::format("the header is missing; expected a header such as {} and one line per sample", header));
  }
  return csv;
}

}  // namespace lw
