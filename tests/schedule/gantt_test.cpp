// Gantt charts: every task where the schedule has it, nothing from outside, and no name that breaks the page; and the
// figures that stand beside them.
#include "schedule/gantt.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include <tinyxml2.h>

#include "base/random.hpp"
#include "schedule/choice.hpp"

namespace lw {
namespace gantt_test {

TaskGraph random_graph(std::uint64_t seed, int tasks) {
  Random random(seed);
  TaskGraph graph("random");
  for (int t = 0; t < tasks; ++t) {
    graph.add({"a" + std::to_string(t),
               "x < y & \"z\"",
               {.multiplications = 1 + random.below(5), .additions = random.below(3)}});
    for (int b = 0; b < t; ++b) {
      if (random.chance(3.0 / tasks)) graph.depend(b, t, 8 * (1 + random.below(3)));
    }
  }
  return graph;
}

Machine dear_messages() {
  Machine machine;
  machine.start_up = 2.0;
  machine.per_byte = 0.1;
  return machine;
}

TEST(Gantt, BarsMatchTheSchedule) {
  const TaskGraph graph = random_graph(1, 40);
  const Machine machine = dear_messages();
  const Schedule schedule = earliest_finish(graph, machine, 3);
  const std::string svg = gantt_svg(graph, machine, schedule, "a & b <c>");
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(svg.c_str()), tinyxml2::XML_SUCCESS);
  struct Bar {
    double x, y, width;
  };
  std::map<int, Bar> bars;
  for (const tinyxml2::XMLElement* g = document.RootElement()->FirstChildElement("g"); g != nullptr;
       g = g->NextSiblingElement("g")) {
    if (g->Attribute("class", "task") == nullptr) continue;
    const tinyxml2::XMLElement* bar = g->FirstChildElement("rect")->NextSiblingElement("rect");
    EXPECT_TRUE(bars.emplace(g->IntAttribute("data-task"),
                             Bar{bar->DoubleAttribute("x"), bar->DoubleAttribute("y"), bar->DoubleAttribute("width")})
                    .second);
  }
  ASSERT_EQ(static_cast<int>(bars.size()), graph.size());
  // one scale for all: pixels a step, from the longest schedule to the frame
  const double scale = (1180.0 - 54.0 - 22.0) / schedule.makespan();
  std::map<int, std::set<double>> rows;
  for (const Placement& p : schedule.placements) {
    const Bar& bar = bars.at(p.task);
    EXPECT_NEAR(bar.x, 54.0 + scale * p.start, 0.02);
    EXPECT_NEAR(bar.width, scale * (p.finish - p.start), 0.02);
    rows[p.processor].insert(bar.y);
  }
  std::set<double> heights;
  for (const auto& [processor, ys] : rows) {
    EXPECT_EQ(ys.size(), 1u);
    EXPECT_TRUE(heights.insert(*ys.begin()).second) << "two processors in one row";
  }
  EXPECT_NE(svg.find("a &amp; b &lt;c&gt;"), std::string::npos);
}

// One of what goes to two tasks on another processor, as in the figures: an arrow, and its number in the legend.
TEST(Gantt, TwoReadersOnOneProcessorGetOneMessage) {
  TaskGraph graph("f");
  const int a = graph.add({"a", "", {.multiplications = 1}}), b = graph.add({"b", "", {.multiplications = 1}});
  const int c = graph.add({"c", "", {.multiplications = 1}}), d = graph.add({"d", "", {.multiplications = 1}});
  for (const int reader : {b, c, d}) graph.depend(a, reader);
  graph.depend(b, c);
  const Machine machine;
  const Schedule schedule{.method = "hand",
                          .processors = 3,
                          .placements = {{a, 0, 0.0, 1.0}, {c, 1, 2.0, 3.0}, {b, 1, 1.0, 2.0}, {d, 2, 1.0, 2.0}}};
  const std::vector<Message> sent = messages(graph, schedule);
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].readers, (std::vector<int>{b, c}));
  EXPECT_EQ(sent[1].readers, std::vector<int>{d});
  EXPECT_EQ(figures(graph, machine, schedule).messages, 2);
  const std::string svg = gantt_svg(graph, machine, schedule);
  EXPECT_NE(svg.find(">2 messages<"), std::string::npos);
  std::size_t arrows = 0;
  for (std::size_t at = svg.find("url(#head)'/>\n<path"); at != std::string::npos;
       at = svg.find("url(#head)'/>\n<path", at + 1))
    ++arrows;
  EXPECT_EQ(arrows, 1u) << "one behind the other";
}

TEST(Gantt, PageIsSelfContained) {
  TaskGraph graph("f");
  const int a = graph.add({"</script><b>", "y = \"x\" \\ </script>", {.multiplications = 1}});
  graph.depend(a, graph.add({"b", "b = 2 y", {.additions = 1}}));
  const Machine machine;
  const std::string html = gantt_html(graph, machine, highest_level_first(graph, machine, 2));
  std::string rest = html;
  for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;)
    rest.erase(at, 26);  // names, not addresses
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url(//"})
    EXPECT_EQ(rest.find(outside), std::string::npos) << outside;
  // one script, and no name ends it
  std::size_t count = 0;
  for (std::size_t at = html.find("</script>"); at != std::string::npos; at = html.find("</script>", at + 1)) ++count;
  EXPECT_EQ(count, 1u);
  EXPECT_NE(html.find("before:[[0,8]]"), std::string::npos);
  EXPECT_NE(html.find("after:[[1,8]]"), std::string::npos);
}

