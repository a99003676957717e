#include "streamline.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"

namespace lw {

namespace {

struct Subtask {
  const char* text;
  int multiplications, additions;
  std::vector<int> same, before, after;  // predecessors: of the same link, of the previous and of the next one
};

// Dhanaraj 1990, table 4.1.
const std::array<Subtask, 43>& table() {
  static const std::vector<int> lambda{9, 10, 11}, sum_p{12, 13, 14},
      forces{27, 28, 29, 33, 34, 35, 36, 37, 38, 39, 40};
  static const std::array<Subtask, 43> list{{
      {"ω_x, of Rᵀ ω before", 2, 1, {}, {1, 2, 3}, {}},
      {"ω_y, of Rᵀ ω before", 2, 1, {}, {1, 2, 3}, {}},
      {"ω_z + q̇, q̇ ω_y, -q̇ ω_x", 2, 1, {1, 2}, {}, {}},
      {"x of Rᵀ α before", 2, 1, {}, {6}, {}},
      {"y of Rᵀ α before", 2, 1, {}, {6}, {}},
      {"α = Rᵀ α before + c", 0, 3, {3, 4, 5}, {}, {}},
      {"ω_y ω_z, ω_z ω_x, ω_x ω_y", 3, 0, {1, 2, 3}, {}, {}},
      {"squares of ω", 3, 0, {1, 2, 3}, {}, {}},
      {"diagonal of λ", 0, 3, {8}, {}, {}},
      {"λ_21, λ_13, λ_32", 0, 3, {6, 7}, {}, {}},
      {"λ_12, λ_31, λ_23", 0, 3, {6, 7}, {}, {}},
      {"products of λ p before, row x", 3, 0, {}, lambda, {}},
      {"products of λ p before, row y", 3, 0, {}, lambda, {}},
      {"products of λ p before, row z", 3, 0, {}, lambda, {}},
      {"x of a + λ p before", 0, 3, sum_p, {18, 19}, {}},
      {"y of a + λ p before", 0, 3, sum_p, {18, 19}, {}},
      {"z of a + λ p before", 0, 3, sum_p, {18, 19}, {}},
      {"a, one row of Rᵀ (a + λ p) before", 2, 1, {15, 16, 17}, {}, {}},
      {"a, the other row", 2, 1, {15, 16, 17}, {}, {}},
      {"products of λ s, row x", 3, 0, lambda, {}, {}},
      {"products of λ s, row y", 3, 0, lambda, {}, {}},
      {"products of λ s, row z", 3, 0, lambda, {}, {}},
      {"x of a + λ s", 0, 3, {18, 19, 20, 21, 22}, {}, {}},
      {"y of a + λ s", 0, 3, {18, 19, 20, 21, 22}, {}, {}},
      {"z of a + λ s", 0, 3, {18, 19, 20, 21, 22}, {}, {}},
      {"F = m (a + λ s)", 3, 0, {23, 24, 25}, {}, {}},
      {"N_x", 2, 1, {6, 7}, {}, {}},
      {"N_y", 2, 1, {6, 7}, {}, {}},
      {"N_z", 2, 1, {6, 7}, {}, {}},
      {"one row of R f after", 2, 1, {}, {}, {32}},
      {"the other row of R f after", 2, 1, {}, {}, {32}},
      {"f = F + R f after", 0, 3, {26, 30, 31}, {}, {}},
      {"x of p × R f after", 2, 1, {30, 31}, {}, {}},
      {"y of p × R f after", 2, 1, {30, 31}, {}, {}},
      {"z of p × R f after", 2, 1, {30, 31}, {}, {}},
      {"x of s × F", 2, 1, {26}, {}, {}},
      {"y of s × F", 2, 1, {26}, {}, {}},
      {"z of s × F", 2, 1, {26}, {}, {}},
      {"one row of R n after", 2, 1, {}, {}, {41, 42, 43}},
      {"the other row of R n after", 2, 1, {}, {}, {41, 42, 43}},
      {"n_x", 0, 3, forces, {}, {}},
      {"n_y", 0, 3, forces, {}, {}},
      {"n_z", 0, 3, forces, {}, {}},
  }};
  return list;
}

class Decomposition {
 public:
  explicit Decomposition(const std::vector<StreamlinedLink>& links) : links_(links), number_(links.size()) {
    require(!links.empty(), "an arm has at least one link");
    for (int i = 1; i <= count(); ++i) {
      for (int t = 1; t <= 43; ++t) {
        const Subtask& s = table()[at(t - 1)];
        add(i, t, s.text, {.multiplications = s.multiplications, .additions = s.additions});
      }
    }
    for (int i = 1; i <= count(); ++i) {
      for (int t = 1; t <= 43; ++t) {
        const Subtask& s = table()[at(t - 1)];
        if (links[at(i - 1)].prismatic && t == 6) {
          for (const int other : {3, 18, 19}) depend(i, other, i, t);
          continue;
        }
        if (vanishes(i, t)) continue;
        for (const int other : s.same) read(i, other, i, t);
        for (const int other : s.before) read(i - 1, other, i, t);
        for (const int other : s.after) read(i + 1, other, i, t);
      }
    }
  }

