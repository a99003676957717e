#include "forward_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/LU>

#include "../base/error.hpp"
#include "rnea.hpp"

namespace lw {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Vec3<Dual> dual(const Vec3<double>& v) { return {v[0], v[1], v[2]}; }
Vec3<Dual> dual(const Vec3<double>& v, const Vec3<double>& d) { return {{v[0], d[0]}, {v[1], d[1]}, {v[2], d[2]}}; }

// What the laws read of a model.
Model<Dual> laws_of(const Model<double>& model) {
  Model<Dual> out;
  out.nv = model.nv;
  for (const Body<double>& b : model.bodies) {
    Body<Dual> body;
    body.kind = b.kind;
    body.axis = dual(b.axis);
    body.ratio = b.ratio;
    out.bodies.push_back(body);
  }
  for (const JointLoss<double>& l : model.losses) {
    JointLoss<Dual> loss{l.body,
                         l.v,
                         l.viscous,
                         l.coulomb,
                         l.stribeck,
                         l.static_torque,
                         l.stribeck_velocity,
                         l.shape,
                         {},
                         l.damper,
                         Curve<Dual>(l.damper_table),
                         l.width};
    for (const BearingLoss<double>& b : l.bearings) {
      loss.bearings.push_back({b.kind, b.moments, b.mu, b.radius, b.spacing, dual(b.across)});
    }
    out.losses.push_back(std::move(loss));
  }
  for (const Transmission<double>& t : model.transmissions) {
    Transmission<Dual> twin{t.name, t.v, {}, {t.C.begin(), t.C.end()}, {t.C_inverse.begin(), t.C_inverse.end()},
                            t.width};
    for (const DriveLoss<double>& d : t.drives) {
      twin.drives.push_back({d.name, d.ratio, d.rotor_inertia, Curve<Dual>(d.efficiency), d.breakaway, d.has_rated,
                             d.has_peak, d.rated, d.peak, d.rotor_body});
    }
    out.transmissions.push_back(std::move(twin));
  }
  return out;
}

// Without what does not come of accelerations: torques and reactions are then linear in q̈.
Model<double> inertial_part(Model<double> model) {
  model.gravity = {};
  for (Body<double>& b : model.bodies) b.stiffness = 0.0;
  model.joint_elements.clear();
  model.springs.clear();
  model.forces.clear();
  model.shafts.clear();
  return model;
}

bool jumps(const JointLoss<double>& loss) { return loss.width == 0.0 && is_dry<double>(loss); }
bool jumps(const Transmission<double>& t, std::size_t drive) {
  const DriveLoss<double>& d = t.drives[drive];
  return t.width == 0.0 && (d.breakaway != 0.0 || !d.efficiency.empty());
}
bool is_coupling(const Transmission<double>& t) { return t.v.size() > 1 || t.C[0] != 1.0; }

}  // namespace

class ForwardWithLosses::Solver {
 public:
  explicit Solver(const Model<double>& model)
      : model_(model),
        inertial_(inertial_part(model)),
        laws_(laws_of(model)),
        work_(model),
        nv_(work_.h.size()),
        losses_(model),
        limit_(model),
        slopes_(laws_),
        directions_(nv_),
        sticks_(nv_) {
    collect_dry();
    const std::vector<bool> felt = felt_reactions<double>(model);
    for (std::size_t b = 0; b < felt.size(); ++b) {
      if (felt[b]) loaded_.push_back(b);
    }
    for (std::vector<double>* v : {&unit_, &column_, &velocity_, &limit_velocity_, &qdd_}) v->assign(nv_, 0.0);
    W_.resize(nv_ * loaded_.size());
    w0_.resize(loaded_.size());
    reactions_.resize(model.bodies.size());
    reactions_dual_.resize(model.bodies.size());
    velocity_dual_.resize(nv_);
    qdd_dual_.resize(nv_);
    const auto nv = static_cast<Eigen::Index>(nv_), n = nv + static_cast<Eigen::Index>(couplings_);
    M_.resize(nv, nv);
    pivots_.resize(nv, nv);
    h_.resize(nv);
    matrix_.resize(n, n);
    for (Eigen::VectorXd* v : {&residual_, &noise_, &step_, &from_}) v->setZero(n);
    lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(n);
  }

