#include "model/read/read.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "expect_diagnostic.hpp"
#include "model/read/families.hpp"

namespace lw {
namespace read_test {

namespace fs = std::filesystem;

const std::string kGood = "linkwright: 1\nname: x\nlinks: [{name: a, parent: base, joint: {type: revolute}}]\n";
const std::string kUrdf =
    "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";

class ReadFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("lw_read_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST(Read, ChoosesTheFormatByNameOrByTheFirstCharacter) {
  expect_clean(read_text(kGood, "x.yaml"));
  expect_clean(read_text(kUrdf, "x.urdf"));
  expect_clean(read_text(kUrdf, "x.XML"));
  expect_clean(read_text("\n  " + kUrdf, "x"));
  EXPECT_TRUE(has(read_text(kGood, "x.urdf"), Severity::error, 1, "", "not valid XML"));
}

TEST(Read, RejectsBinaryData) {
  expect_only_error(read_text("linkwright: 1\nna\xE9me: x\n", "x.yaml"), 2, "\xE9", "the byte 0xE9 is not UTF-8");
  expect_only_error(read_text(std::string("link\0wright", 11), "x.yaml"), 1, std::string("\0", 1), "NUL");
  expect_only_error(read_text("\xFF\xFE"
                              "l",
                              "x.yaml"),
                    0, "", "the file is UTF-16");
  expect_only_error(read_text("", "x.yaml"), 0, "", "the file is empty");
}

TEST_F(ReadFiles, ReportsWhatCannotBeRead) {
  expect_only_error(read_file((folder_ / "none.yaml").string()), 0, "", "there is no such file");
  expect_only_error(read_file(folder_.string()), 0, "", "this is a folder");
  EXPECT_EQ(read_file(folder_.string()).code, ErrorCode::io);
  const std::string large = write("large.yaml", "");
  fs::resize_file(large, (64u << 20) + 1);
  expect_only_error(read_file(large), 0, "", "larger than 64 MiB");
  expect_clean(read_file(write("good.yaml", kGood)));
}

TEST_F(ReadFiles, FindsTheSidecar) {
  write("arm.loops.yaml", "home: {j: 1}\n");
  const ReadResult result = read_file(write("arm.urdf", kUrdf));
  expect_clean(result);
  EXPECT_EQ(result.mechanism->home.count("j"), 1u);
  write("arm.loops.yaml", "home: {jj: 1}\n");
  const ReadResult bad = read_file((folder_ / "arm.urdf").string());
  ASSERT_EQ(bad.diagnostics.size(), 1u);
  EXPECT_EQ(bad.diagnostics[0].where.file, (folder_ / "arm.loops.yaml").string());
  EXPECT_NE(show(bad.diagnostics[0], bad).find("    home: {jj: 1}\n           ^"), std::string::npos)
      << show(bad.diagnostics[0], bad);
}

TEST_F(ReadFiles, LoadThrowsWithEveryDiagnostic) {
  EXPECT_EQ(load(write("good.yaml", kGood)).name, "x");
  try {
    load(write("bad.yaml", "linkwright: 2\nname: x\nlinks: 3\n"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::model);
    EXPECT_EQ(e.diagnostics().size(), 2u);
  }
  try {
    load((folder_ / "none.yaml").string());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::io);
  }
}

TEST(Read, UnknownNamesGetASuggestion) {
  const std::vector<std::string> names = embedded_names();
  if (!names.empty()) {
    const ReadResult result = read(names[0] + "q");
    expect_only_error(result, 0, "", "did you mean");
    expect_only_error(result, 0, "", "`linkwright models`");
  }
  expect_only_error(read("chain-0"), 0, "", "N from 1 to 10000");
  expect_only_error(read("tree-10001"), 0, "", "N from 1 to 10000");
  expect_only_error(read("chain-"), 0, "", "N from 1 to 10000");
  expect_only_error(read("chain-007"), 0, "", "N from 1 to 10000");
  expect_only_error(read("chain-5x"), 0, "", "N from 1 to 10000");
  expect_only_error(read("no/such/file.yaml"), 0, "", "there is no such file");
}

TEST(Read, EveryEmbeddedModelReads) {
  for (const std::string& name : embedded_names()) {
    EXPECT_EQ(name.find(".loops"), std::string::npos);
    const ReadResult result = read(name, {.floating_base = false, .allow_unphysical = true});
    EXPECT_TRUE(result.mechanism.has_value())
        << name << ": " << (result.diagnostics.empty() ? "" : to_string(result.diagnostics[0]));
  }
}

TEST(Read, ShowsTheLineWithACaret) {
  const std::string text = "linkwright: 1\nname: x\nlinks:\n\t- é: {mass: m9}\n";
  const Diagnostic d{Severity::error, {"x.yaml", 4, 13}, "unknown name `m9`", "did you mean `m1`?"};
  // é is two bytes and one column on the screen
  EXPECT_EQ(show(d, text),
            "x.yaml:4:13: error: unknown name `m9`\n    \t- é: {mass: m9}\n    \t          ^\n  did you mean `m1`?");
  const Diagnostic whole{Severity::warning, {"x.yaml", 0, 0}, "message", ""};
  EXPECT_EQ(show(whole, text), "x.yaml: warning: message");
  const Diagnostic beyond{Severity::error, {"x.yaml", 99, 7}, "message", ""};
  EXPECT_EQ(show(beyond, text), "x.yaml:99:7: error: message");
}

TEST(Families, AreValidAndDeterministic) {
  for (const char* name : {"chain-1", "chain-12", "tree-1", "tree-30", "tree-200"}) {
    const ReadResult result = read(name);
    expect_clean(result);
    EXPECT_EQ(family_text(name), family_text(name));
  }
  EXPECT_NE(family_text("chain-12"), family_text("chain-13"));
  EXPECT_FALSE(family_text("ring-3").has_value());
}

TEST(Families, HaveTheShapeOfTheirName) {
  const Mechanism chain = load("chain-50");
  ASSERT_EQ(chain.links.size(), 50u);
  int prismatic = 0;
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(chain.links[k].parent, k == 0 ? "base" : chain.links[k - 1].name);
    prismatic += chain.links[k].joint.type == JointType::prismatic ? 1 : 0;
    for (const Formula& f : chain.links[k].joint.origin.xyz) EXPECT_NE(f.value.constant(), 0.0);
    for (const Formula& f : chain.links[k].joint.origin.rotation.values) EXPECT_NE(f.value.constant(), 0.0);
    for (const Formula& f : chain.links[k].inertia->tensor) EXPECT_NE(f.value.constant(), 0.0);
  }
  EXPECT_GT(prismatic, 3);
  EXPECT_LT(prismatic, 20);
  std::map<std::string, int> children;
  for (const Link& link : load("tree-50").links) ++children[link.parent];
  EXPECT_GT(std::count_if(children.begin(), children.end(), [](const auto& c) { return c.second > 1; }), 5);
}

}  // namespace read_test
}  // namespace lw
