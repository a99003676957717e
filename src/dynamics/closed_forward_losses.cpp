#include "closed_forward_losses.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../base/linear.hpp"
#include "../base/largest.hpp"
#include "../base/worse.hpp"
#include "elements.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

bool has_jump(const JointLoss<double>& loss) { return loss.width == 0.0 && is_dry<double>(loss); }

// What does not jump with the direction.
JointLoss<double> smooth_part(JointLoss<double> loss) {
  if (!has_jump(loss)) return loss;
  loss.coulomb = 0.0;
  loss.stribeck = false;
  loss.bearings.clear();
  return loss;
}
Model<double> smooth_model(Model<double> model) {
  for (JointLoss<double>& loss : model.losses) loss = smooth_part(loss);
  for (LoopClosure<double>& loop : model.loops) {
    for (JointLoss<double>& loss : loop.losses) loss = smooth_part(loss);
  }
  return model;
}

// The output x of a drive for an input: drive_input(x) = input, which rises with x. Its breakaway is not in here.
double output_for(DriveLoss<double> drive, double input, double velocity, double width) {
  if (width == 0.0) drive.breakaway = 0.0;
  if (drive.efficiency.empty()) return input - drive_input<double>(drive, 0.0, velocity, width);
  const auto excess = [&](double x) { return drive_input<double>(drive, x, velocity, width) - input; };
  double low = -1.0, high = 1.0;
  while (excess(low) > 0.0 && low > -1e300) low *= 4.0;
  while (excess(high) < 0.0 && high < 1e300) high *= 4.0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

ClosedForwardLosses::ClosedForwardLosses(const Model<double>& model, const LoopPlan& plan)
    : model_(model), plan_(plan), losses_(model, plan), smooth_(smooth_model(model)), smooth_losses_(smooth_, plan) {
  collect();
}

void ClosedForwardLosses::set_wrenches(const std::vector<ForceElement<double>>& forces) {
  for (std::size_t k = 0; k < forces.size(); ++k) smooth_.forces[k].wrench = forces[k].wrench;
}

void ClosedForwardLosses::collect() {
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  const auto add = [&](Dry d) {
    d.a.resize(n);
    dry_.push_back(std::move(d));
  };
  for (const JointLoss<double>& loss : model_.losses) {
    if (!has_jump(loss)) continue;
    Dry d;
    d.name = model_.velocity_names[at(loss.v)];
    d.loss = &loss;
    d.body = loss.body;
    d.v = at(loss.v);
    add(std::move(d));
  }
  for (std::size_t k = 0; k < losses_.cuts().size(); ++k) {
    const auto& cut = losses_.cuts()[k];
    if (!has_jump(cut.loss)) continue;
    Dry d;
    d.name = model_.loops[cut.loop].name;
    d.loss = &cut.loss;
    d.cut = static_cast<int>(k);
    add(std::move(d));
  }
  for (const Transmission<double>& t : losses_.motors().transmissions) {
    for (std::size_t k = 0; k < t.v.size() && t.width == 0.0; ++k) {
      if (t.drives[k].breakaway == 0.0) continue;
      if (t.v.size() > 1) {
        throw Error(ErrorCode::usage, fmt::format("forward dynamics with the breakaway torque of coupled drives (`{}`) is for trees: a "
                                                  "mechanism with loops has drives of their own joints", t.name));
      }
      Dry d;
      d.name = t.drives[k].name;
      d.drive = t.v[k];
      d.breakaway = t.drives[k].breakaway;
      add(std::move(d));
    }
  }
}

void ClosedForwardLosses::find_directions(const ClosedWorkspace<double>& work) {
  const std::size_t nv = at(model_.nv);
  double largest_velocity = 0.0;
  for (const double x : work.qd) largest_velocity = std::max(largest_velocity, std::abs(x));
  for (Dry& d : dry_) {
    d.velocity = 0.0;
    d.a.setZero();
    for (std::size_t v = 0; v < nv; ++v) {
      const double row = d.cut >= 0 ? losses_.cuts()[at(d.cut)].row[v] : (d.drive >= 0 ? at(plan_.actuated[at(d.drive)]) == v : d.v == v) ? 1.0 : 0.0;
      if (row == 0.0) continue;
      d.velocity += row * work.qd[v];
      for (std::size_t k = 0; k < plan_.freedoms(); ++k) d.a[static_cast<Eigen::Index>(k)] += row * work.R[k * nv + v];
    }
    // dependent velocities are known to rounding
    d.at_rest = std::abs(d.velocity) <= 1e-13 * largest_velocity;
    d.force = 0.0;
  }
}

VectorXd ClosedForwardLosses::drive_outputs(In<double> tau, const VectorXd& qdd, In<double> qd) const {
  // accelerations of the actuated joints are those of the tree's: q̈ here
  VectorXd at_joint = Eigen::Map<const VectorXd>(tau.data(), static_cast<Eigen::Index>(tau.size()));
  for (const Transmission<double>& t : losses_.motors().transmissions) {
    const std::size_t n = t.v.size();
    VectorXd out = VectorXd::Zero(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < n; ++k) {
      double input = 0.0, rate = 0.0, acceleration = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        input += t.C_inverse[j * n + k] * tau[at(t.v[j])];
        rate += t.C[k * n + j] * qd[at(t.v[j])];
        acceleration += t.C[k * n + j] * qdd[t.v[j]];
      }
      const DriveLoss<double>& d = t.drives[k];
      const double rotor = d.ratio * d.ratio * d.rotor_inertia * acceleration;
      // at rest it is a dry friction of its own
      double breakaway = 0.0;
      for (const Dry& dry : dry_) {
        if (dry.drive == t.v[k] && !dry.at_rest) breakaway = std::copysign(dry.breakaway, dry.velocity);
      }
      out[static_cast<Eigen::Index>(k)] = output_for(d, input - rotor - breakaway, rate, t.width) + rotor;
    }
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += t.C[k * n + j] * out[static_cast<Eigen::Index>(k)];
      at_joint[t.v[j]] = sum;
    }
  }
  return at_joint;
}

