// Judges a mechanism that has been read, from whatever file: its structure, its geometry, its physics.
//
// Structure: names, parents, cycles, mimics, loops, home, what couplings, springs, forces and shafts act on. The rest
// looks at the values that the formulas have by default. Geometry: axes, rotations, limits. Physics: mass > 0;
// principal moments of inertia about the centre of mass with
//   a ≥ 0,  a + b ≥ c  (and cyclic), as every distribution of positive mass has them;
// friction, drives and other forces of the right sign; and lengths far from all others, which hint at a wrong unit.
// A number that could not be read is NaN, is complained about already, and is passed over here.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "../complaints.hpp"
#include "../evaluate.hpp"
#include "../mechanism.hpp"

namespace lw {

// Where the names stand in the file, for messages; Mechanism itself keeps the places of things and numbers only.
struct NamePlaces {
  struct OfLink {
    Location name, parent, joint_name;
  };
  std::vector<OfLink> links;                   // as Mechanism::links
  std::vector<std::array<Location, 2>> loops;  // `between`, as Mechanism::loops
  std::vector<Location> payloads;              // `link`, as Mechanism::payloads
  std::map<std::string, Location> home;
  std::vector<std::vector<Location>> couplings;          // `joints`, as Mechanism::couplings
  std::vector<std::array<Location, 2>> springs, shafts;  // `between`, as Mechanism::springs and shafts
  std::vector<Location> forces;                          // `link`, as Mechanism::forces
};

void check_structure(const Mechanism& mechanism, const NamePlaces& places, Complaints& complaints);
// Formulas without a finite value at the default parameters, where others would have one: sqrt(l1 - l2), 1/(a - b).
void check_finite(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
void check_geometry(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
// allow_unphysical: impossible masses and inertias are warnings.
void check_physics(const Mechanism& mechanism, const DefaultValues& values, bool allow_unphysical,
                   Complaints& complaints);
// Friction, drives, springs and the like: signs, tables that ascend, couplings that can be inverted.
void check_forces(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
void check_sizes(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);

// `m1*2` (= -3): a formula for messages, its value only where the text is not the number itself.
std::string with_value(const Formula& f, double value);

// All of them.
void check_mechanism(const Mechanism& mechanism, const NamePlaces& places, bool allow_unphysical,
                     Complaints& complaints);

}  // namespace lw
