#include "urdf_form.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "../complaints.hpp"
#include "../evaluate.hpp"
#include "../formula_text.hpp"
#include "../placement.hpp"

namespace lw {
namespace {

bool is_identity(const Transform<double>& X) {
  for (int i = 0; i < 3; ++i) {
    if (X.p[i] != 0.0) return false;
    for (int j = 0; j < 3; ++j) {
      if (X.R(i, j) != (i == j ? 1.0 : 0.0)) return false;
    }
  }
  return true;
}

class Former {
 public:
  Former(const Mechanism& mechanism, UrdfRemarks& remarks) : m_(mechanism), at_(mechanism), remarks_(remarks) {
    links_.insert(m_.base);
    for (const Link& link : m_.links) {
      links_.insert(link.name);
      joints_.insert(link.joint.name);
    }
  }

  Mechanism run() {
    out_.name = m_.name;
    out_.summary = m_.summary;
    out_.base = m_.base;
    out_.gravity = numbers(m_.gravity);
    if (m_.base_inertia) out_.base_inertia = inertia(*m_.base_inertia);
    out_.base_visuals = visuals(m_.base_visuals);
    general_losses();
    for (const Link& link : m_.links) add(link);
    for (const Loop& loop : m_.loops) {
      Loop copy = loop;
      copy.axis = numbers(loop.axis);
      copy.axis2 = numbers(loop.axis2);
      copy.at = {origin(loop.at[0]), origin(loop.at[1])};
      copy.friction = numbers(loop.friction);
      out_.loops.push_back(std::move(copy));
    }
    for (const Payload& p : m_.payloads) out_.payloads.push_back({p.link, inertia(p.inertia), p.where});
    return std::move(out_);
  }

 private:
  // One joint of a chain that represents a joint of the file.
  struct Step {
    JointType type;
    Formula3 axis;
    const char* suffix;
  };

  Formula number(const Formula& f) const { return at_(f); }
  std::optional<Formula> number(const std::optional<Formula>& f) const {
    return f ? std::optional<Formula>(at_(*f)) : std::nullopt;
  }
  Friction numbers(Friction f) const {
    for (Formula* x : {&f.viscous, &f.coulomb, &f.width}) *x = number(*x);
    if (f.stribeck) {
      for (Formula* x : {&f.stribeck->static_torque, &f.stribeck->velocity, &f.stribeck->shape}) *x = number(*x);
    }
    for (Bearing& b : f.bearings) {
      for (Formula* x : {&b.mu, &b.radius, &b.spacing}) *x = number(*x);
    }
    return f;
  }
  Formula3 numbers(const Formula3& f) const { return {at_(f[0]), at_(f[1]), at_(f[2])}; }
  static Formula3 numbers(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }
  Vec3<double> vector(const Formula3& f) const { return {at_(f[0]), at_(f[1]), at_(f[2])}; }

  static Rotation rotation(const Mat3<double>& R) {
    const auto [roll, pitch, yaw] = rpy_of(R);
    if (roll == 0.0 && pitch == 0.0 && yaw == 0.0) return {};
    return {Rotation::Kind::rpy, {roll, pitch, yaw}};
  }
  Rotation rotation(const Rotation& r) const {
    if (r.kind != Rotation::Kind::rpy) return rotation(rotation_of<double>(at_, r));
    return {Rotation::Kind::rpy, {at_(r.values[0]), at_(r.values[1]), at_(r.values[2])}};
  }
  Origin origin(const Origin& o) const { return {numbers(o.xyz), rotation(o.rotation), o.where}; }
  static Origin origin(const Transform<double>& X) { return {numbers(X.p), rotation(X.R), {}}; }

