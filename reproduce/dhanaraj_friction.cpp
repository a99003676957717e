#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "control/trajectory.hpp"
#include "counting.hpp"
#include "dynamics/friction/friction.hpp"
#include "dynamics/kinematics/follow_path.hpp"
#include "dynamics/tree/energy.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "evaluate.hpp"
#include "experiments.hpp"
#include "model/read/read.hpp"

// Dhanaraj 1990, chapter 3: friction in bearings and gears of a PUMA's first three joints.
//
// His journal bearing with moments (equation 3.3) has n_x with the wrong sign: two supports at ±d/2 carry
// (f_x/2 ± n_y/d, f_y/2 ∓ n_x/d). As printed, what it gives depends on how the frame is turned about the joint's axis.
// The distance d of the supports and the efficiency curve (figure 3.4) are lost, as are the samples of his trajectory.
namespace lw::reproduce {
namespace {

// --- bearings

constexpr double kMu = 0.1, kRadius = 0.08, kSpacing = 0.2;

struct Load {
  double fx, fy, nx, ny;
  // Turned about the joint's axis, or seen in axes that are turned the other way.
  Load turned(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * fx - s * fy, c * fy + s * fx, c * nx - s * ny, c * ny + s * nx};
  }
};
constexpr Load kLoad{12.0, -5.0, 3.0, 4.0};

double ours(Bearing::Kind kind, const Load& load, double spacing, bool moments = true) {
  const BearingLoss<double> bearing{kind, moments, kMu, kRadius, spacing, Vec3<double>::unit(0)};
  const Force<double> reaction{{load.nx, load.ny, 7.0}, {load.fx, load.fy, -9.0}};
  return bearing_friction<double>(bearing, Vec3<double>::unit(2), kind == Bearing::Kind::linear, reaction);
}

// Equation 3.3 as printed.
double journal_printed(const Load& l) {
  const double h = 0.5 * kSpacing;
  return kMu * kRadius / kSpacing *
         (std::hypot(h * l.fx - l.ny, h * l.fy - l.nx) + std::hypot(h * l.fx + l.ny, h * l.fy + l.nx));
}

// By the statics of two supports: their forces from the balance of forces and of moments, each a system of its own.
double journal_by_statics(const Load& l) {
  double sum = 0.0;
  for (const double side :
       {0.5, -0.5}) {  // A_x + B_x = f_x, (A_x − B_x) d/2 = n_y; A_y + B_y = f_y, (A_y − B_y) d/2 = −n_x
    sum += std::hypot(0.5 * l.fx + side * 2.0 * l.ny / kSpacing, 0.5 * l.fy - side * 2.0 * l.nx / kSpacing);
  }
  return kMu * kRadius * sum;
}

void bearings(Experiment& e) {
  const Load turned = kLoad.turned(0.7);
  const std::string data = "μ = .1, r = .08 m, d = .2 m, f = (12, −5) N, n = (3, 4) N·m";
  e.compare("journal", "friction of the journal, " + data + "; in axes turned by 0.7 rad (N·m)",
            recomputed("dhanaraj.py", "balance of the two supports, six decimals"), {0.400874, 0.400874},
            {ours(Bearing::Kind::journal, kLoad, kSpacing), ours(Bearing::Kind::journal, turned, kSpacing)},
            absolute(5e-7));
  e.misprint(
      "journal-printed", "the same by equation 3.3 (N·m)", recomputed("dhanaraj.py", "equation 3.3, six decimals"),
      {0.410077, 0.401794},
      {ours(Bearing::Kind::journal, kLoad, kSpacing), ours(Bearing::Kind::journal, turned, kSpacing)},
      {journal_by_statics(kLoad), journal_by_statics(turned)}, absolute(5e-7),
      "The sign of n_x is wrong: the friction would depend on how the frame is turned. Ours also by the statics of "
      "two supports.");
  e.compare("journal-faults", "ours with that sign put back (N·m)",
            recomputed("dhanaraj.py", "equation 3.3, six decimals"), {0.410077, 0.401794},
            {journal_printed(kLoad), journal_printed(turned)}, absolute(5e-7));
  const double alone = kMu * kRadius * std::hypot(kLoad.fx, kLoad.fy);
  e.compare(
      "journal-limits", "d = 10⁹ m; no moments; bearing without moments: μ r |f| (N·m)", "equation 3.2",
      {alone, alone, alone},
      {ours(Bearing::Kind::journal, kLoad, 1e9), ours(Bearing::Kind::journal, {kLoad.fx, kLoad.fy, 0, 0}, kSpacing),
       ours(Bearing::Kind::journal, kLoad, kSpacing, false)},
      relative(1e-7));
  e.compare("linear", "friction of a linear bearing under the same load (N)", "equation 3.4", 7.0,
            ours(Bearing::Kind::linear, kLoad, kSpacing), absolute(1e-12));
  e.compare("thrust", "friction of a thrust bearing, f_z = −9 N (N·m)", "table 3.1", kMu * kRadius * 9.0,
            ours(Bearing::Kind::thrust, kLoad, kSpacing), absolute(1e-12),
            "Equation 3.5 prints f_x for f_z; table 3.1 has it right.");
}

// --- the drive

constexpr std::array<double, 3> kRated{97.6, 186.4, 89.4}, kBreakaway{6.3, 5.5, 2.6};

DriveLoss<double> drive(std::size_t joint) {
  DriveLoss<double> d;
  Vector load{0.6801 / 89.4, 2.9943 / 97.6,
              15.9646 / 186.4};  // |torque| / greatest torque of the three joints in table 3.5
  for (double& x : load) x *= kRated[joint];
  d.efficiency = Curve<double>(load, {0.34583, 0.45429, 0.5619}, false, Curve<double>::Ends::constant);
  d.breakaway = kBreakaway[joint];
  return d;
}

void quadrants(Experiment& e) {
  DriveLoss<double> d;
  d.efficiency = Curve<double>({0.0}, {0.8}, false, Curve<double>::Ends::constant);
  d.breakaway = 1.5;
  Vector printed, found;
  double gained = 0.0;
  for (const double out : {10.0, -10.0}) {
    for (const double speed : {2.0, -2.0}) {
      const double sign = speed > 0.0 ? 1.0 : -1.0;
      printed.push_back((out * speed > 0.0 ? out / 0.8 : out * 0.8) + sign * 1.5);
      found.push_back(drive_input<double>(d, out, speed, 0.0));
      gained = worse(gained, -(found.back() - out) * speed);
    }
  }
  e.compare("quadrants", "input at output ±10 N·m, speed ±, η = 0.8, breakaway 1.5 N·m (N·m)", "table 3.2", printed,
            found, absolute(1e-12));
  e.compare("quadrants-power", "most power that the drive gives away for nothing (W)",
            property("a transmission loses power in every quadrant"), 0.0, std::max(0.0, gained), absolute(0.0));
}

void table(Experiment& e) {
  const Vector dynamic{1.2140, -15.6364, -0.8042}, joint{1.7803, -0.3281, 0.1241}, at_joint{2.9943, -15.9646, -0.6801},
      transmission{9.8968, -17.9472, 3.0449}, input{12.8911, -33.9117, 2.3648}, direction{1.0, -1.0, 1.0};
  Vector sum, lost, total;
  for (std::size_t k = 0; k < 3; ++k) {
    sum.push_back(dynamic[k] + joint[k]);
    total.push_back(drive_input<double>(drive(k), at_joint[k], direction[k], 0.0));
    lost.push_back(total[k] - at_joint[k]);
  }
  const std::string curve =
      "Figure 3.4 is lost: the efficiency has the three values that this table implies (0.346, 0.454, 0.562 at loads "
      "0.0076, 0.0307, 0.0857), so it is the law and the quadrants that are checked. Joint 3 is driven by its load.";
  e.compare("at-joint", "torque at the joint, t = 0.6 s (N·m)", "table 3.5", at_joint, sum, absolute(2e-4));
  e.compare("transmission", "lost in the transmission (N·m)", "table 3.5", transmission, lost, absolute(2e-4), curve);
  e.compare("input", "input torque, on the joint's side (N·m)", "table 3.5", input, total, absolute(2e-4), curve);
  e.not_reproducible(
      "dynamic", "torque of the frictionless arm, t = 0.6 s (N·m)", "table 3.5", dynamic,
      "The trajectory's samples are lost; no cubic, quintic, cycloid or trapezoid between round end points "
      "gives the three numbers together.");
}

// --- operations

void friction_operations(Experiment& e) {
  OperationCount count;
  const auto number = [&] { return Count(1.0, &count); };
  const auto cost = [&](const auto& calculation) {
    count = {};
    calculation();
    return static_cast<double>(count.multiplications + count.additions + count.divisions + count.roots);
  };
  Body<Count> turning, sliding;
  sliding.kind = JointKind::prismatic;
  JointLoss<Count> journal, guide;
  journal.bearings = {{Bearing::Kind::journal, true, 0.1, 0.08, 0.3, {}}};
  guide.bearings = {{Bearing::Kind::linear, true, 0.1, 0.0, 0.3, Vec3<Count>::unit(0)}};
  DriveLoss<Count> constant, curve;
  constant.efficiency = Curve<Count>({0.0}, {0.7}, false, Curve<Count>::Ends::constant);
  curve.efficiency = Curve<Count>({0.1, 0.5, 2.0}, {0.3, 0.5, 0.7}, false, Curve<Count>::Ends::constant);
  constant.breakaway = curve.breakaway = 2.5;
  const Force<Count> reaction{{number(), number(), number()}, {number(), number(), number()}};
  const auto loss = [&](const JointLoss<Count>& l, const Body<Count>& b) {
    return cost([&] { joint_friction<Count>(l, b, number(), reaction); });
  };
  const auto gear = [&](const DriveLoss<Count>& d) {
    return cost([&] { drive_input<Count>(d, number(), number(), Count(0.0)); });
  };
  const double revolute = loss(journal, turning), slide = loss(guide, sliding);
  e.beaten("journal-cost", "operations of friction in a revolute joint", "table 3.3: 15 multiplications, 5 additions",
           20.0, revolute, "Roots count one each, comparisons nothing, as do signs.");
  e.beaten("guide-cost", "operations of friction in a sliding joint", "table 3.3: 10 multiplications, 7 additions",
           17.0, slide, "The same.");
  e.beaten("constant-cost", "operations of a transmission of constant efficiency",
           "section 3.4: 4 a joint where bearings roll", 4.0, gear(constant), "");
  e.beaten("added-cost", "operations that friction adds to a revolute joint, efficiency by a table", "table 3.3", 24.0,
           revolute + 1.0 + gear(curve),
           "Bearing, sum at the joint and transmission. Both quadrants are computed and one is taken, which costs a "
           "division more than he counts, and no branch.");
}

// --- the case study

struct MotionSample {
  double t;
  Vector q, qd;
  Losses<double> losses;
};

std::vector<MotionSample> follow(const Model<double>& model, int tip, int count) {
  const CartesianLine way({Mat3<double>::identity(), {0.3, -0.3, -0.3}}, {Mat3<double>::identity(), {0.3, 0.4, 0.4}},
                          2.0);
  std::vector<PathSample> path;
  for (int k = 0; k < count; ++k) {
    const double t = 2.0 * k / (count - 1);
    const FrameMotion<double> m = way.at(t);
    path.push_back({t, m.pose, m.velocity, m.acceleration});
  }
  Workspace<double> work(model);
  std::vector<MotionSample> samples;
  for (const JointSample& j : follow_path(model, tip, path, true, Vector{0.0, 0.0, 0.0})) {
    if (!j.reached) throw Error(ErrorCode::data, "the line of the case study is out of reach");
    samples.push_back({j.t, j.q, j.qd, Losses<double>(model)});
    inverse_with_losses<double>(model, work, j.q, j.qd, j.qdd, samples.back().losses);
  }
  return samples;
}

double mechanical_energy(const Model<double>& model, const MotionSample& s) {
  Workspace<double> work(model);
  forward_velocities<double>(model, work, s.q, s.qd);
  const Energy<double> sum = energy<double>(model, work, s.q, s.qd);
  return sum.kinetic + sum.potential;
}

void case_study(Experiment& e) {
  Mechanism arm = load("puma560-dhanaraj", {.floating_base = false, .allow_unphysical = true});
  arm.links.resize(3);
  arm.home.clear();
  Link wrist;
  wrist.name = "wrist";
  wrist.parent = arm.links.back().name;
  wrist.joint.name = "wrist";
  wrist.joint.origin.xyz = {-0.0203, -0.4331, 0.0};
  arm.links.push_back(wrist);
  const Model<double> model = instantiate<double>(arm);
  const std::vector<MotionSample> motion = follow(model, 4, 2001);

  const std::size_t n = 3;
  Vector peak(n, 0.0), peak_with(n, 0.0), bearing_work(n, 0.0), transmission_work(n, 0.0);
  double backwards = 0.0, work = 0.0, lost = 0.0;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const Losses<double>& l = motion[k].losses;
    // Simpson's rule over the samples
    const double weight = (k == 0 || k + 1 == motion.size() ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) / 3.0 * 1e-3;
    for (std::size_t j = 0; j < n; ++j) {
      const double qd = motion[k].qd[j];
      peak[j] = std::max(peak[j], std::abs(l.dynamic[j]));
      peak_with[j] = std::max(peak_with[j], std::abs(l.total[j]));
      bearing_work[j] += weight * l.bearing[j] * qd;
      transmission_work[j] += weight * l.transmission[j] * qd;
      work += weight * l.dynamic[j] * qd;
      lost += weight * (l.bearing[j] + l.transmission[j]) * qd;
      backwards = worse(backwards, std::max({0.0, -l.bearing[j] * qd, -l.transmission[j] * qd}));
    }
  }
  const double gained = mechanical_energy(model, motion.back()) - mechanical_energy(model, motion.front());
  const Source line = property("case study of section 3.5, on a line of our own");
  e.compare("case.power", "most power that bearings or gears give away for nothing (W)", line, 0.0, backwards,
            absolute(0.0));
  e.compare("case.work", "work of the frictionless torques − energy gained (fraction of the energy lost by friction)",
            line, 0.0, (work - gained) / lost, absolute(1e-6), "Simpson's rule over 2001 samples.");
  Vector share, larger;
  for (std::size_t j = 0; j < n; ++j) {
    share.push_back(transmission_work[j] / bearing_work[j]);
    larger.push_back(share[j] > 1.0 ? 1.0 : 0.0);
  }
  e.compare("case.shares", "joints in which the transmission loses more work than the bearing",
            property("section 3.5: losses in the transmission exceed those in the joint"), {1.0, 1.0, 1.0}, larger,
            absolute(0.0),
            fmt::format("Work lost in the transmission is {:.1f}, {:.1f} and {:.1f} times that in the bearing.",
                        share[0], share[1], share[2]));
  Vector added;
  for (std::size_t j = 0; j < n; ++j) added.push_back(peak_with[j] > peak[j] ? 1.0 : 0.0);
  e.compare("case.peaks", "joints whose peak torque is higher with friction",
            property("section 3.5: friction is significant"), {1.0, 1.0, 1.0}, added, absolute(0.0),
            fmt::format("Peaks without friction {:.1f}, {:.1f}, {:.1f}; with it {:.1f}, {:.1f}, {:.1f} N·m.", peak[0],
                        peak[1], peak[2], peak_with[0], peak_with[1], peak_with[2]));

