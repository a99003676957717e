#include "closed_forward_losses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "../assembly/mode_search.hpp"
#include "../linear/box_complementarity.hpp"
#include "../tree/elements.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

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

// Rows of cut joints and how they change along the motion.
struct ClosedForwardLosses::Moving {
  explicit Moving(const Model<double>& of)
      : model(over<Dual>(of)), work(model), row(at(of.nv)), rates(at(of.nq)), q(at(of.nq)) {}
  Model<Dual> model;
  Workspace<Dual> work;
  std::vector<Dual> row;
  std::vector<double> rates;
  std::vector<Dual> q;
};

ClosedForwardLosses::ClosedForwardLosses(const Model<double>& model, const LoopPlan& plan)
    : model_(model),
      plan_(plan),
      losses_(model, plan),
      smooth_(smooth_model(model)),
      smooth_losses_(smooth_, plan, losses_.feels_reactions()),
      size_(mechanism_size(model)) {
  if (plan.is_tree()) {
    tree_ = std::make_shared<ForwardWithLosses>(model);
    return;
  }
  collect();
  loads_matter_ = losses_.feels_reactions();
  for (const Transmission<double>& t : losses_.motors().transmissions) {
    for (const DriveLoss<double>& d : t.drives) loads_matter_ = loads_matter_ || !d.efficiency.empty();
  }
  if (std::any_of(dry_.begin(), dry_.end(), [](const Dry& d) { return d.cut >= 0; }))
    moving_ = std::make_shared<Moving>(model);
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
        throw Error(ErrorCode::usage,
                    fmt::format("forward dynamics with the breakaway torque of coupled drives (`{}`) is for trees: a "
                                "mechanism with loops has drives of their own joints",
                                t.name));
      }
      Dry d;
      d.name = t.drives[k].name;
      d.drive = t.v[k];
      d.breakaway = t.drives[k].breakaway;
      add(std::move(d));
    }
  }
}

void ClosedForwardLosses::set_state(PlantWorkspace<double>& work, In<double> q, In<double> qd) {
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  const std::size_t nv = at(model_.nv);
  H_.resize(n, n);
  mass_matrix<double>(model_, plan_, work, q, {H_.data(), plan_.freedoms() * plan_.freedoms()});
  L_ = Eigen::LLT<MatrixXd>(H_).matrixL();
  tree_velocities<double>(model_, plan_, work, qd);
  losses_.set_cut_rows(work);
  for (Dry& d : dry_) {
    d.velocity = 0.0;
    d.a.setZero();
    for (std::size_t v = 0; v < nv; ++v) {
      const double row = d.cut >= 0 ? losses_.cuts()[at(d.cut)].row[v] : velocity_of(d) == v ? 1.0 : 0.0;
      if (row == 0.0) continue;
      d.velocity += row * work.qd[v];
      for (std::size_t k = 0; k < plan_.freedoms(); ++k) d.a[static_cast<Eigen::Index>(k)] += row * work.R[k * nv + v];
    }
  }
}

std::size_t ClosedForwardLosses::velocity_of(const Dry& d) const {
  return d.drive >= 0 ? at(plan_.actuated[at(d.drive)]) : d.v;
}

// b_j: accelerations in the joints where those of the independent ones are zero.
void ClosedForwardLosses::find_biases(PlantWorkspace<double>& work, In<double> q) {
  const std::vector<double> none(plan_.freedoms(), 0.0);
  tree_accelerations<double>(model_, plan_, work, q, none);
  bool moving = false;
  for (Dry& d : dry_) {
    if (d.cut < 0) {
      d.b = work.qdd[velocity_of(d)];
      continue;
    }
    if (!moving) {
      coordinate_rates<double>(model_, q, work.qd, moving_->rates);
      for (std::size_t k = 0; k < q.size(); ++k) moving_->q[k] = Dual(q[k], moving_->rates[k]);
      forward_kinematics<Dual>(moving_->model, moving_->work, moving_->q);
      moving = true;
    }
    const ClosedLosses<double>::Cut& cut = losses_.cuts()[at(d.cut)];
    cut_row<Dual>(moving_->model, plan_.equations.loops[cut.loop], moving_->work, cut.loop, cut.loss.v, moving_->row);
    d.b = 0.0;
    for (std::size_t v = 0; v < cut.row.size(); ++v) d.b += cut.row[v] * work.qdd[v] + moving_->row[v].d * work.qd[v];
  }
}

