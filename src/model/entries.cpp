#include "entries.hpp"

namespace lw {
namespace {

// Units of a joint's coordinates and of its velocities (without "/s"), in their order.
struct Units {
  std::vector<const char*> q, v;
};
Units units(JointType type) {
  switch (type) {
    case JointType::fixed: return {};
    case JointType::revolute: return {{"rad"}, {"rad"}};
    case JointType::prismatic: return {{"m"}, {"m"}};
    case JointType::cylindrical: return {{"rad", "m"}, {"rad", "m"}};
    case JointType::universal: return {{"rad", "rad"}, {"rad", "rad"}};
    case JointType::spherical: return {{"", "", "", ""}, {"rad", "rad", "rad"}};
    case JointType::planar: return {{"m", "m", "rad"}, {"m", "m", "rad"}};
    case JointType::floating: return {{"m", "m", "m", "", "", "", ""}, {"rad", "rad", "rad", "m", "m", "m"}};
  }
  return {};
}

}  // namespace

std::vector<Entry> coordinate_entries(const Model<double>& model) {
  std::vector<Entry> entries;
  for (const JointInfo& joint : model.joints) {
    for (const char* unit : units(joint.type).q) entries.push_back({model.coordinate_names[entries.size()], unit});
  }
  return entries;
}

std::vector<Entry> velocity_entries(const Model<double>& model) {
  std::vector<Entry> entries;
  for (const JointInfo& joint : model.joints) {
    for (const char* unit : units(joint.type).v) entries.push_back({model.velocity_names[entries.size()], unit});
  }
  return entries;
}

std::string force_unit(const Entry& velocity) { return velocity.unit == "m" ? "N" : "N·m"; }

}  // namespace lw