// Accelerations under the generalised forces `pushed`, less what friction at rest takes.
VectorXd ClosedForwardLosses::held(const MatrixXd& H, const VectorXd& pushed) {
  const Eigen::LLT<MatrixXd> factors(H);
  VectorXd free = pushed;
  std::vector<Dry*> rest;
  for (Dry& d : dry_) {
    if (d.at_rest && d.size > 0.0 && d.a.norm() > 0.0) rest.push_back(&d);
    else if (!d.at_rest && d.drive < 0) free -= d.a * (d.velocity > 0.0 ? d.size : -d.size);
  }
  VectorXd qdd = factors.solve(free);
  if (rest.empty()) return qdd;
  std::vector<VectorXd> gives;
  for (Dry* d : rest) {
    gives.push_back(factors.solve(d->a));
    d->force = std::clamp(d->force, -d->size, d->size);
    qdd -= gives.back() * d->force;
  }
  constexpr int kSweeps = 20000;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double change = 0.0;
    for (std::size_t k = 0; k < rest.size(); ++k) {
      Dry& d = *rest[k];
      const double before = d.force;
      d.force = std::clamp(before + d.a.dot(qdd) / d.a.dot(gives[k]), -d.size, d.size);
      qdd -= gives[k] * (d.force - before);
      change = std::max(change, std::abs(d.force - before) / d.size);
    }
    if (change < 1e-14) break;
  }
  // what holds, holds exactly
  MatrixXd rows(0, qdd.size());
  VectorXd slipping = free;
  for (const Dry* d : rest) {
    if (std::abs(d->force) < d->size * (1.0 - 1e-9)) {
      rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
      rows.row(rows.rows() - 1) = d->a.transpose();
      sticking_.push_back(d->name);
    } else {
      slipping -= d->a * d->force;
    }
  }
  if (rows.rows() == 0) return qdd;
  return keeping(rows, H, slipping);
}

VectorXd ClosedForwardLosses::keeping(const MatrixXd& rows, const MatrixXd& H, const VectorXd& force) {
  const Svd svd(rows, true);
  const Eigen::Index left = force.size() - svd.rank(1e-9);
  if (left == 0) return VectorXd::Zero(force.size());
  const MatrixXd N = svd.V.rightCols(left);  // what still can move
  return N * solve_positive(N.transpose() * H * N, N.transpose() * force);
}

