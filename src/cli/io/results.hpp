// Results as JSON or tables, in the same form for every command.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../../model/model.hpp"
#include "../frame/command.hpp"

namespace lw::cli {

using Json = nlohmann::ordered_json;  // fields in the order in which they were set; numbers round-trip

// null for a number that is not finite, which JSON does not have.
inline Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

// Adds the options that changed the model or act on it, as given: `set`, `payload`, `wrench`.
void add_given(const Arguments& arguments, Json& json);

// Bytes that are not UTF-8 (in a path) are replaced by U+FFFD.
void print_json(const Json& json);

// Throws Error(data) that names the first non-finite entry: "`inverse` overflows: tau of `link3` is inf". Overflowed
// values are never results. `name` describes an entry.
void require_finite(const std::string& what, std::span<const double> values,
                    const std::function<std::string(std::size_t)>& name);
// The same for a vector with an entry per velocity.
void require_finite(const std::string& what, std::span<const double> values, const Model<double>& model);

// The largest magnitude, the scale of rounding errors.
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
