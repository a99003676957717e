// Random mechanisms with loops (support/closed_mechanisms.hpp), each simulated in minimal and redundant coordinates, by
// two integrators, with a start disturbed in the twelfth digit beside it, and some by the independent simulator in
// tests/oracles.
//
// The seed is the index: LINKWRIGHT_MECHANISMS=20000 is the long form (`./test --long`), LINKWRIGHT_FIRST=17
// LINKWRIGHT_MECHANISMS=1 runs number 17 again, tells all about it and writes it to closed.yaml here.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "base/index.hpp"
#include "base/process.hpp"
#include "dynamics/kinematics/closure.hpp"
#include "dynamics/loops/loop_plan.hpp"
#include "dynamics/tree/crba.hpp"
#include "dynamics/tree/kinematics.hpp"
#include "simulate/integrate/advance.hpp"
#include "simulate/motion/energy_balance.hpp"
#include "support/closed_mechanisms.hpp"
#include "support/maximal_description.hpp"
#include "support/mechanism_of.hpp"
#include "support/sanitizer.hpp"
#include "support/scratch.hpp"
#include "support/wished.hpp"

namespace lw {
namespace closed_generator_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using Coordinates = DrivenOptions::Coordinates;

constexpr double kDuration = 0.5;
constexpr int kSamples = 20;
constexpr long kMostSteps = 20'000;
constexpr double kMostSeconds = kSanitized ? 100.0 : 5.0;
constexpr double kUneven = 1e-2;  // the rule itself is off by 1e-3 in steps across branches, which are long
constexpr double kLoose = 1e-6;   // of energy and difference that tolerances may explain
constexpr double kAtRest =
    1e-18;  // J in play: what the disturbance of a mechanism at rest brings, less than tolerances see

struct TooLong {};

// Defects of the library that are known. An entry goes when its mechanism passes: the tally says so.
const std::map<int, const char*> kKnown = {};

// Poses of all links at the samples that were reached, and what the run was like.
struct Record {
  std::vector<std::vector<double>> poses;
  MotionState last;
  std::string error;  // that ended it
  bool too_long = false;
  bool crossed = false;  // a pose that was taken for one in which branches meet (branch_crossing.hpp)
  double rank =
      HUGE_VAL;  // the least singular value of the closures at all steps, of that at home; where it is asked for
  long steps = 0, changes = 0;
  double energy = 0.0, opening = 0.0, seconds = 0.0;
  double uneven = 0.0;  // by how much a state within a step is not between its ends (see unevenness)
};

std::vector<double> poses_of(const Model<double>& model, Workspace<double>& work, const std::vector<double>& q) {
  std::vector<double> out;
  forward_kinematics<double>(model, work, q);
  for (const Transform<double>& X : work.X_W) {
    for (int i = 0; i < 3; ++i) {
      out.push_back(X.p[i]);
      for (int k = 0; k < 3; ++k) out.push_back(X.R(i, k));
    }
  }
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// At home, the fastest joint with the speed that the mechanism has drawn.
MotionState start_of(const Driven& system, const DrawnMechanism& drawn) {
  const Model<double>& model = system.model();
  MotionState s = system.home();
  if (drawn.speed > 0.0) {
    const std::vector<int> independent = plan_coordinates(model).independent;
    for (std::size_t k = 0; k < independent.size(); ++k)
      s.v[at(independent[k])] = k % 2 == 0 ? 1.0 / (1.0 + static_cast<double>(k)) : -0.6;
    const MotionState given = s;
    system.assemble(s);
    double fastest = 0.0;
    for (const Body<double>& b : model.bodies) {
      for (int k = 0; k < b.velocities(); ++k)
        fastest = std::max(fastest, std::abs(s.v[at(b.v + k)]) / (b.kind == JointKind::prismatic ? drawn.size : 1.0));
    }
    s = given;
    for (double& v : s.v) v *= drawn.speed / fastest;
  }
  system.assemble(s);
  return s;
}

// Velocities lead from the state before a step to the one after it, by Simpson's rule with the state that is looked up
// between them: what is left, as a part of how far joints move. Without ball joints, whose coordinates are not
// integrals of velocities.
double unevenness(Integrator& method, System& system, const MotionState& before, const MotionState& after) {
  MotionState middle = after;
  const double h = after.t - before.t;
  look(method, system, before.t + 0.5 * h, middle);
  double fastest = 0.0, most = 0.0;
  for (std::size_t k = 0; k < after.v.size(); ++k)
    fastest = std::max({fastest, std::abs(before.v[k]), std::abs(middle.v[k]), std::abs(after.v[k])});
  for (std::size_t k = 0; k < after.v.size(); ++k) {
    most =
        std::max(most, std::abs(after.q[k] - before.q[k] - h / 6.0 * (before.v[k] + 4.0 * middle.v[k] + after.v[k])));
    most = std::max(
        most, std::abs(middle.q[k] - before.q[k] - h / 24.0 * (5.0 * before.v[k] + 8.0 * middle.v[k] - after.v[k])));
  }
  return fastest * h > 1e-6 ? most / (fastest * h) : 0.0;
}

double loss_of_rank(const Model<double>& model, const std::vector<double>& q, const std::vector<int>& columns);
std::vector<int> all_columns(const Model<double>& model);

Record simulate(const Mechanism& m, const MotionState& start, Coordinates coordinates, const std::string& integrator,
                bool ranks = false, double finer = 1.0) {
  Record out;
  // of the processor: other programs do not count
  const std::clock_t began = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC; };
  // asked in every evaluation: a step that never ends ends here. The clock is a system call: asked now and then
  long evaluations = 0;
  const Torques watch = [&](double, auto, auto, auto) {
    if (++evaluations % 256 == 0 && seconds() > kMostSeconds) throw TooLong();
  };
  MotionState s = start;
  try {
    Driven system(m, watch, {.way = DrivenOptions::Way::reference, .coordinates = coordinates});
    Workspace<double> work(system.model());
    system.assemble(s);
    EnergyBalance balance(system, s);
    const double tolerance = finer * (integrator == "verner" ? 1e-12 : 1e-11);
    const auto method = make_integrator(integrator, {.rtol = tolerance, .atol = tolerance});
    for (int k = 0; k <= kSamples; ++k) {
      const double until = kDuration * k / kSamples;
      while (s.t < until) {
        const MotionState before = s;
        const bool changed = advance(*method, system, s, until).friction_changed;
        out.changes += changed ? 1 : 0;
        if (changed && s.q.size() == s.v.size())
          out.uneven = std::max(out.uneven, unevenness(*method, system, before, s));
        if (++out.steps > kMostSteps) throw TooLong();
        out.crossed = out.crossed || method->detour() != nullptr;
        if (ranks) out.rank = std::min(out.rank, loss_of_rank(system.model(), s.q, all_columns(system.model())));
      }
      balance.look(s);
      if (balance.largest() > kAtRest) out.energy = balance.residual();
      out.opening = std::max(out.opening, system.opening(s));
      out.poses.push_back(poses_of(system.model(), work, s.q));
    }
  } catch (const TooLong&) {
    out.too_long = true;
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.last = s;
  out.seconds = seconds();
  return out;
}

// The smallest singular value of so many: of the closures' Jacobian in these columns.
double least_singular(const Model<double>& model, const std::vector<double>& q, const std::vector<int>& columns,
                      Eigen::Index rank) {
  Workspace<double> work(model);
  const ClosureState s = closure_state(model, work, q);
  const MatrixXd J =
      Eigen::Map<const MatrixXd>(s.jacobian.data(), static_cast<Eigen::Index>(s.residual.size()), model.nv);
  const VectorXd sv = Eigen::JacobiSVD<MatrixXd>(J(Eigen::all, columns)).singularValues();
  return rank > sv.size() ? 0.0 : sv[rank - 1];
}
Eigen::Index rank_at(const Model<double>& model, const std::vector<double>& q) {
  Workspace<double> work(model);
  const ClosureState s = closure_state(model, work, q);
  const MatrixXd J =
      Eigen::Map<const MatrixXd>(s.jacobian.data(), static_cast<Eigen::Index>(s.residual.size()), model.nv);
  const VectorXd sv = Eigen::JacobiSVD<MatrixXd>(J).singularValues();
  return (sv.array() > 1e-9 * sv[0]).count();
}

// Of the closures in the given columns, as a part of what it is at home.
double loss_of_rank(const Model<double>& model, const std::vector<double>& q, const std::vector<int>& columns) {
  const Eigen::Index rank = rank_at(model, model.home);
  return least_singular(model, q, columns, rank) / least_singular(model, model.home, columns, rank);
}
std::vector<int> all_columns(const Model<double>& model) {
  std::vector<int> all(at(model.nv));
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  return all;
}

// The least inertia of the motions that the closures leave, of the largest: M on the null space of J.
double least_inertia(const Model<double>& model, const std::vector<double>& q) {
  Workspace<double> work(model);
  const ClosureState s = closure_state(model, work, q);
  const MatrixXd J =
      Eigen::Map<const MatrixXd>(s.jacobian.data(), static_cast<Eigen::Index>(s.residual.size()), model.nv);
  MatrixXd M(model.nv, model.nv);
  crba<double>(model, work, q, {M.data(), static_cast<std::size_t>(M.size())});
  const MatrixXd N =
      Eigen::JacobiSVD<MatrixXd>(J, Eigen::ComputeFullV).matrixV().rightCols(model.nv - rank_at(model, model.home));
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(N.transpose() * M * N).eigenvalues()[0] / M.diagonal().maxCoeff();
}

// How fast velocities fall that the closures leave free: the largest change of Nᵀ q̈ by a small velocity N x.
double fastest_decay(const Mechanism& m, const MotionState& s) {
  Driven system(m, {}, {.way = DrivenOptions::Way::reference, .coordinates = Coordinates::redundant});
  const Model<double>& model = system.model();
  Workspace<double> work(model);
  const ClosureState c = closure_state(model, work, s.q);
  const MatrixXd J =
      Eigen::Map<const MatrixXd>(c.jacobian.data(), static_cast<Eigen::Index>(c.residual.size()), model.nv);
  const Eigen::Index rank = rank_at(model, model.home);
  const MatrixXd N = Eigen::JacobiSVD<MatrixXd>(J, Eigen::ComputeFullV).matrixV().rightCols(model.nv - rank);
  const Eigen::Map<const VectorXd> v(s.v.data(), model.nv);
  const double part = 1e-4 * (1e-3 + v.cwiseAbs().maxCoeff());
  const auto acceleration = [&](const VectorXd& velocity) {
    VectorXd a(model.nv), dz(system.nz());
    const auto n = static_cast<std::size_t>(model.nv);
    system.slopes(s.t, s.q, {velocity.data(), n}, s.z, {a.data(), n}, {dz.data(), static_cast<std::size_t>(dz.size())});
    return a;
  };
  MotionState here = s;
  system.assemble(here);
  double most = 0.0;
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    const VectorXd change = acceleration(v + part * N.col(k)) - acceleration(v - part * N.col(k));
    most = std::max(most, (N.transpose() * change).norm() / (2.0 * part));
  }
  return most;
}

struct Tally {
  std::map<std::string, int> families;
  int mechanisms = 0, dry = 0, changing = 0, dead_centres = 0, refusals = 0, stiff = 0, loose = 0,
      compared_to_the_end = 0;
  long changes = 0;
  double energy = 0.0, opening = 0.0, uneven = 0.0, difference = 0.0, slowest = 0.0;
  std::map<std::string, std::vector<int>> failures;
  std::vector<int> known, cured;

