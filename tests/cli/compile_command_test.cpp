// linkwright compile: files that a user can take away, proven before they are written.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw {
namespace compile_command_test {

namespace fs = std::filesystem;
using test::has;
using test::linkwright;
using Json = nlohmann::json;

std::string out_folder(const std::string& name) { return test::folder() + "/" + name; }

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(CompileCommand, EveryLanguage) {
  struct Made {
    const char* language;
    std::set<std::string> files;
    const char* test;
  };
  const std::string base = "double_pendulum";
  for (const Made& m :
       {Made{"c",
             {base + ".h", base + ".c", base + "_c_vectors.csv", base + "_selftest.c", base + "_c_report.json"},
             "passed"},
        Made{"c++",
             {base + ".hpp", base + ".cpp", base + "_cpp_vectors.csv", base + "_selftest.cpp",
              base + "_cpp_report.json"},
             "passed"},
        Made{"fortran",
             {base + ".f90", base + "_selftest.f90", base + "_fortran_vectors.csv", base + "_fortran_report.json"},
             "passed"},
        Made{"python",
             {base + ".py", base + "_selftest.py", base + "_python_vectors.csv", base + "_python_report.json"},
             "passed"},
        Made{"latex", {base + ".tex", base + "_latex_report.json"}, "none"},
        Made{"text", {base + ".txt", base + "_text_report.json"}, "none"},
        Made{"dot", {base + "_inverse.dot", base + "_forward.dot", base + "_dot_report.json"}, "none"}}) {
    const std::string out = out_folder(std::string("made-") + m.language);
    const test::Outcome run = linkwright({"compile", "double-pendulum", "--functions", "inverse,forward", "--language",
                                          m.language, "--out", out, "--json"});
    ASSERT_EQ(run.code, 0) << m.language << ": " << run.err;
    const Json json = run.json();
    std::set<std::string> names, there;
    for (const auto& file : json["files"]) names.insert(fs::path(file.get<std::string>()).filename().string());
    for (const auto& entry : fs::directory_iterator(out)) there.insert(entry.path().filename().string());
    EXPECT_EQ(names, m.files) << m.language;
    EXPECT_EQ(there, m.files) << m.language;
    EXPECT_TRUE(json["self_test"] == m.test || json["self_test"] == "not run")
        << m.language << " " << json["self_test"];
    ASSERT_EQ(json["functions"].size(), 2u);
    EXPECT_EQ(json["functions"][1]["name"], "forward");
    for (const char* field : {"multiplications", "additions", "trig", "depth"})
      EXPECT_GT(json["functions"][0][field].get<int>(), 0);
    const Json report = Json::parse(text_of(json["files"].back().get<std::string>()));
    EXPECT_EQ(report["language"], m.language);
    EXPECT_EQ(report["self_test"], json["self_test"]);
    EXPECT_EQ(report["functions"][0]["operations"]["multiplications"], json["functions"][0]["multiplications"]);
  }
}

const char* kAllFunctions = "inverse,forward,mass-matrix,bias,kinematics,jacobian,energy,regressor";

TEST(CompileCommand, EveryFunctionInCAndCpp) {
  for (const char* language : {"c", "c++"}) {
    const test::Outcome run = linkwright({"compile", "twu-rrrp", "--functions", kAllFunctions, "--language", language,
                                          "--out", out_folder("all"), "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.json()["self_test"], "passed");
    EXPECT_EQ(run.json()["functions"].size(), 8u);
  }
}

TEST(CompileCommand, WhereNothingMoves) {
  const std::string still = test::write("still.yaml",
                                        "linkwright: 1\nname: still\nlinks:\n"
                                        "  - {name: a, parent: base, joint: {type: fixed}, inertia: {mass: 1}}\n");
  for (const char* language : {"c", "c++", "fortran", "python", "latex", "text", "dot"}) {
    const test::Outcome run = linkwright({"compile", still, "--functions", kAllFunctions, "--language", language,
                                          "--out", out_folder("still"), "--json"});
    ASSERT_EQ(run.code, 0) << language << run.err;
    EXPECT_EQ(run.json()["functions"].size(), 8u);
  }
}

// b turns on the axis of a and has no mass: no torque says how fast.
TEST(CompileCommand, AccelerationsThatAreNotDetermined) {
  const std::string file = test::write(
      "singular.yaml",
      "linkwright: 1\nname: singular\nlinks:\n"
      "  - {name: a, parent: base, joint: {type: revolute, axis: z}, inertia: {mass: 1, com: [0.1, 0, 0]}}\n"
      "  - {name: b, parent: a, joint: {type: revolute, axis: z}}\n");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"compile", file, "--functions", "bias,forward", "--out", out_folder("no")},
           {"count", file, "--function", "forward"},
           {"bench", file, "--peers", "none"}}) {
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, 3) << words[0];
    EXPECT_TRUE(has(run.err, "the mass matrix is singular: nothing resists an acceleration of `b`")) << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_FALSE(fs::exists(out_folder("no")));
  EXPECT_EQ(linkwright({"compile", file, "--functions", "inverse,bias,mass-matrix", "--out", out_folder("yes")}).code,
            0);
}

