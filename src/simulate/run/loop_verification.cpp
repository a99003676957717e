#include "loop_verification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/worse.hpp"
#include "../../codegen/compile.hpp"
#include "../../dynamics/loops/closed_derivative_terms.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/loops/multipliers.hpp"
#include "../../dynamics/loops/projection.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "run.hpp"

namespace lw {
namespace {

using Verdict = VerificationCheck::Verdict;
using Numbers = std::vector<double>;

// Joints that follow, of which more take minutes to derive code for.
constexpr std::size_t kMostVerifiedFollowers = 12;
constexpr double kRounding = std::numeric_limits<double>::epsilon();
constexpr const char *kClosedStates = "random states", *kClosedRun = "along a run",
                     *kClosedOrders = "order of integrators";

double greatest(std::span<const double> x) {
  double most = 0.0;
  for (const double entry : x) most = worse(most, std::abs(entry));
  return most;
}

// A closed state, all of it, and what torques are measured by.
struct ClosedState {
  State s;
  Numbers q, H, h;  // of the tree; of the independent joints
};

class LoopVerifier {
 public:
  LoopVerifier(const Mechanism& mechanism, const VerificationOptions& options)
      : mechanism_(mechanism),
        options_(options),
        model_(with_drivers(instantiate<double>(mechanism))),
        plan_(plan_loops(model_)),
        work_(model_, plan_),
        dual_(over<Dual>(model_)),
        n_(plan_.freedoms()) {
    Random random(options.seed);
    RandomStates states(model_, plan_);
    const Numbers still(n_, 0.0);
    for (int k = 0; k < options.states; ++k) {
      ClosedState c{states.next(random), {}, Numbers(n_ * n_), Numbers(n_)};
      c.q = states.tree_q();
      mass_matrix<double>(model_, plan_, work_, c.q, c.H);
      generalised_forces<double>(model_, plan_, work_, c.q, c.s.qd, still, c.h);
      states_.push_back(std::move(c));
    }
  }

  VerificationReport whole() {
    const std::vector<std::pair<const char*, void (LoopVerifier::*)()>> parts{
        {"complement", &LoopVerifier::complement},
        {"mass matrix", &LoopVerifier::mass_matrix},
        {"forward dynamics", &LoopVerifier::forward},
        {"compiled code", &LoopVerifier::code},
        {"derivatives", &LoopVerifier::derivatives},
        {"power", &LoopVerifier::power},
        {"a run", &LoopVerifier::runs},
        {"integrators", &LoopVerifier::orders}};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (options_.progress)
        options_.progress(static_cast<double>(k) / static_cast<double>(parts.size()), parts[k].first);
      try {
        (this->*parts[k].second)();
      } catch (const Disagreement& e) {
        result_.checks.push_back({kClosedStates, parts[k].first, HUGE_VAL, 0.0, Verdict::failed, e.what(), {}, {}});
      } catch (const Error& e) {
        skip("could not be made", parts[k].first, e.what());
      }
    }
    return std::move(result_);
  }

 private:
  void judge(const char* group, std::string name, double worst, double allowed, const char* unit, const char* why,
             std::string note = {}) {
    const bool fine = worst <= allowed;  // false for NaN
    result_.checks.push_back(
        {group, std::move(name), worst, allowed, fine ? Verdict::passed : Verdict::failed, std::move(note), unit, why});
  }
  void skip(const char* group, std::string name, std::string why) {
    result_.checks.push_back({group, std::move(name), 0.0, 0.0, Verdict::skipped, std::move(why), {}, {}});
  }

