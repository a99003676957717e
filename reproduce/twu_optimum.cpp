#include "experiments.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Core>

#include "base/linear.hpp"
#include "simulate/optimize/optimize_design.hpp"
#include "twu_nest.hpp"

// Twu 1987, §3.1 and future work: the design problem that his sensitivities are for, min F₀(b) within bounds, by his
// loop of three steps (analysis, sensitivity, update until it converges). Example 1 under gravity is to move from one
// pose to another with the least ∫ Σ Q² dt; free are its centres of mass and the length of its second link.
namespace lw::reproduce {
namespace {

struct Balancing {
  std::vector<std::string> names{"c1", "c2", "c3", "l2"};
  Vector lower{-3.0, -3.0, -3.0, 0.8}, upper{3.0, 3.0, 3.0, 1.2};
  Trajectory way = Trajectory::rest_to_rest({0.0, 0.5, 1.0}, {{0.3, -0.5, 0.2}, {1.2, 0.4, -0.6}, {0.8, -0.2, 0.5}});
  WeighedMotion motion = WeighedMotion::along(way);
  TwuArm arm{twu_planar_example().links, 9.81};
};

struct CostOfArm {
  double cost = 0.0;
  Eigen::VectorXd gradient, residual;
  Eigen::MatrixXd slopes;  // of the residuals √w Q, whose squares are the cost
};

// The first two of his steps: the analysis, and the sensitivities by nested products.
CostOfArm analysed(const Balancing& p, const Vector& b) {
  TwuArm arm = p.arm;
  for (std::size_t k = 0; k < b.size(); ++k) twu_value(arm, twu_variable(p.names[k])) = b[k];
  const std::size_t n = arm.links.size();
  const Vector zero(n, 0.0);
  CostOfArm c;
  const auto rows = static_cast<Eigen::Index>(p.motion.t.size() * n), columns = static_cast<Eigen::Index>(b.size());
  c.residual.resize(rows);
  c.slopes.resize(rows, columns);
  for (std::size_t i = 0; i < p.motion.t.size(); ++i) {
    const TwuInstant at{p.motion.q[i], p.motion.qd[i], p.motion.qdd[i]};
    const double weight = std::sqrt(p.motion.weight[i]);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const TwuForces f = nested_forces(arm, at, twu_variable(p.names[k]), {zero, zero, zero});
      for (std::size_t j = 0; j < n; ++j) {
        c.residual[static_cast<Eigen::Index>(i * n + j)] = weight * f.Q[j];
        c.slopes(static_cast<Eigen::Index>(i * n + j), static_cast<Eigen::Index>(k)) = weight * f.by[j];
      }
    }
  }
  c.cost = c.residual.squaredNorm();
  c.gradient = 2.0 * c.slopes.transpose() * c.residual;
  return c;
}

// His loop; the update is a damped Gauss-Newton step over the parameters that no bound holds.
Vector his_loop(const Balancing& p, Vector b) {
  double damping = 1e-3;
  CostOfArm c = analysed(p, b);
  for (int round = 0; round < 200; ++round) {
    std::vector<Eigen::Index> is_free;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const double g = c.gradient[static_cast<Eigen::Index>(k)];
      if (!((b[k] <= p.lower[k] && g > 0.0) || (b[k] >= p.upper[k] && g < 0.0)))
        is_free.push_back(static_cast<Eigen::Index>(k));
    }
    Eigen::MatrixXd J(c.slopes.rows(), static_cast<Eigen::Index>(is_free.size()));
    for (std::size_t k = 0; k < is_free.size(); ++k) J.col(static_cast<Eigen::Index>(k)) = c.slopes.col(is_free[k]);
    const Eigen::VectorXd step = damped_least_squares(J, -c.residual, damping * J.squaredNorm());
    Vector next = b;
    double moved = 0.0;
    for (std::size_t k = 0; k < is_free.size(); ++k) {
      const auto at = static_cast<std::size_t>(is_free[k]);
      next[at] = std::clamp(b[at] + step[static_cast<Eigen::Index>(k)], p.lower[at], p.upper[at]);
      moved = std::max(moved, std::abs(next[at] - b[at]));
    }
    const CostOfArm there = analysed(p, next);
    if (there.cost > c.cost) {
      damping *= 4.0;
      continue;
    }
    damping *= 0.25;
    b = next, c = there;
    if (moved < 1e-10) break;
  }
  return b;
}

}  // namespace

