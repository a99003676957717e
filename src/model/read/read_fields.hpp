// Typed access to the maps and lists of a mechanism file. Missing, misspelt or wrong items are reported with their
// location, and reading continues with a placeholder: "" for a word, NaN for a number, which later checks skip.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../complaints.hpp"
#include "../formula.hpp"
#include "../mechanism.hpp"
#include "yaml_tree.hpp"

namespace lw {

class FieldReader {
 public:
  explicit FieldReader(Complaints& complaints) : complaints_(complaints) {}

  Complaints& complaints() { return complaints_; }
  void define(const std::string& name, const Expr& value) { names_.insert_or_assign(name, value); }
  // Names that are not yet defined, for the hint if a formula uses one too early.
  void announce(const std::string& name) { announced_.insert(name); }

  // `what` is the key or the item, for the message: "`mass` should be a number, not a list".
  Formula formula(const YamlNode& node, const std::string& what);
  // `hint` is for a node that is not a list.
  std::vector<Formula> formulas(const YamlNode& node, const std::string& what, std::size_t count,
                                const std::string& hint = {});
  Formula3 formula3(const YamlNode& node, const std::string& what, const std::string& hint = {});
  double number(const YamlNode& node, const std::string& what);  // a formula without parameters
  std::string word(const YamlNode& node, const std::string& what);
  bool boolean(const YamlNode& node, const std::string& what);
  // Index in `words`, or -1.
  int choice(const YamlNode& node, const std::string& what, const std::vector<std::string>& words);
  // The items of a list; with `or_single`, a single item counts as a list of one.
  std::vector<const YamlNode*> items(const YamlNode& node, const std::string& what, bool or_single = false);

 private:
  Complaints& complaints_;
  FormulaNames names_;
  std::set<std::string> announced_;
};

std::vector<std::string> joined(std::vector<std::string> keys, const std::vector<std::string>& more);

// The keys of a map, all of which must be known.
class Fields {
 public:
  // A key that belongs elsewhere gets `hint` instead of the nearest known key.
  struct Elsewhere {
    std::vector<std::string> keys;
    std::string hint;
  };

  Fields(FieldReader& reader, const YamlNode& node, std::string what, std::vector<std::string> known,
         const Elsewhere& elsewhere = {});

  const Location& where() const { return node_.where; }
  const YamlNode* find(const std::string& key) const;                                   // null if absent
  const YamlNode* require(const std::string& key, const std::string& hint = {}) const;  // reports an error if absent
  Location place(const std::string& key) const;                                         // of the key, or of the map
  bool has(const std::string& key) const { return find(key) != nullptr; }

  void read(const std::string& key, Formula& to) const;
  void read(const std::string& key, std::optional<Formula>& to) const;
  void read(const std::string& key, Formula3& to) const;
  void require(const std::string& key, Formula& to) const;
  std::string require_word(const std::string& key) const;  // not empty, no line breaks

 private:
  FieldReader& reader_;
  const YamlNode& node_;
  std::string what_;
  std::vector<std::string> meant_;  // known keys similar to unknown ones: missing because misspelt
};

}  // namespace lw
