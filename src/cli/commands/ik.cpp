#include "../commands.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/file.hpp"
#include "../../base/index.hpp"
#include "../../base/text.hpp"
#include "../../model/placement.hpp"
#include "../frame/terminal.hpp"
#include "../io/frame_option.hpp"
#include "../io/ik_solver.hpp"

namespace lw::cli {
namespace {

// x,y,z or x,y,z,roll,pitch,yaw
IkTarget read_target(const std::string& text, bool position_only) {
  const std::vector<double> v = parse_values(text, "--target", 3);
  if (v.size() != 3 && v.size() != 6) {
    throw Error(ErrorCode::usage,
                fmt::format("--target needs x,y,z or x,y,z,roll,pitch,yaw, not {}", counted(v.size(), "value")));
  }
  IkTarget target{{Mat3<double>::identity(), {v[0], v[1], v[2]}}, position_only || v.size() == 3};
  if (!target.position_only) target.pose.R = rotation_from_rpy(v[3], v[4], v[5]);
  return target;
}

// Which of the solutions is meant: 0 if --branch is absent.
std::size_t read_branch(const Arguments& arguments) {
  const double k = arguments.number("--branch", 0.0);
  if (arguments.has("--branch") && !(k >= 1.0 && k <= 1e6 && k == std::floor(k))) {
    throw Error(ErrorCode::usage, fmt::format("--branch needs the number of a solution, 1 for the nearest, not `{}`",
                                              arguments.text("--branch")));
  }
  return static_cast<std::size_t>(k);
}

void require_branch(std::size_t branch, std::size_t solutions) {
  if (branch <= solutions) return;
  throw Error(ErrorCode::usage, fmt::format("--branch {}: there {} only {}", branch, solutions == 1 ? "is" : "are",
                                            counted(solutions, "solution")));
}

struct IkQuestion {
  const Arguments& arguments;
  const Model<double>& model;
  int frame;
  IkSolver& solver;

