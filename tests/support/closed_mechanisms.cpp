#include "support/closed_mechanisms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "dynamics/kinematics/closure.hpp"
#include "support/mechanism_of.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::Matrix3d, Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;

std::string list(const Vector3d& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }
std::string rows(const Matrix3d& R) {
  return fmt::format("[{}, {}, {}]", list(R.row(0)), list(R.row(1)), list(R.row(2)));
}

struct Part {
  std::string name, parent, type;
  Vector3d point, axis, axis2;  // in the world at home
  bool actuated = false, may_be_massless = true, massless = false;
  double home = 0.0;
  std::string mimic = {}, friction = {}, spring = {};
  Vector3d towards = Vector3d::Zero();  // where the link reaches
  bool turns() const { return type == "revolute"; }
  bool has_one_velocity() const { return type == "revolute" || type == "prismatic"; }
};
struct Cut {
  std::string name, type, a, b;
  Vector3d point, axis, axis2;
  std::string friction;
};

class Drawing {
 public:
  explicit Drawing(Random& random) : random_(random), size_(decade(0.1)), mass_(decade(0.2)) {}

  DrawnMechanism finish(const std::string& family) {
    turn_world();
    if (!is_sound()) return {};
    const double speed = add_forces();
    return {family, text(), speed, size_};
  }

