// Equal limbs by one function, in the lanes of vectors: against the algorithms over double, and bit for bit against the
// interpreter.
#include "codegen/scene/limbs.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "agreement.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/compile.hpp"
#include "codegen/trace/traced.hpp"
#include "graph/interpreter.hpp"
#include "graph/outline.hpp"
#include "model/read/read.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace limbs_test {

const std::vector<std::string> kFunctions{"inverse", "forward", "mass-matrix"};

std::map<const Function*, int> calls(const Function& f) {
  std::map<const Function*, int> count;
  for (const NodeId id : f.order()) {
    if (f.graph()[id].op == Op::call) ++count[f.graph().calls()[f.graph()[id].a].function.get()];
  }
  return count;
}

TraceOptions by_limbs(bool fused = false) {
  TraceOptions options;
  options.limbs = true;
  options.fused = fused;
  return options;
}

TEST(Limbs, ARobotsLegsAndArmsAreFound) {
  const Mechanism quadruped = load("quadruped"), humanoid = load("humanoid");
  for (const std::string& function : kFunctions) {
    for (const auto& [limb, count] : calls(trace_function(quadruped, function, by_limbs()).function)) {
      EXPECT_EQ(count, 4) << function << " " << limb->name();
    }
    for (const auto& [limb, count] : calls(trace_function(humanoid, function, by_limbs()).function)) {
      EXPECT_EQ(count, 2) << function << " " << limb->name();
    }
  }
  EXPECT_EQ(calls(trace_function(quadruped, "inverse", by_limbs()).function).size(), 1u);
  EXPECT_EQ(calls(trace_function(humanoid, "inverse", by_limbs()).function).size(), 2u);   // arms, legs
  EXPECT_EQ(calls(trace_function(quadruped, "forward", by_limbs()).function).size(), 2u);  // inward and outward
  EXPECT_FALSE(has_calls(trace_function(load("puma560"), "inverse", by_limbs()).function));
}

// A body with `count` limbs of the same joints, all numbers their own.
Mechanism with_limbs(std::uint64_t seed, int count, bool floating) {
  Random random(seed);
  const int joints = 1 + random.below(3);
  std::vector<std::string> kinds;
  for (int k = 0; k < joints; ++k) kinds.push_back(random.below(4) == 0 ? "prismatic" : "revolute");
  const auto number = [&] { return random.between(-1.0, 1.0); };
  const auto inertia = [&] {
    const double mass = random.between(0.5, 2.0), com[] = {0.1 * number(), 0.1 * number(), 0.1 * number()},
                 moments[] = {random.between(0.2, 0.3), random.between(0.2, 0.3), random.between(0.2, 0.3)};
    return fmt::format("{{mass: {}, com: [{}, {}, {}], tensor: {{xx: {}, yy: {}, zz: {}, xy: {}}}}}", mass, com[0],
                       com[1], com[2], moments[0], moments[1], moments[2], 0.01 * number());
  };
  std::string text = fmt::format(
      "linkwright: 1\nname: many\nlinks:\n  - {{name: body, parent: base, joint: {{type: {}}}, inertia: {}}}\n",
      floating ? "floating" : "revolute, axis: y", inertia());
  for (int limb = 0; limb < count; ++limb) {
    std::string parent = "body";
    for (int k = 0; k < joints; ++k) {
      const std::string name = fmt::format("l{}_{}", limb, k);
      const char* axis = random.below(2) == 0 && seed % 3 == 0 ? "x" : "z";
      text += fmt::format(
          "  - {{name: {}, parent: {}, joint: {{type: {}, axis: {}, origin: {{xyz: [{}, {}, {}], rpy: [{}, {}, "
          "{}]}}}}, inertia: {}}}\n",
          name, parent, kinds[static_cast<std::size_t>(k)], axis, number(), number(), number(), number(), number(),
          number(), inertia());
      parent = name;
    }
  }
  ReadResult result = read_text(text, "many.yaml");
  return std::move(*result.mechanism);
}