TEST(Gantt, TableHasOneLinePerTask) {
  const TaskGraph graph = random_graph(2, 12);
  const Machine machine = dear_messages();
  const Schedule schedule = earliest_finish(graph, machine, 2);
  std::istringstream csv(gantt_csv(graph, schedule));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line.substr(0, 33), "task,name,processor,start,finish,");
  std::size_t lines = 0;
  for (; std::getline(csv, line); ++lines) {
    const Placement& p = schedule.placements[lines];
    EXPECT_EQ(line.rfind(std::to_string(p.task + 1) + ",\"a" + std::to_string(p.task) + "\"," +
                             std::to_string(p.processor + 1) + ",",
                         0),
              0u)
        << line;
    EXPECT_NE(line.find("\"x < y & \"\"z\"\"\""), std::string::npos) << line;
  }
  EXPECT_EQ(lines, schedule.placements.size());
}

// Each task of the critical way starts when the one before it is done, or when what that sends has come.
TEST(Choice, CriticalPathHasNoGaps) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TaskGraph graph = random_graph(seed, 30);
    const Machine machine = dear_messages();
    const Schedule schedule = earliest_finish(graph, machine, 3);
    std::map<int, Placement> of;
    for (const Placement& p : schedule.placements) of[p.task] = p;
    const std::vector<int> way = critical_tasks(graph, machine, schedule);
    ASSERT_FALSE(way.empty());
    EXPECT_NEAR(of[way.back()].finish, schedule.makespan(), 1e-9);
    EXPECT_NEAR(of[way.front()].start, 0.0, 1e-9) << seed;
    for (std::size_t k = 1; k < way.size(); ++k) {
      const Placement &a = of[way[k - 1]], &b = of[way[k]];
      double arrival = a.processor == b.processor ? a.finish : -1.0;
      for (const Dependence& d : graph.before(b.task)) {
        if (d.task == a.task)
          arrival = std::max(arrival, a.finish + machine.delay(a.processor, b.processor, d.bytes, 3));
      }
      EXPECT_NEAR(arrival, b.start, 1e-9) << seed;
    }
  }
}

// Two independent chains of four steps each, and what joins them: by hand.
TEST(Choice, FiguresByHand) {
  TaskGraph graph("two chains");
  for (int chain = 0; chain < 2; ++chain) {
    for (int k = 0; k < 4; ++k) {
      const int t = graph.add({"t", "", {.additions = 1}});
      if (k > 0) graph.depend(t - 1, t);
    }
  }
  const Machine machine;
  const Schedule two = highest_level_first(graph, machine, 2);
  const Figures f = figures(graph, machine, two);
  EXPECT_EQ(f.makespan, 4.0);
  EXPECT_EQ(f.speedup, 2.0);
  EXPECT_EQ(f.efficiency, 1.0);
  EXPECT_EQ(f.levels, 4);
  EXPECT_EQ(f.idle_slots, 0);
  const Figures three = figures(graph, machine, highest_level_first(graph, machine, 3));
  EXPECT_EQ(three.makespan, 4.0);
  EXPECT_EQ(three.idle_slots, 4);
  EXPECT_DOUBLE_EQ(three.efficiency, 2.0 / 3.0);

  std::vector<Schedule> schedules;
  for (const int p : {1, 2, 3}) schedules.push_back(highest_level_first(graph, machine, p));
  EXPECT_EQ(recommend(graph, machine, schedules).processors, 2);  // the third would have nothing to do
  Machine dear;
  dear.start_up = 100.0;
  schedules.clear();
  for (const int p : {1, 2}) schedules.push_back(earliest_finish(graph, dear, p));
  EXPECT_EQ(recommend(graph, dear, schedules).processors, 2);  // chains have nothing to send
  for (int t = 0; t < 4; ++t) graph.depend(t, 4 + t);
  schedules.clear();
  for (const int p : {1, 2}) schedules.push_back(earliest_finish(graph, dear, p));
  const Recommendation one = recommend(graph, dear, schedules);
  EXPECT_EQ(one.processors, 1);
  EXPECT_NE(one.reason.find("100 steps"), std::string::npos) << one.reason;
}

TEST(Choice, TimesHaveReadableUnits) {
  Machine seconds;
  seconds.in_seconds = true;
  EXPECT_EQ(time_text(seconds, 90e-9), "90 ns");
  EXPECT_EQ(time_text(seconds, 3.6451e-3), "3.65 ms");
  EXPECT_EQ(time_text(seconds, 1e-6), "1 µs");
  EXPECT_EQ(time_text(seconds, 0.0), "0 ns");
  EXPECT_EQ(time_text(Machine(), 27.0), "27 steps");
}

}  // namespace gantt_test
}  // namespace lw
