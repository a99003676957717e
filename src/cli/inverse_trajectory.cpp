#include "inverse_trajectory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/file.hpp"
#include "../base/svg.hpp"
#include "../base/text.hpp"
#include "../dynamics/friction.hpp"
#include "../dynamics/rnea.hpp"
#include "../model/entries.hpp"
#include "loss_report.hpp"
#include "motion_csv.hpp"
#include "results.hpp"
#include "terminal.hpp"
#include "wrenches.hpp"

namespace lw::cli {
namespace {

// One part of the breakdown over time, joint by joint.
struct Course {
  const char* name;
  const char* title;
  std::vector<std::vector<double>> of_joint;
};

// The parts that are shown: without friction tau alone.
std::vector<Course> compute(const Arguments& arguments, const LoadedModel& loaded,
                            const std::vector<JointSample>& motion) {
  const bool friction = arguments.has("--friction");
  // what acts by the time `t` acts by that of the motion, unless it was set
  const std::vector<std::string> set = arguments.texts("--set");
  const bool timed = has_forces_over_time(loaded.mechanism) &&
                     std::none_of(set.begin(), set.end(), [](const std::string& s) { return s.starts_with("t="); });
  Model<double> model = loaded.model;
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<Course> courses;
  if (friction) {
    for (const LossPart& part : loss_parts()) courses.push_back({part.name, part.title, {}});
  } else {
    courses.push_back({"tau", "tau", {}});
  }
  for (Course& c : courses) c.of_joint.assign(nv, {});
  Workspace<double> work(model);
  Losses<double> losses(model);
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const JointSample& s = motion[k];
    if (timed) model = instantiate<double>(loaded.mechanism, {{"t", s.t}});
    const Wrenches wrenches(arguments, model, s.q);
    if (friction) {
      inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses, wrenches.on_bodies());
    } else {
      rnea<double>(model, work, s.q, s.qd, s.qdd, losses.dynamic, wrenches.on_bodies());
    }
    for (std::size_t c = 0; c < courses.size(); ++c) {
      const std::vector<double>& values = friction ? losses.*loss_parts()[c].values : losses.dynamic;
      require_finite(fmt::format("at sample {} {}", k + 1, courses[c].name), values, model);
      for (std::size_t v = 0; v < nv; ++v) courses[c].of_joint[v].push_back(values[v]);
    }
  }
  return courses;
}

const Course& course_of(const std::vector<Course>& courses, const std::string& name) {
  for (const Course& c : courses) {
    if (name == c.name) return c;
  }
  return courses.front();
}

std::string csv(const std::vector<JointSample>& motion, const std::vector<Course>& courses) {
  std::string text = "t";
  for (const Course& c : courses) {
    const std::string name = std::string(c.name) == "total" ? "tau" : c.name;
    for (std::size_t v = 0; v < c.of_joint.size(); ++v) text += fmt::format(",{}{}", name, v + 1);
  }
  text += '\n';
  for (std::size_t k = 0; k < motion.size(); ++k) {
    text += fmt::format("{}", motion[k].t);
    for (const Course& c : courses) {
      for (const std::vector<double>& values : c.of_joint) text += fmt::format(",{}", values[k]);
    }
    text += '\n';
  }
  return text;
}

// A panel a joint: torque with and without friction, and what of it bearings and transmission take. Lines with friction are
// broken at instants of rest, where it has no direction.
std::string plot(const Model<double>& model, const std::vector<JointSample>& motion,
                 const std::vector<Course>& courses) {
  std::vector<double> t;
  for (const JointSample& s : motion) t.push_back(s.t);
  const std::vector<Entry> entries = velocity_entries(model);
  struct Line {
    const char *name, *label;
    int colour;
  };
  const bool friction = courses.size() > 1;
  const std::vector<Line> lines = friction ? std::vector<Line>{{"dynamic", "without friction", 6},
                                                               {"bearing", "bearing", 3},
                                                               {"transmission", "transmission", 1},
                                                               {"total", "with friction", 0}}
                                           : std::vector<Line>{{"tau", "", 0}};
  const auto turns = [&](std::size_t k, std::size_t v) {
    if (motion[k].qd[v] != 0.0) return false;
    return (k > 0 && motion[k - 1].qd[v] != 0.0) || (k + 1 < motion.size() && motion[k + 1].qd[v] != 0.0);
  };
  std::vector<Plot> panels;
  for (std::size_t v = 0; v < entries.size(); ++v) {
    const bool slides = force_unit(entries[v]) == "N";
    Plot p{entries[v].name, "time (s)", slides ? "force (N)" : "torque (N·m)", {}, 0, 0};
    for (const Line& line : lines) {
      std::vector<double> y = course_of(courses, line.name).of_joint[v];
      const bool broken = friction && std::string(line.name) != "dynamic";
      for (std::size_t k = 0; broken && k < y.size(); ++k) {
        if (turns(k, v)) y[k] = std::nan("");
      }
      p.series.push_back({line.label, t, std::move(y), {}, line.colour});
    }
    panels.push_back(std::move(p));
  }
  return to_svg(panels, fmt::format("{}: torques and forces of the motion", model.name));
}

