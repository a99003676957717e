#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/text.hpp"
#include "../../dynamics/kinematics/inverse_kinematics.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/limits.hpp"
#include "../../model/placement.hpp"
#include "../../model/require_tree.hpp"
#include "../frame/terminal.hpp"
#include "../io/frame_option.hpp"
#include "../io/ik_options.hpp"
#include "../io/model_input.hpp"
#include "../io/path_csv.hpp"
#include "../io/plant_input.hpp"
#include "../io/results.hpp"
#include "../io/vectors.hpp"
#include "../parts/ik_closed.hpp"

namespace lw::cli {
namespace {

const IkSolution& chosen(const IkResult& result, std::size_t branch) {
  require_branch(branch, result.solutions.size());
  return result.solutions[branch - 1];
}

Json as_json(const Model<double>& model, int frame, const IkSolution& s) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, s.q);
  const Vec3<double> p = frame_pose(model, work, frame).p;
  Json json{{"q", s.q},
            {"residual", std::max(s.position_error, s.rotation_error)},
            {"position_error", s.position_error},
            {"rotation_error", s.rotation_error},
            {"freedom", s.freedom}};
  if (!s.branch.empty()) json["branch"] = s.branch;
  json["position"] = {p[0], p[1], p[2]};
  return json;
}

std::string distance_text(const IkSolution& s, bool position_only) {
  std::string text = fmt::format("{:.6g} m", s.position_error);
  if (!position_only) text += fmt::format(" and {:.6g} rad", s.rotation_error);
  return text;
}

// Of a vector of both errors.
std::string way(std::size_t k) { return k == 0 ? "to the target's position" : "to its orientation"; }

// ` and 3 more` after the first of several.
std::string and_more(const std::vector<std::size_t>& samples) {
  return samples.size() == 1 ? "" : fmt::format(" and {} more", samples.size() - 1);
}

// `first`: the number of the first. Across where that fits, a column per joint; else a line per joint.
void print_solutions(const Model<double>& model, const IkResult& result, std::size_t first) {
  std::vector<std::string> header{"", "branch"};
  for (const Entry& e : coordinate_entries(model))
    header.push_back(e.unit.empty() ? e.name : e.name + " (" + e.unit + ")");
  header.emplace_back("off by");
  if (!result.closed_form) header.erase(header.begin() + 1);
  Table table(header);
  for (std::size_t k = 0; k < result.solutions.size(); ++k) {
    const IkSolution& s = result.solutions[k];
    std::vector<std::string> row{std::to_string(first + k)};
    if (result.closed_form) row.push_back(s.branch);
    for (const double x : s.q) row.push_back(readable(x, 6, 1.0));
    row.push_back(fmt::format("{:.1e}", std::max(s.position_error, s.rotation_error)));
    table.add(std::move(row));
  }
  constexpr std::size_t kWidth = 150;
  fmt::print("{}", (table.width() <= kWidth ? table : table.transposed()).str());
}

// What the list leaves out or stands for.
void print_remarks(const IkResult& result, std::size_t first) {
  if (result.freedom > 0) {
    fmt::print(
        "\nOne of infinitely many: {} left over. It is the nearest to --q that was found; others may exist apart from "
        "it: choose with --q\n",
        counted(static_cast<std::size_t>(result.freedom), "freedom is", "freedoms are"));
  } else if (!result.closed_form) {
    fmt::print("\nThere may be more than were found; another --q may bring them\n");
  }
  for (std::size_t k = 0; k < result.solutions.size(); ++k) {
    if (result.solutions[k].freedom <= result.freedom) continue;
    fmt::print(
        "\n{} stands for infinitely many: the arm is singular there and has {} left over; --q chooses by its "
        "nearness\n",
        first + k, counted(static_cast<std::size_t>(result.solutions[k].freedom), "freedom", "freedoms"));
  }
  if (result.beyond_limits.value_or(0) > 0) {
    fmt::print("\n{} more beyond the joints' limits; --ignore-limits shows {}\n", *result.beyond_limits,
               *result.beyond_limits == 1 ? "it" : "them");
  }
}

