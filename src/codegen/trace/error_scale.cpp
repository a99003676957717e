#include "error_scale.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../base/index.hpp"
#include "../../base/worse.hpp"
#include "../../dynamics/linear/cholesky.hpp"
#include "../../dynamics/loops/closed_derivative_terms.hpp"
#include "../../dynamics/loops/loop_position.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../functions/losses.hpp"

namespace lw {
namespace {

double largest_of(std::span<const double> list) {
  double largest = 0.0;
  for (const double x : list) largest = std::max(largest, std::abs(x));
  return largest;
}

// The largest possible distance of a frame from the world's origin: the length of the chain of bodies to it.
double reach_of(const Model<double>& model, const Workspace<double>& work, const std::string& name) {
  const int number = name.empty() ? static_cast<int>(model.frames.size()) - 1 : model.frame_index(name);
  const Frame<double>& frame = model.frames[at(number)];
  double sum = norm(frame.X_BF.p);
  for (int b = frame.body; b >= 0; b = model.bodies[at(b)].parent) sum += norm(work.X[at(b)].p);
  return sum;
}

}  // namespace

ErrorScale::ErrorScale(const Traced& traced, const Model<double>& model, std::span<const Model<Dual>> moving,
                       const State& state)
    : traced_(traced),
      model_(model),
      plan_(*traced.plan),
      n_(plan_.freedoms()),
      work_(model, plan_),
      state_(state),
      q_(loop_position<double>(model, plan_, state.q, state.guess).q),
      H_(n_ * n_),
      terms_(n_, 0.0),
      lever_(n_, 1.0) {
  const bool dynamic = measures({Measure::torque_terms, Measure::motor_terms, Measure::accelerations, Measure::along_qd,
                                 Measure::inertia, Measure::kinetic, Measure::momentum_rate});
  set_pose<double>(model, plan_, work_, q_);
  if (dynamic) mass_matrix<double>(model, plan_, work_, q_, H_);
  complement_by_unit_velocities<double>(model, plan_, work_);
  R_ = work_.R;
  const std::size_t nv = at(model.nv);
  if (measures({Measure::reach, Measure::lever})) {
    reach_ = reach_of(model, work_.tree, traced.frame);
    for (std::size_t k = 0; k < n_; ++k) {
      lever_[k] = 0.0;
      for (std::size_t v = 0; v < nv; ++v) lever_[k] += std::abs(R_[k * nv + v]);
    }
  }
  if (dynamic) find_terms();
  for (std::size_t k = 0; k < n_ && measures({Measure::momentum}); ++k)
    momenta_.push_back(momentum_terms(model, work_.tree, q_, Part(R_).subspan(k * nv, nv)));
  if (measures({Measure::along_qd}))
    derivatives_ = closed_derivative_terms(model_, moving, plan_, state.q, state.guess, state.qd, state_.qdd);
}

bool ErrorScale::measures(std::initializer_list<Measure> any) const {
  const auto& outputs = traced_.row->outputs;
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const GroupRow& row) { return std::find(any.begin(), any.end(), row.measure) != any.end(); });
}

// |R|ᵀ times the terms of the tree's torques, at the accelerations of the state if the function takes them.
void ErrorScale::find_terms() {
  const std::size_t nv = at(model_.nv);
  if (!traced_.row->takes(kQdd)) std::fill(state_.qdd.begin(), state_.qdd.end(), 0.0);
  if (traced_.row->derivative_of && traced_.row->takes(kTau))
    forward_dynamics<double>(model_, plan_, work_, q_, state_.qd, state_.tau, state_.qdd);
  set_pose<double>(model_, plan_, work_, q_);
  tree_velocities<double>(model_, plan_, work_, state_.qd);
  tree_accelerations<double>(model_, plan_, work_, q_, state_.qdd);
  const Values velocities = work_.qd, of_tree = torque_terms(model_, work_.tree, q_, velocities, work_.qdd);
  for (std::size_t k = 0; k < n_; ++k) {
    for (std::size_t v = 0; v < nv; ++v) terms_[k] += std::abs(R_[k * nv + v]) * of_tree[v];
  }
  if (measures({Measure::momentum_rate}))
    momentum_rate_ = momentum_rate_terms(model_, work_.tree, q_, velocities, work_.qdd);
  if (measures({Measure::kinetic})) energies_ = energy_terms(model_, work_.tree, q_, velocities);
}

