// Collects the errors of a file, so that a reader can continue to the end and report all of them together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "../base/error.hpp"

namespace lw {

class Complaints {
 public:
  void error(const Location& where, std::string message, std::string hint = {});
  void warning(const Location& where, std::string message, std::string hint = {});
  void note(const Location& where, std::string message);
  bool failed() const { return errors_ > 0; }
  bool full() const { return left_out_ > 0; }  // hints are no longer needed
  const std::vector<Diagnostic>& list() const { return list_; }

  // In the order of the file; beyond a hundred errors only their number.
  std::vector<Diagnostic> sorted() const;

 private:
  void add(Severity severity, const Location& where, std::string message, std::string hint);

  std::vector<Diagnostic> list_;
  int errors_ = 0;
  int left_out_ = 0;
};

// The user's own words in backquotes: shortened where long, unprintable bytes as \xNN.
std::string in_quotes(std::string_view text);
// "`a`, `b` or `c`"
std::string alternatives(const std::vector<std::string>& words);
// `suggestion` searches for the nearest among at most this many words; more would take too long.
inline constexpr std::size_t kMostCompared = 2000;
// "did you mean `tensor`?", or, if nothing is near, "known here: …" with all of them.
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

}  // namespace lw