// The operations are those that `count` counts under the same options.
TEST(CompileCommand, CountsWhatCountCounts) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {}, {"--keep", "a2"}, {"--parameters", "full"}, {"--objective", "depth"}}) {
    std::vector<std::string> count{"count", "puma560", "--json"},
        compile{"compile", "puma560", "--json", "--language", "text", "--out", out_folder("same")};
    count.insert(count.end(), options.begin(), options.end());
    compile.insert(compile.end(), options.begin(), options.end());
    const Json counted = linkwright(count).json(), made = linkwright(compile).json();
    for (const char* field : {"multiplications", "additions", "divisions", "trig"})
      EXPECT_EQ(counted[field], made["functions"][0][field]) << field;
  }
}

TEST(CompileCommand, OptionsDoWhatTheySay) {
  const std::string out = out_folder("options");
  const auto made = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"compile", "double-pendulum", "--out", out, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.json()["self_test"], "passed");
    return text_of(run.json()["files"][1].get<std::string>());
  };
  EXPECT_TRUE(has(made({}), "#define LW_FMA("));
  EXPECT_FALSE(has(made({"--no-fma"}), "#define LW_FMA("));
  EXPECT_TRUE(has(made({"--libm"}), "#include <math.h>"));
  EXPECT_FALSE(has(made({}), "#include <math.h>"));
  EXPECT_TRUE(has(made({"--name", "swing"}), "void swing_inverse("));
  EXPECT_TRUE(has(made({"--float"}), "const float *"));
  EXPECT_TRUE(has(made({"--float", "--language", "c++"}), "float"));
}

// What a user needs who has the files and nothing else: how they were made, what they leave out, what the vectors hold.
TEST(CompileCommand, FilesSayHowTheyWereMade) {
  const std::string file = test::write("cart.yaml", R"(linkwright: 1
name: cart
parameters: {l: 0.5, mu: 0.2}
links:
  - {name: slide, parent: base, joint: {type: prismatic, axis: x}, inertia: {mass: 10}, friction: {viscous: mu}}
  - {name: swing, parent: slide, joint: {type: revolute, axis: y}, inertia: {mass: 2, com: [0, 0, -l]}}
)");
  const std::string out = out_folder("cart");
  const test::Outcome run =
      linkwright({"compile", file, "--functions", "inverse,jacobian,regressor", "--keep", "l,mu", "--set", "l=0.7",
                  "--payload", "swing:3@0,0,-1", "--objective", "depth", "--out", out});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "no written function depends on `mu`")) << run.err;
  const std::string header = text_of(out + "/cart.h");
  for (const char* part :
       {"--set l=0.7 --payload swing:3@0,0,-1 --keep l,mu --parameters base --objective depth --snap 1e-10",
        "--search 1000 --frame swing", "Left out: friction and damping of 1 joint (slide)",
        "p[0] is l (0.7 in this mechanism)", "q: positions: [0] slide (m); [1] swing (rad)",
        "tau: torques and forces at the joints, in the order of q (N, N m)", "angular velocity x, y, z of `swing`",
        "[0-19] slide.m, .mx, .my", "a column for every inertial parameter"}) {
    EXPECT_TRUE(has(header, part)) << part << " in\n" << header;
  }
  const Json report = Json::parse(text_of(out + "/cart_c_report.json"));
  EXPECT_EQ(report["parameters"][0]["value"], 0.7);
  EXPECT_EQ(report["vectors"]["qd"]["entries"][0], (Json{{"name", "slide"}, {"unit", "m/s"}}));
  EXPECT_EQ(report["vectors"]["Y"]["entries"].size(), 20u);
  EXPECT_EQ(report["left_out"].size(), 1u);
}