  // Tables 4.2, 4.5: the first link, the last one, prismatic joints, zeros.
  std::vector<bool> needed() const {
    std::vector<bool> keep(at(graph.size()), true);
    for (int i = 1; i <= count(); ++i) {
      const auto drop = [&](int first, int last) {
        for (int t = first; t <= last; ++t) keep[at(number(i, t))] = false;
      };
      const StreamlinedLink& link = links_[at(i - 1)];
      if (link.prismatic) {
        drop(1, 2);
        drop(4, 5);
        drop(7, 11);
      }
      if (i > 1) drop(12, 11 + 2 * zeros(links_[at(i - 2)].next_origin));
      drop(20, 19 + 2 * zeros(link.centre_of_mass));
      drop(33, 32 + zeros(link.next_origin));
      drop(36, 35 + zeros(link.centre_of_mass));
      if (i == 1) {
        drop(1, link.prismatic ? 5 : 9);
        drop(link.prismatic ? 7 : 11, link.prismatic ? 25 : 19);  // of a prismatic joint on the base, only 6 is needed
        drop(27, link.prismatic ? 29 : 28);
      }
      if (i == count()) {
        drop(30, 35);
        drop(39, 40);
      }
    }
    return keep;
  }

  void add_friction(const StreamlineOptions& options) {
    for (int i = 1; i <= count(); ++i) {
      const bool prismatic = links_[at(i - 1)].prismatic;
      const std::vector<int> torque = prismatic ? std::vector<int>{32} : std::vector<int>{43};
      if (options.bearings) {
        add(i, 44, "d/2 f_x, d/2 f_y, σ μ r / d", {.multiplications = 3});
        if (prismatic) {
          add(i, 45, "load of one support", {.additions = 3, .comparisons = 2});
          add(i, 46, "load of the other support", {.additions = 3, .comparisons = 2});
        } else {
          add(i, 45, "sums of one support, first square", {.multiplications = 1, .additions = 2});
          add(i, 46, "sums of the other support, first square", {.multiplications = 1, .additions = 2});
          add(i, 47, "load of one support", {.multiplications = 1, .additions = 1, .roots = 1});
          add(i, 48, "load of the other support", {.multiplications = 1, .additions = 1, .roots = 1});
        }
        add(i, 49, "friction of the bearing, torque at the joint", {.multiplications = 1, .additions = 2});
        depend(i, 32, i, 44);
        for (const int t : {45, 46}) {
          for (const int other : {44, 41, 42}) depend(i, other, i, t);
          if (!prismatic) depend(i, t, i, t + 2);
          depend(i, prismatic ? t : t + 2, i, 49);
        }
        for (const int t : torque) depend(i, t, i, 49);
      }
      if (options.transmissions) {
        add(i, 50, "efficiency at this load, torque through it",
            {.multiplications = 1, .additions = 1, .divisions = 1});
        add(i, 51, "breakaway torque added", {.additions = 1});
        for (const int t : options.bearings ? std::vector<int>{49} : torque) depend(i, t, i, 50);
        depend(i, 50, i, 51);
      }
    }
  }

  TaskGraph graph{"dynamics of a serial arm"};

 private:
  int count() const { return static_cast<int>(links_.size()); }
  static int zeros(const std::array<bool, 3>& v) { return static_cast<int>(std::count(v.begin(), v.end(), false)); }

