#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lw::reproduce {
namespace {

constexpr std::array<Verdict, 5> kVerdicts{Verdict::reproduced, Verdict::misprint, Verdict::beaten,
                                           Verdict::not_reproducible, Verdict::failed};
constexpr std::array<const char*, 5> kMeanings{
    "agrees with the published value within the tolerance",
    "the print is wrong; ours is verified by another method, named in the note", "a cost or a speed, bettered",
    "data are lost, or the print contradicts itself; the note says which", "a defect of ours"};

constexpr const char* kStyle = R"(
:root { --ink: #1d2430; --soft: #5d6878; --page: #ffffff; --panel: #f5f7fa; --line: #dde3ea;
  --reproduced: #1a7f4b; --misprint: #9a6200; --beaten: #0b66b3; --not-reproducible: #6b7280; --failed: #c0262d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --page: #14181f; --panel: #1c222c; --line: #323b48;
  --reproduced: #4fc38a; --misprint: #e0a83e; --beaten: #62b0f0; --not-reproducible: #9aa5b4; --failed: #ff7b7b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 80px; }
h1 { font-size: 27px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 20px; margin: 56px 0 2px; padding-top: 18px; border-top: 2px solid var(--ink); }
h3 { font-size: 16px; margin: 34px 0 4px; }
p { margin: 4px 0 12px; max-width: 80ch; }
.soft { color: var(--soft); }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 22px 0 8px; padding: 0; list-style: none; }
.cards li { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 10px 16px; min-width: 150px; flex: 1; }
.cards b { display: block; font-size: 25px; font-variant-numeric: tabular-nums; }
.cards small { color: var(--soft); line-height: 1.3; display: block; }
nav a { margin-right: 18px; color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 8px 0 18px; }
th { text-align: left; font-weight: 600; color: var(--soft); border-bottom: 1px solid var(--ink); padding: 5px 10px 5px 0; white-space: nowrap; }
td { vertical-align: top; border-bottom: 1px solid var(--line); padding: 7px 12px 7px 0; }
td.what { min-width: 210px; } td.note { min-width: 190px; color: var(--soft); }
td.number { font: 12px/1.45 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; white-space: pre; font-variant-numeric: tabular-nums; }
td small { color: var(--soft); display: block; }
mark { background: none; color: var(--misprint); font-weight: 700; }
.badge { border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; font-size: 11px; white-space: nowrap; }
.verdict { font-weight: 600; white-space: nowrap; }
.reproduced { color: var(--reproduced); } .misprint { color: var(--misprint); } .beaten { color: var(--beaten); }
.not-reproducible { color: var(--not-reproducible); } .failed { color: var(--failed); }
details > summary { cursor: pointer; list-style: none; text-decoration: underline dotted; }
figure { margin: 14px 0 24px; } figure svg { color: inherit; max-width: 100%; height: auto; }
@media print { main { max-width: none; padding: 0; } h2 { break-before: page; } tr, figure { break-inside: avoid; } body { font-size: 11px; } }
)";

// What is left of a zero after rounding is shown as the zero that it is.
std::string number(double x, double largest) {
  return fmt::format("{:.10g}", std::abs(x) <= 1e-14 * largest ? 0.0 : x);
}

// 1e-9 rather than 1e-09
std::string short_number(double x, const char* format) {
  std::string text = fmt::format(fmt::runtime(format), x);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos || exponent + 2 >= text.size() || text[exponent + 2] != '0') return text;
  text.erase(exponent + 2, 1);
  return text;
}

// One a line, decimal points below each other.
std::string column(const std::vector<double>& values, double largest) {
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (const double v : values) {
    const std::string text = number(v, largest);
    widest = std::max(widest, std::min(text.find('.'), text.size()));
    lines.push_back(text);
  }
  std::string out;
  for (const std::string& line : lines) {
    const std::size_t point = std::min(line.find('.'), line.size());
    if (!out.empty()) out += '\n';
    out.append(widest - point, ' ');
    out += line;
  }
  return out;
}

