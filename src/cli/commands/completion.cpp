#include "../commands.hpp"

#include <fmt/format.h>

#include "../../model/read/read.hpp"

// Scripts for the shells, made from the list of commands, so that they cannot disagree with it.
namespace lw::cli {
namespace {

bool takes_model(const Command& c) { return !c.positionals.empty() && c.positionals[0].name == "MODEL"; }

std::vector<Option> options_of(const Command& c) {
  std::vector<Option> options = c.options;
  options.push_back(quiet_option());
  options.push_back(flag_option("--help", "how it is called", "Output"));
  return options;
}

// The words that can stand where the first argument stands.
std::vector<std::string> first_words(const Command& c) {
  if (takes_model(c)) return embedded_names();
  return c.positionals.empty() ? std::vector<std::string>{} : c.positionals[0].choices;
}

std::string bash(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& c : commands) {
    names += (names.empty() ? "" : " ") + c.name;
    std::string options, values;
    for (const Option& o : options_of(c)) {
      options += (options.empty() ? "" : " ") + o.name;
      if (!o.choices.empty()) {
        values += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", o.name,
                              fmt::join(o.choices, " "));
      } else if (o.name == "--out") {
        values += fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", o.name);
      } else if (o.kind != Option::Kind::flag) {
        values += fmt::format("        {}) return ;;\n", o.name);
      }
    }
    cases += fmt::format("    {})\n", c.name);
    if (!values.empty()) cases += "      case \"$previous\" in\n" + values + "      esac\n";
    cases += fmt::format("      options=\"{}\"\n      words=\"{}\"\n      {};;\n", options,
                         fmt::join(first_words(c), " "), takes_model(c) ? "files=1 " : "");
  }
  return fmt::format(R"(# bash completion for linkwright:  source <(linkwright completion bash)
_linkwright() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} options="" words="" files=""
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{} help --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}    help) words="{}" ;;
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif ((COMP_CWORD == 2)); then
    COMPREPLY=($(compgen -W "$words" -- "$word") ${{files:+$(compgen -f -- "$word")}})
  fi
}}
complete -o filenames -F _linkwright linkwright
)",
                     names, cases, names);
}

std::string quoted_for_zsh(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

std::string zsh(const std::vector<Command>& commands) {
  std::string list, cases;
  for (const Command& c : commands) {
    list += fmt::format("    '{}:{}'\n", c.name, quoted_for_zsh(c.summary));
    cases += fmt::format("    {})\n      _arguments", c.name);
    if (!c.positionals.empty()) {
      const std::string words = fmt::format("{}", fmt::join(first_words(c), " "));
      cases += takes_model(c)
                   ? fmt::format(" \\\n        '1:model:{{_alternative \"models:model:({})\" \"files:file:_files\"}}'",
                                 words)
                   : fmt::format(" \\\n        '1:what:({})'", words);
    }
    for (const Option& o : options_of(c)) {
      const std::string repeat = o.kind == Option::Kind::texts ? "*" : "";
      const std::string value = o.kind == Option::Kind::flag ? ""
                                : !o.choices.empty()         ? fmt::format(":value:({})", fmt::join(o.choices, " "))
                                : o.name == "--out"          ? std::string(":file:_files")
                                                             : fmt::format(":{}: ", quoted_for_zsh(o.value));
      cases += fmt::format(" \\\n        '{}{}[{}]{}'", repeat, o.name, quoted_for_zsh(o.help), value);
    }
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef linkwright
# zsh completion for linkwright:  source <(linkwright completion zsh)
_linkwright() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
compdef _linkwright linkwright
)",
                     list, cases);
}

std::string quoted_for_fish(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish(const std::vector<Command>& commands) {
  std::string out =
      "# fish completion for linkwright:  linkwright completion fish | source\ncomplete -c linkwright -f\n";
  for (const Command& c : commands) {
    out += fmt::format("complete -c linkwright -n __fish_use_subcommand -a {} -d {}\n", c.name,
                       quoted_for_fish(c.summary));
  }
  for (const Command& c : commands) {
    const std::string when = fmt::format("complete -c linkwright -n '__fish_seen_subcommand_from {}'", c.name);
    const std::vector<std::string> words = first_words(c);
    if (!words.empty()) out += fmt::format("{} {}-a '{}'\n", when, takes_model(c) ? "-F " : "", fmt::join(words, " "));
    for (const Option& o : options_of(c)) {
      out += fmt::format("{} -l {}{}{} -d {}\n", when, o.name.substr(2),
                         o.kind == Option::Kind::flag ? ""
                         : o.name == "--out"          ? " -r -F"
                                                      : " -x",
                         o.choices.empty() ? "" : fmt::format(" -a '{}'", fmt::join(o.choices, " ")),
                         quoted_for_fish(o.help));
    }
  }
  return out;
}

int run_completion(const Arguments& arguments) {
  const std::string shell = arguments.text("SHELL");
  fmt::print("{}", shell == "bash" ? bash(commands()) : shell == "zsh" ? zsh(commands()) : fish(commands()));
  return kOk;
}

}  // namespace

Command completion_command() {
  Command c;
  c.name = "completion";
  c.summary = "prints a completion script for bash, zsh or fish";
  c.description = "Prints a script that lets the shell complete commands, options and names of models.";
  c.examples = {"linkwright completion bash", "linkwright completion fish"};
  c.positionals = {{"SHELL", "the shell", true, {"bash", "zsh", "fish"}}};
  c.run = run_completion;
  return c;
}

}  // namespace lw::cli