  // |H| |q̈| + |h|, its largest entry.
  double terms(const ClosedState& c, std::span<const double> qdd) const {
    double most = greatest(c.h);
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n_; ++k) sum += std::abs(c.H[k * n_ + i] * qdd[k]);
      most = std::max(most, sum);
    }
    return std::max(most, 1e-300);
  }
  std::vector<Dual> guess_of(const ClosedState& c) const {
    std::vector<Dual> guess;
    for (const int k : plan_.dependent_q) guess.emplace_back(c.q[at(k)]);
    return guess;
  }
  // Independent coordinates on their way along one of the independent velocities.
  std::vector<Dual> moving(const ClosedState& c, std::size_t along) const {
    const std::vector<Dual> all = moving_along(model_, c.q, plan_.independent[along]);
    std::vector<Dual> part;
    for (const int k : plan_.independent_q) part.push_back(all[at(k)]);
    return part;
  }

  // The position's own derivative, through Newton's method in dual numbers.
  void complement() {
    double worst = 0.0;
    Numbers unit(n_), rates(at(model_.nq));
    for (const ClosedState& c : states_) {
      set_pose<double>(model_, plan_, work_, c.q);
      for (std::size_t k = 0; k < n_; ++k) {
        unit.assign(n_, 0.0);
        unit[k] = 1.0;
        tree_velocities<double>(model_, plan_, work_, unit);
        coordinate_rates<double>(model_, c.q, work_.qd, rates);
        const LoopPosition<Dual> there = loop_position<Dual>(dual_, plan_, moving(c, k), guess_of(c));
        const double size = std::max(1.0, greatest(rates));
        for (std::size_t i = 0; i < rates.size(); ++i) worst = worse(worst, std::abs(there.q[i].d - rates[i]) / size);
      }
    }
    judge(kClosedStates, "velocities that follow, against dual numbers through the position", worst, 1e-11,
          "of the largest", limits::kNewton);
  }

  void mass_matrix() {
    double worst = 0.0;
    const Numbers still(n_, 0.0);
    Numbers unit(n_), rest(n_), column(n_);
    for (const ClosedState& c : states_) {
      generalised_forces<double>(model_, plan_, work_, c.q, still, still, rest);
      const double scale = std::max(greatest(c.H), greatest(rest));
      for (std::size_t k = 0; k < n_; ++k) {
        unit.assign(n_, 0.0);
        unit[k] = 1.0;
        generalised_forces<double>(model_, plan_, work_, c.q, still, unit, column);
        for (std::size_t i = 0; i < n_; ++i)
          worst = worse(worst, std::abs(column[i] - rest[i] - c.H[k * n_ + i]) / scale);
      }
    }
    judge(kClosedStates, "mass matrix RᵀMR, against unit accelerations", worst, 1e-12,
          "of its largest element, or of the torques at rest", limits::kSums);
  }

  // By multipliers, of all joints: the independent ones put into inverse dynamics need the torques again.
  void forward() {
    Multipliers multipliers(model_);
    double own = 0.0, other = 0.0, closed = 0.0;
    Numbers qdd(n_), all(at(model_.nv)), tree(at(model_.nv)), force(n_), wanted(n_), tau(plan_.actuated.size());
    for (const ClosedState& c : states_) {
      forward_dynamics<double>(model_, plan_, work_, c.q, c.s.qd, c.s.tau, qdd);
      own = worse(own, balance(c, qdd));
      tree_velocities<double>(model_, plan_, work_, c.s.qd);
      const Numbers qd = work_.qd;
      std::ranges::fill(tree, 0.0);
      for (std::size_t k = 0; k < c.s.tau.size(); ++k) tree[at(plan_.actuated[k])] = c.s.tau[k];
      multipliers.forward(c.q, qd, tree, all);
      for (std::size_t k = 0; k < n_; ++k) qdd[k] = all[at(plan_.independent[k])];
      other = worse(other, balance(c, qdd));
      tree_velocities<double>(model_, plan_, work_, c.s.qd);
      tree_accelerations<double>(model_, plan_, work_, c.q, qdd);
      const double size = std::max(1.0, greatest(all));
      for (std::size_t i = 0; i < all.size(); ++i) closed = worse(closed, std::abs(all[i] - work_.qdd[i]) / size);
    }
    judge(kClosedStates, "forward dynamics put back into inverse dynamics", own, 1e-11, "of |H| |q̈| + |h|",
          limits::kNewton);
    judge(kClosedStates, "forward dynamics by multipliers, put into inverse dynamics", other, 1e-10, "of |H| |q̈| + |h|",
          limits::kNewton);
    judge(kClosedStates, "accelerations that follow, against multipliers", closed, 1e-9, "of the largest",
          limits::kNewton);
  }
  // Generalised forces that q̈ needs, less those that the torques give.
  double balance(const ClosedState& c, const Numbers& qdd) {
    Numbers force(n_), given(n_);
    generalised_forces<double>(model_, plan_, work_, c.q, c.s.qd, qdd, force);
    complement_by_unit_velocities<double>(model_, plan_, work_);
    gather_torques<double>(plan_, work_, c.s.tau, given);
    double most = 0.0;
    for (std::size_t k = 0; k < n_; ++k) most = worse(most, std::abs(force[k] - given[k]));
    return most / std::max(terms(c, qdd), greatest(given));
  }

  bool codes(const char* name) {
    if (!options_.compiled) return skip(kClosedStates, name, "not asked for"), false;
    if (plan_.dependent.size() <= kMostVerifiedFollowers) return true;
    skip(kClosedStates, name,
         fmt::format("code for more than {} joints that follow takes minutes to make", kMostVerifiedFollowers));
    return false;
  }
  Numbers called(Compiled& compiled, const char* function, const ClosedState& c, const Numbers& last,
                 std::size_t outputs) {
    Numbers in = c.s.q, out(outputs + plan_.dependent_q.size() + plan_.unknown.size());
    for (const Numbers* part : {&c.s.qd, &last, &c.s.guess}) in.insert(in.end(), part->begin(), part->end());
    compiled(function, in, out);
    out.resize(outputs);
    return out;
  }

  void code() {
    if (!codes("compiled code, against the algorithms")) return;
    const bool driven = plan_.undriven().empty();
    Compiled compiled = driven ? compile(mechanism_, {"inverse", "forward"}) : compile(mechanism_, {"forward"});
    double inverse = 0.0, forward = 0.0;
    Numbers tau(plan_.actuated.size());
    for (const ClosedState& c : states_) {
      forward = worse(forward, balance(c, called(compiled, "forward", c, c.s.tau, n_)));
      if (!driven) continue;
      inverse_dynamics<double>(model_, plan_, work_, c.q, c.s.qd, c.s.qdd, tau);
      const Numbers got = called(compiled, "inverse", c, c.s.qdd, tau.size());
      for (std::size_t k = 0; k < tau.size(); ++k)
        inverse = worse(inverse, std::abs(got[k] - tau[k]) / std::max(1.0, terms(c, c.s.qdd)));
    }
    const std::string how = compiled.is_native() ? "" : "interpreted: there is no compiler";
    const char* name = "compiled inverse dynamics, against the algorithm";
    if (!driven)
      skip(kClosedStates, name, "the actuated joints do not determine the motion");
    else
      judge(kClosedStates, name, inverse, 1e-11, "of |H| |q̈| + |h|", limits::kNewton, how);
    judge(kClosedStates, "compiled forward dynamics put back", forward, 1e-11, "of |H| |q̈| + |h|", limits::kNewton,
          how);
  }

  void derivatives() {
    if (!codes("derivatives of compiled code, against dual numbers")) return;
    Compiled compiled = compile(mechanism_, {"forward-derivatives"});
    PlantWorkspace<Dual> work(dual_, plan_);
    double worst_q = 0.0, worst_qd = 0.0;
    const auto off = [](double a, double b, double scale) {
      return a == b ? 0.0 : std::abs(a - b) / scale;
    };  // both may be zero
    const std::size_t motors = plan_.actuated.size(), count = std::min<std::size_t>(states_.size(), 20);
    std::vector<Dual> qdd(n_);
    for (std::size_t i = 0; i < count; ++i) {
      const ClosedState& c = states_[i];
      const Numbers got = called(compiled, "forward-derivatives", c, c.s.tau, n_ * (2 * n_ + motors));
      const std::vector<Dual> tau(c.s.tau.begin(), c.s.tau.end()), q(c.q.begin(), c.q.end());
      std::vector<Dual> qd(c.s.qd.begin(), c.s.qd.end());
      // entries may be zero, of terms that cancel, and H and J_u may be next to singular
      Numbers a(n_);
      forward_dynamics<double>(model_, plan_, work_, c.q, c.s.qd, c.s.tau, a);
      const Numbers sums = closed_derivative_terms(model_, {}, plan_, c.s.q, c.s.guess, c.s.qd, a);
      const auto n = static_cast<Eigen::Index>(n_);
      const Svd inertia(Eigen::Map<const Eigen::MatrixXd>(c.H.data(), n, n));
      const double known = kRounding * inertia.s[0] / inertia.s[n - 1] / soundness(c.q);
      const auto scale = [&](std::size_t first) {
        double most = greatest({&got[first], n_ * n_});
        for (std::size_t k = 0; k < n_ * n_; ++k) most = std::max(most, sums[first + k] / c.H[k % n_ * (n_ + 1)]);
        return known * most;
      };
      const double scale_q = scale(0), scale_qd = scale(n_ * n_);
      for (std::size_t k = 0; k < n_; ++k) {
        const LoopPosition<Dual> there = loop_position<Dual>(dual_, plan_, moving(c, k), guess_of(c));
        forward_dynamics<Dual>(dual_, plan_, work, there.q, qd, tau, qdd);
        for (std::size_t r = 0; r < n_; ++r) worst_q = worse(worst_q, off(qdd[r].d, got[k * n_ + r], scale_q));
        qd[k].d = 1.0;
        forward_dynamics<Dual>(dual_, plan_, work, q, qd, tau, qdd);
        qd[k].d = 0.0;
        for (std::size_t r = 0; r < n_; ++r)
          worst_qd = worse(worst_qd, off(qdd[r].d, got[(n_ + k) * n_ + r], scale_qd));
      }
    }
    judge(kClosedStates, "∂q̈/∂q of code, against dual numbers", worst_q, 100.0, "ε cond(H) cond(J) of its terms",
          limits::kClosedDerivatives);
    judge(kClosedStates, "∂q̈/∂q̇ of code, against dual numbers", worst_qd, 100.0, "ε cond(H) cond(J) of its terms",
          limits::kClosedDerivatives);
  }

  // dE/dt of all bodies, by dual numbers along the motion of the tree, is what the torques do.
  void power() {
    const char* name = "power: dE/dt = τ·q̇";
    if (!model_.forces.empty()) return skip(kClosedStates, name, "external forces act, which have no potential");
    Workspace<Dual> work(dual_);
    Numbers qdd(n_), rates(at(model_.nq));
    double worst = 0.0;
    for (const ClosedState& c : states_) {
      forward_dynamics<double>(model_, plan_, work_, c.q, c.s.qd, c.s.tau, qdd);
      tree_velocities<double>(model_, plan_, work_, c.s.qd);
      tree_accelerations<double>(model_, plan_, work_, c.q, qdd);
      coordinate_rates<double>(model_, c.q, work_.qd, rates);
      std::vector<Dual> q, qd;
      for (std::size_t k = 0; k < rates.size(); ++k) q.emplace_back(c.q[k], rates[k]);
      double in = 0.0;
      for (std::size_t k = 0; k < work_.qd.size(); ++k) qd.emplace_back(work_.qd[k], work_.qdd[k]);
      for (std::size_t k = 0; k < c.s.tau.size(); ++k) in += c.s.tau[k] * work_.qd[at(plan_.actuated[k])];
      forward_velocities<Dual>(dual_, work, q, qd);
      const Energy<Dual> e = energy<Dual>(dual_, work, q, qd);
      double speed = 0.0;
      for (const double v : c.s.qd) speed += std::abs(v);
      worst = worse(
          worst, std::abs(e.kinetic.d + e.potential.d - in) / std::max(1e-300, speed * terms(c, qdd) + std::abs(in)));
    }
    judge(kClosedStates, name, worst, 1e-11, "of |q̇|·(|H| |q̈| + |h|)", limits::kNewton);
  }

  struct ClosedCourse : RunListener {
    EnergyCourse& to;
    double start = 0.0;
    explicit ClosedCourse(EnergyCourse& course) : to(course) {}
    void row(const RunRow& r) override {
      if (to.t.empty()) start = r.potential;
      to.t.push_back(r.t);
      to.kinetic.push_back(r.kinetic);
      to.potential.push_back(r.potential - start);
      to.residual.push_back(r.residual);
    }
  };

  Scenario free(bool redundant) const {
    Scenario s = free_motion(model_);
    s.friction = false;
    s.redundant = redundant;
    Random random(options_.seed + 1);
    for (const int v : plan_.independent) s.qd[at(v)] = random.between(-0.5, 0.5);
    return s;
  }
  RunResult run_for_a_while(const Scenario& s, const std::vector<RunListener*>& listeners) const {
    constexpr long kMostSteps = 20'000;
    ScenarioDriven scene(mechanism_, s,
                         options_.compiled ? DrivenOptions::Way::automatic : DrivenOptions::Way::reference);
    const auto integrator = make_integrator("dormand-prince", s.options);
    RunResult r = run(scene, *integrator, s, {options_.duration, options_.duration / 200.0, listeners, [&](double) {
                                                return integrator->counts().steps < kMostSteps;
                                              }});
    if (r.end == RunResult::End::interrupted)
      r.ended_by = fmt::format("after {} steps it has come to t = {:.3g} s only", kMostSteps, r.final.t);
    return r;
  }

  // Smallest singular value of J_u by its largest.
  double soundness(const Numbers& q) {
    set_pose<double>(model_, plan_, work_, q);
    const auto m = static_cast<Eigen::Index>(plan_.dependent.size());
    const Svd svd(Eigen::Map<const Eigen::MatrixXd>(work_.square.data(), m, m));
    return svd.s[m - 1] / svd.s[0];
  }

  void runs() {
    ClosedCourse course(result_.energy);
    const RunResult minimal = run_for_a_while(free(false), {&course}), redundant = run_for_a_while(free(true), {});
    const char* name = "energy that is not accounted for, free motion";
    // a mode that ends on the way is the mechanism's, not an error: redundant coordinates go on
    const bool ends =
        minimal.end == RunResult::End::failed && soundness(minimal.final.q) < 0.1 * soundness(states_.front().q);
    for (const RunResult* r : {&minimal, &redundant}) {
      const std::string which = fmt::format("{}, {} coordinates", name, r == &minimal ? "minimal" : "redundant");
      if (r == &minimal && ends) {
        skip(kClosedRun, which, fmt::format("the mode ends at t = {:.3g} s", r->final.t));
      } else if (r->end != RunResult::End::duration) {
        skip(kClosedRun, which, "the run does not come to its end: " + r->ended_by);
      } else {
        judge(kClosedRun, which, r->energy_residual, 1e-9, "of the largest energy", limits::kIntegration,
              fmt::format("{} steps", r->counts.steps));
        judge(kClosedRun, fmt::format("closures, {} coordinates", r == &minimal ? "minimal" : "redundant"), r->closure,
              1e-9, "m or rad", limits::kNewton);
      }
    }
    if (minimal.end != RunResult::End::duration || redundant.end != RunResult::End::duration) return;
    double off = 0.0;
    for (std::size_t k = 0; k < minimal.final.q.size(); ++k)
      off = worse(off, std::abs(minimal.final.q[k] - redundant.final.q[k]));
    judge(kClosedRun, "minimal against redundant coordinates at the end", off, 1e-7, "m or rad", limits::kIntegration);
  }

  void orders() {
    if (!model_.joint_elements.empty())
      return skip(kClosedOrders, "all", "stops or tables have corners, at which every order is one");
    result_.convergence = integrator_orders(mechanism_, free(false));
    for (const ConvergenceCurve& c : result_.convergence) {
      if (c.measured == 0.0 && c.error.back() <= kConvergedToRoundOff) {
        skip(kClosedOrders, c.integrator, "its errors are round-off at every step");
      } else if (!c.compared) {
        skip(kClosedOrders, c.integrator,
             "no step of those tried is short enough for the motion and long enough to be told from round-off");
      } else if (c.measured == 0.0) {
        result_.checks.push_back({kClosedOrders,
                                  c.integrator,
                                  HUGE_VAL,
                                  0.0,
                                  Verdict::failed,
                                  "its errors do not fall with the step",
                                  {},
                                  {}});
      } else {
        judge(kClosedOrders, c.integrator, std::max(0.0, c.nominal - c.measured), 0.49, "orders short", limits::kOrder,
              fmt::format("order {:.2f}, should be {}", c.measured, c.nominal));
      }
    }
  }

  const Mechanism& mechanism_;
  const VerificationOptions& options_;
  Model<double> model_;
  LoopPlan plan_;
  PlantWorkspace<double> work_;
  Model<Dual> dual_;
  const std::size_t n_;
  std::vector<ClosedState> states_;
  VerificationReport result_;
};

}  // namespace

VerificationReport verify_loops(const Mechanism& mechanism, const VerificationOptions& options) {
  return LoopVerifier(mechanism, options).whole();
}

}  // namespace lw
