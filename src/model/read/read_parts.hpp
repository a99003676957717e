// Parts of a mechanism common to YAML files and the sidecars of URDF files: origins, joints, inertias, shapes.
#pragma once

#include "read_fields.hpp"

namespace lw {

// Keys `rpy`, `quaternion` or `matrix` of a map; at most one of them.
Rotation read_rotation(FieldReader& reader, const Fields& fields);
Origin read_origin(FieldReader& reader, const YamlNode& node, const std::string& what);
// `x`, `-y`, … or three numbers.
Formula3 read_axis(FieldReader& reader, const YamlNode& node, const std::string& what);
// Keys `type`, `axis`, `axis2`, common to joints and loop closures.
void read_joint_type(FieldReader& reader, const Fields& fields, JointType& type, Formula3& axis, Formula3& axis2);
// `actuated` is the default; a joint without its own coordinates is never actuated.
Joint read_joint(FieldReader& reader, const YamlNode& node, const std::string& link, bool actuated);
extern const std::vector<std::string> kInertiaKeys;
Inertia read_inertia(FieldReader& reader, const Fields& fields);
// A map of xx … yz, a list of three, or a symmetric 3×3 matrix.
void read_tensor(FieldReader& reader, const YamlNode& node, const std::string& what, Inertia& inertia);
// The map of named formulas; the reader knows the names from then on.
void read_parameters(FieldReader& reader, const YamlNode& node, Mechanism& mechanism);
std::vector<Visual> read_visuals(FieldReader& reader, const YamlNode& node);  // one shape, or a list

}  // namespace lw
