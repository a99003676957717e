#include "joints_alone.hpp"

#include <algorithm>

#include "../base/index.hpp"
#include "entries.hpp"

namespace lw {

Model<double> joints_alone(const Model<double>& model, const std::vector<int>& velocities) {
  Model<double> alone;
  alone.name = model.name;
  const std::vector<Entry> entries = velocity_entries(model);
  const auto is_named = [&](int v) { return std::find(velocities.begin(), velocities.end(), v) != velocities.end(); };
  const auto add = [&](const std::string& name, JointType type, int q, int v) {
    alone.joints.push_back({name, type, alone.nq, alone.nv, -1, -1, true});
    for (int k = 0; k < coordinates(type); ++k) {
      alone.coordinate_names.push_back(model.coordinate_names[at(q + k)]);
      alone.home.push_back(model.home[at(q + k)]);
    }
    for (int k = 0; k < lw::velocities(type); ++k) alone.velocity_names.push_back(model.velocity_names[at(v + k)]);
    alone.nq += coordinates(type);
    alone.nv += lw::velocities(type);
  };
  for (const JointInfo& joint : model.joints) {
    if (joint.type == JointType::spherical || joint.type == JointType::floating) {
      if (is_named(joint.v)) add(joint.name, joint.type, joint.q, joint.v);
      continue;
    }
    for (int k = 0; k < lw::velocities(joint.type); ++k) {
      const int v = joint.v + k;
      if (is_named(v))
        add(model.velocity_names[at(v)], entries[at(v)].unit == "m" ? JointType::prismatic : JointType::revolute,
            joint.q + k, v);
    }
  }
  return alone;
}

}  // namespace lw
