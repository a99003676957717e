// YAML as text: a tree of words, lists and maps, each on one line where it fits and in block style where it does not.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lw {

class YamlText {
 public:
  YamlText(const std::string& word);  // NOLINT: a word is a text; put in quotes where it has to be
  YamlText(const char* word) : YamlText(std::string(word)) {}  // NOLINT
  // A word that is no number nor `true`: in quotes also where it looks like one, whatever reader comes.
  static YamlText name(const std::string& word);
  static YamlText list(std::vector<YamlText> items = {});
  static YamlText map() { return YamlText(Kind::map); }
  static YamlText block(YamlText tree);  // never on one line, however short

  void add(YamlText item) { children_.emplace_back(std::string(), std::move(item)); }
  void add(const std::string& key, YamlText value);
  bool empty() const { return kind_ != Kind::word && children_.empty(); }

  std::string str() const;  // of a map: a whole document

 private:
  enum class Kind { word, list, map };
  explicit YamlText(Kind kind) : kind_(kind) {}

  std::string in_line(bool in_flow) const;  // of a word
  std::string flow() const;
  bool fits(std::size_t columns) const;
  void write(std::string& out, std::size_t indent) const;

  Kind kind_;
  bool block_ = false;
  bool is_name_ = false;
  std::string word_;                                        // as it is meant
  std::vector<std::pair<std::string, YamlText>> children_;  // keys of a map as they are written
};

}  // namespace lw