  const std::string& frame_name() const { return model.frames[at(frame)].name; }
};

void require_finite_errors(const std::string& what, double position_error, double rotation_error) {
  require_finite(what, std::vector{position_error, rotation_error},
                 [](std::size_t k) { return k == 0 ? "to the target's position" : "to its orientation"; });
}

void require_finite_way(const Model<double>& joints, const IkWay& way) {
  require_finite("the solution", way.q, [&](std::size_t k) { return "of `" + joints.coordinate_names[k] + "`"; });
  require_finite_errors("the way that is left", way.position_error, way.rotation_error);
}

std::string with_unit(const Entry& e) { return e.unit.empty() ? e.name : e.name + " (" + e.unit + ")"; }

// ` and 3 more` after the first of several.
std::string and_more(const std::vector<std::size_t>& samples) {
  return samples.size() == 1 ? "" : fmt::format(" and {} more", samples.size() - 1);
}

// `first`: the number of the first. Across where that fits, a column per joint; else a line per joint.
void print_solutions(const IkSolver& solver, const IkAnswer& answer, std::size_t first) {
  const bool branches = std::ranges::any_of(answer.ways, [](const IkWay&w) { return !w.branch.empty(); }),
             conditions = std::ranges::any_of(answer.ways, [](const IkWay&w) { return !w.condition.empty(); });
  std::vector<std::string> header{""};
  if (branches) header.push_back(solver.branches);
  for (const Entry& e : coordinate_entries(solver.joints)) header.push_back(with_unit(e));
  header.emplace_back("error");
  if (conditions) header.emplace_back("condition");
  Table table(header);
  for (std::size_t k = 0; k < answer.ways.size(); ++k) {
    const IkWay& way = answer.ways[k];
    std::vector<std::string> row{std::to_string(first + k)};
    if (branches) row.push_back(way.branch);
    for (const double x : way.q) row.push_back(readable(x, 6, 1.0));
    row.push_back(fmt::format("{:.1e}", way.residual));
    if (conditions) row.push_back(way.condition);
    table.add(std::move(row));
  }
  constexpr std::size_t kWidth = 150;
  fmt::print("{}", (table.width() <= kWidth ? table : table.transposed()).str());
}

// What the list leaves out or stands for.
void print_remarks(const IkAnswer& answer, std::size_t first) {
  if (answer.rounded) {
    fmt::print(
        "\nThe pose cannot be reached exactly; this is the nearest one, within the rounding of the given digits\n");
  } else if (answer.freedom > 0) {
    fmt::print(
        "\nOne of infinitely many: {}. It is the nearest to --q that was found; others may be disconnected from it and "
        "are selected by --q\n",
        counted(at(answer.freedom), "redundant degree of freedom", "redundant degrees of freedom"));
  } else if (!answer.closed_form) {
    fmt::print("\nThere may be more solutions; another --q may find them\n");
  }
  for (std::size_t k = 0; k < answer.ways.size(); ++k) {
    if (answer.ways[k].freedom <= answer.freedom) continue;
    fmt::print("\n{} represents infinitely many: the arm is singular there, with {}; --q selects the nearest\n",
               first + k,
               counted(at(answer.ways[k].freedom), "redundant degree of freedom", "redundant degrees of freedom"));
  }
  if (answer.beyond_limits.value_or(0) > 0) {
    fmt::print("\n{} more beyond the joints' limits; --ignore-limits shows {}\n", *answer.beyond_limits,
               *answer.beyond_limits == 1 ? "it" : "them");
  }
}

// "out of reach" is said if it is certain. `nearest`: what there is instead, or "".
std::string not_reached(bool out_of_reach, bool within_limits, const std::string& nearest) {
  const std::string found = nearest.empty() ? "" : ": the nearest pose found is " + nearest;
  if (out_of_reach || nearest.empty())
    return "out of reach" + std::string(within_limits ? " within the joints' limits (--ignore-limits)" : "") + found;
  return "not found" + found + ". It may be out of reach, or another --q may lead to it";
}

std::string distance_text(double position_error, double rotation_error, bool position_only) {
  std::string text = fmt::format("{:.6g} m", position_error);
  if (!position_only) text += fmt::format(" and {:.6g} rad", rotation_error);
  return text + " away";
}

void say_not_reached(const Arguments& arguments, const IkAnswer& answer, bool position_only) {
  std::string nearest;
  if (answer.nearest) {
    const auto& [x, y, z] = answer.nearest->position;
    nearest = fmt::format("{}, at x, y, z = {}, {}, {}",
                          distance_text(answer.nearest->position_error, answer.nearest->rotation_error, position_only),
                          readable(x, 6, 1.0), readable(y, 6, 1.0), readable(z, 6, 1.0));
  }
  say(not_reached(answer.out_of_reach, answer.beyond_limits.value_or(0) > 0, nearest));
  for (const std::string& why : to_lines(answer.impossible)) say("  " + why);
  if (answer.nearest && !arguments.json()) say(configuration_line(answer.nearest->q));
}

int solve_target(const IkQuestion& ask) {
  const IkTarget target = read_target(ask.arguments.text("--target"), ask.arguments.has("--position-only"));
  IkAnswer answer = ask.solver.solve(target);
  const bool reached = !answer.ways.empty();
  if (answer.nearest) require_finite_way(ask.solver.joints, *answer.nearest);
  for (const IkWay& way : answer.ways) require_finite_way(ask.solver.joints, way);
  const std::size_t branch = read_branch(ask.arguments);
  if (branch > 0 && reached) {
    require_branch(branch, answer.ways.size());
    answer.ways = {IkWay(answer.ways[branch - 1])};
  }
  if (ask.arguments.json()) {
    Json json{{"model", ask.model.name},
              {"frame", ask.frame_name()},
              {"reached", reached},
              {"out_of_reach", answer.out_of_reach},
              {"closed_form", answer.closed_form},
              {"rounded", answer.rounded},
              {"freedom", answer.freedom},
              {"beyond_limits", answer.beyond_limits ? Json(*answer.beyond_limits) : Json(nullptr)},
              {"solutions", Json::array()},
              {"impossible", Json::array()}};
    for (const IkWay& way : answer.ways) json["solutions"].push_back(way.json);
    if (!reached && answer.nearest) json["nearest"] = answer.nearest->json;
    for (const OpenPolygon& p : answer.impossible) {
      json["impossible"].push_back(
          {{"joints", p.joints}, {"links", p.links}, {"distance", p.distance}, {"reach", p.reach}});
    }
    print_json(json);
  } else if (reached) {
    fmt::print("{}: {} for which `{}` reaches the target, {}\n\n", ask.model.name, ask.solver.finds, ask.frame_name(),
               answer.closed_form ? "in closed form" : "found numerically");
    const std::size_t first = std::max<std::size_t>(branch, 1);
    print_solutions(ask.solver, answer, first);
    print_remarks(answer, first);
  }
  if (!reached) say_not_reached(ask.arguments, answer, target.position_only);
  return reached ? kOk : kCheckFailed;
}

// Numbers of the samples in which something is not as it should be.
struct PathFaults {
  std::vector<std::size_t> singular, doubtful, unreached;
};

PathFaults faults_of(const std::vector<JointSample>& motion) {
  PathFaults faults;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const JointSample& s = motion[k];
    require_finite_errors(fmt::format("at sample {} the way that is left", k + 1), s.position_error, s.rotation_error);
    for (const std::vector<double>* v : {&s.q, &s.qd, &s.qdd}) {
      require_finite(fmt::format("the motion at sample {}", k + 1), *v,
                     [](std::size_t j) { return fmt::format("value {}", j + 1); });
    }
    if (!s.reached)
      faults.unreached.push_back(k + 1);
    else if (s.singular)
      faults.singular.push_back(k + 1);
    else if (s.doubtful)
      faults.doubtful.push_back(k + 1);
  }
  return faults;
}

void say_faults(const Arguments& arguments, const std::vector<JointSample>& motion, const PathFaults& faults,
                bool position_only) {
  if (!faults.unreached.empty()) {
    const JointSample& s = motion[faults.unreached[0] - 1];
    const std::size_t more = faults.unreached.size() - 1;
    say(fmt::format(
        "sample {} (t = {:.6g}): {}{}", faults.unreached[0], s.t,
        s.branch_ends
            ? "the branch ends at a joint limit (--ignore-limits continues, --branch selects another)"
            : not_reached(s.out_of_reach, false, distance_text(s.position_error, s.rotation_error, position_only)),
        more == 0 ? "" : fmt::format("; {} not reached", counted(more, "more sample is", "more samples are"))));
    if (!arguments.json()) return;  // rates are not shown
  }
  if (arguments.quiet()) return;
  if (!faults.singular.empty()) {
    say_warning(
        fmt::format("the Jacobian is singular at sample {} (t = {:.6g}){}: rates there are those of least squares",
                    faults.singular[0], motion[faults.singular[0] - 1].t, and_more(faults.singular)));
  }
  if (!faults.doubtful.empty()) {
    say_warning(
        fmt::format("the rates at sample {} (t = {:.6g}){} are doubtful: nearly singular, or inconsistent with the "
                    "motion between the samples",
                    faults.doubtful[0], motion[faults.doubtful[0] - 1].t, and_more(faults.doubtful)));
  }
}

Json motion_json(const IkQuestion& ask, const IkMotion& motion, const PathFaults& faults) {
  Json json{{"model", ask.model.name},     {"frame", ask.frame_name()},   {"reached", faults.unreached.empty()},
            {"singular", faults.singular}, {"doubtful", faults.doubtful}, {"unreached", faults.unreached}};
  json.update(motion.fields);
  for (const char* field : {"t", "q", "qd", "qdd", "solutions"}) json[field] = Json::array();
  for (const JointSample& s : motion.samples) {
    const auto known = [&](const std::vector<double>& v) { return s.reached && !v.empty() ? Json(v) : Json(nullptr); };
    json["t"].push_back(s.t);
    json["q"].push_back(known(s.q));
    json["qd"].push_back(known(s.qd));
    json["qdd"].push_back(known(s.qdd));
  }
  json["solutions"] = motion.ways;
  return json;
}

void print_motion(const IkQuestion& ask, const IkMotion& motion) {
  const Model<double>& joints = ask.solver.joints;
  double off = 0.0;
  for (const JointSample& s : motion.samples) off = std::max({off, s.position_error, s.rotation_error});
  fmt::print("{}: `{}` along {}, largest error {:.1e}{}\n\n", ask.model.name, ask.frame_name(),
             counted(motion.samples.size(), "sample"), off, motion.about);
  Table table({"joint", "from", "to", "minimum", "maximum", "fastest"});
  const std::vector<Entry> entries = coordinate_entries(joints);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    double least = HUGE_VAL, most = -HUGE_VAL, fastest = 0.0;
    for (const JointSample& s : motion.samples) {
      least = std::min(least, s.q[k]);
      most = std::max(most, s.q[k]);
      if (joints.nq == joints.nv && k < s.qd.size()) fastest = std::max(fastest, std::abs(s.qd[k]));
    }
    table.add({with_unit(entries[k]), readable(motion.samples.front().q[k], 6, 1.0),
               readable(motion.samples.back().q[k], 6, 1.0), readable(least, 6, 1.0), readable(most, 6, 1.0),
               joints.nq == joints.nv ? readable(fastest, 6, 1.0) : ""});
  }
  fmt::print("{}", table.str());
  for (const std::string& remark : motion.remarks) fmt::print("\n{}\n", remark);
}

