#include "verify_page.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/svg.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../draw/picture.hpp"

namespace lw::cli {
namespace {

using Verdict = VerificationCheck::Verdict;

constexpr const char* kVerifyStyle = R"(
:root { --ink: #1d2430; --soft: #5d6878; --page: #ffffff; --panel: #f5f7fa; --line: #dde3ea; --good: #1a7f4b; --bad: #c0262d; --open: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --page: #14181f; --panel: #1c222c; --line: #323b48;
  --good: #4fc38a; --bad: #ff7b7b; --open: #d9a93a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 40px 28px 80px; }
h1 { font-size: 27px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 38px 0 6px; }
p { margin: 4px 0 12px; max-width: 80ch; }
.soft, small { color: var(--soft); }
.head { display: flex; gap: 28px; align-items: flex-start; }
.head > div { flex: 1; } .head svg { width: 300px; height: auto; color: inherit; }
.verdict { display: inline-block; margin: 14px 0; padding: 8px 18px; border-radius: 8px; font-weight: 700; font-size: 18px; border: 2px solid; }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 18px; margin: 8px 0; font-size: 14px; }
dt { color: var(--soft); } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; margin: 6px 0 18px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--ink); padding: 5px 12px 5px 0; }
td { vertical-align: top; border-bottom: 1px solid var(--line); padding: 5px 14px 5px 0; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.mark { white-space: nowrap; font-weight: 600; }
figure { margin: 10px 0 24px; } figure svg { color: inherit; max-width: 100%; height: auto; }
@media print { main { max-width: none; padding: 0; } tr, figure { break-inside: avoid; } body { font-size: 11px; } }
)";

std::string small_number(double x) {
  if (x == 0.0) return "0";
  return x >= 0.01 && x < 1e4 ? fmt::format("{:.2g}", x) : fmt::format("{:.1e}", x);
}

std::string verify_table(const std::vector<VerificationCheck>& checks, const std::string& group) {
  std::string rows;
  for (const VerificationCheck& c : checks) {
    if (c.group != group) continue;
    const bool skipped = c.verdict == Verdict::skipped, good = c.verdict == Verdict::passed;
    const bool measured = !skipped && std::isfinite(c.worst);
    const std::string mark = skipped ? "<span class='open'>– skipped</span>"
                             : good  ? "<span class='good'>✓ passed</span>"
                                     : "<span class='bad'>✗ failed</span>";
    rows += fmt::format(
        "<tr><td>{}{}</td><td class='number'>{}</td><td class='number'>{}</td><td class='soft'>{}</td><td "
        "class='soft'>{}</td>"
        "<td class='mark'>{}</td></tr>\n",
        escape_xml(c.name), c.note.empty() ? "" : "<br><small>" + escape_xml(c.note) + "</small>",
        measured ? small_number(c.worst) : "", measured ? small_number(c.allowed) : "", escape_xml(c.unit),
        escape_xml(c.why), mark);
  }
  return "<table><tr><th>what</th><th class='number'>deviation</th><th class='number'>at "
         "most</th><th>unit</th><th>what the limit means</th><th>verdict</th></tr>\n" +
         rows + "</table>\n";
}

std::string energy_figure(const EnergyCourse& e) {
  if (e.t.empty()) return {};
  Plot energy{"",           "time (s)",
              "energy (J)", {{"kinetic", e.t, e.kinetic, {}, 0}, {"potential, change", e.t, e.potential, {}, 1}},
              860,          210};
  Plot rest{"", "time (s)", "residual (J)", {{"not accounted for", e.t, e.residual, {}, 5}}, 860, 170};
  return "<h2>Energy of a free motion</h2>\n<figure>" + to_svg_stack({energy, rest}, "") + "</figure>\n";
}

std::string order_figure(const std::vector<ConvergenceCurve>& curves) {
  if (curves.empty()) return {};
  Plot p{"", "log₁₀ of the step (s)", "log₁₀ of the error", {}, 860, 380};
  for (const ConvergenceCurve& c : curves) {
    Series s{fmt::format("{}: {:.2f}", c.integrator, c.measured), {}, {}, Series::Look::line, -1};
    for (std::size_t k = 0; k < c.step.size(); ++k) {
      if (!(c.error[k] > 0.0) || !(c.error[k] < 10.0)) continue;
      s.x.push_back(std::log10(c.step[k]));
      s.y.push_back(std::log10(c.error[k]));
    }
    p.series.push_back(std::move(s));
  }
  return "<h2>Error of integrators over the step</h2>\n<p class='soft'>At the end of a free motion, of the largest "
         "coordinate or "
         "velocity. The slope of a line is the method's order.</p>\n<figure>" +
         to_svg(p) + "</figure>\n";
}

}  // namespace

std::string verify_page(const VerifyPage& page) {
  const VerificationReport& r = page.report;
  const auto count = [&](Verdict v) {
    return static_cast<std::size_t>(std::ranges::count(r.checks, v, &VerificationCheck::verdict));
  };
  std::string drawing;
  try {
    drawing = picture(page.mechanism, page.model, page.model.home);
  } catch (const Error&) {
    // it has no shapes
  }
  std::string verdict = counted(count(Verdict::failed), "check") + " failed";
  if (r.passed() && count(Verdict::skipped) == 0)
    verdict = "all checks passed";
  else if (r.passed())
    verdict = fmt::format("{} passed, {} skipped", counted(count(Verdict::passed), "check"), count(Verdict::skipped));
  std::string out = fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width'>\n"
      "<title>Verification of {0}</title>\n<style>{1}</style></head>\n<body><main>\n<div class='head'><div>\n"
      "<h1>Verification of {0}</h1>\n<p class='soft'>{2}</p>\n<div class='verdict {3}'>{4}</div>\n",
      escape_xml(page.model.name), kVerifyStyle, escape_xml(page.mechanism.summary), r.passed() ? "good" : "bad",
      verdict);
  const auto row = [&](const char* name, const std::string& value) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_xml(value));
  };
  out += "<dl>\n";
  row("model", page.source);
  for (const std::string& change : page.changes) row("changed by", change);
  row("degrees of freedom", std::to_string(mobility(page.model).dof));
  row("checks", fmt::format("{} passed, {} failed, {} skipped", count(Verdict::passed), count(Verdict::failed),
                            count(Verdict::skipped)));
  row("random states", fmt::format("{}, seed {}", page.states, page.seed));
  row("program", "linkwright " LINKWRIGHT_VERSION);
  row("date", fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr))));
  out += "</dl></div>\n" + drawing + "</div>\n";
  std::vector<std::string> groups;
  for (const VerificationCheck& c : r.checks) {
    if (std::ranges::find(groups, c.group) == groups.end()) groups.push_back(c.group);
  }
  for (const std::string& group : groups) {
    std::string title = group;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    out += fmt::format("<h2>{}</h2>\n{}", title, verify_table(r.checks, group));
  }
  return out + energy_figure(r.energy) + order_figure(r.convergence) + "</main></body></html>\n";
}

}  // namespace lw::cli
