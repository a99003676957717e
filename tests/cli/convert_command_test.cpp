// convert: what it writes is read again by the other commands, with the same results.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "run_cli.hpp"

namespace lw::test {
namespace convert_command_test {

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<double> torques(const std::string& model) {
  const Outcome o = linkwright({"inverse", model, "--q", ".1,.2,.3,.4,.5,.6", "--qd", ".6,.5,.4,.3,.2,.1", "--qdd",
                                "1,2,3,4,5,6", "--json", "--quiet"});
  EXPECT_EQ(o.code, 0) << o.err;
  return o.json()["tau"];
}

TEST(ConvertCommand, WritesYamlToStdoutAndToAFile) {
  const Outcome out = linkwright({"convert", "puma600"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_TRUE(out.err.empty()) << out.err;
  EXPECT_TRUE(out.out.starts_with("linkwright: 1\nname: puma600\n"));
  const std::string file = folder() + "/puma.yaml";
  const Outcome written = linkwright({"convert", "puma600", "--out", file});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(written.out, file + "\n");
  EXPECT_EQ(content(file), out.out);
  EXPECT_EQ(torques(file), torques("puma600"));
  EXPECT_EQ(linkwright({"convert", file}).out, out.out);
}

TEST(ConvertCommand, ReadsWongAndWritesUrdf) {
  const std::string file = folder() + "/puma.urdf";
  const Outcome o = linkwright({"convert", LW_SOURCE_DIR "/examples/puma600.wong", "--out", file});
  EXPECT_EQ(o.code, 0) << o.err;
  const std::vector<double> a = torques(file), b = torques("puma600");
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-11);
}

TEST(ConvertCommand, LoopsGoBesideTheUrdf) {
  const std::string file = folder() + "/bar.urdf";
  const Outcome o = linkwright({"convert", "four-bar", "--out", file});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, file + "\n" + folder() + "/bar.loops.yaml\n");
  EXPECT_TRUE(has(o.err, "the parameters are written as numbers: l_frame = 0.4")) << o.err;
  const nlohmann::json before = linkwright({"check", "four-bar", "--json"}).json(),
                       after = linkwright({"check", file, "--json"}).json();
  for (const char* field : {"dof", "nv", "loops", "joint_names"}) EXPECT_EQ(before[field], after[field]) << field;
  EXPECT_TRUE(linkwright({"convert", "four-bar", "--out", file, "--quiet"}).err.empty());
  // a sidecar that is no longer needed is not silently read with another mechanism
  const std::string bar = content(file);
  const Outcome refused = linkwright({"convert", "arm6", "--out", file, "--quiet"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(has(refused.err, "bar.loops.yaml` would be read together")) << refused.err;
  EXPECT_EQ(content(file), bar);
}

const char* kSpring = R"(linkwright: 1
name: spring
gravity: [0, 9.81, 0]
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, com: [0.1, 0, 0.3], tensor: [0.1, 0.12, 0.1]}, spring: {stiffness: 2}}
)";

TEST(ConvertCommand, LossesOfPhysicsAreSaidWhateverIsAsked) {
  const std::string file = write("spring.yaml", kSpring);
  const Outcome o = linkwright({"convert", file, "--to", "urdf", "--quiet"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.err, "warning: the spring of joint `a` is omitted")) << o.err;
  EXPECT_TRUE(has(o.err, "gravity")) << o.err;
}

TEST(ConvertCommand, WhatIsReadIsNotWrittenOver) {
  const std::string file = write("spring.yaml", kSpring), other = folder() + "/link.yaml";
  std::filesystem::remove(other);
  std::filesystem::create_symlink(file, other);
  for (const std::string& out : {file, other, folder() + "/./spring.yaml"}) {
    const Outcome o = linkwright({"convert", file, "--out", out});
    EXPECT_EQ(o.code, 2) << out;
    EXPECT_TRUE(has(o.err, "is the input file")) << o.err;
  }
  EXPECT_EQ(content(file), kSpring);
  std::filesystem::remove(other);
  const std::string path = write("path.csv", "t,x,y,z\n0,.4,.2,.3\n1,.4,.2,.3\n2,.4,.2,.3\n");
  EXPECT_EQ(linkwright({"ik", "puma560", "--path", path, "--out", path}).code, 2);
}

TEST(ConvertCommand, EndingsMayBeInCapitals) {
  const std::string file = write("SPRING.YML", kSpring);
  for (const char* ending : {".yml", ".YAML", ".URDF"}) {
    const std::string out = folder() + "/capitals" + ending;
    EXPECT_EQ(linkwright({"convert", file, "--out", out, "--quiet"}).code, 0) << ending;
    EXPECT_EQ(linkwright({"check", out, "--json"}).json()["model"], "spring") << ending;
  }
}

TEST(ConvertCommand, MeshesStayWhereTheyAre) {
  namespace fs = std::filesystem;
  fs::create_directories(folder() + "/meshes/new");
  write("meshes/m.stl", "solid");
  const std::string file = write("meshes/mesh.yaml", R"(linkwright: 1
name: mesh
links:
  - {name: a, parent: base, joint: {type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}, visual: [{mesh: m.stl}, {mesh: none.stl}]}
)");
  const std::string yaml = folder() + "/meshes/new/mesh.yaml", urdf = folder() + "/meshes/mesh.urdf";
  ASSERT_EQ(linkwright({"convert", file, "--out", yaml}).code, 0);
  EXPECT_TRUE(has(content(yaml), "{mesh: \"../m.stl\"}")) << content(yaml);
  EXPECT_TRUE(has(content(yaml), "{mesh: none.stl}")) << content(yaml);
  ASSERT_EQ(linkwright({"convert", yaml, "--out", urdf}).code, 0);
  EXPECT_TRUE(has(content(urdf), "\"m.stl\"")) << content(urdf);
  EXPECT_TRUE(has(linkwright({"check", yaml}).err, "1 of 2 mesh files"));  // and is found there
}

TEST(ConvertCommand, NamesThatLookLikeValuesAreQuoted) {
  const std::string file = write("names.yaml", R"(linkwright: 1
name: "1.0"
links:
  - {name: "yes", parent: base, joint: {type: revolute, origin: {xyz: [-0.0, 1, 0]}}, inertia: {mass: 1, com: [1, -0, 0], tensor: [1, 1, 1]}}
  - {name: "2020-01-01", parent: "yes", joint: {name: "0x1f", type: revolute}, inertia: {mass: 1, tensor: [1, 1, 1]}}
home: {"0x1f": 1}
)");
  const Outcome o = linkwright({"convert", file});
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* part : {"name: \"1.0\"\n", "name: \"yes\"\n", "parent: \"yes\"\n", "\"2020-01-01\"",
                           "name: \"0x1f\"", "home: {\"0x1f\": 1}", "xyz: [0, 1, 0]", "com: [1, 0, 0]"}) {
    EXPECT_TRUE(has(o.out, part)) << part << o.out;
  }
  EXPECT_EQ(linkwright({"convert", write("again.yaml", o.out)}).out, o.out);
}

