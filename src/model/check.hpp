// Judges a mechanism that has been read, from whatever file: its structure, its geometry, its physics.
//
// Structure: names, parents, cycles, mimics, loops, home. The rest looks at the values that the formulas have by default.
// Geometry: axes, rotations, limits. Physics: mass > 0; principal moments of inertia about the centre of mass with
//   a ≥ 0,  a + b ≥ c  (and cyclic), as every distribution of positive mass has them;
// friction and drives of the right sign; and lengths far from all others, which hint at a wrong unit.
// A number that could not be read is NaN, is complained about already, and is passed over here.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "complaints.hpp"
#include "evaluate.hpp"
#include "mechanism.hpp"

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
};

void check_structure(const Mechanism& mechanism, const NamePlaces& places, Complaints& complaints);
// Formulas without a finite value at the default parameters, where others would have one: sqrt(l1 - l2), 1/(a - b).
void check_finite(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
void check_geometry(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
// allow_unphysical: impossible masses and inertias are warnings.
void check_physics(const Mechanism& mechanism, const DefaultValues& values, bool allow_unphysical,
                   Complaints& complaints);
void check_sizes(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);

// All of them.
void check_mechanism(const Mechanism& mechanism, const NamePlaces& places, bool allow_unphysical,
                     Complaints& complaints);

}  // namespace lw