  Inertia inertia(const Inertia& i) const {
    Inertia result = i;
    result.mass = number(i.mass);
    result.com = numbers(i.com);
    for (std::size_t k = 0; k < 6; ++k) result.tensor[k] = number(i.tensor[k]);
    result.rotation = rotation(i.rotation);
    if (!i.about_origin) return result;
    // I_com = I − m (c·c − c cᵀ), in the link's axes
    const auto t = [&](std::size_t k) { return at_(i.tensor[k]); };
    const Mat3<double> R = rotation_of<double>(at_, i.rotation);
    Mat3<double> I({t(0), t(3), t(4)}, {t(3), t(1), t(5)}, {t(4), t(5), t(2)});
    const Vec3<double> c = vector(i.com);
    I = R * I * transpose(R) - (Mat3<double>::diagonal(dot(c, c)) - outer(c, c)) * at_(i.mass);
    result.tensor = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    result.rotation = {};
    result.about_origin = false;
    return result;
  }

  std::vector<Visual> visuals(const std::vector<Visual>& shapes) const {
    std::vector<Visual> result = shapes;
    for (Visual& v : result) {
      for (Formula& f : v.size) f = number(f);
      v.origin = origin(v.origin);
    }
    return result;
  }

  void general_losses() {
    std::string list;
    for (const Parameter& p : m_.parameters) {
      list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", p.name, number_text(at_(p.value)));
    }
    if (!list.empty()) remarks_.changes.push_back("the parameters are written as numbers: " + list);
    if (!m_.unphysical.empty()) {
      remarks_.losses.push_back(fmt::format(
          "the declaration of unphysical inertias ({}) is omitted; reading the file needs --allow-unphysical",
          in_quotes(m_.unphysical)));
    }
    const auto lost = [&](const char* kind, const std::string& name) {
      remarks_.losses.push_back(fmt::format("the {} {} is omitted", kind, in_quotes(name)));
    };
    for (const Coupling& c : m_.couplings) lost("coupling", c.name);
    for (const PointSpring& s : m_.springs) lost("spring", s.name);
    for (const AppliedForce& f : m_.forces) lost("force on link", f.link);
    for (const Shaft& s : m_.shafts) lost("shaft", s.name);
  }

  void force_losses(const Joint& j) {
    const auto lost = [&](const char* what) {
      remarks_.losses.push_back(fmt::format("the {} of joint {} is omitted", what, in_quotes(j.name)));
    };
    if (j.drive) lost("drive");
    if (j.spring) lost("spring");
    if (j.limits.stiffness) lost("stop");
    if (j.damper && j.damper->table) lost("damper");
    if (j.friction.stribeck) lost("Stribeck friction");
    for (const Bearing& b : j.friction.bearings) {
      static constexpr const char* kKinds[] = {"journal bearing", "linear bearing", "thrust bearing"};
      lost(kKinds[static_cast<int>(b.kind)]);
    }
    if (j.damper && !j.damper->table) {
      remarks_.changes.push_back(
          fmt::format("the damper of joint {} is written as equivalent viscous friction", in_quotes(j.name)));
    }
  }

  static std::string fresh(std::string name, std::set<std::string>& taken) {
    while (!taken.insert(name).second) name += '_';
    return name;
  }

  std::vector<Step> steps(const Joint& j, const Formula3& axis) {
    switch (j.type) {
      case JointType::cylindrical:
        return {{JointType::revolute, axis, ".angle"}, {JointType::prismatic, axis, ".slide"}};
      case JointType::universal:
        return {{JointType::revolute, axis, ".first"}, {JointType::revolute, numbers(j.axis2), ".second"}};
      case JointType::spherical:
        remarks_.changes.push_back(fmt::format(
            "the spherical joint {} is written as three revolute joints about x, y, z: its coordinates become three "
            "angles, singular if the second is ±90°",
            in_quotes(j.name)));
        return {{JointType::revolute, {1.0, 0.0, 0.0}, ".rx"},
                {JointType::revolute, {0.0, 1.0, 0.0}, ".ry"},
                {JointType::revolute, {0.0, 0.0, 1.0}, ".rz"}};
      default: return {{j.type, axis, ""}};
    }
  }

