// Benchmarks of the field: their data are those of tests/oracles/field.json, and none of them fails.
#include "reproduce/field.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "reproduce/experiments.hpp"
#include "simulate/integrate/advance.hpp"
#include "support/wished.hpp"

namespace lw::reproduce {
namespace field_test {

using Json = nlohmann::json;

Json oracle_problems() { return Json::parse(std::ifstream(LW_SOURCE_DIR "/tests/oracles/field.json")).at("problems"); }

// The numbers of the joints, one after the other; a spherical joint has several.
std::vector<double> listed(const Json& by_joint, const std::vector<std::string>& joints) {
  std::vector<double> all;
  for (const std::string& joint : joints) {
    const Json& value = by_joint.at(joint);
    if (value.is_number())
      all.push_back(value);
    else
      for (const Json& entry : value) all.push_back(entry);
  }
  return all;
}

TEST(FieldData, EqualsTheOracle) {
  const Json problems = oracle_problems();
  ASSERT_EQ(problems.size(), field_problems().size());
  for (const Json& expected : problems) {
    const FieldProblem& ours = field_problem(expected.at("name"));
    SCOPED_TRACE(ours.name);
    EXPECT_EQ(ours.start.q, listed(expected.at("initial").at("q"), ours.joints));
    EXPECT_EQ(ours.start.v, listed(expected.at("initial").at("qd"), ours.joints));
    ASSERT_EQ(ours.samples.size(), expected.at("samples").size());
    std::vector<double> energy;
    for (std::size_t k = 0; k < ours.samples.size(); ++k) {
      const Json& sample = expected.at("samples")[k];
      EXPECT_EQ(ours.samples[k].t, sample.at("t").get<double>());
      EXPECT_EQ(ours.samples[k].q, listed(sample.at("q"), ours.joints));
      EXPECT_EQ(ours.samples[k].v, listed(sample.at("qd"), ours.joints));
      if (sample.contains("energy")) energy.push_back(sample["energy"]);
    }
    EXPECT_EQ(ours.energy, energy);
    EXPECT_EQ(ours.singular, expected.value("singular", std::vector<double>{}));
    const Json published = expected.value("published", Json::array()), times = expected.value("times", Json::array());
    ASSERT_EQ(ours.published.size(), published.size());
    for (std::size_t k = 0; k < published.size(); ++k) {
      EXPECT_EQ(ours.published[k].values, published[k].at("values").get<std::vector<double>>());
      EXPECT_EQ(ours.published[k].by, published[k].at("by").get<std::string>());
    }
    ASSERT_EQ(ours.times.size(), times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_EQ(ours.times[k].seconds, times[k].at("seconds").get<double>());
      EXPECT_EQ(ours.times[k].program, times[k].at("program").get<std::string>());
      EXPECT_EQ(ours.times[k].machine, times[k].at("machine").get<std::string>());
    }
  }
}

// Each by itself, so that a failure names the benchmark. LINKWRIGHT_LONG=1 is `reproduce field --long`.
TEST(Field, NothingFails) {
  std::size_t run = 0;
  for (const Experiment& e : run_experiments("field", wished("LINKWRIGHT_LONG", 0) != 0)) {
    EXPECT_FALSE(e.rows.empty()) << e.id;
    for (const Row& row : e.rows) {
      EXPECT_NE(row.verdict, Verdict::failed) << row.id << ": " << row.deviation << " > " << row.tolerance;
      ++run;
    }
  }
  EXPECT_GE(run, 20u);
}

}  // namespace field_test
}  // namespace lw::reproduce
