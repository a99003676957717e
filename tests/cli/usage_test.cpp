// How the program is called: help, errors, exit codes, completion, output that cannot be written.
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "run_cli.hpp"

namespace lw::test {
namespace usage_test {

TEST(Usage, WithoutArgumentsShowsTheCommandsAndFails) {
  const Outcome o = linkwright({});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(o.out.empty());
  for (const cli::Command& c : cli::commands()) EXPECT_TRUE(has(o.err, "\n  " + c.name + " ")) << c.name;
}

TEST(Usage, HelpAndVersionGoToStdout) {
  EXPECT_EQ(linkwright({"--help"}).code, 0);
  EXPECT_TRUE(has(linkwright({"--help"}).out, "Usage:"));
  EXPECT_EQ(linkwright({"--version"}).out.rfind("linkwright ", 0), 0u);
  EXPECT_EQ(linkwright({"help", "check"}).out, linkwright({"check", "--help"}).out);
}

TEST(Usage, EveryCommandHasHelpWithAnExample) {
  for (const cli::Command& c : cli::commands()) {
    const Outcome o = linkwright({c.name, "--help"});
    EXPECT_EQ(o.code, 0);
    ASSERT_FALSE(c.examples.empty()) << c.name;
    for (const std::string& example : c.examples) EXPECT_TRUE(has(o.out, example)) << example;
    for (const cli::Option& option : c.options) EXPECT_TRUE(has(o.out, option.name)) << c.name << option.name;
  }
}

TEST(Usage, EveryExampleWorks) {
  for (const cli::Command& c : cli::commands()) {
    if (c.name == "bench") continue;  // takes its time; it has tests of its own
    for (const std::string& example : c.examples) {
      // ReproduceCommand.NothingFailsAndTheReportIsOnePage runs them all, which takes a while
      if (c.name == "reproduce" && example != "linkwright reproduce wong") continue;
      const Outcome o = shell(example);
      EXPECT_EQ(o.code, 0) << example << "\n" << o.err;
      EXPECT_FALSE(o.out.empty()) << example;
    }
  }
}

TEST(Usage, UnknownWordsGetASuggestion) {
  struct Case {
    std::vector<std::string> words;
    const char* says;
  };
  for (const Case& c : std::vector<Case>{
           {{"invers", "puma560"}, "did you mean `inverse`?"},
           {{"inverse", "puma560", "--qddd", "1"}, "did you mean `--qdd`?"},
           {{"inverse", "puma560", "--method", "rneea"}, "did you mean `rnea`?"},
           {{"hlep"}, "did you mean `help`?"},
           {{"inverse", "puma560", "elbow"}, "unexpected argument of `inverse`: `elbow`"},
           {{"inverse"}, "needs MODEL"},
           {{"inverse", "puma560", "--q"}, "--q needs a value"},
           {{"inverse", "puma560", "--q", "--json"}, "--q needs a value"},
           {{"inverse", "puma560", "--q="}, "--q needs a value"},
           {{"inverse", "puma560", "--q", "1", "--q", "2"}, "--q is given twice"},
           {{"inverse", "puma560", "--json=1"}, "takes no value"},
           {{"reproduce", "helmi"}, "did you mean `helmy`?"},
           {{"completion"}, "needs SHELL"},
           {{"kinematics", "puma560", "--draw", "a.b/x.png"}, "--draw writes SVG: use the name a.b/x.svg"},
           {{"kinematics", "puma560", "--draw", "-"}, "--draw writes SVG: use the name FILE.svg"},
           {{"reproduce", "twu", "--out", "x"}, "--out writes HTML: use the name x.html"},
           {{"--json", "models"}, "the command must come first"}}) {
    const Outcome o = linkwright(c.words);
    EXPECT_EQ(o.code, 2) << c.says;
    EXPECT_TRUE(o.out.empty());
    EXPECT_TRUE(has(o.err, c.says)) << o.err;
  }
}

TEST(Usage, NoColourWhereNobodySeesIt) {
  // not a terminal
  EXPECT_FALSE(has(linkwright({"demo"}).out, "\033["));
  EXPECT_FALSE(has(linkwright({"check", "nothing"}).err, "\033["));
  // a terminal, with and without NO_COLOR
  const std::string line = "script -qec 'linkwright check puma560' /dev/null";
  if (shell("command -v script").code == 0) {
    EXPECT_TRUE(has(shell("TERM=xterm " + line).out, "\033["));
    EXPECT_FALSE(has(shell("TERM=xterm NO_COLOR=1 " + line).out, "\033["));
    EXPECT_FALSE(has(shell("TERM=dumb " + line).out, "\033["));
  }
}

TEST(Usage, AFullDiskIsReported) {
  for (const char* line : {"linkwright models > /dev/full", "linkwright models --json > /dev/full",
                           "linkwright --help > /dev/full", "linkwright reproduce wong --json > /dev/full",
                           "linkwright reproduce wong > /dev/full", "linkwright reproduce binder --out /dev/full"}) {
    const Outcome o = shell(line);
    EXPECT_EQ(o.code, 3) << line;
    EXPECT_TRUE(has(o.err, "No space left on device")) << o.err;
    EXPECT_FALSE(has(o.err, "defect")) << o.err;
  }
}

TEST(Usage, EveryCommandNoticesThatNobodyListens) {
  for (const cli::Command& c : cli::commands()) {
    if (c.name == "bench") continue;  // takes its time
    EXPECT_EQ(shell(c.examples.front() + " > /dev/full").code, 3) << c.name;
  }
  for (const char* nowhere : {" > /dev/full", " >&-", " >&- 2>&-"}) {
    EXPECT_EQ(shell(std::string("linkwright models") + nowhere).code, 3) << nowhere;
  }
}

TEST(Usage, WhatIsSaidBesidesResultsMayGetLost) {
  const std::string ball = write("ball.yaml", R"(linkwright: 1
name: ball
links: [{name: ball, parent: base, joint: {type: spherical}, inertia: {mass: 1, tensor: [1, 1, 5]}}]
)");
  struct Case {
    std::string line;  // says something on stderr
    int code;
  };
  for (const Case& c : {Case{"linkwright inverse " + ball + " --allow-unphysical --q 0,0,0,1.001", 0},
                        Case{"linkwright reproduce binder --out report.html", 0}, Case{"linkwright check " + ball, 1},
                        Case{"linkwright inverse puma560 --q 1", 2}, Case{"linkwright inverse " + ball, 3}}) {
    const Outcome heard = shell(c.line);
    EXPECT_FALSE(heard.err.empty()) << c.line;
    for (const char* nowhere : {"", " 2> /dev/full", " 2>&-"}) {
      const Outcome o = shell(c.line + nowhere);
      EXPECT_EQ(o.code, c.code) << c.line << nowhere;
      EXPECT_EQ(o.out, heard.out) << c.line << nowhere;
    }
  }
}

TEST(Usage, InterruptEndsItAs130) { EXPECT_EQ(interrupted({"inverse", "chain-10000"}, 100).code, 130); }

TEST(Completion, ScriptsKnowEveryCommandAndOption) {
  for (const char* name : {"bash", "zsh", "fish"}) {
    const Outcome o = linkwright({"completion", name});
    EXPECT_EQ(o.code, 0);
    for (const cli::Command& c : cli::commands()) {
      EXPECT_TRUE(has(o.out, c.name)) << name << c.name;
      for (const cli::Option& option : c.options) EXPECT_TRUE(has(o.out, option.name.substr(2))) << name << option.name;
    }
    EXPECT_TRUE(has(o.out, "puma560"));
  }
}

TEST(Completion, BashCompletesWords) {
  const auto complete = [](const std::string& words, int last) {
    return shell("bash -c 'source <(linkwright completion bash); COMP_WORDS=(" + words +
                 "); COMP_CWORD=" + std::to_string(last) + "; _linkwright; echo ${COMPREPLY[*]}'")
        .out;
  };
  EXPECT_EQ(complete("linkwright inv", 1), "inverse\n");
  EXPECT_TRUE(has(complete("linkwright inverse puma5", 2), "puma560"));
  EXPECT_EQ(complete("linkwright inverse puma560 --qd", 3), "--qd --qdd\n");
  EXPECT_EQ(complete("linkwright regressor puma560 --parameters \"\"", 4), "full base\n");
}

}  // namespace usage_test
}  // namespace lw::test
