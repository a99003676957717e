#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/linear.hpp"
#include "../curve.hpp"
#include "check.hpp"

namespace lw {
namespace {

// Samples within a piece between two points of a table.
constexpr std::array kPartsOfAPiece{0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0 - 1e-9};

class ForcesCheck {
 public:
  ForcesCheck(const DefaultValues& values, Complaints& complaints) : at_(values), complaints_(complaints) {}

  void joint(const Joint& j) {
    what_ = fmt::format("joint {}", in_quotes(j.name));
    friction(j.friction);
    if (j.damper) damper(*j.damper);
    if (j.spring && j.spring->table) ascend(j.spring->table->x, "position");
    positive(j.limits.stiffness, "stiffness");
    not_negative(j.limits.damping, "damping");
    if (j.drive) drive(*j.drive);
    const bool loses = j.friction.present || j.damper || (j.drive && (j.drive->efficiency || j.drive->breakaway));
    if (j.mimic && loses) {
      complaints_.note(j.where,
                       fmt::format("{} is a mimic joint and has no losses of its own: its friction, damper and "
                                   "efficiency are ignored",
                                   what_));
    }
  }

  void loop(const Loop& l) {
    what_ = fmt::format("loop {}", in_quotes(l.name));
    friction(l.friction);
  }

  void coupling(const Coupling& c) {
    for (std::size_t k = 0; k < c.drives.size(); ++k) {
      what_ = fmt::format("motor {}", in_quotes(c.motors[k]));
      drive(c.drives[k]);
    }
    const auto n = static_cast<Eigen::Index>(c.joints.size());
    if (n == 0 || static_cast<Eigen::Index>(c.matrix.size()) != n * n) return;
    Eigen::MatrixXd C(n, n);
    for (Eigen::Index i = 0; i < n * n; ++i) C(i / n, i % n) = at_(c.matrix[static_cast<std::size_t>(i)]);
    if (!C.allFinite()) return;
    const int independent = rank(C, 1e-9);
    if (independent == n) return;
    complaints_.error(
        c.matrix[0].where,
        fmt::format("coupling {}: the matrix is singular (rank {} of {})", in_quotes(c.name), independent, n),
        "its motors must move all its joints independently");
  }

  void spring(const PointSpring& s) {
    what_ = fmt::format("spring {}", in_quotes(s.name));
    not_negative(s.stiffness, "stiffness");
    not_negative(s.rest, "rest");
    not_negative(s.damping, "damping");
    if (!s.table) return;
    for (const Formula& f : s.table->x) not_negative(f, "length");
    ascend(s.table->x, "length");
  }

  void force(const AppliedForce& f) {
    what_ = fmt::format("force on {}", in_quotes(f.link));
    ascend(f.time, "time");
  }

  void shaft(const Shaft& s) {
    what_ = fmt::format("shaft {}", in_quotes(s.name));
    positive(s.stiffness, "stiffness");
    not_negative(s.damping, "damping");
    not_negative(s.backlash, "backlash");
  }

 private:
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
  void ascend(const std::vector<Formula>& places, const char* name) {
    for (std::size_t k = 1; k < places.size(); ++k) {
      const double value = at_(places[k]);
      if (value > at_(places[k - 1]) || std::isnan(value) || std::isnan(at_(places[k - 1]))) continue;
      complaints_.error(places[k].where,
                        fmt::format("{}: `{}` does not increase at {}", what_, name, with_value(places[k], value)));
    }
  }

  void friction(const Friction& f) {
    not_negative(f.viscous, "viscous");
    not_negative(f.coulomb, "coulomb");
    not_negative(f.width, "width");
    if (f.stribeck) {
      not_negative(f.stribeck->static_torque, "static");
      positive(f.stribeck->velocity, "velocity");
      positive(f.stribeck->shape, "shape");
      const double at_rest = at_(f.stribeck->static_torque), moving = at_(f.coulomb);
      if (at_rest >= 0.0 && at_rest < moving) {  // physically possible, but Stribeck's curve decreases
        complaints_.warning(f.stribeck->static_torque.where,
                            fmt::format("{}: `static` is {}, below `coulomb` ({:.9g})", what_,
                                        with_value(f.stribeck->static_torque, at_rest), moving),
                            "it is the total dry friction at rest, not an addition to `coulomb`");
      }
    }
    for (const Bearing& b : f.bearings) {
      not_negative(b.mu, "mu");
      not_negative(b.radius, "radius");
      if (b.spacing.where.line > 0) positive(b.spacing, "spacing");
    }
  }

