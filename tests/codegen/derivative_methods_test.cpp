// Traced derivatives of the dynamics against the complex step over the reference algorithms, which know none of their
// formulas: every mechanism that comes with the project, random ones, kept parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "agreement.hpp"
#include "base/random.hpp"
#include "base/worse.hpp"
#include "codegen/compile.hpp"
#include "codegen/functions/derivative_methods.hpp"
#include "codegen/trace/verification.hpp"
#include "dynamics/canonical/composite.hpp"
#include "dynamics/derivatives/derivative_terms.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "graph/rewrite.hpp"
#include "model/displace.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "support/motion.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace derivative_methods_test {

using Values = std::vector<double>;

// d_q, d_qd, d_qdd or d_tau, then d_p, by columns.
Values by_complex_step(const Mechanism& mechanism, const std::string& function, const State& s,
                       const std::vector<std::string>& kept, const Values& p) {
  const Model<double> model = instantiate<double>(mechanism);
  const bool forward = function == "forward-derivatives";
  const auto nv = static_cast<std::size_t>(model.nv);
  Values all;
  std::vector<ComplexStep> out(nv);
  const auto column = [&](const Model<ComplexStep>& twin, const std::vector<ComplexStep>& q,
                          const std::vector<ComplexStep>& qd, const std::vector<ComplexStep>& last) {
    Workspace<ComplexStep> work(twin);
    if (forward) {
      aba<ComplexStep>(twin, work, q, qd, last, out);
    } else {
      rnea<ComplexStep>(twin, work, q, qd, last, out);
    }
    for (const ComplexStep& x : out) all.push_back(derivative_of(x));
  };
  const Values& last = forward ? s.tau : s.qdd;
  ParameterValues<ComplexStep> values;
  for (std::size_t k = 0; k < kept.size(); ++k) values[kept[k]] = p[k];
  const Model<ComplexStep> twin = instantiate<ComplexStep>(mechanism, values);
  for (int group = 0; group < 3; ++group) {
    for (std::size_t k = 0; k < nv; ++k) {
      Values e(nv, 0.0);
      e[k] = 1.0;
      column(twin, group == 0 ? moving(model, s.q, e) : still(s.q), group == 1 ? moving(s.qd, e) : still(s.qd),
             group == 2 ? moving(last, e) : still(last));
    }
  }
  for (const std::string& name : kept) {
    ParameterValues<ComplexStep> stepped = values;
    stepped[name].im = kComplexStep;
    column(instantiate<ComplexStep>(mechanism, stepped), still(s.q), still(s.qd), still(last));
  }
  return all;
}

// Group by group as a part of its largest entry; of groups that vanish, of the largest of all.
double error_of(const Function& f, const Values& got, const Values& expected) {
  double worst = 0.0, most = 0.0;
  for (const double x : expected) most = std::max(most, std::abs(x));
  std::size_t first = 0;
  for (const Group& g : f.outputs()) {
    double size = 1e-6 * most, difference = 0.0;
    for (std::size_t k = first; k < first + g.size; ++k) {
      size = std::max(size, std::abs(expected[k]));
      difference = worse(difference, std::abs(got[k] - expected[k]));
    }
    if (difference > 0.0 || difference != difference) worst = worse(worst, difference / size);
    first += g.size;
  }
  return worst;
}

// At the values p of what it keeps.
double worst_error(const Mechanism& mechanism, const Traced& traced, const Values& p, int states, std::uint64_t seed) {
  const Model<double> model = instantiate<double>(mechanism);
  const Function& f = traced.function;
  Interpreter<double> run(f);
  Random random(seed);
  double worst = 0.0;
  for (int k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    Values in, out(f.output_size());
    for (const Values& part : {s.q, s.qd, f.name() == "forward-derivatives" ? s.tau : s.qdd, p}) {
      in.insert(in.end(), part.begin(), part.end());
    }
    run(in, out);
    worst = worse(worst, error_of(f, out, by_complex_step(mechanism, f.name(), s, traced.parameters, p)));
  }
  return worst;
}
double worst_error(const Mechanism& mechanism, const Traced& traced, int states, std::uint64_t seed) {
  return worst_error(mechanism, traced, traced.parameter_values, states, seed);
}

constexpr double kAgreement = 1e-10;
const std::vector<std::string> kDerivatives{"inverse-derivatives", "forward-derivatives"};

TEST(DerivativeMethods, EveryEmbeddedTree) {
  int models = 0;
  for (const std::string& name : embedded_trees()) {
    const Mechanism mechanism = load(name);
    const bool large = instantiate<double>(mechanism).nv > 12;
    double worst = 0.0;
    for (const std::string& function : kDerivatives) {
      TraceOptions how;
      how.optimize = !large;
      const Traced traced = trace_function(mechanism, function, how);
      worst = worse(worst, worst_error(mechanism, traced, large ? 1 : 3, 1));
    }
    EXPECT_LE(worst, kAgreement) << name;
    ++models;
  }
  EXPECT_GE(models, 14);
}

