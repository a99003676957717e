// The tables of counts in docs/theory/least-arithmetic.md: rows that begin with `MODEL [options]` in back quotes, then
// multiplications, additions, their sum, sines and cosines. What `count` finds may be less, never more.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace {

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
    EXPECT_LE(o.json()["total"].get<int>(), row.total) << row.model;
    EXPECT_LE(o.json()["trig"].get<int>(), row.trigonometric) << row.model;
  }
}

}  // namespace
}  // namespace lw::test
