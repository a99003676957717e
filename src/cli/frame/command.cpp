#include "command.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "../../base/error.hpp"
#include "../../base/text.hpp"
#include "../../model/complaints.hpp"
#include "help.hpp"
#include "terminal.hpp"

namespace lw::cli {
namespace {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return kUsage;
    case ErrorCode::toolchain: return kToolchain;
    case ErrorCode::model:
    case ErrorCode::data:
    case ErrorCode::io: return kBadData;
  }
  return kBadData;
}

const Command* find(const std::vector<Command>& commands, const std::string& name) {
  const auto place = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  return place == commands.end() ? nullptr : &*place;
}

[[noreturn]] void unknown_command(const std::vector<Command>& commands, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& c : commands) names.push_back(c.name);
  names.emplace_back("help");
  throw Error(ErrorCode::usage, fmt::format("unknown command `{}`; {}", name, suggestion(name, names)));
}

const Option* find_option(const Command& command, const std::string& name) {
  const auto place =
      std::find_if(command.options.begin(), command.options.end(), [&](const Option& o) { return o.name == name; });
  return place == command.options.end() ? nullptr : &*place;
}

[[noreturn]] void unknown_option(const Command& command, const std::string& word) {
  std::vector<std::string> names{"--help", "--quiet"};
  for (const Option& o : command.options) names.push_back(o.name);
  throw Error(ErrorCode::usage,
              fmt::format("`{}` has no option `{}`; {}", command.name, word, suggestion(word, names)));
}

// `--q -0.1,0.2` as `--q=-0.1,0.2`: what follows an option that takes a value is its value, whatever it begins with,
// but for another long option, before which the value was forgotten. Also names what is not known, or too much.
std::vector<std::string> joined(const Command& command, const std::vector<std::string>& words) {
  std::vector<std::string> result;
  std::size_t free_words = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (!name.starts_with("-")) {
      if (++free_words > command.positionals.size()) {
        throw Error(ErrorCode::usage, fmt::format("unexpected argument of `{}`: `{}`", command.name, words[i]));
      }
      result.push_back(words[i]);
      continue;
    }
    const Option* option = find_option(command, name);
    if (option == nullptr && name != "--quiet") unknown_option(command, name);
    const bool is_flag = option == nullptr || option->kind == Option::Kind::flag,
               has_value = name.size() < words[i].size();
    if (is_flag && has_value) throw Error(ErrorCode::usage, fmt::format("{} takes no value: `{}`", name, words[i]));
    if (!is_flag && option->kind != Option::Kind::texts && !seen.insert(name).second) {
      throw Error(ErrorCode::usage, fmt::format("{} is given twice", name));
    }
    if (is_flag) {
      result.push_back(words[i]);
      continue;
    }
    const bool is_next = !has_value && i + 1 < words.size() && !words[i + 1].starts_with("--");
    const std::string value = has_value ? words[i].substr(name.size() + 1) : is_next ? words[++i] : "";
    if (value.find_first_not_of(" \t") == std::string::npos) {
      throw Error(ErrorCode::usage, fmt::format("{} needs a value: {} {}", name, name, option->value));
    }
    result.push_back(name + "=" + value);
  }
  return result;
}

void check_choice(const std::string& what, const std::string& value, const std::vector<std::string>& choices) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  throw Error(ErrorCode::usage, fmt::format("{} cannot be `{}`; {}", what, value, suggestion(value, choices)));
}

Arguments parse(const Command& command, const std::vector<std::string>& words) {
  CLI::App app(command.summary, command.name);
  app.set_help_flag();
  app.allow_windows_style_options(false);
  std::vector<std::vector<std::string>> positionals(command.positionals.size());
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    app.add_option(command.positionals[i].name, positionals[i])->expected(0, 1);
  }
  std::vector<Option> options = command.options;
  options.push_back(quiet_option());
  for (const Option& o : options) {
    if (o.kind == Option::Kind::flag) {
      app.add_flag(o.name);
    } else {
      using Policy = CLI::MultiOptionPolicy;
      auto* added = app.add_option(o.name)->expected(1)->type_name(o.value);
      if (o.kind == Option::Kind::texts) added->multi_option_policy(Policy::TakeAll)->allow_extra_args(false);
    }
  }

  std::vector<std::string> reversed = joined(command, words);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& e) {
    throw Error(ErrorCode::usage, e.what());
  }

  Arguments arguments;
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    const Positional& p = command.positionals[i];
    if (positionals[i].empty()) {
      if (p.required) throw Error(ErrorCode::usage, fmt::format("`{}` needs {}: {}", command.name, p.name, p.help));
      continue;
    }
    check_choice(p.name, positionals[i][0], p.choices);
    arguments.add(p.name, positionals[i][0]);
  }
  for (const Option& o : options) {
    const CLI::Option* given = app.get_option(o.name);
    if (given->count() == 0) continue;
    if (o.kind == Option::Kind::flag) {
      arguments.add(o.name, "");
      continue;
    }
    for (const std::string& value : given->results()) {
      check_choice(o.name, value, o.choices);
      arguments.add(o.name, value);
    }
    if (o.kind == Option::Kind::number) arguments.number(o.name, 0.0);  // complains now rather than later
  }
  return arguments;
}

