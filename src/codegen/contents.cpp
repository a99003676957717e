#include "contents.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../dynamics/parameters/regressor.hpp"
#include "../model/joints_alone.hpp"

namespace lw {
namespace {

std::vector<Entry> with_units(std::vector<Entry> entries, const std::string& suffix) {
  for (Entry& e : entries) e.unit += suffix;
  return entries;
}

std::vector<Entry> forces(std::vector<Entry> entries) {
  for (Entry& e : entries) e.unit = force_unit(e);
  return entries;
}

std::vector<Entry> named(const std::vector<std::string>& names) {
  std::vector<Entry> entries;
  for (const std::string& name : names) entries.push_back({name, {}});
  return entries;
}

// The joints whose entries a group holds.
Model<double> joints_of(const Traced& traced, const GroupRow& row) {
  const LoopPlan& plan = *traced.plan;
  const bool rest = row.rows.of == Extent::Of::dependent;
  return joints_alone(traced.model, rest                                  ? plan.dependent
                                    : row.rows.of == Extent::Of::actuated ? plan.actuated
                                                                          : plan.independent);
}

std::vector<Entry> entries_of(const Traced& traced, const GroupRow& row, const Group& g, const Model<double>& joints) {
  switch (row.holds) {
    case Holds::coordinates: return coordinate_entries(joints);
    case Holds::velocities: return with_units(velocity_entries(joints), "/s");
    case Holds::accelerations: return with_units(velocity_entries(joints), "/s²");
    case Holds::forces: return forces(velocity_entries(joints));
    case Holds::lengths: return {{"x", "m"}, {"y", "m"}, {"z", "m"}};
    case Holds::energies: return {{row.name, "J"}};
    case Holds::nothing: break;
  }
  if (!row.columns || row.columns->of != Extent::Of::inertial) return {};
  // a rotor whose inertia is kept has a column even if its value is zero
  const std::vector<std::string> columns = parameter_table(traced.model).names;
  return columns.size() * g.rows == g.size ? named(columns) : std::vector<Entry>{};
}

bool turns_freely(const Model<double>& joints) {
  return std::any_of(joints.joints.begin(), joints.joints.end(), [](const JointInfo& j) {
    return j.type == JointType::spherical || j.type == JointType::floating;
  });
}

std::string words_of(const Traced& traced, const GroupRow& row, const Model<double>& joints) {
  const FunctionRow& function = *traced.row;
  const std::string frame = traced.frame.empty() ? traced.model.frames.back().name : traced.frame;
  const bool turns = turns_freely(joints);
  if (function.derivative_of && row.columns) {
    const bool along_q = row.measure == Measure::along_q;
    return fmt::format("derivative of {} by {}, one row per {} and one column per {}{}",
                       row_of(*function.derivative_of).outputs.front().name, std::string_view(row.name).substr(2),
                       row.rows.of == Extent::Of::actuated ? "torque" : "velocity",
                       row.columns->of == Extent::Of::kept       ? "parameter"
                       : row.columns->of == Extent::Of::actuated ? "torque"
                                                                 : "velocity",
                       along_q && turns ? "; along the velocities of spherical and floating joints" : "");
  }
  std::string words = fmt::format(fmt::runtime(row.words), fmt::arg("frame", frame));
  if (row.holds == Holds::coordinates && row.rows.of == Extent::Of::coordinates && turns)
    words += "; quaternions are x, y, z, w, of length 1";
  if (row.holds == Holds::velocities && turns) {
    words +=
        "; for spherical and floating joints angular velocities first, in the child's axes: qd is not the rate of q";
  }
  if (row.holds == Holds::forces && traced.friction && function.losses == FunctionRow::Losses::on_request)
    words += ", with friction of the joints and losses of the drives, on the drives' output side";
  return words;
}

Contents of_group(const Traced& traced, const Group& g) {
  const GroupRow* row = group_row(*traced.row, g.name);
  if (row == nullptr) return {g.name, {}, "kept parameters", named(traced.parameters)};
  const Model<double> joints = joints_of(traced, *row);
  return {g.name, {}, words_of(traced, *row, joints), entries_of(traced, *row, g, joints)};
}

}  // namespace

std::vector<Contents> contents(const Traced& traced) {
  std::vector<Contents> list;
  for (const auto* groups : {&traced.function.inputs(), &traced.function.outputs()}) {
    for (const Group& g : *groups) list.push_back(of_group(traced, g));
  }
  return list;
}

}  // namespace lw
