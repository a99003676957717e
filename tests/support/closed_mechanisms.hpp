// Random mechanisms with loops, closed at their home pose: the permanent attacker of the simulation of loops.
//
// A mechanism is drawn as points and axes in the world at home, so that it is assembled there by construction: every
// link's frame has the world's axes at home, and a random home coordinate is turned or shifted back in the joint's
// origin. Lengths, masses, gravity, springs and friction are random; the plane of a planar mechanism is the x-y plane
// or turned at random. Home is no dead centre of the actuated joints.
#pragma once

#include <string>

#include "base/random.hpp"

namespace lw {

struct DrawnMechanism {
  std::string family;
  std::string text;    // for mechanism_of
  double speed = 0.0;  // of the fastest joint at the start: rad/s, or `size` per second for a prismatic joint
  double size = 1.0;   // of its links, m
};
DrawnMechanism random_closed_mechanism(Random& random);

}  // namespace lw
