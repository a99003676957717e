// The tables of counts in docs/theory: rows that begin with `MODEL [options]` in back quotes. In least-arithmetic.md
// then multiplications, additions, their sum, sines and cosines; in passes.md operations as traced, what each pass
// gains, and what is left. A count that becomes smaller is for the documentation to tell, so it fails too.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace documented_counts_test {

struct Row {
  std::string model;  // and options
  int multiplications = 0, additions = 0, total = 0, trigonometric = 0;
};

std::vector<Row> documented() {
  std::ifstream file(LW_SOURCE_DIR "/docs/theory/least-arithmetic.md");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find("` |");
    Row row{line.substr(3, end - 3)};
    std::istringstream cells(line.substr(end + 3));
    char bar = ' ';
    cells >> row.multiplications >> bar >> row.additions >> bar >> row.total >> bar >> row.trigonometric;
    EXPECT_TRUE(cells) << line;
    rows.push_back(row);
  }
  return rows;
}

TEST(DocumentedCounts, AreKept) {
  const std::vector<Row> rows = documented();
  ASSERT_GE(rows.size(), 13u);
  for (const Row& row : rows) {
    EXPECT_EQ(row.multiplications + row.additions, row.total) << row.model;
    const Outcome o = shell("linkwright count " + row.model + " --json");
    ASSERT_EQ(o.code, 0) << row.model << o.err;
    EXPECT_EQ(o.json()["multiplications"], row.multiplications) << row.model;
    EXPECT_EQ(o.json()["additions"], row.additions) << row.model;
    EXPECT_EQ(o.json()["trig"], row.trigonometric) << row.model;
  }
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
    list.push_back(first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
  }
  return list;
}

TEST(DocumentedCounts, GainsOfPasses) {
  std::ifstream file(LW_SOURCE_DIR "/docs/theory/passes.md");
  std::vector<std::string> head;
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| model, function")) head = cells(line);
    if (line.empty()) head.clear();
    if (head.empty() || !line.starts_with("| `")) continue;
    const std::vector<std::string> row = cells(line);
    ASSERT_EQ(row.size(), head.size()) << line;
    const Outcome o = shell("linkwright count " + row[0] + " --json");
    ASSERT_EQ(o.code, 0) << row[0] << o.err;
    const nlohmann::json json = o.json();
    EXPECT_EQ(std::to_string(json["roads"][0]["traced"]["total"].get<int>()), row[1]) << row[0];
    EXPECT_EQ(std::to_string(json["total"].get<int>()), row.back()) << row[0];
    for (std::size_t k = 2; k + 1 < row.size(); ++k) {
      int gain = 0;
      for (const auto& pass : json["passes"]) {
        if (pass["pass"] == head[k]) gain += static_cast<int>(pass["gain"].get<double>());
      }
      EXPECT_EQ(gain == 0 ? "" : std::to_string(gain), row[k]) << row[0] << ", " << head[k];
    }
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

}  // namespace documented_counts_test
}  // namespace lw::test
