// A command of the program as data: name, arguments, action. Commands include only this; the parser behind it (CLI11,
// which costs seconds to compile) is only used by command.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lw::cli {

// Exit codes: a contract with scripts (docs/commands.md).
enum Exit { kOk = 0, kCheckFailed = 1, kUsage = 2, kBadData = 3, kToolchain = 4, kDeadline = 5, kInterrupted = 130 };

struct Option {
  enum class Kind {
    flag,
    text,    // one value
    texts,   // may be given several times
    number,  // one finite number
  };
  std::string name;   // "--q"
  std::string value;  // placeholder of the value in the help: "Q1,Q2,..."; empty for a flag
  std::string help;
  Kind kind = Kind::flag;
  std::vector<std::string> choices;  // if only some texts are allowed
  std::string group = "Options";     // heading in the help
};

Option flag_option(std::string name, std::string help, std::string group = "Options");
Option text_option(std::string name, std::string value, std::string help, std::string group = "Options");
Option texts_option(std::string name, std::string value, std::string help, std::string group = "Options");
Option number_option(std::string name, std::string value, std::string help, std::string group = "Options");
Option choice_option(std::string name, std::string value, std::string help, std::vector<std::string> choices,
                     std::string group = "Options");

struct Positional {
  std::string name;  // "MODEL"
  std::string help;
  bool required = true;
  std::vector<std::string> choices;
};

// The command line, by the names above.
class Arguments {
 public:
  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::string text(const std::string& name, const std::string& fallback = {}) const;
  std::vector<std::string> texts(const std::string& name) const;
  double number(const std::string& name, double fallback) const;

  bool json() const { return has("--json"); }
  bool quiet() const { return has("--quiet"); }

  void add(const std::string& name, const std::string& value) { values_[name].push_back(value); }

 private:
  std::map<std::string, std::vector<std::string>> values_;  // a flag that was given has one empty value
};

// A table at the end of a command's help: names and what they mean.
struct Section {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> rows;
};

struct Command {
  std::string name;
  std::string summary;                // one line, for the list of commands
  std::string description;            // a paragraph or two, for --help
  std::vector<std::string> examples;  // complete working command lines
  std::vector<Positional> positionals;
  std::vector<Option> options;  // in addition to --help and --quiet
  std::vector<Section> sections;
  std::function<int(const Arguments&)> run;
};

// Throws Error(usage) where the file that an option names does not end as its contents ask: "--draw writes SVG: name it
// x.svg".
void require_ending(const Arguments& arguments, const std::string& option, const std::string& contents,
                    const std::string& ending);

// Throws Error(usage) if an option would overwrite the file of another argument, by any path.
void require_other_file(const Arguments& arguments, const std::string& option, const std::string& input);

Option json_option();
Option quiet_option();

// Parses the command line, runs the command, and converts errors into a message and an exit code.
int run_program(const std::vector<Command>& commands, int argc, const char* const* argv);

}  // namespace lw::cli
