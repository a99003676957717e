#include "banner.hpp"

#include <fmt/format.h>

#include "../base/text.hpp"
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

std::vector<std::string> banner(const Program& program) {
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
  lines.emplace_back();
  for (std::size_t k = 0; k < program.kept.size(); ++k) {
    add(fmt::format("p[{}] is {} ({} in the source)", k, program.kept[k], shortest(program.kept_values.at(k))));
  }
  if (!program.kept.empty()) lines.emplace_back();
  for (const Function& f : program.functions) {
    add(fmt::format("{}: {}", symbol(program, f), described(cost(f))));
  }
  if (!program.notes.empty()) lines.emplace_back();
  for (const std::string& note : program.notes) add(note);
  lines.emplace_back();
  add("SI units, radians; matrices by columns. Arguments must not overlap results.");
  add("Made by " + generator() + ". The output is the user's own; no licence is attached.");
  return lines;
}

std::vector<std::string> banner_with_names(const Program& program) {
  std::vector<std::string> lines = banner(program);
  const std::vector<const Meaning*> quantities = named_quantities(program);
  if (quantities.empty()) return lines;
  lines.emplace_back();
  lines.emplace_back("omega2_x: component x of omega of link 2, in the axes of that link; minus_omega2_x: its negative.");
  for (const Meaning* m : quantities) {
    std::string unit = m->unit;
    for (std::size_t at; (at = unit.find("²")) != std::string::npos;) unit.replace(at, std::string("²").size(), "^2");
    lines.push_back(fmt::format("  {:<6} {}{}", m->quantity, m->words, unit.empty() ? "" : " (" + unit + ")"));
  }
  for (const std::string& remark : remarks(quantities, "c")) lines.push_back(remark);
  return lines;
}

}  // namespace lw
