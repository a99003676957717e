// Runs the built executable as a user does, and brings back what it said.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lw::test {

struct Outcome {
  int code = -1;  // exit code, or 128 + signal as a shell reports it
  std::string out, err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// Words as they are, no shell in between; the current folder is a fresh one of the test's own.
Outcome linkwright(const std::vector<std::string>& words);
// A line of a shell, in which `linkwright` is the executable.
Outcome shell(const std::string& line);
// Interrupts it (SIGINT) after so many milliseconds.
Outcome interrupted(const std::vector<std::string>& words, int milliseconds);

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// That folder.
std::string folder();
// Writes a file into it and returns its path.
std::string write(const std::string& name, const std::string& text);

}  // namespace lw::test
