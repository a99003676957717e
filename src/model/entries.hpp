// What the vectors of a model hold, place by place.
#pragma once

#include <string>
#include <vector>

#include "model.hpp"

namespace lw {

// What stands at a place of q, or of a vector of nv entries: its name and its unit ("rad", "m", "" of a quaternion).
struct Entry {
  std::string name;
  std::string unit;
};
std::vector<Entry> coordinate_entries(const Model<double>& model);
std::vector<Entry> velocity_entries(const Model<double>& model);
// Of a generalised force: "N·m" or "N"; of M q̈ / q̈: see the unit of the velocity.
std::string force_unit(const Entry& velocity);

}  // namespace lw
