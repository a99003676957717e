// Forward, reverse and Jacobian against Dual, whose rules are written down apart, and ComplexStep: every operation,
// calls, Newton iterations, random functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.hpp"
#include "graph/adjoint.hpp"
#include "graph/interpreter.hpp"
#include "graph/jacobian.hpp"
#include "graph/objective.hpp"
#include "graph/tangent.hpp"
#include "support/sample_functions.hpp"

namespace lw {
namespace derivatives_test {

using Values = std::vector<double>;

// By columns.
template <class U>
Values derivatives(const Function& f, const Values& x) {
  Interpreter<U> run(f);
  Values J;
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::vector<U> in(x.begin(), x.end()), out(f.output_size());
    if constexpr (std::is_same_v<U, Dual>) {
      in[k].d = 1.0;
    } else {
      in[k].im = kComplexStep;
    }
    run(in, out);
    for (const U& y : out) {
      if constexpr (std::is_same_v<U, Dual>) {
        J.push_back(y.d);
      } else {
        J.push_back(derivative_of(y));
      }
    }
  }
  return J;
}

Values by_tangent(const Function& f, const Values& x) {
  Interpreter<double> run(tangent(f, x.size()));
  Values J, column(f.output_size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    Values in = x;
    in.resize(2 * x.size(), 0.0);
    in[x.size() + k] = 1.0;
    run(in, column);
    J.insert(J.end(), column.begin(), column.end());
  }
  return J;
}

Values by_adjoint(const Function& f, const Values& x) {
  Interpreter<double> run(adjoint(f));
  const std::size_t rows = f.output_size();
  Values J(rows * x.size()), row(x.size());
  for (std::size_t r = 0; r < rows; ++r) {
    Values in = x;
    in.resize(x.size() + rows, 0.0);
    in[x.size() + r] = 1.0;
    run(in, row);
    for (std::size_t k = 0; k < x.size(); ++k) J[k * rows + r] = row[k];
  }
  return J;
}

void expect_near(const Values& got, const Values& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  double size = 1.0;
  for (const double e : expected) size = std::max(size, std::abs(e));
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], tolerance * size) << what << " " << k;
}

void check_all(const Function& f, int points, std::uint64_t seed, double range, double tolerance = 1e-12) {
  std::vector<Interpreter<double>> jacobians;
  for (const Elimination order : kEliminations) jacobians.emplace_back(jacobian(f, {}, order));
  Random random(seed);
  for (int k = 0; k < points; ++k) {
    Values x(f.input_size());
    for (double& each : x) each = random.between(-range, range);
    const Values expected = derivatives<Dual>(f, x);
    expect_near(derivatives<ComplexStep>(f, x), expected, tolerance, "complex step");
    expect_near(by_tangent(f, x), expected, tolerance, "tangent");
    expect_near(by_adjoint(f, x), expected, tolerance, "adjoint");
    for (Interpreter<double>& run : jacobians) {
      Values J(expected.size());
      run(x, J);
      expect_near(J, expected, tolerance, "jacobian");
    }
  }
}

const std::vector<std::pair<const char*, std::function<Expr(const Expr&, const Expr&, const Expr&)>>> kOperations{
    {"add", [](auto& x, auto& y, auto&) { return x + y; }},
    {"sub", [](auto& x, auto& y, auto&) { return x - y; }},
    {"mul", [](auto& x, auto& y, auto&) { return x * y; }},
    {"square", [](auto& x, auto&, auto&) { return x * x; }},
    {"div", [](auto& x, auto& y, auto&) { return x / (y + Expr(3.0)); }},
    {"neg", [](auto& x, auto&, auto&) { return -x; }},
    {"fma", [](auto& x, auto& y, auto& z) { return fma(x, y, z); }},
    {"sqrt", [](auto& x, auto&, auto&) { return sqrt(x + Expr(3.0)); }},
    {"sin", [](auto& x, auto&, auto&) { return sin(x); }},
    {"cos", [](auto& x, auto&, auto&) { return cos(x); }},
    {"tan", [](auto& x, auto&, auto&) { return tan(x * Expr(0.5)); }},
    {"asin", [](auto& x, auto&, auto&) { return asin(x * Expr(0.4)); }},
    {"acos", [](auto& x, auto&, auto&) { return acos(x * Expr(0.4)); }},
    {"atan", [](auto& x, auto&, auto&) { return atan(x); }},
    {"atan2", [](auto& x, auto& y, auto&) { return atan2(x, y); }},
    {"exp", [](auto& x, auto&, auto&) { return exp(x); }},
    {"log", [](auto& x, auto&, auto&) { return log(x + Expr(3.0)); }},
    {"tanh", [](auto& x, auto&, auto&) { return tanh(x); }},
    {"abs", [](auto& x, auto&, auto&) { return abs(x); }},
    {"min", [](auto& x, auto& y, auto&) { return min(x, y); }},
    {"max", [](auto& x, auto& y, auto&) { return max(x, y); }},
    {"less", [](auto& x, auto& y, auto& z) { return less(x, y) * z; }},
    {"select", [](auto& x, auto& y, auto& z) { return select(less(x, Expr(0.0)), y * z, z - y); }},
};

