// What the two examples of Twu 1987 (chapter 5) have in common: a motion under joint forces a √t + b, printed as q, q̇, q̈
// every 0.02 s with four digits, and read back as joint forces.
#pragma once

#include "evaluate.hpp"
#include "experiment.hpp"

namespace lw::reproduce {

struct TwuExample {
  std::string model;                                 // embedded, with a parameter g
  Vector a, b;                                       // joint forces a √t + b
  std::vector<Vector> q, qd, qdd;                    // printed; q starts at 0
  std::vector<Vector> exact_q, exact_qd, exact_qdd;  // the same motion, integrated independently to full precision
  std::vector<Vector> printed_forces;                // his inverse run on his own output
  std::vector<std::size_t> lacking_moment_about_x;   // bodies for which that run had none
  // at the start, by an independent calculation without gravity
  Vector M0;         // mass matrix, its upper half by rows
  Vector h0, qdd0;   // bias forces and accelerations
  double kinetic;    // energy
  Vector heavy_qdd;  // accelerations at the start under gravity, from a symbolic Lagrangian
};

// All rows of an example.
void twu_compare(Experiment& e, const TwuExample& example);

}  // namespace lw::reproduce
