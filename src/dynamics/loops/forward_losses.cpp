#include "forward_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../assembly/mode_search.hpp"

namespace lw {
namespace {

bool jumps(const JointLoss<double>& loss) { return loss.width == 0.0 && is_dry<double>(loss); }
bool jumps(const Transmission<double>& t, std::size_t drive) {
  const DriveLoss<double>& d = t.drives[drive];
  return t.width == 0.0 && (d.breakaway != 0.0 || !d.efficiency.empty());
}
bool is_coupling(const Transmission<double>& t) { return t.v.size() > 1 || t.C[0] != 1.0; }

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }

}  // namespace

ForwardLosses::ForwardLosses(const Model<double>& model, LoopPlan plan)
    : model_(model),
      plan_(std::move(plan)),
      affine_(model, plan_),
      n_(plan_.freedoms()),
      size_(mechanism_size(model)),
      limit_(affine_.own()),
      limit_velocity_(n_),
      qdd_(n_),
      force_(n_),
      F_(affine_.followers().size(), 0.0),
      free_(index(n_)),
      box_(0),
      directions_(n_),
      sticks_(n_) {
  collect();
  const Eigen::Index n = index(n_), all = n + index(bordered_), m = index(dry_.size());
  pivots_.resize(all, all);
  matrix_.resize(all, all);
  for (Eigen::VectorXd* v : {&residual_, &noise_, &weight_, &step_, &from_}) v->setZero(all);
  for (Eigen::VectorXd* v : {&c_, &low_, &high_, &F_rest_}) v->setZero(m);
  L_.resize(n, n);
  B_.resize(n, m);
  D_.resize(m, m);
  box_ = BoxForces(m);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(all);
  llt_ = Eigen::LLT<Eigen::MatrixXd>(n);
}

// Joints first, then those that follow, then drives of couplings.
void ForwardLosses::collect() {
  const Model<double>& own = affine_.own();
  std::vector<Dry> joints(n_);
  for (std::size_t v = 0; v < n_; ++v) {
    joints[v].place = joints[v].unknown = v;
    joints[v].name = own.velocity_names[v];
    joints[v].a = Eigen::VectorXd::Unit(index(n_), index(v));
  }
  for (const JointLoss<double>& loss : own.losses) joints[at(loss.v)].joint = jumps(loss);
  std::vector<Dry> others;
  for (std::size_t j = 0; j < affine_.followers().size(); ++j) {
    const AffineLosses::Follower& f = affine_.followers()[j];
    Dry d;
    d.name = f.name;
    d.of = Dry::Of::follower;
    d.place = j;
    d.unknown = n_ + j;
    d.joint = f.loss != nullptr && jumps(*f.loss);
    d.drive = f.breakaway != 0.0;
    d.a = f.a;
    others.push_back(std::move(d));
  }
  bordered_ = others.size();
  for (const Transmission<double>& t : own.transmissions) {
    for (std::size_t k = 0; k < t.v.size(); ++k) {
      Dry& joint = joints[at(t.v[k])];
      if (!is_coupling(t)) {
        joint.drive = jumps(t, k);
        continue;
      }
      joint.coupling = &t;
      if (!jumps(t, k)) continue;
      Dry d;
      d.name = t.drives[k].name;
      d.of = Dry::Of::drive;
      d.place = joint.place;
      d.drive = true;
      d.coupling = &t;
      d.k = k;
      d.unknown = n_ + bordered_++;
      d.a = Eigen::VectorXd::Zero(index(n_));
      for (std::size_t j = 0; j < t.v.size(); ++j) d.a[t.v[j]] = t.C[k * t.v.size() + j];
      others.push_back(std::move(d));
      ++couplings_;
    }
  }
  of_joint_.assign(n_, -1);
  of_follower_.assign(affine_.followers().size(), -1);
  for (std::vector<Dry>* list : {&joints, &others}) {
    for (Dry& d : *list) {
      if (!d.joint && !d.drive) continue;
      if (d.of == Dry::Of::joint) of_joint_[d.place] = static_cast<int>(dry_.size());
      if (d.of == Dry::Of::follower) of_follower_[d.place] = static_cast<int>(dry_.size());
      dry_.push_back(std::move(d));
    }
  }
}

