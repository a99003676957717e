// Reads a mechanism in Linkwright's own format (docs/format.md), and the sidecar that adds loops to a URDF.
#pragma once

#include <string>

#include "../check/check.hpp"
#include "../complaints.hpp"
#include "../mechanism.hpp"

namespace lw {

// Unreadable items are omitted or NaN, with an error among the complaints.
Mechanism read_yaml(const std::string& text, const std::string& file, NamePlaces& places, Complaints& complaints);

// Adds `gravity`, `loops`, `actuated`, `home` and `payloads` to a mechanism.
void read_sidecar(const std::string& text, const std::string& file, Mechanism& mechanism, NamePlaces& places,
                  Complaints& complaints);

}  // namespace lw
