#include "experiments.hpp"

#include "field.hpp"

// Benchmarks with loops: Andrews' squeezing mechanism (IFToMM A03), Bricard's (A04), a slider-crank with dry friction.
namespace lw::reproduce {

Experiment field_andrews() {
  Experiment e("field", "field.andrews", "Andrews' squeezing mechanism (IFToMM A03, Test Set for IVP Solvers)",
               "Seven bodies in three loops, driven by a constant torque of 0.033 N·m from rest.");
  const FieldProblem& problem = field_problem("A03-testset");
  Driven system(field_mechanism("andrews"));
  MotionState start = field_state(system, problem, problem.start);
  system.assemble(start);
  const FieldRun run = run_field(system, start, instants_of(problem));
  // rates pass 1000 rad/s
  compare_field(e, problem, system, run, recomputed("field/andrews.py", "index-reduced equations in 80-bit arithmetic"),
                absolute(1e-9), absolute(1e-6));
  const FieldPrint& print = problem.published[0];
  Vector ours;
  for (const std::string& name : problem.joints) {
    for (const JointInfo& joint : system.model().joints) {
      if (joint.name == name) ours.push_back(run.at[0].q[static_cast<std::size_t>(joint.q)]);
    }
  }
  e.compare("print", "coordinates at 0.03 s (rad)", print.by, Vector(print.values.begin(), print.values.begin() + 7),
            ours, relative(3e-10), "The print misses the energy balance by 2.2e-10 J: it has 10 good digits.");

  const FieldProblem& other = field_problem("A03");
  MotionState other_start = field_state(system, other, other.start);
  system.assemble(other_start);
  Experiment second("field", "field.andrews.iftomm", e.title, "");
  compare_field(
      second, other, system, run_field(system, other_start, instants_of(other)),
      recomputed("field/andrews.py", "index-reduced equations in 80-bit arithmetic, start at beta = -0.062 rad"),
      absolute(1e-9), absolute(1e-6));
  e.rows.insert(e.rows.end(), second.rows.begin(), second.rows.end());
  return e;
}

Experiment field_bricard() {
  Experiment e("field", "field.bricard", "Bricard mechanism (IFToMM A04)",
               "Six revolute joints with one redundant constraint, from rest under gravity, for 10 s.");
  const FieldProblem& problem = field_problem("A04");
  Driven system(field_mechanism("bricard"));
  MotionState start = field_state(system, problem, problem.start);
  system.assemble(start);
  const FieldRun run = run_field(system, start, instants_of(problem));
  compare_field(e, problem, system, run, recomputed("field/bricard.py", "closed-form closure in 80-bit arithmetic"),
                absolute(1e-9), absolute(1e-9));
  return e;
}

Experiment field_slider_crank() {
  Experiment e("field", "field.slider-crank", "Slider-crank with Coulomb friction",
               "No gravity, 2 N of dry friction on the piston, which reverses at every dead centre; the crank starts "
               "with 20 rad/s.");
  const FieldProblem& problem = field_problem("slider-crank-coulomb");
  Driven system(field_mechanism("slider-crank-coulomb"));
  MotionState start = field_state(system, problem, problem.start);
  system.assemble(start);
  const FieldRun run = run_field(system, start, instants_of(problem));
  const Source reference =
      recomputed("field/slider_crank.py", "energy in closed form, quadrature of time with 30 digits");
  compare_field(e, problem, system, run, reference, absolute(1e-9), absolute(1e-9));
  Vector energy;
  for (const MotionState& state : run.at) energy.push_back(system.energy(state).kinetic);
  e.compare("energy", "kinetic energy at these instants (J)", reference, problem.energy, energy, absolute(1e-9));
  return e;
}

}  // namespace lw::reproduce
