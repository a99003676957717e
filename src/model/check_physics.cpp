#include <cmath>

#include <fmt/format.h>

#include "check.hpp"
#include "inertia_check.hpp"

namespace lw {
namespace {

// `m1*2` (= -3): the value only where the text is not the number itself.
std::string with_value(const Formula& f, double value) {
  if (f.text.empty()) return fmt::format("{:.9g}", value);
  return f.value.is_constant() ? in_quotes(f.text) : fmt::format("{} (= {:.9g})", in_quotes(f.text), value);
}

// An element on the wrong side of zero can be a rounding error only.
double tidy(double x, double scale) { return std::abs(x) < 1e-15 * scale ? 0.0 : x; }

// In the words of the file: places in URDF have no column.
std::string as_written(const Eigen::Matrix3d& I, bool urdf) {
  const char* format = urdf ? R"(ixx="{:.12g}" iyy="{:.12g}" izz="{:.12g}" ixy="{:.12g}" ixz="{:.12g}" iyz="{:.12g}")"
                            : "{{xx: {:.12g}, yy: {:.12g}, zz: {:.12g}, xy: {:.12g}, xz: {:.12g}, yz: {:.12g}}}";
  return fmt::format(fmt::runtime(format), I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
}

class PhysicsCheck {
 public:
  PhysicsCheck(const DefaultValues& values, bool allow_unphysical, bool meant, Complaints& complaints)
      : at_(values), allow_(allow_unphysical), meant_(meant), complaints_(complaints) {}

  void inertia(const Inertia& inertia, const std::string& what) {
    const double mass = at_(inertia.mass);
    const Eigen::Vector3d com = at_(inertia.com);
    const auto& t = inertia.tensor;
    Eigen::Matrix3d written;
    written << at_(t[0]), at_(t[3]), at_(t[4]), at_(t[3]), at_(t[1]), at_(t[5]), at_(t[4]), at_(t[5]), at_(t[2]);
    if (!std::isfinite(mass) || !written.allFinite() || (inertia.about_origin && !com.allFinite())) return;
    const Location& where = inertia.mass.where.line > 0 ? inertia.mass.where : inertia.where;
    if (mass < 0.0) {
      unphysical(where, fmt::format("{}: the mass {} is negative", what, with_value(inertia.mass, mass)),
                 "a mass is positive");
      return;
    }
    if (mass == 0.0) {
      if (!written.isZero(0.0)) {
        unphysical(where, fmt::format("{}: the mass is 0, but the inertia tensor is not", what),
                   "a body has a positive mass; a massless frame has no inertia");
      } else {
        complaints_.note(where, fmt::format("{}: the mass is 0, so it is a massless frame", what));
      }
      return;
    }
    tensor(inertia, what, mass, com, written);
  }

  void joint(const Joint& j) {
    what_ = fmt::format("joint {}", in_quotes(j.name));
    friction(j.friction);
    if (j.damper) not_negative(j.damper->coefficient, "damper");
    if (j.drive) drive(*j.drive);
  }

  int impossible() const { return impossible_; }

 private:
  void unphysical(const Location& where, std::string message, std::string hint) {
    ++impossible_;
    if (meant_) return;
    if (allow_) {
      complaints_.warning(where, std::move(message), std::move(hint));
    } else {
      complaints_.error(where, std::move(message), std::move(hint));
    }
  }

  // About the centre of mass, in the axes in which it is written.
  void tensor(const Inertia& inertia, const std::string& what, double mass, const Eigen::Vector3d& com,
              const Eigen::Matrix3d& written) {
    const Eigen::Matrix3d R = at_(inertia.rotation);
    if (!R.allFinite()) return;
    const Eigen::Vector3d c = R.transpose() * com;
    const Eigen::Matrix3d steiner =
        inertia.about_origin
            ? Eigen::Matrix3d(mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose()))
            : Eigen::Matrix3d(Eigen::Matrix3d::Zero());
    const InertiaVerdict verdict = judge_inertia(written - steiner);
    if (verdict.possible) return;
    const Eigen::Vector3d& m = verdict.moments;
    const bool negative = m[0] < -1e-9 * m.cwiseAbs().maxCoeff();  // and not zero but for rounding
    const std::string why =
        negative ? fmt::format("{:.9g} is negative", m[0]) : fmt::format("{:.9g} + {:.9g} < {:.9g}", m[0], m[1], m[2]);
    Eigen::Matrix3d n = verdict.nearest + steiner;
    const double scale = n.cwiseAbs().maxCoeff();
    n = n.unaryExpr([&](double x) { return tidy(x, scale); });
    unphysical(tensor_place(inertia),
               fmt::format("{}: no body has this inertia: principal moments {:.9g}, {:.9g}, {:.9g}{}, but {}", what,
                           m[0], m[1], m[2], inertia.about_origin ? " about the centre of mass" : "", why),
               "the nearest possible tensor: " + as_written(n, inertia.where.column == 0));
  }

  static Location tensor_place(const Inertia& inertia) {
    for (const Formula& f : inertia.tensor) {
      if (f.where.line > 0) return f.where;
    }
    return inertia.where;
  }

  void not_negative(const Formula& f, const char* name) {
    const double value = at_(f);
    if (value < 0.0)
      complaints_.error(f.where, fmt::format("{}: `{}` is {}, which is negative", what_, name, with_value(f, value)));
  }
  void not_negative(const std::optional<Formula>& f, const char* name) {
    if (f) not_negative(*f, name);
  }
  void positive(const Formula& f, const char* name) {
    const double value = at_(f);
    if (value <= 0.0)
      complaints_.error(f.where,
                        fmt::format("{}: `{}` is {}, which is not positive", what_, name, with_value(f, value)));
  }
  void positive(const std::optional<Formula>& f, const char* name) {
    if (f) positive(*f, name);
  }

  void friction(const Friction& f) {
    not_negative(f.viscous, "viscous");
    not_negative(f.coulomb, "coulomb");
    if (f.stribeck) {
      not_negative(f.stribeck->static_torque, "static");
      positive(f.stribeck->velocity, "velocity");
      positive(f.stribeck->shape, "shape");
    }
    for (const Bearing& b : f.bearings) {
      not_negative(b.mu, "mu");
      not_negative(b.radius, "radius");
      not_negative(b.spacing, "spacing");
    }
  }

  void drive(const Drive& d) {
    if (at_(d.ratio) == 0.0)
      complaints_.error(d.ratio.where, fmt::format("{}: `ratio` is 0", what_), "motor speed / joint speed");
    not_negative(d.rotor_inertia, "rotor_inertia");
    not_negative(d.breakaway, "breakaway");
    positive(d.rated, "rated");
    positive(d.peak, "peak");
    positive(d.stiffness, "stiffness");
    not_negative(d.damping, "damping");
    not_negative(d.backlash, "backlash");
    if (!d.efficiency) return;
    for (const Formula& f : d.efficiency->y) {
      const double value = at_(f);
      if (value <= 0.0 || value > 1.0) {
        complaints_.error(
            f.where, fmt::format("{}: the efficiency {} is not between 0 and 1", what_, with_value(f, value)),
            value > 1.0 && value <= 100.0 ? fmt::format("percent? write {:.9g}", value / 100.0) : std::string());
      }
    }
    const std::vector<Formula>& loads = d.efficiency->x;
    for (std::size_t k = 0; k < loads.size(); ++k) {
      const Formula& f = loads[k];
      not_negative(f, "load");
      if (k > 0 && at_(f) <= at_(loads[k - 1])) {
        complaints_.error(f.where, fmt::format("{}: the loads of the efficiency table do not ascend at {}", what_,
                                               with_value(f, at_(f))));
      }
    }
  }

  const DefaultValues& at_;
  bool allow_, meant_;
  int impossible_ = 0;
  Complaints& complaints_;
  std::string what_;
};

}  // namespace

void check_physics(const Mechanism& mechanism, const DefaultValues& values, bool allow_unphysical,
                   Complaints& complaints) {
  // what the file says it means is noted once and not held against it
  const bool meant = !mechanism.unphysical.empty();
  PhysicsCheck check(values, allow_unphysical, meant, complaints);
  if (mechanism.base_inertia) check.inertia(*mechanism.base_inertia, fmt::format("link {}", in_quotes(mechanism.base)));
  for (const Link& link : mechanism.links) {
    if (link.inertia) check.inertia(*link.inertia, fmt::format("link {}", in_quotes(link.name)));
    check.joint(link.joint);
  }
  for (const Payload& p : mechanism.payloads) check.inertia(p.inertia, fmt::format("payload on {}", in_quotes(p.link)));
  if (meant && check.impossible() > 0) {
    complaints.note(mechanism.where, fmt::format("{} inertias are such as no body has, on purpose: {}", check.impossible(),
                                                 mechanism.unphysical));
  }
}

}  // namespace lw
