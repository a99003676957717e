#include "help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "terminal.hpp"

namespace lw::cli {
namespace {

constexpr std::size_t kHelpWidth = 96;

std::string heading(const std::string& text) { return styled(text, Style::heading, stdout) + "\n"; }

// Two columns: names, and what they mean, wrapped within its column.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t column) {
  std::string out;
  for (const auto& [name, meaning] : rows) {
    std::string left = "  " + name;
    const bool long_name = display_width(left) + 2 > column;
    out += left;
    if (long_name) out += "\n";
    bool first = !long_name;
    for (const std::string& line : wrap(meaning, kHelpWidth - column)) {
      out += std::string(first ? column - display_width(left) : column, ' ') + line + "\n";
      first = false;
    }
  }
  return out;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (const std::string& line : wrap(text, kHelpWidth)) out += line + "\n";
  return out;
}

std::string label(const Option& o) { return o.value.empty() ? o.name : o.name + " " + o.value; }

}  // namespace

std::string help(const std::vector<Command>& commands) {
  std::string out =
      "Linkwright: rigid-body dynamics, from the description of a mechanism to its equations of motion and to "
      "code.\n\n";
  out += heading("Usage:") + "  linkwright COMMAND [MODEL] [options]\n\n";
  out +=
      "MODEL is the path of a mechanism file (.yaml, .urdf, .twu, .wong) or a name that `linkwright models` lists.\n\n";
  out += heading("Commands:");
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& c : commands) rows.emplace_back(c.name, c.summary);
  out += columns(rows, 16) + "\n";
  out += heading("Try:");
  out +=
      "  linkwright demo\n  linkwright check puma560\n  linkwright inverse puma560 --qdd 1,0,0,0,0,0\n  linkwright "
      "compile puma560 --out code\n\n";
  out += "`linkwright COMMAND --help` explains a command with examples; `linkwright --version` prints the version.\n";
  out +=
      "Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad model or data, 4 toolchain, 5 deadline missed,\n            "
      "130 interrupted.\n";
  return out;
}

std::string help(const Command& command) {
  std::string out = paragraphs(command.description) + "\n";
  out += heading("Usage:") + "  linkwright " + command.name;
  for (const Positional& p : command.positionals) out += p.required ? " " + p.name : " [" + p.name + "]";
  out += " [options]\n\n";

  if (!command.examples.empty()) {
    out += heading("Examples:");
    for (const std::string& example : command.examples) out += "  " + example + "\n";
    out += "\n";
  }

  constexpr std::size_t kColumn = 28;
  if (!command.positionals.empty()) {
    out += heading("Arguments:");
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Positional& p : command.positionals) {
      rows.emplace_back(p.name, p.choices.empty() ? p.help : fmt::format("{}: {}", p.help, fmt::join(p.choices, ", ")));
    }
    out += columns(rows, kColumn) + "\n";
  }

  std::vector<Option> options = command.options;
  options.push_back(quiet_option());
  options.push_back(flag_option("--help", "this text", "Output"));
  std::vector<std::string> groups;
  for (const Option& o : options) {
    if (std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  }
  for (const std::string& group : groups) {
    out += heading(group + ":");
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Option& o : options) {
      if (o.group == group) rows.emplace_back(label(o), o.help);
    }
    out += columns(rows, kColumn) + "\n";
  }
  for (const Section& s : command.sections) out += heading(s.heading + ":") + columns(s.rows, kColumn) + "\n";
  out.pop_back();
  return out;
}

}  // namespace lw::cli
