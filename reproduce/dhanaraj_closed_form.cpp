#include "experiments.hpp"

#include <cmath>

#include "dh_arm.hpp"

// Dhanaraj 1990, appendix D.4: the closed-form mass matrix and bias of the PUMA's first three joints with 10 kg in the hand,
// as his simulation program has them. They belong to two different masses of link 3: M to 16.04 kg, h to 16.05 kg.
namespace lw::reproduce {
namespace {

Model<double> puma_with_payload(double mass3) {
  return arm({{0, 0, 0, false, 0, {0, 0, 0}, {0, 0, 1.49}, 0},
              {-90, 0, 0.2435, false, 17.4, {-0.068, 0, 0}, {0.130, 0.524, 5.249}, 0},
              {0, 0.4318, -0.0934, false, mass3, {0, -0.2954, 0}, {2.0565, 0.0154, 2.9065}, 0}},
             9.8);
}

Vector printed_mass_matrix(const Vector& q) {
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
  const double m11 =
      6.881538 * (c2 * s2 * c3 * s3 + .5946234 * c2 * s2 * c3 - s2 * s2 * s3 * s3 - .5946234 * s2 * s2 * s3 -
                  .0035408 * s2 * s2 + .5 * s3 * s3 + .5946234 * s3 + .9436266);
  const double m12 = -0.7112062 * (c2 * c3 - s2 * s3 - 1.056647 * s2), m13 = -0.7112062 * (c2 * c3 - s2 * s3);
  return symmetric(3, {m11, m12, m13, 4.091923 * (s3 + 3.085665), 2.045961 * (s3 + 2.104716), 4.306169});
}

Vector printed_bias(const Vector& q, const Vector& v) {
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
  const double sum = c2 * s3 + s2 * c3;
  const double b2 = c2 * s2 * s3 * s3 + .5948432 * c2 * s2 * s3 + .0036841 * c2 * s2 + s2 * s2 * c3 * s3 +
                    .5948432 * s2 * s2 * c3 - .5 * c3 * s3 - .2974216 * c3;
  const double b3 = c2 * s2 * s3 * s3 + .2974216 * c2 * s2 * s3 - .5 * c2 * s2 + s2 * s2 * c3 * s3 +
                    .2974216 * s2 * s2 * c3 - .5 * c3 * s3 - .2974216 * c3;
  const double h1 = -13.76656 * (v[0] * v[1] * b2 + v[0] * v[2] * b3 - .0516941 * sum * (v[1] + v[2]) * (v[1] + v[2]) -
                                 .0546354 * c2 * v[1] * v[1]);
  const double h2 = 6.883283 * (v[0] * v[0] * b2 - 6.750189 * sum - 8.182499 * c2 + .5948432 * c3 * v[1] * v[2] +
                                .2974216 * c3 * v[2] * v[2]);
  const double h3 = 6.883283 * (v[0] * v[0] * b3 - 6.750189 * sum - .2974216 * c3 * v[1] * v[1]);
  return {h1, h2, h3};
}

}  // namespace

Experiment dhanaraj_closed_form() {
  Experiment e("dhanaraj", "dhanaraj.closed-form", "Closed-form equations of motion (appendix D.4)",
               "The formulas of the simulation program, evaluated as printed, against composite bodies and "
               "Newton-Euler on the arm "
               "with a 10 kg payload. They agree only if M is given m₃ = 16.04 kg and h is given m₃ = 16.05 kg: the "
               "print mixes two models.");
  const Model<double> for_M = puma_with_payload(16.04), for_h = puma_with_payload(16.05);
  struct State {
    const char *id, *words;
    Vector q, qd;
  };
  const std::vector<State> states{{"start", "start of his simulation, at rest", {3.6997, 2.3083, 0.5951}, {0, 0, 0}},
                                  {"test", "test state", {.3, -.5, .7}, {.5, -.3, .4}},
                                  {"fast", "a fast state", {-1.2, 0.4, -2.1}, {2.0, -1.5, 3.0}},
                                  {"folded", "folded arm", {0.0, -1.7, 2.6}, {-1.0, 2.5, -0.5}}};
  const char* digits = "Coefficients are printed with seven digits.";
  for (const State& s : states) {
    e.compare(std::string("M.") + s.id, std::string("M(q), ") + s.words + " (kg·m²)", "appendix D.4",
              {printed_mass_matrix(s.q), 3}, {mass_matrix(for_M, s.q), 3}, relative(5e-6), digits);
    e.compare(std::string("h.") + s.id, std::string("h(q, q̇), ") + s.words + " (N·m)", "appendix D.4",
              printed_bias(s.q, s.qd), bias(for_h, s.q, s.qd), relative(5e-6), digits);
  }
  const Vector q = states[1].q;
  const Model<double>& one = for_M;
  e.misprint("one-mass", "h(q, q̇) with the mass that M has, 16.04 kg, test state (N·m)", "appendix D.4",
             printed_bias(q, states[1].qd), bias(one, q, states[1].qd),
             modified_newton_euler({{0, 0, 0, false, 0, {0, 0, 0}, {0, 0, 1.49}, 0},
                                    {-90, 0, 0.2435, false, 17.4, {-0.068, 0, 0}, {0.130, 0.524, 5.249}, 0},
                                    {0, 0.4318, -0.0934, false, 16.04, {0, -0.2954, 0}, {2.0565, 0.0154, 2.9065}, 0}},
                                   9.8, q, states[1].qd, {0, 0, 0}),
             relative(5e-6), "One mechanism has one m₃. Ours also by table 2.4.");
  return e;
}

}  // namespace lw::reproduce