// The cheapest method is not the only one that leads there.
TEST(DerivativeMethods, AllMethodsAgree) {
  for (const char* name : {"stanford", "torso", "quadruped"}) {
    const Mechanism mechanism = load(name);
    const Model<double> numbers = instantiate<double>(mechanism);
    const auto nq = static_cast<std::size_t>(numbers.nq), nv = static_cast<std::size_t>(numbers.nv);
    const std::size_t links = numbers.bodies.size();
    for (const bool forward : {false, true}) {
      const std::vector<Group> in{{"q", nq}, {"qd", nv}, {forward ? "tau" : "qdd", nv}},
          out{{"d_q", nv * nv, nv}, {"d_qd", nv * nv, nv}, {forward ? "d_tau" : "d_qdd", nv * nv, nv}};
      const TensorMethod plain{std::vector<bool>(links, false), std::vector<bool>(links, false)};
      const Function dynamics = trace("dynamics", {{"q", nq}, {"qd", nv}, {"qdd", nv}, {"step", nv}},
                                      {{"tau", nv}, {"M", nv * nv, nv}}, [&](const Arguments& x, Results& y) {
                                        const Model<Expr> model = instantiate<Expr>(mechanism);
                                        const CanonicalTree<Expr> tree = canonical_tree(model);
                                        const std::vector<Expr> q = displaced<Expr>(model, x[0], x[3]);
                                        tensor_inverse<Expr>(model, tree, plain, q, x[1], x[2], y[0]);
                                        composite_mass_matrix<Expr>(model, tree, plain, q, y[1]);
                                      });
      using Method = std::function<void(const Model<Expr>&, const Arguments&, Results&)>;
      std::vector<Method> methods{forward ? analytic_forward_derivatives : analytic_inverse_derivatives,
                                  [&](const Model<Expr>& model, const Arguments& x, Results& y) {
                                    const CanonicalTree<Expr> tree = canonical_tree(model);
                                    (forward ? composite_forward_derivatives : composite_inverse_derivatives)(
                                        model, tree, plain, nullptr, x, y);
                                  }};
      for (const Elimination order : kEliminations) {
        for (const bool composite : {false, true}) {
          methods.push_back(
              [&dynamics, order, composite, forward](const Model<Expr>& model, const Arguments& x, Results& y) {
                const EliminationMethod method{dynamics, order, composite};
                (forward ? forward_derivatives_by : inverse_derivatives_by)(model, method, x, y);
              });
        }
      }
      for (std::size_t k = 0; k < methods.size(); ++k) {
        const Function f =
            trace(forward ? "forward-derivatives" : "inverse-derivatives", in, out,
                  [&](const Arguments& x, Results& y) { methods[k](instantiate<Expr>(mechanism), x, y); });
        EXPECT_LE(disagreement(numbers, f, states_of(numbers, f, 20)), 1.0) << name << " method " << k;
      }
    }
  }
}

TEST(DerivativeMethods, RandomMechanisms) {
  double worst_inverse = 0.0, worst_forward = 0.0;
  for (std::uint64_t seed = 1; seed <= 48; ++seed) {
    RandomMechanismOptions options;
    options.joints = 1 + static_cast<int>(seed % 5);
    options.drives = options.springs = true;
    options.mimic = seed % 4 == 0 ? 0.3 : 0.0;
    const Mechanism mechanism = seed % 2 == 0 ? random_mechanism(seed, options) : special_mechanism(seed, options);
    TraceOptions how;
    how.fused = seed % 3 == 0;
    how.optimize = seed % 4 == 1;  // it takes long, and has tests of its own
    how.base_parameters = seed % 7 != 0;
    const double inverse = worst_error(mechanism, trace_function(mechanism, "inverse-derivatives", how), 3, seed);
    const double forward = worst_error(mechanism, trace_function(mechanism, "forward-derivatives", how), 3, seed);
    EXPECT_LE(inverse, kAgreement) << seed;
    EXPECT_LE(forward, kAgreement) << seed;
    worst_inverse = worse(worst_inverse, inverse);
    worst_forward = worse(worst_forward, forward);
  }
  fmt::print("  largest deviation: inverse {:.1e}, forward {:.1e} of the largest entry\n", worst_inverse,
             worst_forward);
}

