#include "codegen/languages/emit_python.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/process.hpp"
#include "base/random.hpp"
#include "other_languages.hpp"

namespace lw {
namespace emit_python_test {

const char* kPython = "/usr/bin/python3";  // Debian's, which has Debian's NumPy

// Reads states, prints what a function gives for each: one by one, and for all at once where `batch`.
std::string driver(const Program& program, const Function& f, bool batch) {
  std::string arguments, results;
  std::size_t at = 0;
  for (const Group& g : f.inputs()) {
    arguments += fmt::format("x[..., {}:{}], ", at, at + g.size);
    at += g.size;
  }
  std::string name = f.name();
  std::replace(name.begin(), name.end(), '-', '_');
  return fmt::format(R"(import numpy as np
import {0}
states = np.loadtxt('states.txt', ndmin=2)
def call(x):
    results = {0}.{1}({2})
    results = results if isinstance(results, tuple) else (results,)
    sizes = {3}
    rows = {4}
    flat = []
    for result, size, row in zip(results, sizes, rows):
        if row:
            assert result.shape == x.shape[:-1] + (row, size // row), result.shape
            result = np.swapaxes(result, -1, -2).reshape(x.shape[:-1] + (size,))
        assert result.shape == x.shape[:-1] + (size,), result.shape
        flat.append(result)
    return np.concatenate(flat, axis=-1)
values = {5}
for row in values:
    print(*(repr(float(v)) for v in row))
)",
                     program.name, name, arguments,
                     [&] {
                       std::string s = "[";
                       for (const Group& g : f.outputs()) s += std::to_string(g.size) + ", ";
                       return s + "]";
                     }(),
                     [&] {
                       std::string s = "[";
                       for (const Group& g : f.outputs()) s += std::to_string(g.rows) + ", ";
                       return s + "]";
                     }(),
                     batch ? "call(states.reshape(2, -1, states.shape[-1])).reshape(states.shape[0], -1)"
                           : "[call(x) for x in states]");
}

class EmitPython : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_program(kPython).empty() || run_program({kPython, "-c", "import numpy"}).status != 0) {
      GTEST_SKIP() << "no " << kPython << " with NumPy";
    }
  }

  double difference(const Program& program, const Function& f, const std::vector<std::vector<double>>& states,
                    bool batch) {
    const Scratch scratch;
    write(scratch, emit_python(program));
    write(scratch, {{"driver.py", driver(program, f, batch)}, {"states.txt", table(states)}});
    const std::string output = output_of(scratch, fmt::format("{} -W error -B driver.py", kPython));
    if (::testing::Test::HasFailure()) return 1.0;
    return relative_difference(numbers(output), interpreted(f, states));
  }
};

TEST_F(EmitPython, HasEveryOperation) {
  const Program program = every_operation();
  std::vector<std::vector<double>> states;
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    states.push_back({random.between(-4.0, 4.0), random.between(-4.0, 4.0), random.between(-4.0, 4.0)});
  }
  EXPECT_LE(difference(program, program.functions[0], states, false), 1e-13);
  EXPECT_LE(difference(program, program.functions[0], states, true), 1e-13);
}

TEST_F(EmitPython, AgreesWithTheInterpreterForEmbeddedModels) {
  for (const char* model : {"double-pendulum", "puma560", "stanford", "quadruped"}) {
    const Case c = model_case(model, 200);
    for (std::size_t k = 0; k < c.program.functions.size(); ++k) {
      const Function& f = c.program.functions[k];
      EXPECT_LE(difference(c.program, f, c.states[k], false), 1e-13) << model << " " << f.name();
      EXPECT_LE(difference(c.program, f, c.states[k], true), 1e-13) << model << " " << f.name();
    }
  }
}

TEST_F(EmitPython, BroadcastsAndRefusesWrongShapes) {
  const Case c = model_case("double-pendulum", 0);
  const Scratch scratch;
  write(scratch, emit_python(c.program));
  write(scratch, {{"driver.py", R"(
import numpy as np, double_pendulum as robot
q, qd, qdd = np.zeros(2), np.ones((3, 1, 2)), np.ones((4, 2))
many = robot.inverse(q, qd, qdd)
assert many.shape == (3, 4, 2), many.shape
assert np.array_equal(many[2, 1], robot.inverse([0, 0], [1, 1], [1, 1]))
try:
    robot.inverse(np.zeros(3), qd, qdd)
except ValueError as error:
    assert str(error) == "q has shape (3,); its last dimension must be 2", error
else:
    raise AssertionError
)"}});
  output_of(scratch, fmt::format("{} -B driver.py", kPython));
}

TEST_F(EmitPython, SelfTestPasses) {
  Case c = model_case("puma560", 20);
  c.program.functions[1] = named_program("puma560").functions[1];  // the mass matrix as a matrix
  std::vector<TestVectors> vectors;
  for (std::size_t k = 0; k < c.states.size(); ++k) vectors.push_back(vectors_of(c.program.functions[k], c.states[k]));
  const std::string run = fmt::format("{} -B puma560_selftest.py", kPython);
  const Scratch scratch;
  write(scratch, emit_python(c.program));
  write(scratch, {emit_python_selftest(c.program, vectors)});
  EXPECT_TRUE(output_of(scratch, run).ends_with("all right\n"));
  // a wrong number is found
  vectors[1].outputs[7][3] *= 1.0 + 1e-8;
  write(scratch, {emit_python_selftest(c.program, vectors)});
  const std::string output = output_of(scratch, "(" + run + ") || echo failed as it should");
  EXPECT_TRUE(output.ends_with("WRONG\nfailed as it should\n")) << output;
}

}  // namespace emit_python_test
}  // namespace lw
