#include "workspace_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"
#include "link_comparison.hpp"
#include "mode_identity.hpp"
#include "mode_search.hpp"
#include "planar_groups.hpp"
#include "soundness.hpp"

namespace lw {
namespace {

// A way to assemble the mechanism with the frame held, and which of the two ways each dyad took.
struct Way {
  LoopGraph graph;
  std::string label;
};

class Mapper {
 public:
  Mapper(const Model<double>& model, int frame, double turned)
      : model_(model),
        held_(model),
        work_(model),
        frame_(frame),
        home_(assemble_home(model)),
        driven_(driving_velocities(model, work_, home_)),
        identity_(model, work_, home_.q, driven_) {
    const LoopJudgement judgement = judge_loops(model);
    if (!judgement.planar || (judgement.freedoms != 2 && judgement.freedoms != 3)) {
      throw Error(ErrorCode::usage,
                  fmt::format("a workspace is drawn for planar mechanisms with two or three freedoms; `{}` {} {}",
                              model.name, judgement.planar ? "has" : "is spatial and has", judgement.freedoms));
    }
    forward_kinematics<double>(model, work_, home_.q);
    pose_ = frame_pose(model, work_, frame);
    normal_ = frame_pose(work_, model.loops[0].a).R * model.loops[0].axis;
    map_.turns_freely = judgement.freedoms == 2;
    map_.turned = map_.turns_freely ? 0.0 : turned;
    choose_axes();
    pose_.R = rotation_about_axis<double>(cross(map_.right, map_.up), map_.turned) * pose_.R;
    LoopClosure<double> target{"target",
                               map_.turns_freely ? JointType::spherical : JointType::fixed,
                               normal_,
                               normal_,
                               {"target", -1, pose_},
                               model.frames[lw::at(frame)]};
    held_.loops.push_back(target);
    const LoopGraph graph = loop_graph(held_, home_.q, {});
    plan_ = planar_plan(graph);
    if (graph.tied || !plan_.complete) {
      throw Error(ErrorCode::usage,
                  fmt::format("the legs of `{}` to `{}` do not close in closed form, which a workspace needs; --frame "
                              "names another link",
                              model.name, model.frames[lw::at(frame)].name));
    }
    find_home_label();
  }

  WorkspaceMap run(int resolution) {
    // a coarse look around, then the part that is reached
    const double reach = mechanism_size(model_);
    const Box wide{-reach, -reach, reach, reach};
    Box box = reached(wide, 61);
    box = reached(grown(box, 2.0 * reach / 60), 61);
    box = grown(box, 0.06 * std::max(box.right - box.left, box.top - box.bottom));
    map_.step = std::max(box.right - box.left, box.top - box.bottom) / resolution;
    map_.left = box.left;
    map_.bottom = box.bottom;
    map_.columns = 1 + static_cast<int>(std::ceil((box.right - box.left) / map_.step));
    map_.rows = 1 + static_cast<int>(std::ceil((box.top - box.bottom) / map_.step));
    for (int j = 0; j < map_.rows; ++j) {
      for (int i = 0; i < map_.columns; ++i) judge(map_.left + i * map_.step, map_.bottom + j * map_.step);
    }
    find_borders();
    const auto inside = std::count_if(map_.dexterity.begin(), map_.dexterity.end(), [](double x) { return x >= 0.0; });
    map_.area = static_cast<double>(inside) * map_.step * map_.step;
    return map_;
  }

 private:
  struct Box {
    double left, bottom, right, top;
  };
  static Box grown(const Box& b, double by) { return {b.left - by, b.bottom - by, b.right + by, b.top + by}; }

  void choose_axes() {
    // to the right is x where the plane allows, up is z or else y
    const Eigen::Vector3d n = normal_.eigen();
    const Eigen::Vector3d x = std::abs(n.x()) < 0.9 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
    const Eigen::Vector3d right = (x - n * n.dot(x)).normalized();
    Eigen::Vector3d up = n.cross(right);
    if (up.dot(Eigen::Vector3d(0.0, 1.0, 1.0)) < 0.0) up = -up;
    map_.right = Vec3<double>::from(right);
    map_.up = Vec3<double>::from(up);
    map_.origin = normal_ * dot(normal_, pose_.p);
  }

