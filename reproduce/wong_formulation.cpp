#include "experiments.hpp"

#include <cmath>

#include <fmt/format.h>

#include <Eigen/Core>

#include "base/largest.hpp"
#include "base/linear.hpp"
#include "base/random.hpp"
#include "base/worse.hpp"
#include "dynamics/formulations/formulation.hpp"
#include "dynamics/formulations/ness.hpp"
#include "evaluate.hpp"
#include "model/random_state.hpp"

// Wong 1991, chapters 2 and 3: the formulation itself. That its branched form gives the equations of motion of any
// tree, that its projection removes the constraint forces, and that these can be had back.
namespace lw::reproduce {
namespace {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;

// Turning joints, frames and inertias anyhow; each link hangs on the one before, or, where it branches, on any.
Model<double> random_tree(int n, double branching, Random& random) {
  const auto x = [&](double size) { return random.between(-size, size); };
  std::string text = "linkwright: 1\nname: tree\nlinks:\n";
  for (int i = 0; i < n; ++i) {
    const int parent = random.chance(branching) ? random.below(i + 1) : i;
    text +=
        fmt::format("  - name: link{}\n    parent: {}\n", i + 1, parent == 0 ? "base" : fmt::format("link{}", parent));
    const auto moment = [&] { return random.between(0.05, 0.08); };
    // braces: drawn in this order by every compiler
    const double xyz[] = {x(0.5), x(0.5), x(0.5)}, rpy[] = {x(3), x(3), x(3)}, mass = random.between(0.5, 3),
                 com[] = {x(0.2), x(0.2), x(0.2)}, moments[] = {moment(), moment(), moment()},
                 products[] = {x(0.01), x(0.01), x(0.01)};
    text += fmt::format("    joint: {{type: revolute, axis: z, origin: {{xyz: [{}], rpy: [{}]}}}}\n",
                        fmt::join(xyz, ", "), fmt::join(rpy, ", "));
    text += fmt::format("    inertia: {{mass: {}, com: [{}], ", mass, fmt::join(com, ", "));
    text += fmt::format("tensor: {{xx: {}, yy: {}, zz: {}, xy: {}, xz: {}, yz: {}}}}}\n", moments[0], moments[1],
                        moments[2], products[0], products[1], products[2]);
  }
  return from_text(text);
}

double relative_difference(const Vector& a, const Vector& b) { return largest_difference(a, b) / magnitude(b); }

// M, τ and q̈ on random trees, the worst of ten each.
void trees(Experiment& e) {
  const Formulation& ness_formulation = *find_formulation("ness");
  Random random(35);
  Vector M_worst, tau_worst, qdd_worst;
  for (const int n : {5, 10, 20, 35, 50}) {
    double in_M = 0.0, in_tau = 0.0, in_qdd = 0.0;
    for (int k = 0; k < 10; ++k) {
      const Model<double> model = random_tree(n, 0.4, random);
      const State s = random_state(model, random);
      Vector M(s.qd.size() * s.qd.size()), tau(s.qd.size()), qdd(s.qd.size());
      mass_matrix_by<double>(ness_formulation, model, s.q, M);
      inverse_by<double>(ness_formulation, model, s.q, s.qd, s.qdd, tau);
      const Vector expected = inverse(model, s.q, s.qd, s.qdd);
      forward_by<double>(ness_formulation, model, s.q, s.qd, expected, qdd);
      in_M = worse(in_M, relative_difference(M, mass_matrix(model, s.q)));
      in_tau = worse(in_tau, relative_difference(tau, expected));
      in_qdd = worse(in_qdd, relative_difference(inverse(model, s.q, s.qd, qdd), expected));
    }
    M_worst.push_back(in_M);
    tau_worst.push_back(in_tau);
    qdd_worst.push_back(in_qdd);
  }
  const Vector none(M_worst.size(), 0.0);
  const Source where = property("section 3.1.2: the branched form holds for any tree");
  const std::string sizes = ", random trees, n = 5, 10, 20, 35, 50";
  e.compare("tree.M", "M against composite bodies, relative" + sizes, where, none, M_worst, absolute(1e-12));
  e.compare("tree.tau", "τ against recursive Newton-Euler, relative" + sizes, where, none, tau_worst, absolute(1e-12));
  e.compare("tree.qdd", "q̈, by the torques it needs, relative" + sizes, where, none, qdd_worst, absolute(1e-12),
            "Torques → accelerations by the formulation → torques by recursive Newton-Euler.");
}

// The matrices of the derivation, written out: (2.24) to (2.37).
struct Written {
  MatrixXd U, Q, H1, H2, N1, C, E;
  VectorXd free;  // what joints must supply: [L̇; m p̈], the latter in base axes
  Written(const Linkage<double>& tree, Poses<double> poses, const MomentumRates<double>& rates) {
    const auto n = static_cast<Eigen::Index>(tree.links.size());
    U = MatrixXd::Identity(3 * n, 3 * n);
    Q = H1 = MatrixXd::Zero(3 * n, 3 * n);
    H2 = MatrixXd::Identity(3 * n, 3 * n);
    N1 = MatrixXd::Zero(3 * n, 2 * n);
    C = E = MatrixXd::Zero(3 * n, n);
    free.resize(6 * n);
    std::vector<Matrix3d> A;  // to base axes
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Matrix3d R = poses[k].R.eigen();
      const Eigen::Index p = tree.links[k].parent;
      A.push_back(p < 0 ? R : Matrix3d(A[static_cast<std::size_t>(p)] * R));
      const Matrix3d hinge = skew(-tree.links[k].com).eigen();
      Q.block<3, 3>(3 * i, 3 * i) = A[k] * hinge;
      H1.block<3, 3>(3 * i, 3 * i) = hinge * A[k].transpose();
      N1.block<3, 2>(3 * i, 2 * i) = Matrix3d::Identity().leftCols<2>();
      E.block<3, 1>(3 * i, i) = Vector3d::UnitZ();
      free.segment<3>(3 * i) = rates.angular[k].eigen();
      free.segment<3>(3 * n + 3 * i) = A[k] * rates.linear[k].eigen();
      if (p >= 0) {
        const auto of = static_cast<std::size_t>(p);
        const Matrix3d l = skew(poses[k].p - tree.links[of].com).eigen();
        U.block<3, 3>(3 * i, 3 * p) = -Matrix3d::Identity();
        Q.block<3, 3>(3 * i, 3 * p) = -A[of] * l;
        H1.block<3, 3>(3 * p, 3 * i) = -l * A[of].transpose();
        H2.block<3, 3>(3 * p, 3 * i) = -Matrix3d::Identity();
        N1.block<3, 2>(3 * p, 2 * i) = -R.leftCols<2>();
        E.block<3, 1>(3 * p, i) = -R.col(2);
      }
      for (Eigen::Index j = i; j >= 0; j = tree.links[static_cast<std::size_t>(j)].parent) {
        C.block<3, 1>(3 * i, j) = A[k].transpose() * A[static_cast<std::size_t>(j)].col(2);
      }
    }
  }
};

void orthogonality(Experiment& e, const std::string& id, const std::string& what, double branching) {
  Random random(branching > 0.0 ? 7 : 5);
  double gamma_left = 0.0, lambda_left = 0.0, tau_left = 0.0, matrix = 0.0, forces = 0.0, misfit = 0.0;
  for (int k = 0; k < 40; ++k) {
    const Model<double> model = random_tree(2 + k % 11, branching, random);
    const State s = random_state(model, random);
    const Linkage<double> tree = linkage(model);
    const auto n = static_cast<Eigen::Index>(tree.nv);
    const auto poses = joint_poses<double>(tree, s.q);
    const auto rates = momentum_rates<double>(tree, poses, s.qd, s.qdd);
    const Written w(tree, poses, rates);
    const MatrixXd UQ = lw::inverse(w.U) * w.Q;
    MatrixXd projector(3 * n, 6 * n), constraints(6 * n, 5 * n), H(6 * n, n), inertia = MatrixXd::Zero(6 * n, 6 * n);
    projector << MatrixXd::Identity(3 * n, 3 * n), UQ.transpose();
    constraints << w.H1, w.N1, w.H2, MatrixXd::Zero(3 * n, 2 * n);
    H << w.C, UQ * w.C;
    gamma_left = worse(gamma_left, largest(projector * constraints.leftCols(3 * n)));
    lambda_left = worse(lambda_left, largest(w.C.transpose() * w.N1));
    tau_left = worse(tau_left, largest(w.C.transpose() * w.E - MatrixXd::Identity(n, n)));

    for (Eigen::Index i = 0; i < n; ++i) {
      const auto& link = tree.links[static_cast<std::size_t>(i)];
      inertia.block<3, 3>(3 * i, 3 * i) = link.I.eigen();
      inertia.block<3, 3>(3 * (n + i), 3 * (n + i)) = link.mass * Matrix3d::Identity();
    }
    const MatrixXd M = H.transpose() * inertia * H;
    Vector ours(static_cast<std::size_t>(n * n));
    ness_mass_matrix<double>(tree, poses, ours);
    matrix = worse(matrix, relative_difference(ours, Vector(M.data(), M.data() + n * n)));

    // the constraint forces, as the solution of the free-body equations
    Vector tau(static_cast<std::size_t>(n));
    ness<double>(tree, poses, s.qd, s.qdd, tau);
    VectorXd rest = w.free;
    rest.head(3 * n) -= w.E * Eigen::Map<const VectorXd>(tau.data(), n);
    const VectorXd solved = least_squares(constraints, rest);
    misfit = worse(misfit, (constraints * solved - rest).norm() / w.free.norm());
    const auto recovered = ness_constraint_forces<double>(tree, poses, s.qd, s.qdd);
    Vector both;
    for (const auto& f : recovered) both.insert(both.end(), {f.gamma[0], f.gamma[1], f.gamma[2]});
    for (const auto& f : recovered) both.insert(both.end(), {f.lambda[0], f.lambda[1]});
    forces = worse(forces, relative_difference(both, Vector(solved.data(), solved.data() + 5 * n)));
  }
  e.compare(id + ".gamma", "largest entry of [1 (U⁻¹Q)ᵀ][H₁; H₂], " + what, property("section 2.2.4: γ vanishes"), 0.0,
            gamma_left, absolute(1e-14), "H₁ and H₂ from the free-body equations, U and Q from the hinges.");
  e.compare(id + ".lambda", "largest entry of CᵀN₁, " + what, property("section 2.2.4: λ vanishes"), 0.0, lambda_left,
            absolute(1e-14));
  e.compare(id + ".tau", "largest entry of CᵀE − 1, " + what, property("section 2.2.4: torques remain"), 0.0, tau_left,
            absolute(1e-14));
  e.compare(id + ".M", "M in body axes against H̄ᵀ diag(J, m) H̄ in base axes, relative, " + what,
            property("equations 2.37 and 3.23"), 0.0, matrix, absolute(1e-13));
  e.compare(id + ".forces", "γ and λ against the solution of the free-body equations, relative, " + what,
            property("equation 2.26"), 0.0, forces, absolute(1e-12),
            fmt::format("By QR of [H₁ N₁; H₂ 0]; the equations are met to {:.0e}.", misfit));
}

// Signs in print that do not agree with their own definitions, on the PUMA 600.
void signs(Experiment& e) {
  const Model<double> puma = embedded("puma600");
  const Vector q{.1, .2, .3, .4, .5, .6}, qd{.6, .5, .4, .3, .2, .1}, tau{30, -80, 5, 1, 1, 0.1}, zero(6, 0.0);
  const Formulation& by = *find_formulation("ness");
  Vector ours(6), M(36);
  inverse_by<double>(by, puma, q, qd, zero, ours);

  // (3.33) with L̇ + ρ × m p̈ for L̇ − ρ × m p̈
  const Linkage<double> chain = linkage(puma);
  const auto poses = joint_poses<double>(chain, q);
  const auto complement = orthogonal_complement<double>(chain, poses);
  const auto rates = momentum_rates<double>(chain, poses, qd, zero);
  Vector printed(6, 0.0);
  for (std::size_t i = 0; i < 6; ++i) {
    for (const auto& j : complement[i]) {
      printed[static_cast<std::size_t>(j.velocity)] += dot(j.c, rates.angular[i] + cross(j.rho, rates.linear[i]));
    }
  }
  e.misprint(
      "sign.recursion", "f_v(q*, q̇*) of the PUMA 600 by equation 3.33 (N·m)", "equation 3.33", printed, ours,
      bias(puma, q, qd), relative(1e-9),
      "(ρ × c)·m p̈ is −c·(ρ × m p̈): the bracket must read L̇ − ρ × m p̈. Ours by (3.34); the other method is recursive "
      "Newton-Euler.");

  Vector qdd(6), wrong = ours;
  forward_by<double>(by, puma, q, qd, tau, qdd);
  mass_matrix_by<double>(by, puma, q, M);
  for (std::size_t k = 0; k < 6; ++k) wrong[k] += tau[k];
  const VectorXd with_plus =
      solve_positive(Eigen::Map<const MatrixXd>(M.data(), 6, 6), Eigen::Map<const VectorXd>(wrong.data(), 6));
  e.misprint("sign.forward", "θ̈ of the PUMA 600 by M θ̈ = f_v + τ (rad/s²)", "equation 4.1",
             Vector(with_plus.data(), with_plus.data() + 6), qdd, forward(puma, q, qd, tau), relative(1e-9),
             "With f_v of (3.34) it is M θ̈ = τ − f_v. The other method is by articulated bodies.");
}

}  // namespace

Experiment wong_formulation() {
  Experiment e("wong", "wong.formulation",
               "The formulation: trees, orthogonality, constraint forces (chapters 2 and 3)",
               "The matrices of the derivation written out for random chains and trees, and the body-axes form against "
               "other algorithms.");
  trees(e);
  orthogonality(e, "chain", "40 random chains", 0.0);
  orthogonality(e, "branched", "40 random trees", 0.4);
  signs(e);
  return e;
}

}  // namespace lw::reproduce
