#include "experiments.hpp"

#include "dhanaraj_d4.hpp"

// The closed-form mass matrix and bias of appendix D.4 against the library's algorithms, at single states.
namespace lw::reproduce {

Experiment dhanaraj_closed_form() {
  Experiment e("dhanaraj", "dhanaraj.closed-form", "Closed-form equations of motion (appendix D.4)",
               "The formulas of the simulation program, evaluated as printed, against composite bodies and "
               "Newton-Euler on the arm "
               "with a 10 kg payload. They agree only if M is given m₃ = 16.04 kg and h is given m₃ = 16.05 kg: the "
               "print mixes two models.");
  const Model<double> for_M = d4_arm(kD4MassOfD), for_h = d4_arm(kD4MassOfBias);
  struct State {
    const char *id, *words;
    Vector q, qd;
  };
  const std::vector<State> states{{"start", "start of his simulation, at rest", kD4Start, {0, 0, 0}},
                                  {"test", "test state", {.3, -.5, .7}, {.5, -.3, .4}},
                                  {"fast", "a fast state", {-1.2, 0.4, -2.1}, {2.0, -1.5, 3.0}},
                                  {"folded", "folded arm", {0.0, -1.7, 2.6}, {-1.0, 2.5, -0.5}}};
  const char* digits = "Coefficients are printed with seven digits.";
  for (const State& s : states) {
    e.compare(std::string("M.") + s.id, std::string("M(q), ") + s.words + " (kg·m²)", "appendix D.4",
              {d4_mass_matrix(s.q), 3}, {mass_matrix(for_M, s.q), 3}, relative(5e-6), digits);
    e.compare(std::string("h.") + s.id, std::string("h(q, q̇), ") + s.words + " (N·m)", "appendix D.4",
              d4_bias(s.q, s.qd), bias(for_h, s.q, s.qd), relative(5e-6), digits);
  }
  const Vector q = states[1].q;
  const Model<double>& one = for_M;
  e.misprint("one-mass", "h(q, q̇) with the mass that M has, 16.04 kg, test state (N·m)", "appendix D.4",
             d4_bias(q, states[1].qd), bias(one, q, states[1].qd),
             modified_newton_euler(d4_links(kD4MassOfD), kD4Gravity, q, states[1].qd, {0, 0, 0}), relative(5e-6),
             "One mechanism has one m₃. Ours also by table 2.4.");
  return e;
}

}  // namespace lw::reproduce