  std::vector<Way> ways(const Transform<double>& pose) {
    held_.loops.back().a.X_BF = pose;
    std::vector<Way> all{{loop_graph(held_, home_.q, {}), ""}};
    for (const PlanarGroup& step : plan_.steps) {
      std::vector<Way> next;
      for (const Way& way : all) {
        const std::optional<PlanarSolutions> found = put_together(way.graph, step);
        if (!found) throw Error(ErrorCode::usage, fmt::format("`{}` does not move in one plane", model_.name));
        for (std::size_t k = 0; k < found->graphs.size(); ++k)
          next.push_back({found->graphs[k], way.label + static_cast<char>('0' + k)});
      }
      all = std::move(next);
    }
    return all;
  }
  std::vector<Way> ways(double u, double v) {
    Transform<double> pose = pose_;
    pose.p = map_.origin + map_.right * u + map_.up * v;
    return ways(pose);
  }

  void find_home_label() {
    Transform<double> pose = pose_;
    forward_kinematics<double>(model_, work_, home_.q);
    pose.R = frame_pose(model_, work_, frame_).R;
    const double size = mechanism_size(model_);
    for (const Way& way : ways(pose)) {
      if (same_assembly(model_, work_, coordinates_from(model_, way.graph, home_.q), home_.q, 1e-6 * size))
        label_ = way.label;
    }
  }

  Box reached(const Box& in, int n) {
    Box box{HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const double u = in.left + (in.right - in.left) * i / (n - 1),
                     v = in.bottom + (in.top - in.bottom) * j / (n - 1);
        if (ways(u, v).empty()) continue;
        box = {std::min(box.left, u), std::min(box.bottom, v), std::max(box.right, u), std::max(box.top, v)};
      }
    }
    if (box.left > box.right) {
      throw Error(ErrorCode::data, fmt::format("`{}` reaches nothing with `{}` turned like that", model_.name,
                                               model_.frames[lw::at(frame_)].name));
    }
    return box;
  }

  bool reaches(double u, double v) {
    const std::vector<Way> all = ways(u, v);
    return std::any_of(all.begin(), all.end(), [&](const Way& w) { return w.label == label_; });
  }

  // Between a cell that is reached and one that is not: by halving.
  void find_borders() {
    const double none = std::numeric_limits<double>::quiet_NaN();
    map_.border_right.assign(map_.dexterity.size(), none);
    map_.border_up.assign(map_.dexterity.size(), none);
    for (int j = 0; j < map_.rows; ++j) {
      for (int i = 0; i < map_.columns; ++i) {
        for (const bool upward : {false, true}) {
          const int k = i + !upward, l = j + upward;
          if (k >= map_.columns || l >= map_.rows) continue;
          const bool here = map_.dexterity[map_.at(i, j)] >= 0.0, there = map_.dexterity[map_.at(k, l)] >= 0.0;
          if (here == there) continue;
          double low = 0.0, high = 1.0;
          for (int halving = 0; halving < 7; ++halving) {
            const double part = 0.5 * (low + high);
            const double u = map_.left + (i + (upward ? 0.0 : part)) * map_.step,
                         v = map_.bottom + (j + (upward ? part : 0.0)) * map_.step;
            (reaches(u, v) == here ? low : high) = part;
          }
          (upward ? map_.border_up : map_.border_right)[map_.at(i, j)] = 0.5 * (low + high);
        }
      }
    }
  }

  void judge(double u, double v) {
    const std::vector<Way> all = ways(u, v);
    map_.ways.push_back(static_cast<int>(all.size()));
    const auto mine = std::find_if(all.begin(), all.end(), [&](const Way& w) { return w.label == label_; });
    if (mine == all.end()) {
      map_.dexterity.push_back(-1.0);
      map_.volume.push_back(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const ModeIdentity::Measure m = identity_.at(work_, coordinates_from(model_, mine->graph, home_.q));
    map_.dexterity.push_back(1.0 / m.condition);
    double volume = 1.0;
    for (const double x : m.volumes) volume *= x;
    map_.volume.push_back(volume);
    map_.best = std::max(map_.best, map_.dexterity.back());
  }

  const Model<double>& model_;
  Model<double> held_;
  Workspace<double> work_;
  int frame_;
  Assembled home_;
  std::vector<int> driven_;
  ModeIdentity identity_;
  Transform<double> pose_;
  Vec3<double> normal_;
  PlanarPlan plan_;
  std::string label_;
  WorkspaceMap map_;
};

}  // namespace

WorkspaceMap workspace_map(const Model<double>& model, int frame, double turned, int resolution) {
  return Mapper(model, frame, turned).run(resolution);
}

}  // namespace lw
