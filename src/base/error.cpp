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

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
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
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace lw
