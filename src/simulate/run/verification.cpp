#include "verification.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>
#include <Eigen/SVD>

#include "../../base/largest.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/compile.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/formulations/formulation.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "../../model/random_state.hpp"
#include "integrator_orders.hpp"
#include "loop_verification.hpp"
#include "run.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using Verdict = VerificationCheck::Verdict;
using Vector = std::vector<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kLargestVerifiedCode = 60;  // velocities

// Our own answers at a state, and what deviations from them are measured by.
struct AtState {
  State s;
  MatrixXd M;
  VectorXd h, terms;  // terms: Σ |M| |q̈| + |h|
};

VectorXd mapped(const Vector& x) { return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())); }

class Verifier {
 public:
  Verifier(const Mechanism& mechanism, const VerificationOptions& options)
      : mechanism_(mechanism), options_(options), model_(instantiate<double>(mechanism)), work_(model_) {
    Random random(options.seed);
    const auto n = static_cast<Eigen::Index>(model_.nv);
    for (int k = 0; k < options.states; ++k) {
      AtState a{random_state(model_, random), MatrixXd(n, n), VectorXd(n), VectorXd(n)};
      crba<double>(model_, work_, a.s.q, {a.M.data(), static_cast<std::size_t>(a.M.size())});
      bias_forces<double>(model_, work_, a.s.q, a.s.qd, {a.h.data(), a.s.qd.size()});
      a.terms = a.M.cwiseAbs() * mapped(a.s.qdd).cwiseAbs() + a.h.cwiseAbs();
      states_.push_back(std::move(a));
    }
  }

