// What acts on joints and links, as a mechanism file writes it: friction, drives, springs, dampers; couplings of
// drives, springs between points, applied forces, shafts.
#pragma once

#include <optional>

#include "read_fields.hpp"

namespace lw {

// Of a link's joint. `type` where it could be read: which bearings a joint can have depends on it.
Friction read_friction(FieldReader& reader, const YamlNode& node, std::optional<JointType> type);
Drive read_drive(FieldReader& reader, const YamlNode& node);
Spring read_spring(FieldReader& reader, const YamlNode& node);
Damper read_damper(FieldReader& reader, const YamlNode& node);

// Items of the lists at the top of a file; `index` for their names in messages where they have none of their own.
// `places` are those of the names of links or joints that they hold.
Coupling read_coupling(FieldReader& reader, const YamlNode& node, std::size_t index, std::vector<Location>& places);
PointSpring read_point_spring(FieldReader& reader, const YamlNode& node, std::size_t index,
                              std::array<Location, 2>& places);
AppliedForce read_force(FieldReader& reader, const YamlNode& node, std::size_t index, Location& place);
Shaft read_shaft(FieldReader& reader, const YamlNode& node, std::size_t index, std::array<Location, 2>& places);

// Whether anything in there is over time: a table, or a formula with `t`.
bool depends_on_time(const YamlNode& node);

// The two names under `between` and their places; `what`: "links" or "joints".
void read_between(FieldReader& reader, const YamlNode& node, const char* what, std::array<std::string, 2>& names,
                  std::array<Location, 2>& places);
// The name of a list's item for messages: by its own name where it has one.
std::string item_name(const char* kind, const YamlNode& node, std::size_t index);
// Where the value of a key stands, or the map.
Location value_place(const Fields& fields, const std::string& key);

}  // namespace lw