// Whether a group holds accelerations or their derivatives, of which differences are multiplied by H.
bool ErrorScale::by_inertia(const GroupRow& row) const {
  return row.measure == Measure::accelerations ||
         (traced_.row->derivative_of && traced_.row->takes(kTau) && row.columns.has_value());
}

double ErrorScale::through_inertia(std::size_t row, Part accelerations) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < n_; ++j)
    sum += std::sqrt(std::abs(H_[row * (n_ + 1)] * H_[j * (n_ + 1)])) * std::abs(accelerations[j]);
  return sum;
}

// For an actuated joint that is not independent: the largest.
double ErrorScale::of_torque(const GroupRow& row, std::size_t k) const {
  const bool own = row.rows.of == Extent::Of::velocities || plan_.actuated == plan_.independent;
  return own ? terms_[k] : largest_of(terms_);
}

// On the motors' side: divided by the drives' ratios; for coupled drives the sum over the joints that they move.
double ErrorScale::of_motor(std::size_t k) const {
  const auto place = [&](int v) {
    return static_cast<std::size_t>(std::find(plan_.actuated.begin(), plan_.actuated.end(), v) -
                                    plan_.actuated.begin());
  };
  const GroupRow& row = kTau;
  for (const Transmission<double>& t : model_.transmissions) {
    for (std::size_t j = 0; j < t.v.size(); ++j) {
      if (place(t.v[j]) != k) continue;
      double sum = 0.0;
      for (const int v : t.v) sum += of_torque(row, place(v));
      return sum / std::abs(t.drives[j].ratio);
    }
  }
  return of_torque(row, k);
}

double ErrorScale::of_derivative(const GroupRow& row, const Group& g, std::size_t k, Part expected,
                                 double largest) const {
  const std::size_t column = k / g.rows, entry = k % g.rows;
  const std::size_t first = row.measure == Measure::along_q    ? 0
                            : row.measure == Measure::along_qd ? n_
                            : row.measure == Measure::along_p  ? 3 * n_
                                                               : 2 * n_;
  const Part own(derivatives_.data() + (first + column) * n_, n_);
  if (by_inertia(row)) {  // derivatives by τ have only the second part
    return (row.measure == Measure::along_third ? 0.0 : own[entry]) +
           through_inertia(entry, expected.subspan(column * n_, n_));
  }
  return plan_.actuated == plan_.independent ? own[entry] : std::max(largest, largest_of(own));
}

double ErrorScale::scale(const GroupRow& row, const Group& g, std::size_t k, Part expected, double largest) const {
  const double here = std::abs(expected[k]);
  switch (row.measure) {
    case Measure::one: return 1.0;
    case Measure::largest: return largest;
    case Measure::torque_terms: return std::max(here, of_torque(row, k));
    case Measure::motor_terms: return std::max(here, of_motor(k));
    case Measure::inertia: return std::sqrt(std::abs(H_[(k % n_) * (n_ + 1)] * H_[(k / n_) * (n_ + 1)]));
    case Measure::accelerations: return terms_[k] + through_inertia(k, expected);
    case Measure::kinetic: return energies_.kinetic;
    case Measure::potential: return energies_.potential;
    case Measure::reach: return std::max(largest, reach_);
    case Measure::lever: return std::max(largest, lever_[k / g.rows] * (k % g.rows < 3 ? 1.0 : reach_));
    case Measure::momentum: return k % g.rows < 3 ? momenta_[k / g.rows].angular : momenta_[k / g.rows].linear;
    case Measure::momentum_rate: return k < 3 ? momentum_rate_.angular : momentum_rate_.linear;
    case Measure::along_q:
    case Measure::along_qd:
    case Measure::along_third:
    case Measure::along_p: return of_derivative(row, g, k, expected, largest);
  }
  return largest;
}

