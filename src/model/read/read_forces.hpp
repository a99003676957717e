// Reads everything that acts on joints and links in a mechanism file: friction, drives, springs, dampers; couplings of
// drives, springs between points, applied forces, shafts.
#pragma once

#include <optional>

#include "read_fields.hpp"

namespace lw {

// For a link's joint. `type`: the joint type if it could be read, which determines the possible bearings.
Friction read_friction(FieldReader& reader, const YamlNode& node, std::optional<JointType> type);
Drive read_drive(FieldReader& reader, const YamlNode& node);
Spring read_spring(FieldReader& reader, const YamlNode& node);
Damper read_damper(FieldReader& reader, const YamlNode& node);

// Items of the top-level lists of a file; `index` serves as their name in messages if they have none. `places` are the
// locations of the names of links or joints that they contain.
Coupling read_coupling(FieldReader& reader, const YamlNode& node, std::size_t index, std::vector<Location>& places);
PointSpring read_point_spring(FieldReader& reader, const YamlNode& node, std::size_t index,
                              std::array<Location, 2>& places);
AppliedForce read_force(FieldReader& reader, const YamlNode& node, std::size_t index, Location& place);
Shaft read_shaft(FieldReader& reader, const YamlNode& node, std::size_t index, std::array<Location, 2>& places);

// Whether the node depends on time: a table over time, or a formula with `t`.
bool depends_on_time(const YamlNode& node);

// The two names under `between` and their locations; `what`: "links" or "joints".
void read_between(FieldReader& reader, const YamlNode& node, const char* what, std::array<std::string, 2>& names,
                  std::array<Location, 2>& places);
// The name of a list item for messages: its own name if it has one.
std::string item_name(const char* kind, const YamlNode& node, std::size_t index);
// The location of a key's value, or of the map.
Location value_place(const Fields& fields, const std::string& key);

}  // namespace lw
