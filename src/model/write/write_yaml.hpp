// A mechanism as a file in Linkwright's own format (docs/format.md), formulas and parameters included.
//
// Reading the text gives the same mechanism: the same numbers to the last bit (but for the sign of a zero) at whatever
// values the parameters take; writing
// that again gives the same text. Left out is what the format has no place for: comments, and the inertia of a URDF's
// root link, which nothing feels while that link is the base.
#pragma once

#include <string>

#include "../mechanism.hpp"

namespace lw {

std::string write_yaml(const Mechanism& mechanism);

// What a URDF cannot say, for its sidecar NAME.loops.yaml: gravity where it is not the default, loops, which joints are
// actuated where that is not the default, payloads, home. "" where there is none of these.
std::string write_sidecar(const Mechanism& mechanism);

}  // namespace lw