  for (std::size_t j = 0; j < n; ++j) {
    Plot plot{fmt::format("Joint {} along the line", j + 1), "time (s)", "torque (N·m)", {}};
    const std::pair<const char*, std::vector<double> Losses<double>::*> curves[] = {
        {"without friction", &Losses<double>::dynamic},
        {"with friction", &Losses<double>::total},
        {"of it: bearing", &Losses<double>::bearing},
        {"of it: transmission", &Losses<double>::transmission}};
    for (const auto& [label, of] : curves) {
      Series s;
      s.label = label;
      for (std::size_t k = 0; k < motion.size(); k += 10) {
        s.x.push_back(motion[k].t);
        s.y.push_back((motion[k].losses.*of)[j]);
      }
      plot.series.push_back(s);
    }
    e.plots.push_back(plot);
  }
}

}  // namespace

Experiment dhanaraj_friction() {
  Experiment e("dhanaraj", "dhanaraj.friction", "Friction in bearings and transmissions (chapter 3)",
               "For a given motion the reactions in the joints are those of the frictionless arm, so friction follows "
               "from them without "
               "iteration. The wrist of a three-joint PUMA moves on a line, px = 0.3 m and py = pz from −0.3 to 0.4 m, "
               "by a quintic over "
               "2 s; bearings are 0.2 m apart (our assumption: the thesis does not say).");
  bearings(e);
  quadrants(e);
  table(e);
  friction_operations(e);
  case_study(e);
  return e;
}

}  // namespace lw::reproduce