  // It must dissipate energy at every velocity of its table.
  void damper(const Damper& d) {
    not_negative(d.coefficient, "damper");
    if (!d.table) return;
    ascend(d.table->x, "velocity");
    for (std::size_t k = 0; k < d.table->x.size(); ++k) {
      const double v = at_(d.table->x[k]), torque = at_(d.table->y[k]);
      if (v * torque < 0.0 || (v == 0.0 && torque != 0.0)) {
        complaints_.error(d.table->y[k].where,
                          fmt::format("{}: the damper's torque {} at velocity {:.9g} does not dissipate energy", what_,
                                      with_value(d.table->y[k], torque), v),
                          "it must have the sign of the velocity, and be 0 at rest");
      }
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
    if (d.rated && d.peak && at_(*d.peak) < at_(*d.rated)) {
      complaints_.warning(d.peak->where, fmt::format("{}: `peak` is {}, below `rated` ({:.9g})", what_,
                                                     with_value(*d.peak, at_(*d.peak)), at_(*d.rated)));
    }
    if (d.efficiency) efficiency(*d.efficiency);
  }

  void efficiency(const FormulaTable& table) {
    bool makes_a_curve = true;
    for (const Formula& f : table.y) {
      const double value = at_(f);
      if (value <= 0.0 || value > 1.0) {
        makes_a_curve = false;
        complaints_.error(
            f.where, fmt::format("{}: the efficiency {} is not between 0 and 1", what_, with_value(f, value)),
            value >= 2.0 && value <= 100.0 ? fmt::format("percent? write {:.9g}", value / 100.0) : std::string());
      }
    }
    for (const Formula& f : table.x) not_negative(f, "load");
    ascend(table.x, "load");
    for (std::size_t k = 1; k < table.x.size(); ++k) makes_a_curve &= at_(table.x[k]) > at_(table.x[k - 1]);
    if (makes_a_curve && table.x.size() == table.y.size()) input_rises(table);
  }

  // A larger output torque requires a larger input torque in both directions of power: x/η(x) and x η(x) increase.
  // Otherwise one input torque would correspond to two output torques.
  void input_rises(const FormulaTable& table) {
    std::vector<double> x, y;
    for (const Formula& f : table.x) x.push_back(at_(f));
    for (const Formula& f : table.y) y.push_back(at_(f));
    const Curve<double> eta(x, y, table.cubic, Curve<double>::Ends::constant);
    for (std::size_t k = 1; k < x.size(); ++k) {
      bool drives = true, driven = true;
      for (const double part : kPartsOfAPiece) {
        const double load = x[k - 1] + part * (x[k] - x[k - 1]), value = eta(load), change = load * eta.slope(load);
        if (change >= value) drives = false;
        if (-change >= value) driven = false;
      }
      if (drives && driven) continue;
      const double input = drives ? x[k] * y[k] : x[k] / y[k],
                   before = drives ? x[k - 1] * y[k - 1] : x[k - 1] / y[k - 1];
      complaints_.error(
          table.y[k].where,
          fmt::format("{}: the efficiency {} too fast from {:.9g} at load {:.9g} to {:.9g} at {:.9g}", what_,
                      drives ? "falls" : "rises", y[k - 1], x[k - 1], y[k], x[k]),
          fmt::format(
              "the {} of the drive, load {} efficiency, would not rise with the load ({:.4g}, then {:.4g} of the rated "
              "torque)",
              drives ? "torque that comes through to the motor" : "input", drives ? "times" : "over", before, input));
    }
  }

  const DefaultValues& at_;
  Complaints& complaints_;
  std::string what_;
};

}  // namespace

void check_forces(const Mechanism& mechanism, const DefaultValues& values, Complaints& complaints) {
  ForcesCheck check(values, complaints);
  for (const Link& link : mechanism.links) check.joint(link.joint);
  for (const Loop& l : mechanism.loops) check.loop(l);
  for (const Coupling& c : mechanism.couplings) check.coupling(c);
  for (const PointSpring& s : mechanism.springs) check.spring(s);
  for (const AppliedForce& f : mechanism.forces) check.force(f);
  for (const Shaft& s : mechanism.shafts) check.shaft(s);
}

}  // namespace lw
