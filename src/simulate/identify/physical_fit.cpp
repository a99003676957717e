#include "physical_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>

#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../dynamics/tree/extent.hpp"
#include "../../model/evaluate.hpp"

namespace lw {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
constexpr std::size_t kTen = ParameterTable::kPerBody;
constexpr double kMu = 0.1;  // μ: of the prior against one squared deviation of an estimate

// P of the ten parameters of a body (linear in them).
MatrixXd second_moments(std::span<const double, kTen> ten) {
  const RigidInertia<double> b = rigid_inertia<double>(ten);
  MatrixXd P(4, 4);
  const double half_trace = 0.5 * (b.I(0, 0) + b.I(1, 1) + b.I(2, 2));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) P(i, j) = (i == j ? half_trace : 0.0) - b.I(i, j);
    P(i, 3) = P(3, i) = b.h[i];
  }
  P(3, 3) = b.mass;
  return P;
}

// A matrix that must stay positive definite: P = Σ_k E_k z[first + k].
struct Cone {
  Index first;
  std::vector<MatrixXd> E;
  MatrixXd inverse_prior;  // P₀⁻¹

  MatrixXd P(const VectorXd& z) const {
    MatrixXd sum = z[first] * E[0];
    for (std::size_t k = 1; k < E.size(); ++k) sum += z[first + static_cast<Index>(k)] * E[k];
    return sum;
  }
};

class Problem {
 public:
  MatrixXd RM;      // R M, M: from z = (π, friction) to x
  VectorXd target;  // R x̂
  std::vector<Cone> cones;
  std::vector<bool> held;  // that stay as they are

  // ∞ outside of the cones.
  double value(const VectorXd& z) const {
    double sum = 0.5 * (RM * z - target).squaredNorm();
    for (const Cone& c : cones) {
      const MatrixXd P = c.P(z);
      const auto S = cholesky(P);
      if (!S) return HUGE_VAL;
      sum += kMu * ((c.inverse_prior * P).trace() - 2.0 * S->diagonal().array().log().sum());
    }
    return sum;
  }

  VectorXd newton_step(const VectorXd& z) const {
    Index rows = RM.rows();
    for (const Cone& c : cones) rows += c.inverse_prior.size();
    MatrixXd A = MatrixXd::Zero(rows, z.size());
    VectorXd b = VectorXd::Zero(rows);
    A.topRows(RM.rows()) = RM;
    b.head(RM.rows()) = target - RM * z;
    Index row = RM.rows();
    for (const Cone& c : cones) {
      const MatrixXd S = *cholesky(c.P(z)), T = inverse(S);
      const Index n = S.size();
      const MatrixXd gradient = S.transpose() * c.inverse_prior * S - MatrixXd::Identity(S.rows(), S.rows());
      for (std::size_t k = 0; k < c.E.size(); ++k) {
        const MatrixXd column = T * c.E[k] * T.transpose();
        A.block(row, c.first + static_cast<Index>(k), n, 1) = std::sqrt(kMu) * column.reshaped();
      }
      b.segment(row, n) = -std::sqrt(kMu) * gradient.reshaped();
      row += n;
    }
    for (Index k = 0; k < z.size(); ++k) {
      if (held[static_cast<std::size_t>(k)]) A.col(k).setZero();
    }
    // unknowns in units of their columns: parameters differ by many powers of ten
    VectorXd scale = A.colwise().norm();
    for (double& x : scale) x = x > 0.0 ? x : 1.0;
    return least_squares(A * scale.cwiseInverse().asDiagonal(), b).cwiseQuotient(scale);
  }

  // Where the barrier's border bends much nearer than the data reach, Newton steps would be cut short time and again.
  // So the data gain their weight by tens: from where the prior holds its own to where it hardly matters.
  VectorXd minimum(VectorXd z) const {
    const double far = (RM * z - target).norm();
    for (double weight = 1.0 / std::max(1.0, far); weight < 1.0; weight *= 10.0) {
      Problem easier = *this;
      easier.RM *= weight;
      easier.target *= weight;
      z = easier.descend(z);
    }
    return descend(z);
  }

