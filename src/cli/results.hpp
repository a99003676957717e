// Results as JSON or as tables, alike in every command.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../model/model.hpp"

namespace lw::cli {

using Json = nlohmann::ordered_json;  // fields in the order in which they were set; numbers round-trip

void print_json(const Json& json);

// The largest magnitude: what rounding errors beside it are measured by.
double largest(std::span<const double> values);

// A matrix held by columns, as an array of its rows.
Json rows_of(std::span<const double> by_columns, int rows, int columns);

// A table with a line per velocity (joint or component of one) and a column per vector.
struct Column {
  std::string title;
  enum class Unit { velocity, acceleration, force } unit;
  std::span<const double> values;
};
std::string velocity_table(const Model<double>& model, const std::vector<Column>& columns);
// "q = 0.1, 0.2, ...", wrapped
std::string configuration_line(std::span<const double> q);

}  // namespace lw::cli