// The entries in which a misprint differs by more than the tolerance; none where all do.
std::vector<bool> wrong_entries(const Row& r) {
  std::vector<bool> wrong(r.published.values.size(), false);
  if (r.verdict != Verdict::misprint || r.computed.values.size() != wrong.size()) return wrong;
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    const double size = r.relative ? std::abs(r.published.values[k]) : r.units.empty() ? 1.0 : r.units[k];
    wrong[k] =
        std::abs(r.published.values[k] - r.computed.values[k]) > r.tolerance * size + 1e-14 * magnitude(r.published);
  }
  if (std::find(wrong.begin(), wrong.end(), false) == wrong.end()) wrong.assign(wrong.size(), false);
  return wrong;
}

// Numbers with blanks between them, some of them marked.
std::string with_marks(const std::string& text, const std::vector<bool>& marked) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t k = 0; k < marked.size(); ++k) {
    const std::size_t begin = text.find_first_not_of(" \n", at),
                      end = std::min(text.find_first_of(" \n", begin), text.size());
    out += text.substr(at, begin - at);
    const std::string number = text.substr(begin, end - begin);
    out += marked[k] ? "<mark>" + number + "</mark>" : number;
    at = end;
  }
  return out + text.substr(at);
}

// A few numbers in the open; a large matrix folded away.
std::string numbers(const Numbers& n, const std::vector<bool>& marked) {
  if (n.values.empty()) return "–";
  std::string text;
  const std::size_t columns = n.columns > 0 ? n.columns : 1;
  if (n.columns == 0) {
    text = column(n.values, magnitude(n));
  } else {
    Table table;
    for (std::size_t i = 0; i < n.values.size(); i += columns) {
      std::vector<std::string> row;
      for (std::size_t j = 0; j < columns; ++j) row.push_back(number(n.values[i + j], magnitude(n)));
      table.add(std::move(row));
    }
    text = table.str(0);
    text.pop_back();
  }
  if (marked.size() == n.values.size()) text = with_marks(text, marked);
  constexpr std::size_t kOpen = 10;
  if (n.values.size() <= kOpen && columns == 1) return text;
  return fmt::format("<details><summary>{} numbers</summary>{}</details>", n.values.size(), text);
}

std::string badge(Reference reference) {
  return reference == Reference::printed ? "" : fmt::format(" <span class='badge'>{}</span>", to_string(reference));
}

std::string row_of(const Row& r) {
  const std::string tolerance = r.verdict == Verdict::not_reproducible ? "–"
                                : r.verdict == Verdict::beaten         ? "less"
                                : r.tolerance == 0.0                   ? "exact"
                                : r.unit.empty() ? short_number(r.tolerance, "{:.2g}") + (r.relative ? " rel." : "")
                                                 : short_number(r.tolerance, "{:.2g}") + "\n" + escape_xml(r.unit);
  const std::string deviation = r.verdict == Verdict::not_reproducible ? "–"
                                : r.deviation == 0.0                   ? "0"
                                                                       : short_number(r.deviation, "{:.1e}");
  const char* verdict = to_string(r.verdict);
  return fmt::format(
      "<tr id='{}'><td class='what'>{}<small>{}</small></td><td class='number'>{}</td><td class='number'>{}</td><td "
      "class='number'>{}</td>"
      "<td class='number'>{}</td><td class='verdict {}'>{}</td><td class='note'>{}</td></tr>\n",
      escape_xml(r.id), escape_xml(r.quantity), escape_xml(r.source.where) + badge(r.source.reference),
      numbers(r.published, wrong_entries(r)), numbers(r.computed, wrong_entries(r)), deviation, tolerance, verdict,
      verdict, escape_xml(r.note));
}

std::string section(const Experiment& e) {
  std::string out = fmt::format("<h3 id='{}'>{}</h3>\n<p class='soft'>{}</p>\n", escape_xml(e.id), escape_xml(e.title),
                                escape_xml(e.about));
  for (const Plot& plot : e.plots) out += "<figure>" + to_svg(plot) + "</figure>\n";
  out +=
      "<div "
      "class='scroll'><table><thead><tr><th>quantity</th><th>reference</th><th>computed</th><th>deviation</"
      "th><th>tolerance</th>"
      "<th>verdict</th><th>note</th></tr></thead><tbody>\n";
  for (const Row& r : e.rows) out += row_of(r);
  return out + "</tbody></table></div>\n";
}

