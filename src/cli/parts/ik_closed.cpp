#include "ik_closed.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/assembly/closed_ik.hpp"
#include "../../model/limits.hpp"
#include "../frame/terminal.hpp"
#include "../io/frame_option.hpp"
#include "../io/ik_options.hpp"
#include "../io/path_csv.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"

namespace lw::cli {
namespace {

std::string leg_names(const Leg& leg) {
  std::string names;
  for (const std::string& j : leg.joints) names += (names.empty() ? "" : "-") + j;
  return names;
}

Json solution_json(const ClosedIkSolution& s) {
  Json json{{"q", s.actuated},
            {"residual", std::max({s.position_error, s.rotation_error, s.at.residual})},
            {"position_error", s.position_error},
            {"rotation_error", s.rotation_error},
            {"closure_residual", s.at.residual},
            {"condition", std::isfinite(s.at.condition) ? Json(s.at.condition) : Json(nullptr)}};
  if (!s.working_mode.empty()) json["working_mode"] = s.working_mode;
  json["coordinates"] = s.at.q;
  return json;
}

class ClosedIkCommand {
 public:
  ClosedIkCommand(const Arguments& arguments, const LoadedModel& loaded)
      : arguments_(arguments),
        model_(loaded.model),
        frame_(chosen_frame(arguments, loaded.model)),
        start_(read_pose(arguments, loaded, led_model(loaded.model))),
        limits_(arguments.has("--ignore-limits") ? no_limits(loaded.model)
                                                 : coordinate_limits(loaded.mechanism, loaded.model)) {}

  int target() {
    const IkTarget target = read_target(arguments_.text("--target"), arguments_.has("--position-only"));
    ClosedIk result = closed_inverse_kinematics(model_, frame_, target, start_, limits_);
    const std::size_t branch = read_branch(arguments_);
    const bool reached = !result.solutions.empty();
    if (branch > 0 && reached) {
      require_branch(branch, result.solutions.size());
      result.solutions = {ClosedIkSolution(result.solutions[branch - 1])};
    }
    const bool certain = !result.too_far.empty() || (result.complete && result.freedom == 0);
    if (arguments_.json()) {
      Json json{{"model", model_.name},
                {"frame", frame_name()},
                {"reached", reached},
                {"out_of_reach", !reached && result.beyond_limits == 0 && certain},
                {"closed_form", result.complete && !result.rounded},
                {"rounded", result.rounded},
                {"freedom", result.freedom},
                {"beyond_limits", result.beyond_limits},
                {"solutions", Json::array()}};
      for (const ClosedIkSolution& s : result.solutions) json["solutions"].push_back(solution_json(s));
      if (!reached && result.beyond_limits == 0) json["nearest"] = solution_json(result.nearest);
      json["impossible"] = Json::array();
      for (const OpenPolygon& p : result.too_far) {
        json["impossible"].push_back(
            {{"joints", p.joints}, {"links", p.links}, {"distance", p.distance}, {"reach", p.reach}});
      }
      print_json(json);
    } else if (reached) {
      print(result, std::max<std::size_t>(branch, 1));
    }
    if (reached) return kOk;
    say_not_reached(result, certain);
    return kCheckFailed;
  }

  int follow() {
    const Path path = read_path(arguments_.text("--path"));
    const bool position_only = arguments_.has("--position-only") || !path.has_orientation;
    if (const std::size_t branch = read_branch(arguments_); branch > 0) {
      const ClosedIk first =
          closed_inverse_kinematics(model_, frame_, {path.samples[0].pose, position_only}, start_, limits_);
      if (!first.solutions.empty()) {
        require_branch(branch, first.solutions.size());
        start_ = first.solutions[branch - 1].at;
      }
    }
    const ClosedIkPath motion = follow_closed(model_, frame_, path.samples, position_only, start_, limits_);
    std::vector<std::size_t> unreached;
    for (std::size_t k = 0; k < motion.samples.size(); ++k) {
      if (!motion.samples[k].reached) unreached.push_back(k + 1);
    }
    if (!unreached.empty()) {
      const ClosedIkSample& s = motion.samples[unreached[0] - 1];
      say(fmt::format("sample {} (t = {:.6g}): not reached, the nearest pose found is {:.6g} m away{}", unreached[0],
                      s.t, s.solution.position_error,
                      unreached.size() == 1 ? "" : fmt::format("; nor are {} more", unreached.size() - 1)));
    } else if (arguments_.has("--out")) {
      write_file(arguments_.text("--out"), csv(motion));
    }
    if (arguments_.json()) {
      Json json{
          {"model", model_.name}, {"frame", frame_name()}, {"reached", unreached.empty()}, {"unreached", unreached}};
      json["legs"] = Json::array();
      for (const Leg& leg : motion.legs) json["legs"].push_back(leg.joints);
      json["switches"] = Json::array();
      for (const WorkingModeSwitch& s : motion.switches) {
        json["switches"].push_back({{"t", s.t}, {"leg", s.leg + 1}, {"joints", motion.legs[at(s.leg)].joints}});
      }
      for (const char* field : {"t", "q", "qd", "solutions"}) json[field] = Json::array();
      for (const ClosedIkSample& s : motion.samples) {
        json["t"].push_back(s.t);
        json["q"].push_back(s.reached ? Json(s.solution.actuated) : Json(nullptr));
        json["qd"].push_back(s.rates.empty() ? Json(nullptr) : Json(s.rates));
        json["solutions"].push_back(s.reached ? solution_json(s.solution) : Json(nullptr));
      }
      print_json(json);
    } else if (unreached.empty()) {
      print(motion);
    }
    return unreached.empty() ? kOk : kCheckFailed;
  }

