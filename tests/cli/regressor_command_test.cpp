// regressor: its product with the parameters against inverse and against another program; base parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "run_cli.hpp"

namespace lw::test {
namespace regressor_command_test {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

nlohmann::json run(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  words.push_back("--json");
  const Outcome o = linkwright(words);
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json();
}

void expect_torques(const nlohmann::json& json, const Vector& tau, double tolerance) {
  const Matrix Y = json["Y"];
  const Vector values = json["values"], springs = json["springs"];
  ASSERT_EQ(Y.size(), tau.size());
  ASSERT_EQ(json["parameters"].size(), values.size());
  for (std::size_t i = 0; i < tau.size(); ++i) {
    ASSERT_EQ(Y[i].size(), values.size());
    double sum = springs[i];
    for (std::size_t k = 0; k < values.size(); ++k) sum += Y[i][k] * values[k];
    EXPECT_NEAR(sum, tau[i], tolerance) << i;
  }
}

const std::vector<std::string> kState{"--q", ".1,.2,.3,.4,.5,.6", "--qd", ".6,.5,.4,.3,.2,.1", "--qdd", "1,2,3,4,5,6"};

TEST(RegressorCommand, TimesParametersGivesTheTorquesOfAnotherProgram) {
  // Wong 1991, PUMA 600 (section 3.5.1); oracle: wong.py wong.puma.inverse
  const Vector tau{16.62728771, -34.0626912685, 8.68084288821, 1.08528835535, 1.23671894335, 0.149980265992};
  for (const char* parameters : {"full", "base"}) {
    expect_torques(run({"regressor", "puma600", "--parameters", parameters}, kState), tau, 1e-9);
  }
}

TEST(RegressorCommand, SpringsAndRotorsAreFoundApart) {
  const std::string file = write("sprung.yaml", R"(linkwright: 1
name: sprung
links:
  - name: arm
    parent: base
    joint: {type: revolute, axis: [1, 2, 3]}
    inertia: {mass: 2, com: [0.1, 0.2, 0.3], tensor: [0.1, 0.1, 0.1]}
    spring: {stiffness: 7, rest: 0.1}
    drive: {ratio: 10, rotor_inertia: 0.01}
  - name: slide
    parent: arm
    joint: {type: prismatic, axis: x, mimic: {joint: arm, ratio: -0.5, offset: 0.2}}
    inertia: {mass: 1, com: [0, 0.1, 0], tensor: [0.1, 0.2, 0.15]}
)");
  const std::vector<std::string> state{"--q", "0.4", "--qd", "2", "--qdd", "-3"};
  const Vector tau = run({"inverse", file}, state)["tau"];
  for (const char* parameters : {"full", "base"}) {
    const nlohmann::json json = run({"regressor", file, "--parameters", parameters}, state);
    expect_torques(json, tau, 1e-12);
    EXPECT_NEAR(json["springs"][0], 7 * (0.4 - 0.1), 1e-15);
  }
  const Outcome o = linkwright({"regressor", file, "--parameters", "base"});
  EXPECT_TRUE(has(o.err, "because of mimic joints")) << o.err;
  EXPECT_TRUE(linkwright({"regressor", file, "--parameters", "base", "--quiet"}).err.empty());
}

TEST(RegressorCommand, RelationsAddUpToTheValues) {
  const nlohmann::json full = run({"regressor", "puma560"}, kState);
  const nlohmann::json base = run({"regressor", "puma560", "--parameters", "base"}, kState);
  EXPECT_EQ(full["parameters"].size(), 66u);
  ASSERT_EQ(base["parameters"].size(), 40u);  // 36 of the bodies, and rotors 3 to 6
  ASSERT_EQ(base["relations"].size(), 40u);
  std::map<std::string, double> value;
  for (std::size_t k = 0; k < 66; ++k) value[full["parameters"][k]] = full["values"][k];
  for (std::size_t k = 0; k < 40; ++k) {
    const nlohmann::json& relation = base["relations"][k];
    EXPECT_EQ(relation["parameter"], base["parameters"][k]);
    double sum = 0.0;
    for (const auto& [name, factor] : relation["terms"].items()) sum += value.at(name) * factor.get<double>();
    EXPECT_NEAR(sum, base["values"][k], 1e-14);
  }
  const Vector tau = run({"inverse", "puma560"}, kState)["tau"];
  expect_torques(full, tau, 1e-12);
  expect_torques(base, tau, 1e-12);
}

TEST(RegressorCommand, TextShowsParametersAndRelations) {
  const std::string full = linkwright({"regressor", "puma560"}).out;
  EXPECT_TRUE(has(full, "66 parameters"));
  EXPECT_TRUE(has(full, "link3.mx"));
  const std::string base = linkwright({"regressor", "puma560", "--parameters", "base"}).out;
  EXPECT_TRUE(has(base, "40 base parameters of 66"));
  EXPECT_TRUE(has(base, "link4.xx' = link4.xx - link4.yy + link5.yy\n"));
}

TEST(RegressorCommand, RefusesWhatItCannotDo) {
  EXPECT_EQ(linkwright({"regressor", "four-bar"}).code, 3);
  EXPECT_EQ(linkwright({"regressor", "puma560", "--parameters", "least"}).code, 2);
  const Outcome o = linkwright({"regressor", "puma560", "--qd", "1e200,0,0,0,0,0"});
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(has(o.err, "the numbers overflow: Y")) << o.err;
  const std::string still =
      write("still.yaml",
            "linkwright: 1\nname: still\nlinks:\n  - {name: a, parent: base, joint: {type: fixed}, "
            "inertia: {mass: 1}}\n");
  for (const char* parameters : {"full", "base"}) {
    EXPECT_EQ(run({"regressor", still, "--parameters", parameters}, {})["Y"].size(), 0u);
  }
}

TEST(RegressorCommand, ShowsYWhereItFitsAndSaysWhereItIsElse) {
  const Outcome narrow = linkwright({"regressor", "double-pendulum", "--qdd", "1,0"});
  const nlohmann::json json = run({"regressor", "double-pendulum", "--qdd", "1,0"}, {});
  EXPECT_TRUE(has(narrow.out, "Y " + json["velocity_names"][1].get<std::string>())) << narrow.out;
  const Matrix Y = json["Y"];
  for (std::size_t i = 0; i < Y.size(); ++i) {
    for (const double y : Y[i]) {
      if (std::abs(y) < 1e-3) continue;
      EXPECT_TRUE(has(narrow.out, fmt::format("{:.6f}", y))) << y;
    }
  }
  EXPECT_FALSE(has(narrow.out, "--json"));
  EXPECT_TRUE(has(linkwright({"regressor", "humanoid"}).out, "--json prints it"));
}

}  // namespace regressor_command_test
}  // namespace lw::test
