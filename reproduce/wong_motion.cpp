#include "experiments.hpp"

#include "simulate/integrate/integrator.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "wong.hpp"

// Wong 1991: his three mechanisms left to themselves for a second. The thesis shows driven motions only; free ones have
// no controller and no table of torques that could hide an error, and are integrated by tests/oracles/wong.py.
namespace lw::reproduce {
namespace {

struct Freed {
  Vector q, qd;
  double energy = 0.0;  // J
  double gained = 0.0;  // from nowhere, of the largest energy in play
};

Freed after_a_second(const Model<double>& model, const Vector& q, const Vector& qd) {
  Driven system(model, {}, {.friction = false});
  MotionState state = system.home();
  state.q = q;
  state.v = qd;
  EnergyBalance balance(system, state);
  const EnergyBalance::Entry start = balance.look(state);
  const auto integrator = make_integrator("verner", {.rtol = 1e-13, .atol = 1e-13});
  while (state.t < 1.0) {
    integrator->step(system, state, 1.0);
    balance.look(state);
  }
  return {state.q, state.v, start.kinetic + start.potential, balance.residual()};
}

void energy_stays(Experiment& e, const std::string& name, const std::string& what, const Freed& moved) {
  e.compare(name + ".energy-drift", "energy won or lost in that second, of the largest in play, " + what,
            property("nothing drives it and nothing dissipates"), 0.0, moved.gained, absolute(1e-10));
}

}  // namespace

Experiment wong_motion() {
  Experiment e("wong", "wong.motion", "Free motions over one second (PUMA 600, torso, Caterpillar 215B)",
               "Without torques from a given state, by Verner's method with tolerances of 1e-13. The references are "
               "tests/oracles/wong.py's: Newton's and Euler's equations by Jacobians, Gragg's extrapolation.");
  const auto on_section = [](const char* section) {
    return recomputed("wong.py", std::string("data of section ") + section);
  };
  const Tolerance digits = absolute(1e-9);  // references have eleven digits, of numbers up to 6
  const Vector zero(6, 0.0);
  const Source puma_data = on_section("3.5.1"), torso_data = on_section("3.5.2"), excavator_data = on_section("5.2");

  const Freed fallen = after_a_second(embedded("puma600"), zero, zero);
  e.compare("puma.rest.q", "PUMA 600 from rest at 0, θ at 1 s (rad)", puma_data,
            {-0.29654073554, 2.5265089454, -1.6379474246, 0.29878457636, -0.77931964719, 0.090105536414}, fallen.q,
            digits);
  e.compare("puma.rest.qd", "the same, θ̇ (rad/s)", puma_data,
            {-0.10717231968, 2.9271075273, -0.47046803055, 0.22987182005, -2.2653918048, 0.44862949976}, fallen.qd,
            digits);
  e.compare("puma.rest.energy", "its energy (J)", puma_data, 26.95833126, fallen.energy, absolute(5e-9),
            "Potential energy from the height of the base; given with ten digits.");
  energy_stays(e, "puma.rest", "PUMA 600 from rest", fallen);

  const Freed thrown = after_a_second(embedded("puma600"), kWongQ, kWongQd);
  e.compare("puma.q", "PUMA 600 from (q*, q̇*), θ at 1 s (rad)", puma_data,
            {0.83112149529, 2.2396181435, 1.748352009, 1.3104127316, -0.22274276527, 1.0861799977}, thrown.q, digits);
  e.compare("puma.qd", "the same, θ̇ (rad/s)", puma_data,
            {0.61939874925, 1.5147908231, 3.7779861716, 0.37501154709, 1.7079181136, 2.0571297425}, thrown.qd, digits);
  energy_stays(e, "puma", "PUMA 600 from (q*, q̇*)", thrown);

  const Freed torso = after_a_second(embedded("torso"), kWongQ, kWongQd);
  e.compare("torso.q", "torso from (q*, q̇*), inertias set right, θ at 1 s (rad)", torso_data,
            {1.2647258059, 6.0285590698, -0.19544040133, -0.3630284838, -0.26534073626, -0.59709260997}, torso.q,
            digits);
  energy_stays(e, "torso", "torso", torso);

  const Freed excavator = after_a_second(embedded("cat215b"), {.1, .5, -1, -.3}, {.3, .2, -.1, .4});
  e.compare("excavator.q", "excavator from q = (.1, .5, −1, −.3), q̇ = (.3, .2, −.1, .4), θ at 1 s (rad)",
            excavator_data, {0.38978929733, -0.075189716063, -0.98324145242, 0.5011343181}, excavator.q, digits);
  e.compare("excavator.qd", "the same, θ̇ (rad/s)", excavator_data,
            {0.27620082575, -1.4748242378, 1.6572634866, -0.9953993482}, excavator.qd, digits);
  energy_stays(e, "excavator", "excavator", excavator);
  return e;
}

}  // namespace lw::reproduce