  void print(double seconds) const {
    fmt::print(
        "{} mechanisms in {:.1f} s, {} compared to the end; {} with dry friction, {} with three changes or more ({} in "
        "all); {} dead centres; "
        "{} refusals, {} stiff, {} with more than 1e-8 of energy or 1e-7 of difference that finer tolerances take "
        "away\n",
        mechanisms, seconds, compared_to_the_end, dry, changing, changes, dead_centres, refusals, stiff, loose);
    for (const auto& [name, count] : families) fmt::print("  {} {}\n", count, name);
    fmt::print(
        "  worst, known defects included: energy {:.1e}, closure {:.1e}, within a step {:.1e}, difference {:.1e}; "
        "slowest run {:.2f} s\n",
        energy, opening, uneven, difference, slowest);
    if (!known.empty()) fmt::print("  known defects: {}\n", fmt::join(known, " "));
    if (!cured.empty())
      fmt::print("  known defects that are gone, to be taken from kKnown: {}\n", fmt::join(cured, " "));
    for (const auto& [what, which] : failures)
      fmt::print("  FAILED {}: {} ({})\n", what, which.size(), fmt::join(which, " "));
  }
};

struct Case {
  DrawnMechanism drawn;
  Mechanism mechanism;
};
Case case_of(int index) {
  Random random(static_cast<std::uint64_t>(index));
  Case c;
  c.drawn = random_closed_mechanism(random);
  c.mechanism = mechanism_of(c.drawn.text);
  return c;
}

void check(int index, Tally& tally) {
  const Case c = case_of(index);
  const bool tells = wished("LINKWRIGHT_MECHANISMS", 0) == 1;
  ++tally.mechanisms;
  ++tally.families[c.drawn.family];
  const auto fail = [&](const std::string& what, const std::string& detail = {}) {
    tally.failures[what].push_back(index);
    if (tells) fmt::print("FAILED {}: {}\n", what, detail);
  };
  MotionState start, aside;
  std::vector<int> dependent;
  std::optional<Model<double>> model;
  try {
    Driven system(c.mechanism, {}, {.way = DrivenOptions::Way::reference});
    model = system.model();
    tally.dry += system.is_dry() ? 1 : 0;
    start = start_of(system, c.drawn);
    const LoopPlan plan = plan_coordinates(*model);
    dependent = plan.dependent;
    aside = start;
    for (const int v : plan.dependent) aside.v[at(v)] = 0.0;
    for (const int v : plan.independent) aside.v[at(v)] += 1e-12 * (1.0 + std::abs(start.v[at(v)]));
    system.assemble(aside);
  } catch (const Error& e) {
    return fail("does not start", e.what());  // home is sound by construction
  }
  if (tells) {
    std::ofstream("closed.yaml") << "linkwright: 1\n" << c.drawn.text;
    std::vector<std::string> qd;
    for (const JointInfo& j : model->joints) {
      for (int k = 0; k < velocities(j.type) && j.actuated; ++k) qd.push_back(fmt::format("{}", start.v[at(j.v + k)]));
    }
    fmt::print(
        "{}: {}\nlinkwright simulate closed.yaml --duration {} --qd={} --rtol 1e-11 --atol 1e-11 --coordinates "
        "redundant\nstart: {}\n",
        index, c.drawn.family, kDuration, fmt::join(qd, ","), fmt::join(start.v, " "));
  }
  struct Run {
    const char* name;
    const MotionState& start;
    Coordinates coordinates;
    const char* integrator;
  };
  const Run kinds[] = {{"redundant", start, Coordinates::redundant, "dormand-prince"},
                       {"disturbed", aside, Coordinates::redundant, "dormand-prince"},
                       {"minimal", start, Coordinates::minimal, "dormand-prince"},
                       {"redundant verner", start, Coordinates::redundant, "verner"},
                       {"minimal verner", start, Coordinates::minimal, "verner"}};
  std::vector<Record> runs;
  bool refused = false, dead_centre = false, stiff = false, loose = false;
  for (const Run& r : kinds) {
    if (runs.size() == 4 && index % 3 != 0 && !tells)
      break;  // a third is enough for the fourth pair of coordinates and integrator
    runs.push_back(simulate(c.mechanism, r.start, r.coordinates, r.integrator, tells));
    const Record& m = runs.back();
    if (tells) {
      fmt::print(
          "{}: to {:.4f} s, {} steps, {} changes, {}energy {:.1e}, closure {:.1e}, least rank {:.1e}, {:.2f} s {}\n",
          r.name, m.last.t, m.steps, m.changes, m.crossed ? "crossed a branch, " : "", m.energy, m.opening, m.rank,
          m.seconds, m.error);
    }
    tally.slowest = std::max(tally.slowest, m.seconds);
    // a link without mass, whose friction brakes all others: explicit steps are no longer than a few times its decay
    const auto is_stiff = [&] {
      constexpr double kLongest = 3.3;  // of dormand-prince
      const double rate = fastest_decay(c.mechanism, m.last);
      if (tells) fmt::print("  fastest decay {:.1e} 1/s at {:.4f} s\n", rate, m.last.t);
      return rate * kDuration > kLongest * kMostSteps;
    };
    if (m.too_long) {
      if (is_stiff())
        stiff = true;
      else
        fail(fmt::format("{} does not end", r.name));
    }
    tally.energy = std::max(tally.energy, m.energy);
    tally.opening = std::max(tally.opening, m.opening);
    // what tolerances allow goes with them
    if (!(m.energy <= 1e-8) &&
        !(m.energy <= kLoose &&
          simulate(c.mechanism, r.start, r.coordinates, r.integrator, false, 0.1).energy <= 0.3 * m.energy)) {
      fail(fmt::format("{}: energy", r.name));
    }
    if (m.energy > 1e-8) loose = true;
    if (!(m.opening <= 1e-10)) fail(fmt::format("{}: closure", r.name));
    tally.uneven = std::max(tally.uneven, m.uneven);
    if (!(m.uneven <= kUneven)) fail(fmt::format("{}: a state within a step", r.name));
    if (m.error.empty()) continue;
    if (r.coordinates == Coordinates::minimal && m.error.find("dead centre") != std::string::npos) {
      const double left = loss_of_rank(*model, m.last.q, dependent);
      if (tells) fmt::print("  dependent columns: {:.1e} of home\n", left);
      if (left > 1e-2) fail("a dead centre that is none", m.error);
      dead_centre = true;
      continue;
    }
    // branches that meet: the closures have lost rank; or a link without mass has become all that moves
    const double left = loss_of_rank(*model, m.last.q, all_columns(*model));
    const double inertia = least_inertia(*model, m.last.q) / least_inertia(*model, model->home);
    if (tells)
      fmt::print("  all columns: {:.1e} of home, dependent {:.1e}, inertia {:.1e}\n", left,
                 loss_of_rank(*model, m.last.q, dependent), inertia);
    if (left > 1e-2 && inertia > 1e-6) fail(fmt::format("{} refuses without a reason", r.name), m.error);
    refused = true;
  }
  tally.refusals += refused ? 1 : 0;
  tally.stiff += stiff ? 1 : 0;
  tally.dead_centres += dead_centre ? 1 : 0;
  const Record &wanted = runs[0], &disturbed = runs[1];
  tally.changes += wanted.changes;
  tally.changing += wanted.changes >= 3 ? 1 : 0;
  // as long as the motion itself tells neighbours from each other
  std::size_t end = 0;
  while (end < wanted.poses.size() && end < disturbed.poses.size() &&
         distance(wanted.poses[end], disturbed.poses[end]) < 1e-9)
    ++end;
  tally.compared_to_the_end += end == kSamples + 1 ? 1 : 0;
  if (tells) fmt::print("compared to {:.3f} s\n", kDuration * (static_cast<double>(end) - 1.0) / kSamples);
  for (std::size_t r = 2; r < runs.size(); ++r) {
    double most = 0.0;
    for (std::size_t k = 0; k < std::min(end, runs[r].poses.size()); ++k) {
      most = std::max(most, distance(wanted.poses[k], runs[r].poses[k]));
      if (tells)
        fmt::print("  {} {:.3f} s: {:.1e}\n", kinds[r].name, kDuration * static_cast<double>(k) / kSamples,
                   distance(wanted.poses[k], runs[r].poses[k]));
    }
    tally.difference = std::max(tally.difference, most);
    if (most < 1e-7) continue;
    // what tolerances allow goes with them
    const auto finer = [&](const Run& k) {
      return simulate(c.mechanism, k.start, k.coordinates, k.integrator, false, 0.1);
    };
    const Record a = finer(kinds[0]), b = finer(kinds[r]);
    double less = 0.0;
    for (std::size_t k = 0; k < std::min({end, a.poses.size(), b.poses.size()}); ++k)
      less = std::max(less, distance(a.poses[k], b.poses[k]));
    if (tells) fmt::print("  {}: {:.1e} apart, and {:.1e} with tolerances of a tenth\n", kinds[r].name, most, less);
    const bool as_far = a.poses.size() >= end && b.poses.size() >= std::min(end, runs[r].poses.size());
    if (as_far && most < kLoose && less < 0.3 * most) {
      loose = true;
    } else {
      fail(fmt::format("{} differs", kinds[r].name));
    }
  }
  tally.loose += loose ? 1 : 0;
}

void attack(int index, Tally& tally) {
  const auto before = tally.failures;
  check(index, tally);
  if (!kKnown.contains(index)) return;
  (tally.failures == before ? tally.cured : tally.known).push_back(index);
  tally.failures = before;
}

TEST(ClosedGenerator, CoordinatesAndIntegratorsAgree) {
  const int first = wished("LINKWRIGHT_FIRST", 0), count = wished("LINKWRIGHT_MECHANISMS", 300);
  const auto began = std::chrono::steady_clock::now();
  Tally tally;
  for (int k = first; k < first + count; ++k) attack(k, tally);
  tally.print(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  for (const auto& [what, which] : tally.failures)
    ADD_FAILURE() << what << ": " << fmt::format("{}", fmt::join(which, " "));
  EXPECT_LE(tally.refusals, count / 50 + 1);
  EXPECT_LE(tally.stiff, count / 500 + 1);
  EXPECT_LE(tally.loose, count / 500 + 1);
  if (count < 100) return;
  EXPECT_GE(tally.changing, 3 * count / 10);
  EXPECT_GE(tally.dead_centres, count / 10);
}

// One point of each link, away from its axes, so that it tells place and direction: c + R u, c the centre of mass.
constexpr double kAway[] = {0.36, 0.48, 0.8};
using Points = std::vector<std::array<double, 3>>;

Points points_at(const Model<double>& model, const MotionState& start, const std::vector<double>& q) {
  Workspace<double> before(model), after(model);
  forward_kinematics<double>(model, before, start.q);
  forward_kinematics<double>(model, after, q);
  Points points;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const RigidInertia<double>& inertia = model.bodies[i].inertia;
    const Vec3<double> com = inertia.mass > 0.0 ? inertia.h * (1.0 / inertia.mass) : Vec3<double>::zero();
    const Mat3<double> R = after.X_W[i].R * transpose(before.X_W[i].R);  // the oracle's is the identity at the start
    const Vec3<double> p = after.X_W[i].p + after.X_W[i].R * com + R * Vec3<double>(kAway[0], kAway[1], kAway[2]);
    points.push_back({p[0], p[1], p[2]});
  }
  return points;
}
Points points_of(const nlohmann::json& state) {
  Points points;
  for (std::size_t i = 0; i < state["positions"].size(); ++i) {
    std::array<double, 3> p{};
    for (std::size_t r = 0; r < 3; ++r) {
      p[r] = state["positions"][i][r].get<double>();
      for (std::size_t k = 0; k < 3; ++k) p[r] += state["rotations"][i][r][k].get<double>() * kAway[k];
    }
    points.push_back(p);
  }
  return points;
}
double distance(const Points& a, const Points& b) {
  double most = a.size() == b.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    for (std::size_t r = 0; r < 3; ++r) most = std::max(most, std::abs(a[i][r] - b[i][r]));
  }
  return most;
}

