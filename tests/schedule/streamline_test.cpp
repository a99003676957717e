// Dhanaraj's subtasks for any serial arm. Their numbers, by table and by hand, are in reproduce/dhanaraj_schedule.cpp.
#include "schedule/methods/streamline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/read/read.hpp"
#include "schedule/schedule.hpp"

namespace lw {
namespace streamline_test {

constexpr std::array<bool, 3> kNone{false, false, false};

std::set<std::string> before(const TaskGraph& graph, const std::string& task) {
  std::set<std::string> names;
  for (const Dependence& d : graph.before(graph.find(task))) names.insert(graph[d.task].name);
  return names;
}

TEST(Streamline, EverySubtaskHasThreeOperations) {
  const TaskGraph graph = subtasks(4);
  ASSERT_EQ(graph.size(), 4 * 43);
  for (int i = 0; i < graph.size(); ++i) {
    EXPECT_EQ(graph[i].work.multiplications + graph[i].work.additions, 3) << graph[i].name;
    const SubtaskName name = subtask_of(graph[i]);
    EXPECT_EQ(graph.find(graph[i].name), i);
    EXPECT_EQ(name.link, 1 + i / 43);
    EXPECT_EQ(name.subtask, 1 + i % 43);
  }
  const OperationCount work = total_work(graph);  // table 4.1: 67 and 62 a link
  EXPECT_EQ(work.multiplications, 4 * 67);
  EXPECT_EQ(work.additions, 4 * 62);
}

// Layers of the formula keep the order of the graph, but for 20 to 22 of link 1, which stand beside 10.
TEST(Streamline, LayersKeepTheOrder) {
  for (int n = 2; n <= 12; ++n) {
    const TaskGraph graph = streamline(std::vector<StreamlinedLink>(static_cast<std::size_t>(n)), {true, true});
    int last = 0;
    for (int i = 0; i < graph.size(); ++i) {
      const SubtaskName to = subtask_of(graph[i]);
      const int layer = streamlined_layer(to.link, to.subtask, n);
      if (to.subtask <= 43) last = std::max(last, layer);
      for (const Dependence& d : graph.before(i)) {
        const SubtaskName from = subtask_of(graph[d.task]);
        const bool beside =
            from.link == 1 && from.subtask == 10 && to.link == 1 && to.subtask >= 20 && to.subtask <= 22;
        if (beside) {
          EXPECT_EQ(streamlined_layer(1, 10, n), layer);
        } else {
          EXPECT_LT(streamlined_layer(from.link, from.subtask, n), layer) << graph[d.task].name << " " << graph[i].name;
        }
      }
    }
    EXPECT_EQ(last, 4 * n + 3);
  }
}

TEST(Streamline, NothingWaitsForZeroTerms) {
  std::vector<StreamlinedLink> links(3);
  links[0].next_origin = kNone;     // λ_1 p_1 = 0: a_2 is a_1 turned, a_1 is given
  links[1].centre_of_mass = kNone;  // F_2 = m a_2, no s × F
  const TaskGraph graph = streamline(links);
  EXPECT_EQ(graph.find("212"), -1);
  EXPECT_EQ(graph.find("217"), -1);
  EXPECT_EQ(before(graph, "218"), std::set<std::string>{});
  EXPECT_EQ(before(graph, "226"), (std::set<std::string>{"218", "219"}));
  EXPECT_EQ(graph.find("236"), -1);
  EXPECT_EQ(before(graph, "241"), (std::set<std::string>{"227", "228", "229", "233", "234", "235", "239", "240"}));
  // and 4, 2 of six and 2, 1 of three where one or two entries are zero
  links = std::vector<StreamlinedLink>(3);
  const int all = streamline(links).size();
  links[1].centre_of_mass = {true, false, true};
  EXPECT_EQ(streamline(links).size(), all - 3);
  links[1].next_origin = {false, false, true};
  EXPECT_EQ(streamline(links).size(), all - 3 - 6);
}

TEST(Streamline, PrismaticJointsAddToTheAccelerationOfTheirOrigin) {
  std::vector<StreamlinedLink> links(4);
  links[2].prismatic = true;
  const TaskGraph graph = streamline(links);
  EXPECT_EQ(graph.find("301"), -1);
  EXPECT_EQ(before(graph, "303"), (std::set<std::string>{"201", "202", "203"}));  // ω of link 2, turned for nothing
  EXPECT_EQ(before(graph, "306"), (std::set<std::string>{"303", "318", "319"}));
  EXPECT_EQ(before(graph, "404"), (std::set<std::string>{"206"}));  // α of link 2 is that of link 3
  EXPECT_EQ(before(graph, "401"), (std::set<std::string>{"201", "202", "203"}));
  EXPECT_TRUE(before(graph, "415").contains("306"));
  EXPECT_TRUE(before(graph, "323").contains("306"));
  EXPECT_EQ(streamline(std::vector<StreamlinedLink>(4)).size() - graph.size(), 9);
  links[0].prismatic = true;  // nothing turns yet
  EXPECT_EQ(before(streamline(links), "126"), std::set<std::string>{"106"});
}

TEST(Streamline, AnyArmHasAGraphThatCanBeScheduled) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    std::vector<StreamlinedLink> links(static_cast<std::size_t>(1 + random.below(8)));
    for (StreamlinedLink& link : links) {
      link.prismatic = random.chance(0.3);
      for (int k = 0; k < 3; ++k) {
        link.next_origin[static_cast<std::size_t>(k)] = random.chance(0.5);
        link.centre_of_mass[static_cast<std::size_t>(k)] = random.chance(0.5);
      }
    }
    const TaskGraph plain = streamline(links), graph = streamline(links, {true, true});
    const auto slides = std::count_if(links.begin(), links.end(), [](const StreamlinedLink& l) { return l.prismatic; });
    EXPECT_EQ(graph.size() - plain.size(), 8 * static_cast<int>(links.size()) - 2 * static_cast<int>(slides));
    const Schedule s = highest_level_first(graph, Machine(), 3);
    EXPECT_TRUE(violations(graph, Machine(), s).empty()) << "seed " << seed;
  }
}

