// A CSV file with a header, as text: column names, and rows of cells with their line numbers.
//
// Columns are separated by commas. Quotes around a cell are removed, and an empty cell at the end of a line, as written
// by spreadsheets, is ignored. Blank lines and lines that begin with # are skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lw {

struct Csv {
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;  // as many as names
  };
  std::string file;
  std::size_t header_line = 0;
  std::vector<std::string> names;  // unique
  std::vector<Row> rows;

  std::optional<std::size_t> column(const std::string& name) const;
  // Throws Error(data): `file:line: what`.
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  void require_rows() const;  // throws if there are none; call it after checking the header
};

// Throws Error(io) if it cannot be read, Error(data) with the location if it is malformed. `header`: an example.
Csv read_csv(const std::string& file, const std::string& header);

}  // namespace lw