  // a value of the decade that begins there, evenly in its logarithm
  double decade(double from) { return from * std::pow(10.0, random_.between(0.0, 1.0)); }
  // in the plane, each coordinate so many sizes at most
  Vector3d point(double x, double y, double spread) {
    const double dx = random_.between(-spread, spread), dy = random_.between(-spread, spread);
    return size_ * Vector3d(x + dx, y + dy, 0.0);
  }
  Vector3d direction() {
    while (true) {
      const Vector3d v{random_.between(-1.0, 1.0), random_.between(-1.0, 1.0), random_.between(-1.0, 1.0)};
      if (v.norm() > 0.2 && v.norm() < 1.0) return v.normalized();
    }
  }
  Part& link(const std::string& name, const std::string& parent, const std::string& type, const Vector3d& at,
             const Vector3d& reaches, const Vector3d& axis = Vector3d::UnitZ(),
             const Vector3d& axis2 = Vector3d::UnitX()) {
    Part p{name, parent, type, at, axis, axis2};
    p.towards = reaches;
    if (p.has_one_velocity() && random_.chance(0.7))
      p.home = type == "revolute" ? random_.between(-2.0, 2.0) : size_ * random_.between(-1.0, 1.0);
    parts_.push_back(p);
    return parts_.back();
  }
  void cut(const std::string& type, const std::string& a, const std::string& b, const Vector3d& at,
           const Vector3d& axis = Vector3d::UnitZ(), const Vector3d& axis2 = Vector3d::UnitX()) {
    cuts_.push_back({fmt::format("cut{}", cuts_.size() + 1), type, a, b, at, axis, axis2, {}});
  }
  Part& part(const std::string& name) {
    return *std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.name == name; });
  }
  void actuate(const std::string& name) { part(name).actuated = true; }
  // q₂ = ratio q₁ + offset, at home too
  void gear(const std::string& leader, const std::string& follower, double ratio) {
    part(follower).mimic = fmt::format("{{joint: {}, ratio: {}, offset: {}}}", leader, ratio,
                                       part(follower).home - ratio * part(leader).home);
  }

  Random& random() { return random_; }
  double size() const { return size_; }
  void expect_speed() { fast_ = true; }

 private:
  // the same mechanism in another plane
  void turn_world() {
    if (random_.chance(0.4)) return;
    const Matrix3d R = Eigen::AngleAxisd(random_.between(-kPi, kPi), direction()).toRotationMatrix();
    const Vector3d shift = size_ * direction();
    for (Part& p : parts_) {
      p.point = R * p.point + shift, p.towards = R * p.towards + shift;
      p.axis = R * p.axis, p.axis2 = R * p.axis2;
    }
    for (Cut& c : cuts_) c.point = R * c.point + shift, c.axis = R * c.axis, c.axis2 = R * c.axis2;
    in_plane_ = R.col(0);
    normal_ = R.col(2);
  }

  // Closures are far from losing rank at home, with all joints and without the actuated ones.
  bool is_sound() {
    for (const Part& p : parts_) {
      if ((p.towards - p.point).norm() < 0.2 * size_ && p.type != "prismatic") return false;
    }
    const Model<double> model = instantiate<double>(mechanism_of(text()));
    Workspace<double> work(model);
    const ClosureState s = closure_state(model, work, model.home);
    const MatrixXd J =
        Eigen::Map<const MatrixXd>(s.jacobian.data(), static_cast<Eigen::Index>(s.residual.size()), model.nv);
    std::vector<Eigen::Index> passive;
    for (const JointInfo& j : model.joints) {
      for (int k = 0; k < velocities(j.type) && !j.actuated; ++k) passive.push_back(j.v + k);
    }
    const auto least = [&](const MatrixXd& A, Eigen::Index rank) {
      const Eigen::VectorXd sv = Eigen::JacobiSVD<MatrixXd>(A).singularValues();
      return rank > sv.size() ? 0.0 : sv[rank - 1] / sv[0];
    };
    const Eigen::VectorXd sv = Eigen::JacobiSVD<MatrixXd>(J).singularValues();
    const Eigen::Index rank = (sv.array() > 1e-9 * sv[0]).count();
    return least(J, rank) > 0.01 && least(J(Eigen::all, passive), rank) > 0.01;
  }

  // Masses, gravity, springs and friction; returns the speed to begin with.
  double add_forces() {
    enum class Friction { none, weak, strong };
    const double draw = random_.between(0.0, 1.0);
    const Friction kind = fast_        ? (draw < 0.5 ? Friction::none : Friction::weak)
                          : draw < 0.2 ? Friction::none
                          : draw < 0.4 ? Friction::weak
                                       : Friction::strong;
    // One link without mass, never the first: something of every loop resists.
    if (random_.chance(0.25)) {
      std::vector<Part*> able;
      for (std::size_t k = 1; k < parts_.size(); ++k) {
        if (parts_[k].may_be_massless) able.push_back(&parts_[k]);
      }
      if (!able.empty()) able[static_cast<std::size_t>(random_.below(static_cast<int>(able.size())))]->massless = true;
    }
    const Vector3d down = random_.chance(0.5)
                              ? direction()
                              : Vector3d(Eigen::AngleAxisd(random_.between(-kPi, kPi), normal_) * in_plane_);
    gravity_ = random_.chance(0.1) ? Vector3d::Zero() : Vector3d(9.81 * down);
    // Springs that swing several times in half a second, loaded by about half a radian.
    const double pace = random_.between(12.0, 40.0), stiffness = mass_ * size_ * size_ * pace * pace;
    const bool springs = kind == Friction::strong || random_.chance(0.3);
    if (springs) {
      const int count = 1 + random_.below(2);
      for (int k = 0; k < count; ++k) {
        Part& p = parts_[static_cast<std::size_t>(random_.below(static_cast<int>(parts_.size())))];
        if (!p.has_one_velocity() || !p.mimic.empty() || !p.spring.empty()) continue;
        const double by = p.turns() ? 1.0 : size_;
        const double share = random_.between(0.3, 1.0),
                     aside = random_.between(0.2, 0.6) * (random_.chance(0.5) ? 1.0 : -1.0);
        p.spring = fmt::format("{{stiffness: {}, rest: {}}}", share * stiffness / (by * by), p.home + aside * by);
      }
      if (random_.chance(0.5)) {
        const Part& p = parts_[static_cast<std::size_t>(random_.below(static_cast<int>(parts_.size())))];
        const Vector3d foot = p.point + 1.5 * size_ * direction(), held = p.towards - p.point;
        const double share = random_.between(0.1, 1.0), rest = random_.between(0.0, 1.5);
        point_spring_ = fmt::format(
            "springs: [{{name: band, between: [base, {}], at: {{base: {}, {}: {}}}, stiffness: {}, rest: {}, damping: "
            "{}}}]\n",
            p.name, list(foot), p.name, list(held), share * stiffness / (size_ * size_), rest * size_,
            random_.chance(0.3) ? 0.02 * stiffness / (size_ * size_ * pace) : 0.0);
      }
    }
    const double torque = kind == Friction::strong ? stiffness * random_.between(0.01, 0.08)
                                                   : mass_ * 9.81 * size_ * random_.between(0.005, 0.05);
    const double often = random_.between(0.2, 0.9);
    const auto friction = [&](const std::string& type) -> std::string {
      const double coulomb = torque * random_.between(0.3, 1.5),
                   viscous = random_.chance(0.4) ? 0.02 * stiffness / pace * random_.between(0.0, 1.0) : 0.0;
      if (!random_.chance(often)) return {};
      const double by = type == "prismatic" ? size_ : 1.0;
      if (type == "spherical") return fmt::format("{{viscous: {}}}", 0.01 * stiffness / pace);
      if (kind == Friction::none)
        return viscous == 0.0 ? std::string() : fmt::format("{{viscous: {}}}", viscous / (by * by));
      return fmt::format("{{coulomb: {}, viscous: {}}}", coulomb / by, viscous / (by * by));
    };
    for (Part& p : parts_) {
      if (p.mimic.empty()) p.friction = friction(p.type);
    }
    for (Cut& c : cuts_) {
      // one law for all freedoms of a joint: those of a cylindrical one have different units
      if (c.type == "revolute" || c.type == "prismatic" || c.type == "spherical" || c.type == "universal")
        c.friction = friction(c.type);
    }
    for (Part& p : parts_) {
      if (p.massless) continue;
      const double m = mass_ * std::pow(10.0, random_.between(-0.5, 0.5)), radius = size_ * random_.between(0.05, 0.3);
      const Vector3d com = random_.between(0.2, 0.8) * (p.towards - p.point) + 0.1 * size_ * direction();
      const Vector3d second = m * radius * radius *
                              Vector3d{random_.between(0.2, 1.0), random_.between(0.2, 1.0), random_.between(0.2, 1.0)};
      inertia_.push_back({p.name, fmt::format("{{mass: {}, com: {}, tensor: {}}}", m, list(com),
                                              list(Vector3d::Constant(second.sum()) - second))});
    }
    if (fast_) return random_.between(6.0, 25.0);
    if (kind == Friction::strong) return random_.chance(0.4) ? 0.0 : random_.between(0.0, 2.0);
    return random_.between(0.0, 12.0);
  }

  Vector3d origin(const std::string& name) { return name == "base" ? Vector3d::Zero() : part(name).point; }

  std::string text() {
    std::string links = fmt::format("name: closed\ngravity: {}\nlinks:\n", list(gravity_)), loops = "loops:\n", home;
    for (const Part& p : parts_) {
      Vector3d at = p.point - origin(p.parent);
      std::string turned;
      if (p.home != 0.0 && p.turns())
        turned = ", matrix: " + rows(Eigen::AngleAxisd(-p.home, p.axis).toRotationMatrix());
      if (p.home != 0.0 && p.type == "prismatic") at -= p.home * p.axis;
      links += fmt::format("  - {{name: {}, parent: {}, joint: {{type: {}{}{}, actuated: {}, origin: {{xyz: {}{}}}{}}}",
                           p.name, p.parent, p.type, p.type == "spherical" ? "" : ", axis: " + list(p.axis),
                           p.type == "universal" ? ", axis2: " + list(p.axis2) : "", p.actuated, list(at), turned,
                           p.mimic.empty() ? "" : ", mimic: " + p.mimic);
      const auto inertia =
          std::find_if(inertia_.begin(), inertia_.end(), [&](const auto& i) { return i.first == p.name; });
      if (inertia != inertia_.end()) links += ", inertia: " + inertia->second;
      if (!p.friction.empty()) links += ", friction: " + p.friction;
      if (!p.spring.empty()) links += ", spring: " + p.spring;
      links += "}\n";
      if (p.home != 0.0 && p.mimic.empty()) home += fmt::format("{}{}: {}", home.empty() ? "" : ", ", p.name, p.home);
    }
    for (const Cut& c : cuts_) {
      loops += fmt::format(
          "  - {{name: {}, joint: {{type: {}{}{}}}, between: [{}, {}], at: {{{}: {{xyz: {}}}, {}: {{xyz: {}}}}}{}}}\n",
          c.name, c.type, c.type == "spherical" ? "" : ", axis: " + list(c.axis),
          c.type == "universal" ? ", axis2: " + list(c.axis2) : "", c.a, c.b, c.a, list(c.point - origin(c.a)), c.b,
          list(c.point - origin(c.b)), c.friction.empty() ? "" : ", friction: " + c.friction);
    }
    return links + loops + point_spring_ + (home.empty() ? "" : "home: {" + home + "}\n");
  }

  Random& random_;
  const double size_, mass_;
  bool fast_ = false;
  Vector3d gravity_ = Vector3d(0.0, 0.0, -9.81), in_plane_ = Vector3d::UnitX(), normal_ = Vector3d::UnitZ();
  std::vector<Part> parts_;
  std::vector<Cut> cuts_;
  std::vector<std::pair<std::string, std::string>> inertia_;
  std::string point_spring_;
};

