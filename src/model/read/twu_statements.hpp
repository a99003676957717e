// Parses a REDUCE-like text into a list of assignments NAME(i, k) := formula, each with its location.
#pragma once

#include <string>
#include <vector>

#include "../complaints.hpp"

namespace lw {

struct TwuStatement {
  std::string name;          // of the left side, as written
  std::vector<int> indices;  // of the left side: none, one or two
  Location where;            // of the left side
  std::string right;         // right side as written
  Location right_where;
  bool after_end = false;

  // The right side in our own formula language: symbols with indices as names (RL(1) as RL1), functions in lower case,
  // ** as ^. offset[k] is the position in `right` of character k.
  std::string formula;
  std::vector<std::size_t> offset;
  struct Symbol {
    std::string written, name;  // "RL(1)", "RL1"
    std::size_t at = 0;         // in `right`
  };
  std::vector<Symbol> symbols;
  std::vector<std::size_t> lines;  // offsets in `right` at which further lines begin

  Location place(std::size_t offset_in_right) const;
};

// "RL(1)" and "RL1" for a name and its indices. G becomes g, the gravity.
std::string twu_written(const std::string& name, const std::vector<int>& indices);
std::string twu_parameter(const std::string& name, const std::vector<int>& indices);

// `summary`: the first comment (% to the end of the line) if the file begins with one.
std::vector<TwuStatement> twu_statements(const std::string& text, const std::string& file, std::string& summary,
                                         Complaints& complaints);

}  // namespace lw
