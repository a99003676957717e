// One way to say "this input is refused, here, with these words".
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "model/read/read.hpp"

// The text of the file from the diagnostic's place on; "" where it names no column.
inline std::string text_at(const lw::ReadResult& result, const lw::Location& where) {
  const auto source = result.sources.find(where.file);
  if (source == result.sources.end() || where.column == 0) return {};
  std::size_t begin = 0;
  for (int line = 1; line < where.line; ++line) begin = source->second.find('\n', begin) + 1;
  return source->second.substr(begin + static_cast<std::size_t>(where.column) - 1);
}

// The result has a diagnostic of that severity in that line, at a place where the file goes on with `at` (in URDF,
// which has no columns: ""), and its message or hint contains `words`.
inline ::testing::AssertionResult has(const lw::ReadResult& result, lw::Severity severity, int line,
                                      const std::string& at, const std::string& words) {
  std::string all;
  for (const lw::Diagnostic& d : result.diagnostics) {
    all += to_string(d) + '\n';
    const bool said = (d.message + '\n' + d.hint).find(words) != std::string::npos;
    const bool placed =
        d.where.line == line && (at.empty() ? d.where.column == 0 : text_at(result, d.where).starts_with(at));
    if (d.severity == severity && placed && said) return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "no " << to_string(severity) << " in line " << line << " at \"" << at
                                       << "\" with \"" << words << "\" among:\n"
                                       << (all.empty() ? "(nothing)" : all);
}

// Refused for that reason alone: one error, and nothing half-loaded.
inline void expect_only_error(const lw::ReadResult& result, int line, const std::string& at, const std::string& words) {
  EXPECT_TRUE(has(result, lw::Severity::error, line, at, words));
  EXPECT_FALSE(result.mechanism.has_value());
  int errors = 0;
  for (const lw::Diagnostic& d : result.diagnostics) errors += d.severity == lw::Severity::error ? 1 : 0;
  EXPECT_EQ(errors, 1) << (result.diagnostics.size() > 1 ? to_string(result.diagnostics[1]) : "");
}

inline void expect_clean(const lw::ReadResult& result) {
  EXPECT_TRUE(result.mechanism.has_value());
  for (const lw::Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
}
