#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../commands.hpp"
#include "../frame/progress.hpp"
#include "../frame/terminal.hpp"
#include "../io/model_input.hpp"
#include "../io/results.hpp"
#include "../report/verify_page.hpp"

namespace lw::cli {
namespace {

using Verdict = VerificationCheck::Verdict;

const char* verdict_name(Verdict v) {
  switch (v) {
    case Verdict::passed: return "passed";
    case Verdict::failed: return "failed";
    case Verdict::skipped: return "skipped";
  }
  return "";
}
Style verdict_style(Verdict v) {
  return v == Verdict::passed ? Style::good : v == Verdict::failed ? Style::error : Style::warning;
}

Json verify_json(const Arguments& arguments, const Model<double>& model, const VerificationReport& r) {
  Json json{{"model", model.name},
            {"dof", mobility(model).dof},
            {"ok", r.passed()},
            {"checks", Json::array()},
            {"orders", Json::array()}};
  for (const VerificationCheck& c : r.checks) {
    const bool skipped = c.verdict == Verdict::skipped;
    json["checks"].push_back({{"group", c.group},
                              {"name", c.name},
                              {"verdict", verdict_name(c.verdict)},
                              {"deviation", skipped || !std::isfinite(c.worst) ? Json(nullptr) : Json(c.worst)},
                              {"allowed", skipped ? Json(nullptr) : Json(c.allowed)},
                              {"unit", c.unit},
                              {"why", c.why},
                              {"note", c.note}});
    if (skipped) json["checks"].back()["reason"] = c.note;
  }
  for (const ConvergenceCurve& c : r.convergence) {
    json["orders"].push_back({{"integrator", c.integrator},
                              {"nominal", c.nominal},
                              {"measured", c.measured > 0.0 ? Json(c.measured) : Json(nullptr)},
                              {"step", c.step},
                              {"error", c.error}});
  }
  add_given(arguments, json);
  return json;
}

void print_checks(const VerificationReport& r) {
  std::size_t widest = 0;
  for (const VerificationCheck& c : r.checks) widest = std::max(widest, display_width(c.name));
  std::string group = "-";
  for (const VerificationCheck& c : r.checks) {
    if (c.group != group) fmt::print("\n{}\n", styled(c.group, Style::heading, stdout));
    group = c.group;
    const std::string verdict = verdict_name(c.verdict), blanks(widest - display_width(c.name), ' ');
    fmt::print("  {}{}  {}", styled(verdict, verdict_style(c.verdict), stdout), std::string(7 - verdict.size(), ' '),
               c.name);
    if (c.verdict == Verdict::skipped || !std::isfinite(c.worst)) {
      fmt::print("{}  {}\n", blanks, styled(c.note.empty() ? "is not a number" : c.note, Style::faint, stdout));
    } else {
      const bool failed = c.verdict == Verdict::failed;  // --json and the page have the others' words too
      const std::string told = failed || c.unit == "orders short" ? c.note : "";
      fmt::print("{}  {:7.1e} (at most {:.2g}) {}\n", blanks, c.worst, c.allowed,
                 styled(c.unit + (told.empty() ? "" : ", " + told), Style::faint, stdout));
      if (failed) fmt::print("           {}\n", styled("the limit: " + c.why, Style::faint, stdout));
    }
  }
}

int run_verify(const Arguments& arguments) {
  require_ending(arguments, "--out", "HTML", ".html");
  require_other_file(arguments, "--out", "MODEL");
  const LoadedModel loaded = load_model(arguments);
  const auto whole = [&](const char* option, double fallback, double least) {
    const double x = arguments.number(option, fallback);
    if (x != std::floor(x) || x < least || x > 1e6) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} needs an integer from {}, not `{}`", option, least, arguments.text(option)));
    }
    return x;
  };
  VerificationOptions options;
  options.states = static_cast<int>(whole("--states", options.states, 1));
  options.seed = static_cast<std::uint64_t>(whole("--seed", 1, 0));
  options.duration = arguments.number("--duration", options.duration);
  if (!(options.duration > 0.0)) throw Error(ErrorCode::usage, "--duration must be positive");
  options.compiled = !arguments.has("--no-compile");
  VerificationReport report;
  {
    Progress progress(arguments, loaded.model.name);
    options.progress = [&](double fraction, const std::string& what) { progress.at(fraction, what); };
    report = verify_mechanism(loaded.mechanism, options);
  }
  if (arguments.has("--out")) {
    std::vector<std::string> changes;
    for (const char* option : {"--set", "--payload"}) {
      for (const std::string& value : arguments.texts(option)) changes.push_back(std::string(option) + " " + value);
    }
    write_file(arguments.text("--out"), verify_page({loaded.mechanism, loaded.model, report, options.states,
                                                     options.seed, arguments.text("MODEL"), changes}));
    if (!arguments.quiet()) say("page written to " + arguments.text("--out"));
  }
  if (arguments.json()) {
    print_json(verify_json(arguments, loaded.model, report));
  } else {
    const auto count = [&](Verdict v) { return std::ranges::count(report.checks, v, &VerificationCheck::verdict); };
    fmt::print("{}: {} random states, runs of {:.6g} s\n", loaded.model.name, options.states, options.duration);
    print_checks(report);
    fmt::print("\n{}: {} passed, {} failed, {} skipped\n",
               report.passed() ? styled("ok", Style::good, stdout) : styled("failed", Style::error, stdout),
               count(Verdict::passed), count(Verdict::failed), count(Verdict::skipped));
  }
  return report.passed() ? kOk : kCheckFailed;
}

}  // namespace

Command verify_command() {
  Command c =
      dynamics_command({number_option("--states", "N", "number of random states; default: 50"),
                        number_option("--seed", "N", "seed of the random states; default: 1"),
                        number_option("--duration", "SECONDS", "of the runs; default: 1"),
                        flag_option("--no-compile", "omits compiled code"),
                        text_option("--out", "FILE.html", "also writes a page with plots to this file", "Output")});
  c.name = "verify";
  c.summary = "cross-checks every result of a mechanism by an independent method";
  c.description =
      "Computes the dynamics of a mechanism by independent methods and measures how far they differ: every formulation "
      "that can describe it at random states, forward dynamics inserted into inverse dynamics, compiled code, "
      "derivatives against dual numbers, power against energy; along a run, the torques recomputed from the motion and "
      "the unaccounted energy; and the order of the integrators on this mechanism. If a deviation exceeds its limit, "
      "the check has failed and the exit code is 1. A check that cannot be made for this mechanism is skipped with a "
      "reason, which is not a failure.";
  c.examples = {"linkwright verify double-pendulum", "linkwright verify puma560 --out puma560.html",
                "linkwright verify stanford --states 20 --no-compile --json"};
  c.run = run_verify;
  return c;
}

}  // namespace lw::cli
