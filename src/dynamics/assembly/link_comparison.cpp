#include "link_comparison.hpp"

#include <algorithm>
#include <cmath>

#include "../../base/index.hpp"
#include "../../spatial/rotation_vector.hpp"
#include "../tree/kinematics.hpp"
#include "mode_search.hpp"

namespace lw {
namespace {

// Directions without a pattern of their own, so that sums of places seldom agree by chance.
Vec3<double> key_direction(std::size_t k) {
  const double x = static_cast<double>(k) + 1.0;
  return {std::sin(12.9898 * x), std::sin(78.233 * x), std::sin(37.719 * x)};
}

bool closing_turn(JointType type) {
  return type == JointType::revolute || type == JointType::cylindrical || type == JointType::universal ||
         type == JointType::spherical;
}
bool closing_point(JointType type) { return type == JointType::universal || type == JointType::spherical; }

}  // namespace

LinkComparison::LinkComparison(const Model<double>& model, std::vector<bool> yokes)
    : model_(model), yokes_(std::move(yokes)), size_(mechanism_size(model)) {
  const std::size_t n = model.bodies.size();
  if (yokes_.empty()) {
    yokes_.assign(n, false);
    for (const JointInfo& joint : model.joints) {
      for (int k = joint.first_body; joint.type == JointType::universal && k < joint.last_body; ++k)
        yokes_[lw::at(k)] = true;
    }
  }
  // parts by union of bodies, the base at 0
  std::vector<std::size_t> part(n + 1);
  for (std::size_t k = 0; k <= n; ++k) part[k] = k;
  const auto join = [&](std::size_t a, std::size_t b) {
    const std::size_t keep = part[a], gone = part[b];
    std::replace(part.begin(), part.end(), gone, keep);
  };
  const auto yoke = [&](int body) { return body >= 0 && yokes_[lw::at(body)]; };
  for (std::size_t k = 0; k < n; ++k) {
    const Body<double>& body = model.bodies[k];
    const bool slides_or_turns = body.kind == JointKind::revolute || body.kind == JointKind::prismatic;
    if (slides_or_turns && !yokes_[k] && !yoke(body.parent)) join(lw::at(body.parent + 1), k + 1);
  }
  for (const LoopClosure<double>& loop : model.loops) {
    if (loop.type == JointType::floating || closing_point(loop.type) || yoke(loop.a.body) || yoke(loop.b.body))
      continue;
    join(lw::at(loop.a.body + 1), lw::at(loop.b.body + 1));
  }
  std::vector<std::size_t> index(n + 1, n + 1);
  for (std::size_t k = 0; k <= n; ++k) {
    if (k > 0 && yokes_[k - 1]) continue;
    if (index[part[k]] > n) {
      index[part[k]] = parts_.size();
      parts_.emplace_back();
    }
    parts_[index[part[k]]].bodies.push_back(static_cast<int>(k) - 1);
  }
  // the order of places is that of at()
  std::size_t place = 0;
  const auto touches = [&](int body) {
    if (!yoke(body)) parts_[index[part[lw::at(body + 1)]]].places.push_back(place);
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (model.bodies[k].kind == JointKind::prismatic || model.bodies[k].kind == JointKind::floating) continue;
    touches(model.bodies[k].parent);
    touches(static_cast<int>(k));
    ++place;
  }
  for (const LoopClosure<double>& loop : model.loops) {
    if (!closing_turn(loop.type)) continue;
    touches(loop.a.body);
    touches(loop.b.body);
    ++place;
  }
  for (std::size_t k = 0; k < place; ++k) weights_ += norm(key_direction(k));
}

LinkPoses LinkComparison::at(Workspace<double>& work, In<double> q) const {
  forward_kinematics<double>(model_, work, q);
  LinkPoses poses;
  poses.X.assign(work.X_W.begin(), work.X_W.end());
  const auto yoke = [&](int body) { return body >= 0 && yokes_[lw::at(body)]; };
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const Body<double>& body = model_.bodies[k];
    if (body.kind == JointKind::prismatic || body.kind == JointKind::floating) continue;
    const bool point = body.kind == JointKind::spherical || yokes_[k] || yoke(body.parent);
    poses.places.push_back(work.X_W[k].p);
    poses.axes.push_back(point ? Vec3<double>::zero() : work.X_W[k].R * body.axis);
  }
  for (const LoopClosure<double>& loop : model_.loops) {
    if (!closing_turn(loop.type)) continue;
    const Transform<double> A = frame_pose(work, loop.a);
    poses.places.push_back(A.p);
    poses.axes.push_back(closing_point(loop.type) ? Vec3<double>::zero() : A.R * loop.axis);
  }
  for (std::size_t k = 0; k < poses.places.size(); ++k) poses.key += dot(key_direction(k), poses.places[k]);
  return poses;
}

