#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "dynamics/formulations/twu.hpp"
#include "evaluate.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"

// Twu 1987, chapter 4: the loops over groups of matrices, what they cost, which arms they describe, and what zeros in
// the input save in the generated program.
namespace lw::reproduce {
namespace {

// Matrix-vector products in one of the sums of chapter 4, for all links of a chain. With matrices without zeros a
// product costs nine multiplications, and nothing else in the sums multiplies.
template <class Sum>
std::vector<double> products(const Sum& sum) {
  std::vector<double> row;
  for (std::size_t n = 1; n <= 6; ++n) {
    OperationCount count;
    const Count x(0.5, &count);
    const Vec3<Count> r(x, x, x);
    const Homogeneous<Count> dense{{r, r, r}, r};
    for (std::size_t i = 1; i <= n; ++i) {
      const std::vector<detail::TwuMatrices<Count>> way(i, {dense, dense, dense, dense, dense});
      sum(way, r);
    }
    row.push_back(static_cast<double>(count.multiplications) / 9.0);
  }
  return row;
}

void cost(Experiment& e) {
  using Way = detail::TwuWay<Count>;
  const auto of_all = [](auto by_coordinate) {
    return [by_coordinate](Way way, const Vec3<Count>& r) {
      for (std::size_t j = 0; j < way.size(); ++j) by_coordinate(way, j, r);
    };
  };
  std::vector<double> cubes, squares;  // Σ i³ = [n(n + 1)/2]² and Σ i²
  for (const double n : {1, 2, 3, 4, 5, 6}) {
    cubes.push_back(n * n * (n + 1) * (n + 1) / 4);
    squares.push_back(n * (n + 1) * (2 * n + 1) / 6);
  }
  const Source source = property("loops of chapter 4");
  const std::string what = "matrix-vector products of ";
  const std::string square = "Σ i²: i products a group.", cube = "Σ i³ = [n(n + 1)/2]²: the cost grows as n⁴.";
  e.compare("products.4-4", what + "(4-4), n = 1 … 6", source, squares, products(detail::twu_v<Count>), absolute(0.0),
            square);
  e.compare("products.4-5", what + "(4-5), n = 1 … 6", source, cubes, products(detail::twu_v_rate<Count>),
            absolute(0.0), cube);
  e.compare("products.4-6", what + "(4-6), and again of (4-8), n = 1 … 6", source, cubes,
            products(of_all(detail::twu_v_by_q<Count>)), absolute(0.0), cube + " The two sums are equal.");
  e.compare("products.4-7", what + "(4-7), n = 1 … 6", source, squares, products(of_all(detail::twu_v_by_rate<Count>)),
            absolute(0.0), square);
}

// A joint of his input: REV or TRAN, and its axis.
struct Joint {
  bool slides;
  int axis;
};
constexpr int kKinds = 6;
Joint kind(int k) { return {k >= 3, k % 3}; }

// An arm as his input describes it: at zero all frames are parallel, each at the end of the link before, a link points
// along one axis, inertias are along the axes. Everything else is random.
Model<double> arm(const std::vector<Joint>& joints, Random& random) {
  std::string text = "linkwright: 1\nname: chain\ngravity: [0, -9.81, 0]\nlinks:\n", parent = "base",
              origin = "[0, 0, 0]";
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const auto size = [&] { return random.between(0.2, 1.5); };
    const double x = size(), y = size(), z = size();  // second moments along the axes: any are those of a body
    text += fmt::format(
        "  - name: link{}\n    parent: {}\n    joint: {{type: {}, axis: {}, origin: {{xyz: {}}}}}\n"
        "    inertia: {{mass: {}, com: [{}, {}, {}], tensor: [{}, {}, {}]}}\n",
        i, parent, joints[i].slides ? "prismatic" : "revolute", "xyz"[joints[i].axis], origin, 10 * size(), size(),
        -size(), size(), y + z, z + x, x + y);
    parent = fmt::format("link{}", i);
    const int direct = random.below(3);
    const double length = size();
    origin = fmt::format("[{}, {}, {}]", direct == 0 ? length : 0, direct == 1 ? length : 0, direct == 2 ? length : 0);
  }
  return from_text(text);
}

// Largest difference of two vectors of joint forces, as a fraction of the largest sum of terms |M q̈| + |h|.
double difference(const Model<double>& model, const State& s, const Vector& a, const Vector& b) {
  const std::size_t n = a.size();
  const Vector M = mass_matrix(model, s.q), h = bias(model, s.q, s.qd);
  double scale = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double terms = std::abs(h[i]);
    for (std::size_t j = 0; j < n; ++j) terms += std::abs(M[i * n + j] * s.qdd[j]);
    scale = std::max(scale, terms);
  }
  return largest_difference(a, b) / scale;
}