const char* kKept = R"(
linkwright: 1
name: kept
parameters: {a: 0.3, b: 0.1, twice: 2*b, m: 1.5, r: 0.2, ratio: 10, stiff: 3, alpha: 0.4}
gravity: [0, 1, -9.7]
links:
  - name: one
    parent: base
    joint: {type: revolute, axis: z, origin: {xyz: [0, 0, b], rpy: [alpha, 0, 0]}}
    inertia: {mass: 2, com: [0.1, r, 0.03], tensor: {xx: 0.02, yy: 0.03, zz: 0.025, xy: 0.001}}
    drive: {ratio: ratio, rotor_inertia: 1e-3}
  - name: two
    parent: one
    joint: {type: revolute, axis: z, origin: {xyz: [a, twice, 0.1], rpy: [alpha, 0, 0]}}
    inertia: {mass: m, com: [r, 0.02, 0.03], tensor: {xx: 0.02, yy: 0.03, zz: 0.025, xy: 0.001}}
    spring: {stiffness: stiff, rest: 0.2}
  - name: ball
    parent: two
    joint: {type: spherical, origin: {xyz: [0, b, 0.1]}}
    inertia: {mass: m, com: [0, 0.02, r], tensor: {xx: 0.02, yy: 0.03, zz: 0.025}}
)";

TEST(DerivativeMethods, KeptParametersHaveColumns) {
  const ReadResult read = read_text(kKept, "kept.yaml");
  ASSERT_TRUE(read.mechanism);
  const Mechanism& mechanism = *read.mechanism;
  for (const std::vector<std::string>& keep : std::vector<std::vector<std::string>>{
           {"m"}, {"a", "r"}, {"b"}, {"b", "twice"}, {"ratio", "stiff"}, {"alpha"}, {"m", "a", "r", "alpha"}}) {
    for (const std::string& function : kDerivatives) {
      TraceOptions how;
      how.keep = keep;
      const Traced traced = trace_function(mechanism, function, how);
      EXPECT_EQ(traced.function.outputs().back().name, "d_p");
      EXPECT_EQ(traced.function.outputs().back().size, 5 * keep.size());
      EXPECT_LE(worst_error(mechanism, traced, 5, 1), kAgreement) << keep[0] << " " << function;
      Values elsewhere = traced.parameter_values;
      for (std::size_t k = 0; k < elsewhere.size(); ++k)
        elsewhere[k] = 1.1 * elsewhere[k] + 0.01 * static_cast<double>(k + 1);
      EXPECT_LE(worst_error(mechanism, traced, elsewhere, 5, 2), kAgreement) << keep[0] << " " << function;
      const Verification v = verify(traced, 20);
      EXPECT_TRUE(v.passed()) << keep[0] << " " << function << " " << v.error;
    }
  }
}

TEST(DerivativeMethods, VerificationFindsCodeThatIgnoresKeptParameters) {
  for (const std::string& function : kDerivatives) {
    TraceOptions how;
    how.keep = {"m2", "l1"};
    Traced traced = trace_function(load("double-pendulum"), function, how);
    ASSERT_TRUE(verify(traced, 20).passed());
    traced.function = with_numbers(traced.function, traced.parameter_values);
    EXPECT_FALSE(verify(traced, 20).passed()) << function;
  }
}

TEST(DerivativeMethods, VerificationFindsAWrongNumber) {
  for (const std::string& function : kDerivatives) {
    Traced traced = trace_function(load("puma560"), function);
    ASSERT_TRUE(verify(traced, 20).passed());
    traced.model.bodies[2].inertia.mass *= 1.0 + 1e-6;
    EXPECT_FALSE(verify(traced, 20).passed()) << function;
  }
}

// Grams and centimetres at the end of ten metres and half a ton. About the root's frame the moments of the needle are
// differences of numbers that are a million times larger.
const char* kLightAndFar = R"(
linkwright: 1
name: light-and-far
gravity: [0, 0, -9.81]
links:
  - name: turret
    parent: base
    joint: {type: revolute, axis: z}
    inertia: {mass: 200, com: [0.1, 0.02, 0.3], tensor: {xx: 20, yy: 18, zz: 12, xy: 0.3}}
  - name: boom
    parent: turret
    joint: {type: revolute, axis: y, origin: {xyz: [0.2, 0, 0.5]}}
    inertia: {mass: 500, com: [5, 0.1, 0.05], tensor: {xx: 30, yy: 4000, zz: 4000, xy: 2}}
  - name: wrist
    parent: boom
    joint: {type: revolute, axis: x, origin: {xyz: [10, 0, 0], rpy: [0.3, 0.2, 0.1]}}
    inertia: {mass: 0.002, com: [0.01, 0.002, 0.003], tensor: {xx: 1e-7, yy: 2e-7, zz: 2e-7}}
  - name: needle
    parent: wrist
    joint: {type: revolute, axis: y, origin: {xyz: [0.02, 0, 0.01]}}
    inertia: {mass: 0.001, com: [0.01, 0.002, 0.003], tensor: {xx: 1e-7, yy: 2e-7, zz: 1.5e-7}}
)";

