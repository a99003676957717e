#include "experiments.hpp"

#include <cmath>
#include <utility>

#include "counting.hpp"
#include "dynamics/formulations/composite_bodies.hpp"
#include "dynamics/formulations/ness.hpp"
#include "dynamics/formulations/newton_euler.hpp"
#include "dynamics/formulations/noc.hpp"
#include "dynamics/linear/cholesky.hpp"
#include "polynomial.hpp"

// Wong 1991, sections 3.2 to 3.4: what the algorithms cost when the scalar they run over counts. The mechanism is a
// chain of n turning joints with frames after Denavit and Hartenberg and nothing else zero. Masses, inertias and
// lengths are constants, so that operations among them are free, as he has them done in advance. The entries of the
// rotations are numbers like any other but for the one that is 0.
namespace lw::reproduce {
namespace {

using Values = std::vector<double>;

Linkage<Count> dense_chain(int n) {
  Linkage<Count> chain = dense_links(static_cast<std::size_t>(n));
  chain.gravity = {0.0, 0.0, -9.81};
  const double c = std::cos(0.4), s = std::sin(0.4);
  for (auto& link : chain.links) link.rest = {{{1.0, 0.0, 0.0}, {0.0, c, s}, {0.0, -s, c}}, {0.5, 0.7, 0.6}};
  return chain;
}

// What each part costs for n joints.
struct Costs {
  OperationCount rotations, complement, ness_matrix, rates, ness_force, inward, noc_matrix, walker_matrix, bae_matrix,
      newton_euler, solver;
};

Costs count(int n) {
  const Linkage<Count> chain = dense_chain(n);
  const auto size = static_cast<std::size_t>(n);
  Costs costs;
  OperationCount counter;
  const auto since_last = [&] { return std::exchange(counter, {}); };
  std::vector<Count> q, qd, still(size), tau(size), M(size * size), b;
  for (int i = 0; i < n; ++i) {
    q.emplace_back(0.3 + 0.1 * i, &counter);
    qd.emplace_back(0.7 - 0.1 * i, &counter);
    b.emplace_back(1.0 + i, &counter);
  }
  auto poses = joint_poses<Count>(chain, q);
  costs.rotations = since_last();
  for (auto& pose : poses) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (!pose.R(i, j).is_constant(0.0)) pose.R(i, j) = Count(pose.R(i, j).v, &counter);
      }
    }
  }
  const auto complement = orthogonal_complement<Count>(chain, poses);
  costs.complement = since_last();
  ness_project<Count>(chain, complement, M);
  costs.ness_matrix = since_last();
  const auto rates = momentum_rates<Count>(chain, poses, qd, still);
  costs.rates = since_last();
  ness_project<Count>(complement, rates, tau);
  costs.ness_force = since_last();
  hinge_wrenches<Count>(chain, poses, rates);
  costs.inward = since_last();
  noc_mass_matrix<Count>(chain, poses, M);
  costs.noc_matrix = since_last();
  walker_orin_mass_matrix<Count>(chain, poses, M);
  costs.walker_matrix = since_last();
  bae_hwang_haug_mass_matrix<Count>(chain, poses, M);
  costs.bae_matrix = since_last();
  newton_euler<Count>(chain, poses, qd, still, tau);
  costs.newton_euler = since_last();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) M[i * size + j] = Count(i == j ? 3.0 : 0.1, &counter);
  }
  cholesky_solve<Count>(M, b);
  costs.solver = since_last();
  return costs;
}

