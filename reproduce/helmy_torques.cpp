#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "dynamics/loops/closed_losses.hpp"
#include "dynamics/tree/rnea.hpp"
#include "helmy_motion.hpp"
#include "helmy_table.hpp"

// Helmy 1994, appendix D: torques of the planar 3-RRR along the manoeuvre of section 6.4, by the natural orthogonal
// complement and by multipliers in redundant coordinates; and what must hold for them.
namespace lw::reproduce {
namespace {

const Source kHelmyCalculation = recomputed("helmy.py", "with the data that reproduce appendix D");

// The cells of a column that can be read, as the table has them or as computed.
Numbers cells(const std::array<double, 3> HelmyRow::*column, const Vector* computed = nullptr) {
  Vector list;
  std::size_t k = 0;
  for (const HelmyRow& row : helmy_table()) {
    for (std::size_t j = 0; j < 3; ++j, ++k) {
      if (std::isnan((row.*column)[j])) continue;
      list.push_back(computed != nullptr ? (*computed)[k] : (row.*column)[j]);
    }
  }
  return list;
}

void table(Experiment& e) {
  HelmyMotion motion;
  Vector by_complement, by_multipliers;
  double work = 0.0, least_power = 0.0, greatest_power = 0.0, round_trip = 0.0;
  const std::size_t last = helmy_table().size() - 1;
  std::size_t k = 0;
  for (const HelmyRow& row : helmy_table()) {
    motion.go(row.t);
    const Vector tau = motion.inverse(), other = motion.inverse_by_multipliers(), back = motion.forward(tau);
    by_complement.insert(by_complement.end(), tau.begin(), tau.end());
    by_multipliers.insert(by_multipliers.end(), other.begin(), other.end());
    double power = 0.0;
    for (std::size_t j = 0; j < 3; ++j) {
      power += tau[j] * motion.qd[j];
      round_trip = std::max(round_trip, std::abs(back[j] - motion.qdd[j]));
    }
    least_power = std::min(least_power, power);
    greatest_power = std::max(greatest_power, power);
    work += power * 0.01 / 3.0 * (k == 0 || k == last ? 1.0 : k % 2 == 1 ? 4.0 : 2.0);  // Simpson's rule
    ++k;
  }
  const Numbers printed = cells(&HelmyRow::tau), recalculated = cells(&HelmyRow::recomputed);
  const std::string lost =
      fmt::format("{} of 903 cells cannot be read in the print and are left out.", 903 - printed.values.size());
  e.compare("torques", "torques of the three cranks, 301 instants (N·m)", "appendix D, torque versus time", printed,
            cells(&HelmyRow::tau, &by_complement), absolute(5e-5),
            "By the orthogonal complement, to the rounding of the print. " + lost +
                " Not with the data that section 6.4.2 prints, with which the mechanism cannot be assembled, but with "
                "those of the model planar-3rrr.");
  e.compare("torques.multipliers", "the same by multipliers in redundant coordinates (N·m)",
            "appendix D, torque versus time", printed, cells(&HelmyRow::tau, &by_multipliers), absolute(5e-5), lost);
  e.compare("torques.recomputed", "the same, nine decimals (N·m)", kHelmyCalculation, recalculated,
            cells(&HelmyRow::recomputed, &by_complement), absolute(1e-7));
  e.compare("torques.multipliers.recomputed", "by multipliers, nine decimals (N·m)", kHelmyCalculation, recalculated,
            cells(&HelmyRow::recomputed, &by_multipliers), absolute(1e-7));
  e.compare("independent", "complement against multipliers, 903 torques (N·m)",
            property("two formulations give the same torques"), by_multipliers, by_complement, absolute(1e-9));
  e.compare("work", "work of the cranks on the way (J)", kHelmyCalculation, -80.1359508, work, absolute(1e-6));
  HelmyMotion end;
  const double start = end.potential_energy();
  for (int i = 1; i <= 300; ++i) end.go(0.01 * i);
  e.compare("energy", "work of the cranks against the change of potential energy (J)",
            property("it is at rest at both ends"), end.potential_energy() - start, work, absolute(1e-6));
  e.compare("potential", "potential energy at the start (J)", kHelmyCalculation, 126.791051, start, absolute(1e-6));
  e.compare("power", "least and greatest power of the cranks together (W)", kHelmyCalculation, {-91.1546, 22.6207},
            {least_power, greatest_power}, absolute(5e-5));
  e.compare("round-trip", "forward dynamics of these torques, largest error of an acceleration (rad/s²)",
            property("forward dynamics undoes inverse dynamics"), 0.0, round_trip, absolute(1e-12));
  // plot
  Plot plot{"Torques of the cranks", "time (s)", "torque (N·m)", {}, 0, 0};
  for (std::size_t j = 0; j < 3; ++j) {
    Series line{fmt::format("motor {}", j + 1), {}, {}, {}, static_cast<int>(j)};
    std::size_t i = 0;
    for (const HelmyRow& row : helmy_table()) {
      line.x.push_back(row.t);
      line.y.push_back(by_complement[3 * i + j]);
      ++i;
    }
    plot.series.push_back(std::move(line));
  }
  e.plots.push_back(std::move(plot));
}

void ends(Experiment& e) {
  const Vector still(3, 0.0);
  HelmyMotion motion;
  e.compare("static.start", "holding torques at t = 0 (N·m)", "appendix D, first row", {-3.9739, -37.8192, 41.8956},
            motion.inverse(still, still), absolute(5e-5));
  for (int i = 1; i <= 300; ++i) motion.go(0.01 * i);
  e.compare("static.end", "holding torques at t = 3 s (N·m)", "appendix D, last row", {-44.1561, -5.4062, -73.4066},
            motion.inverse(still, still), absolute(5e-5));
}

void other_motions(Experiment& e) {
  Model<double> weightless = embedded("planar-3rrr");
  weightless.gravity = {};
  HelmyMotion floating(kTableManoeuvre, weightless);
  Vector published{0.175076, 1.225968,  -1.886279, 1.24139,   1.369645, -2.489327, -0.572045, -0.006409,
                   2.004307, -2.593369, -1.214385, -1.148289, 1.266128, -1.090028, 2.724797},
      got;
  for (int i = 1; i <= 250; ++i) {
    floating.go(0.01 * i);
    if (i % 50 != 0) continue;
    const Vector tau = floating.inverse();
    got.insert(got.end(), tau.begin(), tau.end());
  }
  e.compare("weightless", "torques without gravity at t = 0.5, 1, …, 2.5 s (N·m)", kHelmyCalculation, published, got,
            absolute(1e-6));
  HelmyMotion setup(kSetupManoeuvre);
  const Vector printed{-1.4186,  -20.7072, 44.2762, 0.1279,   -24.7058, 44.9517,  1.6191,
                       -36.6251, 47.2786,  -4.8078, -37.2778, 43.4645,  -22.4266, 1.3771,
                       44.3685,  -32.8881, 39.5054, 60.8134,  -33.6973, 42.5179,  63.3288};
  got = setup.inverse();
  for (int i = 1; i <= 300; ++i) {
    setup.go(0.01 * i);
    if (i % 50 != 0) continue;
    const Vector tau = setup.inverse();
    got.insert(got.end(), tau.begin(), tau.end());
  }
  e.compare("setup", "torques of the manoeuvre of setup.inc at t = 0, 0.5, …, 3 s (N·m)", kHelmyCalculation, printed,
            got, absolute(6e-5), "The same motion, turned by 120°: gravity alone makes the difference.");
}

void gravity_two_ways(Experiment& e) {
  HelmyMotion motion;
  Model<double> weightless = motion.model;
  weightless.gravity = {};
  double worst = 0.0;
  for (int i = 0; i <= 300; i += 10) {
    motion.go(0.01 * i);
    const Vector by_acceleration = motion.inverse();
    // weights as external forces
    std::vector<Force<double>> weights;
    for (std::size_t b = 0; b < motion.model.bodies.size(); ++b) {
      const RigidInertia<double>& I = motion.model.bodies[b].inertia;
      const Vec3<double> g = transpose(motion.work.tree.X_W[b].R) * motion.model.gravity;
      weights.push_back({cross(I.h, g), g * I.mass});
    }
    Vector by_wrench(3);
    PlantWorkspace<double> work(weightless, motion.plan);
    inverse_dynamics<double>(weightless, motion.plan, work, motion.tree_q, motion.qd, motion.qdd, by_wrench, {},
                             weights);
    for (std::size_t j = 0; j < 3; ++j) worst = std::max(worst, std::abs(by_wrench[j] - by_acceleration[j]) / 80.0);
  }
  e.compare("gravity",
            "gravity as the base's acceleration against weights as wrenches: largest difference, of the largest torque",
            property("both are the same (sections 4.6, 4.7)"), 0.0, worst, absolute(1e-13));
}

void friction(Experiment& e) {
  HelmyMotion motion;
  for (int i = 1; i <= 150; ++i) motion.go(0.01 * i);
  const Vector without = motion.inverse();
  // viscous friction in the seven joints of the tree and the two that are cut
  constexpr double kViscous = 0.5;
  Model<double> rough = motion.model;
  for (int v = 0; v < rough.nv; ++v) {
    JointLoss<double> loss;
    loss.v = v;
    for (std::size_t b = 0; b < rough.bodies.size(); ++b)
      loss.body = rough.bodies[b].v == v ? static_cast<int>(b) : loss.body;
    loss.viscous = kViscous;
    rough.losses.push_back(loss);
  }
  for (LoopClosure<double>& loop : rough.loops) {
    JointLoss<double> loss;
    loss.viscous = kViscous;
    loop.losses.push_back(loss);
  }
  ClosedLosses<double> losses(rough, motion.plan);
  PlantWorkspace<double> work(rough, motion.plan);
  losses.inverse(work, motion.tree_q, motion.qd, motion.qdd);
  e.compare(
      "friction", "what viscous friction of 0.5 N·m·s/rad in all nine joints adds at t = 1.5 s (N·m)",
      kHelmyCalculation, {0.622428, 1.464556, -2.676232},
      {losses.losses.total[0] - without[0], losses.losses.total[1] - without[1], losses.losses.total[2] - without[2]},
      absolute(1e-6));
  // Tᵀ w of the moments on the links: each joint turns one link and holds the other back
  const Vector w = motion.angular_velocities();
  const std::array<std::pair<int, int>, 9> ties{
      {{-1, 0}, {-1, 1}, {-1, 2}, {0, 3}, {1, 4}, {2, 5}, {3, 6}, {4, 6}, {5, 6}}};
  Eigen::VectorXd wrench = Eigen::VectorXd::Zero(21);
  for (const auto& [a, b] : ties) {
    const double moment = kViscous * (w[static_cast<std::size_t>(b)] - (a < 0 ? 0.0 : w[static_cast<std::size_t>(a)]));
    wrench[3 * b] += moment;
    if (a >= 0) wrench[3 * a] -= moment;
  }
  const Eigen::VectorXd by_links = motion.complement().transpose() * wrench;
  e.compare("friction.two-ways", "friction as joint torques Rᵀτ against moments on the links Tᵀw (N·m)",
            property("both are the same (section 4.6)"), {by_links[0], by_links[1], by_links[2]},
            Numbers(losses.losses.bearing), absolute(1e-12));
}

}  // namespace

Experiment helmy_torques() {
  Experiment e("helmy", "helmy.torques", "Torques of the planar 3-RRR (appendix D)",
               "Inverse dynamics of the three cranks along the 3 s manoeuvre, loops closed by Newton's method from the "
               "instant before. The thesis "
               "prints 301 rows; a second calculation, of redundant coordinates with multipliers, shares only the "
               "tree's mass matrix with the first.");
  table(e);
  ends(e);
  other_motions(e);
  gravity_two_ways(e);
  friction(e);
  return e;
}

}  // namespace lw::reproduce