// Dhanaraj 1990, table 4.4: zeros of p are 2, 2, 3, 3, 3; of s, with the centres that his listings compute with.
TEST(Streamline, LinksOfAModel) {
  const auto zeros = [](const std::array<bool, 3>& v) { return std::count(v.begin(), v.end(), false); };
  const std::vector<StreamlinedLink> stanford = streamlined_links(instantiate<double>(load("stanford-dhanaraj")));
  ASSERT_EQ(stanford.size(), 6u);
  const std::vector<long> p{2, 2, 3, 3, 3}, s{2, 2, 1, 2, 2};  // s of links 2 to 6
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(stanford[i].prismatic, i == 2) << i;
    if (i < 5) {
      EXPECT_EQ(zeros(stanford[i].next_origin), p[i]) << i;
      EXPECT_EQ(zeros(stanford[i + 1].centre_of_mass), s[i]) << i;
    }
  }
  const auto refused = [](const char* model) {
    try {
      streamlined_links(instantiate<double>(load(model)));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("humanoid").find("serial arm"), std::string::npos) << refused("humanoid");
  EXPECT_NE(refused("torso").find("serial arm"), std::string::npos);
  EXPECT_EQ(refused("puma560-dhanaraj"), "");
}

// Whoever waits for a task that is left out waits for what that one waited for, at any distance.
TEST(Streamline, RestrictedKeepsTheOrder) {
  TaskGraph chain("chain");
  for (const char* name : {"a", "b", "c", "d", "e"}) chain.add({name, "", {.additions = 1}});
  chain.depend(0, 1);
  chain.depend(1, 2);
  chain.depend(2, 3);
  chain.depend(0, 4);
  chain.depend(2, 4);
  const TaskGraph some = restricted(chain, {true, false, false, true, true});
  ASSERT_EQ(some.size(), 3);
  EXPECT_EQ(before(some, "d"), std::set<std::string>{"a"});
  EXPECT_EQ(before(some, "e"), std::set<std::string>{"a"});
  EXPECT_THROW(restricted(chain, {true}), Error);
  EXPECT_THROW(subtasks(0), Error);
  EXPECT_THROW(streamline({}), Error);
  EXPECT_THROW(streamlined_layer(3, 1, 2), Error);
  EXPECT_THROW(streamlined_layer(1, 52, 2), Error);
}

}  // namespace streamline_test
}  // namespace lw
