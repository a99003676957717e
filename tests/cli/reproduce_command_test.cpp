#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ReproduceCommand, NothingFails) {
  const Outcome o = linkwright({"reproduce", "all", "--json"});
  EXPECT_EQ(o.code, 0);
  std::set<std::string> theses, ids;
  const nlohmann::json rows = o.json()["experiments"];
  for (const nlohmann::json& row : rows) {
    for (const char* field :
         {"id", "thesis", "quantity", "published", "computed", "tolerance", "verdict", "note", "reference"}) {
      EXPECT_TRUE(row.contains(field)) << field;
    }
    EXPECT_TRUE(row["reference"] == "printed" || row["reference"] == "recomputed") << row["id"];
    // what another program computed later does not stand in the thesis
    EXPECT_EQ(row["reference"] == "recomputed", has(row["source"], "independent") || has(row["source"], ", evaluated"))
        << row["id"];
    EXPECT_NE(row["verdict"], "failed") << row["id"];
    // the other road to a number that contradicts the print must be named
    EXPECT_TRUE(row["verdict"] != "misprint" || !row["note"].get<std::string>().empty()) << row["id"];
    EXPECT_TRUE(ids.insert(row["id"]).second) << "twice: " << row["id"];
    theses.insert(row["thesis"]);
  }
  for (const char* thesis : {"dhanaraj", "binder", "wong", "twu"}) EXPECT_EQ(theses.count(thesis), 1u) << thesis;
}

TEST(ReproduceCommand, PrintedAndRecomputedAreCountedApart) {
  const Outcome o = linkwright({"reproduce", "all"});
  int printed = 0, recomputed = 0, marks = 0, all_recomputed = 0;
  const nlohmann::json rows = linkwright({"reproduce", "all", "--json"}).json()["experiments"];
  for (const nlohmann::json& row : rows) {
    all_recomputed += row["reference"] == "recomputed";
    if (row["verdict"] == "reproduced") ++(row["reference"] == "printed" ? printed : recomputed);
  }
  for (std::size_t at = o.out.find(" [recomputed]\n"); at != std::string::npos;
       at = o.out.find(" [recomputed]\n", at + 1))
    ++marks;
  ASSERT_GT(recomputed, 0);
  EXPECT_EQ(marks, all_recomputed);
  EXPECT_TRUE(has(o.out, std::to_string(printed + recomputed) + " reproduced (" + std::to_string(printed) +
                             " printed, " + std::to_string(recomputed) + " recomputed)"))
      << o.out;
  const std::string file = folder() + "/counts.html";
  linkwright({"reproduce", "all", "--out", file, "--quiet"});
  EXPECT_TRUE(has(content(file), std::to_string(printed) + " as printed, " + std::to_string(recomputed) +
                                     " recomputed from the thesis's data"));
  EXPECT_TRUE(has(content(file), "<mark>"));
}

TEST(ReproduceCommand, OneThesisAlone) {
  const nlohmann::json rows = linkwright({"reproduce", "wong", "--json"}).json()["experiments"];
  ASSERT_FALSE(rows.empty());
  for (const nlohmann::json& row : rows) EXPECT_EQ(row["thesis"], "wong");
  const Outcome helmy = linkwright({"reproduce", "helmy"});
  EXPECT_EQ(helmy.code, 0);
  EXPECT_TRUE(has(helmy.out, "No experiment yet")) << helmy.out;
  EXPECT_TRUE(has(helmy.err, "nothing was rerun of A. Helmy 1994")) << helmy.err;
  EXPECT_TRUE(linkwright({"reproduce", "twu"}).err.empty());
}

TEST(ReproduceCommand, ReportIsOneSelfContainedPage) {
  const std::string file = folder() + "/report.html";
  const Outcome o = linkwright({"reproduce", "all", "--out", file});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "report written to"));
  const std::string page = content(file);
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0u);
  EXPECT_TRUE(has(page, "class='badge'>recomputed<"));
  EXPECT_TRUE(has(page, "<svg") && has(page, "</html>"));
  for (const char* outside : {"src=", "@import", "url(", "href='http"}) EXPECT_FALSE(has(page, outside)) << outside;
  for (const char* name : {"Dhanaraj", "Binder", "Wong", "Twu", "Helmy"}) EXPECT_TRUE(has(page, name));
  // nothing but the report is left behind
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_FALSE(has(entry.path().string(), ".part")) << entry.path();
  }
}

TEST(ReproduceCommand, AReportThatCannotBeWrittenIsExit3AndKeepsTheOldOne) {
  EXPECT_EQ(linkwright({"reproduce", "twu", "--out", "/nowhere/report.html"}).code, 3);
  EXPECT_EQ(linkwright({"reproduce", "twu", "--out", folder()}).code, 3);
  // a disk with room for the old report, not for the new one: a limit on the size of files
  const std::string old = write("old.html", "the old report");
  const Outcome o = shell("trap '' XFSZ; ulimit -f 1; linkwright reproduce twu --out " + old + " > /dev/null");
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "cannot be written")) << o.err;
  EXPECT_EQ(content(old), "the old report");
}

TEST(ReproduceCommand, ALinkStaysALinkEvenWhereItLeadsNowhereYet) {
  namespace fs = std::filesystem;
  const fs::path at(folder());
  fs::create_symlink("not-yet.html", at / "dangling.html");
  EXPECT_EQ(linkwright({"reproduce", "twu", "--out", (at / "dangling.html").string()}).code, 0);
  EXPECT_TRUE(fs::is_symlink(at / "dangling.html"));
  EXPECT_TRUE(fs::is_regular_file(at / "not-yet.html"));
  fs::create_symlink("b.html", at / "a.html");
  fs::create_symlink("a.html", at / "b.html");
  const Outcome o = linkwright({"reproduce", "twu", "--out", (at / "a.html").string()});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "symbolic links")) << o.err;
  EXPECT_TRUE(fs::is_symlink(at / "a.html"));
}

}  // namespace
}  // namespace lw::test