 private:
  const std::string& frame_name() const { return model_.frames[at(frame_)].name; }

  void print(const ClosedIk& result, std::size_t first) const {
    fmt::print("{}: driven joints that bring `{}` there, {}\n\n", model_.name, frame_name(),
               result.complete && !result.rounded ? "in closed form" : "found numerically");
    std::vector<std::string> header{"", "legs"};
    for (const Entry& e : actuated_entries(model_))
      header.push_back(e.unit.empty() ? e.name : e.name + " (" + e.unit + ")");
    header.insert(header.end(), {"off by", "condition"});
    const bool legs = !result.solutions.front().working_mode.empty();
    if (!legs) header.erase(header.begin() + 1);
    Table table(header);
    for (std::size_t k = 0; k < result.solutions.size(); ++k) {
      const ClosedIkSolution& s = result.solutions[k];
      std::vector<std::string> row{std::to_string(first + k)};
      if (legs) row.push_back(s.working_mode);
      for (const double x : s.actuated) row.push_back(readable(x, 6, 1.0));
      row.push_back(fmt::format("{:.0e}", std::max({s.position_error, s.rotation_error, s.at.residual})));
      row.push_back(fmt::format("{:.4g}", s.at.condition));
      table.add(std::move(row));
    }
    fmt::print("{}", table.str());
    if (result.rounded) {
      fmt::print(
          "\nIt can be in no such pose exactly; this one is the nearest, within the last digits of a pose that was "
          "rounded\n");
    } else if (result.freedom > 0) {
      fmt::print("\nOne of infinitely many: {} left over\n", counted(at(result.freedom), "freedom is", "freedoms are"));
    } else if (!result.complete) {
      fmt::print("\nThere may be more than were found\n");
    }
    if (result.beyond_limits > 0)
      fmt::print("\n{} more beyond the joints' limits; --ignore-limits shows them\n", result.beyond_limits);
  }

  void print(const ClosedIkPath& motion) const {
    double off = 0.0;
    for (const ClosedIkSample& s : motion.samples)
      off = std::max({off, s.solution.position_error, s.solution.rotation_error});
    fmt::print("{}: `{}` along {}, off by at most {:.1e}\n\n", model_.name, frame_name(),
               counted(motion.samples.size(), "sample"), off);
    Table table({"joint", "from", "to", "least", "most", "fastest"});
    const std::vector<Entry> entries = actuated_entries(model_);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      double least = HUGE_VAL, most = -HUGE_VAL, fastest = 0.0;
      for (const ClosedIkSample& s : motion.samples) {
        least = std::min(least, s.solution.actuated[k]);
        most = std::max(most, s.solution.actuated[k]);
        if (k < s.rates.size()) fastest = std::max(fastest, std::abs(s.rates[k]));
      }
      table.add({entries[k].name + (entries[k].unit.empty() ? "" : " (" + entries[k].unit + ")"),
                 readable(motion.samples.front().solution.actuated[k], 6, 1.0),
                 readable(motion.samples.back().solution.actuated[k], 6, 1.0), readable(least, 6, 1.0),
                 readable(most, 6, 1.0), readable(fastest, 6, 1.0)});
    }
    fmt::print("{}", table.str());
    for (const WorkingModeSwitch& s : motion.switches) {
      fmt::print("\nt = {:.6g} s: leg {} ({}) is stretched or folded, its working mode changes\n", s.t, s.leg + 1,
                 leg_names(motion.legs[at(s.leg)]));
    }
  }

  void say_not_reached(const ClosedIk& result, bool certain) const {
    if (result.beyond_limits > 0) {
      say(fmt::format("out of reach within the joints' limits: {} beyond them (--ignore-limits)",
                      counted(at(result.beyond_limits), "solution is", "solutions are")));
      return;
    }
    say(fmt::format("{}: the nearest pose found is {:.6g} m and {:.6g} rad away",
                    certain ? "out of reach" : "not found", result.nearest.position_error,
                    result.nearest.rotation_error));
    for (const std::string& why : to_lines(result.too_far)) say("  " + why);
  }

  std::string csv(const ClosedIkPath& motion) const {
    const std::size_t n = motion.samples.front().solution.actuated.size();
    std::string out = "t";
    for (std::size_t k = 0; k < n; ++k) out += fmt::format(",q{}", k + 1);
    out += "\n";
    for (const ClosedIkSample& s : motion.samples) {
      out += fmt::format("{}", s.t);
      for (const double x : s.solution.actuated) out += fmt::format(",{}", x);
      out += "\n";
    }
    return out;
  }

  const Arguments& arguments_;
  const Model<double>& model_;
  int frame_;
  Assembled start_;
  CoordinateLimits limits_;
};

}  // namespace

int run_closed_ik(const Arguments& arguments, const LoadedModel& loaded) {
  ClosedIkCommand command(arguments, loaded);
  return arguments.has("--target") ? command.target() : command.follow();
}

}  // namespace lw::cli
