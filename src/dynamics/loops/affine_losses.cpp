#include "affine_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "../tree/elements.hpp"
#include "../tree/kinematics.hpp"
#include "../tree/rnea.hpp"

namespace lw {
namespace {

Vec3<Dual> dual(const Vec3<double>& v, const Vec3<double>& d) { return {{v[0], d[0]}, {v[1], d[1]}, {v[2], d[2]}}; }

// Without what does not come of accelerations: torques and reactions are then linear in q̈.
Model<double> inertial_part(Model<double> model) {
  model.gravity = {};
  for (Body<double>& b : model.bodies) b.stiffness = 0.0;
  return without_elements(std::move(model));
}

bool has_efficiencies(const Transmission<double>& t) {
  return std::any_of(t.drives.begin(), t.drives.end(),
                     [](const DriveLoss<double>& d) { return !d.efficiency.empty(); });
}

Losses<double> losses_of(int nv) {
  Model<double> sizes;
  sizes.nv = nv;
  return Losses<double>(sizes);
}

}  // namespace

struct AffineLosses::Moving {
  explicit Moving(const Model<double>& of)
      : model(over<Dual>(of)), work(model), row(at(of.nv)), rates(at(of.nq)), q(at(of.nq)) {}
  Model<Dual> model;
  Workspace<Dual> work;
  std::vector<Dual> row;
  std::vector<double> rates;
  std::vector<Dual> q;
};

AffineLosses::AffineLosses(const Model<double>& model, const LoopPlan& plan)
    : model_(model),
      plan_(plan),
      inertial_(inertial_part(model)),
      joints_(model, plan),
      work_(model, plan),
      n_(plan.freedoms()),
      nv_(at(model.nv)),
      place_of_body_(model.bodies.size(), -1),
      place_of_loop_(model.loops.size(), -1),
      elements_(has_elements(model)),
      H_(static_cast<Eigen::Index>(n_), static_cast<Eigen::Index>(n_)),
      h_(static_cast<Eigen::Index>(n_)),
      given_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      target_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))),
      on_bodies_(model.bodies.size()),
      tau_(plan.actuated.size()),
      unit_(plan.actuated.size(), 0.0),
      column_(n_),
      zero_(nv_, 0.0),
      of_tree_(nv_),
      damping_(nv_),
      bias_(nv_, 0.0),
      qdd_(n_),
      velocity_(n_),
      multipliers_(plan.equations.size()),
      reactions_(model.bodies.size()),
      losses_(losses_of(static_cast<int>(n_))),
      reactions_dual_(model.bodies.size()),
      velocity_dual_(n_),
      qdd_dual_(n_),
      losses_dual_([&] {
        Model<Dual> sizes;
        sizes.nv = static_cast<int>(n_);
        return Losses<Dual>(sizes);
      }()) {
  own_.name = model.name;
  own_.nv = static_cast<int>(n_);
  own_.bodies = model.bodies;
  for (const int v : plan.independent) own_.velocity_names.push_back(model.velocity_names[at(v)]);
  sort_losses();
  sort_motors();
  choose_places();
  own_dual_ = over<Dual>(own_);
  plain_ = places_ == 0 && std::none_of(own_.transmissions.begin(), own_.transmissions.end(), has_efficiencies) &&
           std::none_of(drives_.begin(), drives_.end(), has_efficiencies);
  F_.assign(followers_.size(), 0.0);
  W_.resize(sources() * places_);
  w0_.resize(places_);
  at_places_.resize(places_);
  state_.reserve(at(model.nq) + n_);
}
AffineLosses::~AffineLosses() = default;

int AffineLosses::place_of(int v) const {
  const auto own = std::find(plan_.independent.begin(), plan_.independent.end(), v);
  return own == plan_.independent.end() ? -1 : static_cast<int>(own - plan_.independent.begin());
}