// A four-bar with points at random: of every Grashof kind. Returns where coupler and rocker meet.
Vector3d four_bar(Drawing& d, const std::string& cut = "revolute") {
  const Vector3d A = d.point(0.0, 0.0, 0.1), B = d.point(0.1, 0.6, 0.5), D = d.point(1.0, 0.9, 0.5),
                 C = d.point(1.2, 0.0, 0.4);
  d.link("crank", "base", "revolute", A, B);
  d.link("coupler", "crank", "revolute", B, D);
  d.link("rocker", "base", "revolute", C, D);
  if (d.random().chance(0.5))
    d.cut(cut, "coupler", "rocker", D);
  else
    d.cut(cut, "rocker", "coupler", D);
  return D;
}

DrawnMechanism draw_four_bar(Drawing& d) {
  const char* const cuts[] = {"revolute", "revolute", "revolute", "cylindrical", "spherical", "universal"};
  four_bar(d, cuts[d.random().below(6)]);
  const int lead = d.random().below(4);
  d.actuate(lead == 2 ? "coupler" : lead == 3 ? "rocker" : "crank");
  if (lead >= 2 && d.random().chance(0.7)) d.expect_speed();
  return d.finish("four-bar");
}

DrawnMechanism draw_slider_crank(Drawing& d) {
  const Vector3d A = d.point(0.0, 0.0, 0.1), B = d.point(0.2, 0.3, 0.3), D = d.point(1.3, 0.0, 0.4);
  const double tilt = d.random().between(-0.4, 0.4);
  const Vector3d along(std::cos(tilt), std::sin(tilt), 0.0);
  d.link("crank", "base", "revolute", A, B);
  d.link("rod", "crank", "revolute", B, D);
  const bool slider_last = d.random().chance(0.3);
  if (slider_last) {
    d.link("slider", "rod", "revolute", D, D + 0.3 * d.size() * along);
    d.cut("prismatic", "base", "slider", D, along);
    d.actuate(d.random().chance(0.5) ? "crank" : "rod");
  } else {
    d.link("slider", "base", "prismatic", D, D + 0.3 * d.size() * along, along);
    d.cut("revolute", "rod", "slider", D);
    d.actuate(d.random().chance(0.3) ? "crank" : "slider");
  }
  if (d.random().chance(0.5)) d.expect_speed();
  return d.finish("slider-crank");
}