// Vectors of one name that mean different things in two functions.
TEST(CompileCommand, HeadsTellDerivativesOfTwoFunctionsApart) {
  const std::string out = out_folder("both");
  ASSERT_EQ(linkwright({"compile", "double-pendulum", "--functions", "inverse-derivatives,forward-derivatives",
                        "--batch", "4", "--out", out})
                .code,
            0);
  const std::string header = text_of(out + "/double_pendulum.h");
  EXPECT_TRUE(has(header, "d_q: derivative of tau by q")) << header;
  EXPECT_TRUE(has(header, "d_q of forward-derivatives: derivative of qdd by q")) << header;
  EXPECT_TRUE(has(header, "--batch 4")) << header;
}

// Torques that nearly vanish, as sums of large terms, are no reason to refuse.
TEST(CompileCommand, TakesOrdinaryValuesOfParameters) {
  for (const char* value : {"l1=0.9", "l1=0.89", "l2=1.20"}) {
    const test::Outcome made =
        linkwright({"compile", "double-pendulum", "--set", value, "--out", out_folder("ordinary")});
    EXPECT_EQ(made.code, 0) << value << made.err;
  }
}

// Friction in both directions of the dynamics, in C; the file says so, and what is left out is nothing.
TEST(CompileCommand, Friction) {
  const std::string out = out_folder("friction");
  const test::Outcome run = linkwright({"compile", "puma560-dhanaraj", "--friction", "--functions",
                                        "inverse,forward,friction", "--search", "0", "--out", out, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["self_test"], "passed");
  const std::string header = text_of(out + "/puma560_dhanaraj.h");
  for (const char* part :
       {"--friction", "inverse, forward: friction of the joints and losses of the drives are included",
        "motor: total on the motors' side"}) {
    EXPECT_TRUE(has(header, part)) << part << " in\n" << header;
  }
  EXPECT_FALSE(has(header, "Left out")) << header;
  const test::Outcome fortran = linkwright({"compile", "puma560-dhanaraj", "--friction", "--functions", "forward",
                                            "--search", "0", "--language", "fortran", "--out", out});
  EXPECT_EQ(fortran.code, 2) << fortran.out;
  EXPECT_TRUE(has(fortran.err, "use C or C++")) << fortran.err;
}

TEST(CompileCommand, FloatingBasesSayInWhichOrder) {
  const std::string out = out_folder("quadruped");
  const test::Outcome run = linkwright({"compile", "quadruped", "--out", out, "--search", "0"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "deriving and simplifying `inverse`")) << "it takes a while";
  const std::string header = text_of(out + "/quadruped.h");
  EXPECT_TRUE(has(header, "[0-2] trunk.x, .y, .z (m); [3-6] trunk.qx, .qy, .qz, .qw;")) << header;
  EXPECT_TRUE(has(header, "[0-2] trunk.wx, .wy, .wz (rad/s); [3-5] trunk.vx, .vy, .vz (m/s)")) << header;
}

// Nothing of one language or precision is written over by another.
TEST(CompileCommand, OneFolderForAll) {
  const std::string out = out_folder("together");
  std::set<std::string> files;
  std::size_t written = 0;
  for (const std::vector<std::string>& form : std::vector<std::vector<std::string>>{{},
                                                                                    {"--float"},
                                                                                    {"--language", "c++"},
                                                                                    {"--language", "c++", "--float"},
                                                                                    {"--language", "python"},
                                                                                    {"--language", "text"}}) {
    std::vector<std::string> words{"compile", "double-pendulum", "--json", "--out", out};
    words.insert(words.end(), form.begin(), form.end());
    const test::Outcome run = linkwright(words);
    ASSERT_EQ(run.code, 0) << run.err;
    const nlohmann::json json = run.json();
    for (const auto& f : json["files"]) files.insert(f.get<std::string>()), ++written;
  }
  EXPECT_EQ(files.size(), written);
  const Json report = Json::parse(text_of(out + "/double_pendulumf_c_report.json"));
  EXPECT_EQ(report["precision"], "single");
  EXPECT_EQ(report["functions"][0]["symbol"], "double_pendulumf_inverse");
  EXPECT_TRUE(has(text_of(out + "/double_pendulumf.h"), "double_pendulumf_inverse: "));
}

// Two links of micrometres and, far away, one without mass: by its distance the others count as nothing.
std::string micrometres_on_a_long_rod(double rod) {
  const std::string body = "inertia: {mass: 1e-9, com: [1e-6, 0, 0], tensor: {xx: 1e-21, yy: 1e-21, zz: 1e-21}}";
  return test::write("micro.yaml", fmt::format(R"(
linkwright: 1
name: micro
links:
  - {{name: a, parent: base, joint: {{type: revolute, axis: z, origin: {{rpy: [90 deg, 0, 0]}}}}, {0}}}
  - {{name: b, parent: a, joint: {{type: revolute, axis: z, origin: {{xyz: [2e-6, 0, 0]}}}}, {0}}}
  - {{name: tip, parent: b, joint: {{type: revolute, axis: z, origin: {{xyz: [{1:g}, 0, 0]}}}}}}
)",
                                               body, rod));
}

