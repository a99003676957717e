#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "field.hpp"
#include "simulate/integrate/advance.hpp"

// IFToMM A02: N four-bar windows side by side. Whenever all bars lie on one line, the freedoms rise from 1 to N + 1;
// the motion stays parallelograms, and its angle is an elliptic function of time.
namespace lw::reproduce {
namespace {

constexpr double kEveryAngle = 1e-8;  // rad, at 10 s, after 32 rad
const Source kElliptic = recomputed("field/n_four_bar.py", "Legendre's elliptic integral with 40 digits");

Mechanism windows_of(int n) { return mechanism_from_text(n_four_bar_text(n), fmt::format("n-four-bar-{}.yaml", n)); }

DrivenOptions through_dead_centres() { return {.coordinates = DrivenOptions::Coordinates::redundant}; }

// All joints while the windows are parallelograms: Hi = -A0, Bi = A0.
Vector parallelograms(const Model<double>& model, double A0) {
  Vector q;
  for (const JointInfo& joint : model.joints) q.push_back(joint.name[0] == 'H' ? -A0 : A0);
  return q;
}

// rad/s: the rate error of a motion that is late by as much as an angle error of kEveryAngle, but no less than that.
// a'' = (g W/J) sin a with W = (N + 1)/2 + N and J = (N + 1)/3 + N.
double every_rate(int n, const FieldState& state) {
  const double acceleration = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * std::sin(state.q[0]);
  return kEveryAngle * std::max(1.0, std::abs(acceleration / state.v[0]));
}

FieldRun run_windows(Driven& system, const FieldProblem& problem, const Vector& instants, const FieldMethod& method) {
  MotionState start = field_state(system, problem, problem.start);
  start.v = parallelograms(system.model(), problem.start.v[0]);
  system.assemble(start);
  return run_field(system, start, instants, method);
}

// Every joint at 10 s by two integrators.
void compare_windows(Experiment& e, Driven& system, const FieldProblem& problem, int n) {
  const FieldState& last = problem.samples.back();
  for (const char* const integrator : {"dormand-prince", "verner"}) {
    const FieldRun run = run_windows(system, problem, {last.t}, {integrator});
    const std::string row = fmt::format("n{}.{}", n, integrator);
    e.compare(row + ".q", fmt::format("{}, every joint at 10 s (rad), {}", problem.name, integrator), kElliptic,
              parallelograms(system.model(), last.q[0]), run.at[0].q, absolute(kEveryAngle), field_note(run, problem));
    e.rows.back().is_timed = true;
    e.compare(row + ".qd", fmt::format("{}, their rates (rad/s), {}", problem.name, integrator), kElliptic,
              parallelograms(system.model(), last.v[0]), run.at[0].v, absolute(every_rate(n, last)));
  }
}

// A run that ends near, or at, every crossing of the singular pose and starts afresh from there: the largest error of a
// joint at 10 s, per offset.
void compare_forced(Experiment& e, Driven& system, const FieldProblem& problem, const std::string& name,
                    const std::vector<std::string>& integrators) {
  const Vector offsets{0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3};
  const FieldState& last = problem.samples.back();
  const Vector expected = parallelograms(system.model(), last.q[0]);
  for (const std::string& integrator : integrators) {
    Vector worst;
    double seconds = 0.0;
    for (const double offset : offsets) {
      Vector instants;
      for (const double t : problem.singular) instants.push_back(t + offset);
      instants.push_back(last.t);
      const FieldRun run = run_windows(system, problem, instants, {.integrator = integrator, .afresh = true});
      worst.push_back(deviation(expected, run.at.back().q, absolute(kEveryAngle)));
      seconds += run.seconds;
    }
    e.compare(fmt::format("{}.{}.forced", name, integrator),
              fmt::format("{}, largest error of a joint at 10 s (rad) when started afresh 0, ±1e-12, ±1e-9, ±1e-6, "
                          "±1e-3 s from every singular pose, {}",
                          problem.name, integrator),
              property("the motion does not depend on where its steps end"), Vector(offsets.size(), 0.0), worst,
              absolute(kEveryAngle), fmt::format("Ours: {:.2g} s of CPU time for nine runs.", seconds));
  }
}

// 1 where a start at rest with all bars on one line, from which N + 1 freedoms lead away, is refused.
double stops_undecided(Driven& system) {
  MotionState state = system.home();
  state.q = parallelograms(system.model(), -std::acos(0.0));
  try {
    run_field(system, state, Vector{0.1});
  } catch (const BranchUndecided&) {
    return 1.0;
  }
  return 0.0;
}

}  // namespace

Experiment field_four_bars() {
  Experiment e("field", "field.four-bars", "N four-bar windows, N = 2 and 10 (IFToMM A02)",
               "All bars lie on one line ten times in 10 s; there the freedoms rise from 1 to N + 1. Every joint is "
               "compared at the end, also when the run starts afresh at each of these poses or next to it.");
  for (const int n : {2, 10}) {
    const std::string name = fmt::format("n{}", n);
    const FieldProblem& problem = field_problem(fmt::format("A02-{}", n));
    Driven system(windows_of(n), {}, through_dead_centres());
    compare_windows(e, system, problem, n);
    // the other one, which takes longer with many joints, is among the long experiments
    compare_forced(e, system, problem, name,
                   n == 2 ? std::vector<std::string>{"dormand-prince", "verner"} : std::vector<std::string>{"verner"});
    e.compare(name + ".undecided", problem.name + ", started at rest on the singular pose: it is refused (1)",
              property("no branch is the continuation of rest"), 1.0, stops_undecided(system), absolute(0.0));
  }
  return e;
}

Experiment field_many_four_bars() {
  Experiment e("field", "field.many-four-bars", "N four-bar windows, N = 40 (IFToMM A02), and more runs with N = 10",
               "81 bars, and 41 freedoms at the singular poses.");
  Driven ten(windows_of(10), {}, through_dead_centres());
  compare_forced(e, ten, field_problem("A02-10"), "n10", {"dormand-prince"});
  Driven forty(windows_of(40), {}, through_dead_centres());
  const FieldProblem& problem = field_problem("A02-40");
  compare_windows(e, forty, problem, 40);
  compare_forced(e, forty, problem, "n40", {"verner"});
  e.compare("n40.undecided", problem.name + ", started at rest on the singular pose: it is refused (1)",
            property("no branch is the continuation of rest"), 1.0, stops_undecided(forty), absolute(0.0));
  return e;
}

}  // namespace lw::reproduce
