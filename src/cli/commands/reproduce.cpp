#include "../commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../../reproduce/experiments.hpp"
#include "../../../reproduce/report.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../frame/terminal.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

Json to_json(const reproduce::Numbers& n) {
  if (n.columns > 0) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < n.values.size(); i += n.columns) {
      rows.push_back(std::vector<double>(n.values.begin() + static_cast<std::ptrdiff_t>(i),
                                         n.values.begin() + static_cast<std::ptrdiff_t>(i + n.columns)));
    }
    return rows;
  }
  if (n.values.empty()) return nullptr;
  return n.values.size() == 1 ? Json(n.values[0]) : Json(n.values);
}

Json to_json(const reproduce::Row& r) {
  return {{"id", r.id},
          {"thesis", r.thesis},
          {"experiment", r.experiment},
          {"quantity", r.quantity},
          {"source", r.source.where},
          {"reference", to_string(r.source.reference)},
          {"published", to_json(r.published)},
          {"computed", to_json(r.computed)},
          {"tolerance", r.tolerance},
          {"relative", r.relative},
          {"unit", r.unit},
          {"deviation", r.deviation},
          {"verdict", to_string(r.verdict)},
          {"note", r.note}};
}

Style style_of(reproduce::Verdict v) {
  switch (v) {
    case reproduce::Verdict::reproduced:
    case reproduce::Verdict::beaten: return Style::good;
    case reproduce::Verdict::misprint: return Style::warning;
    case reproduce::Verdict::not_reproducible: return Style::faint;
    case reproduce::Verdict::failed: return Style::error;
  }
  return Style::faint;
}

std::string summary(const std::vector<reproduce::Experiment>& experiments) {
  const std::vector<std::size_t> counts = reproduce::count_verdicts(experiments);
  std::string text;
  for (const reproduce::Verdict v :
       {reproduce::Verdict::reproduced, reproduce::Verdict::misprint, reproduce::Verdict::beaten,
        reproduce::Verdict::not_reproducible, reproduce::Verdict::failed}) {
    const std::size_t n = counts[static_cast<std::size_t>(v)];
    if (n == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, to_string(v));
    if (v != reproduce::Verdict::reproduced) continue;
    const std::vector<std::size_t> of = reproduce::count_references(experiments);
    text += fmt::format(" ({} printed, {} recomputed, {} properties)", of[0], of[1], of[2]);
  }
  return text.empty() ? "nothing to compare" : text;
}

void print_text(const std::vector<reproduce::Thesis>& chosen, const std::vector<reproduce::Experiment>& experiments) {
  for (const reproduce::Thesis& t : chosen) {
    fmt::print("{}\n  {}, {}\n", styled(fmt::format("{} {}", t.author, t.year), Style::heading, stdout), t.title,
               t.place);
    bool any = false;
    for (const reproduce::Experiment& e : experiments) {
      if (e.thesis != t.id) continue;
      any = true;
      fmt::print("\n  {}\n", e.title);
      for (const reproduce::Row& r : e.rows) {
        const std::string verdict = to_string(r.verdict);
        const std::string mark =
            r.source.reference == reproduce::Reference::printed
                ? ""
                : styled(fmt::format(" [{}]", to_string(r.source.reference)), Style::faint, stdout);
        fmt::print("    {}{} {}{}\n", styled(verdict, style_of(r.verdict), stdout),
                   std::string(17 - verdict.size(), ' '), r.quantity, mark);
        if (r.verdict == reproduce::Verdict::failed)
          fmt::print("{:22}deviation {:.3g}, tolerance {:.3g}: {}\n", "", r.deviation, r.tolerance, r.id);
        if (r.is_timed) {
          const std::string line = fmt::format("Error {:.1e}, tolerance {:g}. {}", r.deviation, r.tolerance, r.note);
          for (const std::string& part : wrap(line, 74)) fmt::print("{:22}{}\n", "", part);
        }
        if (r.verdict != reproduce::Verdict::reproduced && r.verdict != reproduce::Verdict::failed) {
          for (const std::string& line : wrap(r.note, 74)) fmt::print("{:22}{}\n", "", line);
        }
      }
    }
    if (!any) fmt::print("\n  {}\n", t.missing);
    fmt::print("\n");
  }
  fmt::print("{}\n", summary(experiments));
}

int run_reproduce(const Arguments& arguments) {
  require_ending(arguments, "--out", "HTML", ".html");
  const std::string wanted = arguments.text("THESIS", "all");
  std::vector<reproduce::Thesis> chosen;
  for (const reproduce::Thesis& t : reproduce::theses()) {
    if (wanted == "all" || wanted == t.id) chosen.push_back(t);
  }
  const std::vector<reproduce::Experiment> experiments = reproduce::run_experiments(wanted, arguments.has("--long"));

  for (const reproduce::Thesis& t : chosen) {
    const bool any = std::any_of(experiments.begin(), experiments.end(),
                                 [&](const reproduce::Experiment& e) { return e.thesis == t.id; });
    if (!any && !arguments.quiet())
      say(fmt::format("note: {} {} has no experiment yet; nothing was rerun", t.author, t.year));
  }
  if (arguments.has("--out")) {
    write_file(arguments.text("--out"), reproduce::html_report(chosen, experiments));
    if (!arguments.quiet()) say("report written to " + arguments.text("--out"));
  }
  if (arguments.json()) {
    Json json{{"experiments", Json::array()}};
    for (const reproduce::Experiment& e : experiments) {
      for (const reproduce::Row& r : e.rows) json["experiments"].push_back(to_json(r));
    }
    print_json(json);
  } else {
    print_text(chosen, experiments);
  }
  return reproduce::count_verdicts(experiments)[static_cast<std::size_t>(reproduce::Verdict::failed)] == 0
             ? kOk
             : kCheckFailed;
}

}  // namespace

Command reproduce_command() {
  Command c;
  c.name = "reproduce";
  c.summary = "reruns the experiments of the theses and published benchmarks, and compares results";
  c.description =
      "Recomputes the published results of the theses behind this program. Every row gets a verdict: reproduced; "
      "misprint, if the printed value is wrong and ours is verified by another method; beaten; not-reproducible, if "
      "data are lost or contradictory; or failed, with exit code 1. [recomputed] marks a reference that the thesis "
      "does not print, computed from its data by an independent program. [property] marks a property that the thesis "
      "claims or that must hold, measured by us.\n\n`field` runs the "
      "benchmarks of multibody dynamics (IFToMM A01 to A05, Test Set for IVP Solvers, heavy top, dry friction): error, "
      "time, and the times that others have published.";
  c.examples = {"linkwright reproduce wong", "linkwright reproduce all --out report.html", "linkwright reproduce field",
                "linkwright reproduce twu --json"};
  std::vector<std::string> names;
  for (const reproduce::Thesis& t : reproduce::theses()) names.push_back(t.id);
  names.push_back("all");
  c.positionals = {{"THESIS", "the experiments to rerun (default: all)", false, names}};
  c.options = {flag_option("--long", "also experiments that take more than a few seconds"),
               text_option("--out", "FILE.html", "also writes a report with tables and plots", "Output"),
               json_option()};
  c.run = run_reproduce;
  return c;
}

}  // namespace lw::cli
