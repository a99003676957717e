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

Contents of_group(const Traced& traced, const Group& g) {
  const std::string& name = g.name;
  // of a mechanism with loops: the joints that the group runs over
  const bool closed = traced.loops != nullptr, rest = name == "guess" || name == "dependent";
  const Model<double> model = !closed ? traced.model
                                      : joints_alone(traced.model, rest            ? traced.loops->dependent
                                                                   : name == "tau" ? traced.loops->actuated
                                                                                   : traced.loops->independent);
  const std::vector<Entry> velocities = velocity_entries(model);
  const std::string frame = traced.frame.empty() ? traced.model.frames.back().name : traced.frame;
  const bool turns_freely = std::any_of(model.joints.begin(), model.joints.end(), [](const JointInfo& j) {
    return j.type == JointType::spherical || j.type == JointType::floating;
  });
  if (name == "guess") {
    return {name,
            {},
            "the dependent coordinates of the closed loops, nearly: those of a moment ago",
            coordinate_entries(model)};
  }
  if (name == "dependent")
    return {name, {}, "the dependent coordinates of the closed loops: the next guess", coordinate_entries(model)};
  if (name == "residual") {
    return {name,
            {},
            "what is left of the equations of the closed loops after the Newton steps (m, rad): zero where the guess "
            "was good enough",
            {}};
  }
  if (name == "q") {
    return {name,
            {},
            turns_freely ? "positions; quaternions are x, y, z, w, of length 1" : "positions",
            coordinate_entries(model)};
  }
  if (name == "qd") {
    return {name,
            {},
            turns_freely
                ? "velocities; of spherical and floating joints the angular one first, in the child's axes, so "
                  "that qd is not the rate of q"
                : "velocities",
            with_units(velocities, "/s")};
  }
  if (name == "qdd") return {name, {}, "accelerations", with_units(velocities, "/s²")};
  if (name == "tau") {
    return {name,
            {},
            traced.friction
                ? "torques and forces at the joints, with what joints and drives lose, on the drives' output side"
                : "torques and forces at the joints",
            forces(velocities)};
  }
  if (traced.function.name() == "friction") {
    constexpr std::pair<const char*, const char*> kWords[] = {
        {"dynamic", "torques and forces of the motion, without losses"},
        {"bearing", "friction and damping in the joints"},
        {"at_joint", "dynamic + bearing: what the drives give"},
        {"transmission", "what the drives lose"},
        {"total", "at_joint + transmission, on the drives' output side"},
        {"motor", "total on the motors' side: divided by the drives' ratios; of coupled drives motor by motor"}};
    for (const auto& [group, words] : kWords) {
      if (name == group) return {name, {}, words, forces(velocities)};
    }
  }
  if (name == "bias")
    return {name,
            {},
            "what tau is where qdd is zero: Coriolis, centrifugal, gravity and spring forces",
            forces(velocities)};
  if (name == "p") return {name, {}, "parameters that were kept", named(traced.parameters)};
  if (name == "M") return {name, {}, "mass matrix, a row and a column a velocity", {}};
  if (name.starts_with("d_")) {
    const bool forward = traced.function.name() == "forward-derivatives";
    const std::string by = name.substr(2);
    return {name,
            {},
            fmt::format("derivative of {} by {}, a row a velocity and a column {}{}", forward ? "qdd" : "tau", by,
                        by == "p" ? "a parameter" : "a velocity",
                        by == "q" && turns_freely ? "; of spherical and floating joints along the velocities" : ""),
            {}};
  }
  if (name == "position") {
    return {name,
            {},
            fmt::format("of the origin of `{}` in the base's frame", frame),
            {{"x", "m"}, {"y", "m"}, {"z", "m"}}};
  }
  if (name == "rotation")
    return {name, {}, fmt::format("matrix whose columns are the axes of `{}`, in the base's axes", frame), {}};
  if (name == "jacobian") {
    return {name,
            {},
            fmt::format("matrix, a column a velocity; rows: angular velocity x, y, z of `{}`, then the velocity of its "
                        "origin, all in the base's axes",
                        frame),
            {}};
  }
  if (name == "kinetic" || name == "potential") return {name, {}, name + " energy", {{name, "J"}}};
  if (name == "Y") {
    // a rotor that is kept has a column for values other than zero too
    const std::vector<std::string> columns = parameter_table(model).names;
    const bool complete = columns.size() * velocities.size() == g.size;
    return {
        name,
        {},
        "matrix, a row a velocity; its columns, by link, for mass, first moments and inertia about the link's origin",
        named(complete ? columns : std::vector<std::string>{})};
  }
  return {name, {}, {}, {}};
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