VectorXd ClosedForwardLosses::as_decided(const MatrixXd& H, const VectorXd& pushed) const {
  VectorXd slipping = pushed;
  MatrixXd rows(0, pushed.size());
  for (const Dry& d : dry_) {
    if (d.direction != 0) {
      if (d.drive < 0) slipping -= d.a * (d.direction * d.size);
    } else if (d.a.norm() > 0.0) {
      rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
      rows.row(rows.rows() - 1) = d.a.transpose();
    }
  }
  return rows.rows() == 0 ? solve_positive(H, slipping) : keeping(rows, H, slipping);
}

// Where its joints stand and how fast they move.
void ClosedForwardLosses::look(ClosedWorkspace<double>& work, In<double> q, In<double> qd) {
  set_closed_pose<double>(model_, plan_, work, q);
  complement_by_unit_velocities<double>(model_, plan_, work);
  closed_velocities<double>(model_, plan_, work, qd);
  losses_.set_cut_rows(work);
  find_directions(work);
}

// Of what is at rest: held, or beginning to move as it is accelerated.
void ClosedForwardLosses::decide(const VectorXd& qdd) {
  for (Dry& d : dry_) {
    if (!d.at_rest) {
      d.direction = d.velocity > 0.0 ? 1 : -1;
      continue;
    }
    const double moves = d.a.dot(qdd), size = d.a.cwiseAbs().dot(qdd.cwiseAbs());
    d.direction = std::abs(moves) <= 1e-9 * size ? 0 : moves > 0.0 ? 1 : -1;
  }
}

std::vector<int> ClosedForwardLosses::directions() const {
  std::vector<int> list;
  for (const Dry& d : dry_) list.push_back(d.direction);
  return list;
}

bool ClosedForwardLosses::still_fits(ClosedWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau) {
  look(work, q, qd);
  bool any_held = false;
  for (const Dry& d : dry_) {
    if (d.direction * d.velocity < 0.0) return false;
    any_held = any_held || d.direction == 0;
  }
  if (!any_held) return true;
  // as if the others had their directions and those held were at rest: does anything break loose?
  const std::vector<int> decided = directions();
  std::vector<double> qdd(plan_.freedoms());
  resting_ = &decided;
  try {
    (*this)(work, q, qd, tau, qdd);
  } catch (...) {
    resting_ = nullptr;
    throw;
  }
  resting_ = nullptr;
  bool fits = true;
  for (std::size_t k = 0; k < dry_.size(); ++k) {
    dry_[k].direction = decided[k];
    if (decided[k] != 0) continue;
    double moves = 0.0, size = 0.0;
    for (std::size_t i = 0; i < qdd.size(); ++i) {
      moves += dry_[k].a[static_cast<Eigen::Index>(i)] * qdd[i];
      size += std::abs(dry_[k].a[static_cast<Eigen::Index>(i)] * qdd[i]);
    }
    fits = fits && std::abs(moves) <= 1e-9 * size;
  }
  return fits;
}

std::vector<std::string> ClosedForwardLosses::stop_turned(ClosedWorkspace<double>& work, In<double> q, Out<double> qd) {
  look(work, q, qd);
  std::vector<std::string> names;
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  MatrixXd rows(0, n);
  for (const Dry& d : dry_) {
    const bool turned = d.direction * d.velocity < 0.0;
    if ((d.direction != 0 && !turned) || !(d.a.norm() > 0.0)) continue;
    if (turned) names.push_back(d.name);
    rows.conservativeResize(rows.rows() + 1, Eigen::NoChange);
    rows.row(rows.rows() - 1) = d.a.transpose();
  }
  if (names.empty()) return names;
  Eigen::Map<VectorXd> v(qd.data(), n);
  const VectorXd open = rows * v;
  v -= Svd(rows).solve(open, 1e-9);
  return names;
}

