// What can go wrong, and where: every complaint that a user can see is a Diagnostic, every failure an Error
// that carries them all. What a caller of the library can get wrong (sizes, expressions of two graphs) is an Error too,
// in every build; assertions are for what only the library itself can get wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lw {

// The kind of a failure; the command line turns it into its exit code (docs/commands.md).
enum class ErrorCode {
  usage,      // the call is wrong: unknown option, wrong number of values
  model,      // the mechanism file is wrong
  data,       // the numbers are wrong: NaN, a quaternion of length zero, a singular configuration
  io,         // a file cannot be read or written
  toolchain,  // a compiler is missing or failed
};

// A place in a text file, counted from 1; column 0 means "the line", line 0 means "the file".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { note, warning, error };

struct Diagnostic {
  Severity severity = Severity::error;
  Location where;
  std::string message;  // what is wrong, in the file's own words
  std::string hint;     // what would be right (may be empty)
};

// `file:line:column: error: message`, then the hint on its own line.
std::string to_string(const Diagnostic& diagnostic);
const char* to_string(Severity severity);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  Error(ErrorCode code, std::vector<Diagnostic> diagnostics);

  ErrorCode code() const { return code_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  ErrorCode code_;
  std::vector<Diagnostic> diagnostics_;
};

// For what a call requires of its caller.
inline void require(bool fine, const char* message) {
  if (!fine) [[unlikely]]
    throw Error(ErrorCode::usage, message);
}

// The known word nearest to a misspelt one, whatever the case, or else one that begins like it (`puma`: `puma560`); ""
// where none is near enough to suggest.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace lw
