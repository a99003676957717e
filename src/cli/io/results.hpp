// Results as JSON or as tables, alike in every command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../../model/model.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

using Json = nlohmann::ordered_json;  // fields in the order in which they were set; numbers round-trip

// Adds what changed the model or acts on it, as it was given: `set`, `payload`, `wrench`.
void add_given(const Arguments& arguments, Json& json);

// Bytes that are not UTF-8 (of a path, say) come out as U+FFFD.
void print_json(const Json& json);

// Throws Error(data) that names the first entry which is not finite: "`inverse` overflows: tau of `link3` is inf". What
// overflowed is never a result. `name` says what stands at a place.
void require_finite(const std::string& what, std::span<const double> values,
                    const std::function<std::string(std::size_t)>& name);
// The same for a vector with an entry per velocity.
void require_finite(const std::string& what, std::span<const double> values, const Model<double>& model);

// The largest magnitude: what rounding errors beside it are measured by.
double largest(std::span<const double> values);

// A matrix held by columns, as an array of its rows.
Json rows_of(std::span<const double> by_columns, int rows, int columns);

// A matrix held by columns, with the names of its rows and columns; a wide one in blocks of a few columns.
std::string matrix_table(std::span<const double> by_columns, const std::vector<std::string>& rows,
                         const std::vector<std::string>& columns);

// A table with a line per velocity (joint or component of one) and a column per vector.
struct Column {
  std::string title;
  enum class Unit { velocity, acceleration, force } unit;
  std::span<const double> values;
  enum class Of { joints, motors } of = Of::joints;  // independent or actuated ones, where these are not the same
};
std::string velocity_table(const Model<double>& model, const std::vector<Column>& columns);
// "q = 0.1, 0.2, ...", wrapped
std::string configuration_line(std::span<const double> q);

}  // namespace lw::cli