// The independent simulator judges where it has converged: two of its tolerances agree to this, in their events too.
// Points at the end then differ by 1e-8 at most, in 952 of 953 motions by 2e-9; in one (774, RSSP, 26 events) by 3e-8,
// and by less than 1e-8 with tolerances of a tenth.
constexpr double kConverged = 1e-9, kApart = 1e-8;
double distance_from(const Points& theirs, const Case& c, const Model<double>& model, const MotionState& start,
                     const Record& ours) {
  const double most = distance(points_at(model, start, ours.last.q), theirs);
  if (most < kApart) return most;
  // a motion that multiplies the errors of its steps: smaller ones
  const Record finer = simulate(c.mechanism, start, Coordinates::redundant, "dormand-prince", false, 0.1);
  return finer.error.empty() ? distance(points_at(model, start, finer.last.q), theirs) : most;
}
constexpr const char* kMadeAnew = "the generator draws another one; make tests/oracles/closed_motions.csv anew";

// LINKWRIGHT_JUDGED=1000 LINKWRIGHT_STORE=FILE writes what StoredMotionsAgree reads.
TEST(ClosedGenerator, MaximalCoordinatesAgree) {
  const std::string python = "/usr/bin/python3";
  if (run_program({python, "-c", "import numpy"}).status != 0)
    GTEST_SKIP() << python << " has no NumPy (Debian: python3-numpy)";
  const int first = wished("LINKWRIGHT_FIRST", 0), count = wished("LINKWRIGHT_JUDGED", 20);
  const char* const store = std::getenv("LINKWRIGHT_STORE");
  std::ofstream stored;
  if (store != nullptr) {
    stored.open(store);
    stored << "index,family,events,converged,start_x,start_y,start_z,x,y,z (a point of each link after 0.5 s) ...\n";
  }
  const Scratch scratch;
  const std::string input = (scratch.path / "input.json").string(), output = (scratch.path / "output.json").string();
  int judged = 0;
  double worst = 0.0, worst_dry = 0.0;
  for (int index = first; index < first + count; ++index) {
    const Case c = case_of(index);
    Driven system(c.mechanism, {}, {.way = DrivenOptions::Way::reference, .coordinates = Coordinates::redundant});
    const MotionState start = start_of(system, c.drawn);
    const Record ours = simulate(c.mechanism, start, Coordinates::redundant, "dormand-prince");
    const Model<double>& model = system.model();
    std::ofstream(input) << maximal_description(model, start.q, start.v, kDuration);
    const Finished oracle =
        run_program({python, LW_SOURCE_DIR "/tests/oracles/maximal.py", input, output, "--tolerance", "1e-10"});
    if (oracle.status != 0) {
      fmt::print("{} {}: {}", index, c.drawn.family, oracle.output);
      continue;
    }
    const nlohmann::json theirs = nlohmann::json::parse(std::ifstream(output)), &trust = theirs["convergence"];
    const double spread = trust["largest_difference"].get<double>();
    const bool same_events = trust["same_events"].get<bool>(), dry = !theirs["events"].empty();
    const bool converged = same_events && spread <= kConverged;
    const Points points = points_of(theirs["states"].back());
    if (converged && stored.is_open()) {
      stored << fmt::format("{},{},{},{:.1e}", index, c.drawn.family, theirs["events"].size(), spread);
      Points all{points_at(model, start, start.q).back()};
      all.insert(all.end(), points.begin(), points.end());
      for (const auto& p : all) stored << fmt::format(",{:.12g},{:.12g},{:.12g}", p[0], p[1], p[2]);
      stored << std::endl;
    }
    if (!ours.error.empty() || ours.too_long) {
      fmt::print("{} {}: ends at {} s: {}\n", index, c.drawn.family, ours.last.t, ours.error);
      continue;
    }
    const double most = distance_from(points, c, model, start, ours);
    fmt::print("{} {}: {:.1e} apart, {} changes, {} events; the oracle converged to {:.1e}{}\n", index, c.drawn.family,
               most, ours.changes, theirs["events"].size(), spread, same_events ? "" : ", with other events");
    if (!converged) continue;
    ++judged;
    (dry ? worst_dry : worst) = std::max(dry ? worst_dry : worst, most);
    EXPECT_LT(most, kApart) << index << " " << c.drawn.family;
  }
  fmt::print("{} judged; worst {:.1e}, with dry friction {:.1e}\n", judged, worst, worst_dry);
  EXPECT_GE(judged, 3 * count / 4);
}