// "out of reach" is said where it is certain only.
std::string not_reached(bool out_of_reach, bool within_limits, const std::string& nearest) {
  if (!out_of_reach) {
    return fmt::format("not found: the nearest pose found is {}. It may be out of reach, or another --q may lead to it",
                       nearest);
  }
  return fmt::format("out of reach{}: the nearest pose found is {}",
                     within_limits ? " within the joints' limits (--ignore-limits)" : "", nearest);
}

int solve_target(const Arguments& arguments, const Model<double>& model, int frame, const std::vector<double>& start,
                 const IkOptions& options) {
  const IkTarget target = read_target(arguments.text("--target"), arguments.has("--position-only"));
  IkResult result = inverse_kinematics(model, frame, target, start, options);
  const bool reached = !result.solutions.empty();
  require_finite("the solution", result.nearest.q,
                 [&](std::size_t k) { return "of `" + model.coordinate_names[k] + "`"; });
  require_finite("the way that is left", std::vector{result.nearest.position_error, result.nearest.rotation_error},
                 way);
  const std::size_t branch = read_branch(arguments);
  if (branch > 0 && reached) result.solutions = {IkSolution(chosen(result, branch))};
  if (arguments.json()) {
    Json json{{"model", model.name},
              {"frame", model.frames[static_cast<std::size_t>(frame)].name},
              {"reached", reached},
              {"out_of_reach", result.out_of_reach},
              {"closed_form", result.closed_form},
              {"freedom", result.freedom},
              {"beyond_limits", result.beyond_limits ? Json(*result.beyond_limits) : Json(nullptr)},
              {"solutions", Json::array()}};
    for (const IkSolution& s : result.solutions) json["solutions"].push_back(as_json(model, frame, s));
    if (!reached) json["nearest"] = as_json(model, frame, result.nearest);
    print_json(json);
  } else if (reached) {
    fmt::print("{}: configurations that bring `{}` there, {}\n\n", model.name,
               model.frames[static_cast<std::size_t>(frame)].name,
               result.closed_form ? "in closed form" : "found numerically");
    const std::size_t first = std::max<std::size_t>(branch, 1);
    print_solutions(model, result, first);
    print_remarks(result, first);
  }
  if (reached) return kOk;
  const Json nearest = as_json(model, frame, result.nearest);
  say(not_reached(result.out_of_reach, result.beyond_limits.value_or(0) > 0,
                  fmt::format("{} away, at x, y, z = {}, {}, {}", distance_text(result.nearest, target.position_only),
                              readable(nearest["position"][0], 6, 1.0), readable(nearest["position"][1], 6, 1.0),
                              readable(nearest["position"][2], 6, 1.0))));
  if (!arguments.json()) say(configuration_line(result.nearest.q));
  return kCheckFailed;
}

