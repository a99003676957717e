#include "read_fields.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lw {
namespace {

std::string described(const YamlNode& node) {
  return node.kind == YamlNode::Kind::scalar ? in_quotes(node.text) : std::string(to_string(node.kind));
}

// Whether a comma inside parentheses has split a formula: `max(a` and `b)`.
bool is_cut(const std::string& text) {
  return std::count(text.begin(), text.end(), '(') != std::count(text.begin(), text.end(), ')');
}

}  // namespace

Formula FieldReader::formula(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar) {
    complaints_.error(node.where, fmt::format("`{}` should be a number, not {}", what, described(node)));
    return kUnread;
  }
  auto parsed = parse_formula(node.text, names_);
  if (const Expr* value = std::get_if<Expr>(&parsed)) return {*value, node.where, node.text};
  const FormulaError& fault = std::get<FormulaError>(parsed);
  Location where = node.where;
  std::string message = fmt::format("`{}`: {}", what, fault.message);
  if (node.text_column > 0) {
    where.column = node.text_column + static_cast<int>(fault.offset);
  } else {
    message += " in " + in_quotes(node.text);
  }
  const bool too_early = announced_.contains(fault.unknown) && !names_.contains(fault.unknown);
  complaints_.error(where, std::move(message),
                    too_early ? fmt::format("{} is not yet defined here; a parameter may only use those above it",
                                            in_quotes(fault.unknown))
                              : fault.hint);
  return {Expr(kUnread), node.where, node.text};
}

std::vector<Formula> FieldReader::formulas(const YamlNode& node, const std::string& what, std::size_t count,
                                           const std::string& hint) {
  std::vector<Formula> result;
  if (node.kind != YamlNode::Kind::list || (count > 0 && node.items.size() != count)) {
    const std::string got = node.kind == YamlNode::Kind::list ? fmt::format("{}", node.items.size()) : described(node);
    const bool cut =
        std::any_of(node.items.begin(), node.items.end(), [](const auto& item) { return is_cut(item->text); });
    complaints_.error(node.where,
                      count > 0 ? fmt::format("`{}` should be a list of {} numbers, not {}", what, count, got)
                                : fmt::format("`{}` should be a list of numbers, not {}", what, got),
                      cut                                 ? "a formula with a comma needs quotes: \"max(a, b)\""
                      : node.kind != YamlNode::Kind::list ? hint
                                                          : "");
    return std::vector<Formula>(count, Formula(kUnread));
  }
  for (const auto& item : node.items) result.push_back(formula(*item, what));
  return result;
}

Formula3 FieldReader::formula3(const YamlNode& node, const std::string& what, const std::string& hint) {
  const std::vector<Formula> list = formulas(node, what, 3, hint);
  return {list[0], list[1], list[2]};
}

double FieldReader::number(const YamlNode& node, const std::string& what) {
  const Formula f = formula(node, what);
  if (f.value.is_constant()) return f.value.constant();
  complaints_.error(node.where,
                    fmt::format("`{}` must not depend on parameters, as {} does", what, in_quotes(node.text)));
  return kUnread;
}

std::string FieldReader::word(const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::scalar) return node.text;
  complaints_.error(node.where, fmt::format("`{}` should be a text, not {}", what, described(node)));
  return {};
}

bool FieldReader::boolean(const YamlNode& node, const std::string& what) {
  return choice(node, what, {"false", "true"}) == 1;
}

int FieldReader::choice(const YamlNode& node, const std::string& what, const std::vector<std::string>& words) {
  if (node.kind == YamlNode::Kind::scalar) {
    const auto place = std::find(words.begin(), words.end(), node.text);
    if (place != words.end()) return static_cast<int>(place - words.begin());
  }
  const std::string near =
      node.kind == YamlNode::Kind::scalar && node.text.size() < 100 ? nearest_word(node.text, words) : "";
  complaints_.error(node.where, fmt::format("`{}` should be {}, not {}", what, alternatives(words), described(node)),
                    near.empty() ? "" : fmt::format("did you mean {}?", in_quotes(near)));
  return -1;
}