AffineLosses::Follower& AffineLosses::add_follower(std::string name, const JointLoss<double>* loss,
                                                   const Body<double>& joint) {
  Follower f;
  f.name = std::move(name);
  f.loss = loss;
  f.joint = joint;
  f.a = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_));
  f.dual_joint.kind = joint.kind;
  f.dual_joint.axis = dual(joint.axis, Vec3<double>::zero());
  followers_.push_back(std::move(f));
  return followers_.back();
}

void AffineLosses::sort_losses() {
  for (const JointLoss<double>& loss : model_.losses) {
    if (const int place = place_of(loss.v); place >= 0) {
      own_.losses.push_back(loss);
      own_.losses.back().v = place;
      continue;
    }
    add_follower(model_.velocity_names[at(loss.v)], &loss, model_.bodies[at(loss.body)]).v = loss.v;
  }
  for (std::size_t k = 0; k < joints_.cuts().size(); ++k) {
    const ClosedLosses<double>::Cut& cut = joints_.cuts()[k];
    add_follower(model_.loops[cut.loop].name, &cut.loss, cut.joint).cut = static_cast<int>(k);
  }
  if (!joints_.cuts().empty()) moving_ = std::make_unique<Moving>(model_);
}

// Drives of independent joints are part of their laws; of others what comes out of them is found first.
void AffineLosses::sort_motors() {
  std::vector<bool> within(plan_.actuated.size(), false);  // a law of independent joints
  for (std::size_t k = 0; k < within.size(); ++k) within[k] = place_of(plan_.actuated[k]) >= 0;
  const auto& transmissions = joints_.motors().transmissions;
  for (const Transmission<double>& t : transmissions) {
    const bool own = std::all_of(t.v.begin(), t.v.end(), [&](int k) { return place_of(plan_.actuated[at(k)]) >= 0; });
    if (own) {
      own_.transmissions.push_back(t);
      for (int& k : own_.transmissions.back().v) k = place_of(plan_.actuated[at(k)]);
    } else {
      drives_.push_back(t);
      for (const int k : t.v) within[at(k)] = false;
    }
  }
  motor_of_.assign(within.size(), -1);
  for (const int v : plan_.actuated) own_place_.push_back(place_of(v));
  for (std::size_t k = 0; k < within.size(); ++k) {
    if (within[k]) continue;
    motor_of_[k] = static_cast<int>(motors_.size());
    motors_.push_back(
        {static_cast<int>(k), plan_.actuated[k], 0, 0.0, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_))});
  }
  for (Transmission<double>& t : drives_) {
    for (std::size_t k = 0; k < t.v.size() && t.width == 0.0; ++k) {
      if (t.drives[k].breakaway == 0.0) continue;
      if (t.v.size() > 1) {
        throw Error(ErrorCode::usage,
                    fmt::format("forward dynamics with the breakaway torque of coupled drives (`{}`) needs drives of "
                                "independent joints",
                                t.name));
      }
      const int v = plan_.actuated[at(t.v[k])];
      auto f = std::find_if(followers_.begin(), followers_.end(), [v](const Follower& each) { return each.v == v; });
      if (f == followers_.end()) {
        add_follower(t.drives[k].name, nullptr, {}).v = v;
        f = followers_.end() - 1;
      }
      f->breakaway = t.drives[k].breakaway;
    }
    for (int& k : t.v) k = motor_of_[at(k)];
  }
}

// Of the reactions that laws read.
void AffineLosses::choose_places() {
  const std::vector<bool> felt = felt_reactions<double>(own_);
  const auto add = [&](int& place) { return place >= 0 ? place : place = static_cast<int>(places_++); };
  for (std::size_t i = 0; i < felt.size(); ++i) {
    if (felt[i]) add(place_of_body_[i]);
  }
  for (Follower& f : followers_) {
    if (f.loss == nullptr) continue;
    f.dual_loss = over<Dual>(*f.loss);
    if (f.loss->bearings.empty()) continue;
    f.load = add(f.cut >= 0 ? place_of_loop_[joints_.cuts()[at(f.cut)].loop] : place_of_body_[at(f.loss->body)]);
  }
}