// What nobody asked for is not done silently; what somebody asked for is done and said.
TEST(CompileCommand, SnappingThatChangesResults) {
  const std::string out = out_folder("snapped"), micro = micrometres_on_a_long_rod(1e5);
  const test::Outcome refused = linkwright({"compile", micro, "--out", out});
  EXPECT_EQ(refused.code, 1) << refused.out;
  EXPECT_TRUE(has(refused.err, "changes results by")) << refused.err;
  EXPECT_TRUE(has(refused.err, "--snap 0")) << refused.err;
  EXPECT_FALSE(fs::exists(out));
  const test::Outcome asked = linkwright({"compile", micro, "--snap", "1e-10", "--out", out});
  EXPECT_EQ(asked.code, 0) << asked.err;
  EXPECT_TRUE(has(asked.err, "warning")) << asked.err;
  EXPECT_TRUE(has(asked.out, "snapping changes results by")) << asked.out;
  const test::Outcome never = linkwright({"compile", micro, "--snap", "0", "--out", out, "--json"});
  EXPECT_EQ(never.code, 0) << never.err;
  EXPECT_EQ(never.json()["snapping"], 0.0);
}

// The self-test holds code to what it was made from, however much snapping moved that.
TEST(CompileCommand, SelfTestsAreAsStrictAfterSnapping) {
  const std::string out = out_folder("strict");
  const std::vector<std::string> words{"compile", micrometres_on_a_long_rod(1e5), "--snap", "1e-10", "--out", out};
  ASSERT_EQ(linkwright(words).code, 0);
  const std::string test = text_of(out + "/micro_selftest.c");
  EXPECT_TRUE(has(test, "inverse_outputs, inverse_sizes, 1e-10)")) << test;
  EXPECT_EQ(test::shell("cd " + out + " && cc -std=c11 -O2 micro.c micro_selftest.c -o t -lm && ./t").code, 0);
}

// Single precision has seven digits, and the self-test knows five of them.
TEST(CompileCommand, SelfTestsInSinglePrecisionAreStrict) {
  const std::string out = out_folder("single");
  ASSERT_EQ(linkwright({"compile", "puma560", "--float", "--out", out}).code, 0);
  const std::string build =
      "cd " + out + " && cc -std=c11 -O2 -march=native puma560f.c puma560f_selftest.c -o t -lm && ./t";
  EXPECT_EQ(test::shell(build).code, 0);
  ASSERT_EQ(test::shell("cd " + out + " && sed -i 's/tau\\[1\\] =/tau[1] = 1.0001f */' puma560f.c").code, 0);
  ASSERT_TRUE(has(text_of(out + "/puma560f.c"), "1.0001f"));
  const test::Outcome wrong = test::shell(build);
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.out, "WRONG")) << wrong.out << wrong.err;
}