TEST(DerivativeMethods, LightLinksFarOutKeepTheirDigits) {
  const ReadResult read = read_text(kLightAndFar, "light-and-far.yaml");
  ASSERT_TRUE(read.mechanism);
  const Model<double> model = instantiate<double>(*read.mechanism);
  Random random(1);
  // the reference itself, by the complex step
  const Reference by_duals = reference(model, "inverse-derivatives");
  Workspace<double> work(model);
  double worst = 0.0;
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(model, random);
    const DerivativeTerms terms = derivative_terms(model, work, s.q, s.qd, s.qdd);
    Values sizes = terms.d_q, in = s.q, out(48);
    for (const Values* part : {&terms.d_qd, &terms.d_qdd}) sizes.insert(sizes.end(), part->begin(), part->end());
    for (const Values* part : {&s.qd, &s.qdd}) in.insert(in.end(), part->begin(), part->end());
    by_duals(in, out);
    const Values expected = by_complex_step(*read.mechanism, "inverse-derivatives", s, {}, {});
    for (std::size_t e = 0; e < out.size(); ++e) worst = worse(worst, std::abs(out[e] - expected[e]) / sizes[e]);
  }
  EXPECT_LE(worst, 1e-14);
  for (const std::string& function : kDerivatives) {
    const Traced traced = trace_function(*read.mechanism, function);
    const Verification v = verify(traced, 200);
    EXPECT_LE(v.error, 1e-12) << function;
    fmt::print("  {}: {:.1e}, by {}\n", function, v.error, traced.methods.front().name);
  }
}

TEST(DerivativeMethods, VerificationSeesSmallEntries) {
  const ReadResult read = read_text(kLightAndFar, "light-and-far.yaml");
  ASSERT_TRUE(read.mechanism);
  for (const std::string& function : kDerivatives) {
    Traced traced = trace_function(*read.mechanism, function);
    traced.model.bodies[3].inertia.I(1, 1) *= 1.0 + 1e-8;
    EXPECT_FALSE(verify(traced, 20).passed()) << function;
  }
}

// Every entry by itself is off, by a part in 10⁹. The last axis of ur5 goes through the centre of mass of its link:
// what is left of the weight in that row of d_q is less than a thousandth of its terms, and there it takes a part in
// 10⁷.
TEST(DerivativeMethods, VerificationSeesEveryEntry) {
  Traced traced = trace_function(load("ur5"), "inverse-derivatives");
  const Function right = traced.function;
  int entries = 0;
  for (std::size_t e = 0; e < right.output_size(); ++e) {
    const auto passes_times = [&](double factor) {
      traced.function = trace(right.name(), right.inputs(), right.outputs(), [&](const Arguments& in, Results& out) {
        std::vector<Expr> x, y(right.output_size());
        for (const auto& part : in) x.insert(x.end(), part.begin(), part.end());
        evaluate<Expr>(right, x, y);
        y[e] = Expr(factor) * y[e];
        auto from = y.begin();
        for (auto& group : out) {
          for (Expr& to : group) to = *from++;
        }
      });
      return verify(traced, 5).passed();
    };
    if (passes_times(0.0)) continue;  // it is zero
    ++entries;
    const bool weightless = e < 36 && e % 6 == 5;
    EXPECT_FALSE(passes_times(1.0 + (weightless ? 1e-7 : 1e-9))) << e;
  }
  EXPECT_GT(entries, 60);
}

TEST(DerivativeMethods, CompiledGivesTheBitsOfTheInterpreter) {
  for (const char* name : {"double-pendulum", "torso", "ur5"}) {
    const Mechanism mechanism = load(name);
    const Model<double> model = instantiate<double>(mechanism);
    ProgramOptions options;
    options.trace.fused = machine_has_fma();
    const Program program = make_program(mechanism, functions_named(kDerivatives), options);
    Compiled compiled = jit(program);
    ASSERT_TRUE(compiled.is_native());
    for (const Function& f : program.functions) {
      Interpreter<double> run(f);
      for (const Values& in : states_of(model, f, 50)) {
        Values a(f.output_size()), b(f.output_size());
        run(in, a);
        compiled(f.name(), in, b);
        EXPECT_EQ(a, b) << name << " " << f.name();
      }
    }
  }
}

TEST(DerivativeMethods, FewerOperationsThanATape) {
  // CppADCodeGen on Pinocchio's RNEA and ABA with the numbers of the UR5: 2336 × + 1894 + and 14396 × + 15050 +
  const Mechanism ur5 = load("ur5");
  const OperationCount inverse = cost(trace_function(ur5, "inverse-derivatives").function).operations,
                       forward = cost(trace_function(ur5, "forward-derivatives").function).operations;
  EXPECT_LT(inverse.multiplications + inverse.additions, 4230 / 3);
  EXPECT_LT(forward.multiplications + forward.additions, 29446 / 10);
}

}  // namespace derivative_methods_test
}  // namespace lw