void agreement(Experiment& e) {
  const Source claim = property("conclusions: exact but for rounding");
  const std::vector<std::string> others{"newton-euler", "lagrange", "hollerbach-4x4", "hollerbach-3x3"};
  std::vector<double> worst(others.size(), 0.0);
  Random random(1);
  for (int k = 0; k < 160; ++k) {
    std::vector<Joint> joints;
    for (int i = 0; i <= k % 8; ++i) joints.push_back(kind(random.below(kKinds)));
    const Model<double> model = arm(joints, random);
    for (int i = 0; i < 10; ++i) {
      const State s = random_state(model, random);
      const Vector by_groups = inverse("twu", model, s.q, s.qd, s.qdd);
      for (std::size_t o = 0; o < others.size(); ++o) {
        const Vector other = inverse(others[o], model, s.q, s.qd, s.qdd);
        worst[o] = worse(worst[o], difference(model, s, by_groups, other));
      }
    }
  }
  for (std::size_t o = 0; o < others.size(); ++o) {
    e.compare(
        "agreement." + others[o],
        fmt::format("joint forces by chapter 4 less those by `{}`, as a fraction of their terms, at most", others[o]),
        claim, 0.0, worst[o], absolute(1e-12), "1600 states of 160 random arms of 1 to 8 joints.");
  }

  double of_layouts = 0.0;
  for (int k = 0; k < kKinds * kKinds * kKinds; ++k) {
    const Model<double> model = arm({kind(k % kKinds), kind(k / kKinds % kKinds), kind(k / kKinds / kKinds)}, random);
    for (int i = 0; i < 5; ++i) {
      const State s = random_state(model, random);
      of_layouts = worse(
          of_layouts, difference(model, s, inverse("twu", model, s.q, s.qd, s.qdd), inverse(model, s.q, s.qd, s.qdd)));
    }
  }
  e.compare("generality", "the same less our inverse dynamics, for every arm of three joints, at most",
            property("chapter 2: REV or TRAN about or along X, Y or Z"), 0.0, of_layouts, absolute(1e-12),
            "All 216 layouts of three such joints with random data, five states each.");
}

// Example 1 generated with symbols for all data, the centres of mass but for the zeros given: `known(i, k)` says
// whether component k of that of link i is one.
constexpr std::size_t kLinks = 3, kCentres = 3;  // inputs: group of the centres of mass
template <class Known>
Function generated(const Known& known) {
  const std::vector<Group> inputs{{"q", kLinks}, {"qd", kLinks},  {"qdd", kLinks},    {"CM", 3 * kLinks},
                                  {"L", kLinks}, {"MAS", kLinks}, {"MI", 3 * kLinks}, {"g", 1}};
  return trace("example1", inputs, {{"Q", kLinks}}, [&](const Arguments& in, Results& out) {
    Linkage<Expr> chain;
    chain.gravity = {0.0, -in[7][0], 0.0};
    for (std::size_t i = 0; i < kLinks; ++i) {
      Linkage<Expr>::Link link;
      link.parent = static_cast<int>(i) - 1;
      link.q = link.v = static_cast<int>(i);
      if (i > 0) link.rest.p[0] = in[4][i - 1];
      link.mass = in[5][i];
      for (std::size_t k = 0; k < 3; ++k) {
        const int axis = static_cast<int>(k);
        link.com[axis] = known(i, k) ? Expr(0.0) : in[kCentres][3 * i + k];
        link.I(axis, axis) = in[6][3 * i + k];
      }
      chain.links.push_back(link);
    }
    twu<Expr>(chain, joint_poses<Expr>(chain, in[0]), in[1], in[2], out[0]);
  });
}

