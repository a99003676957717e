#include "emit_latex.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../text/banner.hpp"
#include "../text/equations.hpp"
#include "../text/greek.hpp"

namespace lw {
namespace {

constexpr double kLatexWidth = 82.0;  // characters of mathematics in a line of 165 mm

// Text with LaTeX's special characters escaped.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\': result += "\\textbackslash{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '<': result += "\\textless{}"; break;
      case '>': result += "\\textgreater{}"; break;
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}': result += '\\'; [[fallthrough]];
      default: result += c;
    }
  }
  return result;
}

class LatexNotation : public Notation {
 public:
  std::string number(double value) const override {
    if (!std::isfinite(value)) return std::isnan(value) ? "\\mathrm{NaN}" : value > 0.0 ? "\\infty" : "(-\\infty)";
    std::string text = fmt::format("{:.6g}", value);
    const std::size_t e = text.find('e');
    if (e != std::string::npos) {
      const std::string mantissa = text.substr(0, e);
      text = fmt::format("{}10^{{{}}}", mantissa == "1" ? "" : mantissa + " \\cdot ", std::stoi(text.substr(e + 1)));
    }
    return value < 0.0 ? "(" + text + ")" : text;
  }
  std::string symbol(const Symbol& s) const override {
    if (s.is_users) return "\\mathtt{" + escaped(s.quantity) + "}";
    std::string base;
    if (const Meaning* m = meaning(s.quantity))
      base = m->latex;
    else if (greek(s.quantity) != nullptr)
      base = "\\" + s.quantity;
    else
      base = s.quantity.size() == 1 ? s.quantity : "\\mathrm{" + escaped(s.quantity) + "}";
    std::string index = s.body;
    if (!s.component.empty()) index += (index.empty() ? "" : ",") + escaped(s.component);
    return index.empty() ? base : fmt::format("{}_{{{}}}", base, index);
  }
  std::string function(Op op, const std::vector<std::string>& a) const override {
    switch (op) {
      case Op::sqrt: return "\\sqrt{" + a[0] + "}";
      case Op::abs: return "\\lvert " + a[0] + " \\rvert";
      case Op::less: return "[" + a[0] + " < " + a[1] + "]";
      case Op::select: return fmt::format("\\bigl({} \\text{{ if }} {} \\text{{, else }} {}\\bigr)", a[1], a[0], a[2]);
      default: break;
    }
    std::string name = function_name(op);
    if (op == Op::asin || op == Op::acos || op == Op::atan) name = "arc" + name.substr(1);
    name = op == Op::atan2 ? "\\operatorname{atan2}" : "\\" + name;
    if (a.size() == 1 && a[0].find(' ') == std::string::npos) return name + " " + a[0];
    return fmt::format("{}({})", name, fmt::join(a, ", "));
  }
  std::string product(const std::vector<std::string>& factors) const override {
    std::string text;
    for (const std::string& f : factors) {
      const bool number = !text.empty() && std::isdigit(static_cast<unsigned char>(f.front())) != 0;
      text += (text.empty() ? "" : number ? " \\cdot " : " \\, ") + f;
    }
    return text;
  }
  std::string fraction(const std::string& above, const std::string& below) const override {
    return fmt::format("\\frac{{{}}}{{{}}}", above, below);
  }
  std::string power(const std::string& base, int exponent) const override {
    // a power of a function needs brackets, and so does a letter with dots and an index
    const bool plain = base.front() == '(' || base.find(' ') == std::string::npos || base.starts_with("\\dot ") ||
                       base.starts_with("\\ddot ");
    return fmt::format("{}^{{{}}}", plain ? base : "(" + base + ")", exponent);
  }
  std::string brackets(const std::string& inside) const override { return "(" + inside + ")"; }
  const char* minus() const override { return "-"; }
};