 private:
  VectorXd descend(VectorXd z) const {
    double now = value(z);
    for (int iteration = 0; iteration < 200; ++iteration) {
      const VectorXd step = newton_step(z);
      double length = 1.0, next = value(z + step);
      while (!(next < now) && length > 1e-10) {
        length *= 0.5;
        next = value(z + length * step);
      }
      if (!(next < now)) break;  // as low as rounding allows
      z += length * step;
      const bool done = length == 1.0 && now - next < 1e-9 * (1.0 + std::abs(next));
      now = next;
      if (done) break;
    }
    return z;
  }
};

// The model's bodies, made a little thicker where they are rods, plates or points, and given a little mass where they
// have none: inside of the cone.
std::array<double, kTen> inside(const RigidInertia<double>& body, double size, double usual_mass) {
  const double own = body.I(0, 0) + body.I(1, 1) + body.I(2, 2);
  RigidInertia<double> b = body;
  if (!(b.mass > 1e-6 * usual_mass)) b = {1e-3 * usual_mass, Vec3<double>::zero(), Mat3<double>::zero()};
  const double thickness = 1e-3 * (own + 0.01 * b.mass * size * size);
  b.I += Mat3<double>::diagonal(2.0 * thickness);
  std::array<double, kTen> ten = inertial_parameters(b);
  if (cholesky(second_moments(ten) - 0.1 * thickness * MatrixXd::Identity(4, 4))) return ten;
  // inertias of no body: a ball of that mass at its place instead
  const Vec3<double> com = b.h / b.mass;
  return inertial_parameters(
      RigidInertia<double>::about_com(b.mass, com, Mat3<double>::diagonal(0.01 * b.mass * size * size)));
}

}  // namespace

PhysicalFit physical_fit(const Model<double>& model, const Identification& identified) {
  const BaseParameters<double>& base = identified.base;
  const auto standard = static_cast<Index>(base.standard.size()), bases = static_cast<Index>(base.base.size()),
             n = static_cast<Index>(identified.estimates.size()), unknowns = standard + n - bases;
  const Eigen::Map<const MatrixXd> R(identified.information.data(), n, n);
  MatrixXd M = MatrixXd::Zero(n, unknowns);
  for (Index k = 0; k < bases; ++k) {
    for (const auto& [parameter, factor] : base.K[static_cast<std::size_t>(k)]) M(k, parameter) = factor;
  }
  M.bottomRightCorner(n - bases, n - bases).setIdentity();
  VectorXd estimate(n);
  for (Index k = 0; k < n; ++k) estimate[k] = identified.estimates[static_cast<std::size_t>(k)].value;

  Problem problem;
  problem.RM = R * M;
  problem.target = R * estimate;
  problem.held.assign(static_cast<std::size_t>(unknowns), false);
  VectorXd z = VectorXd::Zero(unknowns);
  const auto add_scalar = [&](Index k, double prior) {
    z[k] = prior;
    problem.cones.push_back({k, {MatrixXd::Ones(1, 1)}, MatrixXd::Constant(1, 1, 1.0 / prior)});
  };
  double mass = 0.0;
  std::size_t bodies = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (base.standard.first[i] < 0) continue;
    mass += model.bodies[i].inertia.mass;
    ++bodies;
  }
  const double usual_mass = mass > 0.0 ? mass / static_cast<double>(bodies) : 1.0;
  const double reach = extent(model), size = reach > 0.0 ? reach : 1.0;
  std::vector<MatrixXd> E;
  for (std::size_t k = 0; k < kTen; ++k) {
    std::array<double, kTen> unit{};
    unit[k] = 1.0;
    E.push_back(second_moments(unit));
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const int first = base.standard.first[i], rotor = base.standard.rotor[i];
    if (first >= 0) {
      const std::array<double, kTen> ten = inside(model.bodies[i].inertia, size, usual_mass);
      z.segment(first, kTen) = Eigen::Map<const VectorXd>(ten.data(), kTen);
      problem.cones.push_back({first, E, inverse(second_moments(ten))});
    }
    if (rotor < 0) continue;
    if (model.bodies[i].armature > 0.0) {
      add_scalar(rotor, model.bodies[i].armature);
    } else {
      problem.held[at(rotor)] = true;  // no rotor of its own
    }
  }
  for (std::size_t k = 0; k < identified.friction.size(); ++k) {
    const Index place = standard + static_cast<Index>(k);
    const Estimate& e = identified.estimates[static_cast<std::size_t>(bases) + k];
    if (identified.friction[k].kind == FrictionTerm::Kind::offset) {
      z[place] = e.value;
      continue;
    }
    const double known = e.identifiable ? std::max(e.value, e.deviation) : e.start;
    add_scalar(place, std::max(known, 1e-9));
  }
  z = problem.minimum(z);

  PhysicalFit fit;
  fit.standard.assign(z.data(), z.data() + standard);
  fit.friction.assign(z.data() + standard, z.data() + unknowns);
  const VectorXd x = M * z;
  for (Index k = 0; k < n; ++k) {
    const Estimate& e = identified.estimates[static_cast<std::size_t>(k)];
    if (!e.identifiable) continue;
    // a deviation of nothing but rounding is none to be measured by
    const double distance = std::abs(x[k] - e.value) / std::max(e.deviation, 1e-9 * std::abs(e.value));
    if (distance > fit.worst || fit.worst_name.empty()) {
      fit.worst = distance;
      fit.worst_name = e.name;
    }
  }
  return fit;
}

