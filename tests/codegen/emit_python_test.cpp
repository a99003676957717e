#include "codegen/emit_python.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/other_languages.hpp"

namespace lw {
namespace {

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

  double difference(const Program& program, const Function& f, const std::vector<std::vector<double>>& states, bool batch) {
    const Folder folder;
    folder.write(emit_python(program));
    write_file(folder.file("driver.py"), driver(program, f, batch));
    write_file(folder.file("states.txt"), table(states));
    const Finished ran = run_program(
        {"sh", "-c", fmt::format("cd '{}' && {} -W error -B driver.py", folder.path(), kPython)});
    EXPECT_EQ(ran.status, 0) << ran.output;
    if (ran.status != 0) return 1.0;
    return relative_difference(numbers(ran.output), interpreted(f, states));
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
  const Folder folder;
  folder.write(emit_python(c.program));
  write_file(folder.file("driver.py"), R"(
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
)");
  const Finished ran = run_program({"sh", "-c", fmt::format("cd '{}' && {} -B driver.py", folder.path(), kPython)});
  EXPECT_EQ(ran.status, 0) << ran.output;
}

}  // namespace
}  // namespace lw
