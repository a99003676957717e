// A YAML document as a tree in which every node has its line and column.
//
// Stricter than YAML: one document, keys are words and occur once in a map, no tags, at most 64 levels, and an alias
// may only refer to a complete anchor, so the tree is finite (and of bounded size with aliases expanded). Built from
// yaml-cpp's events rather than its nodes, which silently drop duplicate keys and allow a node to contain itself.
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
  std::string text;     // of a scalar
  int text_column = 0;  // first column of `text` if it occurs verbatim in the file; otherwise 0 (escapes, folding)
  std::vector<std::shared_ptr<const YamlNode>> items;  // of a list
  std::vector<Entry> entries;                          // of a map, in the file's order
};

const char* to_string(YamlNode::Kind kind);  // "a list", …

// Null if nothing can be read; then there is an error among the complaints.
std::shared_ptr<const YamlNode> parse_yaml(const std::string& text, const std::string& file, Complaints& complaints);

}  // namespace lw