int follow(const IkQuestion& ask) {
  const Path path = read_path(ask.arguments.text("--path"));
  const bool position_only = ask.arguments.has("--position-only") || !path.has_orientation;
  if (const std::size_t branch = read_branch(ask.arguments); branch > 0) {
    const std::size_t ways = ask.solver.solve({path.samples[0].pose, position_only}).ways.size();
    if (ways > 0) {  // else out of reach, as is told below
      require_branch(branch, ways);
      ask.solver.begin_with(branch - 1);
    }
  }
  const IkMotion motion = ask.solver.follow(path, position_only);
  const PathFaults faults = faults_of(motion.samples);
  say_faults(ask.arguments, motion.samples, faults, position_only);
  const bool reached = faults.unreached.empty();
  if (reached && ask.arguments.has("--out"))
    write_file(ask.arguments.text("--out"), joint_csv(ask.solver.joints, motion.samples));
  if (ask.arguments.json()) {
    print_json(motion_json(ask, motion, faults));
  } else if (reached) {
    print_motion(ask, motion);
  }
  return reached ? kOk : kCheckFailed;
}

int run_ik(const Arguments& arguments) {
  if (arguments.has("--target") == arguments.has("--path")) {
    throw Error(ErrorCode::usage, "`ik` needs either --target or --path");
  }
  if (arguments.has("--out") && !arguments.has("--path")) {
    throw Error(ErrorCode::usage, "--out requires --path");
  }
  require_other_file(arguments, "--out", "--path");
  require_other_file(arguments, "--out", "MODEL");
  const LoadedModel loaded = load_model(arguments);
  const int frame = chosen_frame(arguments, loaded.model);
  const std::unique_ptr<IkSolver> solver = make_ik_solver(arguments, loaded, frame);
  const IkQuestion ask{arguments, loaded.model, frame, *solver};
  return arguments.has("--target") ? solve_target(ask) : follow(ask);
}

}  // namespace

