// Formulas and mechanisms written as text and read back: the same nodes, the same bits, the same text again.
#include "model/write/write_yaml.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "expect_diagnostic.hpp"
#include "model/evaluate.hpp"
#include "model/formula_text.hpp"
#include "model/read/read_yaml.hpp"
#include "support/random_mechanism.hpp"
#include "support/same_dynamics.hpp"

namespace lw {
namespace write_yaml_test {

struct Names {
  Graph graph;
  FormulaNames names{{"a", graph.input("a")}, {"b", graph.input("b")}, {"c", graph.input("c")}};

  Expr parse(const std::string& text) {
    const auto parsed = parse_formula(text, names);
    if (const auto* fault = std::get_if<FormulaError>(&parsed)) {
      ADD_FAILURE() << text << ": " << fault->message;
      return 0.0;
    }
    return std::get<Expr>(parsed);
  }
};

TEST(FormulaText, HasNoRedundantParentheses) {
  Names n;
  for (const char* text : {"a + b",
                           "a - b",
                           "a - (b - c)",
                           "a - (b + c)",
                           "a*b*c",
                           "a/b/c",
                           "a/(b*c)",
                           "a*(b + c)",
                           "-a",
                           "-a*b",
                           "-(a + b)",
                           "(a + b)^2",
                           "a^2",
                           "a*b^2/c",
                           "1/a",
                           "sin(a + b)",
                           "-cos(a)/b",
                           "atan2(a, -b)",
                           "max(a, min(b, c))",
                           "sqrt(a^2 + b^2)",
                           "a/(b + c)",
                           "2*a",
                           "a - 0.5",
                           "exp(b*log(a))",
                           "-a^2",
                           "min(a, -1)",
                           "a/b^2",
                           "1e-09*a",
                           "a + b*c"}) {
    EXPECT_EQ(formula_text(n.parse(text)), text);
  }
}

TEST(FormulaText, RejectsTextsThatGrowWithoutBound) {
  Graph graph;
  Expr x = graph.input("x");
  for (int k = 0; k < 60; ++k) x = sin(x) * cos(x);  // 2^60 terms written out
  EXPECT_THROW(formula_text(x), Error);
}

TEST(FormulaText, ReadsBackToTheSameNode) {
  Names n;
  for (const char* text : {"a^3",
                           "a^7*b",
                           "a^-2",
                           "(a+b)^0.5",
                           "b + a + c",
                           "a*(b*(c*(a*b)))",
                           "30 deg + a",
                           "a deg",
                           "-(a*(-b))",
                           "a - b - (c - (b - a))",
                           "(a/b)^5/(c/a/b)",
                           "tan(-a)*asin(b)*acos(c)*atan(a)",
                           "abs(-a) + tanh(b)",
                           "2*(3*a)",
                           "pi*a",
                           "((a+b)+(b+c))*((a+b)*(b+c))",
                           "a/3*2",
                           "-a - b",
                           "a*1e300*1e-300",
                           "1.5"}) {
    const Expr e = n.parse(text);
    const std::string once = formula_text(e);
    EXPECT_TRUE(n.parse(once) == e) << text << " -> " << once;
  }
}

TEST(FormulaText, RandomExpressionsReadBackToTheSameNode) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    Names n;
    std::vector<Expr> pool{n.names.at("a"), n.names.at("b"), n.names.at("c"), 0.1, -3.0, 7.5e-5};
    for (int k = 0; k < 12; ++k) {
      const auto pick = [&] { return pool[static_cast<std::size_t>(random.below(static_cast<int>(pool.size())))]; };
      const Expr x = pick(), y = pick();
      Expr made;
      switch (random.below(10)) {
        case 0: made = x + y; break;
        case 1: made = x - y; break;
        case 2: made = x * y; break;
        case 3: made = y.is_constant(0.0) ? x : x / y; break;
        case 4: made = -x; break;
        case 5: made = sin(x); break;
        case 6: made = cos(x); break;
        case 7: made = atan2(x, y); break;
        case 8: made = max(x, y); break;
        default: made = x * x; break;
      }
      if (!made.is_constant() || std::isfinite(made.constant())) pool.push_back(made);
    }
    const std::string text = formula_text(pool.back());
    EXPECT_TRUE(n.parse(text) == pool.back()) << seed << ": " << text;
  }
}