bool LinkComparison::same(const LinkPoses& a, const LinkPoses& b, double tolerance) const {
  const auto moved = [&](int body) {
    const Transform<double>&A = a.X[lw::at(body)], &B = b.X[lw::at(body)];
    return norm(B.p - A.p) > tolerance || norm(rotation_vector(B.R * transpose(A.R))) * size_ > tolerance;
  };
  for (const Part& part : parts_) {
    const bool base = part.bodies[0] < 0;
    for (const int body : part.bodies) {
      if (body < 0 || !moved(body)) continue;
      if (base) return false;
      // a rod: what moved the body leaves every place that holds the rod, and every joint within it, where it is
      const Transform<double> D = b.X[lw::at(body)] * a.X[lw::at(body)].inverse();
      for (const std::size_t k : part.places) {
        if (norm(D.R * a.places[k] + D.p - a.places[k]) > tolerance || norm(b.places[k] - a.places[k]) > tolerance)
          return false;
        if (norm(D.R * a.axes[k] - a.axes[k]) * size_ > tolerance) return false;
      }
    }
  }
  return true;
}

std::vector<LinkComparison::RodEnd> LinkComparison::rod_ends() const {
  // which joint each place is of, in the order of at()
  std::vector<RodEnd> joints;
  const auto yoke = [&](int body) { return body >= 0 && yokes_[lw::at(body)]; };
  for (std::size_t k = 0; k < model_.bodies.size(); ++k) {
    const Body<double>& body = model_.bodies[k];
    if (body.kind == JointKind::prismatic || body.kind == JointKind::floating) continue;
    RodEnd joint;
    if (yoke(body.parent)) joint.first = body.parent, joint.last = static_cast<int>(k);
    for (std::size_t c = k + 1; c < model_.bodies.size() && yokes_[k]; ++c) {
      if (model_.bodies[c].parent == static_cast<int>(k))
        joint.first = static_cast<int>(k), joint.last = static_cast<int>(c);
    }
    joints.push_back(joint);
  }
  for (std::size_t l = 0; l < model_.loops.size(); ++l) {
    if (!closing_turn(model_.loops[l].type)) continue;
    joints.emplace_back();
    if (model_.loops[l].type == JointType::universal) joints.back().loop = static_cast<int>(l);
  }
  std::vector<RodEnd> ends;
  for (const Part& part : parts_) {
    if (part.bodies[0] < 0 || part.places.size() != 2) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      RodEnd end = joints[part.places[side]];
      end.place = part.places[side];
      end.other = part.places[1 - side];
      if (end.last >= 0 || end.loop >= 0) ends.push_back(end);
    }
  }
  return ends;
}

double LinkComparison::handedness(const Workspace<double>& work, const LinkPoses& poses, const RodEnd& end) const {
  const Vec3<double> d = poses.places[end.other] - poses.places[end.place];
  if (end.loop >= 0) {
    const LoopClosure<double>& loop = model_.loops[lw::at(end.loop)];
    return dot(cross(frame_pose(work, loop.a).R * loop.axis, frame_pose(work, loop.b).R * loop.axis2), d);
  }
  const auto axis = [&](int body) { return poses.X[lw::at(body)].R * model_.bodies[lw::at(body)].axis; };
  return dot(cross(axis(end.first), axis(end.last)), d);
}

bool same_assembly(const Model<double>& model, Workspace<double>& work, In<double> a, In<double> b, double tolerance) {
  const LinkComparison comparison(model);
  const LinkPoses one = comparison.at(work, a);
  return comparison.same(one, comparison.at(work, b), tolerance);
}

}  // namespace lw