void ClosedForwardLosses::operator()(ClosedWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                                     std::span<const Force<double>> external, bool same_directions) {
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  std::vector<double> H(plan_.freedoms() * plan_.freedoms()), actuated_qd, zero(plan_.freedoms(), 0.0);
  closed_mass_matrix<double>(model_, plan_, work, q, H);
  const MatrixXd mass = Eigen::Map<const MatrixXd>(H.data(), n, n);
  closed_velocities<double>(model_, plan_, work, qd);
  losses_.set_cut_rows(work);
  find_directions(work);
  for (std::size_t k = 0; resting_ != nullptr && k < dry_.size(); ++k) {
    dry_[k].at_rest = (*resting_)[k] == 0;
    if (!dry_[k].at_rest) dry_[k].velocity = std::copysign(std::max(std::abs(dry_[k].velocity), 1e-300), (*resting_)[k]);
  }
  if (same_directions) {
    for (Dry& d : dry_) {
      d.at_rest = d.direction == 0;
      if (!d.at_rest) d.velocity = std::copysign(std::max(std::abs(d.velocity), 1e-300), d.direction);
    }
  }
  for (const int v : plan_.actuated) actuated_qd.push_back(work.qd[at(v)]);

  VectorXd now = VectorXd::Zero(n), before;
  std::vector<double> torques(tau.begin(), tau.end());  // that come out of the drives
  constexpr int kMost = 500;
  for (int iteration = 0;; ++iteration) {
    // what the motion so far needs, its loads, and smooth friction with it
    const std::vector<double> given(now.data(), now.data() + n);
    smooth_losses_.forces(work, q, qd, given, {}, external, torques);
    const bool felt = losses_.feels_reactions();
    std::vector<Force<double>> reactions = work.tree.force, in_cuts = loop_reactions<double>(model_, plan_, work);
    if (felt && !smooth_losses_.feels_reactions()) {
      // bearings that were left out of the smooth part feel them
      std::vector<Force<double>> wrenches(model_.bodies.size());
      for (std::size_t i = 0; i < external.size(); ++i) wrenches[i] = external[i];
      add_loop_wrenches<double>(model_, plan_, work, wrenches);
      std::vector<double> unused(at(model_.nv));
      rnea<double>(model_, work.tree, q, work.qd, work.qdd, unused, wrenches);
      reactions = work.tree.force;
    }
    for (Dry& d : dry_) {
      if (d.drive >= 0) d.size = d.breakaway;
      else if (d.cut >= 0) d.size = dry_friction<double>(*d.loss, losses_.cuts()[at(d.cut)].joint, std::abs(d.velocity), in_cuts[losses_.cuts()[at(d.cut)].loop]);
      else d.size = dry_friction<double>(*d.loss, model_.bodies[at(d.body)], std::abs(d.velocity), reactions[at(d.body)]);
    }
    // generalised forces: of the drives, less what acts without acceleration
    VectorXd acceleration(static_cast<Eigen::Index>(plan_.actuated.size()));
    for (std::size_t k = 0; k < plan_.actuated.size(); ++k) acceleration[static_cast<Eigen::Index>(k)] = work.qdd[at(plan_.actuated[k])];
    const VectorXd given_torques = drive_outputs(tau, acceleration, actuated_qd);
    torques.assign(given_torques.data(), given_torques.data() + given_torques.size());
    const std::vector<double>& needed = smooth_losses_.needed;
    std::vector<double> force(plan_.freedoms());
    gather_torques<double>(plan_, work, torques, force);
    VectorXd pushed(n);
    for (Eigen::Index k = 0; k < n; ++k) pushed[k] = force[at(static_cast<int>(k))] - needed[at(static_cast<int>(k))];
    pushed += mass * now;  // `needed` is that of q̈ = now
    sticking_.clear();
    before = now;
    now = same_directions ? as_decided(mass, pushed) : held(mass, pushed);
    // where forces nearly cancel, accelerations are known no better than what each of them would make; f = τ_a − J_aᵀ λ
    double each = 0.0;
    for (std::size_t k = 0; k < plan_.freedoms(); ++k) {
      double sum = std::abs(force[k]) + std::abs(needed[k]);
      for (std::size_t i = 0; i < work.multipliers.size(); ++i) sum += std::abs(work.J[at(plan_.independent[k]) * work.multipliers.size() + i] * work.multipliers[i]);
      each = std::max(each, sum);
    }
    const double change = largest(now - before), size = std::max({largest(now), each / mass.diagonal().maxCoeff(), 1e-12});
    if (!(change <= 1e30)) break;
    if (change <= 4e-15 * size || (iteration > 0 && change <= 1e-13 * size)) {
      std::copy(now.data(), now.data() + n, qdd.begin());
      if (!same_directions) decide(now);
      return;
    }
    if (iteration >= kMost) break;
  }
  throw Error(ErrorCode::data, fmt::format("`{}`: no accelerations are found that fit these torques: friction grows faster with them than "
                                           "inertia resists", model_.name));
}

}  // namespace lw