  VerificationReport whole() {
    const std::vector<std::pair<const char*, void (Verifier::*)()>> parts{
        {"formulations", &Verifier::formulations_agree},
        {"mass matrix", &Verifier::mass_matrix},
        {"forward dynamics", &Verifier::forward},
        {"compiled code", &Verifier::code},
        {"derivatives", &Verifier::derivatives},
        {"power", &Verifier::power},
        {"a run", &Verifier::along_a_run},
        {"energy", &Verifier::energy_of_a_run},
        {"integrators", &Verifier::orders}};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (options_.progress)
        options_.progress(static_cast<double>(k) / static_cast<double>(parts.size()), parts[k].first);
      try {
        (this->*parts[k].second)();
      } catch (const Disagreement& e) {
        add({kStates, parts[k].first, HUGE_VAL, 0.0, Verdict::failed, e.what(), {}, {}});
      } catch (const Error& e) {
        skip(kNotMade, parts[k].first, e.what());
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr const char *kStates = "random states", *kRun = "along a run", *kOrders = "order of integrators",
                              *kNotMade = "could not be made";

  void add(VerificationCheck c) { result_.checks.push_back(std::move(c)); }
  void judge(const char* group, std::string name, double worst, double allowed, const char* unit, const char* why,
             std::string note = {}) {
    const bool fine = worst <= allowed;  // false for NaN
    add({group, std::move(name), worst, allowed, fine ? Verdict::passed : Verdict::failed, std::move(note), unit, why});
  }
  void skip(const char* group, std::string name, std::string why) {
    add({group, std::move(name), 0.0, 0.0, Verdict::skipped, std::move(why), {}, {}});
  }
  std::size_t nv() const { return static_cast<std::size_t>(model_.nv); }

  void formulations_agree() {
    for (const Formulation& f : formulations()) {
      const std::string name = "inverse dynamics by " + f.name;
      if (const std::string why = refusal(f, model_); !why.empty()) {
        skip(kStates, name, why);
        continue;
      }
      double worst = 0.0;
      Vector ours(nv()), theirs(nv());
      for (const AtState& a : states_) {
        options_.methods.inverse(model_, work_, a.s.q, a.s.qd, a.s.qdd, ours);
        inverse_by<double>(f, model_, a.s.q, a.s.qd, a.s.qdd, theirs);
        const double scale = std::max(1.0, a.terms.maxCoeff());
        worst = worse(worst, largest(mapped(theirs) - mapped(ours)) / scale);
      }
      judge(kStates, name, worst, 1e-12, "of |M| |q̈| + |h|", limits::kSums);
    }
  }

  // Column by column from torques of unit accelerations.
  void mass_matrix() {
    double worst = 0.0;
    Vector unit(nv()), rest(nv()), column(nv());
    const Vector still(nv(), 0.0);
    for (const AtState& a : states_) {
      options_.methods.inverse(model_, work_, a.s.q, still, still, rest);
      const double weight = mapped(rest).cwiseAbs().maxCoeff(), scale = std::max(a.M.cwiseAbs().maxCoeff(), weight);
      for (std::size_t k = 0; k < nv(); ++k) {
        unit.assign(nv(), 0.0);
        unit[k] = 1.0;
        options_.methods.inverse(model_, work_, a.s.q, still, unit, column);
        const VectorXd difference = mapped(column) - mapped(rest) - a.M.col(static_cast<Eigen::Index>(k));
        worst = worse(worst, largest(difference) / scale);
      }
    }
    judge(kStates, "mass matrix by composite bodies, against unit accelerations", worst, 1e-12,
          "of its largest element, or of the torques at rest", limits::kSums);
  }

  void forward() {
    // those have no other method than the mass matrix (aba.cpp)
    const bool by_mass_matrix = model_.has_mimics || !model_.rotor_ties.empty();
    double residual = 0.0, other = 0.0;
    Vector qdd(nv()), by_crba(nv()), tau(nv());
    for (const AtState& a : states_) {
      options_.methods.forward(model_, work_, a.s.q, a.s.qd, a.s.tau, qdd);
      options_.methods.inverse(model_, work_, a.s.q, a.s.qd, qdd, tau);
      const VectorXd terms = a.M.cwiseAbs() * mapped(qdd).cwiseAbs() + a.h.cwiseAbs();
      residual = worse(residual, largest(mapped(tau) - mapped(a.s.tau)) / std::max(1e-300, terms.maxCoeff()));
      forward_by_crba<double>(model_, work_, a.s.q, a.s.qd, a.s.tau, by_crba);
      // where τ and h nearly cancel no solver knows q̈ better
      const Eigen::JacobiSVD<MatrixXd> svd(a.M);
      const double largest_m = svd.singularValues()(0), condition = largest_m / svd.singularValues().minCoeff();
      const double scale = std::max(mapped(qdd).norm(), (mapped(a.s.tau).norm() + a.h.norm()) / largest_m);
      other = worse(other, (mapped(qdd) - mapped(by_crba)).norm() / (scale * condition * kEpsilon));
    }
    judge(kStates, "forward dynamics put back into inverse dynamics", residual, 1e-13, "of |M| |q̈| + |h|",
          limits::kSolution);
    const char* const name = "forward dynamics by the mass matrix, against articulated bodies";
    if (by_mass_matrix)
      return skip(kStates, name, "joints that follow others, or tied rotors, have the one method only");
    judge(kStates, name, other, 10.0, "ε cond(M) |q̈|", limits::kCondition);
  }

  void code() {
    const char* name = "compiled code, against the algorithms";
    if (!options_.compiled) return skip(kStates, name, "not asked for");
    if (model_.nv > kLargestVerifiedCode) {
      return skip(kStates, name,
                  fmt::format("code for more than {} velocities takes minutes to make", kLargestVerifiedCode));
    }
    Compiled compiled = compile(mechanism_, {"inverse", "forward"});
    double inverse = 0.0, forward = 0.0;
    Vector in, ours(nv()), theirs(nv());
    for (const AtState& a : states_) {
      const auto call = [&](const char* function, const Vector& last) {
        in = a.s.q;
        in.insert(in.end(), a.s.qd.begin(), a.s.qd.end());
        in.insert(in.end(), last.begin(), last.end());
        compiled(function, in, theirs);
      };
      call("inverse", a.s.qdd);
      options_.methods.inverse(model_, work_, a.s.q, a.s.qd, a.s.qdd, ours);
      inverse = worse(inverse, largest(mapped(theirs) - mapped(ours)) / std::max(1.0, a.terms.maxCoeff()));
      call("forward", a.s.tau);
      options_.methods.inverse(model_, work_, a.s.q, a.s.qd, theirs, ours);
      const VectorXd terms = a.M.cwiseAbs() * mapped(theirs).cwiseAbs() + a.h.cwiseAbs();
      forward = worse(forward, largest(mapped(ours) - mapped(a.s.tau)) / std::max(1e-300, terms.maxCoeff()));
    }
    const std::string how = compiled.is_native() ? "" : "interpreted: there is no compiler";
    judge(kStates, "compiled inverse dynamics, against the algorithm", inverse, 1e-12, "of |M| |q̈| + |h|",
          limits::kSums, how);
    judge(kStates, "compiled forward dynamics put back", forward, 1e-13, "of |M| |q̈| + |h|", limits::kSolution, how);
  }

  void derivatives() {
    const Model<Dual> dual = over<Dual>(model_);
    Workspace<Dual> work(dual);
    DerivativeWorkspace<double> own(model_);
    const std::size_t n = nv();
    Vector d_q(n * n), d_qd(n * n), d_tau(n * n);
    std::vector<Dual> qdd(n);
    double worst_q = 0.0, worst_qd = 0.0;
    const auto off = [](double a, double b, double scale) {
      return a == b ? 0.0 : std::abs(a - b) / scale;
    };  // both may be zero
    const std::size_t states = std::min<std::size_t>(states_.size(), n > 20 ? 5 : 20);
    for (std::size_t i = 0; i < states; ++i) {
      const State& s = states_[i].s;
      forward_derivatives<double>(model_, own, s.q, s.qd, s.tau, d_q, d_qd, d_tau);
      const std::vector<Dual> q(s.q.begin(), s.q.end()), tau(s.tau.begin(), s.tau.end());
      std::vector<Dual> qd(s.qd.begin(), s.qd.end());
      const Eigen::JacobiSVD<MatrixXd> svd(states_[i].M);
      const double known = kEpsilon * svd.singularValues()(0) / svd.singularValues().minCoeff();
      const double scale_q = known * mapped(d_q).cwiseAbs().maxCoeff(),
                   scale_qd = known * mapped(d_qd).cwiseAbs().maxCoeff();
      for (std::size_t k = 0; k < n; ++k) {
        aba<Dual>(dual, work, moving_along(model_, s.q, static_cast<int>(k)), qd, tau, qdd);
        for (std::size_t r = 0; r < n; ++r) worst_q = worse(worst_q, off(qdd[r].d, d_q[k * n + r], scale_q));
        qd[k].d = 1.0;
        aba<Dual>(dual, work, q, qd, tau, qdd);
        qd[k].d = 0.0;
        for (std::size_t r = 0; r < n; ++r) worst_qd = worse(worst_qd, off(qdd[r].d, d_qd[k * n + r], scale_qd));
      }
    }
    judge(kStates, "∂q̈/∂q, against dual numbers", worst_q, 100.0, "ε cond(M) of its largest element",
          limits::kDerivatives);
    judge(kStates, "∂q̈/∂q̇, against dual numbers", worst_qd, 100.0, "ε cond(M) of its largest element",
          limits::kDerivatives);
  }

  // dE/dt along the motion, by dual numbers, is what the torques do.
  void power() {
    const char* name = "power: dE/dt = τ·q̇";
    if (!model_.forces.empty()) return skip(kStates, name, "external forces act, which have no potential");
    const Model<Dual> dual = over<Dual>(model_);
    Workspace<Dual> work(dual);
    Vector qdd(nv()), rates(static_cast<std::size_t>(model_.nq));
    double worst = 0.0;
    for (const AtState& a : states_) {
      options_.methods.forward(model_, work_, a.s.q, a.s.qd, a.s.tau, qdd);
      coordinate_rates<double>(model_, a.s.q, a.s.qd, rates);
      std::vector<Dual> q, qd;
      for (std::size_t k = 0; k < rates.size(); ++k) q.emplace_back(a.s.q[k], rates[k]);
      for (std::size_t k = 0; k < qdd.size(); ++k) qd.emplace_back(a.s.qd[k], qdd[k]);
      forward_velocities<Dual>(dual, work, q, qd);
      const Energy<Dual> e = energy<Dual>(dual, work, q, qd);
      const double in = mapped(a.s.tau).dot(mapped(a.s.qd));
      const double terms = mapped(a.s.qd).cwiseAbs().dot(a.M.cwiseAbs() * mapped(qdd).cwiseAbs() + a.h.cwiseAbs());
      worst = worse(worst, std::abs(e.kinetic.d + e.potential.d - in) / std::max(1e-300, terms));
    }
    judge(kStates, name, worst, 1e-12, "of |q̇|·(|M| |q̈| + |h|)", limits::kSums);
  }

  // From home, held against gravity and shaken: with all others, each joint would accelerate there by a sine of 2
  // rad/s² or m/s². Of seven frequencies, so that neighbours have different ones. It moves from the beginning, lest
  // friction hold it.
  Scenario shaken() {
    constexpr std::size_t kTones = 7;
    Scenario s = free_motion(model_);
    Vector hold(nv()), M(nv() * nv());
    const Vector still(nv(), 0.0);
    rnea<double>(model_, work_, model_.home, still, still, hold);
    crba<double>(model_, work_, model_.home, M);
    Random random(options_.seed + 2);
    for (double& v : s.qd) v = random.between(-0.5, 0.5);
    const Expr t(s.formulas.get(), 0);
    for (std::size_t k = 0; k < nv(); ++k) {
      std::array<double, kTones> size{};
      for (std::size_t j = 0; j < nv(); ++j) size[j % kTones] += 2.0 * M[j * nv() + k];
      Expr torque(hold[k]);
      for (std::size_t tone = 0; tone < kTones; ++tone) {
        torque += Expr(size[tone]) * sin(Expr(3.0 + static_cast<double>(tone)) * t);
      }
      s.inputs[k].formula = torque;
    }
    return s;
  }
  DrivenOptions::Way way() const {
    return options_.compiled && model_.nv <= kLargestVerifiedCode ? DrivenOptions::Way::automatic
                                                                  : DrivenOptions::Way::reference;
  }

  // Of a motion that asks for ever smaller steps nothing more is learnt by waiting.
  RunResult run_for_a_while(const Scenario& s, RunListener& listener) {
    constexpr long kMostSteps = 20'000;
    ScenarioDriven scene(mechanism_, s, way());
    const auto integrator = make_integrator("dormand-prince", s.options);
    RunResult r = run(scene, *integrator, s, {options_.duration, options_.duration / 200.0, {&listener}, [&](double) {
                                                return integrator->counts().steps < kMostSteps;
                                              }});
    if (r.end == RunResult::End::interrupted) {
      r.ended_by = fmt::format("after {} steps it has come to t = {:.3g} s only", kMostSteps, r.final.t);
    }
    return r;
  }
  // A run may reach a singular pose or need ever smaller steps. This is a property of the mechanism, not an error;
  // random states are checked anyway.
  bool gave_up(const char* group, const std::string& name, const RunResult& r) {
    if (r.end == RunResult::End::duration) return false;
    skip(group, name, "the run does not come to its end: " + r.ended_by);
    return true;
  }

  // What forward dynamics has moved, put back into inverse dynamics: as at random states, but at those that a motion
  // comes to.
  struct RoundTrip : RunListener {
    const Model<double>& model;
    bool friction;
    Workspace<double> work;
    Losses<double> losses;
    MatrixXd M;
    VectorXd h;
    double worst = 0.0;
    long rows = 0;
    RoundTrip(const Model<double>& m, bool with)
        : model(m), friction(with), work(m), losses(m), M(m.nv, m.nv), h(m.nv) {}
    void row(const RunRow& r) override {
      crba<double>(model, work, r.q, {M.data(), static_cast<std::size_t>(M.size())});
      bias_forces<double>(model, work, r.q, r.qd, {h.data(), r.qd.size()});
      inverse_with_losses<double>(model, work, r.q, r.qd, r.qdd, losses);
      const Vector& got = friction ? losses.total : losses.dynamic;
      const VectorXd terms = M.cwiseAbs() * mapped({r.qdd.begin(), r.qdd.end()}).cwiseAbs() + h.cwiseAbs();
      const double scale = std::max(1e-300, terms.maxCoeff());
      for (std::size_t k = 0; k < r.tau.size(); ++k) {
        if (friction && r.qd[k] == 0.0) continue;  // held by friction, whose force is not a function of the motion
        worst = worse(worst, std::abs(got[k] - r.tau[k]) / scale);
      }
      ++rows;
    }
  };

  void along_a_run() {
    Scenario s = shaken();
    const bool lossy = ScenarioDriven(mechanism_, s, DrivenOptions::Way::reference).has_losses();
    const bool coupled = std::ranges::any_of(model_.transmissions, [](const auto& t) { return t.drives.size() > 1; });
    for (const bool friction : {false, true}) {
      const std::string name =
          friction ? "torques back from the motion, with friction" : "torques back from the motion";
      if (friction && !lossy) continue;
      if (friction && coupled) {
        skip(kRun, name, "drives that are coupled hold joints together at rest");
        continue;
      }
      s.friction = friction;
      RoundTrip trip(model_, friction);
      const RunResult r = run_for_a_while(s, trip);
      if (gave_up(kRun, name, r)) continue;
      judge(kRun, name, trip.worst, friction ? 1e-10 : 1e-13, "of |M| |q̈| + |h|",
            friction ? limits::kIterated : limits::kSolution, fmt::format("at {} instants", trip.rows));
      if (friction) {
        judge(kRun, "energy that is not accounted for, with friction", r.energy_residual, 1e-8, "of the largest energy",
              limits::kFound);
      }
    }
  }

  struct Course : RunListener {
    EnergyCourse& to;
    explicit Course(EnergyCourse& course) : to(course) {}
    void row(const RunRow& r) override {
      if (to.t.empty()) start = r.potential;
      to.t.push_back(r.t);
      to.kinetic.push_back(r.kinetic);
      to.potential.push_back(r.potential - start);
      to.residual.push_back(r.residual);
    }
    double start = 0.0;
  };

  Scenario free() {
    Scenario s = free_motion(model_);
    s.friction = false;
    Random random(options_.seed + 1);
    for (double& v : s.qd) v = random.between(-1.0, 1.0);
    return s;
  }

  void energy_of_a_run() {
    Scenario s = free();
    s.options.rtol = 1e-12;
    s.options.atol = 1e-14;
    Course course(result_.energy);
    const RunResult r = run_for_a_while(s, course);
    const char* name = "energy that is not accounted for, free motion";
    if (gave_up(kRun, name, r)) return;
    judge(kRun, name, r.energy_residual, 1e-10, "of the largest energy", limits::kIntegration,
          fmt::format("{} steps", r.counts.steps));
  }

  void orders() {
    const bool kinks = !model_.joint_elements.empty() ||
                       std::ranges::any_of(model_.shafts, [](const auto& s) { return s.play != 0.0; });
    if (kinks) return skip(kOrders, "all", "stops, tables or backlash have corners, at which every order is one");
    result_.convergence = integrator_orders(mechanism_, free());
    for (const ConvergenceCurve& c : result_.convergence) {
      if (c.measured == 0.0 && c.error.back() <= kConvergedToRoundOff) {
        skip(kOrders, c.integrator, "its errors are round-off at every step");
      } else if (!c.compared) {
        skip(kOrders, c.integrator,
             "no step of those tried is short enough for the motion and long enough to be told from round-off");
      } else if (c.measured == 0.0) {
        add({kOrders, c.integrator, HUGE_VAL, 0.0, Verdict::failed, "its errors do not fall with the step", {}, {}});
      } else {
        judge(kOrders, c.integrator, std::max(0.0, c.nominal - c.measured), 0.49, "orders short", limits::kOrder,
              fmt::format("order {:.2f}, should be {}", c.measured, c.nominal));
      }
    }
  }

  const Mechanism& mechanism_;
  const VerificationOptions& options_;
  Model<double> model_;
  Workspace<double> work_;
  std::vector<AtState> states_;
  VerificationReport result_;
};

}  // namespace

VerifiedMethods library_methods() {
  return {[](const Model<double>& model, Workspace<double>& work, std::span<const double> q, std::span<const double> qd,
             std::span<const double> qdd, std::span<double> tau) { rnea<double>(model, work, q, qd, qdd, tau); },
          [](const Model<double>& model, Workspace<double>& work, std::span<const double> q, std::span<const double> qd,
             std::span<const double> tau, std::span<double> qdd) { aba<double>(model, work, q, qd, tau, qdd); }};
}

bool VerificationReport::passed() const {
  return std::ranges::none_of(checks, [](const VerificationCheck& c) { return c.verdict == Verdict::failed; });
}

VerificationReport verify_mechanism(const Mechanism& mechanism, const VerificationOptions& options) {
  return mechanism.loops.empty() ? Verifier(mechanism, options).whole() : verify_loops(mechanism, options);
}

}  // namespace lw