Experiment twu_optimum() {
  Experiment e(
      "twu", "twu.optimum", "Design optimisation (chapter 3, future work)",
      "Centres of mass (counterweights, if need be) and the length of the second link of example 1, for the least "
      "∫ Σ Q² dt of a given motion of one second under gravity: by his loop on nested products, and by `optimize`.");
  const Balancing p;
  DesignProblem problem;
  problem.name = "balance";
  problem.mechanism = twu_mechanism(twu_planar_example(), p.arm.g);
  for (std::size_t k = 0; k < p.names.size(); ++k)
    problem.variables.push_back({.name = p.names[k], .lower = p.lower[k], .upper = p.upper[k]});
  problem.cost.push_back({{"effort", {"cost", "tau1^2 + tau2^2 + tau3^2"}, DesignFunctional::Kind::integral}});
  problem.motion = p.way;
  problem.tolerance = 1e-12;
  const std::unique_ptr<DesignRun> run = make_run(problem);
  const DesignOptimum optimum = optimize_design(problem, *run);

  const Vector start = optimum.before.b, his = his_loop(p, start);
  const CostOfArm before = analysed(p, start), after = analysed(p, optimum.after.b);
  const Source claim = property("chapter 3: sensitivities make optimisation possible");
  e.compare("cost", "∫ Σ Q² dt (N²·m²·s): before; after, by nested products and by `optimize`", claim,
            {before.cost, after.cost}, {optimum.before.cost, optimum.after.cost}, relative(1e-11),
            "Two programs for the forces, the same instants.");
  e.beaten("saved", "∫ Σ Q² dt (N²·m²·s): as the arm is; optimised", claim, before.cost, after.cost,
           fmt::format("{} = {:.4g}.", fmt::join(p.names, ", "), fmt::join(optimum.after.b, ", ")));
  e.compare("parameters", "c1, c2, c3, l2 (m): his loop; sequential quadratic programming on compiled gradients", claim,
            his, optimum.after.b, absolute(1e-5), "Gauss-Newton with nested products, and NLopt.");
  double slope = 0.0;
  int bound = 0;
  for (std::size_t k = 0; k < p.names.size(); ++k) {
    const double g = after.gradient[static_cast<Eigen::Index>(k)] / after.cost, b = optimum.after.b[k];
    const bool at_lower = b - p.lower[k] < 1e-9, at_upper = p.upper[k] - b < 1e-9;
    bound += at_lower || at_upper;
    slope = std::max(slope, at_lower ? std::max(0.0, -g) : at_upper ? std::max(0.0, g) : std::abs(g));
  }
  e.compare("gradient", "slope that could still be followed there, by nested products (1/m, of the cost)",
            property("at a minimum no direction leads down that no bound forbids"), 0.0, slope, absolute(1e-5),
            fmt::format("{} of the four at a bound.", bound));

  Plot plot{
      .title = "Torque of joint 1 along the motion", .x_label = "time (s)", .y_label = "torque (N·m)", .series = {}};
  Series as_is{.label = "as the arm is", .x = {}, .y = {}}, best{.label = "optimised", .x = {}, .y = {}};
  TwuArm arm = p.arm, optimised = p.arm;
  for (std::size_t k = 0; k < p.names.size(); ++k) twu_value(optimised, twu_variable(p.names[k])) = optimum.after.b[k];
  const Vector zero(arm.links.size(), 0.0);
  for (int i = 0; i <= 100; ++i) {
    const JointMotion<double> m = p.way.at(0.01 * i);
    const auto torque = [&](const TwuArm& of) {
      return nested_forces(of, {m.q, m.qd, m.qdd}, {TwuVariable::Of::gravity}, {zero, zero, zero}).Q[0];
    };
    as_is.x.push_back(0.01 * i), best.x.push_back(0.01 * i);
    as_is.y.push_back(torque(arm)), best.y.push_back(torque(optimised));
  }
  plot.series = {as_is, best};
  e.plots.push_back(std::move(plot));
  return e;
}

}  // namespace lw::reproduce
