#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace reproduce_command_test {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool all_zero(const nlohmann::json& numbers) {
  if (numbers.is_number()) return numbers == 0.0;
  return numbers.is_array() && std::all_of(numbers.begin(), numbers.end(), all_zero);
}

void expect_one_self_contained_page(const std::string& page) {
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_TRUE(has(page, "class='badge'>recomputed<") && has(page, "class='badge'>property<"));
  EXPECT_TRUE(has(page, "<svg") && has(page, "</html>"));
  for (const char* outside : {"src=", "@import", "url(", "href='http"}) EXPECT_FALSE(has(page, outside)) << outside;
  for (const char* name : {"Dhanaraj", "Binder", "Wong", "Twu", "Helmy"}) EXPECT_TRUE(has(page, name));
  // nothing but the report is left behind
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_FALSE(has(entry.path().string(), ".part")) << entry.path();
  }
}

// All of them once, for the rows and for the report: it takes a while.
TEST(ReproduceCommand, NothingFailsAndTheReportIsOnePage) {
  const std::string file = folder() + "/report.html";
  const Outcome o = linkwright({"reproduce", "all", "--json", "--out", file});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "report written to"));
  expect_one_self_contained_page(content(file));
  std::set<std::string> theses, ids;
  const nlohmann::json rows = o.json()["experiments"];
  for (const nlohmann::json& row : rows) {
    for (const char* field :
         {"id", "thesis", "quantity", "published", "computed", "tolerance", "verdict", "note", "reference"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
    EXPECT_TRUE(row["reference"] == "printed" || row["reference"] == "recomputed" || row["reference"] == "property")
        << row["id"];
    // an error that should not be there is no number of a thesis
    EXPECT_TRUE(row["reference"] != "printed" || !all_zero(row["published"])) << row["id"];
    // what another program computed later does not stand in the thesis, and names that program
    EXPECT_EQ(row["reference"] == "recomputed", has(row["source"], "tests/oracles/")) << row["id"];
    EXPECT_NE(row["verdict"], "failed") << row["id"];
    // the other method to a number that contradicts the print must be named
    EXPECT_TRUE(row["verdict"] != "misprint" || !row["note"].get<std::string>().empty()) << row["id"];
    EXPECT_TRUE(ids.insert(row["id"]).second) << "twice: " << row["id"];
    theses.insert(row["thesis"]);
  }
  for (const char* thesis : {"dhanaraj", "binder", "wong", "twu", "helmy", "field"})
    EXPECT_EQ(theses.count(thesis), 1u) << thesis;
  // what Twu's thesis is rerun for: a row of each, within what was asked
  const std::map<std::string, double> asked{
      {"twu.motion.planar.motion", 1e-9},         {"twu.motion.spatial.motion", 1e-9},
      {"twu.motion.planar.heavy", 1e-9},          {"twu.motion.spatial.heavy", 1e-9},
      {"twu.motion.planar.forces", 1e-12},        {"twu.motion.spatial.forces", 1e-12},
      {"twu.motion.planar.balance", 1e-10},       {"twu.motion.spatial.balance", 1e-10},
      {"twu.sensitivity.planar.nest", 1e-8},      {"twu.sensitivity.spatial.nest", 1e-8},
      {"twu.sensitivity.planar.agree", 1e-8},     {"twu.sensitivity.spatial.agree", 1e-8},
      {"twu.sensitivity.planar.held.nest", 1e-8}, {"twu.sensitivity.spatial.held.nest", 1e-8}};
  std::size_t met = 0, cells = 0;
  for (const nlohmann::json& row : rows) {
    const std::string id = row["id"];
    if (const auto found = asked.find(id); found != asked.end()) {
      EXPECT_LE(row["deviation"].get<double>(), found->second) << id;
      ++met;
    }
    for (const char* table : {".q", ".qd", ".qdd"}) {
      if (id != std::string("twu.lag.planar") + table && id != std::string("twu.lag.spatial") + table) continue;
      EXPECT_EQ(row["unit"], "of the last digit");
      EXPECT_LE(row["deviation"].get<double>(), 0.7) << id;
      for (const nlohmann::json& line : row["published"]) cells += line.size();
    }
  }
  EXPECT_EQ(met, asked.size());
  EXPECT_EQ(cells, 210u);
  // the motions are among them
  for (const char* id :
       {"wong.tracking.puma.sixth", "wong.tracking.puma.angle", "wong.tracking.torso.sixth", "wong.motion.puma.rest.q",
        "wong.motion.puma.qd", "wong.motion.torso.q", "wong.motion.excavator.qd", "dhanaraj.motion.free.q",
        "dhanaraj.motion.free.qd", "dhanaraj.motion.hold.library", "dhanaraj.motion.round-trip.fine"}) {
    EXPECT_EQ(ids.count(id), 1u) << id;
  }
}

TEST(ReproduceCommand, ReferencesAreCountedApart) {
  const Outcome o = linkwright({"reproduce", "wong"});
  std::map<std::string, int> reproduced, all;
  const std::string file = folder() + "/counts.html";
  const nlohmann::json rows = linkwright({"reproduce", "wong", "--json", "--out", file}).json()["experiments"];
  for (const nlohmann::json& row : rows) {
    ++all[row["reference"]];
    if (row["verdict"] == "reproduced") ++reproduced[row["reference"]];
  }
  for (const std::string kind : {"recomputed", "property"}) {
    ASSERT_GT(reproduced[kind], 0);
    const std::string mark = " [" + kind + "]\n";
    int marks = 0;
    for (std::size_t at = o.out.find(mark); at != std::string::npos; at = o.out.find(mark, at + 1)) ++marks;
    EXPECT_EQ(marks, all[kind]);
  }
  const int printed = reproduced["printed"], recomputed = reproduced["recomputed"], properties = reproduced["property"];
  EXPECT_TRUE(has(o.out, fmt::format("{} reproduced ({} printed, {} recomputed, {} properties)",
                                     printed + recomputed + properties, printed, recomputed, properties)))
      << o.out;
  EXPECT_TRUE(has(content(file), fmt::format("{} as printed, {} recomputed from the thesis's data, {} properties",
                                             printed, recomputed, properties)));
  EXPECT_TRUE(has(content(file), "<mark>"));
}

// Totals that a count of complete dynamics has to stay under: the programs of Dhanaraj 1990, and for three joints,
// where these lack a term, his algorithm with it.
TEST(ReproduceCommand, GeneratedCodeIsCountedAndCheaper) {
  const std::map<std::string, double> limits{{"puma6", 360}, {"stanford6", 323}, {"puma3", 150}, {"stanford3", 93}};
  std::size_t met = 0;
  const nlohmann::json rows = linkwright({"reproduce", "dhanaraj", "--json"}).json()["experiments"];
  for (const auto& [arm, limit] : limits) {
    for (const nlohmann::json& row : rows) {
      if (row["id"] != "dhanaraj.generated." + arm) continue;
      EXPECT_EQ(row["verdict"], "beaten") << arm;
      EXPECT_LT(row["computed"][0].get<double>() + row["computed"][1].get<double>(), limit) << arm;
      EXPECT_TRUE(has(row["note"], "Verified against")) << arm;
      ++met;
    }
  }
  EXPECT_EQ(met, limits.size());
}

TEST(ReproduceCommand, OneThesisAlone) {
  const nlohmann::json rows = linkwright({"reproduce", "wong", "--json"}).json()["experiments"];
  ASSERT_FALSE(rows.empty());
  for (const nlohmann::json& row : rows) EXPECT_EQ(row["thesis"], "wong");
  EXPECT_TRUE(linkwright({"reproduce", "binder"}).err.empty());
}

TEST(ReproduceCommand, AReportThatCannotBeWrittenIsExit3AndKeepsTheOldOne) {
  EXPECT_EQ(linkwright({"reproduce", "wong", "--out", "/nowhere/report.html"}).code, 3);
  EXPECT_EQ(linkwright({"reproduce", "wong", "--out", folder()}).code, 3);
  // a disk with room for the old report, not for the new one: a limit on the size of files
  const std::string old = write("old.html", "the old report");
  const Outcome o = shell("trap '' XFSZ; ulimit -f 1; linkwright reproduce wong --out " + old + " > /dev/null");
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "cannot be written")) << o.err;
  EXPECT_EQ(content(old), "the old report");
}

TEST(ReproduceCommand, ALinkStaysALinkEvenWhereItLeadsNowhereYet) {
  namespace fs = std::filesystem;
  const fs::path at(folder());
  fs::create_symlink("not-yet.html", at / "dangling.html");
  EXPECT_EQ(linkwright({"reproduce", "wong", "--out", (at / "dangling.html").string()}).code, 0);
  EXPECT_TRUE(fs::is_symlink(at / "dangling.html"));
  EXPECT_TRUE(fs::is_regular_file(at / "not-yet.html"));
  fs::create_symlink("b.html", at / "a.html");
  fs::create_symlink("a.html", at / "b.html");
  const Outcome o = linkwright({"reproduce", "wong", "--out", (at / "a.html").string()});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "symbolic links")) << o.err;
  EXPECT_TRUE(fs::is_symlink(at / "a.html"));
}

}  // namespace reproduce_command_test
}  // namespace lw::test
