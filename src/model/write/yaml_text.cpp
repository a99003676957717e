#include "yaml_text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "../../base/text.hpp"

namespace lw {
namespace {

constexpr std::size_t kWidth = 120;

// Whether a word needs no quotes; inside [ ] and { } a comma does.
bool is_plain(const std::string& word, bool in_flow) {
  if (word.empty() || word == "null" || word == "Null" || word == "NULL") return false;
  if (std::string_view(" ;=<*.-,").find(word.front()) != std::string_view::npos) {
    const bool number_like = word.size() > 1 && word[1] != ' ' && word[1] != '-' && word[1] != '.';
    if ((word.front() != '-' && word.front() != '.') || !number_like) return false;
  }
  const auto is_plain_character = [&](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || std::string_view(in_flow ? "_ .+-*/^();=<" : "_ .+-*/^();=<,").find(c) != std::string_view::npos;
  };
  return word.back() != ' ' && std::all_of(word.begin(), word.end(), is_plain_character);
}

// Whether YAML readers interpret the word as a number, a date or a Boolean.
bool looks_like_a_value(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* value : {"true", "false", "yes", "no", "on", "off", "null", "~", ".inf", "-.inf", "+.inf", ".nan"}) {
    if (word == value) return true;
  }
  const std::size_t digit = word.find_first_not_of("+-.");
  return digit != std::string::npos && digit < 3 && word[digit] >= '0' && word[digit] <= '9' &&
         word.find_first_not_of("0123456789abcdefox_.:+-") == std::string::npos;
}

std::string quoted(const std::string& word) {
  std::string result = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string written(const std::string& word, bool in_flow) { return is_plain(word, in_flow) ? word : quoted(word); }

}  // namespace

YamlText::YamlText(const std::string& word) : kind_(Kind::word), word_(word) {}

YamlText YamlText::list(std::vector<YamlText> items) {
  YamlText result(Kind::list);
  for (YamlText& item : items) result.add(std::move(item));
  return result;
}

YamlText YamlText::block(YamlText tree) {
  tree.block_ = true;
  return tree;
}

YamlText YamlText::name(const std::string& word) {
  YamlText result(word);
  result.is_name_ = true;
  return result;
}

void YamlText::add(const std::string& key, YamlText value) {
  children_.emplace_back(name(key).in_line(true), std::move(value));
}

std::string YamlText::in_line(bool in_flow) const {
  return is_name_ && looks_like_a_value(word_) ? quoted(word_) : written(word_, in_flow);
}

std::string YamlText::flow() const {
  if (kind_ == Kind::word) return in_line(true);
  std::string inner;
  for (const auto& [key, value] : children_) {
    if (!inner.empty()) inner += ", ";
    if (kind_ == Kind::map) inner += key + ": ";
    inner += value.flow();
  }
  return kind_ == Kind::map ? '{' + inner + '}' : '[' + inner + ']';
}

bool YamlText::fits(std::size_t columns) const {
  if (kind_ == Kind::word || children_.empty()) return true;
  return !block_ && display_width(flow()) <= columns;
}

// The children of a list or map from column `indent` on; the first follows on the current line.
void YamlText::write(std::string& out, std::size_t indent) const {
  const std::string margin(indent, ' ');
  bool first = true;
  for (const auto& [key, value] : children_) {
    if (!first) out += margin;
    first = false;
    const std::size_t start = kind_ == Kind::map ? display_width(key) + 2 : 2;
    out += kind_ == Kind::map ? key + ':' : "-";
    if (value.fits(kWidth - std::min(kWidth, indent + start))) {
      out += ' ' + (value.kind_ == Kind::word ? value.in_line(false) : value.flow()) + '\n';
    } else if (kind_ == Kind::map) {
      out += '\n' + std::string(indent + 2, ' ');
      value.write(out, indent + 2);
    } else {
      out += ' ';
      value.write(out, indent + 2);
    }
  }
}

std::string YamlText::str() const {
  std::string out;
  write(out, 0);
  return out;
}

}  // namespace lw
