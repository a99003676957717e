#include "codegen/text/statements.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.hpp"

namespace lw {
namespace statements_test {

// The whole text, a statement a line.
std::string written(const Function& function, const Language& language = {}) {
  const Statements statements(function, language);
  std::string text;
  for (const Statement& s : statements.list()) {
    if (!s.name.empty()) text += s.name + " = " + statements.text(s.node) + "\n";
    for (const std::size_t r : s.results) text += statements.result(r) + " = " + statements.value(s) + "\n";
  }
  return text;
}

Function traced(std::size_t inputs, std::size_t outputs, const std::function<void(const Arguments&, Results&)>& f) {
  return trace("f", {{"x", inputs}}, {{"r", outputs}}, f);
}

TEST(Statements, ValuesUsedOnceAreWrittenIntoTheirReader) {
  const Function f = traced(3, 2, [](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[0][1], z = in[0][2];
    const Expr shared = x * y;
    const Expr sine = sin(shared);  // before the sum: operands of * have no order of their own
    out[0][0] = (shared + z) * sine;
    out[0][1] = -(x - z);
  });
  EXPECT_EQ(written(f),
            "t1 = x[0] * x[1]\n"
            "r[0] = sin(t1) * (x[2] + t1)\n"
            "r[1] = -(x[0] - x[2])\n");
}

TEST(Statements, NamesSurviveAndGeneratedOnesAreDescriptive) {
  const Function f = trace("f", {{"q", 2}, {"p", 1}}, {{"tau", 3}}, [](const Arguments& in, Results& out) {
    const Expr omega = in[0][0] + in[2 - 1][0];
    name_value(omega, "omega2_x");
    const Expr s = sin(in[0][0] + in[0][1]);
    out[0][0] = s * omega;
    out[0][1] = out[0][2] = s * s;
  });
  EXPECT_EQ(written(f),
            "omega2_x = q[0] + p[0]\n"
            "sin_q1_q2 = sin(q[0] + q[1])\n"
            "tau[0] = omega2_x * sin_q1_q2\n"
            "tau2 = sin_q1_q2 * sin_q1_q2\n"
            "tau[1] = tau2\n"
            "tau[2] = tau2\n");
}

TEST(Statements, ReservedWordsClashesAndStrangeSignsAreAvoided) {
  const auto f = [](const std::string& first, const std::string& second) {
    return traced(3, 1, [=](const Arguments& in, Results& out) {
      const Expr a = in[0][0] * in[0][1], b = in[0][1] * in[0][2];
      name_value(a, first);
      name_value(b, second);
      out[0][0] = a / b;
    });
  };
  Language language;
  language.reserved = {"lambda"};
  language.case_blind = true;
  EXPECT_EQ(written(f("lambda", "x"), language), "lambda_2 = x[0] * x[1]\nx_2 = x[1] * x[2]\nr[0] = lambda_2 / x_2\n");
  EXPECT_EQ(written(f("W", "w"), language), "W = x[0] * x[1]\nw_2 = x[1] * x[2]\nr[0] = W / w_2\n");
  EXPECT_EQ(written(f("W", "w")), "W = x[0] * x[1]\nw = x[1] * x[2]\nr[0] = W / w\n");
  EXPECT_EQ(written(f("__ω 2.x", "2nd")), "v2_x = x[0] * x[1]\nv2nd = x[1] * x[2]\nr[0] = v2_x / v2nd\n");
}

// Read back by a C parser's rules the text must be the same tree: here by hand, on the shapes that matter.
TEST(Statements, ParenthesesFollowTheGraph) {
  const Function f = traced(4, 6, [](const Arguments& in, Results& out) {
    const Expr a = in[0][0], b = in[0][1], c = in[0][2], d = in[0][3];
    out[0][0] = a + b + c;
    out[0][1] = d - (a - c);
    out[0][2] = a * (b * d);
    const Expr quotient = a / (c / d);  // before the sum
    out[0][3] = (b + c) * quotient;
    out[0][4] = -(a * d) / b;
    out[0][5] = min(-a, Expr(-2.0)) * d;
  });
  const std::string text = written(f);
  EXPECT_EQ(text,
            "r[0] = x[0] + x[1] + x[2]\n"
            "r[1] = x[3] - (x[0] - x[2])\n"
            "r[2] = x[1] * x[3] * x[0]\n"
            "r[3] = x[0] / (x[2] / x[3]) * (x[1] + x[2])\n"
            "r[4] = -(x[0] * x[3] / x[1])\n"
            "r[5] = x[3] * min(-x[0], -2.0)\n");
}

TEST(Statements, LongExpressionsAreCut) {
  Language language;
  language.longest_expression = 3;
  const Function f = traced(8, 1, [](const Arguments& in, Results& out) {
    Expr sum = in[0][0];
    for (std::size_t k = 1; k < 8; ++k) sum = sum + in[0][k];
    out[0][0] = sum;
  });
  EXPECT_EQ(written(f, language),
            "t1 = x[0] + x[1] + x[2] + x[3]\n"
            "t2 = x[4] + t1 + x[5] + x[6]\n"
            "r[0] = x[7] + t2\n");
}

TEST(Statements, CallsAreArraysAndConstantsAndInputsAsResultsComeLast) {
  const auto inner = std::make_shared<Function>(traced(2, 2, [](const Arguments& in, Results& out) {
    out[0][0] = in[0][0] + in[0][1];
    out[0][1] = in[0][0] * in[0][1];
  }));
  const Function f = traced(2, 4, [&](const Arguments& in, Results& out) {
    const auto y = in[0][0].graph()->call(inner, {in[0][0], in[0][1]});
    out[0] = {in[0][1], y[1] - y[0], y[0], 0.5};
  });
  const Statements statements(f, Language());
  ASSERT_EQ(statements.list().size(), 5u);
  EXPECT_EQ(statements.list()[0].name, "f");
  EXPECT_EQ(f.graph()[statements.list()[0].node].op, Op::call);
  std::string rest;
  for (std::size_t k = 1; k < 5; ++k) {
    const Statement& s = statements.list()[k];
    rest += statements.result(s.results.at(0)) + " = " + statements.value(s) + "\n";
  }
  EXPECT_EQ(rest, "r[2] = f[0]\nr[1] = f[1] - f[0]\nr[0] = x[1]\nr[3] = 0.5\n");
}

TEST(Statements, InputsWithNamesOfTheirOwnAreVariables) {
  auto graph = std::make_shared<Graph>();
  const Expr q = graph->input("q1"), m = graph->input("m3");
  const Function f("f", {{"q", 1}, {"p", 1}}, {{"r", 1}}, graph, {(q * m).id()});
  EXPECT_EQ(written(f), "m3 = p[0]\nr[0] = q[0] * m3\n");
}

TEST(Statements, ReadsAreTheVariablesAndInputsOfAnExpression) {
  const Function f = traced(3, 2, [](const Arguments& in, Results& out) {
    const Expr t = in[0][0] * in[0][1];
    out[0][0] = t + (in[0][2] - t * t);
    out[0][1] = t;
  });
  const Statements statements(f, Language());
  const Statement& last = statements.list().back();
  std::vector<std::string> names;
  for (const NodeId id : statements.reads(last.node)) names.push_back(statements.use(id));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"r2", "x[2]"}));
}

TEST(Shortest, ReadsBackExactly) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(2.0), "2.0");
  EXPECT_EQ(shortest(1e-30), "1e-30");
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const double digits = random.between(-1.0, 1.0), x = digits * std::pow(10.0, random.between(-300.0, 300.0));
    EXPECT_EQ(std::stod(shortest(x)), x);
  }
}

}  // namespace statements_test
}  // namespace lw
