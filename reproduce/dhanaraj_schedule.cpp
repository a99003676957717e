#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "dhanaraj_schedules.hpp"
#include "experiments.hpp"
#include "generated.hpp"
#include "orthogonal_arm.hpp"
#include "schedule/methods/streamline.hpp"
#include "schedule/schedule.hpp"

// Dhanaraj 1990, chapter 4 and appendix C: inverse dynamics as subtasks of three operations, layers, schedules.
namespace lw::reproduce {
namespace {

using Names = std::set<std::string>;
using Vector = std::vector<double>;

constexpr int kSixLinks = 6;
constexpr OptimalOptions kSearch{.seconds = 20.0, .nodes = 200'000};

const char* kSubtasksOracle = "dhanaraj_subtasks.py";
const char* kFromTable41 = "graph, layers and lists from table 4.1";

Names names_of(const Levels& levels) {
  Names names;
  for (const auto& level : levels) names.insert(level.begin(), level.end());
  return names;
}

Names names_of(const TaskGraph& graph) {
  Names names;
  for (int i = 0; i < graph.size(); ++i) names.insert(graph[i].name);
  return names;
}

Names without(const Names& a, const Names& b) {
  Names rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

Vector numbers(const Names& names) {
  Vector list;
  for (const std::string& name : names) list.push_back(std::stod(name));
  return list;
}

TaskGraph six_turning_links() { return streamline(std::vector<StreamlinedLink>(kSixLinks)); }

// What table 4.7 lists, waiting for each other as six turning links do: a slide's 3 and 6 are taken for ω and α.
TaskGraph stanford_as_printed() {
  const TaskGraph all = subtasks(kSixLinks);
  const Names names = names_of(dhanaraj_table_4_7());
  std::vector<bool> keep;
  for (int i = 0; i < all.size(); ++i) keep.push_back(names.contains(all[i].name));
  return restricted(all, keep);
}

// By table 4.4.
TaskGraph stanford_by_rules(const StreamlineOptions& options = {}) {
  constexpr std::array<bool, 3> y{false, true, false}, z{false, false, true}, yz{false, true, true}, none{};
  return streamline(
      {{false, y, yz}, {false, y, z}, {true, none, z}, {false, none, yz}, {false, none, yz}, {false, none, z}},
      options);
}

std::vector<int> printed_layers(const TaskGraph& graph) {
  std::vector<int> layer;
  for (int i = 0; i < graph.size(); ++i) {
    const SubtaskName name = subtask_of(graph[i]);
    layer.push_back(streamlined_layer(name.link, name.subtask, kSixLinks));
  }
  return layer;
}

// 120, 121 and 122 need λ of link 1, which 110 computes: in his tables they stand beside it.
TaskGraph without_110(const TaskGraph& graph) {
  TaskGraph result(graph.name());
  for (int i = 0; i < graph.size(); ++i) result.add(graph[i]);
  const int lambda = graph.find("110");
  const Names beside{"120", "121", "122"};
  for (int i = 0; i < graph.size(); ++i) {
    for (const Dependence& d : graph.before(i)) {
      if (d.task != lambda || !beside.contains(graph[i].name)) result.depend(d.task, i, d.bytes);
    }
  }
  return result;
}

// Every subtask takes one level.
Machine lock_step() {
  Machine m;
  m.multiplication = m.addition = m.division = m.root = 0.0;
  m.overhead = 1.0;
  return m;
}

// Levels of valid schedules, NaN for one that is not.
double levels(const TaskGraph& graph, const Schedule& schedule) {
  return violations(graph, lock_step(), schedule).empty() ? schedule.makespan() : std::nan("");
}
double depth(const TaskGraph& graph) { return critical_path(graph, lock_step()); }

struct Lengths {
  Vector streamlined, beside_110, highest_first, optimum, bound;
};

Lengths lengths(const TaskGraph& graph, const std::vector<int>& processors) {
  const std::vector<int> layer = printed_layers(graph);
  const TaskGraph relaxed = without_110(graph);
  const Machine machine = lock_step();
  Lengths l;
  for (const int p : processors) {
    const Schedule best = optimal(graph, machine, p, kSearch);
    l.streamlined.push_back(levels(graph, streamlined(graph, machine, p, layer)));
    l.beside_110.push_back(levels(relaxed, streamlined(relaxed, machine, p, layer)));
    l.highest_first.push_back(levels(graph, highest_level_first(graph, machine, p)));
    l.optimum.push_back(levels(graph, best));
    l.bound.push_back(best.lower_bound);
  }
  return l;
}

// --- layers

void layers_of_six_links(Experiment& e) {
  const Levels& printed = dhanaraj_table_4_3();
  Vector widths, ours(4 * kSixLinks + 3);
  double entries = 0.0, elsewhere = 0.0;
  for (std::size_t k = 0; k < printed.size(); ++k) {
    widths.push_back(static_cast<double>(printed[k].size()));
    for (const std::string& name : printed[k]) {
      const SubtaskName s = subtask_of({name, "", {}});
      if (streamlined_layer(s.link, s.subtask, kSixLinks) != static_cast<int>(k) + 1) ++elsewhere;
      ++entries;
    }
  }
  // what the table has: the first link without the forward part but 10 and 20 to 25, all else
  const TaskGraph all = subtasks(kSixLinks);
  Names generated;
  for (int i = 0; i < all.size(); ++i) {
    const SubtaskName s = subtask_of(all[i]);
    if (s.link == 1 && s.subtask < 20 && s.subtask != 10) continue;
    generated.insert(all[i].name);
    ++ours[static_cast<std::size_t>(streamlined_layer(s.link, s.subtask, kSixLinks) - 1)];
  }
  const Names printed_names = names_of(printed);
  e.compare("layers", "subtasks in each layer, six turning links", "table 4.3", widths, ours, absolute(0.0),
            "Generated: link i begins two layers after link i − 1, and ends two before it.");
  e.compare("entries", "entries of the table; in another layer than generated; printed only; generated only",
            "table 4.3", {240, 0, 0, 0},
            {entries, elsewhere, static_cast<double>(without(printed_names, generated).size()),
             static_cast<double>(without(generated, printed_names).size())},
            absolute(0.0), "Each entry is compared by its name.");

  Vector formula, found, count, tasks;
  for (int n = 2; n <= 9; ++n) {
    const TaskGraph graph = streamline(std::vector<StreamlinedLink>(static_cast<std::size_t>(n)));
    formula.push_back(4.0 * n + 3);
    found.push_back(depth(graph));
    count.push_back(43.0 * n - 28);
    tasks.push_back(graph.size());
  }
  e.compare("depth", "layers of n turning links, n = 2 … 9", "section 4.3: 4n + 3", formula, found, absolute(0.0),
            "The longest way through the graph itself, whatever the layers of the table.");
  const TaskGraph six = six_turning_links();
  e.misprint("tasks", "subtasks of six turning links that are needed", "section 4.3", 231.0, six.size(),
             43.0 * 6 - 20 - 8, absolute(0.0),
             fmt::format(
                 "Six times 43 without the 20 that the first link and the 8 that the last one does not need. Table 4.2 "
                 "has 19 for the first link, {{1 … 9, 11 … 18, 26, 27}}; tables 4.3 and C leave out {{1 … 9, 11 … 19}} "
                 "and {{27, 28}}, and that is right. Table 4.3 still has {}.",
                 fmt::join(without(names_of(dhanaraj_table_4_3()), names_of(six)), ", ")));
  e.compare("tasks-n", "subtasks of n turning links, n = 2 … 9", property("by hand: 43n − 20 − 8"), count, tasks,
            absolute(0.0));
}

void layers_of_stanford(Experiment& e) {
  const TaskGraph printed = stanford_as_printed(), ours = stanford_by_rules();
  const Levels& table = dhanaraj_table_4_7();
  double elsewhere = 0.0, widest = 0.0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    widest = std::max(widest, static_cast<double>(table[k].size()));
    for (const std::string& name : table[k]) {
      const SubtaskName s = subtask_of({name, "", {}});
      if (streamlined_layer(s.link, s.subtask, kSixLinks) != static_cast<int>(k) + 1) ++elsewhere;
    }
  }
  e.compare("stanford", "Stanford arm: subtasks; most in a layer; in another layer than generated", "table 4.7",
            {156, 9, 0}, {static_cast<double>(printed.size()), widest, elsewhere}, absolute(0.0), "468 operations.");
  e.misprint(
      "stanford-tasks", "Stanford arm: subtasks by the rules of tables 4.2, 4.4 and 4.5", "table 4.7", 156.0,
      ours.size(),
      43.0 * 6 - (20 + 2 + 1 + 2) - (4 + 4 + 2 + 2) - (9 + 4 + 4 + 3 + 2) - (6 + 2 + 3 + 1) * 2 - (6 + 4 + 8 + 2),
      absolute(0.0), "Counted by hand too, link by link. The next row has what differs.");
  e.compare(
      "stanford-deviations", "Stanford arm: printed against the rules; by the rules but not printed",
      property("by hand: the rules of tables 4.2, 4.4 and 4.5"), {120, 121, 127, 233, 129, 316, 317},
      [&] {
        Vector both = numbers(without(names_of(printed), names_of(ours)));
        for (const double name : numbers(without(names_of(ours), names_of(printed)))) both.push_back(name);
        return both;
      }(),
      absolute(0.0),
      "120, 121: one entry of s_1 is zero. 127 stands for 129: link 1 turns about z. 233: two entries of p_2 are zero. "
      "316, "
      "317: table 4.6 takes p_3 = 0 for subtasks 12 to 17 of link 3, which need p_2, so that the slide's offset is not "
      "accelerated. For link 2 table 4.6 lists twelve subtasks and counts ten.");
  e.misprint(
      "stanford-depth", "Stanford arm: longest way through table 4.7, in levels", "table 4.7: 27 layers", 27.0,
      depth(printed), /* oracle: dhanaraj_subtasks.py stanford-depth */ 25.0, absolute(0.0),
      fmt::format(
          "Layers are those of six turning links; what is left out shortens the way. Also by "
          "tests/oracles/dhanaraj_subtasks.py. "
          "With the subtasks that the rules give, the slide's acceleration in a instead of α, and no waiting for "
          "products with zeros it is {}.",
          depth(ours)));
}

// --- levels

void levels_of_six_links(Experiment& e) {
  const std::vector<int> processors{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13};
  const TaskGraph graph = six_turning_links();
  const Lengths ours = lengths(graph, processors);
  const std::string p = "six turning links, p = 1 … 10, 13";
  e.compare("levels-strict", "levels by his strategy, strictly, " + p, recomputed(kSubtasksOracle, kFromTable41),
            {230, 116, 77, 58, 47, 39, 34, 32, 31, 30, 27}, ours.streamlined, absolute(0.0),
            "No task in the same level as one that it waits for.");
  // as printed: p = 1 is a count, p = 10 has no table
  const auto chosen = [](const Vector& all) {
    Vector list(all.begin() + 1, all.begin() + 9);
    list.push_back(all.back());
    return list;
  };
  const std::string printed_p = "six turning links, p = 2 … 9, 13";
  const Vector printed{116, 78, 58, 47, 39, 34, 31, 30, 27}, strict{116, 77, 58, 47, 39, 34, 32, 31, 27};
  e.misprint("levels", "levels by his strategy, " + printed_p, "tables C.1 to C.8, 4.3", printed,
             chosen(ours.streamlined), strict, absolute(0.0),
             "Strictly, and by tests/oracles/dhanaraj_subtasks.py: 8 and 9 processors take a level more, since 120 to "
             "122 cannot "
             "run beside "
             "110 (next row); 3 take one less, since C.2 has two tasks twice.");
  Vector with_two_twice = chosen(ours.beside_110);
  with_two_twice[1] = std::max(with_two_twice[1], std::ceil((graph.size() + 2) / 3.0));
  e.compare("levels-beside-110", "the same with 120 to 122 beside 110, two tasks twice for p = 3",
            "tables C.1 to C.8, 4.3", printed, with_two_twice, absolute(0.0), "What the print is a schedule of.");
  e.beaten("levels-hlf", "levels, highest level first, " + printed_p, "tables C.1 to C.8, 4.3", printed,
           chosen(ours.highest_first), "Valid schedules, which his are not.");
  double fewest = 0.0;
  for (std::size_t k = processors.size(); k-- > 0 && ours.highest_first[k] == 27.0;) fewest = processors[k];
  e.beaten("processors", "processors that reach 27 levels", "table 4.3", 13.0, fewest,
           "Highest level first. The longest way has 27, so that no schedule is shorter.");
  e.compare("optimum", "levels of the shortest schedules, highest level first against the proven bound, " + p,
            property("no schedule is shorter"), ours.bound, ours.highest_first, absolute(0.0),
            "Lists reach the bound everywhere.");
  // as often as it is above 98 %, by the levels of the oracle
  Vector above, also;
  const Vector theirs{230, 116, 77, 58, 47, 39, 34, 32, 31};
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    above.push_back(static_cast<double>(graph.size()) > 0.98 * processors[k] * ours.streamlined[k] ? 1.0 : 0.0);
    also.push_back(230.0 > 0.98 * processors[k] * theirs[k] ? 1.0 : 0.0);
  }
  e.misprint("efficiency", "efficiency above 98 % (1: yes), p = 1 … 9", "section 4.5: up to six processors",
             {1, 1, 1, 1, 1, 1, 0, 0, 0}, above, also, absolute(0.0),
             "On five processors 230 tasks take 47 levels at least: 97.9 %, which 231 would make 98.3.");
  Plot plot{"Speed-up of inverse dynamics, subtasks of three operations", "processors", "speed-up", {}};
  const auto add = [&](const std::string& label, const Vector& of, double serial) {
    Series s;
    s.label = label;
    for (std::size_t k = 0; k < of.size() && k < 10; ++k) {
      s.x.push_back(processors[k]);
      s.y.push_back(serial / of[k]);
    }
    plot.series.push_back(s);
  };
  add("six turning links, his strategy", ours.streamlined, graph.size());
  add("six turning links, optimum", ours.optimum, graph.size());
  const TaskGraph stanford = stanford_as_printed();
  const Lengths arm = lengths(stanford, processors);
  add("Stanford arm, his strategy", arm.streamlined, stanford.size());
  add("Stanford arm, optimum", arm.optimum, stanford.size());
  e.plots.push_back(plot);
}

void levels_of_stanford(Experiment& e) {
  const std::vector<int> processors{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const Vector printed{156, 79, 52, 39, 32, 29, 27, 27};
  const Lengths ours = lengths(stanford_as_printed(), processors);
  const auto to_8 = [](const Vector& all) { return Vector(all.begin(), all.begin() + 8); };
  e.compare("stanford-strict", "levels by his strategy, strictly, Stanford arm of table 4.7, p = 1 … 9",
            recomputed(kSubtasksOracle, kFromTable41), {156, 79, 52, 40, 32, 28, 27, 26, 25},
            Vector(ours.streamlined.begin(), ours.streamlined.begin() + 9), absolute(0.0));
  e.misprint("stanford-levels", "levels by his strategy, Stanford arm, p = 1 … 8", "tables 4.7, C.9 to C.15", printed,
             to_8(ours.streamlined), {156, 79, 52, 40, 32, 28, 27, 26}, absolute(0.0),
             "Also by tests/oracles/dhanaraj_subtasks.py. C.11 saves its level by leaving out 132 and running 401 and "
             "402 beside "
             "303; C.13 and "
             "C.15 are longer than the strategy makes them.");
  e.beaten(
      "stanford-optimum", "levels, shortest schedules, Stanford arm, p = 1 … 8", "tables 4.7, C.9 to C.15", printed,
      to_8(ours.optimum),
      fmt::format(
          "All proven to be optima. Highest level first finds all of them but one: {} for p = 4, where a search finds "
          "39, which leaves no slot empty.",
          ours.highest_first[3]));
  e.compare("stanford-proof", "levels, shortest schedules against the proven bound, Stanford arm, p = 1 … 10",
            property("no schedule is shorter"), ours.bound, ours.optimum, absolute(0.0));
  Vector milliseconds, ours_ms;
  const Machine intel = load_machine("8086");
  const double subtask = 1e3 * intel.duration({.multiplications = 2, .additions = 1});
  for (const double l : printed) milliseconds.push_back(l * subtask);
  for (const double l : lengths(stanford_by_rules(), {1, 2, 3, 4, 5, 6}).optimum) ours_ms.push_back(l * subtask);
  e.compare("time", "time on p = 1 … 8 processors 8086, printed levels at 45 µs an operation (ms)",
            "table 4.8, this work", {21.06, 10.67, 7.02, 5.26, 4.32, 3.92, 3.65, 3.65}, milliseconds, absolute(0.01),
            "The 45 µs are nowhere in the thesis: 135 for a subtask follow from this table. No time was measured.");
  e.beaten("time-others", "time on p = 1 … 6 processors 8086, shortest schedules (ms)",
           "table 4.8, Chen, Lee and Hou 1988", {24.83, 12.42, 8.44, 6.59, 5.72, 5.70}, ours_ms,
           "Of the 155 subtasks by the rules, at 45 µs an operation: a model there and here, no time was measured.");
}

// --- the schedules of appendix C

struct Faults {
  Vector counts;  // dependences broken but for those on 110, of those; tasks missing, twice, and not in the graph
  std::string words;
};

Faults faults(const TaskGraph& graph, const PrintedSchedule& printed) {
  Schedule schedule;
  schedule.processors = printed.processors;
  Names foreign;
  for (std::size_t k = 0; k < printed.levels.size(); ++k) {
    int processor = 0;
    for (const std::string& name : printed.levels[k]) {
      const int task = graph.find(name);
      if (task < 0) {
        foreign.insert(name);
      } else {
        schedule.placements.push_back({task, processor, static_cast<double>(k), static_cast<double>(k + 1)});
      }
      ++processor;
    }
  }
  Names edges, beside_110, missing, twice;
  double others = 0.0;
  for (const Violation& v : violations(graph, lock_step(), schedule)) {
    const std::string to = graph[v.to].name;
    switch (v.kind) {
      case Violation::Kind::precedence:
        if (graph[v.from].name == "110") {
          beside_110.insert(to);
        } else {
          edges.insert(graph[v.from].name + " → " + to);
        }
        break;
      case Violation::Kind::missing: missing.insert(to); break;
      case Violation::Kind::twice: twice.insert(to); break;
      default: ++others;
    }
  }
  Faults f;
  for (const Names* names : {&edges, &beside_110, &missing, &twice, &foreign}) {
    f.counts.push_back(static_cast<double>(names->size()));
  }
  f.counts.push_back(others);
  const auto say = [&](const char* what, const Names& names) {
    if (!names.empty()) f.words += fmt::format("{}{} {}", f.words.empty() ? "" : "; ", what, fmt::join(names, ", "));
  };
  say("broken:", edges);
  say("beside 110, for which they wait:", beside_110);
  say("missing:", missing);
  say("twice:", twice);
  say("not in the graph:", foreign);
  f.words += ".";
  return f;
}

void printed_schedules(Experiment& e) {
  // oracle: dhanaraj_subtasks.py faults
  const std::vector<Vector> elsewhere{{1, 1, 0, 1, 0, 0}, {0, 2, 0, 2, 0, 0}, {0, 3, 0, 0, 0, 0}, {4, 3, 0, 0, 0, 0},
                                      {1, 3, 0, 0, 0, 0}, {3, 3, 0, 1, 0, 0}, {3, 3, 0, 6, 0, 0}, {2, 3, 0, 0, 2, 0},
                                      {0, 1, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0}, {2, 3, 2, 0, 1, 0}, {2, 2, 1, 0, 1, 0},
                                      {0, 3, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0}, {0, 3, 1, 0, 1, 0}};
  const TaskGraph six = six_turning_links(), stanford = stanford_as_printed();
  for (std::size_t k = 0; k < elsewhere.size(); ++k) {
    const PrintedSchedule& printed = dhanaraj_schedules().at(k);
    const Faults f = faults(printed.stanford ? stanford : six, printed);
    e.misprint(fmt::format("schedule-{}", k + 1),
               fmt::format("{} on {} processors: dependences broken but those on 110; on 110; tasks missing; twice; "
                           "foreign; other faults",
                           printed.stanford ? "Stanford arm" : "six links", printed.processors),
               property("table " + printed.table + " is a schedule: no faults"), {0, 0, 0, 0, 0, 0}, f.counts,
               elsewhere[k], absolute(0.0), f.words + " Also by tests/oracles/dhanaraj_subtasks.py.");
  }
}

// --- friction, and operations instead of subtasks

void friction(Experiment& e) {
  Vector bearings, transmissions, both;
  const auto added = [](int n, bool bearing, bool transmission) {
    const std::vector<StreamlinedLink> links(static_cast<std::size_t>(n));
    return depth(streamline(links, {bearing, transmission})) - depth(streamline(links));
  };
  for (int n = 2; n <= 9; ++n) {
    bearings.push_back(added(n, true, false));
    transmissions.push_back(added(n, false, true));
    both.push_back(added(n, true, true));
  }
  const std::string what = "layers that friction adds to n turning links, n = 2 … 9: ";
  const TaskGraph six = streamline(std::vector<StreamlinedLink>(kSixLinks), {true, true}),
                  stanford = stanford_by_rules({true, true});
  Vector tasks{static_cast<double>(six.size()), static_cast<double>(stanford.size())}, found;
  for (const int p : {2, 4, 6, 10}) found.push_back(levels(six, optimal(six, lock_step(), p, kSearch)));
  const auto as_many = [](double value) { return Vector(8, value); };
  e.compare("friction-transmission", what + "transmissions alone", property("by hand: 50 and 51 follow n of link 1"),
            as_many(2), transmissions, absolute(0.0), "Rolling bearings.");
  e.compare("friction-bearing", what + "journal bearings alone",
            property("by hand: 45, 47 and 49 follow n of link 1, 44 its f beside n"), as_many(3), bearings,
            absolute(0.0));
  e.compare(
      "friction", what + "both",
      property("section 4.5 names friction as an extension; by hand: 45, 47, 49, 50, 51 follow n of link 1"),
      as_many(5), both, absolute(0.0),
      fmt::format(
          "Links further out have theirs done while the recursion goes on. Eight subtasks more a joint: {} of six "
          "turning links, on 2, 4, 6 and 10 processors {} levels; {} of the Stanford arm, {} layers.",
          tasks[0], fmt::join(found, ", "), tasks[1], depth(stanford)));
  e.compare("friction-tasks", "subtasks with friction: six turning links, Stanford arm",
            property("by hand: 230 + 6 · 8; 155 + 5 · 8 + 6"), {278, 201}, tasks, absolute(0.0));
}

void operations_in_a_row(Experiment& e) {
  Vector printed, ours;
  TraceOptions options;
  options.objective = Objective::depth;
  for (int n = 2; n <= 7; ++n) {
    printed.push_back(12.0 * n + 9);
    ours.push_back(generate(orthogonal_arm(n), "inverse", options).depth());
  }
  e.beaten("operations", "operations in a row of inverse dynamics, n = 2 … 7", "section 4.3: 12n + 9", printed, ours,
           "12n + 9 are 4n + 3 layers of three operations each, all three one after another, and all of a vector "
           "before any of the "
           "next: a depth, with as many processors as one likes and messages free. Ours is that of the graph of single "
           "operations, "
           "as `count --objective depth` gives it, at most 8n + 1; sines and cosines are one operation each, and the "
           "first.");
}

}  // namespace

Experiment dhanaraj_schedule() {
  Experiment e(
      "dhanaraj", "dhanaraj.schedule", "Subtasks, layers and schedules (chapter 4, appendix C)",
      "Inverse dynamics as 43 subtasks a link of three operations each, in layers, and level by level on p processors. "
      "Graphs are generated from the rules; every schedule of ours passes the validator that finds the faults in his.");
  layers_of_six_links(e);
  layers_of_stanford(e);
  levels_of_six_links(e);
  levels_of_stanford(e);
  printed_schedules(e);
  friction(e);
  operations_in_a_row(e);
  return e;
}

}  // namespace lw::reproduce
