#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "vectors.hpp"

namespace lw::cli {

namespace {

bool is_flat(const Json& json) {
  return json.is_array() &&
         std::none_of(json.begin(), json.end(), [](const Json& item) { return item.is_structured(); });
}

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// As dump(2), but a vector stays on one line and a matrix has a line a row.
void write(const Json& json, std::size_t indent, std::string& out) {
  if (!json.is_structured() || json.empty()) {
    out += one_line(json);
    return;
  }
  if (is_flat(json)) {
    out += '[';
    for (std::size_t i = 0; i < json.size(); ++i) out += (i == 0 ? "" : ", ") + one_line(json[i]);
    out += ']';
    return;
  }
  const std::string margin(indent + 2, ' ');
  out += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += margin;
    if (json.is_object()) out += one_line(Json(key)) + ": ";
    write(value, indent + 2, out);
  }
  out += '\n' + std::string(indent, ' ') + (json.is_object() ? "}" : "]");
}

}  // namespace

void add_given(const Arguments& arguments, Json& json) {
  for (const std::string name : {"set", "payload", "wrench"}) {
    if (arguments.has("--" + name)) json[name] = arguments.texts("--" + name);
  }
}

void print_json(const Json& json) {
  std::string text;
  write(json, 0, text);
  fmt::print("{}\n", text);
}

void require_finite(const std::string& what, std::span<const double> values,
                    const std::function<std::string(std::size_t)>& name) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) continue;
    throw Error(ErrorCode::data,
                fmt::format("the numbers overflow: {} {} is {}, not finite", what, name(k), values[k]));
  }
}

void require_finite(const std::string& what, std::span<const double> values, const Model<double>& model) {
  require_finite(what, values, [&](std::size_t k) { return fmt::format("of `{}`", model.velocity_names[k]); });
}

double largest(std::span<const double> values) {
  double m = 0.0;
  for (const double v : values) m = std::max(m, std::abs(v));
  return m;
}

Json rows_of(std::span<const double> by_columns, int rows, int columns) {
  require(by_columns.size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns),
          "rows_of: a number per row and column");
  Json result = Json::array();
  for (int i = 0; i < rows; ++i) {
    Json row = Json::array();
    for (int j = 0; j < columns; ++j) row.push_back(by_columns[static_cast<std::size_t>(j * rows + i)]);
    result.push_back(std::move(row));
  }
  return result;
}

std::string matrix_table(std::span<const double> by_columns, const std::vector<std::string>& rows,
                         const std::vector<std::string>& columns) {
  require(by_columns.size() == rows.size() * columns.size(), "matrix_table: a number per row and column");
  constexpr std::size_t kWidth = 110, kNumber = 10;
  std::size_t margin = 0;
  for (const std::string& name : rows) margin = std::max(margin, display_width(name));
  std::string text;
  for (std::size_t first = 0, end = 0; first < columns.size(); first = end) {
    std::size_t width = margin;
    do {
      width += 2 + std::max(kNumber, display_width(columns[end++]));
    } while (end < columns.size() && width + 2 + std::max(kNumber, display_width(columns[end])) <= kWidth);
    std::vector<std::string> header{""};
    header.insert(header.end(), columns.begin() + static_cast<std::ptrdiff_t>(first),
                  columns.begin() + static_cast<std::ptrdiff_t>(end));
    Table table(header);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::string> row{rows[i]};
      for (std::size_t j = first; j < end; ++j) {
        row.push_back(readable(by_columns[j * rows.size() + i], 6, largest(by_columns)));
      }
      table.add(std::move(row));
    }
    text += (text.empty() ? "" : "\n") + table.str();
  }
  return text;
}

std::string velocity_table(const Model<double>& model, const std::vector<Column>& columns) {
  const std::vector<Entry> entries = velocity_entries(model);
  const auto unit = [](const Entry& entry, Column::Unit kind) -> std::string {
    switch (kind) {
      case Column::Unit::velocity: return entry.unit + "/s";
      case Column::Unit::acceleration: return entry.unit + "/s²";
      case Column::Unit::force: return force_unit(entry);
    }
    return {};
  };
  std::vector<std::string> header{"joint"};
  for (const Column& c : columns) {
    header.push_back(c.title);
    header.emplace_back();
  }
  Table table(header);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::string> row{entries[i].name};
    for (const Column& c : columns) {
      row.push_back(readable(c.values[i], 6, largest(c.values)));
      row.push_back(unit(entries[i], c.unit));
    }
    table.add(std::move(row));
  }
  return table.str();
}

std::string configuration_line(std::span<const double> q) {
  std::string text = "q =";
  for (const double x : q) text += fmt::format(" {:.6g},", x);
  if (!q.empty()) text.pop_back();
  std::string out;
  for (const std::string& line : wrap(text, 92)) {
    if (!out.empty()) out += "    ";
    out += line + "\n";
  }
  return out;
}

}  // namespace lw::cli
