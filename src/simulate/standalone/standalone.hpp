// Stand-alone simulators: one C++ file without dependencies for one mechanism (completing Twu 1987).
//
//   NAME.cpp    forward and inverse dynamics, energies, and the derivatives that sensitivities need, all generated with
//               the named parameters as inputs; behind them the texts src/simulate/standalone_*_kernel.h: data file,
//               formulas for forces, integrators (Verner 6(5), RK4), balance of energy, self-test
//   NAME.data   values of parameters, start, forces, duration: to edit
//   Makefile
//
// A parameter that the file computes from others follows them; all others are inputs. Sensitivities are solutions of
// the variational equations: with f = q̈(q, q̇, τ, p),   δq̈ = ∂f/∂q δq + ∂f/∂q̇ δq̇ + ∂f/∂τ δτ + ∂f/∂p δp
// one generated function, the derivative of f along a direction, for any joints, springs and friction.
#pragma once

#include "../../codegen/compile.hpp"

namespace lw {

struct StandaloneOptions {
  ProgramOptions program = {};  // trace.keep empty: all parameters; trace.friction: with what joints and drives lose
  int vectors = 20;             // states of the self-test, for each function
};

struct Standalone {
  Program program;                      // forward, inverse, energy, …: for the report
  std::vector<std::string> parameters;  // of the data file: those that are kept, without the time
  std::vector<double> errors;           // of each function at random states, against another method
  double snapping = 0.0;                // what snapping angles changes
  std::vector<Artefact> files;          // NAME.cpp, NAME.data, Makefile
  std::vector<std::string> compile;     // what builds it, without the compiler: flags and files
};

// Throws Error(data) if a function does not agree with the library's algorithms in double, Error(usage) for loops and
// for mechanisms without degrees of freedom.
Standalone make_standalone(const Mechanism& mechanism, const StandaloneOptions& options = {});

// Masses, centres of mass and moments of inertia that the file has as numbers become parameters: link1.m, link1.cx,
// link1.ixx. Zeros stay zeros. Returns how many.
int name_inertias(Mechanism& mechanism);

// Joints with discontinuous dry friction: simulators do not support sticking.
std::vector<std::string> jumping_joints(const Model<double>& model);

}  // namespace lw