int run_unguarded(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  if (words.empty()) {
    std::fputs(help(commands).c_str(), stderr);
    return kUsage;
  }
  const auto is_help = [](const std::string& w) { return w == "--help" || w == "-h"; };
  if (words[0] == "--version") {
    fmt::print("linkwright {}\n", LINKWRIGHT_VERSION);
    return kOk;
  }
  if (is_help(words[0]) || words[0] == "help") {
    if (words.size() == 1) {
      fmt::print("{}", help(commands));
      return kOk;
    }
    const Command* command = find(commands, words[1]);
    if (command == nullptr) unknown_command(commands, words[1]);
    fmt::print("{}", help(*command));
    return kOk;
  }
  if (words[0].starts_with("-")) {
    throw Error(ErrorCode::usage, fmt::format("the command must come first: `linkwright COMMAND {} ...`", words[0]));
  }
  const Command* command = find(commands, words[0]);
  if (command == nullptr) unknown_command(commands, words[0]);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (std::any_of(rest.begin(), rest.end(), is_help)) {
    fmt::print("{}", help(*command));
    return kOk;
  }
  return command->run(parse(*command, rest));
}

void complain(const std::string& command, const Error& error) {
  if (error.what()[0] == '\0') return;  // all was said where it was found
  // diagnostics bring their own place and severity
  if (error.diagnostics().empty()) {
    say_error(error.what());
  } else {
    say(error.what());
  }
  if (error.code() == ErrorCode::usage && !command.empty()) {
    say(fmt::format("  see `linkwright {} --help`", command));
  }
}

}  // namespace

std::string Arguments::text(const std::string& name, const std::string& fallback) const {
  const auto place = values_.find(name);
  return place == values_.end() ? fallback : place->second.back();
}

std::vector<std::string> Arguments::texts(const std::string& name) const {
  const auto place = values_.find(name);
  return place == values_.end() ? std::vector<std::string>{} : place->second;
}

double Arguments::number(const std::string& name, double fallback) const {
  if (!has(name)) return fallback;
  const std::string written = text(name);
  char* end = nullptr;
  const double value = std::strtod(written.c_str(), &end);
  if (written.empty() || *end != '\0' || !std::isfinite(value)) {
    throw Error(ErrorCode::usage, fmt::format("{} needs a number, not `{}`", name, written));
  }
  return value;
}

void require_ending(const Arguments& arguments, const std::string& option, const std::string& contents,
                    const std::string& ending) {
  const std::string file = arguments.text(option, ending);
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  const bool to_be_written = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
  if (ends_with_ignoring_case(file, ending) || !to_be_written)
    return;  // a pipe takes anything, a folder is refused later
  const std::size_t slash = file.rfind('/') + 1, dot = file.rfind('.');
  std::string stem = dot != std::string::npos && dot > slash ? file.substr(0, dot) : file;
  if (stem == "-" || stem.ends_with('/')) stem = "FILE";
  throw Error(ErrorCode::usage, fmt::format("{} writes {}: use the name {}{}", option, contents, stem, ending));
}

void require_other_file(const Arguments& arguments, const std::string& option, const std::string& input) {
  std::error_code ignored;
  if (!arguments.has(option) || !arguments.has(input)) return;
  const std::filesystem::path out = arguments.text(option), in = arguments.text(input);
  if (!std::filesystem::is_regular_file(in, ignored) || !std::filesystem::equivalent(out, in, ignored)) return;
  throw Error(ErrorCode::usage, fmt::format("{}: `{}` is the input file; choose another name", option, out.string()));
}

Option flag_option(std::string name, std::string help, std::string group) {
  return {std::move(name), {}, std::move(help), Option::Kind::flag, {}, std::move(group)};
}
Option text_option(std::string name, std::string value, std::string help, std::string group) {
  return {std::move(name), std::move(value), std::move(help), Option::Kind::text, {}, std::move(group)};
}
Option texts_option(std::string name, std::string value, std::string help, std::string group) {
  return {std::move(name), std::move(value), std::move(help), Option::Kind::texts, {}, std::move(group)};
}
Option number_option(std::string name, std::string value, std::string help, std::string group) {
  return {std::move(name), std::move(value), std::move(help), Option::Kind::number, {}, std::move(group)};
}
Option choice_option(std::string name, std::string value, std::string help, std::vector<std::string> choices,
                     std::string group) {
  Option option = text_option(std::move(name), std::move(value), std::move(help), std::move(group));
  option.choices = std::move(choices);
  return option;
}

Option json_option() { return flag_option("--json", "results as JSON, numbers to full precision", "Output"); }
Option quiet_option() { return flag_option("--quiet", "suppresses notes and warnings", "Output"); }

int run_program(const std::vector<Command>& commands, int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = !words.empty() && find(commands, words[0]) != nullptr ? words[0] : "";
  int code = kOk;
  std::string reason;  // why a write failed
  try {
    code = run_unguarded(commands, words);
  } catch (const Error& e) {
    complain(command, e);
    code = exit_code(e.code());
  } catch (const std::bad_alloc&) {
    say_error("not enough memory");
    code = kBadData;
  } catch (const std::system_error& e) {
    // a write to stdout that failed is reported below
    if (std::ferror(stdout) == 0) say_error(e.what());
    reason = e.code().message();
    code = kBadData;
  } catch (const std::exception& e) {
    say_error(fmt::format("this is a defect of linkwright: {}", e.what()));
    code = kCheckFailed;
  }
  // a full disk behind stdout may show only here
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (reason.empty()) reason = errno != 0 ? std::strerror(errno) : "write error";
    say_error("the output could not be written: " + reason);
    if (code == kOk) code = kBadData;
  }
  return code;
}

}  // namespace lw::cli