// What that simulator found for the first 1000, stored: the same judge without its hours. Where a start is not the one
// that was simulated, the generator draws others now, and the file must be made anew.
TEST(ClosedGenerator, StoredMotionsAgree) {
  std::ifstream file(LW_SOURCE_DIR "/tests/oracles/closed_motions.csv");
  const int count = wished("LINKWRIGHT_STORED", 200);
  int judged = 0, ended = 0;
  double worst = 0.0;
  std::string line;
  std::getline(file, line);  // its header
  while (judged + ended < count && std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_GE(cells.size(), 10u) << line;
    const int index = std::stoi(cells[0]);
    const Case c = case_of(index);
    ASSERT_EQ(cells[1], c.drawn.family) << index << ": " << kMadeAnew;
    Driven system(c.mechanism, {}, {.way = DrivenOptions::Way::reference, .coordinates = Coordinates::redundant});
    const MotionState start = start_of(system, c.drawn);
    Points then(1), theirs;
    for (std::size_t k = 4; k < cells.size(); ++k) {
      const double x = std::stod(cells[k]);
      if (k < 7) {
        then[0][k - 4] = x;
        continue;
      }
      if (k % 3 == 1) theirs.emplace_back();
      theirs.back()[(k - 1) % 3] = x;
    }
    ASSERT_LT(distance(then, {points_at(system.model(), start, start.q).back()}), 1e-9) << index << ": " << kMadeAnew;
    const Record ours = simulate(c.mechanism, start, Coordinates::redundant, "dormand-prince");
    if (!ours.error.empty() || ours.too_long) {
      ++ended;
      continue;
    }
    ++judged;
    const double most = distance_from(theirs, c, system.model(), start, ours);
    worst = std::max(worst, most);
    EXPECT_LT(most, kApart) << index << " " << c.drawn.family;
  }
  fmt::print("{} judged, {} ended early; worst {:.1e}\n", judged, ended, worst);
  EXPECT_GE(judged, 95 * count / 100);
}

}  // namespace closed_generator_test
}  // namespace lw
