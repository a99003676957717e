// Reads a mechanism from a URDF file. The root link is the base; all other links are kept, fixed ones included.
//
// Data of other programs (transmission, gazebo, collision, …) are ignored; probable misspellings of known tags and
// attributes cause warnings. Numbers are parsed independently of the locale, unlike in tinyxml2.
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
