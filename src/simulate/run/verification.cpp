#include "verification.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/coordinate_rates.hpp"
#include "verifier.hpp"

namespace lw {
namespace {

using Eigen::VectorXd;
using Verdict = VerificationCheck::Verdict;
using Vector = std::vector<double>;
using groups::kOrders, groups::kStates;

// Of which more take the compiler minutes.
constexpr int kMostVerifiedVelocities = 60;
constexpr std::size_t kMostVerifiedFollowers = 12;

// What parts of the verification expect of trees, and of mechanisms with loops, whose positions Newton's method leaves
// open by a little.
struct Expected {
  const char *mass_matrix, *terms, *power;
  double of_inverse, of_forward, of_power;
  const char *why_inverse, *why_forward;
  double fastest;  // of the free motion
  std::vector<std::pair<const char*, std::function<void(Verifier&, const Expected&)>>> parts;
};

// Column by column from torques of unit accelerations.
void unit_accelerations(Verifier& v, const Expected& expected) {
  double worst = 0.0;
  Vector unit(v.n), rest(v.n), column(v.n);
  const Vector still(v.n, 0.0);
  for (const VerifiedState& c : v.states) {
    v.forces(c, still, still, rest);
    const double scale = std::max(c.H.cwiseAbs().maxCoeff(), largest(mapped(rest)));
    for (std::size_t k = 0; k < v.n; ++k) {
      unit.assign(v.n, 0.0);
      unit[k] = 1.0;
      v.forces(c, still, unit, column);
      const VectorXd difference = mapped(column) - mapped(rest) - c.H.col(static_cast<Eigen::Index>(k));
      worst = worse(worst, largest(difference) / scale);
    }
  }
  v.judge(kStates, fmt::format("mass matrix {}, against unit accelerations", expected.mass_matrix), worst, 1e-12,
          "of its largest element, or of the torques at rest", limits::kSums);
}

void forward_put_back(Verifier& v, const Expected& expected) {
  double worst = 0.0;
  Vector qdd(v.n);
  for (const VerifiedState& c : v.states) {
    v.options.methods.forward(v.model, v.plan, v.work, c.q, c.s.qd, c.s.tau, qdd);
    worst = worse(worst, v.unbalanced(c, qdd));
  }
  v.judge(kStates, "forward dynamics put back into inverse dynamics", worst, expected.of_forward, expected.terms,
          expected.why_forward);
}

void code_agrees(Verifier& v, const Expected& expected) {
  if (!v.is_compiled("compiled code, against the algorithms")) return;
  const bool driven = v.plan.undriven().empty();
  Compiled compiled = driven ? compile(v.mechanism, {"inverse", "forward"}) : compile(v.mechanism, {"forward"});
  double inverse = 0.0, put_back = 0.0;
  Vector tau(v.plan.actuated.size());
  for (const VerifiedState& c : v.states) {
    put_back = worse(put_back, v.unbalanced(c, v.called(compiled, "forward", c, c.s.tau, v.n)));
    if (!driven) continue;
    const auto torques = [&](In<double> q, In<double> qd, In<double> qdd, Out<double> of_tree) {
      v.options.methods.inverse(v.model, v.work.tree, q, qd, qdd, of_tree);
    };
    inverse_dynamics<double>(v.model, v.plan, v.work, c.q, c.s.qd, c.s.qdd, tau, TreeTorques<double>(torques));
    const Vector got = v.called(compiled, "inverse", c, c.s.qdd, tau.size());
    inverse = worse(inverse, largest(mapped(got) - mapped(tau)) / std::max(1.0, c.terms(c.s.qdd)));
  }
  const std::string how = compiled.is_native() ? "" : "interpreted: there is no compiler";
  const char* name = "compiled inverse dynamics, against the algorithm";
  if (!driven)
    v.skip(kStates, name, "the actuated joints do not determine the motion");
  else
    v.judge(kStates, name, inverse, expected.of_inverse, expected.terms, expected.why_inverse, how);
  v.judge(kStates, "compiled forward dynamics put back", put_back, expected.of_forward, expected.terms,
          expected.why_forward, how);
}

// dE/dt of all bodies, by dual numbers along the motion, is what the torques do.
void power_is_energy(Verifier& v, const Expected& expected) {
  const char* name = "power: dE/dt = τ·q̇";
  if (!v.model.forces.empty()) return v.skip(kStates, name, "external forces act, which have no potential");
  Workspace<Dual> work(v.dual);
  Vector qdd(v.n), rates(at(v.model.nq));
  double worst = 0.0;
  for (const VerifiedState& c : v.states) {
    v.options.methods.forward(v.model, v.plan, v.work, c.q, c.s.qd, c.s.tau, qdd);
    prepare_projection<double>(v.model, v.plan, v.work, c.q);
    tree_velocities<double>(v.model, v.plan, v.work, c.s.qd);
    tree_accelerations<double>(v.model, v.plan, v.work, c.q, qdd);
    coordinate_rates<double>(v.model, c.q, v.work.qd, rates);
    std::vector<Dual> q, qd;
    double in = 0.0;
    for (std::size_t k = 0; k < rates.size(); ++k) q.emplace_back(c.q[k], rates[k]);
    for (std::size_t k = 0; k < v.work.qd.size(); ++k) qd.emplace_back(v.work.qd[k], v.work.qdd[k]);
    for (std::size_t k = 0; k < c.s.tau.size(); ++k) in += c.s.tau[k] * v.work.qd[at(v.plan.actuated[k])];
    forward_velocities<Dual>(v.dual, work, q, qd);
    const Energy<Dual> e = energy<Dual>(v.dual, work, q, qd);
    const double terms = mapped(c.s.qd).cwiseAbs().dot(c.sums(qdd));
    worst = worse(worst, std::abs(e.kinetic.d + e.potential.d - in) / std::max(1e-300, terms));
  }
  v.judge(kStates, name, worst, expected.of_power, expected.power, expected.why_inverse);
}

void orders_of_integrators(Verifier& v, const Expected& expected) {
  const bool kinks = !v.model.joint_elements.empty() ||
                     std::ranges::any_of(v.model.shafts, [](const auto& s) { return s.play != 0.0; });
  if (kinks) return v.skip(kOrders, "all", "stops, tables or backlash have corners, at which every order is one");
  v.report.convergence = integrator_orders(v.mechanism, v.free_from_home(expected.fastest));
  for (const ConvergenceCurve& c : v.report.convergence) {
    if (c.measured == 0.0 && c.error.back() <= kConvergedToRoundOff) {
      v.skip(kOrders, c.integrator, "its errors are round-off at every step");
    } else if (!c.compared) {
      v.skip(kOrders, c.integrator,
             "no step of those tried is short enough for the motion and long enough to be told from round-off");
    } else if (c.measured == 0.0) {
      v.report.checks.push_back(
          {kOrders, c.integrator, HUGE_VAL, 0.0, Verdict::failed, "its errors do not fall with the step", {}, {}});
    } else {
      v.judge(kOrders, c.integrator, std::max(0.0, c.nominal - c.measured), 0.49, "orders short", limits::kOrder,
              fmt::format("order {:.2f}, should be {}", c.measured, c.nominal));
    }
  }
}

std::function<void(Verifier&, const Expected&)> alone(void (*part)(Verifier&)) {
  return [part](Verifier& v, const Expected&) { part(v); };
}

const Expected& expected_of(const LoopPlan& plan) {
  static const Expected tree{"by composite bodies",
                             "of |M| |q̈| + |h|",
                             "of |q̇|·(|M| |q̈| + |h|)",
                             1e-12,
                             1e-13,
                             1e-12,
                             limits::kSums,
                             limits::kSolution,
                             1.0,
                             {{"formulations", alone(formulations_agree)},
                              {"mass matrix", unit_accelerations},
                              {"forward dynamics", forward_put_back},
                              {"forward dynamics", alone(forward_by_mass_matrix)},
                              {"compiled code", code_agrees},
                              {"derivatives", alone(analytic_derivatives)},
                              {"power", power_is_energy},
                              {"a run", alone(torques_from_a_run)},
                              {"energy", alone(energy_of_a_run)},
                              {"integrators", orders_of_integrators}}};
  static const Expected loops{"RᵀMR",
                              "of |H| |q̈| + |h|",
                              "of |q̇|·(|H| |q̈| + |h|)",
                              1e-11,
                              1e-11,
                              1e-11,
                              limits::kNewton,
                              limits::kNewton,
                              0.5,
                              {{"complement", alone(complement_follows_position)},
                               {"mass matrix", unit_accelerations},
                               {"forward dynamics", forward_put_back},
                               {"forward dynamics", alone(forward_by_multipliers)},
                               {"compiled code", code_agrees},
                               {"derivatives", alone(derivatives_of_code)},
                               {"power", power_is_energy},
                               {"a run", alone(runs_in_both_coordinates)},
                               {"integrators", orders_of_integrators}}};
  return plan.is_tree() ? tree : loops;
}

}  // namespace

VectorXd VerifiedState::sums(std::span<const double> qdd) const {
  return H.cwiseAbs() * mapped(qdd).cwiseAbs() + h.cwiseAbs();
}

double VerifiedState::terms(std::span<const double> qdd) const {
  return std::max({1e-300, largest(h), largest(H.cwiseAbs() * mapped(qdd).cwiseAbs())});
}

double VerifiedState::condition() const {
  const Svd svd(H);
  return svd.s[0] / svd.s[svd.s.size() - 1];
}

Verifier::Verifier(const Mechanism& from, const VerificationOptions& with)
    : mechanism(from),
      options(with),
      plant(from),
      model(plant.model),
      plan(plant.plan),
      n(plan.freedoms()),
      work(model, plan),
      dual(over<Dual>(model)) {
  Random random(options.seed);
  RandomStates next(model, plan);
  const Vector still(n, 0.0);
  const auto size = static_cast<Eigen::Index>(n);
  for (int k = 0; k < options.states; ++k) {
    VerifiedState c{next.next(random), next.tree_q(), Eigen::MatrixXd(size, size), VectorXd(size)};
    mass_matrix<double>(model, plan, work, c.q, {c.H.data(), n * n});
    generalised_forces<double>(model, plan, work, c.q, c.s.qd, still, {c.h.data(), n});
    states.push_back(std::move(c));
  }
}

void Verifier::judge(const char* group, std::string name, double worst, double allowed, const char* unit,
                     const char* why, std::string note) {
  const bool fine = worst <= allowed;  // false for NaN
  report.checks.push_back(
      {group, std::move(name), worst, allowed, fine ? Verdict::passed : Verdict::failed, std::move(note), unit, why});
}

void Verifier::skip(const char* group, std::string name, std::string why) {
  report.checks.push_back({group, std::move(name), 0.0, 0.0, Verdict::skipped, std::move(why), {}, {}});
}

void Verifier::forces(const VerifiedState& c, std::span<const double> qd, std::span<const double> qdd,
                      std::span<double> force) {
  const auto torques = [&](In<double> q, In<double> all_qd, In<double> all_qdd, Out<double> tau) {
    options.methods.inverse(model, work.tree, q, all_qd, all_qdd, tau);
  };
  generalised_forces<double>(model, plan, work, c.q, qd, qdd, force, TreeTorques<double>(torques));
}

double Verifier::unbalanced(const VerifiedState& c, std::span<const double> qdd) {
  Vector force(n), given(n);
  forces(c, c.s.qd, qdd, force);
  complement_by_unit_velocities<double>(model, plan, work);
  gather_torques<double>(plan, work, c.s.tau, given);
  return largest(mapped(force) - mapped(given)) / c.terms(qdd);
}

bool Verifier::is_compiled(const char* name) {
  if (!options.compiled) {
    skip(kStates, name, "not asked for");
  } else if (model.nv > kMostVerifiedVelocities) {
    skip(kStates, name, fmt::format("code for more than {} velocities takes minutes to make", kMostVerifiedVelocities));
  } else if (plan.dependent.size() > kMostVerifiedFollowers) {
    skip(kStates, name,
         fmt::format("code for more than {} joints that follow takes minutes to make", kMostVerifiedFollowers));
  } else {
    return true;
  }
  return false;
}

Vector Verifier::called(Compiled& compiled, const char* function, const VerifiedState& c, std::span<const double> last,
                        std::size_t results) const {
  Vector in = c.s.q, out(results + plan.dependent_q.size() + plan.unknown.size());
  for (const std::span<const double> part : {std::span<const double>(c.s.qd), last, std::span<const double>(c.s.guess)})
    in.insert(in.end(), part.begin(), part.end());
  compiled(function, in, out);
  out.resize(results);
  return out;
}

LoopPosition<Dual> Verifier::moved_along(const VerifiedState& c, std::size_t k) const {
  const std::vector<Dual> all = moving_along(model, c.q, plan.independent[k]);
  std::vector<Dual> moving, guess;
  for (const int place : plan.independent_q) moving.push_back(all[at(place)]);
  for (const int place : plan.dependent_q) guess.emplace_back(c.q[at(place)]);
  return loop_position<Dual>(dual, plan, moving, guess);
}

void Verifier::judge_slopes(const std::function<Slopes(const VerifiedState&)>& slopes, std::size_t most_states,
                            const char* which, const char* unit, const char* why) {
  PlantWorkspace<Dual> work_of_duals(dual, plan);
  std::vector<Dual> qdd(n);
  double worst_q = 0.0, worst_qd = 0.0;
  const auto off = [](double a, double b, double scale) { return a == b ? 0.0 : std::abs(a - b) / scale; };
  for (std::size_t i = 0; i < std::min(states.size(), most_states); ++i) {
    const VerifiedState& c = states[i];
    const Slopes got = slopes(c);
    const std::vector<Dual> q(c.q.begin(), c.q.end()), tau(c.s.tau.begin(), c.s.tau.end());
    std::vector<Dual> qd(c.s.qd.begin(), c.s.qd.end());
    for (std::size_t k = 0; k < n; ++k) {
      forward_dynamics<Dual>(dual, plan, work_of_duals, moved_along(c, k).q, qd, tau, qdd);
      for (std::size_t r = 0; r < n; ++r) worst_q = worse(worst_q, off(qdd[r].d, got.d_q[k * n + r], got.scale_q));
      qd[k].d = 1.0;
      forward_dynamics<Dual>(dual, plan, work_of_duals, q, qd, tau, qdd);
      qd[k].d = 0.0;
      for (std::size_t r = 0; r < n; ++r) worst_qd = worse(worst_qd, off(qdd[r].d, got.d_qd[k * n + r], got.scale_qd));
    }
  }
  judge(kStates, fmt::format("∂q̈/∂q{}, against dual numbers", which), worst_q, 100.0, unit, why);
  judge(kStates, fmt::format("∂q̈/∂q̇{}, against dual numbers", which), worst_qd, 100.0, unit, why);
}

Scenario Verifier::free_from_home(double fastest) const {
  Scenario s = free_motion(model);
  s.friction = false;
  Random random(options.seed + 1);
  for (const int v : plan.independent) s.qd[at(v)] = random.between(-fastest, fastest);
  return s;
}

RunResult Verifier::run_for_a_while(const Scenario& s, const std::vector<RunListener*>& listeners) {
  constexpr long kMostSteps = 20'000;
  ScenarioDriven scene(mechanism, s, options.compiled ? DrivenOptions::Way::automatic : DrivenOptions::Way::reference);
  const auto integrator = make_integrator("dormand-prince", s.options);
  RunResult r = run(scene, *integrator, s, {options.duration, options.duration / 200.0, listeners, [&](double) {
                                              return integrator->counts().steps < kMostSteps;
                                            }});
  if (r.end == RunResult::End::interrupted)
    r.ended_by = fmt::format("after {} steps it has come to t = {:.3g} s only", kMostSteps, r.final.t);
  return r;
}

void EnergyListener::row(const RunRow& r) {
  if (to.t.empty()) start = r.potential;
  to.t.push_back(r.t);
  to.kinetic.push_back(r.kinetic);
  to.potential.push_back(r.potential - start);
  to.residual.push_back(r.residual);
}

VerifiedMethods library_methods() {
  return {
      [](const Model<double>& model, Workspace<double>& work, In<double> q, In<double> qd, In<double> qdd,
         Out<double> tau) { rnea<double>(model, work, q, qd, qdd, tau); },
      [](const Model<double>& model, const LoopPlan& plan, PlantWorkspace<double>& work, In<double> q, In<double> qd,
         In<double> tau, Out<double> qdd) { forward_dynamics<double>(model, plan, work, q, qd, tau, qdd); }};
}

bool VerificationReport::passed() const {
  return std::ranges::none_of(checks, [](const VerificationCheck& c) { return c.verdict == Verdict::failed; });
}

VerificationReport verify_mechanism(const Mechanism& mechanism, const VerificationOptions& options) {
  Verifier v(mechanism, options);
  const Expected& expected = expected_of(v.plan);
  for (std::size_t k = 0; k < expected.parts.size(); ++k) {
    const auto& [name, part] = expected.parts[k];
    if (options.progress) options.progress(static_cast<double>(k) / static_cast<double>(expected.parts.size()), name);
    try {
      part(v, expected);
    } catch (const Disagreement& e) {
      v.report.checks.push_back({kStates, name, HUGE_VAL, 0.0, Verdict::failed, e.what(), {}, {}});
    } catch (const Error& e) {
      v.skip("could not be made", name, e.what());
    }
  }
  return std::move(v.report);
}

}  // namespace lw
