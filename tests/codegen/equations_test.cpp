#include "codegen/text/equations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/languages/emit_dot.hpp"
#include "codegen/languages/emit_latex.hpp"
#include "codegen/languages/emit_text.hpp"
#include "codegen/text/unicode_notation.hpp"
#include "other_languages.hpp"

namespace lw {
namespace equations_test {

// Equations that Python can follow from top to bottom: what a reader would compute with pencil and paper.
class PythonNotation : public Notation {
 public:
  std::string number(double value) const override {
    return std::isinf(value) ? "math.inf" : value < 0.0 ? "(" + shortest(value) + ")" : shortest(value);
  }
  std::string symbol(const Symbol& s) const override {
    std::string name = s.quantity + s.body + (s.component.empty() ? "" : "_" + s.component);
    std::replace(name.begin(), name.end(), ',', '_');
    return name == "lambda" || name.starts_with("lambda") ? "L" + name : name;
  }
  std::string function(Op op, const std::vector<std::string>& a) const override {
    if (op == Op::less) return fmt::format("float({} < {})", a[0], a[1]);
    if (op == Op::select) return fmt::format("({} if {} != 0 else {})", a[1], a[0], a[2]);
    const bool plain = op == Op::abs || op == Op::min || op == Op::max;
    return fmt::format("{}{}({})", plain ? "" : "math.", function_name(op), fmt::join(a, ", "));
  }
  std::string product(const std::vector<std::string>& f) const override {
    return fmt::format("{}", fmt::join(f, " * "));
  }
  std::string fraction(const std::string& a, const std::string& b) const override {
    return fmt::format("({})/({})", a, b);
  }
  std::string power(const std::string& base, int exponent) const override {
    return fmt::format("({})**{}", base, exponent);
  }
  std::string brackets(const std::string& inside) const override { return "(" + inside + ")"; }
  const char* minus() const override { return "-"; }
};

std::string python_function(const Function& f) {
  const PythonNotation notation;
  const Equations equations(f, notation);
  std::string text = fmt::format("def {}(", f.name());
  for (const std::string& input : f.graph().inputs()) text += notation.symbol(parsed(input)) + ", ";
  text += "):\n";
  std::vector<std::string> results(f.output_size());
  for (const Section& s : equations.sections()) {
    for (const Equation& e : s.equations) {
      text +=
          fmt::format("    {} = {}\n", notation.symbol(e.left), e.step.empty() ? joined(e.right, notation) : e.step);
      if (e.result.has_value()) results[*e.result] = notation.symbol(e.left);
    }
  }
  return text + fmt::format("    return [{}]\n\n", fmt::join(results, ", "));
}

double difference(const Function& f, const std::vector<std::vector<double>>& states) {
  const Scratch scratch;
  std::string text = "import math\n\n" + python_function(f);
  text +=
      fmt::format("for line in open('states.txt'):\n    print(*map(repr, {}(*map(float, line.split()))))\n", f.name());
  write(scratch, {{"equations.py", text}, {"states.txt", table(states)}});
  return relative_difference(numbers(output_of(scratch, "/usr/bin/python3 -B equations.py")), interpreted(f, states));
}

TEST(Equations, GiveTheNumbersWhenTheyAreFollowedFromTopToBottom) {
  if (find_program("/usr/bin/python3").empty()) GTEST_SKIP() << "no python3";
  for (const char* model : {"double-pendulum", "puma560", "quadruped"}) {
    const Case c = model_case(model, 50);
    EXPECT_LE(difference(c.program.functions[2], c.states[2]), 1e-11) << model << " forward, without names";
    const Function named = named_program(model).functions[0];
    EXPECT_LE(difference(named, c.states[0]), 1e-12) << model << " inverse, with names";
  }
}

TEST(Equations, HaveEveryOperation) {
  if (find_program("/usr/bin/python3").empty()) GTEST_SKIP() << "no python3";
  const Function f = trace("f", {{"x", 3}}, {{"r", 7}, {"M", 4, 2}}, [&](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[0][1], z = in[0][2];
    const Expr w = x - y * z;
    name_value(-w, "omega2_x");  // the variable is its negative
    out[0] = {(x + y) * (x - y) / (3.0 + x * x),
              sin(x) * cos(y) + tan(x * 0.3) - (-y) - w,
              sqrt(1.0 + x * x) + exp(x * 0.1) + log(5.0 + y) + tanh(y) * w * w,
              asin(x * 0.2) + acos(y * 0.2) + atan(x) + atan2(y, x + 7.0) - sin(w) / w,
              abs(x) + min(x, y) * max(x, Expr(0.25)) + select(less(x, y), x * y, -w),
              1.0 / fma(x, y, z * z + 20.0) * fma(-x, z + 1.0, y) - (x - (y - w)),
              -w};
    out[1] = {w, x, -y, z / w / (x * y * x)};
  });
  Random random(5);
  std::vector<std::vector<double>> states;
  for (int k = 0; k < 100; ++k) {
    states.push_back({random.between(-4.0, 4.0), random.between(-4.0, 4.0), random.between(-4.0, 4.0)});
  }
  EXPECT_LE(difference(f, states), 1e-13);
}

TEST(Equations, NamesAreParsed) {
  const UnicodeNotation unicode;
  const auto written = [&](const std::string& name) { return unicode.symbol(parsed(name)); };
  EXPECT_EQ(written("omega2_x"), "ω₂ˣ");
  EXPECT_EQ(written("minus_omega12_z"), "ω₁₂ᶻ");
  EXPECT_TRUE(parsed("minus_omega12_z").negative);
  EXPECT_EQ(written("sin_q2_q3"), "s₂₃");
  EXPECT_EQ(written("qdd4"), "q̈₄");
  EXPECT_EQ(written("t17"), "t₁₇");
  EXPECT_EQ(written("mu"), "μ");
  EXPECT_EQ(written("link_mass"), "link_mass");
}

// One section for what belongs together, and nothing before what it needs.
TEST(Equations, SectionsFollowTheRecursion) {
  const Program program = named_program("puma560");
  const UnicodeNotation notation;
  const Equations equations(program.functions[0], notation);
  std::set<NodeId> known;
  std::set<std::pair<std::string, std::string>> seen;
  for (const NodeId id : program.functions[0].order()) {
    if (program.functions[0].graph()[id].op == Op::input) known.insert(id);
  }
  for (const Section& s : equations.sections()) {
    const bool is_first = seen.insert({s.body, s.quantity}).second;
    const bool outward = s.quantity == "omega" || s.quantity == "alpha" || s.quantity == "a";
    EXPECT_TRUE(is_first || !outward) << s.quantity << s.body << " in two pieces";
    for (const Equation& e : s.equations) {
      for (const NodeId id : e.reads) EXPECT_TRUE(known.contains(id)) << notation.symbol(e.left);
      if (e.defines) known.insert(e.node);
    }
  }
}

TEST(EmitText, IsForReading) {
  const std::string text = emit_text(named_program("double-pendulum")).at(0).text;
  for (const char* line : {"\n  α₂ʸ = q̈₁ + q̈₂\n", "\nLink 2, angular velocity\n", "\n  c₂ = cos q₂\n",
                           "\n  M₁₂ = M₂₁\n", "Inverse dynamics: τ (2) from q (2), q̇ (2), q̈ (2)\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

// Parameters by their names, as the file writes them; functions last, so that nothing seems to be under the sine.
TEST(Equations, KeptParametersHaveTheirNames) {
  Program program;
  program.name = "pendulum";
  program.kept = {"l_1", "m"};
  program.kept_values = {0.5, 2.0};
  program.functions.push_back(
      trace("inverse", {{"q", 1}, {"p", 2}}, {{"tau", 1}},
            [](const Arguments& in, Results& out) { out[0][0] = 9.81 * sin(in[0][0]) * in[1][1] * in[1][0]; }));
  const std::string text = emit_text(program).at(0).text, latex = emit_latex(program).at(0).text;
  EXPECT_NE(text.find("τ₁ = 9.81 l_1 m sin q₁\n"), std::string::npos) << text;
  EXPECT_NE(text.find("from q (1), l_1, m\n"), std::string::npos) << text;
  EXPECT_NE(latex.find("9.81 \\, \\mathtt{l\\_1} \\, \\mathtt{m} \\, \\sin q_{1}"), std::string::npos) << latex;
  // the mass of the file is no quantity of the recursion, and there is no sum of angles to explain
  for (const std::string& made : {text, latex}) {
    EXPECT_EQ(made.find("kg"), std::string::npos) << made;
    EXPECT_EQ(made.find("q_{2} + q_{3}"), std::string::npos) << made;
    EXPECT_EQ(made.find("q₂ + q₃"), std::string::npos) << made;
  }
}

TEST(EmitLatex, LatexCompilesWithoutWarnings) {
  Program strange = every_operation();
  strange.robot = "50% of {a} robot_#1 & co ~ \\ ^ $";
  for (const Program& program : {named_program("puma560"), strange}) {
    const std::vector<Artefact> files = emit_latex(program);
    const std::string& text = files.at(0).text;
    const auto count = [&](const std::string& what) {
      std::size_t n = 0;
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
      return n;
    };
    EXPECT_EQ(count("\\begin{"), count("\\end{"));
    EXPECT_EQ(count("{") - count("\\{"), count("}") - count("\\}"));
    if (find_program("pdflatex").empty()) continue;
    const Scratch scratch;
    write(scratch, files);
    const std::string log =
        output_of(scratch, fmt::format("pdflatex -interaction=nonstopmode -halt-on-error {} 2>&1", files[0].path));
    EXPECT_EQ(log.find("Overfull"), std::string::npos) << log;
  }
}

TEST(EmitDot, GraphvizReadsIt) {
  const std::vector<Artefact> files = emit_dot(named_program("double-pendulum"));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "double_pendulum_inverse.dot");
  EXPECT_NE(files[0].text.find("label=\"link 2\""), std::string::npos);
  if (find_program("dot").empty()) return;
  const Scratch scratch;
  write(scratch, files);
  for (const Artefact& f : files) {
    const std::string svg = output_of(scratch, "dot -Tsvg " + f.path);
    EXPECT_NE(svg.find("</svg>"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("Warning"), std::string::npos) << svg;
  }
}

}  // namespace equations_test
}  // namespace lw
