#include "csv_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/text.hpp"
#include "../model/complaints.hpp"
#include "vectors.hpp"

namespace lw::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
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

void CsvReader::fail(const std::string& what) const {
  const std::string place = line_ > 0 ? fmt::format("{}:{}", file_, line_) : file_;
  throw Error(ErrorCode::data, fmt::format("{}: {}", place, what));
}

void CsvReader::allow_columns(const std::string& whose, const std::vector<std::string>& known) const {
  for (const std::string& name : names_) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(fmt::format("{} has no column `{}`; {}", whose, name, suggestion(name, known)));
    }
  }
}

double CsvReader::value(const std::string& name, bool angle) const {
  try {
    return parse_value(cells_[columns_.at(name)], angle, fmt::format("`{}`", name));
  } catch (const Error& e) {
    fail(e.what());
  }
}

void CsvReader::read_lines(const std::string& example_of_header) {
  std::error_code none;
  if (std::filesystem::is_directory(file_, none)) {
    throw Error(ErrorCode::io, fmt::format("`{}` cannot be read: it is a folder", file_));
  }
  errno = 0;
  std::ifstream stream(file_);
  if (!stream) {
    throw Error(ErrorCode::io,
                fmt::format("`{}` cannot be read: {}", file_, errno != 0 ? std::strerror(errno) : "unknown reason"));
  }
  bool has_samples = false;
  for (std::string line; std::getline(stream, line);) {
    if (++line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // a byte order mark
    if (line.find('\0') != std::string::npos)
      fail("this is no text, or none in UTF-8: iconv -f utf-16 -t utf-8 converts it");
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    if (names_.empty()) {
      names_ = cells_of(line);
      if (names_.size() == 1 && names_[0].find(';') != std::string::npos) {
        fail("columns are divided by commas, not by semicolons, and decimals are written with a point");
      }
      for (std::size_t k = 0; k < names_.size(); ++k) {
        if (!columns_.emplace(names_[k], k).second) fail(fmt::format("the column `{}` is there twice", names_[k]));
      }
      header();
      continue;
    }
    cells_ = cells_of(line);
    if (cells_.size() != names_.size()) {
      fail(fmt::format("{}, but the header has {}", counted(cells_.size(), "value"), names_.size()));
    }
    has_samples = true;
    sample();
  }
  if (has_samples) return;
  fail(names_.empty()
           ? fmt::format("there is no header; it needs one such as {}, and a line for each sample", example_of_header)
           : "there are no samples after the header");
}

}  // namespace lw::cli
