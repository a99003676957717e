// Errors and their locations. Every message to the user is a Diagnostic; every failure is an Error that contains all of
// them. Mistakes of the caller (sizes, expressions of two graphs) are Errors too, in every build; assertions are only
// for mistakes of the library itself.
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
  std::string message;  // what is wrong, in terms of the file
  std::string hint;     // how to correct it (may be empty)
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

// Checks a precondition of a call.
inline void require(bool fine, const char* message) {
  if (!fine) [[unlikely]]
    throw Error(ErrorCode::usage, message);
}

// The known word nearest to a misspelt one, ignoring case, or else one with the same beginning (`puma`: `puma560`); ""
// if none is near enough to suggest.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace lw