Mechanism fitted_mechanism(const Mechanism& mechanism, const Model<double>& model, const Identification& identified,
                           const PhysicalFit& fit) {
  Mechanism out = mechanism;
  out.unphysical.clear();
  const FormulaValues<double> value(mechanism);
  const ParameterTable& table = identified.base.standard;
  std::vector<bool> given(model.bodies.size(), false);  // whose inertia a link has
  for (std::size_t k = 0; k < out.links.size(); ++k) {
    Link& link = out.links[k];
    const Frame<double>& frame = model.frames[k + 1];
    if (frame.body < 0) continue;
    const std::size_t b = at(frame.body);
    if (table.first[b] < 0) continue;
    link.inertia.reset();
    if (link.joint.type != JointType::fixed && table.rotor[b] >= 0 && link.joint.drive) {
      const double ratio = value(link.joint.drive->ratio);
      link.joint.drive->rotor_inertia = fit.standard[at(table.rotor[b])] / (ratio * ratio);
    }
    if (given[b]) continue;
    given[b] = true;
    const std::span<const double> ten = std::span(fit.standard).subspan(at(table.first[b]));
    const RigidInertia<double> in_link = to_parent(frame.X_BF.inverse(), rigid_inertia<double>(ten.first<kTen>()));
    const Vec3<double> com = in_link.h / in_link.mass;
    const RigidInertia<double> about_com = to_parent(Transform<double>{Mat3<double>::identity(), -com}, in_link);
    const Mat3<double>& I = about_com.I;
    Inertia inertia;
    inertia.mass = in_link.mass;
    inertia.com = {com[0], com[1], com[2]};
    inertia.tensor = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
    link.inertia = inertia;
  }
  std::erase_if(out.payloads, [&](const Payload& p) { return model.frames[at(model.frame_index(p.link))].body >= 0; });

  for (Link& link : out.links) {
    Joint& joint = link.joint;
    bool sought = false;
    Friction friction;
    friction.width = joint.friction.width;
    friction.present = true;
    for (std::size_t k = 0; k < identified.friction.size(); ++k) {
      const FrictionTerm& f = identified.friction[k];
      if (model.joints[f.joint].name != joint.name) continue;
      sought = true;
      if (f.kind == FrictionTerm::Kind::viscous) friction.viscous = fit.friction[k];
      if (f.kind == FrictionTerm::Kind::coulomb) friction.coulomb = fit.friction[k];
    }
    if (!sought) continue;
    joint.friction = friction;
    joint.damper.reset();
    if (joint.drive) {
      joint.drive->efficiency.reset();
      joint.drive->breakaway.reset();
    }
  }
  return out;
}

}  // namespace lw