// The approximate width of a typeset formula in characters: a command counts as one, an index less.
double set_width(const std::string& formula) {
  double width = 0.0;
  bool small = false;
  for (std::size_t i = 0; i < formula.size(); ++i) {
    const char c = formula[i];
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < formula.size() && std::isalpha(static_cast<unsigned char>(formula[end])) != 0) ++end;
      const std::string command = formula.substr(i + 1, end - i - 1);
      if (command == "dot" || command == "ddot" || command == "mathrm" || command == "operatorname")
        width += 0.0;
      else if (command.empty())
        ++end, width += 0.3;  // a space such as \,
      else
        width += command.size() > 2 && greek(command) == nullptr ? 3.0 : 1.0;
      i = end - 1;
    } else if (c == '_' || c == '^') {
      small = true;
    } else if (c == '}') {
      small = false;
    } else if (c != '{' && c != ' ') {
      width += small ? 0.65 : c == '+' || c == '-' || c == '=' ? 1.7 : 1.0;
    }
  }
  return width;
}

std::string written(const Equation& e, const LatexNotation& notation) {
  const std::string left = notation.symbol(e.left);
  std::string text = "  " + left + " &= ";
  if (!e.step.empty()) return text + e.step;
  double column = set_width(left) + 2.0;
  for (std::size_t k = 0; k < e.right.size(); ++k) {
    const Equation::Term& t = e.right[k];
    const double width = set_width(t.text) + 2.0;
    if (k > 0 && column + width > kLatexWidth) {
      text += "\\\\\n  &\\quad ";
      column = set_width(left) + 4.0;
    }
    text += (k == 0 ? (t.negative ? "-" : "") : t.negative ? " - " : " + ") + t.text;
    column += width;
  }
  return text;
}

std::string in_math(const std::string& text) { return "$" + text + "$"; }

std::string capital(std::string words) {
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  return words;
}

std::string groups(const std::vector<Group>& of, const LatexNotation& notation, const std::vector<std::string>& kept) {
  std::vector<std::string> texts;
  for (const Group& g : of) {
    if (g.name == "p" && g.size == kept.size()) {  // by their names
      for (const std::string& name : kept) texts.push_back(in_math(notation.symbol({name, {}, {}, false, true})));
      continue;
    }
    const std::string size =
        g.rows == 0 ? std::to_string(g.size) : fmt::format("{} \\times {}", g.rows, g.size / g.rows);
    texts.push_back(in_math(fmt::format("{} \\in \\mathbb{{R}}^{{{}}}", notation.symbol({g.name, {}, {}}), size)));
  }
  std::string text;
  for (std::size_t k = 0; k < texts.size(); ++k)
    text += (k == 0 ? "" : k + 1 == texts.size() ? " and " : ", ") + texts[k];
  return text;
}

// Units in LaTeX, with superscripts.
std::string unit(const std::string& text) {
  std::string result = text;
  for (std::size_t at; (at = result.find("²")) != std::string::npos;)
    result.replace(at, std::string("²").size(), "$^2$");
  for (std::size_t at; (at = result.find("N m")) != std::string::npos;) result.replace(at, 3, "N\\,m");
  return result;
}

class LatexDocument {
 public:
  explicit LatexDocument(const Program& program) : program_(program), functions_(with_called(program)) {
    for (const Function* f : functions_) {
      equations_.emplace_back(*f, notation_, program.kept);
      sums_ = sums_ || equations_.back().has_angle_sums();
      for (const Meaning* m : equations_.back().quantities()) quantities_.insert(m);
    }
  }

  std::string text() {
    preamble();
    introduction();
    table_of_notation();
    for (std::size_t k = 0; k < functions_.size(); ++k) section(*functions_[k], equations_[k]);
    return text_ + "\n\\end{document}\n";
  }

