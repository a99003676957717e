// A YAML document as a plain tree in which every node knows its line and column.
//
// Stricter than YAML: one document, keys are words and occur once in a map, no tags, at most 64 levels, and an alias
// may name only an anchor that is complete, so the tree is finite (and of bounded size once aliases are followed).
// Built from yaml-cpp's events rather than its nodes, which drop duplicate keys silently and let a node contain itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../complaints.hpp"

namespace lw {

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  struct Entry {
    std::string key;
    Location where;  // of the key
    std::shared_ptr<const YamlNode> value;
  };

  Kind kind = Kind::null;
  Location where;
  std::string text;  // of a scalar
  int text_column =
      0;  // where `text` stands in the file just as it is: its first column; otherwise 0 (escapes, folding)
  std::vector<std::shared_ptr<const YamlNode>> items;  // of a list
  std::vector<Entry> entries;                          // of a map, in the file's order
};

const char* to_string(YamlNode::Kind kind);  // "a list", …

// Null where nothing can be read; then there is an error among the complaints.
std::shared_ptr<const YamlNode> parse_yaml(const std::string& text, const std::string& file, Complaints& complaints);

}  // namespace lw
