#include "experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "base/largest.hpp"
#include "base/worse.hpp"
#include "control/trajectory.hpp"
#include "dynamics/kinematics/inverse_kinematics.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "evaluate.hpp"

// Binder 1985, sections 2.1, 2.2 and 2.6: the Stanford arm's joints at four poses along a line in y, and the quintic
// trajectory through them. His d₂ is not printed; 0.16 m gives his joints.
namespace lw::reproduce {
namespace {

struct Waypoint {
  const char* id;
  double y;        // x = 0.3, z = −0.1 in all
  Vector printed;  // degrees, q₃ in metres
  double q6;       // what the orientation asks for; as in tests/oracles/binder.py
};

const std::vector<Waypoint> kWaypoints{{"M0", -.50, {-74.96, 100.11, .57, 30.20, 73.75, 1.15}, 7.9880},
                                       {"M1", -.15, {-55.06, 108.74, .31, 29.38, 56.67, 8.77}, 21.7129},
                                       {"M2", .15, {-1.93, 108.74, .31, 1.46, 41.28, 85.71}, 87.2345},
                                       {"M3", .50, {43.11, 100.11, .57, -23.43, 59.24, 153.45}, 141.5278}};

// Not printed: his worked example of section 2.3.1 fixes it.
const Vector kVia{-32.23, 111.51, .27, 22.29, 44.68, 29.70};

// Columns N, S, A; 0.86 in the print is √3/2.
Transform<double> pose(double y) {
  const double c = std::sqrt(3.0) / 2.0;
  return {{{0, 1, 0}, {c, 0, .5}, {.5, 0, -c}}, {.3, y, -.1}};
}

Vector in_degrees(const Vector& q) {
  Vector d = q;
  for (std::size_t k = 0; k < d.size(); ++k) d[k] /= k == 2 ? 1.0 : kDegree;
  return d;
}
Vector in_radians(const Vector& d) {
  Vector q = d;
  for (std::size_t k = 0; k < q.size(); ++k) q[k] *= k == 2 ? 1.0 : kDegree;
  return q;
}

double apart(const Transform<double>& a, const Transform<double>& b) {
  return worse(largest(a.R.eigen() - b.R.eigen()), largest(a.p.eigen() - b.p.eigen()));
}

// Paul's way (1981): the last joint from the hand's orientation, q₁ to q₅ known. In the frame that stands before joint
// 6, N is (cos q₆, sin q₆, 0). Written out with the rows of the arm's table; shares nothing with the library.
double paul_q6(const Vector& degrees) {
  const Vector q = in_radians(degrees);
  const auto turn = [](double theta, double alpha) {
    const double c = std::cos(theta), s = std::sin(theta), ca = std::round(std::cos(alpha)),
                 sa = std::round(std::sin(alpha));
    Eigen::Matrix3d A;
    A << c, -s * ca, s * sa, s, c * ca, -c * sa, 0, sa, ca;
    return A;
  };
  const double right = std::numbers::pi / 2.0;
  const Eigen::Matrix3d before = turn(q[0], -right) * turn(q[1], right) * turn(q[3], -right) * turn(q[4], right);
  const Eigen::Vector3d n = before.transpose() * Eigen::Vector3d(0, 1, 0);
  return std::atan2(n[1], n[0]) / kDegree;
}

// Least and most of the hand's x and z along a trajectory.
Vector excursion(const Model<double>& model, const Trajectory& trajectory, Series& path) {
  Workspace<double> work(model);
  Vector r{HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k <= 4000; ++k) {
    forward_kinematics<double>(model, work, trajectory.at(trajectory.duration() * k / 4000.0).q);
    const Vec3<double> p = frame_pose(model, work, 6).p;
    r = {-worse(-r[0], -p[0]), worse(r[1], p[0]), -worse(-r[2], -p[2]), worse(r[3], p[2])};
    if (k % 40 == 0) {
      path.x.push_back(p[1]);
      path.y.push_back(p[0]);
    }
  }
  return r;
}

std::vector<Vector> points(const std::vector<Vector>& degrees) {
  std::vector<Vector> q;
  for (const Vector& d : degrees) q.push_back(in_radians(d));
  return q;
}

void waypoints(Experiment& e, const Model<double>& model) {
  Workspace<double> work(model);
  double worst = 0.0;
  std::size_t branches = 8;
  const auto solved = [&](double y, const Vector& near) {
    const IkResult r = inverse_kinematics(model, 6, {pose(y)}, in_radians(near));
    branches = std::min(branches, r.solutions.size());
    for (const IkSolution& s : r.solutions) {
      forward_kinematics<double>(model, work, s.q);
      worst = worse(worst, apart(frame_pose(model, work, 6), pose(y)));
    }
    return in_degrees(r.nearest.q);
  };
  const auto rows = [&](const Waypoint& w, const Source& source, bool q6_printed) {
    const Vector q = solved(w.y, w.printed);
    const std::string id = w.id;
    e.compare(id + ".q", id + ": q₁, q₂, q₄, q₅ (°)", source, {w.printed[0], w.printed[1], w.printed[3], w.printed[4]},
              {q[0], q[1], q[3], q[4]}, absolute(.005));
    e.compare(id + ".q3", id + ": q₃ (m)", source, w.printed[2], q[2], absolute(.005));
    if (q6_printed) {
      e.misprint(
          id + ".q6", id + ": q₆ (°)", source, w.printed[5], q[5], paul_q6(q), absolute(.005),
          "The printed angle gives the right position and approach but turns N and S about it. Ours also by Paul's "
          "equation for the last joint, written out.");
    }
    e.compare(id + ".q6-right", id + ": q₆ that the orientation asks for (°)",
              recomputed("binder.py", "closed form of Paul 1981 on his poses, four decimals"), w.q6, q[5],
              absolute(5e-5));
  };
  for (const Waypoint& w : kWaypoints) rows(w, "table of joint waypoints, section 2.2", true);
  const Source implied = recomputed("binder.py", "the via point that his worked example of section 2.3.1 needs");
  rows({"V", 0.0, kVia, 45.1187}, implied, false);
  e.compare("round-trip", "pose → joints → pose, all branches, largest entry", property("exact"), 0.0, worst,
            absolute(1e-12));
  e.compare("branches", "branches of every pose", property("two shoulders, two slides, two wrists"), 8.0,
            static_cast<double>(branches), absolute(0.0));
}

void trajectories(Experiment& e, const Model<double>& model) {
  std::vector<Vector> stops;
  for (const Waypoint& w : kWaypoints) stops.push_back(w.printed);
  // coefficients in degrees and metres, as a table of them would be
  const Trajectory first = Trajectory::cruise({0, 1.4, 2.6, 4}, stops);
  const std::vector<std::vector<Vector>> table{
      {{-74.96, 0, 0, -17.83528, 35.24443, -12.37487},
       {-55.06, 44.27500, 0, 0, 0, 0},
       {-1.93, 44.27500, 0, 28.60423, -46.78259, 15.67148}},
      {{100.11, 0, 0, 31.45044, -33.69690, 9.62768},
       {108.74, 0, 0, 0, 0, 0},
       {108.74, 0, 0, -31.45044, 33.69690, -9.62768}},
      {{.57, 0, 0, -0.94752, 1.01520, -0.29006}, {.31, 0, 0, 0, 0, 0}, {.31, 0, 0, 0.94752, -1.01520, 0.29006}},
      {{30.20, 0, 0, 44.49466, -56.15195, 17.25472},
       {29.38, -23.26667, 0, 0, 0, 0},
       {1.46, -23.26667, 0, -19.48251, 29.35322, -9.59794}},
      {{73.75, 0, 0, -36.07143, 33.97413, -9.03920},
       {56.67, -12.82500, 0, 0, 0, 0},
       {41.28, -12.82500, 0, 104.71210, -107.51770, 30.05165}},
      {{1.15, 0, 0, -103.08066, 133.80970, -41.56936},
       {8.77, 64.11667, 0, 0, 0, 0},
       {85.71, 64.11667, 0, 50.59038, -77.57011, 25.50091}}};
  double jump = 0.0;
  for (int j = 0; j < 6; ++j) {
    Vector reference, ours;
    for (int k = 0; k < 3; ++k) {
      const Vector& row = table[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
      reference.insert(reference.end(), row.begin(), row.end());
      const Quintic<double>& q = first.segment(k, j);
      ours.insert(ours.end(), q.c.begin(), q.c.end());
      if (k == 2) continue;
      const auto at = static_cast<std::size_t>(k);
      const Moving<double> end = q.at(first.times()[at + 1] - first.times()[at]),
                           begin = first.segment(k + 1, j).at(0.0);
      jump = worse(jump, largest_difference(Vector{end.position, end.velocity, end.acceleration},
                                            Vector{begin.position, begin.velocity, begin.acceleration}));
    }
    e.compare("coefficients." + std::to_string(j + 1),
              "quintics of joint " + std::to_string(j + 1) + ", 4 s, three segments",
              recomputed("binder.py", "his waypoints and end conditions; his table is lost"), {reference, 6}, {ours, 6},
              absolute(1e-5));
  }
  e.compare("smooth", "jump of position, velocity, acceleration at the knots", property("constraints of section 2.6"),
            0.0, jump, absolute(1e-9));

  const Trajectory second = Trajectory::rest_to_rest({0, 2, 4}, points({stops[0], kVia, stops[3]}));
  Plot plot{"Hand over the table: x against y", "y (m)", "x (m)", {}};
  Series one, two;
  one.label = "trajectory 1";
  two.label = "trajectory 2";
  const Source curves = recomputed("binder.py", "his data; figures 2.4 to 2.7 show it");
  e.compare("excursion.first", "x from, to; z from, to along trajectory 1 (m)", curves, {.262, .334, -.1096, -.0996},
            excursion(model, Trajectory::cruise({0, 1.4, 2.6, 4}, points(stops)), one), absolute(6e-4),
            "Three decimals.");
  e.compare("excursion.second", "x from, to; z from, to along trajectory 2 (m)", curves, {.298, .389, -.114, -.099},
            excursion(model, second, two), absolute(6e-4), "Three decimals.");
  plot.series = {one, two};
  e.plots.push_back(plot);
}

}  // namespace

Experiment binder_kinematics() {
  Experiment e(
      "binder", "binder.kinematics", "Joints and trajectories of the Stanford arm (sections 2.2 and 2.6)",
      "Inverse kinematics in closed form at his four poses and at the via point of his second trajectory, and the "
      "quintic segments through them. The printed q₆ does not belong to the printed orientation; the "
      "trajectories use it as printed, as his program did.");
  const Model<double> model = embedded("stanford");
  waypoints(e, model);
  trajectories(e, model);
  return e;
}

}  // namespace lw::reproduce