// Which joints are at rest, and the directions of the others.
void ClosedForwardLosses::find_rest(const PlantWorkspace<double>& work) {
  double largest_velocity = 0.0;
  for (const double x : work.qd) largest_velocity = std::max(largest_velocity, std::abs(x));
  constexpr double
      kVelocityRounding = 1e-13,
      kDrift = 1e-6;  // of the fastest: of dependent velocities; of what an integrator leaves of a joint that sticks
  for (Dry& d : dry_) {
    d.fastest = std::max(d.fastest, std::abs(d.velocity));
    d.rest = std::max(1e-12 * d.fastest, kVelocityRounding * largest_velocity);
    const bool stuck =
        decided_ && d.mode == Mode::sticks && std::abs(d.velocity) <= kDrift * std::max(d.fastest, largest_velocity);
    d.at_rest = d.stopped || stuck || std::abs(d.velocity) <= d.rest;
    d.stopped = false;
    if (d.at_rest) continue;
    d.mode = Mode::slips;
    d.direction = d.velocity > 0.0 ? 1 : -1;
  }
  decided_ = true;
}

VectorXd ClosedForwardLosses::drive_outputs(In<double> tau, const VectorXd& qdd, In<double> qd) {
  VectorXd at_joint = Eigen::Map<const VectorXd>(tau.data(), static_cast<Eigen::Index>(tau.size()));
  drive_loss_ = 0.0;
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
      double breakaway = 0.0, moving = rate;
      for (const Dry& dry : dry_) {
        if (dry.drive != t.v[k] || dry.mode != Mode::slips) continue;
        breakaway = dry.direction * dry.breakaway;
        moving = std::copysign(std::max(std::abs(rate), kImpending), dry.direction);
      }
      out[static_cast<Eigen::Index>(k)] = output_for(d, input - rotor - breakaway, moving, t.width) + rotor;
      drive_loss_ += (input - out[static_cast<Eigen::Index>(k)]) * rate;
    }
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += t.C[k * n + j] * out[static_cast<Eigen::Index>(k)];
      at_joint[t.v[j]] = sum;
    }
  }
  return at_joint;
}

// Sizes of dry friction under the reactions that are known.
void ClosedForwardLosses::find_sizes(const PlantWorkspace<double>& work) {
  for (Dry& d : dry_) {
    const double speed = d.mode == Mode::slips && !d.at_rest ? std::abs(d.velocity) : 0.0;
    if (d.drive >= 0) {
      d.size = d.breakaway;
    } else if (d.cut >= 0) {
      const ClosedLosses<double>::Cut& cut = losses_.cuts()[at(d.cut)];
      d.size = dry_friction<double>(*d.loss, cut.joint, speed, smooth_losses_.in_cuts()[cut.loop]);
    } else {
      d.size = dry_friction<double>(*d.loss, model_.bodies[at(d.body)], speed, work.tree.force[at(d.body)]);
    }
  }
}

// Its forces: of joints that slip their size; those that stick share what forces leave over, spare_, as evenly as
// their sizes allow: one that would have to give more gives its size, and the others the rest. So at the limit of what
// can be held all give their sizes, as they do in the motion that begins there.
void ClosedForwardLosses::find_forces() {
  VectorXd left = spare_;
  std::vector<Dry*> free;
  for (Dry& d : dry_) {
    d.force = d.mode == Mode::slips ? d.direction * d.size : 0.0;
    if (d.mode == Mode::sticks)
      free.push_back(&d);
    else if (d.drive < 0)
      left -= d.a * d.force;
  }
  const auto lower = L_.triangularView<Eigen::Lower>();
  VectorXd x = lower.solve(left);
  while (!free.empty()) {
    MatrixXd B(left.size(), static_cast<Eigen::Index>(free.size()));
    for (std::size_t k = 0; k < free.size(); ++k) B.col(static_cast<Eigen::Index>(k)) = lower.solve(free[k]->a);
    const VectorXd forces = Svd(B).solve(x, kOneFreedom);
    std::vector<Dry*> still;
    for (std::size_t k = 0; k < free.size(); ++k) {
      Dry& d = *free[k];
      d.force = forces[static_cast<Eigen::Index>(k)];
      if (std::abs(d.force) <= d.size) {
        still.push_back(&d);
        continue;
      }
      d.force = std::copysign(d.size, d.force);
      x -= B.col(static_cast<Eigen::Index>(k)) * d.force;
    }
    if (still.size() == free.size()) break;
    free = std::move(still);
  }
}

void ClosedForwardLosses::sum_forces() {
  of_tree_.assign(at(model_.nv), 0.0);
  of_cuts_.assign(losses_.cuts().size(), 0.0);
  for (const Dry& d : dry_) {
    if (d.drive >= 0) continue;  // between motor and joint: loads nothing else
    if (d.cut < 0) {
      of_tree_[d.v] += d.force;
      continue;
    }
    const std::vector<double>& row = losses_.cuts()[at(d.cut)].row;
    of_cuts_[at(d.cut)] += d.force;
    for (std::size_t v = 0; v < row.size(); ++v) of_tree_[v] += row[v] * d.force;
  }
}