bool AffineLosses::take_equations_from(Equations equations) {
  if (elements_ || places_ != 0 || !followers_.empty() || !motors_.empty()) return false;
  equations_ = std::move(equations);
  state_.clear();
  return true;
}

void AffineLosses::set_state(In<double> q, In<double> qd, std::span<const Force<double>> external) {
  std::copy(qd.begin(), qd.end(), velocity_.begin());
  drive_velocities<double>(own_, qd, losses_);
  if (places_ == 0) return set_equations(q, qd, external);
  find_base(q, qd, external);
  take_loads(w0_.data(), true);
  complement_by_unit_velocities<double>(model_, plan_, work_);
  std::vector<double>& torques = work_.tau;
  for (std::size_t j = 0; j < n_; ++j) {
    rnea<double>(inertial_, work_.tree, q, zero_, In<double>(work_.R).subspan(j * nv_, nv_), torques);
    project_torques<double>(plan_, work_, torques, column_);
    H_.col(static_cast<Eigen::Index>(j)) = Eigen::Map<const Eigen::VectorXd>(column_.data(), h_.size());
    take_loads(loads_of(j), true);
  }
  set_rows(qd);
  for (std::size_t j = 0; j < followers_.size(); ++j) {
    const Follower& f = followers_[j];
    std::fill(of_tree_.begin(), of_tree_.end(), 0.0);
    add_friction(f, 1.0, of_tree_);
    project_torques<double>(plan_, work_, of_tree_, column_);
    if (f.cut >= 0) {
      const ClosedLosses<double>::Cut& cut = joints_.cuts()[at(f.cut)];
      add_cut_friction<double>(model_, work_.tree, cut.loop, cut.loss.v, 1.0, on_bodies_);
    }
    take_loads(loads_of(n_ + j), false);
  }
  for (std::size_t g = 0; g < motors_.size(); ++g) {
    unit_[at(motors_[g].actuated)] = 1.0;
    multipliers_under<double>(plan_, work_, zero_, unit_);
    unit_[at(motors_[g].actuated)] = 0.0;
    take_loads(loads_of(n_ + followers_.size() + g), false);
  }
}

// Steps of an integrator end and begin in the same state, with other torques at most.
void AffineLosses::set_equations(In<double> q, In<double> qd, std::span<const Force<double>> external) {
  const bool alone = !elements_ && external.empty();
  if (alone && state_.size() == q.size() + qd.size() && std::equal(q.begin(), q.end(), state_.begin()) &&
      std::equal(qd.begin(), qd.end(), state_.end() - static_cast<std::ptrdiff_t>(qd.size()))) {
    return;
  }
  const Out<double> H(H_.data(), n_ * n_);
  if (alone && equations_) {
    equations_(q, qd, H, Out<double>(h_.data(), n_));
  } else {
    find_base(q, qd, external);
    mass_matrix<double>(model_, plan_, work_, q, H, PoseIs::set);
    if (!followers_.empty() || !motors_.empty()) set_rows(qd);
  }
  state_.clear();
  if (!alone) return;
  state_.insert(state_.end(), q.begin(), q.end());
  state_.insert(state_.end(), qd.begin(), qd.end());
}

// h, and λ with the damping of force elements.
void AffineLosses::find_base(In<double> q, In<double> qd, std::span<const Force<double>> external) {
  prepare_projection<double>(model_, plan_, work_, q);
  const auto torques = [&](In<double> x, In<double> xd, In<double> xdd, Out<double> tau) {
    rnea_with_damping<double>(model_, work_.tree, x, xd, xdd, tau, damping_, external);
  };
  projected_torques<double>(model_, plan_, work_, q, qd, In<double>(zero_).first(n_), Out<double>(h_.data(), n_),
                            std::ref(torques));
  std::copy(work_.qdd.begin(), work_.qdd.end(), bias_.begin());
  std::copy(work_.multipliers.begin(), work_.multipliers.end(), multipliers_.begin());
  project_torques<double>(plan_, work_, damping_, losses_.damping);
  for (std::size_t k = 0; k < multipliers_.size(); ++k) work_.multipliers[k] += multipliers_[k];
}