// What a user does with it: compile and link with a program of one's own.
TEST(CompileCommand, TheCodeStandsAlone) {
  const std::string out = out_folder("alone");
  ASSERT_EQ(linkwright({"compile", "puma560", "--functions", "inverse", "--keep", "a2", "--out", out}).code, 0);
  std::ofstream(out + "/main.c")
      << "#include <stdio.h>\n#include \"puma560.h\"\nint main(void) {\n"
         "  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, z[6] = {0}, p[1] = {0.7}, tau[6];\n"
         "  puma560_inverse(q, z, z, p, tau);\n  printf(\"%.17g\", tau[1]);\n}\n";
  const test::Outcome run = test::shell(
      "cd " + out + " && cc -std=c11 -Wall -Wextra -Wconversion -Werror main.c puma560.c -o main && ./main");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json expected =
      linkwright({"inverse", "puma560", "--set", "a2=0.7", "--q", "0.1,0.2,0.3,0.4,0.5,0.6", "--json"}).json();
  EXPECT_NEAR(std::stod(run.out), expected["tau"][1].get<double>(), 1e-11);
}

// Results that are zero, of terms that cancel, are right to the rounding of the terms: derivatives of a parallelogram,
// the potential of a geared five-bar, torques of a balanced arm. The self-tests of all languages take them.
TEST(CompileCommand, ResultsThatCancel) {
  const std::string parallelogram = test::write("parallelogram.yaml", R"(linkwright: 1
name: nfour1
gravity: [0, -9.81, 0]
links:
  - {name: v0, parent: base, joint: {name: A0, type: revolute, axis: z, actuated: true}, inertia: {mass: 1, com: [0, 0.5, 0], tensor: [1/12, 0, 1/12]}}
  - {name: h1, parent: v0, joint: {name: H1, type: revolute, axis: z, origin: {xyz: [0, 1, 0]}}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0, 1/12, 1/12]}}
  - {name: v1, parent: h1, joint: {name: B1, type: revolute, axis: z, origin: {xyz: [1, 0, 0]}}, inertia: {mass: 1, com: [0, -0.5, 0], tensor: [1/12, 0, 1/12]}}
loops:
  - {name: L1, joint: {type: revolute, axis: z}, between: [base, v1], at: {base: {xyz: [1, 0, 0]}, v1: {xyz: [0, -1, 0]}}}
)"),
                    geared = test::write("geared.yaml", R"(linkwright: 1
name: geared
gravity: [0, -9.81, 0]
links:
  - {name: c1, parent: base, joint: {name: T1, type: revolute, axis: z, origin: {xyz: [0.2, 0, 0]}, actuated: true}, inertia: {mass: 1, com: [0.12, 0.02, 0], tensor: [0.02, 0.02, 0.02]}}
  - {name: r1, parent: c1, joint: {name: U1, type: revolute, axis: z, origin: {xyz: [0.3, 0, 0]}}, inertia: {mass: 0.7, com: [0.25, 0, 0], tensor: [0.03, 0.03, 0.03]}}
  - {name: c2, parent: base, joint: {name: T2, type: revolute, axis: z, origin: {xyz: [-0.2, 0, 0]}, mimic: {joint: T1, ratio: -1, offset: pi}}, inertia: {mass: 1, com: [0.12, 0.02, 0], tensor: [0.02, 0.02, 0.02]}}
  - {name: r2, parent: c2, joint: {name: U2, type: revolute, axis: z, origin: {xyz: [0.3, 0, 0]}}, inertia: {mass: 0.9, com: [0.2, 0, 0], tensor: [0.03, 0.03, 0.03]}}
loops:
  - {name: P, joint: {type: revolute, axis: z}, between: [r1, r2], at: {r1: {xyz: [0.6, 0, 0]}, r2: {xyz: [0.6, 0, 0]}}}
home: {T1: 0.5, U1: 1.6, U2: -1.6}
)"),
                    balanced = test::write("balanced.yaml", R"(linkwright: 1
name: balanced
links:
  - {name: a, parent: base, joint: {type: revolute, axis: y}, inertia: {mass: 1, com: [-0.2, 0, 0], tensor: [0.1, 0.1, 0.1], about: com}}
  - {name: b, parent: a, joint: {type: revolute, axis: z, origin: {xyz: [0.2, 0, 0]}}, inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}}
)");
  const auto passes = [](std::vector<std::string> words) {
    words.insert(words.begin(), "compile");
    words.insert(words.end(), {"--out", out_folder("cancel"), "--json"});
    const test::Outcome o = linkwright(words);
    ASSERT_EQ(o.code, 0) << words[1] << ": " << o.err;
    EXPECT_EQ(o.json()["self_test"], "passed") << words[1];
  };
  passes({parallelogram, "--functions", "forward-derivatives,inverse-derivatives"});
  passes({geared, "--functions", "energy"});
  for (const char* language : {"c", "c++", "fortran", "python"})
    passes({balanced, "--functions", "bias,inverse,forward,energy", "--language", language});
  passes({balanced, "--functions", "bias,forward", "--float"});
}

