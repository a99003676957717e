// A mechanism from a URDF file. The root link is the base; every other link keeps its own entry, fixed ones included.
//
// What other programs keep in a URDF (transmission, gazebo, collision, …) is ignored; a tag or attribute that looks
// like a misspelling of one that we read gets a warning. Numbers are read without regard to the locale, which tinyxml2
// heeds.
#pragma once

#include <string>

#include "../check/check.hpp"
#include "../complaints.hpp"
#include "../mechanism.hpp"

namespace lw {

// floating_base: the root link becomes a link on a floating joint "floating_base" under the base "world".
Mechanism read_urdf(const std::string& text, const std::string& file, bool floating_base, NamePlaces& places,
                    Complaints& complaints);

}  // namespace lw
