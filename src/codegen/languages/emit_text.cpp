#include "emit_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "../text/banner.hpp"
#include "../text/unicode_notation.hpp"

namespace lw {
namespace {

constexpr std::size_t kTextWidth = 110;

std::string groups(const std::vector<Group>& of, const UnicodeNotation& notation,
                   const std::vector<std::string>& kept) {
  std::vector<std::string> texts;
  for (const Group& g : of) {
    if (g.name == "p" && g.size == kept.size()) {  // by their names
      texts.insert(texts.end(), kept.begin(), kept.end());
      continue;
    }
    texts.push_back(g.rows == 0
                        ? fmt::format("{} ({})", notation.symbol({g.name, {}, {}}), g.size)
                        : fmt::format("{} ({}×{})", notation.symbol({g.name, {}, {}}), g.rows, g.size / g.rows));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// An equation with its left side padded to a width, and its terms on as many lines as needed.
std::string written(const Equation& e, std::size_t left, const UnicodeNotation& notation) {
  const std::string name = notation.symbol(e.left);
  std::string text = "  " + std::string(left - display_width(name), ' ') + name + " = ";
  const std::string margin(left + 5, ' ');
  if (!e.step.empty()) {
    bool first = true;
    for (const std::string& line : wrap(e.step, kTextWidth - left))
      text += (first ? "" : margin) + line + "\n", first = false;
    return text;
  }
  std::size_t column = left + 5;
  bool first = true;
  for (const Equation::Term& t : e.right) {
    std::string term = first ? (t.negative ? "−" : "") + t.text : (t.negative ? "− " : "+ ") + t.text;
    const std::size_t width = display_width(term);
    if (!first && column + 1 + width > kTextWidth) {
      text += "\n" + margin + "  " + term;
      column = margin.size() + 2 + width;
    } else {
      text += (first ? "" : " ") + term;
      column += width + 1;
    }
    first = false;
  }
  return text + "\n";
}

std::string heading(const Section& s, const UnicodeNotation& notation) {
  if (s.quantity.empty()) return "Sines and cosines";
  std::string words;
  if (const Meaning* m = meaning(s.quantity)) words = m->words;
  const std::string link = s.body.empty() || s.quantity == "p" ? "" : fmt::format("Link {}, ", s.body);
  if (words.empty()) return link + notation.symbol({s.quantity, s.body, {}});
  if (link.empty()) words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return link + words;
}

}  // namespace

std::vector<Artefact> emit_text(const Program& program) {
  const UnicodeNotation notation;
  std::string text;
  for (const std::string& line : banner(program, {.language = "text"})) text += line + "\n";

  const std::vector<const Function*> functions = with_called(program);
  std::vector<Equations> equations;
  std::set<const Meaning*> quantities;
  bool sums = false;
  for (const Function* f : functions) {
    equations.emplace_back(*f, notation, program.kept);
    sums = sums || equations.back().has_angle_sums();
    for (const Meaning* m : equations.back().quantities()) quantities.insert(m);
  }
  Table table;
  for (const Meaning* m : quantities) table.add({notation.symbol({m->quantity, {}, {}}), m->words, m->unit});
  text += "\nNotation\n" + table.str();
  text += "\n  ω₂ˣ is component x of ω of link 2, in the axes of that link";
  text += sums ? "; s₂₃ = sin(q₂ + q₃), c₂₃ = cos(q₂ + q₃).\n" : ".\n";
  for (const std::string& line : wrap(chosen_frames(program), kTextWidth - 2))
    text += line.empty() ? "" : "  " + line + "\n";
  for (const std::string& remark : remarks({quantities.begin(), quantities.end()}, "′")) text += "  " + remark + "\n";
  text += "  Numbers are rounded to twelve digits here; the code has them exactly.\n";

  for (std::size_t k = 0; k < functions.size(); ++k) {
    const Function& f = *functions[k];
    const std::string line = fmt::format("{}: {} from {}", title(f), groups(f.outputs(), notation, {}),
                                         groups(f.inputs(), notation, program.kept));
    text += "\n\n" + line + "\n";
    for (std::size_t n = 0; n < display_width(line); ++n) text += "─";
    text += "\n" + described(cost(f)) + "\n";
    for (const Section& s : equations[k].sections()) {
      text += "\n" + heading(s, notation) + "\n";
      std::size_t left = 0;
      for (const Equation& e : s.equations) left = std::max(left, display_width(notation.symbol(e.left)));
      for (const Equation& e : s.equations) text += written(e, left, notation);
    }
  }
  return {{program.name + ".txt", text}};
}

}  // namespace lw
