// The entries of the vectors of a model.
#pragma once

#include <string>
#include <vector>

#include "model.hpp"

namespace lw {

// An entry of q, or of a vector with nv entries: its name and its unit ("rad", "m", "" for a quaternion).
struct Entry {
  std::string name;
  std::string unit;
};
std::vector<Entry> coordinate_entries(const Model<double>& model);
std::vector<Entry> velocity_entries(const Model<double>& model);
// The unit of a generalised force: "N·m" or "N"; for M see the unit of the velocity.
std::string force_unit(const Entry& velocity);

}  // namespace lw
