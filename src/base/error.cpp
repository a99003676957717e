#include "error.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace lw {
namespace {

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_string(d);
  }
  return text;
}

// Letters to insert, delete, replace, or exchange with their neighbour.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "error";
}

std::string to_string(const Diagnostic& d) {
  std::string text;
  if (!d.where.file.empty()) text += d.where.file + ':';
  if (d.where.line > 0) text += fmt::format("{}:", d.where.line);
  if (d.where.line > 0 && d.where.column > 0) text += fmt::format("{}:", d.where.column);
  if (!text.empty()) text += ' ';
  text += fmt::format("{}: {}", to_string(d.severity), d.message);
  if (!d.hint.empty()) text += "\n  " + d.hint;
  return text;
}

Error::Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

Error::Error(ErrorCode code, std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), code_(code), diagnostics_(std::move(diagnostics)) {}

std::string nearest_word(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kShort = 4;  // in so few letters, two mistakes give a different word
  const std::string wanted = lowered(word);
  std::string best, beginning;
  std::size_t best_distance = word.size() <= kShort ? 2 : std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::string lower = lowered(candidate);
    const std::size_t distance = edit_distance(wanted, lower);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
    const bool begins_so = wanted.size() >= 3 && lower.starts_with(wanted);
    if (begins_so && (beginning.empty() || candidate.size() < beginning.size())) beginning = candidate;
  }
  return best.empty() ? beginning : best;
}

}  // namespace lw
