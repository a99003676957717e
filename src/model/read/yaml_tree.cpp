#include "yaml_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace lw {
namespace {

constexpr std::size_t kDeepestTree = 64;
// Nodes after following aliases. A chain of 10 000 links has about a million; a dozen lines of nested aliases, 10^9.
constexpr std::size_t kMostNodes = 20'000'000;

struct Stop {};  // parsing cannot continue; the error was already reported

// The source by lines, to determine how a scalar was written.
class Source {
 public:
  explicit Source(const std::string& text) : text_(text) {
    starts_.push_back(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  // From the beginning of the text up to line and column (counted from 1).
  std::string_view before(int line, int column) const {
    const std::string_view rest = from(line, column);
    return std::string_view(text_).substr(0, text_.size() - rest.size());
  }

  // From line and column to the end of the text.
  std::string_view from(int line, int column) const {
    if (line < 1 || static_cast<std::size_t>(line) > starts_.size()) return {};
    const std::size_t offset = starts_[static_cast<std::size_t>(line) - 1] + static_cast<std::size_t>(column - 1);
    return offset < text_.size() ? std::string_view(text_).substr(offset) : std::string_view();
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> starts_;
};

// Whether a text that begins with a quote contains its other end.
bool is_closed(std::string_view text) {
  for (std::size_t k = 1; k < text.size(); ++k) {
    if (text[0] == '"' && text[k] == '\\') {
      ++k;
    } else if (text[k] == text[0]) {
      if (text[0] == '"' || k + 1 == text.size() || text[k + 1] != '\'') return true;
      ++k;  // '' is an escaped '
    }
  }
  return false;
}

struct Bracket {
  char sign;
  int line;
};

// The innermost unclosed { or [. Brackets and quotes count only where a value can begin, not inside words.
std::optional<Bracket> open_bracket(std::string_view text) {
  std::vector<Bracket> open;
  int line = 1;
  char before = '\n';
  for (std::size_t k = 0; k < text.size(); before = text[k++]) {
    const char c = text[k];
    const bool begins = std::string_view(" \t\n[{,").find(before) != std::string_view::npos;
    if (c == '\n') ++line;
    if (c == '#' && begins) k = std::min(text.find('\n', k), text.size()) - 1;
    if ((c == '"' || c == '\'') && begins) {
      while (k + 1 < text.size() && text[k + 1] != c) line += text[++k] == '\n';
      k = std::min(k + 1, text.size() - 1);
    }
    if ((c == '{' || c == '[') && begins) open.push_back({c, line});
    if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& file, Complaints& complaints)
      : source_(text), file_(file), complaints_(complaints) {}

  std::shared_ptr<const YamlNode> root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2) {
      complaints_.error(place(mark), "a second document begins here",
                        "a file contains one mechanism; remove the `---`");
      throw Stop();
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    complete(make(YamlNode::Kind::null, mark), 1, anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    auto node = make(YamlNode::Kind::scalar, mark);
    node->text = value;
    find_text(*node);
    complete(std::move(node), 1, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) {
      complaints_.error(place(mark),
                        fmt::format("the anchor of {} contains this alias and would contain itself", alias_at(mark)));
      throw Stop();
    }
    complete(known->second.node, known->second.weight, 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(make(YamlNode::Kind::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(make(YamlNode::Kind::map, mark), anchor);
  }
  void OnMapEnd() override { close(); }

  // Explains a syntax error of yaml-cpp in the user's terms.
  std::string fault(const YAML::Exception& e) const {
    const std::string_view line = source_.from(e.mark.line + 1, 1);
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos) {
      return "a tab stands where the line is indented; YAML wants blanks there";
    }
    const bool unfinished = e.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || e.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW ||
                            e.msg == YAML::ErrorMsg::BLOCK_ENTRY;  // a `- ` inside open braces
    const auto bracket = open_bracket(source_.before(e.mark.line + 1, e.mark.column + 1));
    if (!unfinished || !bracket) return e.msg;
    return fmt::format("a comma or `{}` is missing before this; the `{}` was opened in line {}",
                       bracket->sign == '{' ? '}' : ']', bracket->sign, bracket->line);
  }

 private:
  struct Anchored {
    std::shared_ptr<const YamlNode> node;
    std::size_t weight = 1;
  };
  struct Key {
    std::string name;
    Location where;
    bool usable = true;
  };
  struct Frame {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = 0;
    std::size_t weight = 1;           // nodes below, aliases followed
    std::optional<Key> key;           // key of a map that waits for its value
    std::map<std::string, int> seen;  // keys and their lines
  };

  Location place(const YAML::Mark& mark) const { return {file_, mark.line + 1, mark.column + 1}; }

  std::shared_ptr<YamlNode> make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->where = place(mark);
    return node;
  }

  std::string alias_at(const YAML::Mark& mark) const {
    const std::string_view rest = source_.from(mark.line + 1, mark.column + 1);
    return in_quotes(rest.substr(0, rest.find_first_of(" \t\r\n,]}")));
  }

  // yaml-cpp gives "?" to plain scalars and collections, "!" to quoted ones.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    complaints_.error(place(mark), fmt::format("the tag {} is not part of the format", in_quotes(tag)));
  }

  // The mark of a node with an anchor is at the anchor; the text follows it.
  void find_text(YamlNode& node) {
    std::string_view rest = source_.from(node.where.line, node.where.column);
    int column = node.where.column;
    const auto skip = [&](std::size_t n) {
      column += static_cast<int>(n);
      rest.remove_prefix(n);
    };
    while (!rest.empty() && (rest[0] == '&' || rest[0] == '!')) {
      skip(std::min(rest.size(), rest.find_first_of(" \t\r\n")));
      skip(std::min(rest.size(), rest.find_first_not_of(" \t")));
    }
    if (!rest.empty() && (rest[0] == '\'' || rest[0] == '"')) {
      // yaml-cpp accepts an unclosed quote at the end of the file
      if (!is_closed(rest)) complaints_.error(node.where, "the quote opened here is not closed");
      skip(1);
    }
    if (rest.starts_with(node.text)) node.text_column = column;
  }

  void open(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor) {
    if (stack_.size() >= kDeepestTree) {
      complaints_.error(node->where, fmt::format("nested more than {} levels deep", kDeepestTree));
      throw Stop();
    }
    stack_.push_back({std::move(node), anchor, 1, std::nullopt, {}});
  }

  void close() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    complete(std::move(frame.node), frame.weight, frame.anchor);
  }

  // Completes a node: it becomes the root, an item, a key or a value.
  void complete(std::shared_ptr<const YamlNode> node, std::size_t weight, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, weight};
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = stack_.back();
    frame.weight += weight;
    if (frame.weight > kMostNodes) {
      complaints_.error(node->where,
                        fmt::format("with aliases expanded, the file has more than {} values", kMostNodes));
      throw Stop();
    }
    if (frame.node->kind == YamlNode::Kind::list) {
      frame.node->items.push_back(std::move(node));
    } else if (!frame.key) {
      take_key(frame, *node);
    } else {
      if (frame.key->usable) {
        frame.node->entries.push_back({std::move(frame.key->name), frame.key->where, std::move(node)});
      }
      frame.key.reset();
    }
  }

  void take_key(Frame& frame, const YamlNode& node) {
    frame.key = Key{node.text, node.where, true};
    if (node.kind != YamlNode::Kind::scalar) {
      complaints_.error(node.where, fmt::format("a key must be a word, not {}", to_string(node.kind)));
      frame.key->usable = false;
      return;
    }
    const auto [first, fresh] = frame.seen.try_emplace(node.text, node.where.line);
    if (!fresh) {
      complaints_.error(node.where, fmt::format("duplicate key {}: first in line {}, again in line {}",
                                                in_quotes(node.text), first->second, node.where.line));
      frame.key->usable = false;
    }
  }

  Source source_;
  std::string file_;
  Complaints& complaints_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::shared_ptr<const YamlNode> root_;
  int documents_ = 0;
};

}  // namespace

const char* to_string(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "a single value";
    case YamlNode::Kind::list: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "";
}

std::shared_ptr<const YamlNode> parse_yaml(const std::string& text, const std::string& file, Complaints& complaints) {
  TreeBuilder builder(text, file, complaints);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {}
  } catch (const Stop&) {
    return nullptr;
  } catch (const YAML::Exception& e) {
    const bool placed = !e.mark.is_null();
    complaints.error({file, placed ? e.mark.line + 1 : 0, placed ? e.mark.column + 1 : 0},
                     "not valid YAML: " + builder.fault(e));
    return nullptr;
  } catch (const std::exception& e) {
    complaints.error({file, 0, 0}, fmt::format("not valid YAML: {}", e.what()));
    return nullptr;
  }
  if (builder.root() == nullptr) complaints.error({file, 0, 0}, "the file is empty");
  return builder.root();
}

}  // namespace lw