const std::vector<long> kAt{3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

// Of each number of joints: multiplications, or additions, of some parts together; a division is a multiplication.
using Parts = std::vector<OperationCount Costs::*>;
Values times(const Parts& parts) {
  Values out;
  for (const long n : kAt) {
    const Costs costs = count(static_cast<int>(n));
    double sum = 0.0;
    for (const auto part : parts) sum += static_cast<double>((costs.*part).multiplications + (costs.*part).divisions);
    out.push_back(sum);
  }
  return out;
}
Values plus(const Parts& parts) {
  Values out;
  for (const long n : kAt) {
    const Costs costs = count(static_cast<int>(n));
    double sum = 0.0;
    for (const auto part : parts) sum += static_cast<double>((costs.*part).additions);
    out.push_back(sum);
  }
  return out;
}
// His price of an operation: an addition is half a multiplication.
Values weighted(Values a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += 0.5 * b[i];
  return a;
}

Values evaluated(double (*formula)(double n)) {
  Values out;
  for (const long n : kAt) out.push_back(formula(static_cast<double>(n)));
  return out;
}
double pairs(double n) { return n * (n - 1) / 2; }
double triples(double n) { return n * (n + 1) * (n + 2) / 6; }

const std::string kRange = ", n = 3 … 12";

void inertia_matrix_counts(Experiment& e) {
  const Parts parts{&Costs::rotations, &Costs::complement, &Costs::ness_matrix};
  e.compare("inertia.mul", "inertia matrix, ×" + kRange, "table 3.1", values({{2, 39, -49, 16}, 2}, kAt), times(parts),
            absolute(0.0), "Counted.");
  e.misprint(
      "inertia.add", "inertia matrix, +" + kRange, "table 3.1", values({{5, 87, -122, 30}, 6}, kAt), plus(parts),
      evaluated([](double n) {
        return 5 * pairs(n - 1) + (11 + 6 + 3) * pairs(n) - 3 * (n - 1) + 5 * (triples(n) - n) - pairs(n) +
               (n * n * n - n) / 6;
      }),
      absolute(0.0),
      "Counted. He adds up the five additions within each term of (3.23), but not the (n³ − n)/6 that join the "
      "terms; and he counts 3 (n − 1) for k − l of the same body, which is constant. His items so mended are the "
      "other method. What he gives for Angeles has the same 5n³/6 and lacks the same sums.");
}

void force_vector_counts(Experiment& e) {
  // one body more, in the middle of the chain, beside its products with H̄
  const Costs six = count(6), seven = count(7);
  const auto mul = static_cast<double>(seven.rates.multiplications - six.rates.multiplications),
             add = static_cast<double>(seven.rates.additions - six.rates.additions);
  // his first body: W 1; p̈ 12, 9; m p̈ 3; L̇ 15, 10
  Values by_count_mul, by_count_add;
  for (const long k : kAt) {
    const auto n = static_cast<double>(k);
    by_count_mul.push_back(3 * n * n + mul * (n - 1) + 31);
    by_count_add.push_back(3 * n * n + add * (n - 1) + 19);
  }
  const Values items_mul = evaluated(
                   [](double n) { return (n - 1) * (8 + 10 + 6 + 26 + 24) + 1 + 12 + 3 * n + 15 + 3 * n * n; }),
               items_add = evaluated([](double n) { return (n - 1) * (6 + 7 + 9 + 23 + 18) + 9 + 10 + 3 * n * n; });
  const std::string note =
      "Arithmetic of the print, not a count: table 3.1 is not the sum of the items listed in section 3.3.1. The other "
      "method takes what a body in the chain costs from our count (77 ×, 63 +), and from him the products with H̄ and "
      "the "
      "first body.";
  e.misprint("force.mul", "force vector, ×: the items of section 3.3.1 added up" + kRange, "table 3.1",
             values({{3, 77, -44}}, kAt), items_mul, by_count_mul, absolute(0.0), note);
  e.misprint("force.add", "force vector, +: the items of section 3.3.1 added up" + kRange, "table 3.1",
             values({{3, 62, -43}}, kAt), items_add, by_count_add, absolute(0.0), note);
  const std::string saved =
      "Counted. Same algorithm; the zeros of the first bodies are used. Set against the sum of his items, since table "
      "3.1 adds them up wrongly (above).";
  const Source items = "items of section 3.3.1, added up";
  e.beaten("force.counted.mul", "force vector, ×" + kRange, items, items_mul,
           times({&Costs::rates, &Costs::ness_force}), saved);
  e.beaten("force.counted.add", "force vector, +" + kRange, items, items_add, plus({&Costs::rates, &Costs::ness_force}),
           saved);
}

void solver(Experiment& e) {
  e.compare(
      "solver.mul", "linear equations, × and ÷" + kRange, "equation 3.39", values({{1, 9, -4, 0}, 6}, kAt),
      times({&Costs::solver}), absolute(0.0),
      "Counted: Cholesky's method without square roots, a division as a multiplication. With roots it would cost n "
      "divisions and n roots more.");
  e.compare("solver.add", "linear equations, +" + kRange, "equation 3.39", values({{1, 6, -7, 0}, 6}, kAt),
            plus({&Costs::solver}), absolute(0.0), "Counted.");
}

void baselines(Experiment& e) {
  const Parts noc{&Costs::rotations, &Costs::noc_matrix}, noc_force{&Costs::rates, &Costs::inward},
      walker{&Costs::rotations, &Costs::walker_matrix}, luh{&Costs::newton_euler};
  e.beaten("angeles.inertia.mul", "inertia matrix by the natural orthogonal complement, ×" + kRange, "table 3.1",
           values({{2, 39, -33, 16}, 2}, kAt), times(noc),
           "Counted. The root of an inertia is triangular: 6 × and 3 + a product instead of 9 and 6.");
  e.beaten("angeles.inertia", "the same, × + ½ +" + kRange, "table 3.1",
           weighted(values({{2, 39, -33, 16}, 2}, kAt), values({{5, 87, -92, 30}, 6}, kAt)),
           weighted(times(noc), plus(noc)), "Counted, with the (n³ − n)/6 additions that the formula lacks.");
  e.beaten("angeles.force.mul", "inverse dynamics by the natural orthogonal complement, ×" + kRange, "table 3.1",
           values({{105, -99}}, kAt), times(noc_force), "Counted: 105 a joint as his, less for the first two.");
  e.beaten("angeles.force.add", "the same, +" + kRange, "table 3.1", values({{90, -95}}, kAt), plus(noc_force),
           "Counted: 91 a joint, and so more from 17 joints on.");
  e.beaten("walker.inertia.mul", "inertia matrix by composite bodies, ×" + kRange, "table 3.1",
           values({{12, 56, -27}}, kAt), times(walker), "Counted: 11 n² + 56 n − 63.");
  e.beaten("walker.inertia.add", "the same, +" + kRange, "table 3.1", values({{7, 67, -53}}, kAt), plus(walker),
           "Counted: 8 n² + 47 n − 55, and so more from 21 joints on. Two bodies are joined by their reduced mass.");
  e.beaten("walker.force.mul", "inverse dynamics by Newton-Euler, ×" + kRange, "table 3.1", values({{137, -22}}, kAt),
           times(luh), "Counted: 117 a joint, about the centres of mass.");
  e.beaten("walker.force.add", "the same, +" + kRange, "table 3.1", values({{101, -11}}, kAt), plus(luh),
           "Counted: 94 a joint.");
  const auto second_difference = [](const Values& y) { return y[2] - 2 * y[1] + y[0]; };
  e.compare("bae.pair", "composite inertias in base axes: ×, + for each two joints",
            "table 2.1, leading terms 3 n² and 5 n²/2", {6, 5},
            {second_difference(times({&Costs::bae_matrix})), second_difference(plus({&Costs::bae_matrix}))},
            absolute(0.0), "Counted. The linear terms cannot be compared: theirs contain a force vector in base axes.");
}

Plot matrix_plot() {
  Plot plot;
  plot.title = "Inertia matrix, counted: multiplications + ½ additions";
  plot.x_label = "joints n";
  plot.y_label = "weighted operations";
  const auto add = [&](const char* label, const Parts& parts) {
    Series s;
    s.label = label;
    s.x.assign(kAt.begin(), kAt.end());
    s.y = weighted(times(parts), plus(parts));
    plot.series.push_back(std::move(s));
  };
  add("ness", {&Costs::rotations, &Costs::complement, &Costs::ness_matrix});
  add("noc", {&Costs::rotations, &Costs::noc_matrix});
  add("walker-orin", {&Costs::rotations, &Costs::walker_matrix});
  add("bae-hwang-haug", {&Costs::rotations, &Costs::bae_matrix});
  return plot;
}

}  // namespace

Experiment wong_counts() {
  Experiment e(
      "wong", "wong.counts", "Operations counted (sections 3.2 to 3.4)",
      "His algorithm and those he compares it with, run with numbers that count what is done with them, against "
      "the formulas that he derives.");
  inertia_matrix_counts(e);
  force_vector_counts(e);
  solver(e);
  baselines(e);
  e.plots.push_back(matrix_plot());
  return e;
}

}  // namespace lw::reproduce
