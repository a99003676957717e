// Four ways to write the same inverse dynamics (Twu 1987 used the second, and rejected the first):
//
//   expand     Lagrange's equations expanded into sums of products; only sines and cosines are shared
//   loops      matrices of the joints and their derivatives as assignments, loops over groups of matrix products for
//              the velocities of the centres of mass; what is left (rotation, springs) as assignments
//              (dynamics/formulations/twu.hpp)
//   cse        Lagrange's closed equations in one graph, with common subexpressions shared
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
  std::size_t most_terms = 50'000;  // of an expansion; one with more is given up
};

struct StrategyCode {
  Program
      program;  // with `inverse`; its graph is that of the code, except for `loops`, where it has only the arguments
  std::vector<Artefact> files;  // NAME.h, NAME.c or NAME.hpp, NAME.cpp
  OperationCount operations;    // of one call
  std::size_t nodes = 0;        // of all graphs that were built
  // Verification of the graph at random states, as `compile` does; code of `loops` is verified by running it.
  std::optional<Verification> check;
  std::vector<Traced> traced;  // one: model and parameters, for test vectors
};

// Throws Error(usage) if the strategy cannot describe the mechanism or if an expansion has too many terms; the message
// says how many.
StrategyCode make_by(Strategy strategy, const Mechanism& mechanism, const StrategyOptions& options = {});

}  // namespace lw
