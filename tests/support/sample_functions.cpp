#include "sample_functions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/random.hpp"
#include "base/worse.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/read/read.hpp"

namespace lw {
namespace {

std::set<std::string> names(const Function& f) {
  std::set<std::string> all;
  for (const NodeId id : f.order()) {
    const std::string* name = f.graph().name_of(id);
    if (name != nullptr) all.insert(name->starts_with("minus_") ? name->substr(6) : *name);
  }
  return all;
}

}  // namespace

Function random_function(std::uint64_t seed, int operations) {
  constexpr std::size_t kInputs = 5, kOutputs = 4;
  return trace("random", {{"x", kInputs}}, {{"y", kOutputs}}, [&](const Arguments& in, Results& out) {
    Random random(seed);
    struct Value {
      Expr e;
      double most;  // of its size
    };
    std::vector<Value> values;
    for (const Expr& x : in[0]) values.push_back({x, 1.0});
    const double constants[] = {2.0, 0.5, 3.0, -1.5, 0.1};
    const auto any = [&] {  // rather one of the last
      const auto n = static_cast<int>(values.size());
      return values[static_cast<std::size_t>(random.chance(0.5) ? n - 1 - random.below(std::min(n, 8))
                                                                : random.below(n))];
    };
    while (values.size() < kInputs + static_cast<std::size_t>(operations)) {
      const Value a = any(), b = any(), c = any();
      const double k = constants[random.below(5)];
      Value v{};
      switch (random.below(10)) {
        case 0: v = {a.e + b.e, a.most + b.most}; break;
        case 1: v = {a.e - b.e, a.most + b.most}; break;
        case 2: v = {a.e * b.e, a.most * b.most}; break;
        case 3: v = {a.e * b.e + a.e * c.e, a.most * (b.most + c.most)}; break;
        case 4: v = {k * a.e + b.e, std::abs(k) * a.most + b.most}; break;
        case 5: v = {k * (a.e - c.e), std::abs(k) * (a.most + c.most)}; break;
        case 6: v = {sin(a.e) * b.e + cos(a.e) * c.e, b.most + c.most}; break;
        case 7: v = {cos(a.e) * b.e - sin(a.e) * c.e, b.most + c.most}; break;
        case 8: v = {a.e / (2.0 + b.e * b.e), a.most / 2.0}; break;
        case 9: v = {-a.e * b.e * c.e, a.most * b.most * c.most}; break;
      }
      if (v.most > 10.0 || v.e.is_constant()) v = {sin(a.e), 1.0};
      if (random.chance(0.2)) name_value(v.e, fmt::format("v{}", values.size()));
      values.push_back(v);
    }
    for (std::size_t k = 0; k < kOutputs; ++k) out[0][k] = values[values.size() - 1 - k].e;
  });
}

const char* to_string(Method method) {
  switch (method) {
    case Method::rnea: return "rnea";
    case Method::newton_euler_modified: return "newton-euler-modified";
    case Method::aba: return "aba";
    case Method::crba: return "crba";
  }
  return "";
}

Function trace_of(const std::string& name, Method method) {
  const Model<Expr> model = instantiate<Expr>(load(name));
  Workspace<Expr> work(model);
  const auto nq = static_cast<std::size_t>(model.nq), nv = static_cast<std::size_t>(model.nv);
  const bool inverse = method == Method::rnea || method == Method::newton_euler_modified;
  return trace(inverse ? "inverse" : "forward", {{"q", nq}, {"qd", nv}, {inverse ? "qdd" : "tau", nv}},
               {{inverse ? "tau" : "qdd", nv}}, [&](const Arguments& in, Results& out) {
                 switch (method) {
                   case Method::rnea: rnea<Expr>(model, work, in[0], in[1], in[2], out[0]); break;
                   case Method::newton_euler_modified:
                     inverse_by<Expr>(*find_formulation(to_string(method)), model, in[0], in[1], in[2], out[0]);
                     break;
                   case Method::aba: aba<Expr>(model, work, in[0], in[1], in[2], out[0]); break;
                   case Method::crba: forward_by_crba<Expr>(model, work, in[0], in[1], in[2], out[0]); break;
                 }
               });
}

::testing::AssertionResult same_values(const Function& expected, const Function& got, int points) {
  if (expected.input_size() != got.input_size() || expected.output_size() != got.output_size()) {
    return ::testing::AssertionFailure() << "other inputs or outputs";
  }
  Interpreter<double> reference(expected), run(got);
  Random random(7);
  double worst = 0.0;
  for (int p = 0; p < points; ++p) {
    std::vector<double> in(expected.input_size()), a(expected.output_size()), b(a);
    for (double& x : in) x = random.between(-1.0, 1.0);
    reference(in, a);
    run(in, b);
    double scale = 1.0, error = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      scale = worse(scale, std::abs(a[k]));
      error = worse(error, std::abs(a[k] - b[k]));
    }
    worst = worse(worst, error / scale);
  }
  if (worst <= 1e-13) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "values differ by " << worst << " of the largest";
}

void check_pass(const char* name, const std::function<Function(const Function&)>& pass,
                const std::function<double(const Function&)>& price) {
  const auto check = [&](const Function& f) {
    const Function g = pass(f);
    EXPECT_TRUE(same_values(f, g));
    EXPECT_LE(price(g), price(f));
    EXPECT_EQ(price(pass(g)), price(g));
    for (const std::string& n : names(g)) EXPECT_TRUE(names(f).contains(n)) << n;
    return g;
  };
  std::size_t named = 0, kept = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("random function {}", seed));
    const Function f = random_function(seed, 20 + static_cast<int>(seed) * 2);
    const Function g = check(f);
    named += names(f).size();
    kept += names(g).size();
  }
  EXPECT_GE(2 * kept, named);  // what is dissolved into a sum loses its name, no more
  fmt::print("  {} keeps {} of {} names\n", name, kept, named);
  for (const char* model : {"puma560", "stanford", "ur5"}) {
    for (const Method method : kMethods) {
      SCOPED_TRACE(fmt::format("{} by {}", model, to_string(method)));
      const Function f = trace_of(model, method), g = check(f);
      const OperationCount a = cost(f).operations, b = cost(g).operations;
      fmt::print("  {:12} {:9} {:22} {:4} × {:4} + {:2} /  →  {:4} × {:4} + {:2} /   {:g} → {:g}\n", name, model,
                 to_string(method), a.multiplications, a.additions, a.divisions, b.multiplications, b.additions,
                 b.divisions, price(f), price(g));
    }
  }
}

}  // namespace lw