// Reactions in the places that laws read, by λ: those of the last recursion or none, less what the cut joints and
// friction in them (on_bodies_) put on the bodies.
void AffineLosses::take_loads(Force<double>* to, bool with_recursion) {
  for (std::size_t i = 0; i < place_of_body_.size(); ++i) {
    if (place_of_body_[i] >= 0) to[place_of_body_[i]] = with_recursion ? work_.tree.force[i] : Force<double>{};
  }
  const std::vector<Force<double>> in_cuts = loop_reactions<double>(model_, plan_, work_);
  for (std::size_t l = 0; l < in_cuts.size(); ++l) {
    if (place_of_loop_[l] >= 0) to[place_of_loop_[l]] = in_cuts[l];
  }
  add_loop_wrenches<double>(model_, plan_, work_, on_bodies_);
  for (const LoopClosure<double>& loop : model_.loops) {
    for (const int body : {loop.a.body, loop.b.body}) {
      if (body < 0) continue;
      Force<double> wrench = std::exchange(on_bodies_[at(body)], {});
      for (int i = body; i >= 0; i = model_.bodies[at(i)].parent) {
        if (place_of_body_[at(i)] >= 0) to[place_of_body_[at(i)]] -= wrench;
        wrench = work_.tree.X[at(i)].to_parent(wrench);
      }
    }
  }
}

// Friction F in a joint that follows, as torques of the tree.
void AffineLosses::add_friction(const Follower& f, double F, std::vector<double>& of_tree) const {
  if (f.cut < 0) {
    of_tree[at(f.v)] += F;
    return;
  }
  const std::vector<double>& row = joints_.cuts()[at(f.cut)].row;
  for (std::size_t v = 0; v < nv_; ++v) of_tree[v] += row[v] * F;
}

void AffineLosses::set_rows(In<double> qd) {
  tree_velocities<double>(model_, plan_, work_, qd);
  joints_.set_cut_rows(work_);
  for (Follower& f : followers_) {
    f.moves = 0.0;
    f.a.setZero();
    for (std::size_t v = 0; v < nv_; ++v) {
      const double row = f.cut >= 0 ? joints_.cuts()[at(f.cut)].row[v] : at(f.v) == v ? 1.0 : 0.0;
      if (row == 0.0) continue;
      f.moves += row * work_.qd[v];
      for (std::size_t k = 0; k < n_; ++k) f.a[static_cast<Eigen::Index>(k)] += row * work_.R[k * nv_ + v];
    }
    if (f.cut < 0) f.b = bias_[at(f.v)];
  }
  for (Motor& m : motors_) {
    for (std::size_t k = 0; k < n_; ++k) m.row[static_cast<Eigen::Index>(k)] = work_.R[k * nv_ + at(m.v)];
  }
}

void AffineLosses::find_biases(In<double> q) {
  bool moved = false;
  for (Follower& f : followers_) {
    if (f.cut < 0) continue;
    if (!std::exchange(moved, true)) {
      coordinate_rates<double>(model_, q, work_.qd, moving_->rates);
      for (std::size_t k = 0; k < q.size(); ++k) moving_->q[k] = Dual(q[k], moving_->rates[k]);
      forward_kinematics<Dual>(moving_->model, moving_->work, moving_->q);
    }
    const ClosedLosses<double>::Cut& cut = joints_.cuts()[at(f.cut)];
    cut_row<Dual>(moving_->model, plan_.equations.loops[cut.loop], moving_->work, cut.loop, cut.loss.v, moving_->row);
    f.b = 0.0;
    for (std::size_t v = 0; v < nv_; ++v) f.b += cut.row[v] * bias_[v] + moving_->row[v].d * work_.qd[v];
  }
}

void AffineLosses::set_torques(In<double> tau) {
  std::copy(tau.begin(), tau.end(), tau_.begin());
  target_.setZero();
  for (std::size_t k = 0; k < tau.size(); ++k) {
    if (motor_of_[k] < 0) target_[own_place_[k]] = tau[k];
  }
}