std::vector<const YamlNode*> FieldReader::items(const YamlNode& node, const std::string& what, bool or_single) {
  std::vector<const YamlNode*> result;
  if (node.kind == YamlNode::Kind::list) {
    for (const auto& item : node.items) result.push_back(item.get());
  } else if (or_single) {
    result.push_back(&node);
  } else {
    complaints_.error(node.where, fmt::format("`{}` should be a list, not {}", what, described(node)),
                      "each item begins with `- `");
  }
  return result;
}

std::vector<std::string> joined(std::vector<std::string> keys, const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

Fields::Fields(FieldReader& reader, const YamlNode& node, std::string what, std::vector<std::string> known,
               const Elsewhere& elsewhere)
    : reader_(reader), node_(node), what_(std::move(what)) {
  if (node.kind != YamlNode::Kind::map) {
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    reader.complaints().error(node.where, fmt::format("{} should be a map, not {}", what_, described(node)),
                              "its keys: " + list);
    return;
  }
  for (const YamlNode::Entry& e : node.entries) {
    if (std::find(known.begin(), known.end(), e.key) == known.end()) {
      const bool misplaced = std::find(elsewhere.keys.begin(), elsewhere.keys.end(), e.key) != elsewhere.keys.end();
      reader.complaints().error(e.where, fmt::format("unknown key {} in {}", in_quotes(e.key), what_),
                                misplaced ? elsewhere.hint : suggestion(e.key, known));
      if (!misplaced && e.key.size() < 100) meant_.push_back(nearest_word(e.key, known));
    } else if (e.value->kind == YamlNode::Kind::null) {
      reader.complaints().error(e.where, fmt::format("{} has no value", in_quotes(e.key)));
    }
  }
}

const YamlNode* Fields::find(const std::string& key) const {
  for (const YamlNode::Entry& e : node_.entries) {
    if (e.key == key) return e.value->kind == YamlNode::Kind::null ? nullptr : e.value.get();
  }
  return nullptr;
}

const YamlNode* Fields::require(const std::string& key, const std::string& hint) const {
  for (const YamlNode::Entry& e : node_.entries) {
    if (e.key == key) return e.value->kind == YamlNode::Kind::null ? nullptr : e.value.get();
  }
  const bool misspelt = std::find(meant_.begin(), meant_.end(), key) != meant_.end();
  if (node_.kind == YamlNode::Kind::map && !misspelt) {
    reader_.complaints().error(node_.where, fmt::format("{} has no `{}`", what_, key), hint);
  }
  return nullptr;
}

Location Fields::place(const std::string& key) const {
  for (const YamlNode::Entry& e : node_.entries) {
    if (e.key == key) return e.where;
  }
  return node_.where;
}

void Fields::read(const std::string& key, Formula& to) const {
  if (const YamlNode* node = find(key)) to = reader_.formula(*node, key);
}

void Fields::read(const std::string& key, std::optional<Formula>& to) const {
  if (const YamlNode* node = find(key)) to = reader_.formula(*node, key);
}

void Fields::read(const std::string& key, Formula3& to) const {
  if (const YamlNode* node = find(key)) to = reader_.formula3(*node, key);
}

void Fields::require(const std::string& key, Formula& to) const {
  const YamlNode* node = require(key);
  to = node != nullptr ? reader_.formula(*node, key) : Formula(kUnread);
}

std::string Fields::require_word(const std::string& key) const {
  const YamlNode* node = require(key);
  if (node == nullptr) return {};
  std::string word = reader_.word(*node, key);
  if (node->kind == YamlNode::Kind::scalar && word.empty()) {
    reader_.complaints().error(node->where, fmt::format("`{}` is empty", key));
  }
  return word;
}

}  // namespace lw
