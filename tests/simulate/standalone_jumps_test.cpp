// What a stand-alone simulator refuses: sensitivities through a stop, names that are none, results that cannot be
// written.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.hpp"
#include "base/process.hpp"
#include "model/read/read.hpp"
#include "simulate/standalone/standalone.hpp"
#include "support/scratch.hpp"

namespace lw {
namespace standalone_jumps_test {

const char* kStop = R"(
linkwright: 1
name: stop
gravity: [0, 0, 0]
parameters: {u: 0.3, kk: 400, cc: 30, m: 2}
links:
  - name: s
    parent: base
    joint: {type: prismatic, axis: x, limits: {lower: -1, upper: u, stiffness: kk, damping: cc}}
    inertia: {mass: m}
)";

class StopSimulator : public testing::Test {
 protected:
  void SetUp() override {
    StandaloneOptions options;
    options.program.trace.search.trials = 0;
    options.program.trace.friction = true;
    const ReadResult read = read_text(kStop, "stop.yaml");
    ASSERT_TRUE(read.mechanism);
    const Standalone made = make_standalone(*read.mechanism, options);
    for (const Artefact& file : made.files) write_file(path(file.path), file.text);
    std::vector<std::string> command{"c++", "-Wall", "-Wextra", "-Werror"};
    command.insert(command.end(), made.compile.begin(), made.compile.end());
    for (std::string& word : command) {
      if (word == "-O2") word = "-O0";
    }
    const Finished done = run_program(command, scratch_.path.string());
    ASSERT_EQ(done.status, 0) << done.output;
    // x = t + t²/2: the stop is reached at √1.6 − 1 = 0.265 s
    write_file(path("run.data"), "[start]\nqd(s) = 1\n[forces]\ns = 2\n[run]\nduration = 0.5\noutput = 0.05\n");
    // pressed in from beginning to end
    write_file(path("in.data"), "[start]\nq(s) = 0.35\n[run]\nduration = 0.03\noutput = 0.03\ntolerance = 1e-12\n");
  }
  std::string path(const std::string& name) const { return (scratch_.path / name).string(); }
  Finished shell(const std::string& line) const { return run_program({"sh", "-c", line}, scratch_.path.string()); }
  // The last number of a column.
  double last(const std::string& file, const std::string& column) const {
    std::ifstream in(path(file));
    std::string header, line, row;
    std::getline(in, header);
    while (std::getline(in, line)) row = line;
    std::istringstream names(header), cells(row);
    for (std::string name, cell; std::getline(names, name, ',') && std::getline(cells, cell, ',');) {
      if (name == column) return std::stod(cell);
    }
    return NAN;
  }

  Scratch scratch_;
};

TEST_F(StopSimulator, SensitivitiesEndWhereAStopIsReachedAndNothingIsLostUnseen) {
  EXPECT_EQ(shell("./stop selftest").status, 0);
  for (const char* method : {"verner", "rk4"}) {
    write_file(path("run.data"),
               std::string("[start]\nqd(s) = 1\n[forces]\ns = 2\n[run]\nduration = 0.5\noutput = 0.05\nintegrator = ") +
                   method + "\n");
    const Finished refused = shell("./stop forward run.data --sensitivity m,u --out reached.csv");
    EXPECT_EQ(refused.status, 3);
    EXPECT_NE(refused.output.find("`s` reaches or leaves its upper stop"), std::string::npos) << refused.output;
    EXPECT_NEAR(last("reached.csv", "t"), 0.25, 1e-12);
    EXPECT_NEAR(last("reached.csv", "dqd1/dm"), -2.0 * 0.25 / 4.0, 1e-9);
    EXPECT_EQ(shell("./stop forward run.data --out whole.csv").status, 0);
    EXPECT_NEAR(last("whole.csv", "t"), 0.5, 1e-12);
    EXPECT_EQ(shell("./stop forward run.data --set u=5 --sensitivity m --out free.csv").status, 0);
    EXPECT_NEAR(last("free.csv", "dqd1/dm"), -2.0 * 0.5 / 4.0, 1e-9);
  }
  // within the stop, against differences of whole runs
  EXPECT_EQ(shell("./stop forward in.data --sensitivity u,cc --out in.csv && ./stop forward in.data --set u=0.30001 "
                  "--out up.csv && "
                  "./stop forward in.data --set u=0.29999 --out down.csv")
                .status,
            0);
  EXPECT_NEAR(last("in.csv", "dqd1/du"), (last("up.csv", "qd1") - last("down.csv", "qd1")) / 2e-5, 1e-5);
  EXPECT_GT(last("in.csv", "dqd1/du"), 1.0);

  const Finished named = shell("./stop forward in.data --sensitivity 'foo(s)'");
  EXPECT_EQ(named.status, 2);
  EXPECT_NE(named.output.find("foo(s)"), std::string::npos) << named.output;
  EXPECT_EQ(shell("./stop forward in.data --sensitivity 'q(s),qd(s)'").status, 0);

  for (const char* command : {"forward in.data", "selftest", "data", "--help"}) {
    const Finished full = shell(std::string("./stop ") + command + " > /dev/full");
    EXPECT_EQ(full.status, 3) << command;
    EXPECT_NE(full.output.find("the standard output cannot be written"), std::string::npos) << full.output;
  }
  // a pipe is written into, a link followed, a file replaced
  EXPECT_EQ(shell("mkfifo pipe && { cat pipe > got.csv & } && ./stop forward in.data --out pipe; wait").status, 0);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_FALSE(std::filesystem::exists(path("pipe.part")));
  EXPECT_NEAR(last("got.csv", "t"), 0.03, 1e-12);
  EXPECT_EQ(shell("touch target.csv && ln -s target.csv link.csv && ./stop forward in.data --out link.csv").status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.csv")));
  EXPECT_NEAR(last("target.csv", "t"), 0.03, 1e-12);
}

}  // namespace standalone_jumps_test
}  // namespace lw
