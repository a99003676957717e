#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "generated.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "orthogonal_arm.hpp"
#include "substituted.hpp"
#include "twu.hpp"

// Twu 1987: the simulators generated for his two examples from his own input (appendix A). He prints neither their text
// nor what they cost; ours stand beside the loops of his chapter 4, traced.
namespace lw::reproduce {
namespace {

double symbols_read(const Generated& g) {
  const std::size_t first = g.traced.function.input_size() - g.traced.parameters.size();
  double read = 0;
  for (const NodeId id : g.traced.function.order()) {
    const Node& node = g.traced.function.graph()[id];
    if (node.op == Op::input && node.a >= first) ++read;
  }
  return read;
}

// Largest difference between joint forces of one program, given other data than those it was made with, and recursive
// Newton-Euler on these data, as a fraction of the forces.
double with_other_data(const Mechanism& mechanism, const Generated& program) {
  Random random(1);
  Interpreter<double> run(program.traced.function);
  double error = 0.0;
  for (int k = 0; k < 100; ++k) {
    ParameterValues<double> values;
    Vector p;
    for (const std::string& name : program.traced.parameters) {
      p.push_back(random.between(0.2, 2.0));
      values[name] = p.back();
    }
    const Model<double> model = instantiate<double>(mechanism, values);
    const State s = random_state(model, random);
    const Vector expected = inverse(model, s.q, s.qd, s.qdd);
    Vector in, tau(expected.size());
    for (const Vector* part : {&s.q, &s.qd, &s.qdd, static_cast<const Vector*>(&p)}) {
      in.insert(in.end(), part->begin(), part->end());
    }
    run(in, tau);
    double size = 1.0;
    for (const double x : expected) size = std::max(size, std::abs(x));
    error = worse(error, largest_difference(tau, expected) / size);
  }
  return error;
}

void one(Experiment& e, const TwuExample& example) {
  const std::string id = example.id, name = example.name;
  const TwuInput listed = twu_input(example.links, true), all = twu_input(example.links, false);
  const Mechanism mechanism = mechanism_from_text(listed.text, "example.twu"),
                  all_symbols = mechanism_from_text(all.text, "example.twu");
  const Source loops = property("chapter 4 on the same arm, traced; the thesis prints no counts");
  for (const std::string function : {"inverse", "forward"}) {
    const Generated ours = generate(mechanism, function);
    e.beaten(
        id + "." + function, fmt::format("× and + of {} dynamics, {}", function, name), loops,
        arithmetic_of(traced_formulation("twu", mechanism, function)), ours.operations(),
        fmt::format("With the numbers of chapter 5, under gravity. Divisions count as ×; {} sines and cosines apart. "
                    "{}",
                    ours.trigonometric(), ours.verified()));
  }
  const Function by_groups = traced_formulation("twu", mechanism);
  const Vector named = arithmetic_of(by_groups);
  e.beaten(id + ".written", fmt::format("operations of inverse dynamics, {}: written out; basic terms named", name),
           property("chapter 4: naming basic terms avoids huge expressions"), substituted(by_groups).operations(),
           named[0] + named[1], "His loops, every intermediate result substituted, and as they stand.");

  TraceOptions options;
  options.keep = listed.symbols;
  const Generated program = generate(mechanism, "inverse", options);
  options.keep = all.symbols;
  const Generated with_zeros_unknown = generate(all_symbols, "inverse", options);
  e.beaten(id + ".zeros",
           fmt::format("× and + of inverse dynamics with his symbols, {}: zeros as symbols; given", name),
           property("appendix A: zeros given vanish from the program"), with_zeros_unknown.operations(),
           program.operations(),
           fmt::format("{} symbols and {}. {}", all.symbols.size(), listed.symbols.size(), program.verified()));
  e.compare(id + ".read", fmt::format("symbols that the program reads, {}", name),
            property("those that joint forces depend on"), example.felt, symbols_read(program), absolute(0.0),
            fmt::format("Of {} with g: the last link's length, and what turns about a fixed axis but for its moment "
                        "about it, have no effect.",
                        listed.symbols.size()));
  e.compare(id + ".data", fmt::format("joint forces by one program for any data, {}, less Newton-Euler's", name),
            property("chapter 4: numbers are read at run time"), 0.0, with_other_data(mechanism, program),
            absolute(1e-12), "100 random sets of data, one random state each; a fraction of the largest force.");
}

void growth(Experiment& e) {
  Vector by_groups, ours;
  double error = 0.0;
  for (int n = 2; n <= 6; ++n) {
    const Mechanism arm = orthogonal_arm(n);
    const Vector count = arithmetic_of(traced_formulation("twu", arm));
    by_groups.push_back(count[0] + count[1]);
    const Generated generated = generate(arm, "inverse");
    ours.push_back(generated.total());
    error = worse(error, generated.check.error);
  }
  e.beaten(
      "growth", "operations of inverse dynamics, orthogonal arm, n = 2 … 6: chapter 4; generated",
      property("chapter 4: the cost of Lagrange's equations grows as n⁴"), by_groups, ours,
      fmt::format(
          "What occurs twice in his groups is computed once here, which slows the growth; ours is linear. Verified "
          "against recursive Newton-Euler at 100 random states each: within {:.0e} of the terms.",
          error));
}

}  // namespace

Experiment twu_generated() {
  Experiment e(
      "twu", "twu.generated", "Generated simulators (chapter 4, appendix A)",
      "His two inputs through our generator: what inverse and forward dynamics cost beside his loops, that zeros "
      "vanish, and that one program serves all data.");
  for (const TwuExample* example : twu_examples()) one(e, *example);
  growth(e);
  return e;
}

}  // namespace lw::reproduce