void ForwardLosses::operator()(In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                               const ForwardLossesOptions& options, std::span<const Force<double>> external) {
  check_sizes("ForwardLosses", model_,
              {{"q", q.size(), model_.nq},
               {"qd", qd.size(), static_cast<int>(n_)},
               {"tau", tau.size(), static_cast<int>(plan_.actuated.size())},
               {"qdd", qdd.size(), static_cast<int>(n_)}});
  if (n_ == 0) return;
  set_state(q, qd, tau, external);
  if (!affine_.H().allFinite() || !affine_.h().allFinite()) {
    // as in the other algorithms: what overflows is no error, and no number
    std::fill(qdd.begin(), qdd.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (options.same_directions && decided_) {
    choose_holding();
    set_velocities(qd);
    solve();
  } else {
    find_rest(qd, options.rest);
    settle_decisions(qd);
  }
  std::copy(qdd_.begin(), qdd_.end(), qdd.begin());
}

void ForwardLosses::set_state(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external) {
  affine_.set_state(q, qd, external);
  affine_.set_torques(tau);
  std::fill(F_.begin(), F_.end(), 0.0);
  bool biased = false;
  for (Dry& d : dry_) {
    d.velocity = along(d, qd);
    if (d.of != Dry::Of::follower) continue;
    if (!std::exchange(biased, true)) affine_.find_biases(q);
    const AffineLosses::Follower& f = affine_.followers()[d.place];
    d.a = f.a;
    d.b = f.b;
  }
}

const PlantWorkspace<double>& ForwardLosses::motion(In<double> q, std::span<const Force<double>> external) {
  affine_.leave_loads(q, external);
  return affine_.work();
}

// a·x: of a joint its entry, of a drive its row of C; of a joint that follows its own velocity at the last state.
double ForwardLosses::along(const Dry& d, In<double> x) const {
  if (d.of == Dry::Of::joint) return x[d.place];
  if (d.of == Dry::Of::follower) return affine_.followers()[d.place].moves;
  double sum = 0.0;
  const std::size_t n = d.coupling->v.size();
  for (std::size_t j = 0; j < n; ++j) sum += d.coupling->C[d.k * n + j] * x[at(d.coupling->v[j])];
  return sum;
}

// How far from zero the velocity may be where it is at rest.
double ForwardLosses::rounding(const Dry& d, In<double> qd) const {
  if (d.of == Dry::Of::joint) return 0.0;
  if (d.of == Dry::Of::follower) return d.rest;
  double sum = 0.0;
  const std::size_t n = d.coupling->v.size();
  for (std::size_t j = 0; j < n; ++j) sum += std::abs(d.coupling->C[d.k * n + j] * qd[at(d.coupling->v[j])]);
  return 4.0 * std::numeric_limits<double>::epsilon() * sum;
}

bool ForwardLosses::has_turned(const Dry& d, In<double> qd) const {
  return d.direction * along(d, qd) < -std::max(rounding(d, qd), d.rest);
}

// Laws are taken at the velocity, or, where the direction is another, at that direction without a size.
void ForwardLosses::set_velocities(In<double> qd) {
  Losses<double>& losses = affine_.losses();
  std::copy(qd.begin(), qd.end(), affine_.velocity().begin());
  drive_velocities<double>(affine_.own(), qd, losses);
  for (AffineLosses::Follower& f : affine_.followers()) f.velocity = f.moves;
  for (const Dry& d : dry_) {
    const auto law = [&](double velocity) {
      return velocity * d.direction > 0.0 ? velocity : d.direction * kImpending;
    };
    if (d.of == Dry::Of::follower) {
      AffineLosses::Follower& f = affine_.followers()[d.place];
      f.velocity = law(f.moves);
      if (d.drive) affine_.set_motor_direction(f.v, d.direction);
      continue;
    }
    if (d.joint) affine_.velocity()[d.place] = law(qd[d.place]);
    if (d.drive) losses.velocity[d.place] = law(losses.velocity[d.place]);
  }
}

// residual_ = total − τ at qdd_ and the forces of what sticks; friction less its law of what follows, and the
// accelerations of what must have none. noise_: what rounding makes of it.
void ForwardLosses::evaluate() {
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::joint) force_[d.place] = d.sticks() ? d.force : 0.0;
    if (d.of == Dry::Of::follower && d.sticks()) F_[d.place] = d.force;
  }
  affine_.evaluate(qdd_, force_, F_);
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (std::size_t v = 0; v < n_; ++v) {
    residual_[index(v)] = affine_.losses().total[v] - affine_.target()[index(v)];
    noise_[index(v)] = affine_.rounding(v) + kEpsilon * std::abs(affine_.target()[index(v)]);
  }
  for (std::size_t j = 0; j < F_.size(); ++j) {
    const double law = affine_.followers()[j].law;
    residual_[index(n_ + j)] = F_[j] - law;
    noise_[index(n_ + j)] = kEpsilon * (std::abs(F_[j]) + std::abs(law));
  }
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::joint) continue;
    const Eigen::Index row = index(d.unknown);
    if (d.of == Dry::Of::drive && d.sticks()) {
      for (std::size_t v = 0; v < n_; ++v) residual_[index(v)] += d.a[index(v)] * d.force;
    }
    if (d.of == Dry::Of::follower && !d.sticks()) continue;
    residual_[row] = d.sticks() && !d.spare ? acceleration(d) : 0.0;
    noise_[row] = 0.0;
    for (std::size_t v = 0; v < n_; ++v) {
      const Eigen::Index k = index(v);
      noise_[row] += std::abs(d.a[k] * noise_[k] / affine_.H()(k, k)) + kEpsilon * std::abs(d.a[k] * qdd_[v]);
    }
    noise_[row] += kEpsilon * std::abs(d.b);
  }
}