TEST(Derivatives, OfEveryOperation) {
  for (const auto& [name, each] : kOperations) {
    const auto& operation = each;  // a lambda must not take what a structured binding names
    SCOPED_TRACE(name);
    const Function f = trace(name, {{"x", 3}}, {{"y", 1}, {"twice", 1}}, [&](const Arguments& in, Results& out) {
      out[0][0] = operation(in[0][0], in[0][1], in[0][2]);
      out[1][0] = out[0][0] * operation(in[0][2], in[0][0], in[0][1]);  // used twice, and of other inputs
    });
    check_all(f, 50, 1, 2.0);
  }
}

TEST(Derivatives, OfRandomFunctions) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    check_all(random_function(seed, 20 + static_cast<int>(seed)), 5, seed, 1.0, 1e-11);
  }
}

std::shared_ptr<const Function> small() {
  return std::make_shared<Function>(
      trace("small", {{"x", 2}, {"y", 1}}, {{"r", 3}}, [](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1], z = in[1][0];
        out[0] = {x * y + sin(z), fma(x, y, z * z), y};
      }));
}

int calls_in(const Function& f) {
  int n = 0;
  for (const NodeId id : f.order()) n += f.graph()[id].op == Op::call ? 1 : 0;
  return n;
}

TEST(Derivatives, OfCalls) {
  const auto inner = small();
  const auto middle =
      std::make_shared<Function>(trace("middle", {{"x", 3}}, {{"r", 2}}, [&](const Arguments& in, Results& out) {
        Graph& g = *in[0][0].graph();
        const std::vector<Expr> a = g.call(inner, {in[0][0], in[0][1], in[0][2]});
        const std::vector<Expr> b = g.call(inner, {a[0] * Expr(0.3), a[1] * Expr(0.2), Expr(0.5)});
        out[0] = {b[0] + a[2], b[1] * b[2]};
      }));
  const Function f = trace("outer", {{"x", 4}}, {{"y", 3}}, [&](const Arguments& in, Results& out) {
    Graph& g = *in[0][0].graph();
    const std::vector<Expr>& x = in[0];
    const std::vector<Expr> a = g.call(middle, {x[0], x[1], x[2]}),
                            b = g.call(middle, {a[0] * Expr(0.1), sin(a[1]), x[3]});
    const std::vector<Expr> c = g.call(inner, {b[0] * Expr(0.1), x[3], x[0]});
    out[0] = {b[0] * a[1], c[0] + c[1], b[1] - c[2]};
  });
  check_all(f, 50, 3, 1.0);
  // the two calls of `middle` move alike, and so have one derivative between them; `inner` of the outer function is
  // dissolved
  const Function d = tangent(f, 4);
  std::map<std::string, std::set<const Function*>> functions;
  std::map<std::string, int> sites;
  for (const NodeId id : d.order()) {
    if (d.graph()[id].op != Op::call) continue;
    const Function* called = d.graph().calls()[d.graph()[id].a].function.get();
    functions[called->name()].insert(called);
    ++sites[called->name()];
  }
  EXPECT_EQ(sites["middle-tangent"], 2);
  EXPECT_EQ(functions["middle-tangent"].size(), 1u);
  EXPECT_EQ(sites["inner-tangent"], 0);
}

TEST(Derivatives, ASmallSingleCallIsInlined) {
  const auto inner = small();
  const Function f = trace("outer", {{"x", 3}}, {{"y", 1}}, [&](const Arguments& in, Results& out) {
    out[0][0] = in[0][0].graph()->call(inner, in[0])[0];
  });
  EXPECT_EQ(calls_in(f), 1);
  EXPECT_EQ(calls_in(tangent(f, 3)), 0);
  EXPECT_EQ(calls_in(adjoint(f)), 0);
  EXPECT_EQ(calls_in(jacobian(f)), 0);
}