  void add(const Link& link) {
    const Joint& j = link.joint;
    force_losses(j);
    Formula3 axis = numbers(j.axis);
    Origin place = origin(j.origin);
    Transform<double> end;  // joint frame after the motion to link frame
    if (j.dh) {
      const DhPlaces<double> places = dh_places<double>(at_, *j.dh);
      const bool moves = j.type != JointType::fixed;
      axis = {0.0, 0.0, 1.0};
      place = origin(moves ? places.before : places.before * places.after);
      if (moves) end = places.after;
    }
    std::vector<Step> chain = steps(j, axis);
    const std::size_t moving = chain.size();
    if (!is_identity(end)) chain.push_back({JointType::fixed, {0.0, 0.0, 1.0}, ".end"});
    std::string parent = link.parent;
    std::vector<std::string> joints;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const bool last = k + 1 == chain.size();
      const bool moves = k < moving;
      Link step;
      step.name = last ? link.name : fresh(link.name + (moving > 1 ? chain[k].suffix : ".joint"), links_);
      step.parent = parent;
      parent = step.name;
      step.joint = moves ? joint(j) : Joint();
      step.joint.name = moves && moving == 1 ? j.name : fresh(j.name + chain[k].suffix, joints_);
      step.joint.type = chain[k].type;
      step.joint.axis = chain[k].axis;
      step.joint.origin = k == 0 ? place : moves ? Origin() : origin(end);
      step.joint.actuated = moves && j.actuated;
      if (moves) joints.push_back(step.joint.name);
      if (last) {
        if (link.inertia) step.inertia = inertia(*link.inertia);
        step.visuals = visuals(link.visuals);
      }
      out_.links.push_back(std::move(step));
    }
    home(j, joints);
  }

  // The properties that every joint of the chain takes from the original.
  Joint joint(const Joint& j) const {
    Joint result;
    result.limits = {
        number(j.limits.lower), number(j.limits.upper), number(j.limits.velocity), number(j.limits.effort), {}, {}};
    if (j.mimic) result.mimic = Mimic{j.mimic->joint, number(j.mimic->ratio), number(j.mimic->offset), {}};
    result.friction.present = j.friction.present || (j.damper && !j.damper->table);
    result.friction.viscous = at_(j.friction.viscous) + (j.damper ? at_(j.damper->coefficient) : 0.0);
    result.friction.coulomb = number(j.friction.coulomb);
    return result;
  }

  void home(const Joint& j, const std::vector<std::string>& joints) {
    const auto written = m_.home.find(j.name);
    if (written == m_.home.end()) return;
    std::vector<double> q;
    for (const Formula& f : written->second) q.push_back(at_(f));
    if (j.type == JointType::spherical) {
      const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      // Rx(a) Ry(b) Rz(c) is the transpose of Rz(-c) Ry(-b) Rx(-a)
      const auto [a, b, c] = rpy_of(transpose(rotation_from_quaternion(q[0] / n, q[1] / n, q[2] / n, q[3] / n)));
      q = {-a, -b, -c};
    }
    if (joints.size() == 1) {
      out_.home[joints[0]] = {q.begin(), q.end()};
    } else {
      for (std::size_t k = 0; k < joints.size(); ++k) out_.home[joints[k]] = {q[k]};
    }
  }

  const Mechanism& m_;
  DefaultValues at_;
  UrdfRemarks& remarks_;
  Mechanism out_;
  std::set<std::string> links_, joints_;  // names in use
};

}  // namespace

std::array<double, 3> rpy_of(const Mat3<double>& R) {
  const double level = std::hypot(R(0, 0), R(1, 0));
  const double yaw = level == 0.0 ? 0.0 : std::atan2(R(1, 0), R(0, 0));
  // roll from the rest after yaw: if both axes are nearly parallel, one compensates the rounding of the other
  const double c = std::cos(yaw), s = std::sin(yaw);
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  // + 0.0: no minus before a zero
  return {roll + 0.0, std::atan2(-R(2, 0), level) + 0.0, yaw + 0.0};
}

Mechanism urdf_form(const Mechanism& mechanism, UrdfRemarks& remarks) { return Former(mechanism, remarks).run(); }

}  // namespace lw
