// A CSV file with a header, as text: names of columns, and rows of cells with their lines.
//
// Columns are divided by commas; quotes around a cell do not count, nor does an empty cell at the end of a line, which
// spreadsheets leave. Blank lines and lines that begin with # are skipped.
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
  std::vector<std::string> names;  // no two alike
  std::vector<Row> rows;

  std::optional<std::size_t> column(const std::string& name) const;
  // Throws Error(data): `file:line: what`.
  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  void require_rows() const;  // throws where there are none; after what the header's names may be wrong in
};

// Throws Error(io) where it cannot be read, Error(data) with the place where it is no such file. `header`: an example.
Csv read_csv(const std::string& file, const std::string& header);

}  // namespace lw
