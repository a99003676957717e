// Generated C and C++ as a user has it: files, compiled with all warnings, that prove themselves.
#include "codegen/c/emit_c.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/random.hpp"
#include "codegen/c/selftest.hpp"
#include "codegen/text/banner.hpp"
#include "codegen/text/report.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "model/random_state.hpp"
#include "model/read/read.hpp"
#include "other_languages.hpp"
#include "support/scratch.hpp"
#include "traces.hpp"

namespace lw {
namespace emit_c_test {

// Expected values by the algorithms over double.
std::vector<TestVectors> reference(const Model<double>& model, int states, double tolerance) {
  std::vector<TestVectors> vectors(3);
  Workspace<double> work(model);
  Random random(11);
  for (TestVectors& v : vectors) v.tolerance = tolerance;
  vectors[0].function = "inverse", vectors[1].function = "mass-matrix", vectors[2].function = "forward";
  for (int k = 0; k < states; ++k) {
    const State s = random_state(model, random);
    const std::size_t n = s.qd.size();
    std::vector<double> tau(n), M(n * n), qdd(n);
    rnea<double>(model, work, s.q, s.qd, s.qdd, tau);
    crba<double>(model, work, s.q, M);
    aba<double>(model, work, s.q, s.qd, s.tau, qdd);
    const auto joined = [&](const std::vector<double>& third) {
      std::vector<double> all = s.q;
      all.insert(all.end(), s.qd.begin(), s.qd.end());
      all.insert(all.end(), third.begin(), third.end());
      return all;
    };
    vectors[0].inputs.push_back(joined(s.qdd)), vectors[0].outputs.push_back(tau);
    vectors[1].inputs.push_back(s.q), vectors[1].outputs.push_back(M);
    vectors[2].inputs.push_back(joined(s.tau)), vectors[2].outputs.push_back(qdd);
  }
  return vectors;
}

// Compiles the sources and runs what comes of it.
Finished compiled_and_run(const Scratch& scratch, const std::string& compiler, std::vector<std::string> flags,
                          const std::vector<Artefact>& files) {
  std::vector<std::string> command = {
      compiler,       "-O1",        "-ffp-contract=off", "-Wall", "-Wextra",
      "-Wconversion", "-Wpedantic", "-Werror",           "-o",    (scratch.path / "selftest").string()};
  command.insert(command.end(), flags.begin(), flags.end());
  for (const Artefact& f : files) {
    const std::string ending = f.path.substr(f.path.rfind('.'));
    if (ending == ".c" || ending == ".cpp") command.push_back((scratch.path / f.path).string());
  }
  command.push_back("-lm");
  const Finished made = run_program(command);
  EXPECT_EQ(made.status, 0) << made.output;
  return made.status == 0 ? run_program({(scratch.path / "selftest").string()}) : made;
}

struct Case {
  const char* compiler;
  CDialect dialect;
  Arithmetic arithmetic;
  std::vector<std::string> flags;
};

TEST(EmitC, SelfTestPassesInEveryDialect) {
  const CDialect c, c_float{.cpp = false, .single_precision = true}, cpp{.cpp = true},
      cpp_float{.cpp = true, .single_precision = true};
  const Arithmetic libm, own{Arithmetic::Trigonometry::own, false}, fused{Arithmetic::Trigonometry::own, true};
  const std::vector<Case> cases = {
      {"gcc", c, libm, {"-std=c11"}},          {"clang", c, own, {"-std=c11"}},
      {"gcc", c, fused, {"-std=c11"}},         {"gcc", c, fused, {"-std=c11", "-march=native"}},
      {"gcc", c, own, {"-std=c11", "-O3"}},    {"gcc", c_float, libm, {"-std=c11"}},
      {"clang", c_float, fused, {"-std=c11"}}, {"gcc", c_float, own, {"-std=c11", "-march=native"}},
      {"g++", cpp, libm, {"-std=c++20"}},      {"clang++", cpp, fused, {"-std=c++20", "-march=native"}},
      {"g++", cpp_float, own, {"-std=c++20"}},
  };
  const Mechanism mechanism = load("puma560");
  const Model<double> model = instantiate<double>(mechanism);
  for (const Case& k : cases) {
    if (find_program(k.compiler).empty()) continue;
    const Program program = traced_program(mechanism, "puma560", k.arithmetic);
    std::vector<TestVectors> vectors = reference(model, 20, k.dialect.single_precision ? 2e-3 : 1e-11);
    std::vector<Artefact> files =
        k.dialect.cpp ? emit_cpp(program, {k.dialect.single_precision}) : emit_c(program, {k.dialect.single_precision});
    const std::vector<Artefact> test = emit_selftest(program, vectors, k.dialect);
    files.insert(files.end(), test.begin(), test.end());
    const Scratch scratch;
    write(scratch, files);
    const Finished run = compiled_and_run(scratch, k.compiler, k.flags, files);
    EXPECT_EQ(run.status, 0) << k.compiler << ": " << run.output;
    EXPECT_NE(run.output.find("all right"), std::string::npos);
  }
}

TEST(EmitC, TheSelfTestFindsOneWrongNumber) {
  const Mechanism mechanism = load("double-pendulum");
  const Program program = traced_program(mechanism, "pendulum");
  for (const double spoilt : {1.0 + 1e-6, std::nan("")}) {
    std::vector<TestVectors> vectors = reference(instantiate<double>(mechanism), 5, 1e-11);
    std::vector<Artefact> files = emit_c(program);
    // in the code, not in the vectors: a constant of it
    const std::size_t at = files[1].text.find("9.81");
    ASSERT_NE(at, std::string::npos);
    files[1].text.insert(at, std::isnan(spoilt) ? "0.0 / 0.0 * " : "1.000001 * ");
    const std::vector<Artefact> test = emit_selftest(program, vectors);
    files.insert(files.end(), test.begin(), test.end());
    const Scratch scratch;
    write(scratch, files);
    const Finished run = compiled_and_run(scratch, "cc", {"-std=c11"}, files);
    EXPECT_EQ(run.status, 1) << run.output;
    EXPECT_NE(run.output.find("WRONG"), std::string::npos);
  }
}

TEST(EmitC, HeadersServeCAndCpp) {
  const Program program = traced_program(load("double-pendulum"), "pendulum");
  std::vector<Artefact> files = emit_c(program);
  const Scratch scratch;
  write(scratch, files);
  std::ofstream(scratch.path / "main.cpp") << "#include \"pendulum.h\"\nint main() { double q[2] = {0, 0}, M[4]; "
                                              "pendulum_mass_matrix(q, M); return M[0] > 0 ? 0 : 1; }\n";
  const auto path = [&](const char* file) { return (scratch.path / file).string(); };
  ASSERT_EQ(run_program({"cc", "-std=c11", "-c", path("pendulum.c"), "-o", path("pendulum.o")}).status, 0);
  ASSERT_EQ(run_program({"c++", path("main.cpp"), path("pendulum.o"), "-lm", "-o", path("main")}).status, 0);
  EXPECT_EQ(run_program({path("main")}).status, 0);
  // and std::array with C++
  write(scratch, emit_cpp(program));
  std::ofstream(scratch.path / "array.cpp") << "#include \"pendulum.hpp\"\nint main() { std::array<double, 2> q{}; "
                                               "std::array<double, pendulum::mass_matrix_sizes::M> M; "
                                               "pendulum::mass_matrix(q, M); return M[0] > 0 ? 0 : 1; }\n";
  const Finished made =
      run_program({"c++", "-std=c++20", path("array.cpp"), path("pendulum.cpp"), "-o", path("array")});
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_EQ(run_program({path("array")}).status, 0);
}

TEST(EmitC, BannerDescribesTheProgram) {
  Program program = traced_program(load("double-pendulum"), "pendulum");
  program.robot = "Foucault's */ pendulum";
  program.kept = {"m2"};
  program.kept_values = {0.25};
  program.notes = {"a note"};
  program.options = {{"--set", "m2=0.25"}, {"--no-fma", ""}};
  program.left_out = {"friction"};
  program.contents = {{"q", {}, "positions", {{"hip.x", "m"}, {"hip.y", "m"}, {"knee", "rad"}}},
                      {"M", {}, "mass matrix", {}}};
  for (const Artefact& f : emit_c(program)) {
    const std::string about = f.text.substr(0, f.text.find("*/"));
    for (const char* said : {"Foucault's * / pendulum", "p[0] is m2 (0.25 in this mechanism)", "a note",
                             "pendulum_inverse: ", "Options: --set m2=0.25 --no-fma\n", "Left out: friction\n",
                             "q: positions: [0-1] hip.x, .y (m); [2] knee (rad)\n", "M: mass matrix\n",
                             "multiplications", "no licence is attached"}) {
      EXPECT_NE(about.find(said), std::string::npos) << said << " in\n" << about;
    }
  }
}

// Every language in its own words: what functions are called, how places are counted, what callers must know.
TEST(Banner, IndexesVectorsAsTheLanguageDoes) {
  Program program = traced_program(load("double-pendulum"), "pendulum");
  program.kept = {"m2"};
  program.kept_values = {0.25};
  const auto has = [&](const Form& form, const std::string& part) {
    std::string all;
    for (const std::string& line : banner(program, form)) all += line + "\n";
    return all.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has({"c", true}, "pendulumf_inverse: "));
  EXPECT_TRUE(has({"c", true}, "Single precision"));
  EXPECT_FALSE(has({"c"}, "Single precision"));
  EXPECT_TRUE(has({"c++"}, "pendulum::mass_matrix: "));
  EXPECT_TRUE(has({"fortran"}, "p(1) is m2"));
  EXPECT_TRUE(has({"python"}, "pendulum.inverse: "));
  EXPECT_TRUE(has({"text"}, "parameter m2"));
  for (const char* language : {"fortran", "python", "latex", "text", "dot"})
    EXPECT_FALSE(has({language}, "must not overlap"));
}

TEST(EmitC, NamesOfLinksMakeSections) {
  Program program;
  program.name = "named";
  program.functions.push_back(trace("f", {{"x", 6}}, {{"r", 1}}, [](const Arguments& in, Results& out) {
    out[0][0] = 1.0;
    for (int link = 1; link <= 2; ++link) {
      for (std::size_t k = 0; k < 3; ++k) {
        const Expr e = in[0][k] * in[0][k + static_cast<std::size_t>(link)];
        name_value(e, "omega" + std::to_string(link) + "_" + "xyz"[k]);
        out[0][0] = out[0][0] + e * e;
      }
    }
  }));
  const std::string text = emit_c(program).at(1).text;
  const auto at = [&](const char* what) { return text.find(what); };
  EXPECT_LT(at("/* link 1 */"), at("omega1_x = "));
  EXPECT_LT(at("omega1_z = "), at("/* link 2 */"));
  EXPECT_LT(at("/* link 2 */"), at("omega2_x = "));
  EXPECT_NE(at("omega2_x = "), std::string::npos);
}

TEST(Report, JsonDescribesTheFiles) {
  Program program = traced_program(load("double-pendulum"), "pendulum");
  program.robot = "a \"quoted\" \\ robot\n";
  program.kept = {"m2"};
  program.kept_values = {0.25};
  program.options = {{"--payload", "tip:2"}};
  program.contents = {{"q", {}, "positions", {{"hip", "rad"}, {"knee", "rad"}}}};
  const Artefact report =
      emit_report(program, emit_c(program), {}, {1000, {1e-15, 2e-15}, {}, 0.0, "passed", {"cc", "-O2"}});
  EXPECT_EQ(report.path, "pendulum_c_report.json");
  const auto json = nlohmann::json::parse(report.text);
  EXPECT_EQ(json["robot"], program.robot);
  EXPECT_EQ(json["parameters"][0]["value"], 0.25);
  EXPECT_EQ(json["files"], (std::vector<std::string>{"pendulum.h", "pendulum.c"}));
  ASSERT_EQ(json["functions"].size(), 3u);
  EXPECT_EQ(json["functions"][1]["symbol"], "pendulum_mass_matrix");
  EXPECT_EQ(json["functions"][1]["error"], 2e-15);
  EXPECT_EQ(json["language"], "c");
  EXPECT_EQ(json["precision"], "double");
  EXPECT_EQ(json["options"][0]["value"], "tip:2");
  EXPECT_EQ(json["vectors"]["q"]["entries"][1]["name"], "knee");
  EXPECT_EQ(json["self_test"], "passed");
  EXPECT_EQ(json["build"], (std::vector<std::string>{"cc", "-O2"}));
  const Artefact single = emit_report(program, {}, {"c++", true});
  EXPECT_EQ(single.path, "pendulumf_cpp_report.json");
  EXPECT_EQ(nlohmann::json::parse(single.text)["functions"][0]["symbol"], "pendulumf::inverse");
  EXPECT_EQ(json["functions"][1]["outputs"][0]["size"], 4);
  EXPECT_EQ(json["functions"][0]["operations"]["multiplications"],
            cost(program.functions[0]).operations.multiplications);
}

}  // namespace emit_c_test
}  // namespace lw