  void run(In<double> q, In<double> qd, In<double> tau, Out<double> qdd, const ForwardLossesOptions& options,
           std::span<const Force<double>> external) {
    check_sizes("ForwardWithLosses", model_,
                {{"q", q.size(), model_.nq},
                 {"qd", qd.size(), model_.nv},
                 {"tau", tau.size(), model_.nv},
                 {"qdd", qdd.size(), model_.nv}});
    if (nv_ == 0) return;
    tau_ = tau;
    find_affine(q, qd, external);
    if (!M_.allFinite() || !h_.allFinite()) {  // as in the other algorithms: what overflows is no error, and no number
      std::fill(qdd.begin(), qdd.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const bool same = options.same_directions && directions_known_;
    if (!same) find_rest(qd, options.rest);
    directions_known_ = true;
    std::size_t fewest = dry_.size() + 1;
    for (std::size_t trials = 50 + 10 * dry_.size();; --trials) {
      set_velocities(qd);
      solve();
      if (same || !change_over(fewest)) break;
      if (trials == 0) refuse_directions();
    }
    std::copy(qdd_.begin(), qdd_.end(), qdd.begin());
    report();
  }

  const std::vector<int>& directions() const { return directions_; }
  const std::vector<bool>& sticks() const { return sticks_; }

 private:
  // What has one direction: the dry friction of a joint and of its own drive, or a drive of a coupling.
  struct Dry {
    std::string name;
    std::size_t v = 0;                               // of the joint; of a drive in a coupling its place in Losses
    bool joint = false, drive = false;               // what jumps
    const Transmission<double>* coupling = nullptr;  // that moves the joint, or that the drive is of
    std::size_t k = 0;                               // the drive in it, and
    std::size_t unknown = 0;  // where its force stands among the unknowns, behind those of the joints
    bool at_rest = false;
    int direction = 0;  // 0 and at rest: sticks
    double force = 0.0, low = 0.0, high = 0.0;

    bool is_joint() const { return unknown == 0; }
    bool sticks() const { return at_rest && direction == 0; }
  };

  void collect_dry() {
    std::vector<Dry> joints(nv_);
    for (std::size_t v = 0; v < nv_; ++v) {
      joints[v].v = v;
      joints[v].name = model_.velocity_names[v];
    }
    for (const JointLoss<double>& loss : model_.losses) joints[static_cast<std::size_t>(loss.v)].joint = jumps(loss);
    std::vector<Dry> drives;
    for (const Transmission<double>& t : model_.transmissions) {
      for (std::size_t k = 0; k < t.v.size(); ++k) {
        Dry& joint = joints[static_cast<std::size_t>(t.v[k])];
        if (!is_coupling(t)) {
          joint.drive = jumps(t, k);
          continue;
        }
        joint.coupling = &t;
        if (!jumps(t, k)) continue;
        Dry drive;
        drive.name = t.drives[k].name;
        drive.v = joint.v;
        drive.drive = true;
        drive.coupling = &t;
        drive.k = k;
        drive.unknown = nv_ + couplings_++;
        drives.push_back(std::move(drive));
      }
    }
    for (std::vector<Dry>* list : {&joints, &drives}) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(dry_),
                   [](const Dry& d) { return d.joint || d.drive; });
    }
    of_joint_.assign(nv_, -1);
    for (std::size_t e = 0; e < dry_.size(); ++e) {
      if (dry_[e].is_joint()) of_joint_[dry_[e].v] = static_cast<int>(e);
    }
  }

  bool joint_sticks(std::size_t v) const {
    return of_joint_[v] >= 0 && dry_[static_cast<std::size_t>(of_joint_[v])].sticks();
  }

  // aᵀx: of a joint its entry, of a drive its row of C.
  static double along(const Dry& d, In<double> x) {
    if (d.is_joint()) return x[d.v];
    double sum = 0.0;
    const std::size_t n = d.coupling->v.size();
    for (std::size_t j = 0; j < n; ++j)
      sum += d.coupling->C[d.k * n + j] * x[static_cast<std::size_t>(d.coupling->v[j])];
    return sum;
  }