TEST(ConvertCommand, ParametersMayBeSetOnTheWay) {
  const Outcome o = linkwright({"convert", "twu-3r", "--set", "g=1.62", "--payload", "link3:2@0.75,0,0"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "  g: 1.62\n"));
  EXPECT_TRUE(has(o.out, "payloads:\n  - {link: link3, mass: 2, com: [0.75, 0, 0]}\n")) << o.out;
}

TEST(ConvertCommand, SymbolsOfTwuMayGetTheirValuesFromTheCommandLine) {
  const std::string file =
      write("one.twu",
            "NUML:=1; MAS(1):=M; CM(1,1):=R; CM(1,2):=0; CM(1,3):=0; MI(1,1):=1; MI(1,2):=1; MI(1,3):=1;\n"
            "AXIS(1):=Z; ;END;\n");
  const Outcome bad = linkwright({"inverse", file});
  EXPECT_EQ(bad.code, 3);
  EXPECT_TRUE(has(bad.err, "one.twu:1:18: error: symbols without a value: M, R")) << bad.err;
  const Outcome good = linkwright({"inverse", file, "--set", "M=2", "--set", "R=0.5", "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NEAR(good.json()["tau"][0], 2 * 9.81 * 0.5, 1e-14);
}

TEST(ConvertCommand, WrongUseIsSaid) {
  for (const auto& [words, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"convert", "puma600", "--out", "puma.txt"}, "must end in .yaml or .urdf"},
           {{"convert", "puma600", "--out", "puma.yaml", "--to", "urdf"}, "contradicts --out"},
           {{"convert", "puma600", "--to", "sdf"}, "--to"}}) {
    const Outcome o = linkwright(words);
    EXPECT_EQ(o.code, 2) << says;
    EXPECT_TRUE(has(o.err, says)) << o.err;
  }
  EXPECT_EQ(linkwright({"convert", "puma600", "--out", "/no/such/folder/x.yaml"}).code, 3);
}

}  // namespace convert_command_test
}  // namespace lw::test