std::string counts_line(const std::vector<std::size_t>& counts) {
  std::string text;
  for (std::size_t k = 0; k < kVerdicts.size(); ++k) {
    if (counts[k] == 0) continue;
    text += fmt::format("{}<span class='verdict {}'>{} {}</span>", text.empty() ? "" : ", ", to_string(kVerdicts[k]),
                        counts[k], to_string(kVerdicts[k]));
  }
  return text;
}

}  // namespace

std::vector<std::size_t> count_verdicts(const std::vector<Experiment>& experiments) {
  std::vector<std::size_t> counts(kVerdicts.size(), 0);
  for (const Experiment& e : experiments) {
    for (const Row& r : e.rows) ++counts[static_cast<std::size_t>(r.verdict)];
  }
  return counts;
}

std::vector<std::size_t> count_references(const std::vector<Experiment>& experiments) {
  std::vector<std::size_t> counts(3, 0);
  for (const Experiment& e : experiments) {
    for (const Row& r : e.rows)
      counts[static_cast<std::size_t>(r.source.reference)] += r.verdict == Verdict::reproduced;
  }
  return counts;
}

std::string html_report(const std::vector<Thesis>& theses, const std::vector<Experiment>& experiments) {
  std::string out =
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta name='viewport' "
      "content='width=device-width, initial-scale=1'>\n"
      "<title>Linkwright: the theses, run again</title>\n<style>" +
      std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n";
  out +=
      "<h1>The theses, run again</h1>\n<p class='soft'>The numbers of the theses set against what Linkwright computes. "
      "Written "
      "by <code>linkwright reproduce</code>.</p>\n";
  const std::vector<std::size_t> counts = count_verdicts(experiments);
  out += "<ul class='cards'>\n";
  for (std::size_t k = 0; k < kVerdicts.size(); ++k) {
    const char* name = to_string(kVerdicts[k]);
    std::string meaning = kMeanings[k];
    if (kVerdicts[k] == Verdict::reproduced) {
      const std::vector<std::size_t> of = count_references(experiments);
      meaning = fmt::format("{} as printed, {} recomputed from the thesis's data, {} properties", of[0], of[1], of[2]);
    }
    out += fmt::format("<li><b class='{}'>{}</b>{}<small>{}</small></li>\n", name, counts[k], name, meaning);
  }
  out +=
      "</ul>\n<p class='soft'>Deviation: the largest difference over all entries; where the tolerance is relative, as "
      "a fraction of that entry; where a unit stands below it, in that. <span class='badge'>recomputed</span>: the "
      "thesis prints data and curves, not this "
      "number; the reference was computed from its data by a program of tests/oracles. <span "
      "class='badge'>property</span>: no number of the thesis, but what it claims or what must hold, measured by us; "
      "the reference is often 0, an error that should not be there.</p>\n<nav>";
  for (const Thesis& t : theses) out += fmt::format("<a href='#{}'>{} {}</a>", t.id, escape_xml(t.author), t.year);
  out += "</nav>\n";
  for (const Thesis& t : theses) {
    out += fmt::format("<h2 id='{}'>{}, {}</h2>\n<p><i>{}</i>, {}.</p>\n", t.id, escape_xml(t.author), t.year,
                       escape_xml(t.title), escape_xml(t.place));
    std::vector<Experiment> own;
    for (const Experiment& e : experiments) {
      if (e.thesis == t.id) own.push_back(e);
    }
    if (own.empty()) {
      out += fmt::format("<p class='soft'>{}</p>\n", escape_xml(t.missing));
      continue;
    }
    out += "<p>" + counts_line(count_verdicts(own)) + "</p>\n";
    for (const Experiment& e : own) out += section(e);
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace lw::reproduce
