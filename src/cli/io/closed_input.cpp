#include "closed_input.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/modes.hpp"
#include "../../model/limits.hpp"
#include "../frame/terminal.hpp"

namespace lw::cli {

Option mode_option() {
  return {"--mode",
          "K",
          "of a mechanism with loops: the K-th of the ways to assemble it that `linkwright assemble` lists; default: "
          "that of the home "
          "pose, continued along the straight line to --q",
          Option::Kind::number,
          {},
          "State"};
}

std::vector<Entry> actuated_entries(const Model<double>& model) {
  const std::vector<Entry> all = coordinate_entries(model);
  std::vector<Entry> part;
  for (const int k : actuated_coordinates(model)) part.push_back(all[at(k)]);
  return part;
}

std::vector<Entry> actuated_velocity_entries(const Model<double>& model) {
  const std::vector<Entry> all = velocity_entries(model);
  std::vector<Entry> part;
  for (const int v : actuated_velocities(model)) part.push_back(all[at(v)]);
  return part;
}

GivenJoints read_given(const Arguments& arguments, const Model<double>& model, const Model<double>& led) {
  const std::vector<int> places = actuated_coordinates(led), every = actuated_coordinates(model);
  std::vector<double> q = assemble_home(led).q;
  GivenJoints given;
  if (arguments.has("--q")) {
    const std::string text = arguments.text("--q");
    const bool all = every.size() > places.size() &&
                     static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1 == every.size();
    const std::vector<double> values = parse_entries("--q", text, actuated_entries(all ? model : led));
    const std::vector<int>& over = all ? every : places;
    for (std::size_t k = 0; k < over.size(); ++k) q[at(over[k])] = values[k];
    normalize_quaternions(model, q, "--q", arguments.quiet());
    for (std::size_t k = 0; all && k < every.size(); ++k) given.all.push_back(q[at(every[k])]);
  }
  for (const int k : places) given.led.push_back(q[at(k)]);
  return given;
}

std::string disagreement(const Model<double>& model, const Model<double>& led, const GivenJoints& given,
                         const std::vector<double>& q) {
  const std::vector<int> every = actuated_coordinates(model), leading = actuated_velocities(led);
  std::vector<bool> angle(at(model.nq), false);
  for (const Body<double>& body : model.bodies) {
    if (body.kind == JointKind::revolute && !body.mimics) angle[at(body.q)] = true;
  }
  for (std::size_t k = 0; k < given.all.size(); ++k) {
    const double is = q[at(every[k])], off = is - given.all[k];
    if (std::abs(angle[at(every[k])] ? std::remainder(off, 2.0 * std::numbers::pi) : off) <= 1e-6) continue;
    std::string names;
    for (const int v : leading) names += (names.empty() ? "`" : ", `") + model.velocity_names[at(v)] + "`";
    return fmt::format(
        "`{}` has more actuated joints than freedoms ({}): where {} {} as given, `{}` is {:.9g}, not {:.9g}",
        model.name, leading.size(), names, leading.size() == 1 ? "is" : "are", model.coordinate_names[at(every[k])], is,
        given.all[k]);
  }
  return "";
}

Assembled read_assembled(const Arguments& arguments, const LoadedModel& loaded, const Model<double>& led) {
  const Model<double>& model = loaded.model;
  const GivenJoints given = read_given(arguments, model, led);
  Assembled there;
  if (arguments.has("--mode")) {
    const double k = arguments.number("--mode", 1.0);
    AssemblyModes all = assembly_modes(led, given.led, static_cast<int>(model.frames.size()) - 1);
    std::erase_if(all.modes, [&](const AssemblyMode& m) { return !disagreement(model, led, given, m.at.q).empty(); });
    if (!(k >= 1.0 && k == std::floor(k) && k <= static_cast<double>(all.modes.size()))) {
      throw Error(ErrorCode::usage,
                  fmt::format("--mode {}: `{}` has {} there, see `linkwright assemble`", arguments.text("--mode"),
                              model.name, counted(all.modes.size(), "mode")));
    }
    there = all.modes[static_cast<std::size_t>(k) - 1].at;
  } else {
    there = assemble_at(led, given.led);
    if (const std::string why = disagreement(model, led, given, there.q); !why.empty())
      throw Error(ErrorCode::data, why);
  }
  if (!arguments.quiet()) {
    for (const PassedLimit& passed : passed_limits(loaded.mechanism, model, there.q)) {
      say(fmt::format("note: {} = {:.6g} lies {} limit, {:.6g}", passed.joint->name, passed.value, passed.side,
                      passed.limit));
    }
  }
  return there;
}

void refuse_mode(const Arguments& arguments, const Model<double>& model) {
  if (model.loops.empty() && arguments.has("--mode")) {
    throw Error(ErrorCode::usage, fmt::format("--mode is of mechanisms with loops; `{}` has none", model.name));
  }
}

}  // namespace lw::cli