  void find_affine(In<double> q, In<double> qd, std::span<const Force<double>> external) {
    rnea<double>(model_, work_, q, qd, work_.zero, column_, external);
    h_ = Eigen::Map<const Eigen::VectorXd>(column_.data(), h_.size());
    for (std::size_t b = 0; b < loaded_.size(); ++b) w0_[b] = work_.force[loaded_[b]];
    for (std::size_t j = 0; j < nv_; ++j) {
      unit_[j] = 1.0;
      rnea<double>(inertial_, work_, q, work_.zero, unit_, column_);
      unit_[j] = 0.0;
      M_.col(static_cast<Eigen::Index>(j)) = Eigen::Map<const Eigen::VectorXd>(column_.data(), h_.size());
      for (std::size_t b = 0; b < loaded_.size(); ++b) W_[j * loaded_.size() + b] = work_.force[loaded_[b]];
    }
  }

  void find_rest(In<double> qd, double rest) {
    for (Dry& d : dry_) {
      const double velocity = along(d, qd);
      d.at_rest = std::abs(velocity) <= rest;
      d.direction = d.at_rest ? 0 : velocity > 0.0 ? 1 : -1;
      d.force = 0.0;
    }
  }

  // At which the laws are taken: an element's own, or, where its direction is another, that direction without a size.
  static double velocity_of(const Dry& d, double velocity) {
    return velocity * d.direction > 0.0 ? velocity : d.direction * kImpending;
  }

  void set_velocities(In<double> qd) {
    std::copy(qd.begin(), qd.end(), velocity_.begin());
    drive_velocities<double>(model_, qd, losses_);
    for (const Dry& d : dry_) {
      if (d.joint) velocity_[d.v] = velocity_of(d, velocity_[d.v]);
      if (d.drive) losses_.velocity[d.v] = velocity_of(d, losses_.velocity[d.v]);
    }
  }

  // losses_ and residual_ = total - τ at qdd_ and the forces of what sticks; noise_: what rounding makes of it.
  void evaluate() {
    const Eigen::Map<const Eigen::VectorXd> a(qdd_.data(), h_.size());
    for (std::size_t b = 0; b < loaded_.size(); ++b) {
      Force<double> sum = w0_[b];
      for (std::size_t j = 0; j < nv_; ++j) {
        const Force<double>& w = W_[j * loaded_.size() + b];
        sum += Force<double>{w.ang * qdd_[j], w.lin * qdd_[j]};
      }
      reactions_[loaded_[b]] = sum;
    }
    for (std::size_t v = 0; v < nv_; ++v) {
      const auto k = static_cast<Eigen::Index>(v);
      losses_.dynamic[v] = h_[k] + M_.row(k).dot(a);
      noise_[k] = std::abs(h_[k]) + M_.row(k).cwiseAbs().dot(a.cwiseAbs()) + std::abs(tau_[v]);
    }
    for (const Dry& d : dry_) {
      if (d.is_joint() && d.sticks()) losses_.dynamic[d.v] += d.force;
    }
    losses_at<double>(model_, reactions_, {}, velocity_, qdd_, losses_);
    for (const Dry& d : dry_) {
      if (!d.is_joint() && d.sticks()) add_force(d);
    }
    for (std::size_t v = 0; v < nv_; ++v) {
      const auto k = static_cast<Eigen::Index>(v);
      residual_[k] = losses_.total[v] - tau_[v];
      noise_[k] = kEpsilon * (noise_[k] + std::abs(losses_.total[v]) + std::abs(losses_.bearing[v]));
    }
    for (const Dry& d : dry_) {
      if (d.is_joint()) continue;
      const auto row = static_cast<Eigen::Index>(d.unknown);
      residual_[row] = d.sticks() ? along(d, qdd_) : 0.0;
      noise_[row] = 0.0;
      for (std::size_t j = 0; j < d.coupling->v.size(); ++j) {
        const auto v = static_cast<Eigen::Index>(d.coupling->v[j]);
        noise_[row] += std::abs(d.coupling->C[d.k * d.coupling->v.size() + j]) * noise_[v] / std::abs(M_(v, v));
      }
    }
  }

  // To the joints of its coupling, the force in a drive that sticks.
  void add_force(const Dry& d) {
    const std::size_t n = d.coupling->v.size();
    for (std::size_t j = 0; j < n; ++j) {
      losses_.total[static_cast<std::size_t>(d.coupling->v[j])] += d.coupling->C[d.k * n + j] * d.force;
    }
  }

