#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/worse.hpp"
#include "dynamics/assembly/assembly.hpp"
#include "dynamics/assembly/feasibility.hpp"
#include "dynamics/assembly/mode_path.hpp"
#include "dynamics/assembly/modes.hpp"
#include "dynamics/planar_3rrr/direct_kinematics.hpp"
#include "evaluate.hpp"
#include "helmy_manoeuvre.hpp"
#include "helmy_table.hpp"

// Helmy 1994, appendix D and sections 4.2, 6.4: the joints' trajectory, where the platform goes, and whether the
// printed lengths allow it.
namespace lw::reproduce {
namespace {

const Source kHelmyPositions = recomputed("helmy.py", "with the lengths that reproduce appendix D");

// The longest side that must be bridged, of every ring that cannot close; ascending.
Vector open_sides(const Model<double>& model, const Vector& cranks) {
  Vector q = model.home, sides;
  for (std::size_t k = 0; k < 3; ++k) q[k] = cranks[k];
  for (const OpenPolygon& p : open_polygons(model, q, actuated_velocities(model))) sides.push_back(p.distance);
  std::sort(sides.begin(), sides.end());
  return sides;
}

// The end of the manoeuvre by another method: the distances of the knees, by their coordinates.
Vector knee_distances(const Model<double>& model, const std::array<double, 3>& cranks) {
  const Triangle<double> P = knees<double>(three_legs(model).value(), cranks);
  Vector sides;
  for (std::size_t k = 0; k < 3; ++k) {
    const PlaneVector<double> d = P[(k + 1) % 3] - P[k];
    sides.push_back(std::hypot(d.x, d.y));
  }
  std::sort(sides.begin(), sides.end());
  return sides;
}

void trajectory_rows(Experiment& e) {
  // every cell that can be read, against the cycloid; a printed cell may differ by half of its last digit
  double worst = 0.0, printed_law = 0.0;
  int cells = 0;
  for (const HelmyRow& row : helmy_table()) {
    const std::array<double, 3> q = helmy_cranks(row.t);
    const double s = row.t / 3.0, without = s - std::sin(2 * std::numbers::pi * s);  // (6.5) as printed
    const double from[] = {90, 60, 120}, way[] = {30, 60, -120};
    for (std::size_t j = 0; j < 3; ++j) {
      if (std::isnan(row.q[j])) continue;
      ++cells;
      worst = worse(worst, std::abs(q[j] / kDegree - row.q[j]));
      printed_law = std::max(printed_law, std::abs(from[j] + way[j] * without - row.q[j]));
    }
  }
  e.compare("angles", "largest difference of the crank angles from the printed ones, 301 × 3 samples (deg)",
            property("appendix D: the angles that it prints"), 0.0, worst, absolute(5e-5 + 1e-9),
            fmt::format("{} of 903 cells can be read; printed with four decimals.", cells));
  e.misprint("law", "crank 1 at t = 0.75 s: part of the way", "eqs. (5.1), (6.5)", 0.25 - 1.0,
             (helmy_cranks(0.75)[0] / kDegree - 90) / 30, (helmy_table()[75].q[0] - 90) / 30, absolute(2e-6),
             fmt::format("Both print the cycloid without 1/2π on the sine; the table has it (with the printed law "
                         "angles would be off by up "
                         "to {:.0f} deg). The other method is the table itself.",
                         printed_law));
  const JointMotion<double> middle = helmy_manoeuvre().at(1.5), quarter = helmy_manoeuvre().at(0.75);
  e.compare("rates", "peak rates of the cranks (deg/s)", recomputed("helmy.py", "2Δ/T"), {20.0, 40.0, -80.0},
            {middle.qd[0] / kDegree, middle.qd[1] / kDegree, middle.qd[2] / kDegree}, absolute(1e-10));
  e.compare("accelerations", "peak accelerations of the cranks (deg/s²)", recomputed("helmy.py", "2πΔ/T²"),
            {20.944, 41.888, -83.776}, {quarter.qdd[0] / kDegree, quarter.qdd[1] / kDegree, quarter.qdd[2] / kDegree},
            absolute(5e-4));
}

void platform_rows(Experiment& e) {
  const Vector times{0, 0.5, 1, 1.5, 2, 2.5, 3};
  // continuity needs the samples between
  Vector fine;
  for (int k = 0; k <= 300; ++k) fine.push_back(0.01 * k);
  const std::vector<HelmyPlatform> all = helmy_platforms(fine);
  const ThreeLegs legs = three_legs(embedded("planar-3rrr")).value();
  Vector computed, published{0.434590,   0.513896,   -135.65670, 67.77670,   -101.96663, 0.435722,   0.495475,
                             -137.17085, 66.00209,   -102.96806, 0.430530,   0.378738,   -145.02375, 54.90382,
                             -108.59091, 0.387715,   0.145601,   -147.78367, 34.27374,   -110.02670, 0.394678,
                             0.022570,   -127.69297, 25.56849,   -91.21039,  0.441708,   0.093168,   -110.74985,
                             32.31101,   -75.73682,  0.452313,   0.117013,   -106.90329, 34.28870,   -72.18829};
  for (const double t : times) {
    const HelmyPlatform& p = all[static_cast<std::size_t>(std::lround(t * 100))];
    const CutAngles a = cut_angles(knees<double>(legs, helmy_cranks(t)), p.corners);
    computed.insert(computed.end(), {p.x, p.y, p.angle / kDegree, a.psi / kDegree, a.theta / kDegree});
  }
  e.compare("platform", "centroid x, y (m), angle φ, and ψ, θ of the virtual cut (deg), at t = 0, 0.5, …, 3 s",
            kHelmyPositions, {published, 5}, {computed, 5}, absolute(6e-6),
            "Given with six and five decimals; ours by the mechanism's closures, tracked from home.");
  const Triangle<double>& c = all[0].corners;
  e.compare("corners", "the platform's corners at t = 0 (m)", kHelmyPositions,
            {0.49691465, 0.73626751, 0.21084875, 0.45668513, 0.59600714, 0.34873599},
            {c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y}, absolute(6e-9));
  Series x{"x", {}, {}}, y{"y", {}, {}}, path{"centroid", {}, {}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    x.x.push_back(fine[k]), x.y.push_back(all[k].x);
    y.x.push_back(fine[k]), y.y.push_back(all[k].y);
  }
  e.plots.push_back({"The platform's centroid along the manoeuvre", "time (s)", "position (m)", {x, y}, 760, 300, {}});
}

void feasibility_rows(Experiment& e) {
  const Model<double> printed = embedded("planar-3rrr-helmy");
  e.compare("impossible",
            "distances that rods and platform would have to bridge at t = 0 with the lengths of section 6.4.2 (m)",
            recomputed("helmy.py", "distances of the knees"), {0.5685, 0.8429, 0.8772},
            open_sides(printed, {90 * kDegree, 60 * kDegree, 120 * kDegree}), absolute(6e-5),
            "They reach 2 × 0.22 + 0.125 = 0.565 m: the mechanism cannot be assembled.");
  const std::array<double, 3> end = helmy_cranks(3.0);
  Vector needed;
  for (const double d : knee_distances(printed, end)) {
    if (d > 0.565) needed.push_back(d);
  }
  e.compare("impossible-end", "the same at t = 3 s (m)", property("our certificate against the knees' coordinates"),
            needed, open_sides(printed, {end[0], end[1], end[2]}), absolute(1e-12));
  // the other manoeuvre, of his set-up file: a relabelling of the cranks, so that it cannot be assembled either
  e.compare("impossible-setup", "the same for the manoeuvre of setup.inc, t = 0 (m)",
            recomputed("helmy.py", "distances of the knees, a cyclic relabelling of the table's"),
            {0.5685, 0.8429, 0.8772}, open_sides(printed, {60 * kDegree, 120 * kDegree, 90 * kDegree}), absolute(6e-5));
}

void stretch_rows(Experiment& e) {
  const Model<double> model = embedded("planar-3rrr");
  std::vector<DrivenSample> path;
  for (int k = 0; k <= 300; ++k) {
    const std::array<double, 3> q = helmy_cranks(0.01 * k);
    path.push_back({0.01 * k, {q[0], q[1], q[2]}});
  }
  const ClosedPath followed = follow_modes(model, path, model.frame_index("platform"), assemble_home(model));
  double t = -1.0, q3 = -1.0, stretches = 0.0;
  for (const PathEvent& event : followed.events) {
    if (event.kind != PathEvent::Kind::stretch) continue;
    ++stretches;
    t = event.t;
    q3 = event.actuated[2] / kDegree;
  }
  e.compare("stretch", "leg 3 passes through full stretch: number of times, t (s), q₃ (deg)", kHelmyPositions,
            {1.0, 1.856, 32.79}, {stretches, t, q3}, absolute(6e-3),
            "A serial singularity: an inverse kinematics along the path must change its working mode there.");
  double least = 1e9, most = 0.0;
  for (const ClosedSample& s : followed.samples)
    least = std::min(least, s.volumes[0]), most = std::max(most, s.volumes[0]);
  e.compare("determinant", "least and largest determinant of the velocity equations along the manoeuvre (m⁴)",
            recomputed("helmy.py", "determinant of the closed loops by rods and platform (det A of section 4.3)"),
            {0.068828, 0.101866}, {least, most}, absolute(6e-7),
            "Far from a parallel singularity throughout; ours is the volume of the closure Jacobian.");
  Plot plot{"Determinants of the legs along the manoeuvre", "time (s)", "determinant (m²)", {}, 760, 300, {t}};
  for (std::size_t l = 0; l < followed.legs.size(); ++l) {
    Series s{"leg " + std::to_string(l + 1), {}, {}};
    for (const ClosedSample& sample : followed.samples) s.x.push_back(sample.t), s.y.push_back(sample.legs[l]);
    plot.series.push_back(s);
  }
  e.plots.push_back(plot);
}

}  // namespace

Experiment helmy_positions() {
  Experiment e("helmy", "helmy.positions",
               "Trajectory and positions of the planar manipulator (appendix D, chapters 4 and 6)",
               "A planar 3-RRR follows a cycloid of its three cranks. The lengths of section 6.4.2 do not allow the "
               "manoeuvre; those that "
               "reproduce the torque tables do, and give these positions.");
  trajectory_rows(e);
  platform_rows(e);
  feasibility_rows(e);
  stretch_rows(e);
  return e;
}

}  // namespace lw::reproduce
