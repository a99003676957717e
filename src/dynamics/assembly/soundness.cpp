#include "soundness.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../base/text.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"
#include "assembly.hpp"

namespace lw {
namespace {

constexpr double kDependent = 1e-7;

// Bodies between the two sides of a closure.
std::vector<int> ring_of(const Model<double>& model, const LoopClosure<double>& loop) {
  std::vector<int> up;
  for (int k = loop.a.body; k >= 0; k = model.bodies[at(k)].parent) up.push_back(k);
  for (int k = loop.b.body; k >= 0; k = model.bodies[at(k)].parent) {
    const auto common = std::find(up.begin(), up.end(), k);
    if (common == up.end()) {
      up.push_back(k);
      continue;
    }
    up.erase(common);
  }
  return up;
}

// Every axis of a ring along or across one direction, after forward_kinematics; it stays so, since nothing turns that
// direction.
bool moves_in_a_plane(const Model<double>& model, const Workspace<double>& work, const LoopClosure<double>& loop) {
  Vec3<double> normal;
  bool known = false;
  std::vector<Vec3<double>> slides;
  const auto turn = [&](const Vec3<double>& axis) {
    if (!known) normal = axis, known = true;
    return norm(cross(normal, axis)) < 1e-9;
  };
  for (const int k : ring_of(model, loop)) {
    const Body<double>& body = model.bodies[at(k)];
    const Vec3<double> axis = work.X_W[at(k)].R * body.axis;  // the joint's own motion leaves it where it is
    if (body.kind == JointKind::revolute && !turn(axis)) return false;
    if (body.kind == JointKind::prismatic) slides.push_back(axis);
    if (body.kind == JointKind::spherical || body.kind == JointKind::floating) return false;
  }
  const Vec3<double> axis = frame_pose(work, loop.a).R * loop.axis;
  if ((loop.type == JointType::revolute || loop.type == JointType::planar) && !turn(axis)) return false;
  if (loop.type == JointType::prismatic) slides.push_back(axis);
  if (loop.type == JointType::universal || loop.type == JointType::spherical || loop.type == JointType::cylindrical)
    return false;
  return known && std::all_of(slides.begin(), slides.end(),
                              [&](const Vec3<double>& d) { return std::abs(dot(d, normal)) < 1e-9; });
}

Eigen::MatrixXd without_loop(const Model<double>& model, const ClosureState& state, int left_out) {
  const auto rows = static_cast<Eigen::Index>(state.residual.size());
  const Eigen::Map<const Eigen::MatrixXd> J(state.jacobian.data(), rows, model.nv);
  Eigen::MatrixXd part(rows, model.nv);
  Eigen::Index from = 0, kept = 0;
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    const Eigen::Index n = 6 - velocities(model.loops[l].type);
    if (static_cast<int>(l) != left_out) {
      part.middleRows(kept, n) = J.middleRows(from, n);
      kept += n;
    }
    from += n;
  }
  return part.topRows(kept);
}

}  // namespace

LoopJudgement judge_loops(const Model<double>& model) {
  LoopJudgement j;
  Workspace<double> work(model);
  const Mobility m = mobility(model);
  j.closed = m.closed;
  j.residual = m.residual;
  j.freedoms = m.dof;
  j.rank = model.nv - m.dof;
  int rings = 0, planar_rings = 0;
  forward_kinematics<double>(model, work, m.q);
  for (const LoopClosure<double>& loop : model.loops) {
    if (loop.a.body == loop.b.body) continue;  // within one rigid body: no loop
    const int v = velocities(loop.type);
    const bool planar = moves_in_a_plane(model, work, loop);
    ++rings;
    planar_rings += planar;
    j.equations += 6 - v;
    // in a plane every closure joint has at most its three freedoms
    j.independent += planar ? 3 - std::min(v, 3) : 6 - v;
  }
  j.planar = rings > 0 && planar_rings == rings;
  j.gruebler = model.nv - j.independent;
  if (!m.closed || model.nv == 0) return j;
  // a loop says nothing where the rank is the same without it, here and at closed poses around
  std::vector<std::vector<double>> poses{m.q};
  Random random(1);
  for (int k = 1; k <= 3 && m.dof > 0; ++k) {
    std::vector<double> q = m.q, step(at(model.nv));
    for (double& x : step) x = random.between(-0.1, 0.1) * k;
    advance(model, q, step);
    const Assembled there = assemble_from(model, work, q, {});
    if (there.closed) poses.push_back(there.q);
  }
  for (std::size_t l = 0; l < model.loops.size(); ++l) {
    const bool idle = std::all_of(poses.begin(), poses.end(), [&](const std::vector<double>& q) {
      const ClosureState state = closure_state(model, work, q);
      return rank(without_loop(model, state, static_cast<int>(l)), kDependent) ==
             rank(without_loop(model, state, -1), kDependent);
    });
    const bool within_one_body = model.loops[l].a.body == model.loops[l].b.body;
    if (idle && !within_one_body && model.loops[l].type != JointType::floating)
      j.redundant.push_back(static_cast<int>(l));
  }
  return j;
}

std::string complaint(const Model<double>& model, const LoopJudgement& j) {
  Workspace<double> work(model);
  if (!j.closed) {
    // which of them can be closed alone tells a conflict from a loop that is too short
    std::string alone;
    bool each = model.loops.size() > 1;
    for (const LoopClosure<double>& loop : model.loops) {
      Model<double> one = model;
      one.loops = {loop};
      each = each && mobility(one).closed;
    }
    const std::string open = open_loop(model, work, mobility(model).q);
    if (each) {
      return fmt::format(
          "the loops of `{}` conflict: each can be closed by itself, but not all together; {} equations of which {} "
          "are "
          "independent, {}",
          model.name, j.equations, j.independent, open);
    }
    return fmt::format("`{}` cannot be assembled near its home pose: {}", model.name, open);
  }
  if (j.freedoms == 0 && model.nv > 0) {
    return fmt::format("`{}` is locked: it has {} and closures of rank {}, so that nothing moves", model.name,
                       counted(at(model.nv), "velocity", "velocities"), j.rank);
  }
  return "";
}

std::string redundancy(const Model<double>& model, const LoopJudgement& j) {
  if (!j.closed || j.redundant.empty()) return "";
  const std::string& name = model.loops[at(j.redundant[0])].name;
  return fmt::format(
      "the loop `{}` of `{}` is redundant: the closures have rank {} with it and without it, and what it bears is not "
      "determined; it may be "
      "left out",
      name, model.name, j.rank);
}

std::string remark(const Model<double>& model, const LoopJudgement& j) {
  if (!j.closed || j.rank == j.independent) return "";
  return fmt::format(
      "counting the joints of `{}` gives {}, but it has {}: of {} closure equations {} are independent, {}", model.name,
      counted(at(std::max(j.gruebler, 0)), "freedom", "freedoms"), j.freedoms, j.independent, j.rank,
      j.rank < j.independent ? "so that reactions in the joints are not unique" : "more than were counted");
}

}  // namespace lw
