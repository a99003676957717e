#include "twu_statements.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../characters.hpp"
#include "../formula.hpp"

namespace lw {
namespace {

std::string lower(std::string word) {
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return word;
}

// A word of the formula language: a function or pi.
bool is_formula_word(const std::string& word) {
  const std::string small = lower(word);
  return small != "deg" && parameter_name_fault(small) != "" && is_letter(word[0]);
}

class Splitter {
 public:
  Splitter(const std::string& text, const std::string& file, std::string& summary, Complaints& complaints)
      : text_(text), file_(file), summary_(summary), complaints_(complaints) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
  }

  std::vector<TwuStatement> run() {
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      if (is_terminator(text_[at_])) {
        ++at_;
      } else {
        statement();
      }
    }
    return std::move(statements_);
  }

 private:
  static bool is_terminator(char c) { return c == ';' || c == '$'; }

  Location here() const { return {file_, line_, static_cast<int>(at_ - line_start_) + 1}; }

  void advance() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  // Blanks and comments: % to the end of the line.
  void skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '%')) {
      if (text_[at_] != '%') {
        advance();
        continue;
      }
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      if (statements_.empty() && summary_.empty()) summary_ = trimmed(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end;
    }
  }

  static std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r%");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
  }

  std::string_view word_at(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    return std::string_view(text_).substr(from, end - from);
  }

  // Skips to the end of a statement that cannot be read.
  void give_up(const Location& where, std::string message, std::string hint = {}) {
    complaints_.error(where, std::move(message), std::move(hint));
    while (at_ < text_.size() && !is_terminator(text_[at_])) {
      if (text_[at_] == '%') {
        skip_blanks();
      } else {
        advance();
      }
    }
  }

  void statement() {
    TwuStatement s;
    s.where = here();
    s.after_end = after_end_;
    if (!is_letter(text_[at_])) {
      give_up(
          s.where,
          fmt::format("a statement cannot begin with {}", in_quotes(std::string_view(text_).substr(at_, character()))),
          "L(1) := 1.5;");
      return;
    }
    s.name = word_at(at_);
    at_ += s.name.size();
    skip_blanks();
    if (lower(s.name) == "end" && (at_ >= text_.size() || is_terminator(text_[at_]))) {
      after_end_ = true;
      return;
    }
    if (at_ < text_.size() && text_[at_] == '(' && !left_indices(s)) return;
    if (text_.compare(at_, 2, ":=") == 0) {
      at_ += 2;
    } else if (at_ < text_.size() && text_[at_] == '=') {
      ++at_;
    } else {
      give_up(here(), fmt::format("`:=` is missing after {}", in_quotes(twu_written(s.name, s.indices))),
              "every statement is an assignment: L(1) := 1.5;");
      return;
    }
    skip_blanks();
    right_side(s);
  }

  std::size_t character() const {
    std::size_t length = 1;
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0) == 0x80) ++length;
    return length;
  }

  bool left_indices(TwuStatement& s) {
    std::size_t end = at_;
    const std::optional<std::vector<int>> indices = parse_indices(at_, end);
    if (!indices) {
      give_up(here(), fmt::format("the indices of {} cannot be read", in_quotes(s.name)),
              "whole numbers, separated by a comma: CM(1,2)");
      return false;
    }
    s.indices = *indices;
    at_ = end;  // indices cannot contain line breaks
    skip_blanks();
    return true;
  }

  // "(1, 2)" starting at `from`, on one line; `end` is the position after it.
  std::optional<std::vector<int>> parse_indices(std::size_t from, std::size_t& end) const {
    std::vector<int> result;
    std::size_t at = from + 1;
    const auto skip = [&] {
      while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    };
    for (;;) {
      skip();
      int value = 0;
      const auto [stop, fault] = std::from_chars(text_.data() + at, text_.data() + text_.size(), value);
      if (fault != std::errc() || value < 0) return std::nullopt;
      result.push_back(value);
      at = static_cast<std::size_t>(stop - text_.data());
      skip();
      if (at >= text_.size() || result.size() > 2) return std::nullopt;
      if (text_[at] == ')') break;
      if (text_[at++] != ',') return std::nullopt;
    }
    end = at + 1;
    return result;
  }

  void right_side(TwuStatement& s) {
    s.right_where = here();
    const std::size_t begin = at_;
    const auto put = [&](std::string_view piece, std::size_t from) {
      s.formula += piece;
      s.offset.insert(s.offset.end(), piece.size(), from - begin);
    };
    while (at_ < text_.size() && !is_terminator(text_[at_])) {
      const std::size_t from = at_;
      const char c = text_[at_];
      if (text_.compare(at_, 2, ":=") == 0 || c == '=') {
        // the text before it is the left side of the next statement
        give_up(here(), "a second assignment in one statement", "a `;` is missing before it");
        return;
      }
      if (c == '%') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (text_.compare(at_, 2, "**") == 0) {
        put("^", from);
        at_ += 2;
      } else if (is_letter(c)) {
        symbol(s, from, begin, put);
      } else if (is_digit(c) || c == '.') {
        // a number such as 1e5 contains no symbol
        double number = 0.0;
        const auto [stop, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
        const std::size_t length = std::max<std::size_t>(1, static_cast<std::size_t>(stop - (text_.data() + at_)));
        for (std::size_t k = 0; k < length; ++k) put(std::string_view(text_).substr(at_ + k, 1), at_ + k);
        at_ += length;
      } else {
        put(std::string_view(text_).substr(at_, 1), from);
        advance();
        if (c == '\n') s.lines.push_back(at_ - begin);
      }
    }
    s.right = text_.substr(begin, at_ - begin);
    while (!s.right.empty() && is_blank(s.right.back())) s.right.pop_back();
    if (s.right.empty()) {
      complaints_.error(s.where, fmt::format("{} has no value", in_quotes(twu_written(s.name, s.indices))));
      return;
    }
    statements_.push_back(std::move(s));
  }

  template <class Put>
  void symbol(TwuStatement& s, std::size_t from, std::size_t begin, const Put& put) {
    const std::string word(word_at(at_));
    at_ += word.size();
    std::size_t open = at_;
    while (open < text_.size() && (text_[open] == ' ' || text_[open] == '\t')) ++open;
    const bool call = open < text_.size() && text_[open] == '(';
    if (is_formula_word(word) && (call || lower(word) == "pi")) {
      put(lower(word), from);
      return;
    }
    std::vector<int> indices;
    std::size_t end = at_;
    if (call) {
      if (const auto parsed = parse_indices(open, end)) {
        indices = *parsed;
        at_ = end;
      }
    }
    const std::string name = twu_parameter(word, indices);
    s.symbols.push_back({twu_written(word, indices), name, from - begin});
    put(name, from);
  }

  const std::string& text_;
  const std::string& file_;
  std::string& summary_;
  Complaints& complaints_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1;
  bool after_end_ = false;
  std::vector<TwuStatement> statements_;
};

}  // namespace

Location TwuStatement::place(std::size_t offset_in_right) const {
  Location found = right_where;
  const auto next = std::upper_bound(lines.begin(), lines.end(), offset_in_right);
  if (next == lines.begin()) {
    found.column += static_cast<int>(offset_in_right);
  } else {
    found.line += static_cast<int>(next - lines.begin());
    found.column = static_cast<int>(offset_in_right - *(next - 1)) + 1;
  }
  return found;
}

std::string twu_written(const std::string& name, const std::vector<int>& indices) {
  if (indices.empty()) return name;
  return fmt::format("{}({})", name, fmt::join(indices, ","));
}

std::string twu_parameter(const std::string& name, const std::vector<int>& indices) {
  if (name == "G" && indices.empty()) return "g";
  return name + fmt::format("{}", fmt::join(indices, "_"));
}

std::vector<TwuStatement> twu_statements(const std::string& text, const std::string& file, std::string& summary,
                                         Complaints& complaints) {
  return Splitter(text, file, summary, complaints).run();
}

}  // namespace lw