// x² y = a, x + b y³ = c
TEST(Derivatives, OfNewtonIterations) {
  const auto residual =
      std::make_shared<Function>(trace("two", {{"x", 2}, {"p", 3}}, {{"r", 2}}, [](const Arguments& in, Results& out) {
        const Expr x = in[0][0], y = in[0][1], a = in[1][0], b = in[1][1], c = in[1][2];
        out[0] = {x * x * y - a, x + b * y * y * y - c};
      }));
  const Function f = trace("solve", {{"p", 3}}, {{"x", 2}, {"more", 1}}, [=](const Arguments& in, Results& out) {
    // from near the solution of (1.2, 0.9, 2)
    const std::vector<Expr> p{Expr(1.2) + Expr(0.1) * in[0][0], Expr(0.9) + Expr(0.1) * in[0][1],
                              Expr(2.0) + Expr(0.1) * in[0][2]};
    out[0] = in[0][0].graph()->solve(residual, {Expr(1.2), Expr(0.9)}, p, 12).unknowns;
    out[1][0] = sin(out[0][0]) * out[0][1] * p[0];
  });
  check_all(f, 20, 5, 1.0, 1e-11);
}

TEST(Derivatives, StructuralZerosAreZero) {
  const Function f = trace("sparse", {{"x", 3}}, {{"y", 3}}, [](const Arguments& in, Results& out) {
    out[0] = {in[0][0] * in[0][1], sin(in[0][2]), Expr(2.0) * in[0][0]};
  });
  const Function J = jacobian(f);
  const auto entry = [&](std::size_t r, std::size_t c) { return J.graph()[J.results()[c * 3 + r]]; };
  for (const auto& [r, c] : {std::pair{0, 2}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}) {
    EXPECT_EQ(entry(static_cast<std::size_t>(r), static_cast<std::size_t>(c)).op, Op::constant);
    EXPECT_EQ(entry(static_cast<std::size_t>(r), static_cast<std::size_t>(c)).value, 0.0);
  }
  EXPECT_EQ(entry(2, 0).value, 2.0);
  EXPECT_EQ(J.outputs()[0].rows, 3u);
}

TEST(Derivatives, IgnoreUnselectedSingularBranches) {
  // sin x / x, and 1 at 0
  const Function f = trace("sinc", {{"x", 1}}, {{"y", 1}}, [](const Arguments& in, Results& out) {
    const Expr x = in[0][0];
    out[0][0] = select(less(abs(x), Expr(1e-9)), Expr(1.0), sin(x) / x);
  });
  EXPECT_EQ(by_tangent(f, {0.0})[0], 0.0);
  for (const Elimination order : kEliminations) {
    Values slope(1);
    evaluate<double>(jacobian(f, {}, order), Values{0.0}, slope);
    EXPECT_EQ(slope[0], 0.0);
    evaluate<double>(jacobian(f, {}, order), Values{0.5}, slope);
    EXPECT_NEAR(slope[0], std::cos(0.5) / 0.5 - std::sin(0.5) / 0.25, 1e-15);
  }
  Values transposed(1);
  evaluate<double>(adjoint(f), Values{0.0, 2.0}, transposed);
  EXPECT_EQ(transposed[0], 0.0);
  evaluate<double>(adjoint(f), Values{0.5, 2.0}, transposed);
  EXPECT_NEAR(transposed[0], 2.0 * (std::cos(0.5) / 0.5 - std::sin(0.5) / 0.25), 1e-15);
}

TEST(Derivatives, OfTheSecondOrder) {
  const Function f = trace("f", {{"x", 3}}, {{"y", 2}}, [](const Arguments& in, Results& out) {
    const Expr x = in[0][0], y = in[0][1], z = in[0][2];
    out[0] = {sin(x) * y * y + z / (Expr(3.0) + x), exp(Expr(0.3) * x * z)};
  });
  const Function J = jacobian(f), H = jacobian(J), over = tangent(adjoint(f), 3);
  Random random(7);
  for (int k = 0; k < 50; ++k) {
    const Values x{random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)};
    Values second(18);
    evaluate<double>(H, x, second);
    expect_near(second, derivatives<Dual>(J, x), 1e-13, "jacobian of the jacobian");
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t row = 0; row < 2; ++row) {
        // forward over reverse: ∂/∂x_a of row's gradient
        Values in = x, gradient(3);
        in.insert(in.end(), {row == 0 ? 1.0 : 0.0, row == 1 ? 1.0 : 0.0, 0.0, 0.0, 0.0});
        in[5 + a] = 1.0;
        evaluate<double>(over, in, gradient);
        for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(gradient[b], second[(a * 3 + b) * 2 + row], 1e-13);
      }
    }
  }
}

}  // namespace derivatives_test
}  // namespace lw