  // How residual_ changes with each unknown: the acceleration of a joint, or the force in it where it sticks; and the forces
  // in the drives of couplings.
  void find_slopes() {
    matrix_.setZero();
    for (std::size_t v = 0; v < nv_; ++v) velocity_dual_[v] = velocity_[v];
    for (std::size_t v = 0; v < nv_; ++v) slopes_.velocity[v] = losses_.velocity[v];
    for (std::size_t j = 0; j < nv_; ++j) {
      const bool force = joint_sticks(j);
      const auto column = static_cast<Eigen::Index>(j);
      for (std::size_t v = 0; v < nv_; ++v) {
        const double slope = force ? (v == j ? 1.0 : 0.0) : M_(static_cast<Eigen::Index>(v), column);
        slopes_.dynamic[v] = {losses_.dynamic[v], slope};
        qdd_dual_[v] = {qdd_[v], !force && v == j ? 1.0 : 0.0};
      }
      for (std::size_t b = 0; b < loaded_.size(); ++b) {
        const Force<double>& w = reactions_[loaded_[b]];
        const Force<double> d = force ? Force<double>{} : W_[j * loaded_.size() + b];
        reactions_dual_[loaded_[b]] = {dual(w.ang, d.ang), dual(w.lin, d.lin)};
      }
      losses_at<Dual>(laws_, reactions_dual_, {}, velocity_dual_, qdd_dual_, slopes_);
      for (std::size_t v = 0; v < nv_; ++v) matrix_(static_cast<Eigen::Index>(v), column) = slopes_.total[v].d;
    }
    border_matrix();
  }

  // Rows and columns of the forces in drives of couplings: those that stick have no acceleration, the others no such force.
  void border_matrix() {
    for (const Dry& d : dry_) {
      if (d.is_joint()) continue;
      const auto k = static_cast<Eigen::Index>(d.unknown);
      if (!d.sticks()) {
        matrix_(k, k) = 1.0;
        continue;
      }
      const std::size_t n = d.coupling->v.size();
      for (std::size_t j = 0; j < n; ++j) {
        const auto v = static_cast<std::size_t>(d.coupling->v[j]);
        const double c = d.coupling->C[d.k * n + j];
        matrix_(static_cast<Eigen::Index>(v), k) = c;
        if (!joint_sticks(v)) matrix_(k, static_cast<Eigen::Index>(v)) = c;
      }
    }
  }

  // The joint at which elimination from the last to the first, each free to give way, finds a pivot that is not positive: it
  // does not resist an acceleration. -1 where there is none.
  int pushing_joint() {
    pivots_ = matrix_.topLeftCorner(h_.size(), h_.size());
    for (Eigen::Index k = h_.size(); k-- > 0;) {
      if (!(pivots_(k, k) > 0.0)) return static_cast<int>(k);
      for (Eigen::Index i = 0; i < k; ++i) {
        const double factor = pivots_(i, k) / pivots_(k, k);
        if (factor != 0.0) pivots_.row(i).head(k) -= factor * pivots_.row(k).head(k);
      }
    }
    return -1;
  }

  // To the last bits of the terms of each row.
  bool is_solved() const {
    return ((residual_.array().abs() <= 4.0 * noise_.array()) || (residual_.array() == 0.0)).all();
  }
  // As good as elimination makes it, whose errors are those of the largest terms of all rows, a row measured by the root of
  // its inertia. NaN is not.
  bool is_nearly_solved() const {
    double largest = 0.0;
    for (Eigen::Index k = 0; k < h_.size(); ++k) largest = std::max(largest, noise_[k] * weight(k));
    for (Eigen::Index k = 0; k < residual_.size(); ++k) {
      if (!(std::abs(residual_[k]) * weight(k) <= 1e3 * std::max(largest, noise_[k] * weight(k)))) return false;
    }
    return true;
  }
  double weight(Eigen::Index k) const { return k < h_.size() ? 1.0 / std::sqrt(std::abs(M_(k, k))) : 1.0; }

