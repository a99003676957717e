// Mechanisms of any size, for tests and benchmarks: "chain-N", "tree-N" and "arm-N" as the text of a mechanism file.
//
// The numbers are deliberately general: frames with all angles and offsets nonzero, full inertia tensors (a random
// rotation of valid principal moments), one joint in five prismatic, so that no zeros can be exploited. The same name
// gives the same text on every machine. "arm-N" is the opposite, a typical arm: alternating axes z and y, links along x
// with their centres of mass on them, principal moments, gravity along −y, as in Twu's spatial example.
#pragma once

#include <optional>
#include <string>

namespace lw {

constexpr int kLargestFamily = 10000;

// The text, or nothing if the name is not "chain-N", "tree-N" or "arm-N" with N from 1 to kLargestFamily.
std::optional<std::string> family_text(const std::string& name);

// Whether the name was probably meant as one of a family: "chain-0", "tree-x".
bool resembles_family(const std::string& name);

}  // namespace lw