// How residual_ changes with each unknown: the acceleration of a joint, or the force in it where it sticks; friction of
// what follows, and forces in the drives of couplings.
void ForwardLosses::find_slopes() {
  matrix_.setZero();
  const Eigen::Index n = index(n_), m = index(F_.size());
  for (std::size_t j = 0; j < n_; ++j) {
    const bool held = of_joint_[j] >= 0 && dry_[at(of_joint_[j])].sticks();
    const Eigen::Index k = index(j);
    affine_.slopes(held ? AffineLosses::By::force : AffineLosses::By::acceleration, j, matrix_.col(k).head(n),
                   matrix_.col(k).segment(n, m));
  }
  for (std::size_t j = 0; j < F_.size(); ++j) {
    const Eigen::Index k = index(n_ + j);
    affine_.slopes(AffineLosses::By::follower, j, matrix_.col(k).head(n), matrix_.col(k).segment(n, m));
  }
  matrix_.middleRows(n, m) *= -1.0;
  border_matrix();
}

// Rows and columns of what is not an independent joint: what sticks has no acceleration, the rest the friction of its
// law (as it stands in matrix_), or no force.
void ForwardLosses::border_matrix() {
  for (std::size_t j = 0; j < F_.size(); ++j) matrix_(index(n_ + j), index(n_ + j)) += 1.0;
  for (const Dry& d : dry_) {
    if (d.of == Dry::Of::joint) continue;
    const Eigen::Index k = index(d.unknown);
    if (d.of == Dry::Of::drive) {
      matrix_.row(k).setZero();
      matrix_.col(k).setZero();
      if (d.sticks() && !d.spare) matrix_.col(k).head(index(n_)) = d.a;
    }
    if (d.of == Dry::Of::follower && !d.sticks()) continue;
    matrix_.row(k).setZero();
    if (!d.sticks() || d.spare) {
      matrix_(k, k) = 1.0;
      continue;
    }
    for (std::size_t v = 0; v < n_; ++v) {
      if (of_joint_[v] < 0 || !dry_[at(of_joint_[v])].sticks()) matrix_(k, index(v)) = d.a[index(v)];
    }
  }
}

// The unknown at which elimination from the last to the first, each free to give way, finds a pivot that is not
// positive: it does not resist an acceleration, or its friction grows faster than its load. -1 where there is none.
int ForwardLosses::pushing_joint() {
  pivots_ = matrix_;
  const auto left_out = [&](Eigen::Index k) {
    const std::size_t j = static_cast<std::size_t>(k);
    if (j < n_) return false;
    if (j >= n_ + F_.size()) return true;
    return of_follower_[j - n_] >= 0 && dry_[at(of_follower_[j - n_])].sticks();
  };
  for (Eigen::Index k = pivots_.rows(); k-- > 0;) {
    if (left_out(k)) continue;
    if (!(pivots_(k, k) > 0.0)) return static_cast<int>(k);
    for (Eigen::Index i = 0; i < k; ++i) {
      const double factor = pivots_(i, k) / pivots_(k, k);
      if (factor != 0.0) pivots_.row(i).head(k) -= factor * pivots_.row(k).head(k);
    }
  }
  return -1;
}

// To the last bits of the terms of each row.
bool ForwardLosses::is_solved() const {
  return ((residual_.array().abs() <= 4.0 * noise_.array()) || (residual_.array() == 0.0)).all();
}

