#include "run_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/file.hpp"

namespace lw::cli {
namespace {

struct Columns {
  const char* name;
  std::span<const double> RunRow::*values;
  bool coordinates;
};
constexpr Columns kColumns[] = {
    {"q", &RunRow::q, true}, {"qd", &RunRow::qd, false}, {"qdd", &RunRow::qdd, false}, {"tau", &RunRow::tau, false}};

class CsvRun : public RunFile {
 public:
  CsvRun(const std::string& path, const Model<double>& model, const Scenario& scenario) : file_(path) {
    const auto wanted = [&](const char* name) {
      return std::ranges::find(scenario.columns, std::string(name)) != scenario.columns.end();
    };
    std::string head = "t";
    for (const Columns& c : kColumns) {
      if (!wanted(c.name)) continue;
      columns_.push_back(c.values);
      for (int k = 1; k <= (c.coordinates ? model.nq : model.nv); ++k) head += fmt::format(",{}{}", c.name, k);
    }
    energy_ = wanted("energy");
    if (energy_) head += ",energy";
    for (const auto& [name, formula] : scenario.outputs) head += ",out." + name;
    file_.write(head + "\n");
  }
  void row(const RunRow& r) override {
    fmt::memory_buffer line;
    const auto out = std::back_inserter(line);
    fmt::format_to(out, "{}", r.t);
    for (const auto values : columns_) {
      for (const double x : r.*values) fmt::format_to(out, ",{}", x);
    }
    if (energy_) fmt::format_to(out, ",{}", r.kinetic + r.potential);
    for (const double x : r.outputs) fmt::format_to(out, ",{}", x);
    line.push_back('\n');
    file_.write({line.data(), line.size()});
  }
  bool finish() override { return file_.finish(); }

 private:
  GrowingFile file_;
  std::vector<std::span<const double> RunRow::*> columns_;
  bool energy_ = false;
};

}  // namespace

std::unique_ptr<RunFile> csv_file(const std::string& path, const Model<double>& model, const Scenario& scenario) {
  return std::make_unique<CsvRun>(path, model, scenario);
}

}  // namespace lw::cli
