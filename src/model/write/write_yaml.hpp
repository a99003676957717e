// Writes a mechanism in Linkwright's own format (docs/format.md), formulas and parameters included.
//
// Reading the text gives the same mechanism, with the same numbers to the last bit (except for the sign of zeros) at
// any values of the parameters; writing that again gives the same text. Omitted are comments, and the inertia of a
// URDF's root link, which has no effect while that link is the base.
#pragma once

#include <string>

#include "../mechanism.hpp"

namespace lw {

std::string write_yaml(const Mechanism& mechanism);

// The sidecar NAME.loops.yaml of a URDF: gravity and actuated joints if not the default, loops, payloads, home. "" if
// there is none of these.
std::string write_sidecar(const Mechanism& mechanism);

}  // namespace lw