void AffineLosses::set_motor_direction(int v, int direction) {
  for (Motor& m : motors_) {
    if (m.v == v) m.direction = direction;
  }
}

void AffineLosses::find_outputs() {
  drive_loss_ = 0.0;
  for (Motor& m : motors_) m.output = tau_[at(m.actuated)];
  const Eigen::Map<const Eigen::VectorXd> qdd(qdd_.data(), h_.size());
  for (const Transmission<double>& t : drives_) {
    const std::size_t n = t.v.size();
    Eigen::VectorXd out(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < n; ++k) {
      double input = 0.0, rate = 0.0, acceleration = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        const Motor& m = motors_[at(t.v[j])];
        input += t.C_inverse[j * n + k] * tau_[at(m.actuated)];
        rate += t.C[k * n + j] * work_.qd[at(m.v)];
        acceleration += t.C[k * n + j] * (m.row.dot(qdd) + bias_[at(m.v)]);
      }
      const DriveLoss<double>& d = t.drives[k];
      const double rotor = d.ratio * d.ratio * d.rotor_inertia * acceleration;
      const int direction = n == 1 ? motors_[at(t.v[0])].direction : 0;
      const double moving = direction == 0 ? rate : std::copysign(std::max(std::abs(rate), kImpending), direction);
      out[static_cast<Eigen::Index>(k)] =
          drive_output(d, input - rotor - direction * d.breakaway, moving, t.width) + rotor;
      drive_loss_ += (input - out[static_cast<Eigen::Index>(k)]) * rate;
    }
    for (std::size_t j = 0; j < n; ++j) {
      double& sum = motors_[at(t.v[j])].output = 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += t.C[k * n + j] * out[static_cast<Eigen::Index>(k)];
    }
  }
  given_.setZero();
  for (const Motor& m : motors_) given_ += m.row * m.output;
}

void AffineLosses::evaluate(In<double> qdd, In<double> force, In<double> F) {
  std::copy(qdd.begin(), qdd.end(), qdd_.begin());
  std::copy(F.begin(), F.end(), F_.begin());
  find_outputs();
  for (std::size_t p = 0; p < places_; ++p) {
    Force<double> sum = w0_[p];
    const auto add = [&](std::size_t source, double size) {
      const Force<double>& w = loads_of(source)[p];
      sum += Force<double>{w.ang * size, w.lin * size};
    };
    for (std::size_t j = 0; j < n_; ++j) add(j, qdd[j]);
    for (std::size_t j = 0; j < F_.size(); ++j) add(n_ + j, F_[j]);
    for (std::size_t g = 0; g < motors_.size(); ++g) add(n_ + F_.size() + g, motors_[g].output);
    at_places_[p] = sum;
  }
  for (std::size_t i = 0; i < reactions_.size(); ++i) {
    if (place_of_body_[i] >= 0) reactions_[i] = at_places_[at(place_of_body_[i])];
  }
  const Eigen::Map<const Eigen::VectorXd> a(qdd_.data(), h_.size());
  for (std::size_t v = 0; v < n_; ++v) {
    const auto k = static_cast<Eigen::Index>(v);
    losses_.dynamic[v] = h_[k] + H_.row(k).dot(a) + force[v];
    if (!motors_.empty()) losses_.dynamic[v] -= given_[k];
    for (std::size_t j = 0; j < F_.size(); ++j) losses_.dynamic[v] += followers_[j].a[k] * F_[j];
  }
  losses_at<double>(own_, reactions_, {}, velocity_, qdd_, losses_);
  for (Follower& f : followers_) f.law = law_at(f, f.velocity);
}

void AffineLosses::evaluate_at(In<double> velocity, Losses<double>& other) const {
  losses_at<double>(own_, reactions_, {}, velocity, qdd_, other);
}