void five_bar(Drawing& d) {
  const Vector3d A = d.point(0.0, 0.0, 0.1), B = d.point(-0.2, 0.6, 0.3), E = d.point(0.6, 1.3, 0.3),
                 D = d.point(1.4, 0.6, 0.3), C = d.point(1.2, 0.0, 0.2);
  d.link("left", "base", "revolute", A, B);
  d.link("left_rod", "left", "revolute", B, E);
  d.link("right", "base", "revolute", C, D);
  d.link("right_rod", "right", "revolute", D, E);
  d.cut("revolute", "left_rod", "right_rod", E);
}
DrawnMechanism draw_five_bar(Drawing& d) {
  five_bar(d);
  d.actuate("left");
  d.actuate(d.random().chance(0.3) ? "left_rod" : "right");
  return d.finish("five-bar");
}
DrawnMechanism draw_geared_five_bar(Drawing& d) {
  five_bar(d);
  d.actuate("left");
  d.gear("left", "right", (d.random().chance(0.5) ? 1.0 : -1.0) * d.random().between(0.4, 2.0));
  d.part("right").may_be_massless = false;
  return d.finish("geared five-bar");
}

// Further loops of two links each: the next coupler begins on the last rocker (Watt) or on the last coupler
// (Stephenson).
DrawnMechanism draw_chain(Drawing& d) {
  Vector3d D = four_bar(d);
  d.actuate("crank");
  std::string coupler = "coupler", rocker = "rocker";
  const int loops = 2 + d.random().below(3);
  for (int k = 2; k <= loops; ++k) {
    const std::string from = d.random().chance(0.6) ? rocker : coupler;
    const double x = 1.2 * k;
    const Vector3d P = D + d.size() * 0.4 * Vector3d{d.random().between(-1.0, 1.0), d.random().between(-0.3, 1.0), 0.0};
    D = d.point(x, 0.9, 0.4);
    const Vector3d C = d.point(x + 0.2, 0.0, 0.3);
    coupler = fmt::format("coupler{}", k), rocker = fmt::format("rocker{}", k);
    d.link(coupler, from, "revolute", P, D);
    d.link(rocker, "base", "revolute", C, D);
    d.cut("revolute", coupler, rocker, D);
  }
  return d.finish(fmt::format("chain of {}", loops));
}