  // Products with a zero vector: nothing waits for them.
  bool vanishes(int i, int t) const {
    if (t >= 12 && t <= 14) return i > 1 && zeros(links_[at(i - 2)].next_origin) == 3;
    if (t >= 33 && t <= 35) return zeros(links_[at(i - 1)].next_origin) == 3;
    if ((t >= 20 && t <= 22) || (t >= 36 && t <= 38)) return zeros(links_[at(i - 1)].centre_of_mass) == 3;
    return false;
  }

  // A prismatic joint does not rotate: its ω is that of 1 and 2, its α that of 4 and 5, which cost nothing, while 6 is
  // the last term of a.
  void read(int from_link, int from, int to_link, int to) {
    const bool sliding = from_link >= 1 && from_link <= count() && links_[at(from_link - 1)].prismatic;
    if (sliding && from == 3) return;  // readers of ω read 1 and 2 too
    if (sliding && from == 6) {
      for (const int t : {4, 5}) depend(from_link, t, to_link, to);
      return;
    }
    depend(from_link, from, to_link, to);
    if (sliding && from == 18) depend(from_link, 6, to_link, to);
  }

  int number(int link, int subtask) const { return number_[at(link - 1)].at(subtask); }

  void add(int link, int subtask, const char* text, OperationCount work) {
    number_[at(link - 1)][subtask] = graph.add({fmt::format("{}{:02}", link, subtask), text, work});
  }

  void depend(int from_link, int from, int to_link, int to) {
    if (from_link < 1 || from_link > count()) return;
    graph.depend(number(from_link, from), number(to_link, to), 24);
  }

  const std::vector<StreamlinedLink> links_;
  std::vector<std::map<int, int>> number_;
};

}  // namespace

TaskGraph subtasks(int links) {
  require(links >= 1, "an arm has at least one link");
  return Decomposition(std::vector<StreamlinedLink>(at(links))).graph;
}

TaskGraph streamline(const std::vector<StreamlinedLink>& links, const StreamlineOptions& options) {
  Decomposition all(links);
  std::vector<bool> keep = all.needed();
  all.add_friction(options);
  keep.resize(at(all.graph.size()), true);
  return restricted(all.graph, keep);
}

TaskGraph restricted(const TaskGraph& graph, const std::vector<bool>& keep) {
  require(static_cast<int>(keep.size()) == graph.size(), "`keep` must have one entry per task");
  TaskGraph result(graph.name());
  std::vector<int> number(keep.size(), -1);
  for (int i = 0; i < graph.size(); ++i) {
    if (keep[at(i)]) number[at(i)] = result.add(graph[i]);
  }
  std::vector<std::map<int, int>> waits_for(keep.size());  // kept tasks, and the bytes read
  for (const int task : evaluation_order(graph)) {
    for (const Dependence& d : graph.before(task)) {
      if (keep[at(d.task)]) {
        waits_for[at(task)][d.task] = d.bytes;
      } else {
        waits_for[at(task)].insert(waits_for[at(d.task)].begin(), waits_for[at(d.task)].end());
      }
    }
  }
  for (int i = 0; i < graph.size(); ++i) {
    if (!keep[at(i)]) continue;
    for (const auto& [from, bytes] : waits_for[at(i)]) result.depend(number[at(from)], number[at(i)], bytes);
  }
  return result;
}

int streamlined_layer(int link, int subtask, int links) {
  require(link >= 1 && link <= links && subtask >= 1 && subtask <= 51,
          "a subtask has a number from 1 to 51, on a link of the arm");
  if (subtask <= 25) {
    if (link == 1) return subtask >= 23 ? 2 : 1;
    static const std::array<int, 25> own{1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6};
    return own[at(subtask - 1)] + 2 * (link - 2);
  }
  static const std::array<int, 8> friction{3, 4, 4, 5, 5, 6, 7, 8};  // 44..51
  const int own = subtask <= 31 ? 1 : subtask <= 40 ? 2 : subtask <= 43 ? 3 : friction[at(subtask - 44)];
  return 2 * links + 2 + own + 2 * (links - link);
}

SubtaskName subtask_of(const Task& task) {
  const int number = std::stoi(task.name);
  return {number / 100, number % 100};
}

}  // namespace lw