TEST(CompileCommand, RefusesWithAReasonAndWritesNothing) {
  const std::string out = out_folder("refused");
  const auto refused = [&](std::vector<std::string> words, int code, const char* part) {
    words.insert(words.begin(), "compile");
    words.insert(words.end(), {"--out", out});
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_TRUE(has(run.err, part)) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(fs::exists(out));
  };
  refused({"double-pendulum", "--functions", "inverse,foo"}, 2, "there is no function `foo`");
  refused({"double-pendulum", "--functions", "inverse,inverse"}, 2, "named twice");
  refused({"double-pendulum", "--language", "pascal"}, 2, "fortran");
  refused({"double-pendulum", "--name", "3x"}, 2, "`robot_3x` is");
  refused({"double-pendulum", "--name", "class"}, 2, "`class_robot` is");
  refused({"double-pendulum", "--float", "--language", "fortran"}, 2, "not fortran");
  refused({"double-pendulum", "--keep", "nothing"}, 2, "`nothing` is not a parameter");
  refused({"double-pendulum", "--keep", "nothing"}, 2, "known here: ");
  refused({"double-pendulum", "--libm", "--language", "python"}, 2, "--libm requires C or C++");
  refused({"double-pendulum", "--no-fma", "--language", "latex"}, 2, "--no-fma requires C or C++");
  refused({"double-pendulum", "--frame", "link2"}, 2, "--frame is for `kinematics` and `jacobian`");
  refused({"puma560", "--set", "a2=1", "--set", "a2=2"}, 2, "`a2` is given twice");
  refused({"double-pendulum", "--dense"}, 2, "no option `--dense`");
}

TEST(CompileCommand, FoldersThatCannotBeWritten) {
  const test::Outcome below_a_file =
      linkwright({"compile", "double-pendulum", "--out", test::write("a-file", "x") + "/below"});
  EXPECT_EQ(below_a_file.code, 3);
  EXPECT_TRUE(has(below_a_file.err, "Not a directory")) << below_a_file.err;
  if (geteuid() == 0) return;  // for whom no folder is closed
  const std::string closed = out_folder("closed");
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  const test::Outcome run = linkwright({"compile", "double-pendulum", "--out", closed});
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(fs::is_empty(closed));
}

// A limit on the size of files is as a disk that is full: nothing half-written stays.
TEST(CompileCommand, ADiskThatIsFull) {
  const std::string out = out_folder("full");
  const test::Outcome run =
      test::shell("trap '' XFSZ; ulimit -f 4; linkwright compile puma560 --language text --out " + out);
  EXPECT_EQ(run.code, 3) << run.err;
  EXPECT_TRUE(has(run.err, "puma560.txt")) << run.err;
  if (!fs::exists(out)) return;
  for (const auto& entry : fs::directory_iterator(out)) {
    EXPECT_NE(entry.path().filename().string().rfind("puma560", 0), 0u) << entry.path();
  }
}

