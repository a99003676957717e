#include "inverse_trajectory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/svg.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/kinematics/closure.hpp"
#include "../../dynamics/loops/closed_losses.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/entries.hpp"
#include "../frame/terminal.hpp"
#include "../io/motion_csv.hpp"
#include "../io/results.hpp"
#include "../io/wrenches.hpp"
#include "../report/loss_report.hpp"

namespace lw::cli {
namespace {

// One part of the breakdown over time, joint by joint.
struct Course {
  const char* name;
  const char* title;
  std::vector<std::vector<double>> of_joint;
};

// The parts that are shown: without friction tau alone.
std::vector<Course> empty_courses(bool friction, std::size_t joints) {
  std::vector<Course> courses;
  if (friction) {
    for (const LossPart& part : loss_parts()) courses.push_back({part.name, part.title, {}});
  } else {
    courses.push_back({"tau", "tau", {}});
  }
  for (Course& c : courses) c.of_joint.assign(joints, {});
  return courses;
}

// What acts by the time `t` acts by that of the motion, unless it was set.
bool follows_time(const Arguments& arguments, const Mechanism& mechanism) {
  const std::vector<std::string> set = arguments.texts("--set");
  return has_forces_over_time(mechanism) &&
         std::none_of(set.begin(), set.end(), [](const std::string& s) { return s.starts_with("t="); });
}

// One sample; `tau` where there is no friction.
void append(std::vector<Course>& courses, const Losses<double>* losses, const std::vector<double>& tau,
            std::size_t sample, const Model<double>& model) {
  for (std::size_t c = 0; c < courses.size(); ++c) {
    const std::vector<double>& values = losses != nullptr ? losses->*loss_parts()[c].values : tau;
    require_finite(fmt::format("at sample {} {}", sample + 1, courses[c].name), values, model);
    for (std::size_t v = 0; v < values.size(); ++v) courses[c].of_joint[v].push_back(values[v]);
  }
}

// Loops are followed from sample to sample; the first pose from home.
std::vector<Course> compute(const Arguments& arguments, const LoadedPlant& plant,
                            const std::vector<JointSample>& motion) {
  const bool friction = arguments.has("--friction"), timed = follows_time(arguments, plant.loaded.mechanism);
  Model<double> model = plant.loaded.model;
  std::vector<Course> courses = empty_courses(friction, plant.plan.actuated.size());
  PlantWorkspace<double> work(model, plant.plan);
  const std::vector<double>& q = plant.dynamics->q();
  std::vector<double> tau(plant.plan.actuated.size());
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const JointSample& s = motion[k];
    try {
      plant.dynamics->follow(s.q);
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("at sample {} (t = {:.6g}): {}", k + 1, s.t, e.what()));
    }
    if (timed) model = instantiate<double>(plant.loaded.mechanism, {{"t", s.t}});
    const Wrenches wrenches(arguments, model, q);
    if (friction) {
      ClosedLosses<double> losses(model, plant.plan);
      losses.inverse(work, q, s.qd, s.qdd, {}, wrenches.on_bodies());
      append(courses, &losses.losses, tau, k, plant.motors);
    } else {
      inverse_dynamics<double>(model, plant.plan, work, q, s.qd, s.qdd, tau, {}, wrenches.on_bodies());
      append(courses, nullptr, tau, k, plant.motors);
    }
  }
  return courses;
}

// As far as joints of a file may be from where the loops put them (rad, m; of velocities and accelerations beside their
// size).
constexpr double kFitsLoops = 1e-6;

// One sample of all joints: the independent ones, after the others have been compared with what these give them.
JointSample independent_part(const LoadedPlant& closed, PlantWorkspace<double>& work, const JointSample& all,
                             const std::string& where) {
  const Model<double>& model = closed.loaded.model;
  const LoopPlan& plan = closed.plan;
  JointSample part{all.t, {}, {}, {}};
  for (const int k : plan.independent_q) part.q.push_back(all.q[at(k)]);
  for (const int v : plan.independent) {
    part.qd.push_back(all.qd[at(v)]);
    part.qdd.push_back(all.qdd[at(v)]);
  }
  if (const ClosureState open = closure_state(model, work.tree, all.q);
      std::ranges::any_of(open.residual, [](double r) { return !(std::abs(r) <= kFitsLoops); })) {
    throw Error(ErrorCode::data,
                fmt::format("{}: the joints do not close the loops: {}", where, open_loop(model, work.tree, all.q)));
  }
  set_pose<double>(model, plan, work, all.q);
  tree_velocities<double>(model, plan, work, part.qd);
  tree_accelerations<double>(model, plan, work, all.q, part.qdd);
  const auto compare = [&](const char* what, const std::vector<double>& given, const std::vector<double>& follows) {
    double size = 1.0;
    for (const double x : follows) size = std::max(size, std::abs(x));
    for (const int v : plan.dependent) {
      if (std::abs(given[at(v)] - follows[at(v)]) <= kFitsLoops * size) continue;
      throw Error(ErrorCode::data, fmt::format("{}: `{}{}` of `{}` is {:.9g}, but the loops give it {:.9g}", where,
                                               what, v + 1, model.velocity_names[at(v)], given[at(v)], follows[at(v)]));
    }
  };
  compare("qd", all.qd, work.qd);
  compare("qdd", all.qdd, work.qdd);
  return part;
}

