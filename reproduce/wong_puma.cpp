#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include "wong.hpp"

// Wong 1991, section 3.5.1: the PUMA 600 of table 3.4 and its trajectory (3.43). The thesis shows curves; the numbers
// here are those of tests/oracles/wong.py on its data.
namespace lw::reproduce {
namespace {

const Source kPumaSource = recomputed("wong.py", "data of section 3.5.1");
const Vector kPumaQdd{1, 2, 3, 4, 5, 6};

Vector puma_torque_at(const Model<double>& model, double t) { return wong_torque(model, t, 10.0); }

void kernels(Experiment& e, const Model<double>& model) {
  const Vector zero(6, 0.0);
  e.compare("M0", "M(0) (kg·m²)", kPumaSource,
            {symmetric(6, {13.283279367,
                           -0.409458854,
                           -0.409458854,
                           0.2149,
                           -0.003032299,
                           0.0141,  //
                           15.174531334,
                           4.482518006,
                           0,
                           0.143723699,
                           0,  //
                           4.461306806,
                           0,
                           0.143723699,
                           0,  //
                           0.2149,
                           0,
                           0.0141,
                           0.134932067,
                           0,
                           0.0141}),
             6},
            {mass_matrix(model, zero), 6}, absolute(1e-9), "The reference is given to nine decimals.");
  e.compare("M", "M(q*), q* = (.1, .2, .3, .4, .5, .6) (kg·m²)", kPumaSource,
            {symmetric(6, {14.9185278592,
                           -0.137104323647,
                           -0.346337047428,
                           0.192406773127,
                           0.0282445465887,
                           0.00787409346993,
                           15.8713490468,
                           4.82606377306,
                           -0.00106671099117,
                           0.137708883571,
                           0.0026324290889,
                           4.45158062729,
                           -0.000581652343695,
                           0.131582137811,
                           0.0026324290889,
                           0.213413353057,
                           0,
                           0.0123739141227,
                           0.134932067,
                           0,
                           0.0141}),
             6},
            {mass_matrix(model, kWongQ), 6}, relative(1e-9));
  e.compare("bias", "f_v(q*, q̇*), q̇* = (.6, .5, .4, .3, .2, .1) (N·m)", kPumaSource,
            {2.06388525412, -80.8465485061, -14.6510681466, -0.0311369357276, -0.136350118812, -0.00515162941341},
            bias(model, kWongQ, kWongQd), relative(1e-9));
  e.compare("gravity", "gravity torques at q* (N·m)", kPumaSource,
            {0, -81.2644095191, -13.4128678638, 0.017869545022, -0.16136341091, 0}, gravity(model, kWongQ),
            relative(1e-9));
  e.compare("inverse", "τ(q*, q̇*, q̈*), q̈* = (1, …, 6) (N·m)", kPumaSource,
            {16.62728771, -34.0626912685, 8.68084288821, 1.08528835535, 1.23671894335, 0.149980265992},
            inverse(model, kWongQ, kWongQd, kPumaQdd), relative(1e-9));
  e.compare(
      "forward", "θ̈ without torque, at rest at 0 (rad/s²)", kPumaSource,
      {0.00248977037917, 6.48778450663, -6.4076890541, -0.00248977037917, -0.0852581987206, 0},
      forward(model, zero, zero, zero), relative(1e-9),
      "With M θ̈ = τ − f_v; the thesis prints τ + f_v (equation 4.1), which its own definition of f_v contradicts.");
}

struct TorqueSample {
  double t;
  Vector tau;
};
const std::vector<TorqueSample> kTorques{
    {0, {0, -69.71323464, -0.481671, 0, 0, 0}},
    {1.25, {1.860074922, -69.02155261, -1.401113115, 0.06163199071, 0.03529211713, 0.005867156686}},
    {2.5, {3.603696504, -76.98941073, -13.59989156, 0.06615450809, -0.05353550269, 0.005810077884}},
    {3.75, {-1.253258755, -68.06557611, -25.4906912, 0.05612375443, -0.0446729861, 0.004827732772}},
    {5, {-0.06449946916, 0.4118661084, 0.4676185278, 0.09666818298, 0.003921116406, 0}},
    {6.25, {1.229763539, 67.85464454, 25.30132411, 0.003059031706, 0.1063811248, -0.01883327173}},
    {7.5, {-3.529654658, 76.05401927, 12.64164787, -0.06146781549, 0.08530788811, -0.00030311259}},
    {8.75, {-1.841606909, 68.09483568, 0.4615743731, -0.05772065712, 0.02480999708, 0.001930944406}},
    {10, {0, 68.74989264, -0.481671, 0, 0, 0}}};

void trajectory(Experiment& e, const Model<double>& model) {
  for (const TorqueSample& s : kTorques) {
    e.compare(fmt::format("torque.{}", s.t), fmt::format("τ on the trajectory, t = {} s (N·m)", s.t), kPumaSource,
              s.tau, puma_torque_at(model, s.t), relative(1e-9), "Given with ten digits.");
  }
  // largest on a grid of 0.01 s, with its time
  Vector peaks(6, 0.0), times(6, 0.0);
  for (int k = 0; k <= 1000; ++k) {
    const Vector tau = puma_torque_at(model, 0.01 * k);
    for (std::size_t j = 0; j < 6; ++j) {
      if (std::abs(tau[j]) > std::abs(peaks[j])) peaks[j] = tau[j], times[j] = 0.01 * k;
    }
  }
  e.compare("peaks", "largest torque of each joint (N·m)", kPumaSource,
            {-5.42096, -78.8989, -25.7057, 0.120516, 0.122057, -0.0215329}, peaks, absolute(5e-5),
            "Given with six digits; over t = 0, 0.01, …, 10 s.");
  e.compare("peak-times", "and when (s)", kPumaSource, {4.37, 2.96, 3.63, 4.58, 6.67, 5.92}, times, absolute(1e-9));
}

Plot torque_plot(const Model<double>& model) {
  Plot plot;
  plot.title = "PUMA 600, torques of the first three joints on trajectory (3.43), T = 10 s";
  plot.x_label = "time (s)";
  plot.y_label = "torque (N·m)";
  for (int j = 0; j < 3; ++j) {
    Series line, points;
    line.label = fmt::format("joint {}", j + 1);
    points.label = fmt::format("joint {}, reference", j + 1);
    points.look = Series::Look::points;
    line.colour = points.colour = j;
    for (int k = 0; k <= 400; ++k) {
      line.x.push_back(0.025 * k);
      line.y.push_back(puma_torque_at(model, 0.025 * k)[static_cast<std::size_t>(j)]);
    }
    for (const TorqueSample& s : kTorques) {
      points.x.push_back(s.t);
      points.y.push_back(s.tau[static_cast<std::size_t>(j)]);
    }
    plot.series.push_back(std::move(line));
    plot.series.push_back(std::move(points));
  }
  return plot;
}

}  // namespace

Experiment wong_puma() {
  Experiment e("wong", "wong.puma", "PUMA 600: dynamics and torques on the trajectory (section 3.5.1)",
               "Mass matrix, force vector, gravity, inverse and forward dynamics at single states, and inverse "
               "dynamics along the trajectory. "
               "The thesis shows these as curves only; the reference numbers are those of "
               "tests/oracles/wong.py.");
  const Model<double> model = embedded("puma600");
  kernels(e, model);
  trajectory(e, model);
  e.plots.push_back(torque_plot(model));
  return e;
}

}  // namespace lw::reproduce
