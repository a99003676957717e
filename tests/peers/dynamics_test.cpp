// Ours, traced and interpreted ours, Orocos KDL and DART on random mechanisms of 1 to 60 joints: 19 390 states in all.
//
// The sum of the absolute terms of τ_k, against which errors are measured, is taken as Σ_j |M_kj q̈_j| + |h_k|. That is
// less than what the algorithms add up (h, too, is a sum in which terms cancel, over bodies and pairs of velocities),
// so the test is stricter than the rule; it holds with a factor of fifty to spare.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/largest.hpp"
#include "base/linear.hpp"
#include "base/worse.hpp"
#include "cli/bench/peers.hpp"
#include "describe_mechanism.hpp"
#include "dynamics/tree/aba.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/rnea.hpp"
#include "graph/interpreter.hpp"
#include "model/random_state.hpp"
#include "support/random_mechanism.hpp"

namespace lw {
namespace dynamics_test {

using cli::PeerLibrary;
using Eigen::MatrixXd, Eigen::VectorXd;
using Values = std::vector<double>;

constexpr double kEpsilon = 0x1p-52;
constexpr int kStates = 70;

// Largest ratio of error to tolerance that each comparison met, and where; above 1 is a failure.
class Ratios {
 public:
  void note(const std::string& comparison, double ratio, const std::string& where) {
    Worst& worst = worst_[comparison];
    ++worst.states;
    if (!std::isnan(worst.ratio) && !(ratio <= worst.ratio)) {
      worst.ratio = ratio;
      worst.where = where;
    }
  }
  void note_same_bits(const std::string& comparison, const Values& a, const Values& b, const std::string& where) {
    bool same = a.size() == b.size();
    for (std::size_t k = 0; same && k < a.size(); ++k) {
      same = std::bit_cast<std::uint64_t>(a[k] + 0.0) == std::bit_cast<std::uint64_t>(b[k] + 0.0);  // -0 is 0
    }
    note(comparison, same ? 0.0 : INFINITY, where);
  }
  double worst(const std::string& comparison) const { return worst_.at(comparison).ratio; }
  void expect_within_tolerance() const {
    for (const auto& [comparison, worst] : worst_) {
      fmt::print("  {:36} {:.1e} of the tolerance in {} states; {}\n", comparison, worst.ratio, worst.states,
                 worst.where);
      EXPECT_LE(worst.ratio, 1.0) << comparison << " of " << worst.where;
    }
  }

 private:
  struct Worst {
    double ratio = 0.0;
    std::string where;
    int states = 0;
  };
  std::map<std::string, Worst> worst_;
};

// One mechanism, all its algorithms. The peers may be told of another one.
class Subject {
 public:
  Subject(const Mechanism& mechanism, const Mechanism& told, const std::vector<PeerLibrary>& libraries, Ratios& ratios)
      : model_(instantiate<double>(mechanism)), work_(model_), ratios_(ratios), name_(mechanism.name) {
    const std::vector<peer::Body> bodies = describe_bodies(told);
    for (const PeerLibrary& library : libraries) {
      if (auto made = cli::make_peer(library, model_, bodies)) peers_.push_back({library.name, std::move(made)});
    }
    trace_all(mechanism);
  }

  void compare(std::uint64_t seed) {
    Random random(seed);
    std::vector<State> states;
    Values q, qd, qdd, tau;
    for (int k = 0; k < kStates; ++k) {
      states.push_back(random_state(model_, random));
      const State& s = states.back();
      q.insert(q.end(), s.q.begin(), s.q.end());
      qd.insert(qd.end(), s.qd.begin(), s.qd.end());
      qdd.insert(qdd.end(), s.qdd.begin(), s.qdd.end());
      tau.insert(tau.end(), s.tau.begin(), s.tau.end());
    }
    for (auto& [name, other] : peers_) other->set_states(kStates, q.data(), qd.data(), qdd.data(), tau.data());
    for (int k = 0; k < kStates; ++k) compare(states[static_cast<std::size_t>(k)], k);
  }

 private:
  void trace_all(const Mechanism& mechanism) {
    const auto symbolic = std::make_shared<Model<Expr>>(instantiate<Expr>(mechanism));
    const auto nq = static_cast<std::size_t>(model_.nq), nv = static_cast<std::size_t>(model_.nv);
    const std::vector<Group> motion{{"q", nq}, {"qd", nv}, {"qdd", nv}}, force{{"q", nq}, {"qd", nv}, {"tau", nv}};
    const auto add = [&](const char* name, const std::vector<Group>& in, std::size_t out, auto calculation) {
      twins_.emplace(name, Interpreter<double>(trace(name, in, {{"out", out}}, [&](const Arguments& a, Results& r) {
                       Workspace<Expr> work(*symbolic);
                       calculation(*symbolic, work, a, r[0]);
                     })));
    };
    add("rnea", motion, nv, [](auto& m, auto& w, auto& a, auto& r) { rnea<Expr>(m, w, a[0], a[1], a[2], r); });
    add("crba", {{"q", nq}}, nv * nv, [](auto& m, auto& w, auto& a, auto& r) { crba<Expr>(m, w, a[0], r); });
    add("aba", force, nv, [](auto& m, auto& w, auto& a, auto& r) { aba<Expr>(m, w, a[0], a[1], a[2], r); });
    if (nv > 50) return;  // the factorisation written out grows with the cube
    add("forward_by_crba", force, nv,
        [](auto& m, auto& w, auto& a, auto& r) { forward_by_crba<Expr>(m, w, a[0], a[1], a[2], r); });
  }

