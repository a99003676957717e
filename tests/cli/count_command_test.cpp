// linkwright count: the figures that the project promises, beside the published ones, each verified by the command
// itself.
#include <gtest/gtest.h>

#include <set>

#include "run_cli.hpp"

namespace lw {
namespace count_command_test {

using test::has;
using test::linkwright;
using Json = nlohmann::json;

Json counted(std::vector<std::string> words) {
  words.insert(words.begin(), "count");
  words.push_back("--json");
  const test::Outcome run = linkwright(words);
  EXPECT_EQ(run.code, 0) << run.err;
  return run.json();
}

int at(const Json& json, const char* field) { return json.at(field).get<int>(); }

void expect_verified(const Json& json) {
  EXPECT_TRUE(json["verified"]["passed"].get<bool>());
  EXPECT_LE(json["verified"]["error"].get<double>(), 1e-12);
  EXPECT_EQ(at(json, "total"), at(json, "multiplications") + at(json, "additions") + at(json, "divisions"));
}

// OpenSYMORO's output for the same base parameters, counted mechanically; as many sines and cosines.
TEST(CountCommand, DenseArmsAreBelowPublishedCounts) {
  struct Published {
    const char* model;
    int multiplications, additions, trig;
  };
  for (const Published& p :
       {Published{"puma560", 301, 240, 10}, {"stanford", 262, 211, 8}, {"rx90", 287, 226, 10}, {"ur5", 302, 244, 10}}) {
    const Json json = counted({p.model, "--dense", "--parameters", "base"});
    expect_verified(json);
    EXPECT_LT(at(json, "multiplications"), p.multiplications) << p.model;
    EXPECT_LT(at(json, "additions"), p.additions) << p.model;
    EXPECT_LE(at(json, "trig"), p.trig) << p.model;
    // and says so itself
    const Json& first = json["published"][0];
    EXPECT_EQ(first["who"], "OpenSYMORO");
    EXPECT_EQ(at(first, "multiplications"), p.multiplications);
    EXPECT_EQ(at(first, "additions"), p.additions);
  }
}

// PUMA 560 of Armstrong; the arms of Dhanaraj 1990, table 2.10, where sines and cosines are inputs.
TEST(CountCommand, ArmsWithNumbersAreBelowPublishedCounts) {
  const Json puma = counted({"puma560"}), his_puma = counted({"puma560-dhanaraj"}),
             his_stanford = counted({"stanford-dhanaraj"});
  for (const Json& json : {puma, his_puma, his_stanford}) expect_verified(json);
  EXPECT_LE(at(puma, "total"), 300);
  EXPECT_LT(at(his_puma, "total"), 360);
  EXPECT_LT(at(his_stanford, "total"), 323);
  EXPECT_LE(at(his_puma, "trig"), 10);
  EXPECT_LE(at(his_stanford, "trig"), 8);
  EXPECT_EQ(his_puma["published"][0]["who"], "Dhanaraj 1990");
  EXPECT_EQ(at(his_puma["published"][0], "total"), 360);
}

TEST(CountCommand, FieldsOfTheContract) {
  const Json json = counted({"double-pendulum", "--function", "forward"});
  for (const char* field : {"multiplications", "additions", "divisions", "trig", "total", "depth"})
    EXPECT_GT(at(json, field), 0) << field;
  EXPECT_TRUE(json["published"].is_array());
  EXPECT_EQ(json["function"], "forward");
  EXPECT_FALSE(json["roads"].empty());
  EXPECT_EQ(json["roads"][0]["road"], json["road"]);
}

TEST(CountCommand, EveryFunction) {
  for (const char* function :
       {"inverse", "forward", "mass-matrix", "bias", "kinematics", "jacobian", "energy", "regressor"}) {
    expect_verified(counted({"twu-rrrp", "--function", function}));
    expect_verified(counted({"twu-rrrp", "--function", function, "--dense"}));
  }
}

TEST(CountCommand, OptionsDoWhatTheySay) {
  const Json plain = counted({"puma560"}), kept = counted({"puma560", "--keep", "a2,d4"}),
             full = counted({"puma560", "--parameters", "full"}), dense = counted({"puma560", "--dense"}),
             flat = counted({"puma560", "--objective", "depth"}),
             quick = counted({"puma560", "--objective", "latency"});
  for (const Json& json : {plain, kept, full, dense, flat, quick}) expect_verified(json);
  EXPECT_EQ(kept["parameters"], (std::vector<std::string>{"a2", "d4"}));
  EXPECT_TRUE(kept["published"].empty());
  EXPECT_GT(at(kept, "total"), at(plain, "total"));
  EXPECT_GT(at(full, "total"), at(plain, "total"));
  EXPECT_GT(at(dense, "total"), at(plain, "total"));
  EXPECT_EQ(dense["parameters"].size(), 36u);
  EXPECT_LT(at(flat, "depth"), at(plain, "depth"));
}

// Longest path over n joints of Dhanaraj's schedule, 8n + 1.
TEST(CountCommand, DepthIsBelowEightPerJoint) {
  for (const char* model : {"puma560-dhanaraj", "stanford-dhanaraj", "puma560", "ur5", "rx90"}) {
    EXPECT_LE(at(counted({model, "--objective", "depth"}), "depth"), 8 * 6 + 1) << model;
  }
}

TEST(CountCommand, ExplainsItself) {
  const test::Outcome run = linkwright({"count", "puma560", "--dense", "--explain"});
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* part :
       {"OpenSYMORO", "Methods", "Passes", "linear", "acceleration tensor", "recursive Newton-Euler", "verified at"}) {
    EXPECT_TRUE(has(run.out, part)) << part << " in\n" << run.out;
  }
}

TEST(CountCommand, ListsEachMethodOnceAndNoEmptyColumn) {
  const Json json = counted({"puma560"});
  std::set<std::string> names;
  for (const auto& r : json["roads"]) names.insert(r["road"].get<std::string>());
  EXPECT_EQ(names.size(), json["roads"].size());
  EXPECT_TRUE(has(linkwright({"count", "puma560", "--dense"}).out, "ours"));
  EXPECT_FALSE(has(linkwright({"count", "double-pendulum"}).out, "ours"));
}

// A file with four digits of a right angle: exact as it is, fewer operations where it may be rounded, which is said.
TEST(CountCommand, SnappingIsReported) {
  const std::string urdf = test::write("four-digits.urdf", R"(<robot name="four-digits"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><origin xyz="0.1 0.02 0.03"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/><origin rpy="1.5708 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.3 0.2 0.1" rpy="1.5708 0 0"/><axis xyz="0 1 0"/></joint>
</robot>)");
  const Json exact = counted({urdf}), never = counted({urdf, "--snap", "0"}),
             rounded = counted({urdf, "--snap", "1e-5"});
  for (const Json& json : {exact, never, rounded}) expect_verified(json);
  EXPECT_EQ(exact["verified"]["snapping"], 0.0);
  EXPECT_EQ(at(exact, "total"), at(never, "total"));
  EXPECT_LT(at(rounded, "total"), at(exact, "total"));
  EXPECT_EQ(at(counted({urdf, "--snap", "0.001deg"}), "total"), at(rounded, "total"));
  const double distance = rounded["verified"]["snapping"].get<double>();
  EXPECT_GT(distance, 1e-8);
  EXPECT_LT(distance, 1e-4);
  EXPECT_TRUE(has(linkwright({"count", urdf, "--snap", "1e-5"}).out, "snapping changes results by"));
}

// Friction of an arm with journals costs roots, and is explained joint by joint; laws that know no load leave the
// method alone.
TEST(CountCommand, Friction) {
  const Json with = counted({"puma560-dhanaraj", "--friction"}), without = counted({"puma560-dhanaraj"});
  expect_verified(with);
  EXPECT_EQ(at(with, "roots"), 6);  // two supports on each of three joints
  EXPECT_EQ(at(without, "roots"), 0);
  EXPECT_TRUE(with["published"].empty());
  expect_verified(counted({"puma560-dhanaraj", "--function", "friction"}));
  const test::Outcome explained = linkwright({"count", "puma560-dhanaraj", "--friction", "--explain", "--search", "0"});
  EXPECT_EQ(explained.code, 0) << explained.err;
  for (const char* row : {"link1", "link3", "bearing reactions", "total of friction"}) {
    EXPECT_TRUE(has(explained.out, row)) << explained.out;
  }
}

TEST(CountCommand, RefusesWithAReason) {
  const auto refused = [](std::vector<std::string> words, int code, const char* part) {
    words.insert(words.begin(), "count");
    const test::Outcome run = linkwright(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_TRUE(has(run.err, part)) << run.err;
    EXPECT_EQ(run.out, "");
  };
  refused({"puma560", "--function", "invers"}, 2, "did you mean `inverse`");
  refused({"puma560", "--keep", "a22"}, 2, "did you mean `a2`");
  refused({"puma560", "--keep", "a2,a2"}, 2, "named twice");
  refused({"puma560", "--keep", "a2,"}, 2, "a name is missing");
  refused({"puma560", "--keep", "a2", "--dense"}, 2, "not both");
  refused({"puma560", "--friction", "--function", "bias"}, 2, "`bias` is made without it");
  refused({"puma560", "--friction", "--dense"}, 2, "without friction");
  refused({"puma560", "--snap", "1"}, 2, "0 to 0.01 rad");
  refused({"puma560", "--snap", "-1e-9"}, 2, "0 to 0.01 rad");
  refused({"puma560", "--snap", "nan"}, 2, "--snap needs a number");
  refused({"puma560", "--objective", "speed"}, 2, "operations, latency, depth");
  refused({"puma560", "--function", "kinematics", "--frame", "link9"}, 2, "there is no link `link9`");
  refused({"no-such-model"}, 3, "neither a file nor the name");
}

}  // namespace count_command_test
}  // namespace lw