Command ik_command() {
  Command c = model_command(
      {text_option("--target", "POSE", "x,y,z,roll,pitch,yaw in the world, or x,y,z: position only"),
       text_option("--path", "FILE.csv", "samples of the frame's pose instead of one target"),
       text_option("--out", "FILE.csv", "with --path: writes t, q1.., qd1.., qdd1.."),
       frame_option("the link whose frame is to reach the target"),
       number_option("--branch", "K", "only solution K; along a path, the branch at the start"),
       flag_option("--position-only", "ignores the orientation"),
       flag_option("--ignore-limits", "also finds solutions beyond the joint limits"), q_option(), mode_option()});
  c.name = "ik";
  c.summary = "inverse kinematics of a pose or a path";
  c.description =
      "Inverse kinematics: all configurations in which a link's frame reaches a pose or a point, nearest to --q first. "
      "In closed form for arms with a recognised geometry (three joints, or three and a spherical wrist, or the offset "
      "wrist of the UR arms); numerically for all other trees, for which the list may be incomplete. For redundant "
      "arms one solution near --q is given. If there is none, the output gives the nearest pose, says `out of reach` "
      "if that is certain and otherwise `not found`, and the exit code is 1.\n\nAlong a path the solution stays on one "
      "branch (if it ends at a joint limit, the exit code is 1) and includes velocities and accelerations of the "
      "joints. The file has the columns t,x,y,z, optionally roll,pitch,yaw, vx,vy,vz (and wx,wy,wz), ax,ay,az (and "
      "alphax,alphay,alphaz); missing velocities and accelerations are computed by three-point differences.\n\nFor "
      "closed-loop mechanisms the result is the actuated joints, in every working mode: planar legs are solved in "
      "closed form, each separately. Along a path the motion continues smoothly, also through the full stretch of a "
      "leg, and changes of the working mode are reported; --out writes t, q1..";
  c.examples = {"linkwright ik puma560 --target 0.4,0.2,0.3,0,90deg,0",
                "linkwright ik stanford --target 0.3,-0.5,-0.1,150deg,0,90deg --branch 1 --json",
                "linkwright ik cat215b --target 7,1,0.5", "linkwright ik planar-3rrr --target 0.4,0.25,0,0,0,20deg"};
  c.run = run_ik;
  return c;
}

}  // namespace lw::cli
