// Design optimisation: the least cost of a run over parameters within bounds, under constraints, on exact gradients.
//
//   min Σ weight · F₀(b)   with   F_i(b) = value,   low ≤ F_j(b) ≤ high,   lower ≤ b ≤ upper          (F as in
//                          design_run.hpp)
//
// by sequential quadratic programming (Kraft 1988, as NLopt has it). Parameters are scaled by their bounds, cost and
// constraints by their first values and limits. Where no design meets the constraints, the one that comes nearest is
// found and reported so.
#pragma once

#include <functional>
#include <optional>

#include "../design/design_run.hpp"

namespace lw {

struct DesignVariable {
  std::string name;  // of the file, or of the initial state
  double lower = 0.0, upper = 0.0;
  std::optional<double> start = {};  // the file's value
  Location where = {};
};

struct DesignTerm {
  DesignFunctional functional;
  double weight = 1.0;
};

struct DesignConstraint {
  std::string name;
  DesignFunctional functional;
  int instants = 0;  // above 0: at so many of them, from the beginning to the end of the run
  std::optional<double> equals, at_least, at_most;
};

struct DesignProblem {
  std::string name, summary, model;  // the model's file or name
  Mechanism mechanism;
  std::vector<DesignVariable> variables;
  std::vector<DesignTerm> cost;
  std::vector<DesignConstraint> constraints;
  std::optional<ForwardDesignOptions> forward;  // what drives it; or
  std::optional<Trajectory> motion;             // how it moves
  bool friction = false;
  double tolerance = 1e-9;  // of parameters, relative to their bounds
  int evaluations = 500;
};

// Throws Error(usage) for names and formulas that are none, Error(data) with the place for what a problem cannot have
// (bounds the wrong way round, no cost).
std::unique_ptr<DesignRun> make_run(const DesignProblem& problem);

struct DesignStep {
  double cost = 0.0;
  double violation = 0.0;  // of the constraint that is violated most, relative to its size
  std::vector<double> b;
};

struct DesignOptimum {
  // optimal: no way down is left, to first order, or a step of a ten-thousandth of the bounds along it finds nothing
  // better; indifferent: the cost has no slope at any design that was run, one of them a tenth of the bounds away:
  // nothing to choose; stalled: a step finds something better, and the search cannot make use of it
  enum class End { optimal, indifferent, stalled, infeasible, out_of_evaluations } end = End::optimal;
  DesignStep before, after;
  struct Constraint {
    std::string name, wanted;  // "at most 40"
    double before = 0.0, after = 0.0;
    bool met = true, active = false;
  };
  std::vector<Constraint> constraints;
  std::vector<DesignStep> history;  // every design that was run, in order
};

// Throws Error(data) where the cost or a constraint is not a number, with the parameters for which it is not, and where
// a run fails. `progress`: after every evaluation.
DesignOptimum optimize_design(const DesignProblem& problem, DesignRun& run,
                              const std::function<void(int evaluation, const DesignStep&)>& progress = {});

// The mechanism with these values of its parameters; formulas over them stay. Variables of the initial state have no
// place in it.
Mechanism with_values(Mechanism mechanism, const std::vector<DesignVariable>& variables, std::span<const double> b);
bool has_place_in(const Mechanism& mechanism, const DesignVariable& variable);

}  // namespace lw
