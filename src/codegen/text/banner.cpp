#include "banner.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../../base/text.hpp"
#include "equations.hpp"
#include "statements.hpp"

namespace lw {

std::string generator() { return "Linkwright " LINKWRIGHT_VERSION; }

std::string described(const FunctionCost& cost) {
  const OperationCount& o = cost.operations;
  std::string text;
  const auto add = [&](std::int64_t n, const char* singular, const char* plural) {
    if (n > 0) text += (text.empty() ? "" : ", ") + counted(static_cast<std::size_t>(n), singular, plural);
  };
  add(o.multiplications, "multiplication", "multiplications");
  add(o.additions, "addition", "additions");
  add(o.divisions, "division", "divisions");
  add(o.roots, "root", "roots");
  add(o.trigonometric, "trigonometric function", "trigonometric functions");
  add(o.comparisons, "comparison", "comparisons");
  return text.empty() ? "no operations" : fmt::format("{}; longest path {}", text, cost.depth);
}

namespace {

// In ASCII, which every compiler reads.
std::string plain(std::string unit) {
  for (const auto& [from, to] : {std::pair<std::string, const char*>("²", "^2"), {"·", " "}}) {
    for (std::size_t at; (at = unit.find(from)) != std::string::npos;) unit.replace(at, from.size(), to);
  }
  return unit;
}

// [0], [0-5]: indices of a vector, counted as in the language.
std::string places(std::size_t first, std::size_t last, const Form& form) {
  const bool from_zero = form.language == "c" || form.language == "c++" || form.language == "python";
  const auto number = [&](std::size_t k) { return std::to_string(from_zero ? k : k + 1); };
  const std::string both =
      first == last ? number(first) : number(first) + (form.language == "fortran" ? ":" : "-") + number(last);
  return form.language == "fortran" ? "(" + both + ")" : "[" + both + "]";
}

// "[0-2] x, y, z (m); [3] elbow (rad)"
std::string listed(const std::vector<Entry>& entries, const Form& form) {
  std::string text;
  for (std::size_t first = 0, end = 0; first < entries.size(); first = end) {
    while (end < entries.size() && entries[end].unit == entries[first].unit) ++end;
    text += (first == 0 ? "" : "; ") + places(first, end - 1, form);
    for (std::size_t k = first; k < end; ++k) {
      // link1.m, .mx, .my: an equal prefix is not repeated
      const std::string& name = entries[k].name;
      const std::size_t point = name.rfind('.');
      const bool again = k > first && point != std::string::npos && point > 0 &&
                         entries[k - 1].name.compare(0, point + 1, name, 0, point + 1) == 0;
      text += (k == first ? " " : ", ") + (again ? name.substr(point) : name);
    }
    if (!entries[first].unit.empty()) text += " (" + plain(entries[first].unit) + ")";
  }
  return text;
}

// If an earlier group has the same names, only units are given.
std::string described(const Program& program, const Contents& c, const Form& form) {
  std::string text = c.group + (c.function.empty() ? "" : " of " + c.function) + ": " + c.words;
  if (c.entries.empty()) return text;
  for (const Contents& before : program.contents) {
    if (before.group == c.group) break;
    const auto same_name = [](const Entry& a, const Entry& b) { return a.name == b.name; };
    if (!std::equal(before.entries.begin(), before.entries.end(), c.entries.begin(), c.entries.end(), same_name))
      continue;
    std::vector<std::string> units;
    for (const Entry& e : c.entries) {
      if (std::find(units.begin(), units.end(), e.unit) == units.end()) units.push_back(e.unit);
    }
    return fmt::format("{}, in the order of {} ({})", text, before.group,
                       plain(fmt::format("{}", fmt::join(units, ", "))));
  }
  return text + ": " + listed(c.entries, form);
}

// What callers must know in this language.
std::string conventions(const Form& form) {
  if (form.language == "c" || form.language == "c++") {
    return "SI units, radians; matrices by columns. Arguments must not overlap results.";
  }
  if (form.language == "fortran") return "SI units, radians; matrices as vectors, by columns.";
  return "SI units, radians.";
}

}  // namespace

std::vector<std::string> banner(const Program& program, const Form& form) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& text) {
    bool first = true;
    for (const std::string& line : wrap(text, 112)) {
      lines.push_back((first ? "" : "  ") + line);
      first = false;
    }
  };
  add("Dynamics of " + (program.robot.empty() ? program.name : program.robot));
  if (!program.source.empty()) add("Source: " + program.source);
  if (!program.options.empty()) {
    std::string text = "Options:";
    for (const auto& [name, value] : program.options) text += " " + name + (value.empty() ? "" : " " + value);
    add(text);
  }
  for (const std::string& what : program.left_out) add("Left out: " + what);
  lines.emplace_back();
  for (std::size_t k = 0; k < program.kept.size(); ++k) {
    // in text for readers they appear by their names
    const std::string what = is_to_read(form) ? "parameter " : fmt::format("p{} is ", places(k, k, form));
    add(fmt::format("{}{} ({} in this mechanism)", what, program.kept[k], shortest(program.kept_values.at(k))));
  }
  if (!program.kept.empty()) lines.emplace_back();
  for (const Contents& c : program.contents) {
    if (c.group != "p" && !(c.words.empty() && c.entries.empty())) add(described(program, c, form));
  }
  if (!program.contents.empty()) lines.emplace_back();
  for (const Function& f : program.functions) {
    add(fmt::format("{}: {}", symbol(program, f, form), described(cost(f))));
  }
  if (!program.notes.empty()) lines.emplace_back();
  for (const std::string& note : program.notes) add(note);
  lines.emplace_back();
  add(conventions(form));
  if (form.single_precision) add("Single precision (float).");
  add("Made by " + generator() + ". The output is the user's own; no licence is attached.");
  return lines;
}

std::vector<std::string> banner_with_names(const Program& program, const Form& form) {
  std::vector<std::string> lines = banner(program, form);
  const std::vector<const Meaning*> quantities = named_quantities(program);
  if (quantities.empty()) return lines;
  lines.emplace_back();
  lines.emplace_back(
      "omega2_x: component x of omega of link 2, in the axes of that link; minus_omega2_x: its negative.");
  if (const std::string frames = chosen_frames(program); !frames.empty()) {
    for (const std::string& line : wrap(frames, 112)) lines.push_back(line);
  }
  for (const Meaning* m : quantities) {
    const std::string unit = plain(m->unit);
    lines.push_back(fmt::format("  {:<6} {}{}", m->quantity, m->words, unit.empty() ? "" : " (" + unit + ")"));
  }
  for (const std::string& remark : remarks(quantities, "c")) lines.push_back(remark);
  return lines;
}

}  // namespace lw
