#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/linear.hpp"
#include "../formula.hpp"
#include "../limits.hpp"
#include "check.hpp"

namespace lw {
namespace {

constexpr double kRotationTolerance = 1e-6;  // accuracy of seven written digits
constexpr double kParallel = 1e-6;           // sine of the angle between the axes of a universal joint

// URDF has no columns.
bool in_urdf(const Location& where) { return where.line > 0 && where.column == 0; }

class GeometryCheck {
 public:
  GeometryCheck(const DefaultValues& values, Complaints& complaints) : at_(values), complaints_(complaints) {}

  void link(const Link& link) {
    const Joint& j = link.joint;
    if (j.dh) {
      angle(j.dh->alpha);
      angle(j.dh->theta);
    }
    if (!j.dh) axes(j.type, j.axis, j.axis2, j.where, fmt::format("joint {}", in_quotes(j.name)));
    rotation(j.origin.rotation, j.origin.where);
    if (link.inertia) rotation(link.inertia->rotation, link.inertia->where);
    visuals(link.visuals);
    limits(j);
    if (j.drive && j.drive->rotor_axis && at_(*j.drive->rotor_axis).norm() < 1e-12) {
      complaints_.error((*j.drive->rotor_axis)[0].where,
                        fmt::format("joint {}: the rotor axis has length zero", in_quotes(j.name)),
                        "give it a direction, as `z` or [0, 0, 1]");
    }
    if (j.type != JointType::prismatic) return;
    if (j.limits.lower) length(*j.limits.lower, j);
    if (j.limits.upper) length(*j.limits.upper, j);
  }

  // The limits of a mimic joint and of the joint that it follows must overlap.
  void mimic(const Joint& joint, const Joint& leader) {
    const Interval own = limits_of_coordinate(joint, at_), other = limits_of_coordinate(leader, at_);
    if (!(own.lower > other.upper || other.lower > own.upper)) return;  // or unknown
    complaints_.warning(joint.mimic->where,
                        fmt::format("joint {} follows {}, but their limits exclude each other", in_quotes(joint.name),
                                    in_quotes(leader.name)),
                        "change the limits of one of them");
  }

  void loop(const Loop& loop) {
    axes(loop.type, loop.axis, loop.axis2, loop.where, fmt::format("loop {}", in_quotes(loop.name)));
    for (const Origin& origin : loop.at) rotation(origin.rotation, origin.where);
  }

  void visuals(const std::vector<Visual>& list) {
    for (const Visual& v : list) {
      rotation(v.origin.rotation, v.origin.where);
      for (const Formula& f : v.size) {
        const bool scale = v.shape == Visual::Shape::mesh;  // negative scales mirror
        if (at_(f) < 0.0 && !scale)
          complaints_.error(f.where, fmt::format("the size {} is negative", in_quotes(f.text)));
      }
    }
  }

  // A constant of more than one turn, unless written with `deg`.
  void angle(const Formula& f) {
    const double turns = std::abs(at_(f)) / (2.0 * std::numbers::pi);
    if (!f.value.is_constant() || !(turns > 1.0 + 1e-9) || f.text.find("deg") != std::string::npos) return;
    complaints_.warning(
        f.where, fmt::format("the angle {} rad is {:.2g} turns; probably degrees were meant", f.text, turns),
        in_urdf(f.where) ? fmt::format("angles are in radians: {:.6g}", at_(f) * std::numbers::pi / 180.0)
                         : fmt::format("write `{} deg`", f.text));
  }

  // A coordinate of a prismatic joint in degrees.
  void length(const Formula& f, const Joint& j) {
    double number = 0.0;
    if (!f.text.ends_with("deg") || !parse_number(f.text.substr(0, f.text.size() - 3), number)) return;
    complaints_.error(f.where,
                      fmt::format("joint {} is prismatic: {} is not a length", in_quotes(j.name), in_quotes(f.text)),
                      "its coordinate is in metres");
  }

  void home(const Joint& j, const std::vector<Formula>& values) {
    if (j.type == JointType::revolute) std::for_each(values.begin(), values.end(), [&](const Formula& f) { angle(f); });
    if (j.type != JointType::prismatic) return;
    for (const Formula& f : values) length(f, j);
  }

  void rotation(const Rotation& r, const Location& fallback) {
    if (r.kind == Rotation::Kind::rpy) {
      for (const Formula& f : r.values) angle(f);
    }
    if (r.kind != Rotation::Kind::quaternion && r.kind != Rotation::Kind::matrix) return;
    const Location& where = r.values[0].where.line > 0 ? r.values[0].where : fallback;
    if (r.kind == Rotation::Kind::quaternion) {
      quaternion({at_(r.values[0]), at_(r.values[1]), at_(r.values[2]), at_(r.values[3])}, where);
    } else {
      matrix(at_(r), where);
    }
  }

  void quaternion(const Eigen::Vector4d& q, const Location& where) {
    const double deviation = std::abs(q.norm() - 1.0);
    if (!(deviation > kRotationTolerance)) return;
    const Eigen::Vector4d n = q.normalized();
    complaints_.error(
        where, fmt::format("the quaternion has length {:.9g} instead of 1 (deviation {:.2g})", q.norm(), deviation),
        q.norm() == 0.0 ? "no rotation is [0, 0, 0, 1]: x, y, z, w"
                        : fmt::format("normalised: [{:.12g}, {:.12g}, {:.12g}, {:.12g}]", n[0], n[1], n[2], n[3]));
  }

