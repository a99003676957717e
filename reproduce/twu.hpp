// The two examples of Twu 1987 (chapter 5) as data: an arm under joint forces a √t + b, its motion printed as q, q̇, q̈
// every 0.02 s with four digits, its energy and work, and the joint forces that his inverse program read back from that
// motion.
//
// Beside what he prints stands what tests/oracles/twu.py computes from the same data to full precision (Newton's and
// Euler's equations by Jacobians, extrapolation over √t, complex steps). He gives no sensitivities, only equations.
#pragma once

#include <string>
#include <vector>

#include "evaluate.hpp"
#include "experiment.hpp"

namespace lw::reproduce {

// A line of his input. Frames are parallel at zero; that of a link is at its proximal joint, the next one `length`
// along `direct`.
struct TwuLink {
  char direct, axis;            // 'X', 'Y', 'Z'; axis ' ': TRAN, along `direct`
  double length, mass, centre;  // of mass, along `direct`
  double moments[3];            // about the link's axes through it
};

// At t = 0, 0.02, …, 0.18 s, a row each.
struct TwuMotion {
  std::vector<Vector> q, qd, qdd;
  Vector kinetic, potential;
};

// At 0.18 s without gravity: by a parameter of the model, with Q(t) and the initial state given; tau: with the motion
// given.
struct TwuSensitivity {
  std::string parameter;
  Vector q, qd, qdd, tau;
};

struct TwuExample {
  std::string id, name, model;  // the model is embedded, and has a parameter g
  std::vector<TwuLink> links;
  Vector a, b;     // joint forces a √t + b
  Vector degrees;  // initial velocities, degrees a second; q is 0

  // as printed
  std::vector<Vector> q, qd, qdd, forces;
  Vector gain, work;                                // of kinetic energy; of the forces
  std::vector<std::size_t> lacking_moment_about_x;  // bodies for which his inverse run had none

  // by tests/oracles/twu.py
  TwuMotion light, heavy;  // without gravity, and under 9.81 along −y
  std::vector<TwuSensitivity> sensitivities;
  // at the start, without gravity
  Vector M0;         // mass matrix, its upper half by rows
  Vector h0, qdd0;   // bias forces and accelerations
  double kinetic;    // energy
  Vector heavy_qdd;  // accelerations under gravity
  double felt;       // symbols of his input, and g, that joint forces depend on

  std::size_t joints() const { return links.size(); }
  Vector start() const;          // velocities
  Vector force(double t) const;  // a √t + b
  Vector force_at(std::size_t row) const { return force(0.02 * static_cast<double>(row)); }
};

const TwuExample& twu_planar_example();
const TwuExample& twu_spatial_example();
std::vector<const TwuExample*> twu_examples();

// The embedded model with its parameter g at this value.
Mechanism twu_mechanism(const TwuExample& example, double g);

// His input with a symbol for every length, mass and moment, and for the coordinate of each centre of mass along its
// link; the other coordinates are zeros, or symbols too, whose values are zeros.
struct TwuInput {
  std::string text;
  std::vector<std::string> symbols;  // as parameters, with g
};
TwuInput twu_input(const std::vector<TwuLink>& links, bool zeros_given);

// What an entry's last printed digit is worth: 2.2970, 0.5179e-01 and 8.449 are printed to 1e-4, 1e-5 and 1e-3.
Vector last_digits(const std::vector<Vector>& rows, double coarsest);
Vector last_digits(const Vector& values, double coarsest);

// Rows as a table, or one behind the other.
Numbers table_of_rows(const std::vector<Vector>& rows);
// q, q̇ and q̈ side by side.
Numbers table_of_motion(const std::vector<Vector>& q, const std::vector<Vector>& qd, const std::vector<Vector>& qdd);

}  // namespace lw::reproduce