// As good as elimination makes it, whose errors are those of the largest terms of all rows, a row measured by the root
// of its inertia. NaN is not.
bool ForwardLosses::is_nearly_solved() const {
  double largest = 0.0;
  for (Eigen::Index k = 0; k < index(n_); ++k) largest = std::max(largest, noise_[k] * weight_[k]);
  for (Eigen::Index k = 0; k < residual_.size(); ++k) {
    if (!(std::abs(residual_[k]) * weight_[k] <= 1e3 * std::max(largest, noise_[k] * weight_[k]))) return false;
  }
  return true;
}

double ForwardLosses::size_of_residual() const {
  double sum = 0.0;
  for (Eigen::Index k = 0; k < residual_.size(); ++k) sum += std::pow(weight_[k] * residual_[k], 2);
  return sum;
}

double& ForwardLosses::unknown(std::size_t k) {
  if (k < n_) return of_joint_[k] >= 0 && dry_[at(of_joint_[k])].sticks() ? dry_[at(of_joint_[k])].force : qdd_[k];
  if (k < n_ + F_.size()) {
    const int held = of_follower_[k - n_];
    return held >= 0 && dry_[at(held)].sticks() ? dry_[at(held)].force : F_[k - n_];
  }
  return std::find_if(dry_.begin(), dry_.end(), [&](const Dry& d) { return d.unknown == k; })->force;
}

void ForwardLosses::go(const Eigen::VectorXd& from, double factor) {
  for (Eigen::Index k = 0; k < step_.size(); ++k) unknown(static_cast<std::size_t>(k)) = from[k] - factor * step_[k];
  evaluate();
}

// To the accelerations without friction, but that of what follows as it is.
void ForwardLosses::begin() {
  for (Dry& d : dry_) {
    if (!d.sticks() || !d.spare) d.force = 0.0;
  }
  std::fill(qdd_.begin(), qdd_.end(), 0.0);
  evaluate();
  matrix_.setZero();
  matrix_.topLeftCorner(index(n_), index(n_)) = affine_.H();
  for (std::size_t v = 0; v < n_; ++v) {
    const Eigen::Index k = index(v);
    residual_[k] = affine_.losses().dynamic[v] - affine_.target()[k];
    if (of_joint_[v] < 0 || !dry_[at(of_joint_[v])].sticks()) continue;
    matrix_.col(k).setZero();
    matrix_(k, k) = 1.0;
  }
  for (std::size_t j = 0; j < F_.size(); ++j) {
    matrix_.col(index(n_ + j)).head(index(n_)) = affine_.followers()[j].a;
    if (of_follower_[j] < 0 || !dry_[at(of_follower_[j])].sticks()) residual_[index(n_ + j)] = 0.0;
  }
  border_matrix();
  for (std::size_t k = 0; k < static_cast<std::size_t>(from_.size()); ++k) from_[index(k)] = unknown(k);
  lu_.compute(matrix_);
  step_ = lu_.solve(residual_);
  go(from_, 1.0);
}

// qdd_ and the forces of what sticks, less what residual_ asks for: H_ff δ_f = r_f, δλ_s = r_s − H_sf δ_f.
void ForwardLosses::correct() {
  free_.solve(residual_, step_);
  for (std::size_t v = 0; v < n_; ++v) qdd_[v] -= step_[index(v)];
  for (Dry& d : dry_) {
    if (d.of != Dry::Of::joint || !d.sticks()) continue;
    d.force -= residual_[index(d.place)] - affine_.H().col(index(d.place)).dot(step_.head(index(n_)));
  }
}

// Where no loss depends on accelerations and independent joints alone stick: linear equations, and a correction or two
// to the last bits. False where these do not do.
bool ForwardLosses::solve_plain() {
  if (!affine_.is_plain()) return false;
  for (const Dry& d : dry_) {
    if (d.of != Dry::Of::joint && d.sticks()) return false;
  }
  if (!free_.factorize(affine_.H(), [&](Eigen::Index k) {
        const int of = of_joint_[static_cast<std::size_t>(k)];
        return of >= 0 && dry_[at(of)].sticks();
      }))
    return false;
  for (Dry& d : dry_) d.force = 0.0;
  std::fill(qdd_.begin(), qdd_.end(), 0.0);
  evaluate();
  for (std::size_t j = 0; j < F_.size(); ++j) F_[j] = affine_.followers()[j].law;
  if (!F_.empty()) evaluate();
  constexpr int kCorrections = 3;
  for (int k = 0; k < kCorrections && (k == 0 || !is_solved()); ++k) {
    correct();
    evaluate();
  }
  return is_nearly_solved();
}

