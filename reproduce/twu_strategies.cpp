#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "codegen/strategies/strategy_cost.hpp"
#include "evaluate.hpp"
#include "model/read/read.hpp"

// Twu 1987, chapter 4: why he mixes symbols with loops. Four ways to write the inverse dynamics of arms of 2 to 12
// joints, what they come to and what it takes to make them; he gives no figures. `linkwright strategies` also compiles
// and times them.
namespace lw::reproduce {
namespace {

constexpr int kFewestJoints = 2, kMostJoints = 12;
constexpr std::size_t kTermsOfExpansion = 10'000;  // six joints have more

struct OfStrategy {
  Vector joints, operations, bytes, seconds, megabytes;

  // From so many joints on, to as many as the other has.
  static Vector part(const Vector& of, int from, int to) {
    return {of.begin() + (from - kFewestJoints), of.begin() + (to - kFewestJoints + 1)};
  }
  int last() const { return static_cast<int>(joints.back()); }
};

OfStrategy of_strategy(Strategy strategy) {
  OfStrategy all;
  for (int n = kFewestJoints; n <= kMostJoints; ++n) {
    StrategyOptions options;
    options.most_terms = kTermsOfExpansion;
    const GenerationCost cost = generation_cost(strategy, load(fmt::format("arm-{}", n)), options);
    if (!cost.made()) break;
    all.joints.push_back(n);
    all.operations.push_back(static_cast<double>(cost.multiplications + cost.additions));
    all.bytes.push_back(cost.bytes);
    all.seconds.push_back(cost.seconds);
    all.megabytes.push_back(std::max(0.0, cost.kilobytes - cost.kilobytes_before) / 1024.0);
  }
  return all;
}

Plot growth_plot(const char* title, const char* y, Vector OfStrategy::*of, const std::vector<OfStrategy>& all) {
  Plot plot{.title = title, .x_label = "joints", .y_label = y, .series = {}};
  for (std::size_t s = 0; s < all.size(); ++s) {
    Series series{.label = to_string(kStrategies[s]), .x = all[s].joints, .y = {}};
    for (const double x : all[s].*of) series.y.push_back(std::log10(x));
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

Experiment twu_strategies() {
  Experiment e(
      "twu", "twu.strategies", "Four ways to write the program (chapter 4)",
      "Inverse dynamics of arms of 2 to 12 joints: multiplied out; his matrices and loops; closed equations in which "
      "nothing is computed twice; and the recursion that `compile` unrolls. Each is made in a process of its own.");
  std::vector<OfStrategy> all;
  for (const Strategy s : kStrategies) all.push_back(of_strategy(s));
  const OfStrategy &expand = all[0], &loops = all[1], &cse = all[2], &recursive = all[3];
  const auto from = [](const Vector& of, int first, int last) { return OfStrategy::part(of, first, last); };

  const Source explosion = property("chapter 4: loops over named matrices avoid huge expressions");
  const int last = expand.last();
  e.beaten("expand.operations", "operations from 4 joints on: multiplied out; loops", explosion,
           from(expand.operations, 4, last), from(loops.operations, 4, last),
           fmt::format("With fewer joints loops carry out more. With {} joints it is given up: more than {} terms.",
                       last + 1, kTermsOfExpansion));
  e.beaten("expand.bytes", "bytes of C from 4 joints on: multiplied out; loops", explosion, from(expand.bytes, 4, last),
           from(loops.bytes, 4, last), "With fewer joints the text of the loops is longer.");
  e.beaten("expand.effort", fmt::format("making it for {} joints (s, MB): multiplied out; loops", last), explosion,
           {expand.seconds.back(), expand.megabytes.back()},
           {loops.seconds[static_cast<std::size_t>(last - kFewestJoints)],
            loops.megabytes[static_cast<std::size_t>(last - kFewestJoints)]},
           "One run on this machine.");
  e.beaten("cse.bytes", "bytes of C from 5 to 12 joints: closed equations; loops", explosion,
           from(cse.bytes, 5, kMostJoints), from(loops.bytes, 5, kMostJoints), "Text is what loops are good at.");
  e.beaten("cse.operations", "operations, 2 to 12 joints: loops; closed equations, nothing twice",
           property("future work: better handling of matrices, time against memory"), loops.operations, cse.operations,
           "Products that groups share, and two sums that cancel.");
  e.beaten(
      "recursive.operations", "operations, 2 to 12 joints: loops; unrolled recursion",
      property("future work: better handling of matrices, time against memory"), loops.operations, recursive.operations,
      fmt::format("With 12 joints 1 in {:.0f}. What was multiplied out, closed or unrolled is compared with recursive "
                  "Newton-Euler before it is written; loops where they run (below, and in `strategies`).",
                  loops.operations.back() / recursive.operations.back()));
  e.beaten(
      "recursive.bytes", "bytes of C, 3 to 12 joints: loops; unrolled recursion",
      property("no loops are needed for a short text"), from(loops.bytes, 3, kMostJoints),
      from(recursive.bytes, 3, kMostJoints),
      fmt::format("Made in {:.2f} s with {:.0f} MB for 12 joints, loops in {:.2f} s with {:.0f} MB.",
                  recursive.seconds.back(), recursive.megabytes.back(), loops.seconds.back(), loops.megabytes.back()));
  double most = 0.0, least = HUGE_VAL;
  for (std::size_t k = 3; k < recursive.operations.size(); ++k) {
    const double more = recursive.operations[k] - recursive.operations[k - 1];
    most = std::max(most, more), least = std::min(least, more);
  }
  e.compare("recursive.linear", "operations that one joint more costs the recursion, from 4 joints on: spread",
            property("recursions are linear in the joints"), 0.0, most - least, absolute(0.0),
            fmt::format("{:.0f} for each.", least));
  e.plots.push_back(growth_plot("Operations of one call", "log₁₀ of × and +", &OfStrategy::operations, all));
  e.plots.push_back(growth_plot("Length of the program", "log₁₀ of bytes of C", &OfStrategy::bytes, all));
  return e;
}

}  // namespace lw::reproduce