TEST(CompileCommand, CompilersThatAreNotThere) {
  const std::string out = out_folder("no-compiler");
  const test::Outcome none = test::shell("CC=/no/such/compiler linkwright compile double-pendulum --json --out " + out);
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(none.json()["self_test"], "not run");
  // one with arguments of its own, and Python without anything else
  const test::Outcome two = test::shell("CC='env cc' linkwright compile double-pendulum --json --out " + out);
  EXPECT_EQ(two.json()["self_test"], "passed") << two.err;
  const test::Outcome bare = test::shell(
      "PATH=/nowhere \"$(command -v linkwright)\" compile double-pendulum --language python --json --out " + out);
  ASSERT_EQ(bare.code, 0) << bare.err;
  EXPECT_NE(bare.json()["self_test"], "failed");
  // and one that fails
  const test::Outcome fails = test::shell("CC=false linkwright compile double-pendulum --out " + out + "-2");
  EXPECT_EQ(fails.code, 4) << fails.err;
  EXPECT_TRUE(has(fails.err, "nothing is written"));
  EXPECT_TRUE(has(fails.err, "exit code 1")) << "it said nothing itself";
  const test::Outcome nowhere = test::shell("TMPDIR=/nowhere linkwright compile double-pendulum --out " + out + "-2");
  EXPECT_EQ(nowhere.code, 3);
  EXPECT_TRUE(has(nowhere.err, "TMPDIR")) << nowhere.err;
  EXPECT_FALSE(fs::exists(out + "-2"));
}