TEST(Limbs, AnyNumbersAgreeWithTheReference) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Mechanism mechanism = with_limbs(seed, 2 + static_cast<int>(seed % 5), seed % 2 == 0);
    for (const std::string& function : kFunctions) {
      const Traced traced = trace_function(mechanism, function, by_limbs(seed % 3 == 0));
      found += has_calls(traced.function) ? 1 : 0;
      const Model<double> model = instantiate<double>(mechanism);
      EXPECT_LE(disagreement(model, traced.function, states_of(model, traced.function, 100)), 1.0)
          << seed << " " << function;
    }
  }
  EXPECT_GT(found, 11);
}

// What has neither an entry a velocity nor one for two of them belongs to no limb.
TEST(Limbs, OtherFunctionsAreUntouched) {
  const Mechanism mechanism = load("quadruped");
  const Model<double> model = instantiate<double>(mechanism);
  for (const std::string function : {"kinematics", "jacobian", "energy", "regressor"}) {
    TraceOptions options = by_limbs(false);
    options.optimize = false;
    const Traced traced = trace_function(mechanism, function, options);
    EXPECT_LE(verify(traced, 10).error, 1e-12) << function;
  }
}

TEST(Limbs, LanesGiveTheInterpretersBits) {
  Scratch scratch;
  std::vector<Mechanism> mechanisms{load("quadruped")};
  for (const std::uint64_t seed : {2u, 4u}) mechanisms.push_back(with_limbs(seed, static_cast<int>(seed) + 1, true));
  for (const Mechanism& mechanism : mechanisms) {
    ProgramOptions options;
    options.trace = native();
    const Program program =
        make_program(mechanism, {"inverse", "forward", "mass-matrix", "inverse-derivatives"}, options);
    JitOptions how;
    how.flags = {"-O1", "-march=native"};  // the same bits as any level and compiler, in the least time
    if (!find_program("clang").empty()) how.compiler = "clang";
    how.cache = scratch.cache();
    Compiled compiled = jit(program, how);
    ASSERT_TRUE(compiled.is_native());
    const Model<double> model = instantiate<double>(mechanism);
    for (const Function& f : program.functions) {
      Interpreter<double> interpret(f);
      std::vector<double> expected(f.output_size()), got(f.output_size());
      for (const std::vector<double>& state : states_of(model, f, 50)) {
        interpret(state, expected);
        compiled(f.name(), state, got);
        EXPECT_EQ(expected, got) << mechanism.name << " " << f.name();
      }
    }
  }
}

// More links than straight-line code is good for: steps of the recursion as functions, called in loops.
TEST(Limbs, LongMechanismsAreLoopsOverSteps) {
  Scratch scratch;
  for (const char* name : {"chain-70", "tree-80"}) {
    const Mechanism mechanism = load(name);
    const Model<double> model = instantiate<double>(mechanism);
    ProgramOptions options;
    options.trace = native();
    const Program program = make_program(mechanism, {"inverse", "forward"}, options);
    JitOptions how;
    how.flags = {"-O1", "-march=native"};  // the same bits as any level and compiler, in the least time
    if (!find_program("clang").empty()) how.compiler = "clang";
    how.cache = scratch.cache();
    Compiled compiled = jit(program, how);
    for (const Function& f : program.functions) {
      int steps = 0;
      for (const auto& [step, count] : calls(f)) steps += count;
      EXPECT_GT(steps, 40) << name << " " << f.name();
      EXPECT_LE(disagreement(model, f, states_of(model, f, 20)), 1.0) << name << " " << f.name();
      ASSERT_TRUE(compiled.is_native());
      Interpreter<double> interpret(f);
      std::vector<double> expected(f.output_size()), got(f.output_size());
      for (const std::vector<double>& state : states_of(model, f, 20)) {
        interpret(state, expected);
        compiled(f.name(), state, got);
        EXPECT_EQ(expected, got) << name << " " << f.name();
      }
    }
  }
}

}  // namespace limbs_test
}  // namespace lw
