#include "emit_dot.hpp"

#include <map>

#include <fmt/format.h>

#include "../text/banner.hpp"
#include "../text/lines.hpp"
#include "../text/unicode_notation.hpp"

namespace lw {
namespace {

// One colour per quantity, in order of appearance.
constexpr const char* kColours[] = {"#8ecae6", "#ffd166", "#a8dadc", "#f4a261", "#cdb4db",
                                    "#b5e48c", "#ffafcc", "#90be6d", "#e9c46a", "#bde0fe"};

std::string dot_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

class Drawing {
 public:
  Drawing(const Function& function, const std::vector<std::string>& kept)
      : function_(function), equations_(function, notation_, kept) {}
  std::string draw(const std::string& name, const std::string& caption);

 private:
  std::string node(const Equation& e);
  static std::string id(const Equation& e) {
    return e.result.has_value() && !e.defines ? fmt::format("r{}", *e.result) : fmt::format("n{}", e.node);
  }
  std::string colour(const std::string& quantity);

  const Function& function_;
  UnicodeNotation notation_;
  Equations equations_;
  std::map<std::string, std::size_t> colours_;
};

std::string Drawing::colour(const std::string& quantity) {
  const std::size_t k = colours_.try_emplace(quantity, colours_.size()).first->second;
  return kColours[k % std::size(kColours)];
}

std::string Drawing::node(const Equation& e) {
  const std::string label = notation_.symbol(e.left);
  const std::string formula = label + " = " + (e.step.empty() ? joined(e.right, notation_) : e.step);
  std::string look;
  if (e.result.has_value())
    look = "shape=box style=\"filled,rounded\" fillcolor=\"#1d3557\" color=\"#1d3557\" fontcolor=white";
  else if (is_auxiliary(e.left))
    look = "shape=circle width=0.25 fixedsize=false margin=0.01 fontsize=9 color=\"#adb5bd\" fillcolor=white";
  else
    look = fmt::format("fillcolor=\"{}\"", colour(e.left.quantity));
  return fmt::format("{} [label={} tooltip={} {}];\n", id(e), dot_quoted(label), dot_quoted(formula), look);
}

std::string Drawing::draw(const std::string& name, const std::string& caption) {
  std::string text = fmt::format(
      "digraph {} {{\n"
      "  graph [rankdir=LR newrank=true ranksep=0.45 nodesep=0.12 fontname=\"Helvetica\" fontsize=12 "
      "fontcolor=\"#495057\" labelloc=t\n"
      "         label={} pad=0.3 bgcolor=white outputorder=edgesfirst];\n"
      "  node [shape=box style=\"filled,rounded\" fontname=\"Helvetica\" fontsize=11 height=0.26 width=0.4 "
      "margin=\"0.06,0.02\"\n"
      "        color=\"#6c757d\" penwidth=0.6];\n"
      "  edge [color=\"#6c757d99\" arrowsize=0.4 penwidth=0.7];\n",
      dot_quoted(name), dot_quoted(caption));

  // Everything that belongs to a link is in one cluster, including its coordinates and their sines.
  std::map<std::string, std::string> clusters;  // nodes by link; "" for those of none
  for (const Section& s : equations_.sections()) clusters[s.body];
  const auto add = [&](const std::string& body, const std::string& node) {
    clusters[clusters.contains(body) ? body : std::string()] += "    " + node;
  };
  const Graph& graph = function_.graph();
  for (const NodeId id : function_.order()) {
    if (graph[id].op != Op::input) continue;
    const Symbol input = equations_.symbol_of(id);
    add(input.quantity == "p" ? "" : input.body,
        fmt::format("n{} [label={} fillcolor=\"#e9ecef\"];\n", id, dot_quoted(notation_.symbol(input))));
  }
  for (const Section& s : equations_.sections()) {
    for (const Equation& e : s.equations) add(s.quantity.empty() ? e.left.body : s.body, node(e));
  }
  for (const auto& [body, nodes] : clusters) {
    if (body.empty()) {
      text += nodes;
      continue;
    }
    text += fmt::format(
        "  subgraph \"cluster{0}\" {{\n    label=\"link {0}\"; labeljust=l; style=\"rounded,filled\"; "
        "color=\"#dee2e6\";"
        " fillcolor=\"#f8f9fa\"; fontsize=11;\n{1}  }}\n",
        body, nodes);
  }
  for (const Section& s : equations_.sections()) {
    for (const Equation& e : s.equations) {
      for (const NodeId from : e.reads) text += fmt::format("  n{} -> {};\n", from, id(e));
    }
  }
  return text + "}\n";
}

}  // namespace

std::vector<Artefact> emit_dot(const Program& program) {
  std::vector<Artefact> files;
  const std::string about = commented(banner(program, {.language = "dot"}), "//");
  for (const Function* f : with_called(program)) {
    const std::string name = symbol(program, *f);
    const std::string robot = program.robot.empty() ? program.name : program.robot;
    files.push_back({name + ".dot", about + Drawing(*f, program.kept).draw(name, robot + ": " + title(*f))});
  }
  return files;
}

}  // namespace lw
