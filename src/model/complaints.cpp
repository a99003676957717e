#include "complaints.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace lw {
namespace {

constexpr std::size_t kMostDiagnostics = 100;
constexpr std::size_t kLongestQuote = 60;

}  // namespace

void Complaints::error(const Location& where, std::string message, std::string hint) {
  ++errors_;
  add(Severity::error, where, std::move(message), std::move(hint));
}

void Complaints::warning(const Location& where, std::string message, std::string hint) {
  add(Severity::warning, where, std::move(message), std::move(hint));
}

void Complaints::note(const Location& where, std::string message) {
  add(Severity::note, where, std::move(message), {});
}

void Complaints::add(Severity severity, const Location& where, std::string message, std::string hint) {
  if (list_.size() >= kMostDiagnostics) {
    ++left_out_;
    return;
  }
  list_.push_back({severity, where, std::move(message), std::move(hint)});
}

std::vector<Diagnostic> Complaints::sorted() const {
  std::vector<Diagnostic> result = list_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  if (left_out_ > 0 && !result.empty()) {
    // an error if any omitted one is
    result.push_back({failed() ? Severity::error : Severity::note,
                      {result.front().where.file, 0, 0},
                      fmt::format("{} more like these are not shown", left_out_),
                      {}});
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::string result = "`";
  std::size_t taken = 0;
  for (const char c : text) {
    // never cuts inside a UTF-8 character
    const bool starts_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (taken >= kLongestQuote && starts_character) {
      result += "…";
      break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02X}", byte);
    } else {
      result += c;
    }
    ++taken;
  }
  return result + '`';
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) result += i + 1 == words.size() ? " or " : ", ";
    result += in_quotes(words[i]);
  }
  return result;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  // the cost of an edit distance is the product of the lengths; misspellings are not that long
  const bool comparable = word.size() <= 200 && known.size() <= kMostCompared;
  const std::string near = comparable ? nearest_word(word, known) : std::string();
  if (!near.empty()) return fmt::format("did you mean {}?", in_quotes(near));
  if (known.empty()) return {};
  constexpr std::size_t kMostListed = 20;
  std::string list;
  std::set<std::string> listed;
  for (const std::string& name : known) {
    if (!listed.insert(name).second) continue;
    if (listed.size() > kMostListed) {
      list += ", …";
      break;
    }
    list += (list.empty() ? "" : ", ") + name;
  }
  return "known here: " + list;
}

}  // namespace lw