// The numbers of a mechanism in the order of its formulas; axes that mean nothing as the default.
std::vector<double> numbers(Mechanism m) {
  for (Link& l : m.links) {
    const bool no_axis = l.joint.dh || l.joint.type == JointType::fixed || l.joint.type == JointType::spherical ||
                         l.joint.type == JointType::floating;
    if (no_axis) l.joint.axis = Joint().axis;
  }
  const DefaultValues at(m);
  std::vector<double> result;
  for_each_formula(m, [&](const Formula& f) { result.push_back(at(f)); });
  return result;
}

ReadResult read_back(const std::string& text) { return read_text(text, "written.yaml", {false, true}); }

TEST(WriteYaml, RandomMechanismsComeBackBitForBit) {
  RandomMechanismOptions options;
  options.drives = options.springs = true;
  options.mimic = 0.2;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Mechanism m = random_mechanism(seed, options);
    const std::string text = write_yaml(m);
    Complaints complaints;  // without the checks: the generator's quaternions have any length
    NamePlaces places;
    const Mechanism again = read_yaml(text, "written.yaml", places, complaints);
    ASSERT_TRUE(complaints.list().empty()) << to_string(complaints.list()[0]) << "\n" << text;
    EXPECT_TRUE(same_bits(instantiate<double>(m), instantiate<double>(again))) << seed;
    EXPECT_EQ(numbers(m), numbers(again)) << seed;
    EXPECT_EQ(write_yaml(again), text) << seed;
  }
}

TEST(WriteYaml, EmbeddedModelsComeBackAtAnyValuesOfTheirParameters) {
  for (const std::string& name : embedded_names()) {
    const Mechanism m = load(name, {false, true});
    const std::string text = write_yaml(m);
    const ReadResult result = read_back(text);
    ASSERT_TRUE(result.mechanism) << name << to_string(result.diagnostics[0]);
    const Mechanism& again = *result.mechanism;
    EXPECT_TRUE(same_bits(instantiate<double>(m), instantiate<double>(again))) << name;
    Mechanism without_base = m;
    without_base.base_inertia.reset();  // has no place in the format
    EXPECT_EQ(numbers(without_base), numbers(again)) << name;
    EXPECT_EQ(write_yaml(again), text) << name;
    ParameterValues<double> other;
    double factor = 1.0;
    for (const Parameter& p : m.parameters) other[p.name] = DefaultValues(m)(p.value) * (factor += 0.03);
    EXPECT_TRUE(same_bits(instantiate<double>(m, other), instantiate<double>(again, other))) << name;
    for (std::size_t k = 0; k < m.links.size(); ++k) {
      ASSERT_EQ(m.links[k].visuals.size(), again.links[k].visuals.size()) << name;
      for (std::size_t v = 0; v < m.links[k].visuals.size(); ++v) {
        EXPECT_EQ(m.links[k].visuals[v].color, again.links[k].visuals[v].color) << name;
      }
    }
    EXPECT_EQ(m.summary, again.summary);
    EXPECT_EQ(m.unphysical, again.unphysical);
  }
}

TEST(WriteYaml, KeepsEverythingInTheFormat) {
  std::ifstream stream(LW_SOURCE_DIR "/tests/fuzz/yaml/everything.yaml");
  std::ostringstream everything;
  everything << stream.rdbuf();
  Complaints complaints;
  NamePlaces places;
  const Mechanism m = read_yaml(everything.str(), "everything.yaml", places, complaints);
  ASSERT_FALSE(complaints.failed());
  const std::string text = write_yaml(m);
  const Mechanism again = read_yaml(text, "written.yaml", places, complaints);
  ASSERT_FALSE(complaints.failed()) << to_string(complaints.sorted().back()) << text;
  EXPECT_EQ(numbers(m), numbers(again));
  EXPECT_EQ(write_yaml(again), text);
  EXPECT_TRUE(same_bits(instantiate<double>(m), instantiate<double>(again)));
  const Joint& j = again.find_link("d")->joint;
  EXPECT_EQ(j.name, "jd");
  EXPECT_TRUE(j.dh && j.dh->standard && j.drive && j.drive->rated && j.drive->backlash && !j.drive->peak && j.spring &&
              j.damper);
  EXPECT_TRUE(j.friction.stribeck && j.friction.bearings.size() == 1 && j.limits.velocity && j.limits.effort);
  EXPECT_EQ(again.find_link("d")->visuals.size(), 4u);
  EXPECT_EQ(again.find_link("d")->visuals[3].mesh, m.find_link("d")->visuals[3].mesh);
  EXPECT_EQ(again.find_link("e")->joint.mimic->joint, "jd");
  EXPECT_EQ(again.base, "world");
  EXPECT_EQ(again.base_visuals.size(), 1u);
  EXPECT_EQ(again.payloads.size(), 1u);
  EXPECT_EQ(again.home.at("c").size(), 4u);
  // formulas stay formulas, as they were written
  EXPECT_NE(text.find("l2: l1*1.5"), std::string::npos) << text;
  EXPECT_NE(text.find("jd: 45 deg"), std::string::npos);
}