int follow(const Arguments& arguments, const Model<double>& model, int frame, std::vector<double> start,
           const IkOptions& options) {
  const Path path = read_path(arguments.text("--path"));
  const bool position_only = arguments.has("--position-only") || !path.has_orientation;
  if (const std::size_t branch = read_branch(arguments); branch > 0) {
    const IkResult first = inverse_kinematics(model, frame, {path.samples[0].pose, position_only}, start, options);
    if (!first.solutions.empty()) start = chosen(first, branch).q;  // else out of reach, as is told below
  }
  const std::vector<JointSample> motion = follow_path(model, frame, path.samples, position_only, start, options);
  std::vector<std::size_t> singular, doubtful, unreached;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    require_finite(fmt::format("at sample {} the way that is left", k + 1),
                   std::vector{motion[k].position_error, motion[k].rotation_error}, way);
    for (const std::vector<double>* v : {&motion[k].q, &motion[k].qd, &motion[k].qdd}) {
      require_finite(fmt::format("the motion at sample {}", k + 1), *v,
                     [](std::size_t j) { return fmt::format("value {}", j + 1); });
    }
    std::vector<std::size_t>* kind = !motion[k].reached   ? &unreached
                                     : motion[k].singular ? &singular
                                     : motion[k].doubtful ? &doubtful
                                                          : nullptr;
    if (kind != nullptr) kind->push_back(k + 1);
  }
  const char* rates = path.has_acceleration ? "given"
                      : path.has_velocity   ? "velocities given, accelerations by differences"
                                            : "by differences";
  if (!unreached.empty()) {
    const JointSample& s = motion[unreached[0] - 1];
    const std::string why =
        s.branch_ends
            ? "the branch ends at a joint's limit (--ignore-limits goes on, --branch begins on another)"
            : not_reached(
                  s.out_of_reach, false,
                  distance_text({s.q, s.position_error, s.rotation_error, false, {}, 0}, position_only) + " away");
    say(fmt::format(
        "sample {} (t = {:.6g}): {}{}", unreached[0], s.t, why,
        unreached.size() == 1
            ? ""
            : fmt::format("; {} not reached", counted(unreached.size() - 1, "more sample is", "more samples are"))));
  } else if (arguments.has("--out")) {
    write_file(arguments.text("--out"), joint_csv(model, motion));
  }
  const bool shows_rates = unreached.empty() || arguments.json();
  if (!singular.empty() && shows_rates && !arguments.quiet()) {
    say_warning(
        fmt::format("the Jacobian is singular at sample {} (t = {:.6g}){}: rates there are those of least squares",
                    singular[0], motion[singular[0] - 1].t, and_more(singular)));
  }
  if (!doubtful.empty() && shows_rates && !arguments.quiet()) {
    say_warning(
        fmt::format("the rates at sample {} (t = {:.6g}){} are doubtful: nearly singular, or not what the joints do "
                    "between the samples",
                    doubtful[0], motion[doubtful[0] - 1].t, and_more(doubtful)));
  }
  if (arguments.json()) {
    Json json{{"model", model.name},          {"frame", model.frames[static_cast<std::size_t>(frame)].name},
              {"reached", unreached.empty()}, {"rates", rates},
              {"singular", singular},         {"doubtful", doubtful},
              {"unreached", unreached}};
    for (const char* field : {"t", "q", "qd", "qdd", "solutions"}) json[field] = Json::array();
    for (const JointSample& s : motion) {
      const auto known = [&](const std::vector<double>& v) { return s.reached ? Json(v) : Json(nullptr); };
      json["t"].push_back(s.t);
      json["q"].push_back(known(s.q));
      json["qd"].push_back(known(s.qd));
      json["qdd"].push_back(known(s.qdd));
      json["solutions"].push_back({{"q", known(s.q)}, {"residual", std::max(s.position_error, s.rotation_error)}});
    }
    print_json(json);
  } else if (unreached.empty()) {
    double off = 0.0;
    for (const JointSample& s : motion) off = std::max({off, s.position_error, s.rotation_error});
    fmt::print("{}: `{}` along {}, off by at most {:.1e}; rates: {}\n\n", model.name,
               model.frames[static_cast<std::size_t>(frame)].name, counted(motion.size(), "sample"), off, rates);
    Table table({"joint", "from", "to", "least", "most", "fastest"});
    const std::vector<Entry> entries = coordinate_entries(model);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      double least = HUGE_VAL, most = -HUGE_VAL, fastest = 0.0;
      for (const JointSample& s : motion) {
        least = std::min(least, s.q[k]);
        most = std::max(most, s.q[k]);
        if (model.nq == model.nv) fastest = std::max(fastest, std::abs(s.qd[k]));
      }
      table.add({entries[k].name + (entries[k].unit.empty() ? "" : " (" + entries[k].unit + ")"),
                 readable(motion.front().q[k], 6, 1.0), readable(motion.back().q[k], 6, 1.0), readable(least, 6, 1.0),
                 readable(most, 6, 1.0), model.nq == model.nv ? readable(fastest, 6, 1.0) : ""});
    }
    fmt::print("{}", table.str());
  }
  return unreached.empty() ? kOk : kCheckFailed;
}