  Values twin(const char* name, std::initializer_list<const Values*> inputs, std::size_t outputs) {
    Values in, out(outputs);
    for (const Values* group : inputs) in.insert(in.end(), group->begin(), group->end());
    twins_.at(name)(in, out);
    return out;
  }

  VectorXd inverse(const State& s, const Values& qdd) {
    VectorXd tau(model_.nv);
    rnea<double>(model_, work_, s.q, s.qd, qdd, std::span(tau.data(), s.qd.size()));
    return tau;
  }

  void compare(const State& s, int index) {
    const auto nv = static_cast<std::size_t>(model_.nv);
    const std::string where = fmt::format("{}, {} velocities, state {}", name_, nv, index);
    const VectorXd qdd = Eigen::Map<const VectorXd>(s.qdd.data(), model_.nv);
    const VectorXd given_tau = Eigen::Map<const VectorXd>(s.tau.data(), model_.nv);

    // the mass matrix, and the sizes against which errors are measured
    Values M_values(nv * nv);
    crba<double>(model_, work_, s.q, M_values);
    const MatrixXd M = Eigen::Map<const MatrixXd>(M_values.data(), model_.nv, model_.nv);
    const VectorXd h = inverse(s, Values(nv, 0.0));
    const VectorXd terms = M.cwiseAbs() * qdd.cwiseAbs() + h.cwiseAbs();

    // inverse dynamics
    const VectorXd tau = inverse(s, s.qdd);
    const auto tau_ratio = [&](const VectorXd& other) {
      return largest((other - tau).array() / (1e-12 * terms.array().max(1.0)));
    };
    ratios_.note("inverse: M qdd + h by crba", tau_ratio(M * qdd + h), where);
    ratios_.note_same_bits("inverse: rnea traced, same bits", twin("rnea", {&s.q, &s.qd, &s.qdd}, nv),
                           Values(tau.begin(), tau.end()), where);
    ratios_.note_same_bits("mass matrix: crba traced, same bits", twin("crba", {&s.q}, nv * nv), M_values, where);

    // forward dynamics
    Values by_aba(nv), by_crba(nv);
    aba<double>(model_, work_, s.q, s.qd, s.tau, by_aba);
    forward_by_crba<double>(model_, work_, s.q, s.qd, s.tau, by_crba);
    ratios_.note_same_bits("forward: aba traced, same bits", twin("aba", {&s.q, &s.qd, &s.tau}, nv), by_aba, where);
    if (twins_.count("forward_by_crba")) {
      ratios_.note_same_bits("forward: crba traced, same bits", twin("forward_by_crba", {&s.q, &s.qd, &s.tau}, nv),
                             by_crba, where);
    }
    const VectorXd eigenvalues = symmetric_eigenvalues(M);
    const double condition = eigenvalues[model_.nv - 1] / eigenvalues[0];
    const auto residual_ratio = [&](const Values& x) {
      const VectorXd size_of = M.cwiseAbs() * Eigen::Map<const VectorXd>(x.data(), model_.nv).cwiseAbs() + h.cwiseAbs();
      return largest((inverse(s, x) - given_tau).array() / (1e-13 * size_of.array()));
    };
    // |Δq̈| ≤ 10 ε cond(M) |q̈| holds unless τ and h nearly cancel: the right side τ − h is known only to ε(|τ| + |h|),
    // which M⁻¹ turns into ε cond(M) (|τ| + |h|) / |M|. (One joint of cond(M) = 1 that by chance hardly accelerates
    // needs it.)
    const VectorXd reference = Eigen::Map<const VectorXd>(by_aba.data(), model_.nv);
    const double size = std::max(reference.norm(), (given_tau.norm() + h.norm()) / eigenvalues[model_.nv - 1]);
    const auto solver_ratio = [&](const Values& x) {
      return (Eigen::Map<const VectorXd>(x.data(), model_.nv) - reference).norm() /
             (10.0 * kEpsilon * condition * size);
    };
    ratios_.note("forward: residual of aba", residual_ratio(by_aba), where);
    ratios_.note("forward: residual of crba", residual_ratio(by_crba), where);
    ratios_.note("forward: crba against aba", solver_ratio(by_crba), where);

    // the peers
    for (auto& [name, other] : peers_) {
      Values x(nv);
      other->compute(peer::Function::inverse, index, 0.0);
      other->result(peer::Function::inverse, x.data());
      ratios_.note("inverse: " + name, tau_ratio(Eigen::Map<const VectorXd>(x.data(), model_.nv)), where);
      if (other->supports(peer::Function::mass_matrix)) {
        MatrixXd M_other(model_.nv, model_.nv);
        other->compute(peer::Function::mass_matrix, index, 0.0);
        other->result(peer::Function::mass_matrix, M_other.data());
        // |M_ij| ≤ √(M_ii M_jj), which no cancellation makes small
        const VectorXd root = M.diagonal().cwiseSqrt();
        const double ratio = largest((M_other - M).array() / (1e-12 * (root * root.transpose()).array().max(1.0)));
        ratios_.note("mass matrix: " + name, ratio, where);
      }
      if (other->supports(peer::Function::forward)) {
        other->compute(peer::Function::forward, index, 0.0);
        other->result(peer::Function::forward, x.data());
        ratios_.note("forward: " + name + " against aba", solver_ratio(x), where);
      }
    }
  }

