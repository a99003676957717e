#include <gtest/gtest.h>

#include <cmath>

#include <tinyxml2.h>

#include "base/svg.hpp"

namespace lw {
namespace svg_test {

TEST(Svg, TicksAreRoundAndCoverTheRange) {
  EXPECT_EQ(round_ticks(0.0, 10.0, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const std::vector<double> ticks = round_ticks(-78.9, 76.1, 6);
  EXPECT_LE(ticks.front(), -78.9);
  EXPECT_GE(ticks.back(), 76.1);
  EXPECT_EQ(round_ticks(0.0, 0.001, 4).size(), 5u);
}

Plot example() {
  Plot plot;
  plot.title = "a < b & c";
  plot.x_label = "time (s)";
  plot.y_label = "torque (N·m)";
  plot.series = {{"line", {0, 1, 2}, {0, NAN, 4}}, {"points", {0, 1, 2}, {1, 2, 3}, Series::Look::points}};
  return plot;
}

TEST(Svg, IsWellFormedWithAxesLabelsAndLegend) {
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(to_svg(example()).c_str()), tinyxml2::XML_SUCCESS);
  const tinyxml2::XMLElement* svg = document.RootElement();
  EXPECT_STREQ(svg->Name(), "svg");
  std::string texts;
  for (const auto* t = svg->FirstChildElement("text"); t != nullptr; t = t->NextSiblingElement("text"))
    texts += std::string(t->GetText()) + "|";
  for (const char* wanted : {"a < b & c", "time (s)", "torque (N·m)", "line", "points"})
    EXPECT_NE(texts.find(wanted), std::string::npos) << wanted;
}

// At a quarter stands 0.25 and not 0.2.
TEST(Svg, LabelsMatchTheTicks) {
  Plot plot;
  plot.series = {{"one", {0.0, 2.0}, {0.0, 1.0}}};
  ASSERT_EQ(round_ticks(0.0, 2.0, 8)[1], 0.25);
  EXPECT_NE(to_svg(plot).find(">0.25<"), std::string::npos);
  EXPECT_EQ(to_svg(plot).find(">0.3<"), std::string::npos);
}

TEST(Svg, OmitsNonFinitePoints) {
  EXPECT_EQ(to_svg(example()).find("nan"), std::string::npos);
  Plot empty;
  EXPECT_EQ(to_svg(empty).find("nan"), std::string::npos);
  Plot flat;
  flat.series = {{"one", {1, 1}, {2, 2}}};
  EXPECT_EQ(to_svg(flat).find("nan"), std::string::npos);
}

TEST(Svg, PlotsOverTheSameTimeAreStacked) {
  Plot upper{"", "time (s)", "angle (rad)", {{"one", {0, 1, 2}, {1, 2, 3}}}, 600, 200}, lower = upper;
  lower.y_label = "torque (N·m)";
  lower.series[0].label = "two";
  lower.marks = {0.5};
  tinyxml2::XMLDocument document;
  const std::string svg = to_svg_stack({upper, lower}, "both");
  ASSERT_EQ(document.Parse(svg.c_str()), tinyxml2::XML_SUCCESS);
  for (const char* wanted : {">both<", ">one<", ">two<", ">angle (rad)<", ">torque (N·m)<", "stroke-dasharray='3 3'"})
    EXPECT_NE(svg.find(wanted), std::string::npos) << wanted;
  EXPECT_EQ(svg.find(">time (s)<"), svg.rfind(">time (s)<"));  // once, below
  EXPECT_EQ(to_svg_stack({}, "none").find("nan"), std::string::npos);
}

}  // namespace svg_test
}  // namespace lw
