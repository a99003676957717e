#include "model/read/yaml_tree.hpp"

#include <gtest/gtest.h>

namespace lw {
namespace yaml_tree_test {

struct Parsed {
  std::shared_ptr<const YamlNode> root;
  Complaints complaints;
};
Parsed parse(const std::string& text) {
  Parsed p;
  p.root = parse_yaml(text, "f.yaml", p.complaints);
  return p;
}

void expect_fault(const std::string& text, int line, int column, const std::string& words) {
  const Parsed p = parse(text);
  ASSERT_TRUE(p.complaints.failed()) << text;
  const Diagnostic& d = p.complaints.list().front();
  EXPECT_NE(d.message.find(words), std::string::npos) << d.message;
  EXPECT_EQ(d.where.line, line) << d.message;
  EXPECT_EQ(d.where.column, column) << d.message;
  EXPECT_EQ(d.where.file, "f.yaml");
}

TEST(YamlTree, KeepsPlacesOfKeysAndValues) {
  const Parsed p = parse("a: 1\nb: [x, {c: 'y z'}]\n");
  ASSERT_FALSE(p.complaints.failed());
  ASSERT_EQ(p.root->kind, YamlNode::Kind::map);
  ASSERT_EQ(p.root->entries.size(), 2u);
  const YamlNode::Entry& b = p.root->entries[1];
  EXPECT_EQ(b.key, "b");
  EXPECT_EQ(b.where.line, 2);
  EXPECT_EQ(b.where.column, 1);
  ASSERT_EQ(b.value->items.size(), 2u);
  EXPECT_EQ(b.value->items[0]->where.column, 5);
  const YamlNode& c = *b.value->items[1]->entries[0].value;
  EXPECT_EQ(c.text, "y z");
  EXPECT_EQ(c.where.column, 12);  // the quote
  EXPECT_EQ(c.text_column, 13);   // what is in it
}

TEST(YamlTree, CountsColumnsOfTheTextAfterAnchors) {
  const Parsed p = parse("a: &anchor 12\nb: *anchor\n");
  ASSERT_FALSE(p.complaints.failed());
  EXPECT_EQ(p.root->entries[0].value->text_column, 12);
  EXPECT_EQ(p.root->entries[0].value, p.root->entries[1].value);  // an alias shares the node
}

TEST(YamlTree, EscapedTextHasNoColumn) {
  const Parsed p = parse("a: \"1\\x20+ 2\"\nb: >\n  1 +\n  2\n");
  ASSERT_FALSE(p.complaints.failed());
  EXPECT_EQ(p.root->entries[0].value->text, "1 + 2");
  EXPECT_EQ(p.root->entries[0].value->text_column, 0);
  EXPECT_EQ(p.root->entries[1].value->text_column, 0);
}

TEST(YamlTree, AcceptsAByteOrderMark) {
  const Parsed p = parse(
      "\xEF\xBB\xBF"
      "a: 1\n");
  ASSERT_FALSE(p.complaints.failed());
  EXPECT_EQ(p.root->entries[0].key, "a");
  EXPECT_EQ(p.root->entries[0].value->text_column, 4);
}

TEST(YamlTree, RejectsAmbiguousText) {
  expect_fault("a: 1\nb: 2\na: 3\n", 3, 1, "duplicate key `a`: first in line 1, again in line 3");
  expect_fault("x: {a: 1, b: 2, a: 3}\n", 1, 17, "duplicate key `a`: first in line 1, again in line 1");
  expect_fault("a: &x [1, *x]\n", 1, 11, "`*x` contains this alias");
  expect_fault("a: &x {b: {c: *x}}\n", 1, 15, "would contain itself");
  expect_fault("a: 1\n---\nb: 2\n", 2, 1, "a second document");
  expect_fault("[1, 2]: 3\n", 1, 1, "a key must be a word, not a list");
  expect_fault("a: {? {b: c} : d}\n", 1, 7, "a key must be a word, not a map");
  expect_fault("~: 3\n", 1, 1, "a key must be a word, not nothing");
  expect_fault("a: !!float 3\n", 1, 4, "the tag `tag:yaml.org,2002:float`");
}

TEST(YamlTree, NamesTheFirstPlaceOfBrokenSyntax) {
  expect_fault("x: 0\na: [1, 2\n", 3, 1, "a comma or `]` is missing before this; the `[` was opened in line 2");
  expect_fault("a: {b: 1\nc: 2\n", 2, 2, "a comma or `}` is missing before this; the `{` was opened in line 1");
  expect_fault("a:\n  - {b: {c: 1}\n  - {b: 2}\n", 3, 3, "the `{` was opened in line 2");
  expect_fault("a:\n\tb: 1\n", 2, 3, "a tab stands where the line is indented; YAML wants blanks there");
  expect_fault("a: b: c\n", 1, 5, "not valid YAML");
  expect_fault("a: *nothing\n", 1, 4, "not valid YAML");
  expect_fault("a: 'open", 1, 9, "not valid YAML");
}

// yaml-cpp 0.7 takes these as complete.
TEST(YamlTree, RejectsUnclosedQuotes) {
  expect_fault("a: 'open\n", 1, 4, "not closed");
  expect_fault("a: \"open\\\"\n", 1, 4, "not closed");
  expect_fault("a: 'it''s\n", 1, 4, "not closed");
  EXPECT_EQ(parse("a: 'it''s'\n").root->entries[0].value->text, "it's");
  EXPECT_EQ(parse("a: \"\\\"\"\n").root->entries[0].value->text, "\"");
}

TEST(YamlTree, ReportsEmptyFiles) {
  expect_fault("", 0, 0, "the file is empty");
  expect_fault("# nothing but a comment\n", 0, 0, "the file is empty");
}

TEST(YamlTree, BoundsDepth) {
  const auto nested = [](std::size_t n) { return "a: " + std::string(n, '[') + "1" + std::string(n, ']') + "\n"; };
  EXPECT_FALSE(parse(nested(63)).complaints.failed());
  expect_fault(nested(64), 1, 67, "nested more than 64 levels");
  EXPECT_TRUE(parse(std::string(100000, '[')).complaints.failed());
  EXPECT_TRUE(parse(std::string(100000, '{')).complaints.failed());
  std::string dashes;
  for (int k = 0; k < 5000; ++k) dashes += "- ";
  EXPECT_TRUE(parse(dashes).complaints.failed());
}

// Nine levels of ten aliases each would be 10^9 values.
TEST(YamlTree, BoundsWhatAliasesExpandTo) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int k = 1; k < 9; ++k) {
    text += "a" + std::to_string(k) + ": &a" + std::to_string(k) + " [";
    for (int j = 0; j < 10; ++j) text += (j > 0 ? ", *a" : "*a") + std::to_string(k - 1);
    text += "]\n";
  }
  const Parsed p = parse(text);
  ASSERT_TRUE(p.complaints.failed());
  EXPECT_NE(p.complaints.list()[0].message.find("aliases"), std::string::npos);
}

TEST(YamlTree, ReportsEveryDuplicateAndContinues) {
  const Parsed p = parse("a: 1\na: 2\nb: 1\nb: 2\n");
  EXPECT_EQ(p.complaints.list().size(), 2u);
  EXPECT_NE(p.root, nullptr);
}

}  // namespace yaml_tree_test
}  // namespace lw