std::vector<double> products_and_sums(const Function& f) {
  const OperationCount c = lw::cost(f).operations;
  return {static_cast<double>(c.multiplications), static_cast<double>(c.additions)};
}

// What evaluating the program costs where some of its inputs are known zeros.
template <class Known>
std::vector<double> evaluated(const Function& f, const Known& known) {
  OperationCount count;
  std::vector<Count> in(f.input_size(), Count(0.5, &count)), out(f.output_size());
  for (std::size_t i = 0; i < kLinks; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (known(i, k)) in[3 * kLinks + 3 * i + k] = Count(0.0);
    }
  }
  evaluate<Count>(f, in, out);
  return {static_cast<double>(count.multiplications), static_cast<double>(count.additions)};
}

// Components of centres of mass that the program reads.
double centres_read(const Function& f) {
  const std::size_t first = 3 * kLinks;
  double read = 0;
  for (const NodeId id : f.order()) {
    const Node& node = f.graph()[id];
    if (node.op == Op::input && node.a >= first && node.a < first + 3 * kLinks) ++read;
  }
  return read;
}

void pruning(Experiment& e) {
  const Function all = generated([](std::size_t, std::size_t) { return false; });
  const auto first_y = [](std::size_t i, std::size_t k) { return i == 0 && k == 1; };
  const auto all_y_and_z = [](std::size_t, std::size_t k) { return k != 0; };
  const Function one = generated(first_y), listed = generated(all_y_and_z);
  const Source symbols = property("the program with symbols for the zeros, run on zeros");
  const auto saved = [&](const char* name, const char* what, const Function& f, const auto& known) {
    const std::vector<double> before = products_and_sums(all), after = products_and_sums(f),
                              other = evaluated(all, known);
    e.compare(
        name, fmt::format("operations that {} saves in example 1: ×, +", what), symbols,
        {before[0] - other[0], before[1] - other[1]}, {before[0] - after[0], before[1] - after[1]}, absolute(0.0),
        fmt::format("Of {} and {}: a known zero vanishes with everything that it multiplies. The reference is the "
                    "program with symbols, run on numbers that count and know their zeros.",
                    before[0], before[1]));
  };
  saved("zeros.one", "CM(1,2) := 0", one, first_y);
  saved("zeros.listed", "giving all zeros of his input", listed, all_y_and_z);
  e.compare("zeros.read", "components of centres of mass that the program reads", "appendix A: XCM(1), XCM(2), XCM(3)",
            3.0, centres_read(listed), absolute(0.0));

  Random random(1);
  Vector in(all.input_size()), with_symbols(kLinks), without(kLinks);
  for (double& x : in) x = random.between(0.2, 1.5);
  for (std::size_t i = 0; i < kLinks; ++i) in[3 * kLinks + 3 * i + 1] = in[3 * kLinks + 3 * i + 2] = 0.0;
  evaluate<double>(all, in, with_symbols);
  evaluate<double>(listed, in, without);
  e.compare("zeros.forces", "joint forces by the program without the zeros (N·m)", symbols, with_symbols, without,
            absolute(0.0), "The same to the last bit.");
}

}  // namespace

Experiment twu_formulation() {
  Experiment e("twu", "twu.formulation", "The formulation: groups of matrix products (chapter 4)",
               "The loops of chapter 4 as they stand: their cost, counted; their joint forces against those of other "
               "formulations on every kind of joint; and what zeros in the input save in the generated program.");
  cost(e);
  agreement(e);
  pruning(e);
  return e;
}

}  // namespace lw::reproduce