double ErrorScale::group_error(const GroupRow& row, const Group& g, Part got, Part expected) const {
  const double largest = largest_of(expected);
  double worst = 0.0;
  for (std::size_t k = 0; k < g.size; ++k) {
    double difference = got[k] - expected[k];
    if (row.rows.of == Extent::Of::dependent) difference = std::remainder(difference, 2.0 * std::numbers::pi);
    if (by_inertia(row)) {
      const std::size_t entry = k % n_, first = k - entry;
      difference = 0.0;
      for (std::size_t j = 0; j < n_; ++j) difference += H_[j * n_ + entry] * (got[first + j] - expected[first + j]);
    }
    worst = worse(worst, difference == 0.0 ? 0.0 : std::abs(difference) / scale(row, g, k, expected, largest));
  }
  return worst;
}

// Generalised forces of the independent joints, with friction if the function includes it.
ErrorScale::Values ErrorScale::needed(Part accelerations) {
  Values force(n_);
  if (!traced_.friction) {
    generalised_forces<double>(model_, plan_, work_, q_, state_.qd, accelerations, force);
    return force;
  }
  if (plan_.actuated == plan_.independent)  // includes losses of drives
    return torques_with_losses(model_, plan_, q_, state_.qd, accelerations);
  if (losses_ == nullptr) losses_ = std::make_unique<ClosedLosses<double>>(model_, plan_);
  losses_->forces(work_, q_, state_.qd, accelerations);
  return losses_->needed;
}

const ErrorScale::Values& ErrorScale::given() {
  if (given_.empty()) {
    given_.resize(n_);
    work_.R = R_;
    gather_torques<double>(plan_, work_, state_.tau, given_);
  }
  return given_;
}

double ErrorScale::acceleration_error(Part got, Part expected, bool from_torques) {
  const Values a = needed(got), e = from_torques ? given() : needed(expected);
  const Part size_of = from_torques ? got : expected;
  double worst = 0.0;
  for (std::size_t k = 0; k < n_; ++k) {
    const double difference = std::abs(a[k] - e[k]);
    worst = worse(worst, difference == 0.0 ? 0.0 : difference / (terms_[k] + through_inertia(k, size_of)));
  }
  return worst;
}

double ErrorScale::error(Part got, Part expected, bool from_torques) {
  double worst = 0.0;
  std::size_t first = 0;
  for (const Group& g : traced_.function.outputs()) {
    const GroupRow& row = *group_row(*traced_.row, g.name);
    const Part a = got.subspan(first, g.size), e = expected.subspan(first, g.size);
    first += g.size;
    worst = worse(worst, row.measure == Measure::accelerations ? acceleration_error(a, e, from_torques)
                                                               : group_error(row, g, a, e));
  }
  return worst;
}

double ErrorScale::size(Part expected) {
  double size = largest_of(expected);
  std::size_t first = 0;
  const Values zero(traced_.function.output_size(), 0.0);
  for (const Group& g : traced_.function.outputs()) {
    const GroupRow& row = *group_row(*traced_.row, g.name);
    // without the part through inertias: accelerations come from forces that cancel
    const Part e = by_inertia(row) ? Part(zero).subspan(first, g.size) : expected.subspan(first, g.size);
    first += g.size;
    for (std::size_t k = 0; k < g.size; ++k) {
      double own = scale(row, g, k, e, 0.0);
      if (row.measure == Measure::accelerations) own += std::abs(given()[k]);
      size = std::max(size, by_inertia(row) ? own / std::abs(H_[k % n_ * (n_ + 1)]) : own);
    }
  }
  return size;
}

bool ErrorScale::is_indefinite() const {
  const auto& outputs = traced_.row->outputs;
  if (std::none_of(outputs.begin(), outputs.end(), [this](const GroupRow& row) { return by_inertia(row); }))
    return false;
  Values M = H_, b(n_, 0.0);
  cholesky_solve<double>(M, b);
  for (std::size_t k = 0; k < n_; ++k) {
    if (!(M[k * (n_ + 1)] > 1e-6 * H_[k * (n_ + 1)])) return true;
  }
  return false;
}

}  // namespace lw
