// YAML output: a tree of words, lists and maps, each on one line if it fits and otherwise in block style.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lw {

class YamlText {
 public:
  YamlText(const std::string& word);                           // NOLINT: implicit from words; quoted if necessary
  YamlText(const char* word) : YamlText(std::string(word)) {}  // NOLINT
  // A word that must not be read as a number or Boolean: quoted if it looks like one.
  static YamlText name(const std::string& word);
  static YamlText list(std::vector<YamlText> items = {});
  static YamlText map() { return YamlText(Kind::map); }
  static YamlText block(YamlText tree);  // never on one line, however short

  void add(YamlText item) { children_.emplace_back(std::string(), std::move(item)); }
  void add(const std::string& key, YamlText value);
  bool empty() const { return kind_ != Kind::word && children_.empty(); }

  std::string str() const;  // for a map: a whole document

 private:
  enum class Kind { word, list, map };
  explicit YamlText(Kind kind) : kind_(kind) {}

  std::string in_line(bool in_flow) const;  // for a word
  std::string flow() const;
  bool fits(std::size_t columns) const;
  void write(std::string& out, std::size_t indent) const;

  Kind kind_;
  bool block_ = false;
  bool is_name_ = false;
  std::string word_;                                        // unquoted
  std::vector<std::pair<std::string, YamlText>> children_;  // keys of a map as written
};

}  // namespace lw
