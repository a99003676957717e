#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "check.hpp"
#include "inertia_check.hpp"

namespace lw {

std::string with_value(const Formula& f, double value) {
  if (f.text.empty()) return fmt::format("{:.9g}", value);
  return f.value.is_constant() ? in_quotes(f.text) : fmt::format("{} (= {:.9g})", in_quotes(f.text), value);
}

namespace {

// An element with the wrong sign may be a rounding error.
double tidy(double x, double scale) { return std::abs(x) < 1e-15 * scale ? 0.0 : x; }

// In the format of the file (locations in URDF have no column).
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
                 "the mass of a body must be positive");
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

  // About the centre of mass, in the axes of the file.
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
    const bool negative = m[0] < -1e-9 * m.cwiseAbs().maxCoeff();  // beyond rounding
    const std::string why =
        negative ? fmt::format("{:.9g} is negative", m[0]) : fmt::format("{:.9g} + {:.9g} < {:.9g}", m[0], m[1], m[2]);
    Eigen::Matrix3d n = verdict.nearest + steiner;
    const double scale = n.cwiseAbs().maxCoeff();
    n = n.unaryExpr([&](double x) { return tidy(x, scale); });
    unphysical(tensor_place(inertia),
               fmt::format("{}: unphysical inertia: principal moments {:.9g}, {:.9g}, {:.9g}{}, but {}", what, m[0],
                           m[1], m[2], inertia.about_origin ? " about the centre of mass" : "", why),
               "the nearest physical tensor: " + as_written(n, inertia.where.column == 0));
  }

  static Location tensor_place(const Inertia& inertia) {
    for (const Formula& f : inertia.tensor) {
      if (f.where.line > 0) return f.where;
    }
    return inertia.where;
  }

  const DefaultValues& at_;
  bool allow_, meant_;
  int impossible_ = 0;
  Complaints& complaints_;
};

}  // namespace

void check_physics(const Mechanism& mechanism, const DefaultValues& values, bool allow_unphysical,
                   Complaints& complaints) {
  // unphysical values declared by the file are noted once
  const bool meant = !mechanism.unphysical.empty();
  PhysicsCheck check(values, allow_unphysical, meant, complaints);
  if (mechanism.base_inertia) check.inertia(*mechanism.base_inertia, fmt::format("link {}", in_quotes(mechanism.base)));
  for (const Link& link : mechanism.links) {
    if (link.inertia) check.inertia(*link.inertia, fmt::format("link {}", in_quotes(link.name)));
  }
  for (const Payload& p : mechanism.payloads) check.inertia(p.inertia, fmt::format("payload on {}", in_quotes(p.link)));
  if (meant && check.impossible() > 0) {
    complaints.note(mechanism.where, fmt::format("{} inertias are unphysical, as declared in the file: {}",
                                                 check.impossible(), mechanism.unphysical));
  }
}

}  // namespace lw