std::string peaks(const Model<double>& model, const std::vector<JointSample>& motion,
                  const std::vector<Course>& courses) {
  const std::vector<Entry> entries = velocity_entries(model);
  const bool friction = courses.size() > 1;
  const std::vector<bool> no_motor = without_motor(model);
  const auto peak = [](const std::vector<double>& values) {
    std::size_t at = 0;
    for (std::size_t k = 1; k < values.size(); ++k) {
      if (std::abs(values[k]) > std::abs(values[at])) at = k;
    }
    return at;
  };
  Table table(
      friction ? std::vector<std::string>{"joint", "tau", "", "at t (s)", "dynamic", "bearing", "transmission", "motor"}
               : std::vector<std::string>{"joint", "tau", "", "at t (s)"});
  for (std::size_t v = 0; v < entries.size(); ++v) {
    const std::vector<double>& tau = course_of(courses, friction ? "total" : "tau").of_joint[v];
    const std::size_t at = peak(tau);
    std::vector<std::string> row{entries[v].name, readable(tau[at]), force_unit(entries[v]), readable(motion[at].t, 4)};
    for (const char* part : {"dynamic", "bearing", "transmission", "motor"}) {
      if (!friction) break;
      const std::vector<double>& values = course_of(courses, part).of_joint[v];
      row.push_back(no_motor[v] && std::string(part) == "motor" ? "-" : readable(values[at]));
    }
    table.add(std::move(row));
  }
  return table.str();
}

}  // namespace

std::vector<Option> trajectory_options() {
  using Kind = Option::Kind;
  return {{"--trajectory",
           "FILE.csv",
           "along a motion t,q1..,qd1..,qdd1.. instead of at one state",
           Kind::text,
           {},
           "Trajectory"},
          {"--plot", "FILE.svg", "with --trajectory: draws torques over time", Kind::text, {}, "Trajectory"},
          {"--out",
           "FILE.csv",
           "with --trajectory: writes t,tau1.. and, with --friction, what they are made up of",
           Kind::text,
           {},
           "Trajectory"}};
}

void check_trajectory_options(const Arguments& arguments) {
  const bool along = arguments.has("--trajectory");
  for (const char* option : {"--plot", "--out"}) {
    if (!along && arguments.has(option)) {
      throw Error(ErrorCode::usage, fmt::format("{} is for many states: --trajectory is missing", option));
    }
    require_other_file(arguments, option, "--trajectory");
    require_other_file(arguments, option, "MODEL");
  }
  require_ending(arguments, "--plot", "SVG", ".svg");
  for (const char* option : {"--q", "--qd", "--qdd", "--reactions"}) {
    if (along && arguments.has(option)) {
      throw Error(ErrorCode::usage, fmt::format("{} belongs to one state: leave it out with --trajectory", option));
    }
  }
  require_own_method(arguments, "--trajectory");
}

int inverse_along_trajectory(const Arguments& arguments, const LoadedModel& loaded) {
  const Model<double>& model = loaded.model;
  const std::vector<JointSample> motion = read_motion(arguments.text("--trajectory"), model);
  const std::vector<Course> courses = compute(arguments, loaded, motion);
  const bool friction = arguments.has("--friction");
  if (arguments.has("--out")) write_file(arguments.text("--out"), csv(motion, courses));
  if (arguments.has("--plot")) {
    write_file(arguments.text("--plot"), plot(model, motion, courses));
    if (!arguments.quiet()) say("note: plot written to " + arguments.text("--plot"));
  }

  if (arguments.json()) {
    Json json{{"model", model.name},
              {"method", "rnea"},
              {"velocity_names", model.velocity_names},
              {"t", Json::array()},
              {"tau", Json::array()}};
    const Course& tau = course_of(courses, friction ? "total" : "tau");
    for (std::size_t k = 0; k < motion.size(); ++k) {
      json["t"].push_back(motion[k].t);
      Json row = Json::array();
      for (const std::vector<double>& values : tau.of_joint) row.push_back(values[k]);
      json["tau"].push_back(std::move(row));
    }
    if (friction) {
      json["breakdown"] = Json::array();
      for (std::size_t v = 0; v < model.velocity_names.size(); ++v) {
        Json joint{{"joint", model.velocity_names[v]}};
        for (const Course& c : courses) joint[c.name] = c.of_joint[v];
        json["breakdown"].push_back(std::move(joint));
      }
    }
    add_given(arguments, json);
    print_json(json);
    return kOk;
  }
  fmt::print("{}: greatest torques and forces of the motion, {} from {:.6g} to {:.6g} s{}\n\n{}", model.name,
             counted(motion.size(), "sample"), motion.front().t, motion.back().t, friction ? ", with friction" : "",
             peaks(model, motion, courses));
  return kOk;
}

}  // namespace lw::cli