// Over the independent joints; or, as `simulate` writes it, over all of the spanning tree: then the others tell the
// mode too, and must be where these put them.
std::vector<JointSample> read_motion_of(const std::string& file, const LoadedPlant& closed) {
  const Model<double>& tree = closed.loaded.model;
  EitherMotion read = read_motion_of_either(file, closed.joints, tree);
  std::vector<JointSample>& motion = read.samples;
  if (!read.is_whole) return motion;
  closed.dynamics->stand(motion.front().q);
  PlantWorkspace<double> work(tree, closed.plan);
  for (std::size_t k = 0; k < motion.size(); ++k) {
    motion[k] =
        independent_part(closed, work, motion[k], fmt::format("{}: sample {} (t = {:.6g})", file, k + 1, motion[k].t));
  }
  return motion;
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

// One panel per joint: torque with and without friction, and the parts of bearings and transmission. Lines with
// friction are broken at instants of rest without acceleration, where friction has no direction.
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
  const auto rests = [&](std::size_t k, std::size_t v) {
    if (v >= motion[k].qd.size() || motion[k].qd[v] != 0.0 || motion[k].qdd[v] != 0.0) return false;
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
        if (rests(k, v)) y[k] = std::nan("");
      }
      p.series.push_back({line.label, t, std::move(y), {}, line.colour});
    }
    panels.push_back(std::move(p));
  }
  return to_svg(panels, fmt::format("{}: torques and forces of the motion", model.name));
}

std::string peaks(const LoadedPlant& plant, const std::vector<JointSample>& motion,
                  const std::vector<Course>& courses) {
  const Model<double>& model = plant.motors;
  const std::vector<Entry> entries = velocity_entries(model);
  const bool friction = courses.size() > 1;
  const std::vector<bool> no_motor = without_motor(plant);
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
  return {text_option("--trajectory", "FILE.csv", "evaluates a motion t,q1..,qd1..,qdd1.. instead of one state",
                      "Trajectory"),
          text_option("--plot", "FILE.svg", "with --trajectory: plots torques over time", "Trajectory"),
          text_option("--out", "FILE.csv", "with --trajectory: writes t,tau1.. and, with --friction, their parts",
                      "Trajectory")};
}

void check_trajectory_options(const Arguments& arguments) {
  const bool along = arguments.has("--trajectory");
  for (const char* option : {"--plot", "--out"}) {
    if (!along && arguments.has(option)) {
      throw Error(ErrorCode::usage, fmt::format("{} requires --trajectory", option));
    }
    require_other_file(arguments, option, "--trajectory");
    require_other_file(arguments, option, "MODEL");
  }
  require_ending(arguments, "--plot", "SVG", ".svg");
  for (const char* option : {"--q", "--qd", "--qdd", "--reactions", "--mode", "--weights"}) {
    if (along && arguments.has(option)) {
      throw Error(ErrorCode::usage, fmt::format("{} cannot be combined with --trajectory", option));
    }
  }
  require_own_method(arguments, "--trajectory");
}

namespace {

// Files and answer.
int give_courses(const Arguments& arguments, const LoadedPlant& plant, const std::vector<JointSample>& motion,
                 const std::vector<Course>& courses) {
  const Model<double>& model = plant.motors;
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
  fmt::print("{}: peak torques and forces of the motion, {} from {:.6g} to {:.6g} s{}\n\n{}", model.name,
             counted(motion.size(), "sample"), motion.front().t, motion.back().t, friction ? ", with friction" : "",
             peaks(plant, motion, courses));
  return kOk;
}

}  // namespace

int inverse_along_trajectory(const Arguments& arguments, const LoadedPlant& plant) {
  const std::vector<JointSample> motion = read_motion_of(arguments.text("--trajectory"), plant);
  return give_courses(arguments, plant, motion, compute(arguments, plant, motion));
}

}  // namespace lw::cli
