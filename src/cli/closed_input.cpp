#include "closed_input.hpp"

#include <cmath>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../base/text.hpp"
#include "../dynamics/modes/modes.hpp"
#include "../model/limits.hpp"
#include "terminal.hpp"

namespace lw::cli {

Option mode_option() {
  return {"--mode",
          "K",
          "of a mechanism with loops: the K-th of the ways to assemble it that `linkwright assemble` lists; default: that of the home "
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

std::vector<double> read_actuated(const Arguments& arguments, const LoadedModel& loaded) {
  const Model<double>& model = loaded.model;
  const std::vector<int> places = actuated_coordinates(model);
  std::vector<double> q = model.home, part;
  if (arguments.has("--q")) {
    const std::vector<double> given = parse_entries("--q", arguments.text("--q"), actuated_entries(model));
    for (std::size_t k = 0; k < places.size(); ++k) q[at(places[k])] = given[k];
    normalize_quaternions(model, q, "--q", arguments.quiet());
  }
  for (const int k : places) part.push_back(q[at(k)]);
  return part;
}

Assembled read_assembled(const Arguments& arguments, const LoadedModel& loaded) {
  const Model<double>& model = loaded.model;
  const std::vector<double> actuated = read_actuated(arguments, loaded);
  Assembled there;
  if (arguments.has("--mode")) {
    const double k = arguments.number("--mode", 1.0);
    const AssemblyModes all = assembly_modes(model, actuated, static_cast<int>(model.frames.size()) - 1);
    if (!(k >= 1.0 && k == std::floor(k) && k <= static_cast<double>(all.modes.size()))) {
      throw Error(ErrorCode::usage, fmt::format("--mode {}: `{}` has {} there, see `linkwright assemble`", arguments.text("--mode"),
                                                model.name, counted(all.modes.size(), "mode")));
    }
    there = all.modes[static_cast<std::size_t>(k) - 1].at;
  } else {
    there = assemble_at(model, actuated);
  }
  if (!arguments.quiet()) {
    for (const PassedLimit& passed : passed_limits(loaded.mechanism, model, there.q)) {
      say(fmt::format("note: {} = {:.6g} lies {} limit, {:.6g}", passed.joint->name, passed.value, passed.side, passed.limit));
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
