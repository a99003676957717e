// CSV files with a header: a table of samples over time.
//
// Cells are divided by commas; quotes around a cell and empty cells at the end of a line do not count; blank lines and
// lines that begin with # are skipped. Complaints are Error(data) with file:line, or Error(io) where a file cannot be read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lw::cli {

class CsvReader {
 public:
  explicit CsvReader(std::string file) : file_(std::move(file)) {}
  virtual ~CsvReader() = default;

 protected:
  // Calls `header` once and `sample` for each line after it.
  void read_lines(const std::string& example_of_header);
  virtual void header() = 0;
  virtual void sample() = 0;

  [[noreturn]] void fail(const std::string& what) const;
  // Complains of columns that are none of these.
  void allow_columns(const std::string& whose, const std::vector<std::string>& known) const;
  bool has_column(const std::string& name) const { return columns_.contains(name); }
  double value(const std::string& name, bool angle = false) const;  // of the line that is read

 private:
  std::string file_;
  std::size_t line_ = 0;
  std::vector<std::string> names_, cells_;
  std::map<std::string, std::size_t, std::less<>> columns_;
};

}  // namespace lw::cli