DrawnMechanism draw_parallelogram(Drawing& d) {
  const Vector3d A = d.point(0.0, 0.0, 0.0), u = d.point(0.1, 0.7, 0.4), w = d.point(1.1, 0.0, 0.4);
  const int couplers = 1 + d.random().below(2);
  d.link("crank", "base", "revolute", A, A + u);
  d.actuate("crank");
  for (int k = 1; k <= couplers; ++k) {
    const Vector3d C = A + (k == 1 ? 1.0 : -0.8) * w;
    d.link(fmt::format("coupler{}", k), "crank", "revolute", A + u, C + u);
    d.link(fmt::format("follower{}", k), "base", "revolute", C, C + u);
    d.cut("revolute", fmt::format("coupler{}", k), fmt::format("follower{}", k), C + u);
  }
  if (d.random().chance(0.3)) d.expect_speed();
  return d.finish("parallelogram");
}

DrawnMechanism draw_spatial(Drawing& d) {
  const Vector3d high = d.size() * Vector3d::UnitZ();
  const Vector3d A = d.point(0.0, 0.0, 0.1), B = d.point(0.1, 0.5, 0.3) + d.random().between(-0.3, 0.3) * high;
  const Vector3d D = d.point(1.1, 0.5, 0.3) + d.random().between(-0.8, 0.8) * high,
                 C = d.point(1.3, 0.0, 0.2) + d.random().between(-0.4, 0.4) * high;
  const Vector3d first = d.direction(), last = d.direction(), u = d.direction();
  Vector3d w = d.direction();
  if (u.cross(w).norm() < 0.4) w = u.unitOrthogonal();
  const int kind = d.random().below(4);
  d.link("crank", "base", "revolute", A, B, first);
  if (kind == 1)
    d.link("coupler", "crank", "universal", B, D, u, w);
  else
    d.link("coupler", "crank", "spherical", B, D);
  d.part("coupler").may_be_massless = kind != 0 && kind != 3;  // it spins between two spherical joints
  if (kind == 3)
    d.link("slider", "base", "prismatic", D, D + 0.3 * d.size() * last, last);
  else
    d.link("rocker", "base", "revolute", C, D, last);
  const std::string end = kind == 3 ? "slider" : "rocker";
  if (kind == 2)
    d.cut("universal", "coupler", end, D, u, w);
  else
    d.cut("spherical", "coupler", end, D);
  d.actuate(d.random().chance(0.7) ? "crank" : end);
  if (d.random().chance(0.2)) d.expect_speed();
  const char* const names[] = {"RSSR", "RUSR", "RSUR", "RSSP"};
  return d.finish(names[kind]);
}

DrawnMechanism draw_hung(Drawing& d) {
  four_bar(d);
  d.actuate("crank");
  const Vector3d P = d.point(0.6, 0.9, 0.3), end = P + d.size() * d.random().between(0.4, 1.0) * d.direction();
  const int kind = d.random().below(3);
  Part& hung = kind == 0   ? d.link("pendulum", "coupler", "revolute", P, end)
               : kind == 1 ? d.link("pendulum", "coupler", "revolute", P, end, d.direction())
                           : d.link("pendulum", "coupler", "spherical", P, end);
  hung.may_be_massless = false;
  return d.finish("hung pendulum");
}

}  // namespace

DrawnMechanism random_closed_mechanism(Random& random) {
  using Draw = DrawnMechanism (*)(Drawing&);
  constexpr Draw kFamilies[] = {draw_four_bar,        draw_slider_crank, draw_slider_crank,  draw_five_bar,
                                draw_geared_five_bar, draw_chain,        draw_parallelogram, draw_spatial,
                                draw_spatial,         draw_hung};
  const Draw draw = kFamilies[random.below(static_cast<int>(std::size(kFamilies)))];
  while (true) {
    Drawing d(random);
    const DrawnMechanism m = draw(d);
    if (!m.text.empty()) return m;
  }
}

}  // namespace lw
