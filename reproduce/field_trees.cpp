#include "experiments.hpp"

#include <cmath>

#include "field.hpp"

// Benchmarks without loops: pendulum (IFToMM A01), governor (A05), heavy top, car axis (Test Set for IVP Solvers).
namespace lw::reproduce {
namespace {

// The centre of mass (0, 1, 0) of the heavy top, displaced, and its quaternion as w, x, y, z.
Vector displacement_and_quaternion(const Vector& q) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  return {2.0 * (x * y - w * z), -2.0 * (x * x + z * z), 2.0 * (y * z + w * x), w, x, y, z};
}

// Positions of the two masses of the car axis, and their rates, from psi, s and chi.
Vector masses_of_car_axis(const MotionState& state) {
  const double psi = state.q[0], s = state.q[1], bar = psi + state.q[2];
  const double psid = state.v[0], sd = state.v[1], bard = psid + state.v[2];
  const double xl = -s * std::sin(psi), yl = s * std::cos(psi);
  const double xld = -sd * std::sin(psi) - s * psid * std::cos(psi),
               yld = sd * std::cos(psi) - s * psid * std::sin(psi);
  return {xl,  yl,  xl + std::cos(bar),         yl + std::sin(bar),
          xld, yld, xld - bard * std::sin(bar), yld + bard * std::cos(bar)};
}

}  // namespace

Experiment field_pendulum() {
  Experiment e("field", "field.pendulum", "Simple pendulum (IFToMM A01)",
               "A point mass of 1 kg on a massless bar of 1 m, released from the horizontal, for 10 s.");
  const FieldProblem& problem = field_problem("A01");
  Driven system(field_mechanism("pendulum"));
  const FieldRun run = run_field(system, field_state(system, problem, problem.start), instants_of(problem));
  compare_field(e, problem, system, run, recomputed("field/pendulum.py", "Jacobi elliptic functions with 50 digits"),
                absolute(1e-9), absolute(1e-9));
  return e;
}

Experiment field_governor() {
  Experiment e("field", "field.governor", "Stiff flyball governor (IFToMM A05)",
               "Balls on rods, held by springs of 8e5 N/m with dampers of 4e4 N·s/m; the shaft starts with 2π rad/s.");
  const FieldProblem& problem = field_problem("A05");
  Driven system(field_mechanism("governor"));
  const FieldRun run = run_field(system, field_state(system, problem, problem.start), instants_of(problem));
  compare_field(e, problem, system, run, recomputed("field/governor.py", "reduced equations, Radau IIA of order 13"),
                absolute(1e-9), absolute(1e-9));
  return e;
}

Experiment field_heavy_top() {
  Experiment e("field", "field.heavy-top", "Heavy top (Géradin and Cardona 2001, Brüls and Cardona 2010)",
               "A disk of 15 kg on a spherical joint 1 m from its centre, which spins with 150 rad/s, for 2 s.");
  const FieldProblem& problem = field_problem("heavy-top");
  Driven system(field_mechanism("heavy-top"));
  const FieldRun run = run_field(system, field_state(system, problem, problem.start), instants_of(problem));
  compare_field(e, problem, system, run, recomputed("field/heavy_top.py", "Euler's equations in 80-bit arithmetic"),
                absolute(1e-9), absolute(1e-8));
  const FieldPrint& print = problem.published[1];
  Vector ours = displacement_and_quaternion(run.at.back().q);
  if (ours[3] * print.values[3] < 0.0) {
    for (std::size_t k = 3; k < 7; ++k) ours[k] = -ours[k];
  }
  e.compare("print", "displacement of the centre of mass (m) and quaternion w, x, y, z at 2 s", print.by, print.values,
            ours, absolute(2e-7), "The printed numbers differ from the reference by 1.1e-7.");
  return e;
}

Experiment field_car_axis() {
  Experiment e("field", "field.car-axis", "Car axis (Test Set for IVP Solvers)",
               "Two point masses at a fixed distance on springs, over a road point that moves by 0.1 sin(10 t) m; the "
               "road's motion is that of a flywheel of 1e12 kg·m² under the moment that it needs.");
  const FieldProblem& problem = field_problem("car-axis");
  Driven system(field_mechanism("car-axis"));
  const FieldRun run = run_field(system, field_state(system, problem, problem.start), instants_of(problem));
  compare_field(e, problem, system, run,
                recomputed("field/car_axis.py", "index-reduced equations in 80-bit arithmetic"), absolute(1e-9),
                absolute(1e-9));
  const FieldPrint& print = problem.published[1];
  const Vector printed(print.values.begin(), print.values.begin() + 8);  // the rest are multipliers
  e.compare("print", "positions (m) and velocities (m/s) of the masses at 3 s", print.by, printed,
            masses_of_car_axis(run.at.back()), absolute(1e-9));
  return e;
}

}  // namespace lw::reproduce