  double size_of_residual() const {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < residual_.size(); ++k) sum += std::pow(weight(k) * residual_[k], 2);
    return sum;
  }

  double& unknown(std::size_t k) {
    if (k < nv_) return joint_sticks(k) ? dry_[static_cast<std::size_t>(of_joint_[k])].force : qdd_[k];
    return std::find_if(dry_.begin(), dry_.end(), [&](const Dry& d) { return d.unknown == k; })->force;
  }

  // matrix_ step_ = residual_. Joints and drives of a coupling that stick hold one another more than once: the matrix is then
  // singular, and any solution will do.
  void solve_step() {
    if (couplings_ == 0) {
      lu_.compute(matrix_);
      step_ = lu_.solve(residual_);
    } else {
      step_ = Eigen::FullPivLU<Eigen::MatrixXd>(matrix_).solve(residual_);
    }
  }

  void go(const Eigen::VectorXd& from, double factor) {
    for (Eigen::Index k = 0; k < step_.size(); ++k) unknown(static_cast<std::size_t>(k)) = from[k] - factor * step_[k];
    evaluate();
  }

  // To the accelerations without friction.
  void begin() {
    for (Dry& d : dry_) d.force = 0.0;
    std::fill(qdd_.begin(), qdd_.end(), 0.0);
    matrix_.setZero();
    matrix_.topLeftCorner(h_.size(), h_.size()) = M_;
    residual_.setZero();
    for (std::size_t v = 0; v < nv_; ++v) {
      const auto k = static_cast<Eigen::Index>(v);
      residual_[k] = h_[k] - tau_[v];
      if (!joint_sticks(v)) continue;
      matrix_.col(k).setZero();
      matrix_(k, k) = 1.0;
    }
    border_matrix();
    solve_step();
    from_.setZero();
    go(from_, 1.0);
  }

  // Newton's method for the directions as they are.
  void solve() {
    constexpr int kSteps = 60, kHalvings = 12;
    int pushing = -1, pushed = -1;  // now, and at any time
    begin();
    for (int step = 0; step < kSteps && residual_.allFinite(); ++step) {
      find_slopes();
      pushing = pushing_joint();
      if (pushing >= 0) pushed = pushing;
      if (is_solved()) break;
      solve_step();
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
    stop_couplings();
  }

  // Joints of couplings that the sticking elements hold all together.
  void stop_couplings() {
    std::fill(sticks_.begin(), sticks_.end(), false);
    if (couplings_ == 0) return;
    for (const Transmission<double>& t : model_.transmissions) {
      const std::size_t n = t.v.size();
      Eigen::MatrixXd held(0, static_cast<Eigen::Index>(n));
      for (const Dry& d : dry_) {
        if (d.coupling != &t || !d.sticks()) continue;
        held.conservativeResize(held.rows() + 1, Eigen::NoChange);
        for (std::size_t j = 0; j < n; ++j) {
          const bool own = static_cast<std::size_t>(t.v[j]) == d.v;
          held(held.rows() - 1, static_cast<Eigen::Index>(j)) = d.is_joint() ? (own ? 1.0 : 0.0) : t.C[d.k * n + j];
        }
      }
      if (held.rows() < held.cols() || held.fullPivLu().rank() < held.cols()) continue;
      for (const int v : t.v) {
        qdd_[static_cast<std::size_t>(v)] = 0.0;
        sticks_[static_cast<std::size_t>(v)] = true;
      }
    }
  }

  // Between which forces each element at rest would stick, under the loads of qdd_.
  void find_bounds() {
    for (const int side : {-1, 1}) {
      for (std::size_t v = 0; v < nv_; ++v) {
        limit_.dynamic[v] = losses_.dynamic[v];
        limit_.velocity[v] = losses_.velocity[v];
        limit_velocity_[v] = velocity_[v];
      }
      for (const Dry& d : dry_) {
        if (!d.at_rest || !d.is_joint()) continue;
        if (d.sticks()) limit_.dynamic[d.v] -= d.force;
        if (d.joint) limit_velocity_[d.v] = side * kImpending;
        if (d.drive) limit_.velocity[d.v] = side * kImpending;
      }
      losses_at<double>(model_, reactions_, {}, limit_velocity_, qdd_, limit_);
      for (Dry& d : dry_) {
        if (!d.at_rest) continue;
        double& bound = side < 0 ? d.low : d.high;
        if (d.is_joint()) {
          bound = d.coupling != nullptr ? limit_.bearing[d.v] : limit_.total[d.v] - limit_.dynamic[d.v];
        } else {
          const double output = losses_.output[d.v];
          bound = drive_input<double>(d.coupling->drives[d.k], output, side * kImpending, 0.0) - output;
        }
      }
    }
  }

  // Whether what holds of an element that sticks or slips holds of this one; else which way it should go.
  bool is_consistent(const Dry& d, double fastest, int& other) const {
    constexpr double kRounding = 1e-12;
    if (d.sticks()) {
      const double slack = 1e4 * noise_[static_cast<Eigen::Index>(d.v)];
      other = d.force > d.high + slack ? 1 : d.force < d.low - slack ? -1 : 0;
      return other == 0;
    }
    other = 0;
    return d.direction * along(d, qdd_) >= -kRounding * fastest;
  }

  bool change_over(std::size_t& fewest) {
    find_bounds();
    double fastest = 0.0;
    for (const double a : qdd_) fastest = std::max(fastest, std::abs(a));
    std::size_t wrong = 0;
    int other = 0;
    for (const Dry& d : dry_) wrong += d.at_rest && !is_consistent(d, fastest, other) ? 1 : 0;
    if (wrong == 0) return false;
    const bool all = wrong < fewest;
    if (all) fewest = wrong;
    for (Dry& d : dry_) {
      if (!d.at_rest || is_consistent(d, fastest, other)) continue;
      d.direction = other;
      last_changed_ = d.name;
      if (!all) break;
    }
    return true;
  }

  void report() {
    std::fill(directions_.begin(), directions_.end(), 0);
    for (const Dry& d : dry_) {
      if (!d.is_joint()) continue;
      directions_[d.v] = d.direction;
      if (d.sticks()) sticks_[d.v] = true;
    }
  }

  [[noreturn]] void refuse_jam(int v) const {
    throw Error(
        ErrorCode::data,
        fmt::format("`{}` jams: its friction grows faster with the acceleration than inertia resists it, so that "
                    "to these torques belongs no acceleration, or more than one",
                    model_.velocity_names[static_cast<std::size_t>(v)]));
  }
  [[noreturn]] void refuse_solution() const {
    Eigen::Index worst = 0;
    for (Eigen::Index k = 0; k < h_.size(); ++k) {
      if (!std::isfinite(residual_[k]) || std::abs(residual_[k]) > std::abs(residual_[worst])) worst = k;
    }
    throw Error(ErrorCode::data,
                fmt::format("no accelerations with friction are found: at `{}` torque and losses do not come to agree "
                            "({:.3g} apart)",
                            model_.velocity_names[static_cast<std::size_t>(worst)], std::abs(residual_[worst])));
  }
  [[noreturn]] void refuse_directions() const {
    throw Error(
        ErrorCode::data,
        fmt::format("no accelerations with friction are found: neither sticking nor slipping to either side fits "
                    "`{}` and the other joints at rest together",
                    last_changed_));
  }

  const Model<double>& model_;
  const Model<double> inertial_;
  const Model<Dual> laws_;
  Workspace<double> work_;
  const std::size_t nv_;
  std::vector<Dry> dry_;
  std::size_t couplings_ = 0;        // drives of couplings that are dry
  std::vector<int> of_joint_;        // place in dry_, or -1
  std::vector<std::size_t> loaded_;  // bodies whose reactions the laws read
  std::string last_changed_;

  In<double> tau_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd h_;
  std::vector<Force<double>> W_, w0_;  // of the loaded bodies, W_ by columns
  std::vector<double> unit_, column_, velocity_, limit_velocity_, qdd_;
  std::vector<Force<double>> reactions_;
  std::vector<Force<Dual>> reactions_dual_;
  std::vector<Dual> velocity_dual_, qdd_dual_;
  Losses<double> losses_, limit_;
  Losses<Dual> slopes_;
  Eigen::MatrixXd matrix_, pivots_;
  Eigen::VectorXd residual_, noise_, step_, from_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  bool directions_known_ = false;
  std::vector<int> directions_;
  std::vector<bool> sticks_;
};

ForwardWithLosses::ForwardWithLosses(const Model<double>& model) : solver_(std::make_unique<Solver>(model)) {}
ForwardWithLosses::~ForwardWithLosses() = default;

void ForwardWithLosses::operator()(In<double> q, In<double> qd, In<double> tau, Out<double> qdd,
                                   const ForwardLossesOptions& options, std::span<const Force<double>> external) {
  solver_->run(q, qd, tau, qdd, options, external);
}
const std::vector<int>& ForwardWithLosses::directions() const { return solver_->directions(); }
const std::vector<bool>& ForwardWithLosses::sticks() const { return solver_->sticks(); }

}  // namespace lw
