#include "ik_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/assembly/closed_ik.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/joints_alone.hpp"
#include "../../model/limits.hpp"
#include "../../model/require_tree.hpp"

namespace lw::cli {
namespace {

// `all`: the coordinates of the tree.
IkWay way_at(const Model<double>& model, int frame, const std::vector<double>& all, const std::vector<double>& listed,
             double position_error, double rotation_error, double closures) {
  Workspace<double> work(model);
  forward_kinematics<double>(model, work, all);
  const Vec3<double> p = frame_pose(model, work, frame).p;
  IkWay way{listed,
            position_error,
            rotation_error,
            std::max({position_error, rotation_error, closures}),
            {p[0], p[1], p[2]},
            {},
            {},
            0,
            {}};
  way.json = {{"q", listed},
              {"residual", way.residual},
              {"position_error", position_error},
              {"rotation_error", rotation_error},
              {"position", way.position}};
  return way;
}

class TreeIk : public IkSolver {
 public:
  TreeIk(const Arguments& arguments, const LoadedModel& loaded, int frame) : model_(loaded.model), frame_(frame) {
    joints = model_;
    if (arguments.has("--mode")) require_loops(model_, "--mode");
    if (model_.nv == 0) throw Error(ErrorCode::model, fmt::format("`{}` has no movable joint", model_.name));
    if (carriers(model_, frame).velocities == 0) {
      throw Error(ErrorCode::usage,
                  fmt::format("no joint of `{}` moves `{}`, which is fixed to the base; choose another with --frame",
                              model_.name, model_.frames[at(frame)].name));
    }
    start_ = read_q(arguments, loaded);
    if (!arguments.has("--ignore-limits")) options_.limits = coordinate_limits(loaded.mechanism, model_);
  }

  IkAnswer solve(const IkTarget& target) override {
    found_ = inverse_kinematics(model_, frame_, target, start_, options_);
    IkAnswer answer{{}, {}, found_.closed_form, false, found_.out_of_reach, found_.freedom, found_.beyond_limits, {}};
    for (const IkSolution& s : found_.solutions) answer.ways.push_back(way(s));
    answer.nearest = way(found_.nearest);
    return answer;
  }

  void begin_with(std::size_t k) override { start_ = found_.solutions[k].q; }

  IkMotion follow(const Path& path, bool position_only) override {
    IkMotion motion{follow_path(model_, frame_, path.samples, position_only, start_, options_), {}, {}, {}, {}};
    const std::string rates = path.has_acceleration ? "given"
                              : path.has_velocity   ? "velocities given, accelerations by differences"
                                                    : "by differences";
    motion.about = "; rates: " + rates;
    motion.fields["rates"] = rates;
    for (const JointSample& s : motion.samples)
      motion.ways.push_back(
          {{"q", s.reached ? Json(s.q) : Json(nullptr)}, {"residual", std::max(s.position_error, s.rotation_error)}});
    return motion;
  }

 private:
  IkWay way(const IkSolution& s) const {
    IkWay w = way_at(model_, frame_, s.q, s.q, s.position_error, s.rotation_error, 0.0);
    w.branch = s.branch;
    w.freedom = s.freedom;
    w.json["freedom"] = s.freedom;
    if (!s.branch.empty()) w.json["branch"] = s.branch;
    return w;
  }

  const Model<double>& model_;
  int frame_;
  std::vector<double> start_;
  IkOptions options_;
  IkResult found_;
};

class LoopIk : public IkSolver {
 public:
  LoopIk(const Arguments& arguments, const LoadedModel& loaded, int frame)
      : model_(loaded.model),
        frame_(frame),
        start_(read_pose(arguments, loaded, led_model(loaded.model))),
        limits_(arguments.has("--ignore-limits") ? no_limits(loaded.model)
                                                 : coordinate_limits(loaded.mechanism, loaded.model)) {
    joints = joints_alone(model_, actuated_velocities(model_));
    finds = "actuated joints";
    branches = "legs";
  }

  IkAnswer solve(const IkTarget& target) override {
    found_ = closed_inverse_kinematics(model_, frame_, target, start_, limits_);
    const bool none = found_.solutions.empty() && found_.beyond_limits == 0;
    IkAnswer answer{{},
                    {},
                    found_.complete && !found_.rounded,
                    found_.rounded,
                    none && (!found_.too_far.empty() || (found_.complete && found_.freedom == 0)),
                    found_.freedom,
                    found_.beyond_limits,
                    found_.too_far};
    for (const ClosedIkSolution& s : found_.solutions) answer.ways.push_back(way(s));
    if (none) answer.nearest = way(found_.nearest);
    return answer;
  }

  void begin_with(std::size_t k) override { start_ = found_.solutions[k].at; }

  IkMotion follow(const Path& path, bool position_only) override {
    const ClosedIkPath found = follow_closed(model_, frame_, path.samples, position_only, start_, limits_);
    IkMotion motion;
    motion.fields = {{"legs", Json::array()}, {"switches", Json::array()}};
    for (const Leg& leg : found.legs) motion.fields["legs"].push_back(leg.joints);
    for (const WorkingModeSwitch& s : found.switches) {
      const std::vector<std::string>& names = found.legs[at(s.leg)].joints;
      motion.fields["switches"].push_back({{"t", s.t}, {"leg", s.leg + 1}, {"joints", names}});
      motion.remarks.push_back(fmt::format("t = {:.6g} s: leg {} ({}) is stretched or folded, its working mode changes",
                                           s.t, s.leg + 1, fmt::join(names, "-")));
    }
    for (const ClosedIkSample& s : found.samples) {
      JointSample sample{s.t, s.solution.actuated, s.rates, {}};
      sample.position_error = s.solution.position_error;
      sample.rotation_error = s.solution.rotation_error;
      sample.reached = s.reached;
      motion.samples.push_back(std::move(sample));
      motion.ways.push_back(s.reached ? way(s.solution).json : Json(nullptr));
    }
    return motion;
  }

 private:
  IkWay way(const ClosedIkSolution& s) const {
    IkWay w = way_at(model_, frame_, s.at.q, s.actuated, s.position_error, s.rotation_error, s.at.residual);
    w.branch = s.working_mode;
    w.condition = fmt::format("{:.4g}", s.at.condition);
    w.json["closure_residual"] = s.at.residual;
    w.json["condition"] = number_or_null(s.at.condition);
    if (!s.working_mode.empty()) w.json["working_mode"] = s.working_mode;
    w.json["coordinates"] = s.at.q;
    return w;
  }

  const Model<double>& model_;
  int frame_;
  Assembled start_;
  CoordinateLimits limits_;
  ClosedIk found_;
};

}  // namespace

std::unique_ptr<IkSolver> make_ik_solver(const Arguments& arguments, const LoadedModel& loaded, int frame) {
  if (loaded.model.loops.empty()) return std::make_unique<TreeIk>(arguments, loaded, frame);
  return std::make_unique<LoopIk>(arguments, loaded, frame);
}

}  // namespace lw::cli