double AffineLosses::law_at(const Follower& f, double velocity) const {
  if (f.loss == nullptr) return 0.0;
  return joint_friction<double>(*f.loss, f.joint, velocity, f.load >= 0 ? at_places_[at(f.load)] : Force<double>{});
}

double AffineLosses::rounding(std::size_t v) const {
  const auto k = static_cast<Eigen::Index>(v);
  const Eigen::Map<const Eigen::VectorXd> a(qdd_.data(), h_.size());
  double sum = std::abs(h_[k]) + H_.row(k).cwiseAbs().dot(a.cwiseAbs()) + std::abs(losses_.total[v]) +
               std::abs(losses_.bearing[v]) + std::abs(given_[k]);
  for (std::size_t j = 0; j < F_.size(); ++j) sum += std::abs(followers_[j].a[k] * F_[j]);
  return std::numeric_limits<double>::epsilon() * sum;
}

void AffineLosses::slopes(By by, std::size_t place, Eigen::Ref<Eigen::VectorXd> of_total,
                          Eigen::Ref<Eigen::VectorXd> of_laws) {
  const bool accelerates = by == By::acceleration;
  for (std::size_t v = 0; v < n_; ++v) {
    const auto k = static_cast<Eigen::Index>(v);
    const double own = v == place ? 1.0 : 0.0;
    const double slope = accelerates       ? H_(k, static_cast<Eigen::Index>(place))
                         : by == By::force ? own
                                           : followers_[place].a[k];
    losses_dual_.dynamic[v] = {losses_.dynamic[v], slope};
    qdd_dual_[v] = {qdd_[v], accelerates ? own : 0.0};
    velocity_dual_[v] = velocity_[v];
    losses_dual_.velocity[v] = losses_.velocity[v];
    losses_dual_.damping[v] = losses_.damping[v];
  }
  const auto load = [&](std::size_t p) {
    const Force<double>& w = at_places_[p];
    const Force<double> d = by == By::force ? Force<double>{} : loads_of(accelerates ? place : n_ + place)[p];
    return Force<Dual>{dual(w.ang, d.ang), dual(w.lin, d.lin)};
  };
  for (std::size_t i = 0; i < reactions_dual_.size(); ++i) {
    if (place_of_body_[i] >= 0) reactions_dual_[i] = load(at(place_of_body_[i]));
  }
  losses_at<Dual>(own_dual_, reactions_dual_, {}, velocity_dual_, qdd_dual_, losses_dual_);
  for (std::size_t v = 0; v < n_; ++v) of_total[static_cast<Eigen::Index>(v)] = losses_dual_.total[v].d;
  for (std::size_t j = 0; j < followers_.size(); ++j) {
    const Follower& f = followers_[j];
    of_laws[static_cast<Eigen::Index>(j)] =
        f.load < 0 ? 0.0 : joint_friction<Dual>(f.dual_loss, f.dual_joint, f.velocity, load(at(f.load))).d;
  }
}

double AffineLosses::lost_power(In<double> qd) const {
  double sum = drive_loss_;
  for (std::size_t k = 0; k < n_; ++k) sum += (losses_.bearing[k] + losses_.transmission[k]) * qd[k];
  for (const Follower& f : followers_) sum += f.law * f.moves;
  return sum;
}

void AffineLosses::leave_loads(In<double> q, std::span<const Force<double>> external) {
  tree_accelerations<double>(model_, plan_, work_, q, qdd_);
  rnea_with_damping<double>(model_, work_.tree, q, work_.qd, work_.qdd, work_.tau, damping_, external);
  for (std::size_t v = 0; v < nv_; ++v) of_tree_[v] = work_.tau[v] + damping_[v];
  for (std::size_t j = 0; j < followers_.size(); ++j) add_friction(followers_[j], F_[j], of_tree_);
  std::vector<double> outputs(plan_.actuated.size(), 0.0);
  for (const Motor& m : motors_) outputs[at(m.actuated)] = m.output;
  multipliers_under<double>(plan_, work_, of_tree_, outputs);
}

}  // namespace lw