 private:
  void preamble() {
    for (const std::string& line : banner(program_, {.language = "latex"}))
      text_ += "%" + (line.empty() ? "" : " " + line) + "\n";
    text_ += R"(\documentclass[a4paper,10pt,fleqn]{article}
\usepackage{amsmath,amssymb}
\usepackage[margin=22mm]{geometry}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
)";
  }

  void introduction() {
    const std::string robot = program_.robot.empty() ? program_.name : program_.robot;
    text_ += fmt::format("\n\\begin{{document}}\n{{\\LARGE The dynamics of {}\\par}}\n\\bigskip\n\n", escaped(robot));
    if (!program_.source.empty()) text_ += fmt::format("Source: \\texttt{{{}}}. ", escaped(program_.source));
    text_ += "SI units and radians. Numbers are rounded to six digits here; the code has them exactly.\n\n";
    for (std::size_t k = 0; k < program_.kept.size(); ++k) {
      text_ += fmt::format("${}$ is a parameter (${}$ in this mechanism).\n\n",
                           notation_.symbol({program_.kept[k], {}, {}, false, true}),
                           notation_.number(program_.kept_values.at(k)));
    }
    if (!program_.options.empty()) {
      std::string options;
      for (const auto& [name, value] : program_.options)
        options += (options.empty() ? "" : " ") + name + (value.empty() ? "" : " " + value);
      text_ += fmt::format("{{\\raggedright Made with \\texttt{{{}}}.\\par}}\n\n", escaped(options));
    }
    for (const std::string& what : program_.left_out) text_ += "Left out: " + escaped(what) + ".\n\n";
    for (const std::string& note : program_.notes) text_ += escaped(capital(note)) + ".\n\n";
  }

  void table_of_notation() {
    text_ += "\\section*{Notation}\n\\begin{tabular}{@{}lll@{}}\n";
    for (const Meaning* m : quantities_) {
      const std::string quantity = m->quantity, index = quantity == "sin" || quantity == "cos" ? (sums_ ? "23" : "i")
                                                        : quantity == "M"                      ? "ij"
                                                                                               : "i";
      text_ += fmt::format("  {} & {} & {} \\\\\n", in_math(notation_.symbol({quantity, index, {}})), m->words,
                           unit(m->unit));
    }
    text_ += "\\end{tabular}\n\n";
    text_ +=
        R"(An index such as in $\omega_{2,x}$ says the link and the component, in the axes of that link. The links are counted
from the base.
)";
    if (sums_) text_ += "Sines and cosines of sums are written by their digits: $s_{23} = \\sin(q_{2} + q_{3})$.\n";
    if (const std::string frames = chosen_frames(program_); !frames.empty()) text_ += escaped(frames) + "\n";
    for (std::string remark : remarks({quantities_.begin(), quantities_.end()}, "A prime")) {
      constexpr std::string_view acceleration = "a + U r";
      if (const std::size_t at = remark.find(acceleration); at != std::string::npos)
        remark.replace(at, acceleration.size(), "$a + U r$");
      text_ += remark + "\n";
    }
  }

  void section(const Function& f, const Equations& equations) {
    text_ += fmt::format("\n\\section{{{}}}\n{} from {}: {}.\n", escaped(title(f)), groups(f.outputs(), notation_, {}),
                         groups(f.inputs(), notation_, program_.kept), described(cost(f)));
    std::string link = "none";
    for (const Section& s : equations.sections()) {
      if (s.body != link && !s.body.empty()) text_ += fmt::format("\n\\subsection*{{Link {}}}\n", s.body);
      link = s.body;
      const Meaning* m = meaning(s.quantity);
      const std::string words = s.quantity.empty() ? "Sines and cosines"
                                : m != nullptr     ? capital(m->words)
                                                   : in_math(notation_.symbol({s.quantity, s.body, {}}));
      text_ += "\n" + (s.body.empty() ? "\\subsection*{" + words + "}" : words + ":") + "\n";
      if (s.quantity.empty()) {  // short ones, on the same line
        text_ += "{\\raggedright\n";
        for (const Equation& e : s.equations)
          text_ += fmt::format("\\mbox{{${} = {}$}}\\qquad\n", notation_.symbol(e.left), joined(e.right, notation_));
        text_ += "\\par}\n";
        continue;
      }
      text_ += "\\begin{align*}\n";
      for (std::size_t e = 0; e < s.equations.size(); ++e)
        text_ += written(s.equations[e], notation_) + (e + 1 < s.equations.size() ? " \\\\\n" : "\n");
      text_ += "\\end{align*}\n";
    }
  }

  const Program& program_;
  const LatexNotation notation_;
  const std::vector<const Function*> functions_;
  std::vector<Equations> equations_;
  std::set<const Meaning*> quantities_;
  bool sums_ = false;
  std::string text_;
};

}  // namespace

std::vector<Artefact> emit_latex(const Program& program) {
  return {{program.name + ".tex", LatexDocument(program).text()}};
}

}  // namespace lw