TEST(WriteYaml, KeepsEverythingThatActs) {
  std::ostringstream forces;
  forces << std::ifstream(LW_SOURCE_DIR "/tests/fuzz/yaml/forces.yaml").rdbuf();
  const ReadResult read = read_text(forces.str(), "forces.yaml");
  ASSERT_TRUE(read.mechanism) << to_string(read.diagnostics[0]);
  const Mechanism& m = *read.mechanism;
  const std::string text = write_yaml(m);
  const ReadResult result = read_back(text);
  ASSERT_TRUE(result.mechanism) << to_string(result.diagnostics[0]) << text;
  const Mechanism& again = *result.mechanism;
  EXPECT_EQ(write_yaml(again), text);
  EXPECT_EQ(numbers(m), numbers(again));
  const ParameterValues<double> other{{"k", 250.0}, {"t", 0.33}};
  EXPECT_TRUE(same_bits(instantiate<double>(m), instantiate<double>(again))) << text;
  EXPECT_TRUE(same_bits(instantiate<double>(m, other), instantiate<double>(again, other)));
  const Joint &before = m.find_link("arm")->joint, &after = again.find_link("arm")->joint;
  EXPECT_TRUE(before.drive->efficiency->cubic && after.drive->efficiency->cubic && after.spring->table->cubic);
  EXPECT_TRUE(after.drive->stiffness && after.drive->damping && after.drive->backlash && after.drive->rotor_axis);
  EXPECT_NE(text.find("force: [10*sin(2*t), 0, -5]"), std::string::npos) << text;
}

TEST(WriteYaml, PutsWordsInQuotesWhereYamlNeedsThem) {
  Mechanism m;
  m.name = "null";
  m.summary = "a: b # \"c\" \\ [d], é\nsecond line";
  m.unphysical = "- because";
  m.base = "the base: {1}";
  for (const char* name : {"a b", "*x", "&y", "- z", "~", "it's", "x: y", "#1", "\xC3\xA9", "5", "true"}) {
    Link link;
    link.name = name;
    link.joint.name = std::string("joint ") + name;
    link.parent = m.base;
    link.joint.type = JointType::revolute;
    link.inertia.emplace();
    link.inertia->mass = 1.0;
    m.home[link.joint.name] = {0.25};
    m.links.push_back(link);
  }
  const ReadResult result = read_back(write_yaml(m));
  ASSERT_TRUE(result.mechanism) << to_string(result.diagnostics[0]) << write_yaml(m);
  EXPECT_EQ(result.mechanism->name, m.name);
  EXPECT_EQ(result.mechanism->summary, m.summary);
  EXPECT_EQ(result.mechanism->unphysical, m.unphysical);
  EXPECT_EQ(result.mechanism->base, m.base);
  for (std::size_t k = 0; k < m.links.size(); ++k) {
    EXPECT_EQ(result.mechanism->links[k].name, m.links[k].name);
    EXPECT_EQ(result.mechanism->links[k].joint.name, m.links[k].joint.name);
    EXPECT_EQ(result.mechanism->home.count(m.links[k].joint.name), 1u);
  }
}

TEST(WriteYaml, AFormulaWithOutdatedTextIsWrittenFromItsValue) {
  const ReadResult read = read_text(R"(linkwright: 1
name: one
parameters: {l: 2, m: l*3}
links: [{name: a, parent: base, joint: {type: revolute}, inertia: {mass: m/l, com: [l/2, 0, 0]}}]
)",
                                    "one.yaml");
  ASSERT_TRUE(read.mechanism);
  Mechanism m = *read.mechanism;
  m.links[0].inertia->com[0].value = m.links[0].inertia->com[0].value * m.links[0].inertia->mass.value;
  const std::string text = write_yaml(m);
  EXPECT_NE(text.find("com: [m/l*(l/2), 0, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("mass: m/l"), std::string::npos) << text;
}

}  // namespace write_yaml_test
}  // namespace lw
