// Checks a mechanism after reading: structure, geometry, physics.
//
// Structure: names, parents, cycles, mimic joints, loops, home, the targets of couplings, springs, forces and shafts.
// The other checks use the default values of the formulas. Geometry: axes, rotations, limits. Physics: mass > 0;
// principal moments of inertia about the centre of mass with
//   a ≥ 0,  a + b ≥ c  (and cyclic), which hold for every distribution of positive mass;
// friction, drives and other forces of the right sign; and lengths far larger than all others, which suggest a wrong
// unit. Numbers that could not be read are NaN; they were reported already and are skipped here.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "../complaints.hpp"
#include "../evaluate.hpp"
#include "../mechanism.hpp"

namespace lw {

// Locations of the names in the file, for messages; Mechanism itself only keeps the locations of items and numbers.
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
// Formulas without a finite value at the default parameters, such as sqrt(l1 - l2), 1/(a - b).
void check_finite(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
void check_geometry(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
// allow_unphysical: reports unphysical masses and inertias as warnings.
void check_physics(const Mechanism& mechanism, const DefaultValues& values, bool allow_unphysical,
                   Complaints& complaints);
// Friction, drives, springs and other forces: signs, increasing tables, invertible couplings.
void check_forces(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);
void check_sizes(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints);

// `m1*2` (= -3): a formula for messages, with its value unless the text is the number itself.
std::string with_value(const Formula& f, double value);

// All checks.
void check_mechanism(const Mechanism& mechanism, const NamePlaces& places, bool allow_unphysical,
                     Complaints& complaints);

}  // namespace lw