// For the decisions as they are.
void ForwardLosses::solve() {
  for (Eigen::Index k = 0; k < weight_.size(); ++k)
    weight_[k] = k < index(n_) ? 1.0 / std::sqrt(std::abs(affine_.H()(k, k))) : 1.0;
  for (const AffineLosses::Follower& f : affine_.followers()) {
    double& weight = weight_[index(n_) + (&f - affine_.followers().data())] = 0.0;
    for (Eigen::Index k = 0; k < index(n_); ++k) weight += std::abs(f.a[k]) * weight_[k];
  }
  for (const Dry& d : dry_) {
    double& weight = weight_[index(d.unknown)];
    if (d.of == Dry::Of::follower && d.sticks()) weight = weight > 0.0 ? 1.0 / weight : 0.0;
  }
  if (!solve_plain()) solve_by_newton();
  stop_couplings();
  report();
}

void ForwardLosses::solve_by_newton() {
  constexpr int kSteps = 60, kHalvings = 12;
  int pushing = -1, pushed = -1;  // now, and at any time
  begin();
  for (int step = 0; step < kSteps && residual_.allFinite(); ++step) {
    find_slopes();
    pushing = pushing_joint();
    if (pushing >= 0) pushed = pushing;
    if (is_solved()) break;
    lu_.compute(matrix_);
    step_ = lu_.solve(residual_);
    for (Eigen::Index k = 0; k < from_.size(); ++k) from_[k] = unknown(static_cast<std::size_t>(k));
    const double before = size_of_residual();
    const int halvings = is_nearly_solved() ? 0 : kHalvings;
    double factor = 1.0;
    go(from_, factor);
    for (int k = 0; k < halvings && !(size_of_residual() < before); ++k) go(from_, factor *= 0.5);
    if (size_of_residual() < before) continue;
    go(from_, 0.0);
    break;
  }
  const bool solved = is_nearly_solved();
  if (solved ? pushing >= 0 : pushed >= 0) refuse_jam(pushed);
  if (!solved) refuse_solution();
}

// Joints of couplings that the sticking elements hold all together.
void ForwardLosses::stop_couplings() {
  std::fill(sticks_.begin(), sticks_.end(), false);
  if (couplings_ == 0) return;
  for (const Transmission<double>& t : affine_.own().transmissions) {
    const std::size_t n = t.v.size();
    Eigen::MatrixXd held(0, index(n));
    for (const Dry& d : dry_) {
      if (d.coupling != &t || !d.sticks()) continue;
      held.conservativeResize(held.rows() + 1, Eigen::NoChange);
      for (std::size_t j = 0; j < n; ++j) held(held.rows() - 1, index(j)) = d.a[t.v[j]];
    }
    if (held.rows() < held.cols() || rank(held, 1e-9) < held.cols()) continue;
    for (const int v : t.v) {
      qdd_[at(v)] = 0.0;
      sticks_[at(v)] = true;
    }
  }
}

void ForwardLosses::report() {
  std::fill(directions_.begin(), directions_.end(), 0);
  for (const Dry& d : dry_) {
    if (d.of != Dry::Of::joint) continue;
    directions_[d.place] = d.direction;
    if (d.sticks()) sticks_[d.place] = true;
  }
}

void ForwardLosses::refuse_jam(int unknown) const {
  const std::size_t k = at(unknown);
  throw Error(ErrorCode::data,
              fmt::format("`{}` jams: its friction grows faster with the acceleration than inertia resists it, so that "
                          "no acceleration belongs to these torques, or more than one",
                          k < n_ ? affine_.own().velocity_names[k] : affine_.followers()[k - n_].name));
}

void ForwardLosses::refuse_solution() const {
  Eigen::Index worst = 0;
  for (Eigen::Index k = 0; k < index(n_); ++k) {
    if (!std::isfinite(residual_[k]) || std::abs(residual_[k]) > std::abs(residual_[worst])) worst = k;
  }
  throw Error(ErrorCode::data,
              fmt::format("no accelerations with friction are found: at `{}` torque and losses do not come to agree "
                          "({:.3g} apart)",
                          affine_.own().velocity_names[static_cast<std::size_t>(worst)], std::abs(residual_[worst])));
}

}  // namespace lw
