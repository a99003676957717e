// What is verified of trees alone: formulations of the theses, articulated bodies, and torques back from a run.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "verifier.hpp"

namespace lw {
namespace {

using Eigen::VectorXd;
using Vector = std::vector<double>;
using groups::kRun, groups::kStates;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// From home, held against gravity and shaken: with all others, each joint would accelerate there by a sine of 2
// rad/s² or m/s². Of seven frequencies, so that neighbours have different ones. It moves from the beginning, lest
// friction hold it.
Scenario shaken(Verifier& v) {
  constexpr std::size_t kTones = 7;
  Scenario s = free_motion(v.model);
  Vector hold(v.n), M(v.n * v.n);
  const Vector still(v.n, 0.0);
  rnea<double>(v.model, v.work.tree, v.model.home, still, still, hold);
  crba<double>(v.model, v.work.tree, v.model.home, M);
  Random random(v.options.seed + 2);
  for (double& x : s.qd) x = random.between(-0.5, 0.5);
  const Expr t(s.formulas.get(), 0);
  for (std::size_t k = 0; k < v.n; ++k) {
    std::array<double, kTones> size{};
    for (std::size_t j = 0; j < v.n; ++j) size[j % kTones] += 2.0 * M[j * v.n + k];
    Expr torque(hold[k]);
    for (std::size_t tone = 0; tone < kTones; ++tone)
      torque += Expr(size[tone]) * sin(Expr(3.0 + static_cast<double>(tone)) * t);
    s.inputs[k].formula = torque;
  }
  return s;
}

bool gave_up(Verifier& v, const std::string& name, const RunResult& r) {
  if (r.end == RunResult::End::duration) return false;
  v.skip(kRun, name, "the run does not come to its end: " + r.ended_by);
  return true;
}

// What forward dynamics has moved, put back into inverse dynamics: as at random states, but at those that a motion
// comes to.
struct RoundTrip : RunListener {
  RoundTrip(const Model<double>& m, bool with)
      : model(m), friction(with), work(m), losses(m), at_row{{}, {}, Eigen::MatrixXd(m.nv, m.nv), VectorXd(m.nv)} {}
  void row(const RunRow& r) override {
    crba<double>(model, work, r.q, {at_row.H.data(), static_cast<std::size_t>(at_row.H.size())});
    bias_forces<double>(model, work, r.q, r.qd, {at_row.h.data(), r.qd.size()});
    inverse_with_losses<double>(model, work, r.q, r.qd, r.qdd, losses);
    const Vector& got = friction ? losses.total : losses.dynamic;
    const double scale = at_row.terms(r.qdd);
    for (std::size_t k = 0; k < r.tau.size(); ++k) {
      if (friction && r.qd[k] == 0.0) continue;  // held by friction, whose force is not a function of the motion
      worst = worse(worst, std::abs(got[k] - r.tau[k]) / scale);
    }
    ++rows;
  }
  const Model<double>& model;
  bool friction;
  Workspace<double> work;
  Losses<double> losses;
  VerifiedState at_row;
  double worst = 0.0;
  long rows = 0;
};

}  // namespace

void formulations_agree(Verifier& v) {
  for (const Formulation& f : formulations()) {
    const std::string name = "inverse dynamics by " + f.name;
    if (const std::string why = refusal(f, v.model); !why.empty()) {
      v.skip(kStates, name, why);
      continue;
    }
    double worst = 0.0;
    Vector ours(v.n), theirs(v.n);
    for (const VerifiedState& c : v.states) {
      v.forces(c, c.s.qd, c.s.qdd, ours);
      inverse_by<double>(f, v.model, c.s.q, c.s.qd, c.s.qdd, theirs);
      worst = worse(worst, largest(mapped(theirs) - mapped(ours)) / std::max(1.0, c.terms(c.s.qdd)));
    }
    v.judge(kStates, name, worst, 1e-12, "of |M| |q̈| + |h|", limits::kSums);
  }
}

void forward_by_mass_matrix(Verifier& v) {
  const char* const name = "forward dynamics by the mass matrix, against articulated bodies";
  // those have no other method than the mass matrix (aba.cpp)
  if (v.model.has_mimics || !v.model.rotor_ties.empty())
    return v.skip(kStates, name, "joints that follow others, or tied rotors, have the one method only");
  double worst = 0.0;
  Vector qdd(v.n), by_crba(v.n);
  for (const VerifiedState& c : v.states) {
    v.options.methods.forward(v.model, v.plan, v.work, c.q, c.s.qd, c.s.tau, qdd);
    forward_by_crba<double>(v.model, v.work.tree, c.s.q, c.s.qd, c.s.tau, by_crba);
    // where τ and h nearly cancel no solver knows q̈ better
    const double largest_m = singular_values(c.H)[0];
    const double scale = std::max(mapped(qdd).norm(), (mapped(c.s.tau).norm() + c.h.norm()) / largest_m);
    worst = worse(worst, (mapped(qdd) - mapped(by_crba)).norm() / (scale * c.condition() * kEpsilon));
  }
  v.judge(kStates, name, worst, 10.0, "ε cond(M) |q̈|", limits::kCondition);
}

void analytic_derivatives(Verifier& v) {
  DerivativeWorkspace<double> work(v.model);
  const std::size_t n = v.n;
  const auto slopes = [&](const VerifiedState& c) {
    Verifier::Slopes result{Vector(n * n), Vector(n * n)};
    Vector d_tau(n * n);
    forward_derivatives<double>(v.model, work, c.s.q, c.s.qd, c.s.tau, result.d_q, result.d_qd, d_tau);
    const double known = kEpsilon * c.condition();
    result.scale_q = known * largest(mapped(result.d_q));
    result.scale_qd = known * largest(mapped(result.d_qd));
    return result;
  };
  v.judge_slopes(slopes, n > 20 ? 5 : 20, "", "ε cond(M) of its largest element", limits::kDerivatives);
}

void torques_from_a_run(Verifier& v) {
  Scenario s = shaken(v);
  const bool lossy = ScenarioDriven(v.mechanism, s, DrivenOptions::Way::reference).has_losses();
  const bool coupled = std::ranges::any_of(v.model.transmissions, [](const auto& t) { return t.drives.size() > 1; });
  for (const bool friction : {false, true}) {
    const std::string name = friction ? "torques back from the motion, with friction" : "torques back from the motion";
    if (friction && !lossy) continue;
    if (friction && coupled) {
      v.skip(kRun, name, "drives that are coupled hold joints together at rest");
      continue;
    }
    s.friction = friction;
    RoundTrip trip(v.model, friction);
    const RunResult r = v.run_for_a_while(s, {&trip});
    if (gave_up(v, name, r)) continue;
    v.judge(kRun, name, trip.worst, friction ? 1e-10 : 1e-13, "of |M| |q̈| + |h|",
            friction ? limits::kIterated : limits::kSolution, fmt::format("at {} instants", trip.rows));
    if (friction) {
      v.judge(kRun, "energy that is not accounted for, with friction", r.energy_residual, 1e-8, "of the largest energy",
              limits::kFound);
    }
  }
}

void energy_of_a_run(Verifier& v) {
  Scenario s = v.free_from_home(1.0);
  s.options.rtol = 1e-12;
  s.options.atol = 1e-14;
  EnergyListener course(v.report.energy);
  const RunResult r = v.run_for_a_while(s, {&course});
  const char* name = "energy that is not accounted for, free motion";
  if (gave_up(v, name, r)) return;
  v.judge(kRun, name, r.energy_residual, 1e-10, "of the largest energy", limits::kIntegration,
          fmt::format("{} steps", r.counts.steps));
}

}  // namespace lw