// Generalised forces that accelerate the mechanism, without dry friction, and the sizes of this, under the loads of
// q̈ = now and of the friction of the last pass.
VectorXd ClosedForwardLosses::push(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau,
                                   const VectorXd& now, std::span<const Force<double>> external) {
  const auto n = static_cast<Eigen::Index>(plan_.freedoms());
  const std::vector<double> given(now.data(), now.data() + n);
  smooth_losses_.set_motion(work, q, qd, given, external);
  std::vector<double> actuated_qd;
  VectorXd acceleration(static_cast<Eigen::Index>(plan_.actuated.size()));
  for (std::size_t k = 0; k < plan_.actuated.size(); ++k) {
    actuated_qd.push_back(work.qd[at(plan_.actuated[k])]);
    acceleration[static_cast<Eigen::Index>(k)] = work.qdd[at(plan_.actuated[k])];
  }
  const VectorXd outputs = drive_outputs(tau, acceleration, actuated_qd);
  torques_.assign(outputs.data(), outputs.data() + outputs.size());
  std::vector<double> force(plan_.freedoms());
  gather_torques<double>(plan_, work, torques_, force);
  const Eigen::Map<const VectorXd> made(force.data(), n), needed(smooth_losses_.needed.data(), n);
  if (losses_.feels_reactions()) {
    sum_forces();
    smooth_losses_.pass_friction(work, q, external, torques_, {of_tree_, of_cuts_}, rubs_);
  } else {
    smooth_losses_.set_friction(work, q, {}, external, torques_);
  }
  find_sizes(work);
  // where forces nearly cancel, accelerations are known no better than what each of them would make; f = τ_a − J_aᵀ λ
  sum_of_forces_ = 0.0;
  for (std::size_t k = 0; k < plan_.freedoms(); ++k) {
    double sum = std::abs(force[k]) + std::abs(smooth_losses_.needed[k]);
    for (std::size_t i = 0; i < work.multipliers.size(); ++i)
      sum += std::abs(work.J[at(plan_.independent[k]) * work.multipliers.size() + i] * work.multipliers[i]);
    sum_of_forces_ = std::max(sum_of_forces_, sum);
  }
  spare_ = made - needed;
  return spare_ + H_ * now;  // `needed` is that of q̈ = now
}

std::vector<int> ClosedForwardLosses::directions() const {
  std::vector<int> list;
  if (tree_ != nullptr) tree_->get_modes(list);
  for (const Dry& d : dry_) list.push_back(d.mode == Mode::slips ? d.direction : 0);
  return list;
}

std::vector<std::string> ClosedForwardLosses::sticking() const {
  std::vector<std::string> names;
  for (std::size_t v = 0; tree_ != nullptr && v < at(model_.nv); ++v) {
    if (tree_->sticks()[v]) names.push_back(model_.velocity_names[v]);
  }
  for (const Dry& d : dry_) {
    if (d.mode == Mode::sticks) names.push_back(d.name);
  }
  return names;
}

void ClosedForwardLosses::forget() {
  for (Dry& d : dry_) d.mode = Mode::slips, d.stopped = false;
  decided_ = false;
}

ClosedForwardLosses::Decisions ClosedForwardLosses::decisions() const { return {{dry_.begin(), dry_.end()}, decided_}; }

void ClosedForwardLosses::take(const Decisions& decisions) {
  for (std::size_t k = 0; k < dry_.size(); ++k) static_cast<Decided&>(dry_[k]) = decisions.of_each[k];
  decided_ = decisions.made;
}

void ClosedForwardLosses::find_lost_power(In<double> qd) {
  lost_power_ = drive_loss_;
  for (std::size_t k = 0; k < qd.size(); ++k) lost_power_ += smooth_losses_.friction()[k] * qd[k];
  for (const Dry& d : dry_) {
    if (d.mode == Mode::slips && d.drive < 0) lost_power_ += d.direction * d.size * d.velocity;
  }
}

void ClosedForwardLosses::operator()(PlantWorkspace<double>& work, In<double> q, In<double> qd, In<double> tau,
                                     Out<double> qdd, std::span<const Force<double>> external, bool same_directions) {
  if (tree_ != nullptr) {
    (*tree_)(q, qd, tau, qdd, {.same_directions = same_directions}, external);
    lost_power_ = std::inner_product(qd.begin(), qd.end(), tree_->losses().bearing.begin(), 0.0) +
                  std::inner_product(qd.begin(), qd.end(), tree_->losses().transmission.begin(), 0.0);
    return;
  }
  const bool make = !same_directions;
  set_state(work, q, qd);
  torques_.assign(tau.begin(), tau.end());
  if (make) find_rest(work);
  const auto holds = [make](const Dry& d) { return make ? d.at_rest : d.mode == Mode::sticks; };
  if (std::any_of(dry_.begin(), dry_.end(), holds)) find_biases(work, q);
  const VectorXd found = settle_loads([&](const VectorXd& now) { return push(work, q, qd, tau, now, external); },
                                      make ? Decision::make : Decision::keep, work);
  find_lost_power(qd);
  std::copy(found.data(), found.data() + found.size(), qdd.begin());
}

}  // namespace lw