TEST(CompileCommand, BatchesAreAPairOfFilesOfTheirOwn) {
  const std::string out = out_folder("batch");
  const test::Outcome run = linkwright({"compile", "double-pendulum", "--batch", "8", "--out", out, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.json()["self_test"] == "passed" || run.json()["self_test"] == "not run");
  EXPECT_TRUE(has(text_of(out + "/double_pendulum_batch.h"),
                  "void double_pendulum_inverse_batch(size_t n, const double *q, const double *qd, const double *qdd, "
                  "double *tau);"));
  EXPECT_TRUE(has(text_of(out + "/double_pendulum_batch.c"), "#define LW_LANES 8"));
  EXPECT_TRUE(has(text_of(out + "/double_pendulum_selftest.c"), "double_pendulum_inverse_batch"));
}

TEST(CompileCommand, BatchesTakeFourEightOrSixteenLanesInCAndCpp) {
  for (const char* lanes : {"0", "1", "3", "5", "32", "-8", "8.5", "many"}) {
    const test::Outcome run = linkwright({"compile", "double-pendulum", "--batch", lanes, "--out", out_folder("none")});
    EXPECT_EQ(run.code, 2) << lanes;
  }
  const test::Outcome run = linkwright({"compile", "double-pendulum", "--batch", "8", "--language", "fortran"});
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(has(run.err, "--batch requires C or C++")) << run.err;
}

// Messages so cheap that small functions are divided.
std::string eager_machine() {
  return test::write(
      "eager.yaml",
      "machine: eager\nunit: seconds\nprocessors: 4\ntopology: shared\n"
      "operations: {multiplication: 1e-9, addition: 1e-9, division: 5e-9, root: 5e-9, trigonometric: 5e-9}\n"
      "messages: {start_up: 4e-9, per_byte: 1e-11}\n");
}

TEST(CompileCommand, DividedOverProcessors) {
  const std::string out = out_folder("divided");
  const test::Outcome run = linkwright({"compile", "puma560", "--functions", "inverse,mass-matrix", "--processors", "2",
                                        "--machine", eager_machine(), "--keep", "a2", "--out", out, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json json = run.json();
  EXPECT_TRUE(json["self_test"] == "passed" || json["self_test"] == "not run");
  for (const Json& f : json["functions"]) {
    EXPECT_EQ(f["divided"]["processors"], 2);
    EXPECT_EQ(f["divided"]["machine"], "eager");
    EXPECT_GT(f["divided"]["messages"].get<int>(), 0);
    EXPECT_LT(f["divided"]["predicted"].get<double>(), f["divided"]["predicted_on_one"].get<double>());
  }
  const std::string header = text_of(out + "/puma560_p2.h");
  EXPECT_TRUE(has(
      header, "int puma560_inverse_on(int processor, unsigned long long evaluation, puma560_inverse_shared *shared,"))
      << header;
  EXPECT_TRUE(has(header, "static puma560_inverse_shared shared;"));
  EXPECT_TRUE(has(header, "inverse on 2 processors: "));
  EXPECT_TRUE(has(text_of(out + "/puma560_c_report.json"), "\"puma560_p2.c\""));

  // as a user compiles it, without a word; then its self-test without a race
  const std::string files = "puma560.c puma560_p2.c puma560_selftest.c";
  for (const std::string compiler : {"gcc", "clang"}) {
    if (test::shell("command -v " + compiler).code != 0) continue;
    const test::Outcome strict =
        test::shell("cd " + out + " && " + compiler +
                    " -std=c11 -O1 -march=native -ffp-contract=off -Wall -Wextra -Wconversion -Wpedantic -Werror " +
                    files + " -o selftest -pthread -lm && ./selftest");
    EXPECT_EQ(strict.code, 0) << strict.out << strict.err;
    EXPECT_TRUE(has(strict.out, "2 processors, 10 rounds: the bits of one; one that does not come is noticed"))
        << strict.out;
  }
  const test::Outcome races =
      test::shell("cd " + out + " && gcc -std=c11 -O1 -g -march=native -ffp-contract=off -fsanitize=thread " + files +
                  " -o races -pthread -lm && ./races");
  if (has(races.err, "unexpected memory mapping")) return;  // the sanitizer does not run here
  EXPECT_EQ(races.code, 0) << races.out << races.err;

  // a self-test that can fail: a result that nobody writes, and a processor that never says that it is done
  const auto spoilt = [&](const std::string& change, const char* words) {
    const test::Outcome wrong = test::shell(
        "mkdir -p " + out + "/spoilt && cd " + out + "/spoilt && cp ../*.[ch] . && " + change +
        " && cc -std=c11 -march=native -ffp-contract=off " + files + " -o selftest -pthread -lm && ./selftest");
    EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
    EXPECT_TRUE(has(wrong.out, words)) << wrong.out;
  };
  spoilt("sed -i '/^  tau\\[2\\] = /d' puma560_p2.c", "other bits than on one processor in 200 evaluations");
  spoilt(
      "sed -i 's/patience = 60.0/patience = 0.1/' puma560_selftest.c && "
      "sed -i 's/^  atomic_store_explicit(done, count, memory_order_release);/  (void)done; (void)count;/' "
      "puma560_p2.c",
      "processor 1 does not come");
}

TEST(CompileCommand, WhatDoesNotGoWithProcessors) {
  const std::string machine = eager_machine();
  const auto refused = [&](std::vector<std::string> words, const char* part) {
    words.insert(words.begin(), {"compile", "double-pendulum", "--out", out_folder("undivided")});
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_TRUE(has(run.err, part)) << run.err;
    EXPECT_FALSE(fs::exists(out_folder("undivided")));
  };
  for (const char* count : {"0", "1", "2.5", "65", "-2"}) refused({"--processors", count}, "an integer from 2 to 64");
  refused({"--processors", "2", "--language", "c++"}, "not c++");
  refused({"--processors", "2", "--language", "fortran"}, "not fortran");
  refused({"--processors", "2", "--float"}, "--float cannot be combined");
  refused({"--processors", "2", "--batch", "8"}, "--batch cannot be combined");
  refused({"--processors", "5", "--machine", machine}, "`eager` has 4 processors");
  refused({"--machine", machine}, "--machine requires --processors");
}

TEST(CompileCommand, FloatSaysHowFarItIsOff) {
  const std::string out = out_folder("float");
  const test::Outcome run = linkwright({"compile", "puma560", "--float", "--out", out, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const double error = run.json()["functions"][0]["float_error"];
  EXPECT_GT(error, 1e-9);
  EXPECT_LT(error, 1e-5);
  EXPECT_TRUE(has(text_of(out + "/puma560f.h"), "largest error in single precision"));
}

}  // namespace compile_command_test
}  // namespace lw