 private:
  void matrix(const Eigen::Matrix3d& R, const Location& where) {
    if (!R.allFinite()) return;
    const double deviation = (R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
    const bool mirrors = R.determinant() < 0.0;
    if (!(deviation > kRotationTolerance) && !mirrors) return;
    const Svd svd(R);
    const Eigen::Matrix3d U = svd.U, V = svd.V;
    const Eigen::Vector3d signs(1.0, 1.0, (U * V.transpose()).determinant() < 0.0 ? -1.0 : 1.0);
    const Eigen::Matrix3d N = U * signs.asDiagonal() * V.transpose();
    complaints_.error(
        where,
        deviation > kRotationTolerance
            ? fmt::format("the matrix is not a rotation: its rows are not orthonormal (RᵀR deviates by {:.3g})",
                          deviation)
            : std::string("the matrix is a reflection, not a rotation: its determinant is -1"),
        fmt::format("the nearest rotation is [[{:.12g}, {:.12g}, {:.12g}], [{:.12g}, {:.12g}, {:.12g}], [{:.12g}, "
                    "{:.12g}, {:.12g}]]",
                    N(0, 0), N(0, 1), N(0, 2), N(1, 0), N(1, 1), N(1, 2), N(2, 0), N(2, 1), N(2, 2)));
  }

  void axes(JointType type, const Formula3& axis, const Formula3& axis2, const Location& fallback,
            const std::string& what) {
    if (type == JointType::fixed || type == JointType::spherical || type == JointType::floating) return;
    const auto place = [&](const Formula3& f) { return f[0].where.line > 0 ? f[0].where : fallback; };
    const Eigen::Vector3d a = at_(axis), b = at_(axis2);
    if (a.norm() < 1e-12) {
      complaints_.error(place(axis), fmt::format("{}: the axis has length zero", what),
                        in_urdf(place(axis)) ? "give it a direction, as <axis xyz=\"0 0 1\"/>"
                                             : "give it a direction, as `z` or [0, 0, 1]");
    }
    if (type != JointType::universal) return;
    if (b.norm() < 1e-12) {
      complaints_.error(place(axis2), fmt::format("{}: the second axis has length zero", what),
                        "give it a direction, as `y` or [0, 1, 0]");
    } else if (a.norm() >= 1e-12 && a.cross(b).norm() <= kParallel * a.norm() * b.norm()) {
      complaints_.error(place(axis2), fmt::format("{}: its two axes are parallel", what),
                        "they should be perpendicular, such as `z` and `y`");
    }
  }

  void limits(const Joint& j) {
    const Limits& l = j.limits;
    if (l.lower && l.upper && at_(*l.lower) > at_(*l.upper)) {
      complaints_.error(l.lower->where,
                        fmt::format("joint {}: the lower limit {} is above the upper limit {}", in_quotes(j.name),
                                    in_quotes(l.lower->text), in_quotes(l.upper->text)),
                        "exchange the two");
    }
    if (l.velocity && at_(*l.velocity) < 0.0) {
      complaints_.error(l.velocity->where, fmt::format("joint {}: the velocity limit {} is negative", in_quotes(j.name),
                                                       in_quotes(l.velocity->text)));
    }
    if (l.effort && at_(*l.effort) < 0.0) {
      complaints_.error(l.effort->where, fmt::format("joint {}: the effort limit {} is negative", in_quotes(j.name),
                                                     in_quotes(l.effort->text)));
    }
  }

  const DefaultValues& at_;
  Complaints& complaints_;
};

}  // namespace

void check_geometry(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints) {
  GeometryCheck check(values, complaints);
  for (const Link& link : mechanism.links) check.link(link);
  for (const Link& link : mechanism.links) {
    if (!link.joint.mimic) continue;
    const auto leader = std::find_if(mechanism.links.begin(), mechanism.links.end(),
                                     [&](const Link& l) { return l.joint.name == link.joint.mimic->joint; });
    if (leader != mechanism.links.end()) check.mimic(link.joint, leader->joint);
  }
  for (const Loop& loop : mechanism.loops) check.loop(loop);
  check.visuals(mechanism.base_visuals);
  for (const Payload& p : mechanism.payloads) check.rotation(p.inertia.rotation, p.where);
  if (mechanism.base_inertia) check.rotation(mechanism.base_inertia->rotation, mechanism.base_inertia->where);
  for (const Link& link : mechanism.links) {
    const auto home = mechanism.home.find(link.joint.name);
    if (home != mechanism.home.end()) check.home(link.joint, home->second);
    // coordinates that are quaternions
    const int first = link.joint.type == JointType::spherical ? 0 : link.joint.type == JointType::floating ? 3 : -1;
    if (home == mechanism.home.end() || first < 0 ||
        home->second.size() != static_cast<std::size_t>(coordinates(link.joint.type)))
      continue;
    const Formula* q = home->second.data() + first;
    check.quaternion({values(q[0]), values(q[1]), values(q[2]), values(q[3])}, q[0].where);
  }
}

}  // namespace lw