  Model<double> model_;
  Workspace<double> work_;
  Ratios& ratios_;
  std::string name_;
  std::vector<std::pair<std::string, std::unique_ptr<peer::Peer>>> peers_;
  std::map<std::string, Interpreter<double>> twins_;
};

std::vector<PeerLibrary> libraries() {
  std::vector<std::string> folders = cli::peer_folders();
  folders.push_back(LW_PEERS_DIR);
  const cli::PeerSearch search = cli::find_peers(folders);
  for (const std::string& failure : search.failures) ADD_FAILURE() << failure;
  return search.found;
}

// Mechanisms of 1 to 60 joints.
void compare_mechanisms(std::uint64_t seed, RandomMechanismOptions options, int count = 63) {
  const auto peers = libraries();
  ASSERT_FALSE(peers.empty()) << "no peers in " LW_PEERS_DIR ": configure with -DLINKWRIGHT_PEERS=ON";
  Ratios ratios;
  for (int k = 0; k < count; ++k) {
    options.joints = 1 + k * 60 / count;
    const std::uint64_t mechanism_seed = seed + static_cast<std::uint64_t>(k);
    const Mechanism mechanism = random_mechanism(mechanism_seed, options);
    Subject(mechanism, mechanism, peers, ratios).compare(mechanism_seed);
  }
  ratios.expect_within_tolerance();
}

// without quaternions, which KDL does not know
const std::vector<JointType> kAngles = {JointType::revolute, JointType::prismatic, JointType::cylindrical,
                                        JointType::universal, JointType::planar};

TEST(Peers, KdlAndDartAreHere) {
  std::vector<std::string> names;
  for (const PeerLibrary& library : libraries()) names.push_back(library.name);
  for (const char* wanted : {"kdl", "dart"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), wanted), 1) << wanted << ": ./test installs what it needs";
  }
}

// 70 states each: KDL takes part in 10 710 (no quaternions; mass matrix and forward dynamics on chains), DART in 18
// 550.
TEST(Peers, AgreeOnSerialChains) { compare_mechanisms(1000, {.types = kAngles, .branching = 0.0, .payload = 0.0}); }
TEST(Peers, AgreeOnTreesOfAngles) { compare_mechanisms(2000, {.types = kAngles}, 75); }
TEST(Peers, AgreeOnTreesOfAllJoints) { compare_mechanisms(3000, {}); }
TEST(Peers, AgreeOnBushyTreesOfAllJoints) { compare_mechanisms(4000, {.branching = 0.8, .fixed = 0.4}); }
// Rotor inertia, which DART and RBDL do not know.
TEST(Peers, AgreeOnDrivenChains) {
  compare_mechanisms(5000, {.types = kAngles, .branching = 0.0, .payload = 0.0, .drives = true}, 13);
}

// That the comparison can fail: one element of one inertia tensor is off by one part in 10⁹.
TEST(Peers, NoticeOnePartInABillion) {
  const auto peers = libraries();
  ASSERT_FALSE(peers.empty()) << "no peers in " LW_PEERS_DIR ": configure with -DLINKWRIGHT_PEERS=ON";
  const Mechanism told = random_mechanism(6000, {.joints = 6, .types = kAngles});
  Mechanism ours = told;
  Formula& xy = ours.links.back().inertia->tensor[3];
  xy = xy.value.constant() * (1.0 + 1e-9);
  Ratios ratios;
  Subject(ours, told, peers, ratios).compare(6000);
  for (const PeerLibrary& library : peers) EXPECT_GT(ratios.worst("inverse: " + library.name), 1.0) << library.name;
}

}  // namespace dynamics_test
}  // namespace lw
