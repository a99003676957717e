#include "model/formula.hpp"

#include <clocale>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/interpreter.hpp"

namespace lw {
namespace formula_test {

constexpr double kPi = std::numbers::pi;

double constant(const std::string& text) {
  const auto result = parse_formula(text, {});
  if (const auto* error = std::get_if<FormulaError>(&result)) {
    ADD_FAILURE() << text << ": " << error->message;
    return NAN;
  }
  EXPECT_TRUE(std::get<Expr>(result).is_constant());
  return std::get<Expr>(result).constant();
}

void expect_fault(const std::string& text, std::size_t offset, const std::string& words) {
  Graph graph;
  const auto result = parse_formula(text, {{"l1", graph.input("l1")}, {"alpha", graph.input("alpha")}});
  const auto* error = std::get_if<FormulaError>(&result);
  ASSERT_NE(error, nullptr) << text << " was accepted";
  EXPECT_EQ(error->offset, offset) << text << ": " << error->message;
  EXPECT_NE((error->message + '\n' + error->hint).find(words), std::string::npos)
      << text << ": " << error->message << " / " << error->hint;
}

// The value of a formula over x and y by one pass over the nodes.
double evaluate(const std::string& text, double x, double y) {
  Graph graph;
  const FormulaNames names{{"x", graph.input("x")}, {"y", graph.input("y")}};
  const auto parsed = parse_formula(text, names);
  if (const auto* error = std::get_if<FormulaError>(&parsed)) {
    ADD_FAILURE() << text << ": " << error->message;
    return NAN;
  }
  const Expr e = std::get<Expr>(parsed);
  if (e.is_constant()) return e.constant();
  std::vector<double> values;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& n = graph[id];
    const auto at = [&](NodeId k) { return k < id ? values[k] : 0.0; };
    if (n.op == Op::constant) {
      values.push_back(n.value);
    } else if (n.op == Op::input) {
      values.push_back(n.a == 0 ? x : y);
    } else {
      values.push_back(apply<double>(n.op, at(n.a), at(n.b), at(n.c)));
    }
  }
  return values[e.id()];
}

TEST(Formula, ReadsNumbers) {
  EXPECT_EQ(constant("0"), 0.0);
  EXPECT_EQ(constant(" 12.5 "), 12.5);
  EXPECT_EQ(constant(".5"), 0.5);
  EXPECT_EQ(constant("5."), 5.0);
  EXPECT_EQ(constant("2e-4"), 2e-4);
  EXPECT_EQ(constant("1E+3"), 1000.0);
  EXPECT_EQ(constant("0.1"), 0.1);
}

TEST(Formula, FollowsThePrecedenceOfMathematics) {
  EXPECT_EQ(constant("1 + 2*3"), 7.0);
  EXPECT_EQ(constant("(1 + 2)*3"), 9.0);
  EXPECT_EQ(constant("10 - 4 - 3"), 3.0);
  EXPECT_EQ(constant("24/4/2"), 3.0);
  EXPECT_EQ(constant("2^3^2"), 512.0);  // 2^(3^2), not 64
  EXPECT_EQ(constant("-2^2"), -4.0);
  EXPECT_EQ(constant("2^-1"), 0.5);
  EXPECT_EQ(constant("--3"), 3.0);
  EXPECT_EQ(constant("2*-3"), -6.0);
  EXPECT_EQ(constant("+4 - +1"), 3.0);
}

TEST(Formula, KnowsItsFunctions) {
  EXPECT_EQ(constant("pi"), kPi);
  EXPECT_EQ(constant("sin(0)"), 0.0);
  EXPECT_EQ(constant("cos(0)"), 1.0);
  EXPECT_DOUBLE_EQ(constant("tan(pi/4)"), 1.0);
  EXPECT_DOUBLE_EQ(constant("asin(1)"), kPi / 2);
  EXPECT_DOUBLE_EQ(constant("acos(-1)"), kPi);
  EXPECT_DOUBLE_EQ(constant("atan(1)"), kPi / 4);
  EXPECT_DOUBLE_EQ(constant("atan2(1, -1)"), 3 * kPi / 4);
  EXPECT_EQ(constant("sqrt(9)"), 3.0);
  EXPECT_EQ(constant("abs(-2)"), 2.0);
  EXPECT_EQ(constant("exp(0)"), 1.0);
  EXPECT_EQ(constant("log(1)"), 0.0);
  EXPECT_EQ(constant("tanh(0)"), 0.0);
  EXPECT_EQ(constant("min(3, 2)"), 2.0);
  EXPECT_EQ(constant("max(3, 2)"), 3.0);
}

TEST(Formula, DegreesOfMultiplesOf45AreTheNearestDoubles) {
  EXPECT_EQ(constant("90 deg"), kPi / 2);
  EXPECT_EQ(constant("-180 deg"), -kPi);
  EXPECT_EQ(constant("45deg"), kPi / 4);
  EXPECT_EQ(constant("(100 - 10) deg"), kPi / 2);
  EXPECT_EQ(constant("2*45 deg"), kPi / 2);
  EXPECT_EQ(constant("90 deg/2"), kPi / 4);
  EXPECT_DOUBLE_EQ(constant("30 deg"), kPi / 6);
  EXPECT_DOUBLE_EQ(evaluate("x deg", 30, 0), kPi / 6);
}

TEST(Formula, RejectsAmbiguousDegrees) {
  expect_fault("90/2 deg", 3, "(90/2) deg");
  expect_fault("2^3 deg", 2, "ambiguous");
  expect_fault("2 deg^2", 0, "ambiguous");
  expect_fault("1/-l1 deg", 2, "ambiguous");
  EXPECT_DOUBLE_EQ(constant("90/(2 deg)"), 90 / (kPi / 90));
}

TEST(Formula, IntegerPowersAreProductsAndHalvesAreRoots) {
  EXPECT_EQ(evaluate("x^2", 0.4, 0), 0.4 * 0.4);
  EXPECT_EQ(evaluate("x^2", -3, 0), 9.0);  // exp(2 log x) would fail
  EXPECT_EQ(evaluate("x^-1", 4, 0), 0.25);
  EXPECT_EQ(evaluate("x^0", 7, 0), 1.0);
  EXPECT_EQ(evaluate("x^0.5", 9, 0), 3.0);
  EXPECT_NEAR(evaluate("x^1.5", 4, 0), 8.0, 1e-14);
  EXPECT_NEAR(evaluate("x^y", 2, 3.5), std::pow(2, 3.5), 1e-13);
  Graph graph;
  const auto cube = parse_formula("x^3", {{"x", graph.input("x")}});
  ASSERT_TRUE(std::holds_alternative<Expr>(cube));
  for (NodeId id = 0; id < graph.size(); ++id) EXPECT_TRUE(graph[id].op == Op::input || graph[id].op == Op::mul);
}

TEST(Formula, ReportsErrorsWithTheirPosition) {
  expect_fault("", 0, "missing");
  expect_fault("  ", 0, "missing");
  expect_fault("l1 +", 4, "ends where a value is expected");
  expect_fault("l2/2", 0, "did you mean `l1`?");
  expect_fault("l1**2", 3, "powers are written `l^2`");
  expect_fault("2 m", 2, "lengths are in metres");
  expect_fault("2 kg", 2, "kg, m, s, N and rad");
  expect_fault("2*lenght", 2, "unknown name `lenght`");
  expect_fault("cosine(2)", 0, "unknown function `cosine`");
  expect_fault("cos", 0, "`cos` is a function");
  expect_fault("cos 2", 0, "`cos` is a function");
  expect_fault("cos(1, 2)", 5, "takes one argument");
  expect_fault("atan2(1)", 7, "takes two arguments");
  expect_fault("min(1, 2, 3)", 8, "takes two arguments");
  expect_fault("(1 + 2", 6, "`)` is missing");
  expect_fault("max(l1", 6, "needs quotes");
  expect_fault("1 + 2)", 5, "`)` without `(`");
  expect_fault("2 l1", 2, "write `*l1` to multiply");
  expect_fault("2 3", 2, "operator is missing");
  expect_fault("1,5", 1, "decimal sign is a point");
  expect_fault("*2", 0, "a value is missing before `*`");
  expect_fault("2**3", 2, "a value is missing before `*`");
  expect_fault("deg", 0, "`deg` has no value before it");
  expect_fault("90 degrees", 3, "90 deg");
  expect_fault("90°", 2, "90 deg");
  expect_fault(
      "\xE2\x88\x92"
      "3",
      0, "ASCII");
  expect_fault("3 deg deg", 6, "`deg` twice");
  expect_fault("1.2.3", 3, "operator is missing");
  expect_fault("0x10", 1, "unexpected `x10`");
  expect_fault("1 % 2", 2, "unexpected `%`");
  expect_fault("$l1", 0, "unexpected `$`");
  expect_fault(".", 0, "unexpected `.`");
}

TEST(Formula, RejectsNonFiniteConstants) {
  expect_fault("1/0", 2, "division by zero");
  expect_fault("l1/0", 3, "division by zero");
  expect_fault("1/(2 - 2)", 2, "division by zero");
  expect_fault("3 + sqrt(-1)", 4, "`sqrt(-1)` has no finite value");
  expect_fault("log(0)", 0, "no finite value");
  expect_fault("asin(2)", 0, "no finite value");
  expect_fault("1e300*1e300", 0, "`1e300*1e300` has no finite value");
  expect_fault("(-8)^(1/3)", 0, "no finite value");
  expect_fault("0^-1", 0, "no finite value");
  expect_fault("1e999", 0, "too large");
  expect_fault("inf", 0, "unknown name");
  expect_fault("nan", 0, "unknown name");
}

TEST(Formula, BoundsTheDepth) {
  expect_fault(std::string(100000, '('), 100, "deep");
  expect_fault(std::string(100000, '-') + "1", 100, "deep");
  std::string powers = "1";
  for (int k = 0; k < 100000; ++k) powers += "^1";
  const auto result = parse_formula(powers, {});
  ASSERT_TRUE(std::holds_alternative<FormulaError>(result));
  EXPECT_EQ(constant(std::string(50, '(') + "1" + std::string(50, ')')), 1.0);
  std::string sum = "1";
  for (int k = 0; k < 100000; ++k) sum += "+1";
  EXPECT_EQ(constant(sum), 100001.0);
}

TEST(Formula, IsIndependentOfTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(constant("1.5"), 1.5);
  std::setlocale(LC_ALL, before.c_str());
}

TEST(Formula, ParameterNames) {
  for (const char* good : {"l1", "_x", "Theta_2", "e", "degrees"}) EXPECT_EQ(parameter_name_fault(good), "") << good;
  for (const char* bad : {"", "1l", "a b", "a-b", "pi", "deg", "sin", "größe"})
    EXPECT_NE(parameter_name_fault(bad), "") << bad;
}

TEST(Formula, NumbersOfAttributes) {
  double x = 0;
  EXPECT_TRUE(parse_number(" +1.5e1 ", x));
  EXPECT_EQ(x, 15.0);
  for (const char* bad : {"", " ", "1,5", "nan", "inf", "1 2", "0x1", "--1", "+-1", "1e999", "${pi}"})
    EXPECT_FALSE(parse_number(bad, x)) << bad;
}

// Random formulas printed with all parentheses, against their value computed beside them.
struct Sample {
  std::string text;
  double value = 0;
};
Sample random_formula(int depth) {
  const int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 7);
  if (kind == 0) {
    const int n = *rc::gen::inRange(1, 100);
    return {std::to_string(n) + ".25", n + 0.25};
  }
  const Sample a = random_formula(depth - 1);
  if (kind == 1) return {"-(" + a.text + ")", -a.value};
  if (kind == 2) return {"abs(" + a.text + ")", std::abs(a.value)};
  if (kind == 3) return {"cos(" + a.text + ")", std::cos(a.value)};
  const Sample b = random_formula(depth - 1);
  if (kind == 4) return {"(" + a.text + ") + (" + b.text + ")", a.value + b.value};
  if (kind == 5) return {"(" + a.text + ")-(" + b.text + ")", a.value - b.value};
  return {"(" + a.text + ")*(" + b.text + ")", a.value * b.value};
}

RC_GTEST_PROP(Formula, EqualsTheArithmeticItWrites, ()) {
  const Sample sample = random_formula(4);
  const auto parsed = parse_formula(sample.text, {});
  RC_ASSERT(std::holds_alternative<Expr>(parsed));
  RC_ASSERT(std::get<Expr>(parsed).constant() == sample.value);
}

}  // namespace formula_test
}  // namespace lw