int run_ik(const Arguments& arguments) {
  if (arguments.has("--target") == arguments.has("--path")) {
    throw Error(ErrorCode::usage, "`ik` takes either --target or --path");
  }
  if (arguments.has("--out") && !arguments.has("--path")) {
    throw Error(ErrorCode::usage, "--out writes the joints' motion along a --path; a single target has none");
  }
  require_other_file(arguments, "--out", "--path");
  require_other_file(arguments, "--out", "MODEL");
  const LoadedModel loaded = load_model(arguments);
  const Model<double>& model = loaded.model;
  if (arguments.has("--mode")) require_loops(model, "--mode");
  if (!model.loops.empty()) return run_closed_ik(arguments, loaded);
  if (model.nv == 0) throw Error(ErrorCode::model, fmt::format("`{}` has no joint that moves", model.name));
  const int frame = chosen_frame(arguments, model);
  if (carriers(model, frame).velocities == 0) {
    throw Error(ErrorCode::usage,
                fmt::format("no joint of `{}` moves `{}`, which stands still with the base; --frame names another",
                            model.name, model.frames[static_cast<std::size_t>(frame)].name));
  }
  const std::vector<double> start = read_q(arguments, loaded);
  IkOptions options;
  if (!arguments.has("--ignore-limits")) options.limits = coordinate_limits(loaded.mechanism, model);
  return arguments.has("--target") ? solve_target(arguments, model, frame, start, options)
                                   : follow(arguments, model, frame, start, options);
}

}  // namespace

Command ik_command() {
  using Kind = Option::Kind;
  Command c = model_command(
      {{"--target", "POSE", "x,y,z,roll,pitch,yaw in the world, or x,y,z: position only", Kind::text, {}, "Options"},
       {"--path", "FILE.csv", "samples of the frame's pose instead of one target", Kind::text, {}, "Options"},
       {"--out", "FILE.csv", "with --path: writes t, q1.., qd1.., qdd1..", Kind::text, {}, "Options"},
       frame_option("the link whose frame is brought there"),
       {"--branch", "K", "only the K-th solution; along a path, the branch to begin on", Kind::number, {}, "Options"},
       {"--position-only", "", "the orientation does not matter", Kind::flag, {}, "Options"},
       {"--ignore-limits", "", "solutions beyond the joints' limits too", Kind::flag, {}, "Options"},
       q_option(),
       mode_option()});
  c.name = "ik";
  c.summary = "joints for a pose of a frame, or along a path";
  c.description =
      "Inverse kinematics: all configurations that bring a link's frame to a pose or a point, nearest to --q first. In "
      "closed form for arms with a recognised geometry (three joints, or three and a spherical wrist, or the offset "
      "wrist "
      "of the UR arms); numerically for every other tree, where those solutions are listed that were found. Where "
      "joints "
      "are left over, one is given, as near to --q as it was found. Where there is none it names the nearest pose and "
      "exits with 1; it says `out of reach` where that is certain, else `not found`.\n\n"
      "Along a path it stays on one branch (where this ends at a joint's limit, it stops with 1) and gives rates and "
      "accelerations of the joints too. The file has the "
      "columns "
      "t,x,y,z, on request roll,pitch,yaw, vx,vy,vz (and wx,wy,wz), ax,ay,az (and alphax,alphay,alphaz); velocities "
      "and "
      "accelerations that it lacks are taken from three-point differences of its samples.\n\n"
      "Of a mechanism with loops it gives the driven joints, in every working mode: legs that move in a plane are "
      "solved in closed "
      "form, each by itself. Along a path it goes on smoothly, also through the full stretch of a leg, and says when "
      "its working mode "
      "changed; --out writes t, q1..";
  c.examples = {"linkwright ik puma560 --target 0.4,0.2,0.3,0,90deg,0",
                "linkwright ik stanford --target 0.3,-0.5,-0.1,150deg,0,90deg --branch 1 --json",
                "linkwright ik cat215b --target 7,1,0.5", "linkwright ik planar-3rrr --target 0.4,0.25,0,0,0,20deg"};
  c.run = run_ik;
  return c;
}

}  // namespace lw::cli
