// Four ways to write the same inverse dynamics (Twu 1987 used the second, and rejected the first):
//
//   expand     Lagrange's equations multiplied out into sums of products, nothing computed twice but sines and cosines
//   loops      matrices of the joints and their derivatives as assignments, loops over groups of matrix products for
//              the velocities of the centres of mass; what is left (rotation, springs) as assignments
//              (dynamics/formulations/twu.hpp)
//   cse        Lagrange's closed equations in one graph, in which what occurs twice is computed once
//   recursive  what `compile` makes: the cheapest of the recursions, unrolled, after all passes (trace/traced.hpp)
//
// All give void NAME_inverse(const double *q, const double *qd, const double *qdd, [const double *p,] double *tau) in C
// or C++.
#pragma once

#include "../compile.hpp"
#include "../text/report.hpp"
#include "../trace/verification.hpp"

namespace lw {

enum class Strategy { expand, loops, cse, recursive };
inline constexpr Strategy kStrategies[] = {Strategy::expand, Strategy::loops, Strategy::cse, Strategy::recursive};
const char* to_string(Strategy strategy);

struct StrategyOptions {
  ProgramOptions program = {};
  bool cpp = false;
  std::size_t most_terms = 50'000;  // of an expansion; with more it is given up
};

struct StrategyCode {
  Program program;  // with `inverse`, whose graph is the code's but for loops, where it has the arguments alone
  std::vector<Artefact> files;  // NAME.h, NAME.c or NAME.hpp, NAME.cpp
  OperationCount operations;    // that one call carries out
  std::size_t nodes = 0;        // of the graphs that were built on the way
  // Of the graph, by random states as compile does it; that of loops is proven by running them.
  std::optional<Verification> check;
  std::vector<Traced> traced;  // one: model and parameters, for test vectors
};

// Throws Error(usage) where the strategy cannot describe the mechanism, or an expansion has too many terms: with a word
// on how many there were.
StrategyCode make_by(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options = {});

}  // namespace lw
