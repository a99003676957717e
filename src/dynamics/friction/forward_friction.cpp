#include "forward_friction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>

#include "../../base/error.hpp"
#include "../../base/linear.hpp"
#include "../linear/partial_cholesky.hpp"
#include "affine_losses.hpp"
#include "dry_elements.hpp"

namespace lw {
class ForwardWithLosses::Solver {
 public:
  explicit Solver(const Model<double>& model)
      : model_(model),
        nv_(static_cast<std::size_t>(model.nv)),
        affine_(model),
        limit_(model),
        limit_velocity_(nv_),
        qdd_(nv_),
        force_(nv_),
        later_(nv_),
        free_(model.nv),
        directions_(nv_),
        sticks_(nv_) {
    dry_ = dry_elements(model);
    of_joint_.assign(nv_, -1);
    for (std::size_t e = 0; e < dry_.size(); ++e) {
      if (dry_[e].is_joint()) of_joint_[dry_[e].v] = static_cast<int>(e);
    }
    couplings_ = static_cast<std::size_t>(
        std::count_if(dry_.begin(), dry_.end(), [](const DryElement& d) { return !d.is_joint(); }));
    const auto nv = static_cast<Eigen::Index>(nv_), n = nv + static_cast<Eigen::Index>(couplings_);
    pivots_.resize(nv, nv);
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
    affine_.set_state(q, qd, external);
    if (!affine_.M().allFinite() ||
        !affine_.h().allFinite()) {  // as in the other algorithms: what overflows is no error, and no number
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
  const Losses<double>& losses() const { return affine_.losses(); }
  bool take_equations_from(Equations equations) { return affine_.take_equations_from(std::move(equations)); }
  void get_modes(std::vector<int>& modes) const {
    modes.clear();
    for (const DryElement& d : dry_) modes.push_back(d.direction);
  }

  bool decide_by_motion(In<double> qd) {
    for (const DryElement& d : dry_) {
      if (std::abs(d.along(qd)) <= d.rounding(qd)) return false;
    }
    find_rest(qd, 0.0);
    directions_known_ = true;
    std::fill(sticks_.begin(), sticks_.end(), false);
    report();
    return true;
  }
  bool all_move(In<double> qd) const {
    return std::all_of(dry_.begin(), dry_.end(),
                       [&](const DryElement& d) { return d.direction * d.along(qd) > d.rounding(qd); });
  }

  bool still_fits(In<double> q, In<double> qd, In<double> tau, std::span<const Force<double>> external) {
    bool any_sticks = false;
    for (const DryElement& d : dry_) {
      if (d.sticks())
        any_sticks = true;
      else if (d.has_turned(qd))
        return false;
    }
    if (!any_sticks) return true;
    run(q, qd, tau, later_, {.same_directions = true}, external);
    find_bounds();
    int other = 0;
    return std::all_of(dry_.begin(), dry_.end(),
                       [&](const DryElement& d) { return !d.sticks() || is_consistent(d, 0.0, other); });
  }

  std::vector<int> stop_turned(Out<double> qd) const {
    std::vector<int> stopped;
    for (const DryElement& d : dry_) {
      if (d.sticks() || !d.has_turned(qd)) continue;
      stopped.push_back(static_cast<int>(d.v));
      d.stop(qd);
    }
    return stopped;
  }

 private:
  bool joint_sticks(std::size_t v) const {
    return of_joint_[v] >= 0 && dry_[static_cast<std::size_t>(of_joint_[v])].sticks();
  }

  void find_rest(In<double> qd, double rest) {
    for (DryElement& d : dry_) d.find_direction(qd, rest);
  }

  void set_velocities(In<double> qd) {
    Losses<double>& losses = affine_.losses();
    std::copy(qd.begin(), qd.end(), affine_.velocity().begin());
    drive_velocities<double>(model_, qd, losses);
    for (const DryElement& d : dry_) {
      if (d.joint) affine_.velocity()[d.v] = d.law_velocity(qd[d.v]);
      if (d.drive) losses.velocity[d.v] = d.law_velocity(losses.velocity[d.v]);
    }
  }

  // residual_ = total - τ at qdd_ and the forces of what sticks, and the accelerations of drives that must have none;
  // noise_: what rounding makes of it.
  void evaluate() {
    for (const DryElement& d : dry_) {
      if (d.is_joint()) force_[d.v] = d.sticks() ? d.force : 0.0;
    }
    affine_.evaluate(qdd_, force_);
    for (std::size_t v = 0; v < nv_; ++v) {
      const auto k = static_cast<Eigen::Index>(v);
      residual_[k] = affine_.losses().total[v] - tau_[v];
      noise_[k] = affine_.rounding(v) + std::numeric_limits<double>::epsilon() * std::abs(tau_[v]);
    }
    for (const DryElement& d : dry_) {
      if (d.is_joint()) continue;
      const auto row = static_cast<Eigen::Index>(d.unknown);
      residual_[row] = d.sticks() ? d.along(qdd_) : 0.0;
      noise_[row] = 0.0;
      const std::size_t n = d.coupling->v.size();
      for (std::size_t j = 0; j < n; ++j) {
        const auto v = static_cast<Eigen::Index>(d.coupling->v[j]);
        const double c = d.coupling->C[d.k * n + j];
        if (d.sticks()) residual_[v] += c * d.force;
        noise_[row] += std::abs(c * noise_[v] / affine_.M()(v, v));
      }
    }
  }

  // How residual_ changes with each unknown: the acceleration of a joint, or the force in it where it sticks; and the
  // forces in the drives of couplings.
  void find_slopes() {
    matrix_.setZero();
    const Eigen::Index nv = pivots_.rows();
    for (std::size_t j = 0; j < nv_; ++j) {
      const auto by = joint_sticks(j) ? AffineLosses::By::force : AffineLosses::By::acceleration;
      affine_.slopes(j, by, matrix_.col(static_cast<Eigen::Index>(j)).head(nv));
    }
    border_matrix();
  }

  // Rows and columns of the forces in drives of couplings: those that stick have no acceleration, the others no such
  // force.
  void border_matrix() {
    for (const DryElement& d : dry_) {
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

  // The joint at which elimination from the last to the first, each free to give way, finds a pivot that is not
  // positive: it does not resist an acceleration. -1 where there is none.
  int pushing_joint() {
    pivots_ = matrix_.topLeftCorner(pivots_.rows(), pivots_.rows());
    for (Eigen::Index k = pivots_.rows(); k-- > 0;) {
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
  // As good as elimination makes it, whose errors are those of the largest terms of all rows, a row measured by the
  // root of its inertia. NaN is not.
  bool is_nearly_solved() const {
    double largest = 0.0;
    for (Eigen::Index k = 0; k < pivots_.rows(); ++k) largest = std::max(largest, noise_[k] * weight(k));
    for (Eigen::Index k = 0; k < residual_.size(); ++k) {
      if (!(std::abs(residual_[k]) * weight(k) <= 1e3 * std::max(largest, noise_[k] * weight(k)))) return false;
    }
    return true;
  }
  double weight(Eigen::Index k) const {
    return k < pivots_.rows() ? 1.0 / std::sqrt(std::abs(affine_.M()(k, k))) : 1.0;
  }

  double size_of_residual() const {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < residual_.size(); ++k) sum += std::pow(weight(k) * residual_[k], 2);
    return sum;
  }

  double& unknown(std::size_t k) {
    if (k < nv_) return joint_sticks(k) ? dry_[static_cast<std::size_t>(of_joint_[k])].force : qdd_[k];
    return std::find_if(dry_.begin(), dry_.end(), [&](const DryElement& d) { return d.unknown == k; })->force;
  }

  // matrix_ step_ = residual_. Joints and drives of a coupling that stick hold one another more than once: the matrix
  // is then singular, and any solution will do.
  void solve_step() {
    if (couplings_ == 0) {
      lu_.compute(matrix_);
      step_ = lu_.solve(residual_);
    } else {
      step_ = least_squares(matrix_, residual_);
    }
  }

  void go(const Eigen::VectorXd& from, double factor) {
    for (Eigen::Index k = 0; k < step_.size(); ++k) unknown(static_cast<std::size_t>(k)) = from[k] - factor * step_[k];
    evaluate();
  }

  // To the accelerations without friction.
  void begin() {
    for (DryElement& d : dry_) d.force = 0.0;
    std::fill(qdd_.begin(), qdd_.end(), 0.0);
    matrix_.setZero();
    matrix_.topLeftCorner(pivots_.rows(), pivots_.rows()) = affine_.M();
    residual_.setZero();
    for (std::size_t v = 0; v < nv_; ++v) {
      const auto k = static_cast<Eigen::Index>(v);
      residual_[k] = affine_.h()[k] - tau_[v];
      if (!joint_sticks(v)) continue;
      matrix_.col(k).setZero();
      matrix_(k, k) = 1.0;
    }
    border_matrix();
    solve_step();
    from_.setZero();
    go(from_, 1.0);
  }

  // qdd_ and the forces of what sticks, less what residual_ asks for: M_ff δ_f = r_f, δλ_s = r_s − M_sf δ_f.
  void correct() {
    free_.solve(residual_, step_);
    for (std::size_t v = 0; v < nv_; ++v) qdd_[v] -= step_[static_cast<Eigen::Index>(v)];
    for (DryElement& d : dry_) {
      if (!d.sticks()) continue;
      const auto row = static_cast<Eigen::Index>(d.v);
      d.force -= residual_[row] - affine_.M().col(row).dot(step_);
    }
  }

  // Where no loss depends on accelerations: linear equations, and a correction or two to the last bits. False where
  // these do not do.
  bool solve_plain() {
    if (!affine_.is_plain() || couplings_ != 0) return false;
    if (!free_.factorize(affine_.M(), [&](Eigen::Index k) { return joint_sticks(static_cast<std::size_t>(k)); }))
      return false;
    for (DryElement& d : dry_) d.force = 0.0;
    std::fill(qdd_.begin(), qdd_.end(), 0.0);
    evaluate();
    constexpr int kCorrections = 3;
    for (int k = 0; k < kCorrections && (k == 0 || !is_solved()); ++k) {
      correct();
      evaluate();
    }
    return is_nearly_solved();
  }

  // For the directions as they are.
  void solve() {
    if (!solve_plain()) solve_by_newton();
    stop_couplings();
  }
  void solve_by_newton() {
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
  }

  // Joints of couplings that the sticking elements hold all together.
  void stop_couplings() {
    std::fill(sticks_.begin(), sticks_.end(), false);
    if (couplings_ == 0) return;
    for (const Transmission<double>& t : model_.transmissions) {
      const std::size_t n = t.v.size();
      Eigen::MatrixXd held(0, static_cast<Eigen::Index>(n));
      for (const DryElement& d : dry_) {
        if (d.coupling != &t || !d.sticks()) continue;
        held.conservativeResize(held.rows() + 1, Eigen::NoChange);
        for (std::size_t j = 0; j < n; ++j) {
          const bool own = static_cast<std::size_t>(t.v[j]) == d.v;
          held(held.rows() - 1, static_cast<Eigen::Index>(j)) = d.is_joint() ? (own ? 1.0 : 0.0) : t.C[d.k * n + j];
        }
      }
      if (held.rows() < held.cols() || rank(held, 1e-9) < held.cols()) continue;
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
        limit_.dynamic[v] = affine_.losses().dynamic[v];
        limit_.velocity[v] = affine_.losses().velocity[v];
        limit_.damping[v] = affine_.losses().damping[v];
        limit_velocity_[v] = affine_.velocity()[v];
      }
      for (const DryElement& d : dry_) {
        if (!d.at_rest || !d.is_joint()) continue;
        if (d.sticks()) limit_.dynamic[d.v] -= d.force;
        if (d.joint) limit_velocity_[d.v] = side * kImpending;
        if (d.drive) limit_.velocity[d.v] = side * kImpending;
      }
      affine_.evaluate_at(limit_velocity_, limit_);
      for (DryElement& d : dry_) {
        if (!d.at_rest) continue;
        double& bound = side < 0 ? d.low : d.high;
        if (d.is_joint()) {
          bound = d.coupling != nullptr ? limit_.bearing[d.v] : limit_.total[d.v] - limit_.dynamic[d.v];
          bound -= limit_.damping[d.v];
        } else {
          const double output = affine_.losses().output[d.v];
          bound = drive_input<double>(d.coupling->drives[d.k], output, side * kImpending, 0.0) - output;
        }
      }
    }
  }

  // Whether what holds of an element that sticks or slips holds of this one; else which way it should go.
  bool is_consistent(const DryElement& d, double fastest, int& other) const {
    constexpr double kAtRest = 1e-12;
    if (d.sticks()) {
      const double slack = 1e4 * noise_[static_cast<Eigen::Index>(d.v)];
      other = d.force > d.high + slack ? 1 : d.force < d.low - slack ? -1 : 0;
      return other == 0;
    }
    other = 0;
    return d.direction * d.along(qdd_) >= -kAtRest * fastest;
  }

  bool change_over(std::size_t& fewest) {
    find_bounds();
    double fastest = 0.0;
    for (const double a : qdd_) fastest = std::max(fastest, std::abs(a));
    std::size_t wrong = 0;
    int other = 0;
    for (const DryElement& d : dry_) wrong += d.at_rest && !is_consistent(d, fastest, other) ? 1 : 0;
    if (wrong == 0) return false;
    const bool all = wrong < fewest;
    if (all) fewest = wrong;
    for (DryElement& d : dry_) {
      if (!d.at_rest || is_consistent(d, fastest, other)) continue;
      d.direction = other;
      last_changed_ = d.name;
      if (!all) break;
    }
    return true;
  }

  void report() {
    std::fill(directions_.begin(), directions_.end(), 0);
    for (const DryElement& d : dry_) {
      if (!d.is_joint()) continue;
      directions_[d.v] = d.direction;
      if (d.sticks()) sticks_[d.v] = true;
    }
  }

  [[noreturn]] void refuse_jam(int v) const {
    throw Error(
        ErrorCode::data,
        fmt::format("`{}` jams: its friction grows faster with the acceleration than inertia resists it, so that "
                    "no acceleration belongs to these torques, or more than one",
                    model_.velocity_names[static_cast<std::size_t>(v)]));
  }
  [[noreturn]] void refuse_solution() const {
    Eigen::Index worst = 0;
    for (Eigen::Index k = 0; k < pivots_.rows(); ++k) {
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
  const std::size_t nv_;
  std::vector<DryElement> dry_;
  std::size_t couplings_ = 0;  // drives of couplings that are dry
  std::vector<int> of_joint_;  // place in dry_, or -1

  In<double> tau_;
  AffineLosses affine_;
  Losses<double> limit_;
  std::vector<double> limit_velocity_, qdd_, force_, later_;
  Eigen::MatrixXd matrix_, pivots_;
  PartialCholesky free_;  // of M, without what sticks
  Eigen::VectorXd residual_, noise_, step_, from_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  std::string last_changed_;
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
const Losses<double>& ForwardWithLosses::losses() const { return solver_->losses(); }
bool ForwardWithLosses::take_equations_from(Equations equations) {
  return solver_->take_equations_from(std::move(equations));
}
void ForwardWithLosses::get_modes(std::vector<int>& modes) const { solver_->get_modes(modes); }
bool ForwardWithLosses::decide_by_motion(In<double> qd) { return solver_->decide_by_motion(qd); }
bool ForwardWithLosses::all_move(In<double> qd) const { return solver_->all_move(qd); }
bool ForwardWithLosses::still_fits(In<double> q, In<double> qd, In<double> tau,
                                   std::span<const Force<double>> external) {
  return solver_->still_fits(q, qd, tau, external);
}
std::vector<int> ForwardWithLosses::stop_turned(Out<double> qd) const { return solver_->stop_turned(qd); }

}  // namespace lw
