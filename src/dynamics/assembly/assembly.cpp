#include "assembly.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/largest.hpp"
#include "../../base/linear.hpp"
#include "../../base/text.hpp"
#include "../../base/worse.hpp"
#include "../kinematics/closure.hpp"
#include "../kinematics/joint_way.hpp"
#include "feasibility.hpp"
#include "mode_identity.hpp"
#include "mode_search.hpp"
#include "modes.hpp"
#include "planar_groups.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

// Below this part of the largest singular value a direction counts as lost.
constexpr double kLostDirection = 1e-9;

std::vector<int> free_velocities(const Model<double>& model, const std::vector<int>& held) {
  std::vector<bool> fixed(at(model.nv), false);
  for (const int v : held) {
    if (v < 0 || v >= model.nv) {
      throw Error(ErrorCode::usage, fmt::format("`{}` has no velocity {}: it has {}", model.name, v, model.nv));
    }
    fixed[at(v)] = true;
  }
  std::vector<int> free;
  for (int v = 0; v < model.nv; ++v) {
    if (!fixed[at(v)]) free.push_back(v);
  }
  return free;
}

MatrixXd columns_of(const ClosureState& state, int nv, const std::vector<int>& columns) {
  const Eigen::Map<const MatrixXd> J(state.jacobian.data(), static_cast<Eigen::Index>(state.residual.size()), nv);
  MatrixXd part(J.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = J.col(columns[k]);
  return part;
}

VectorXd residual_vector(const ClosureState& state) {
  return Eigen::Map<const VectorXd>(state.residual.data(), static_cast<Eigen::Index>(state.residual.size()));
}
double largest_residual(const ClosureState& state) {
  return state.residual.empty() ? 0.0 : largest(residual_vector(state));
}

double condition_of(const MatrixXd& Ju) {
  if (Ju.cols() == 0) return 1.0;
  if (Ju.rows() < Ju.cols()) return std::numeric_limits<double>::infinity();
  const VectorXd s = singular_values(Ju);
  const double least = s[s.size() - 1];
  return least > 0.0 ? s[0] / least : std::numeric_limits<double>::infinity();
}

void advance_free(const Model<double>& model, std::vector<double>& q, const std::vector<int>& free,
                  const VectorXd& step) {
  std::vector<double> whole(at(model.nv), 0.0);
  for (std::size_t k = 0; k < free.size(); ++k) whole[at(free[k])] = step[static_cast<Eigen::Index>(k)];
  advance(model, q, whole);
}

// −J⁺ r, without the directions that are lost.
VectorXd newton_step(const MatrixXd& J, const VectorXd& r) {
  if (J.size() == 0) return VectorXd::Zero(J.cols());
  return -least_norm(J, r, kLostDirection);
}

// −(JᵀJ + λ)⁻¹ Jᵀ r for one λ > 0 after the other: by singular values, where these do not take too long.
class DampedSteps {
 public:
  explicit DampedSteps(const MatrixXd& J) : J_(J) {
    constexpr Eigen::Index kLarge = 24;
    if (J.cols() < kLarge) svd_.emplace(J);
  }
  // What λ is measured by: the largest eigenvalue of JᵀJ, or a bound of it.
  double scale() const { return !svd_ ? J_.squaredNorm() : svd_->s.size() == 0 ? 1.0 : svd_->s[0] * svd_->s[0]; }
  VectorXd operator()(const VectorXd& r, double damping) const {
    if (!svd_) return -damped_least_squares(J_, r, damping);
    if (svd_->s.size() == 0) return VectorXd::Zero(J_.cols());
    VectorXd part = svd_->U.transpose() * r;
    for (Eigen::Index k = 0; k < part.size(); ++k) part[k] *= svd_->s[k] / (svd_->s[k] * svd_->s[k] + damping);
    return -(svd_->V * part);
  }

 private:
  const MatrixXd& J_;
  std::optional<Svd> svd_;
};

// From a to b, both coordinates of the joints given, one part of the way: straight, rotations about one axis.
void put_between(const Model<double>& model, In<double> a, In<double> b, double part, std::vector<double>& q) {
  std::size_t from = 0;
  for (const JointInfo& joint : model.joints) {
    if (!joint.actuated) continue;
    const int n = coordinates(joint.type);
    const int straight = joint.type == JointType::spherical ? 0 : joint.type == JointType::floating ? 3 : n;
    for (int k = 0; k < straight; ++k) {
      const std::size_t i = from + at(k);
      q[at(joint.q + k)] = a[i] + part * (b[i] - a[i]);
    }
    if (straight < n) {
      const std::size_t i = from + at(straight);
      const Eigen::Quaterniond A(a[i + 3], a[i], a[i + 1], a[i + 2]), B(b[i + 3], b[i], b[i + 1], b[i + 2]);
      const Eigen::Quaterniond C = A.normalized().slerp(part, B.normalized());
      const double values[] = {C.x(), C.y(), C.z(), C.w()};
      for (int k = 0; k < 4; ++k) q[at(joint.q + straight + k)] = values[k];
    }
    from += at(n);
  }
}

std::vector<double> actuated_part(const Model<double>& model, In<double> q) {
  std::vector<double> part;
  for (const int k : actuated_coordinates(model)) part.push_back(q[at(k)]);
  return part;
}

std::string joint_of_velocity(const Model<double>& model, int v) { return "`" + model.velocity_names[at(v)] + "`"; }

std::string list_velocities(const Model<double>& model, const std::vector<int>& velocities) {
  std::string text;
  for (const int v : velocities) text += (text.empty() ? "" : ", ") + joint_of_velocity(model, v);
  return text;
}

// What of the free velocities could move at q while the held ones stand still.
std::vector<int> undetermined(const MatrixXd& Ju, const std::vector<int>& free) {
  const Svd svd(Ju, true);
  std::vector<int> moving;
  const int rank = svd.rank(kLostDirection);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    if (svd.V.row(row).tail(svd.V.cols() - rank).norm() > 1e-6) moving.push_back(free[k]);
  }
  return moving;
}

// The straight line of the actuated coordinates, followed from a closed configuration.
class Continuation {
 public:
  Continuation(const Model<double>& model, Workspace<double>& work, const Assembled& from, In<double> actuated)
      : model_(model),
        work_(work),
        here_(from),
        start_(actuated_part(model, from.q)),
        target_(actuated.begin(), actuated.end()),
        held_(driving_velocities(model, work, from)),
        free_(free_velocities(model, held_)),
        blocks_(closure_blocks(model, held_)),
        state_(closure_state(model, work, from.q)) {}

  Assembled run() {
    if (free_.empty()) {  // nothing follows
      const std::vector<int> places = actuated_coordinates(model_);
      for (std::size_t k = 0; k < places.size(); ++k) here_.q[at(places[k])] = target_[k];
      return here_;
    }
    const double longest = 1.0 / std::max(1.0, way_in_steps());
    double done = 0.0, step = longest;
    while (done < 1.0) {
      step = std::min(step, 1.0 - done);
      const double next = step >= 1.0 - done ? 1.0 : done + step;
      if (attempt(next)) {
        done = next;
        step = std::min(2.0 * step, longest);
      } else {
        step *= 0.5;
        if (step < kLeastStep * longest) fail(done);
      }
    }
    refuse_inconsistent();
    return here_;
  }

 private:
  static constexpr double kLeastStep = 1e-7;  // of the longest
  static constexpr int kMostCorrections = 6;  // Newton steps of the corrector
  static constexpr double kLongestStep =
      0.35;  // of any coordinate, led or as predicted (rad; m; of slides that are led, of the mechanism's size)
  static constexpr double kMostTurns = 300.0, kMostSizes = 1000.0;  // as far as a way is followed
  static constexpr double kSingularThere =
      1e5;  // condition of a configuration that was found closed in a singularity, where Newton stops short

  // How many steps of led coordinates the way has at least. Where a crank turns by more than a step unseen, the
  // mechanism may stand again as it was though there was no way between.
  double way_in_steps() {
    const std::vector<double> from = led(0.0), to = led(1.0);
    const double size = mechanism_size(model_);
    double steps = 0.0;
    for (const JointInfo& joint : model_.joints) {
      const JointWay way = joint_way(joint, from, to);
      if (!(way.turn <= 2.0 * std::numbers::pi * kMostTurns)) {
        throw Error(ErrorCode::data,
                    fmt::format("`{}` of `{}` is {:.6g} turns from where it starts: a way of more than {} is not "
                                "followed, and without it the "
                                "mode is not known; give an angle nearer to home",
                                joint.name, model_.name, way.turn / (2.0 * std::numbers::pi), kMostTurns));
      }
      if (!(way.slide <= kMostSizes * size)) {
        refuse_open();
        throw Error(
            ErrorCode::data,
            fmt::format(
                "`{}` of `{}` is {:.4g} m from where it starts, more than {} times the mechanism's size: such a "
                "way is not followed",
                joint.name, model_.name, way.slide, kMostSizes));
      }
      steps = std::max({steps, way.turn / kLongestStep, way.slide / (kLongestStep * size)});
    }
    return steps;
  }

  // Where held coordinates are at that part of the way; others stay. More actuated joints than freedoms: only those
  // that are independent are led, the rest must come out right.
  std::vector<double> led(double part) const {
    std::vector<double> all = here_.q, q = here_.q;
    put_between(model_, start_, target_, part, all);
    for (const JointInfo& joint : model_.joints) {
      const bool holds = std::find(held_.begin(), held_.end(), joint.v) != held_.end();
      for (int k = 0; holds && k < coordinates(joint.type); ++k) q[at(joint.q + k)] = all[at(joint.q + k)];
    }
    return q;
  }

  bool attempt(double next) {
    const std::vector<double> moved = led(next);
    // predictor: what the closures, broken to first order by the move, ask of the free coordinates
    const ClosureState broken = closure_state(model_, work_, moved);
    const VectorXd predicted = newton_step(columns_of(state_, model_.nv, free_), residual_vector(broken));
    if (!(predicted.size() == 0 || largest(predicted) <= kLongestStep)) return false;
    std::vector<double> guess = moved;
    advance_free(model_, guess, free_, predicted);
    const Assembled there = assemble_from(model_, work_, guess, held_, kMostCorrections);
    if (!there.closed) return false;
    // corrector: it must have had little to do
    const double corrected = largest_difference(there.q, guess);
    const double wanted = predicted.size() == 0 ? 0.0 : largest(predicted);
    if (!(corrected <= 0.3 * wanted + 1e-7)) return false;
    ClosureState state = closure_state(model_, work_, there.q);
    if (!oriented_alike(model_, blocks_, state_, state)) return false;
    here_ = there;
    state_ = std::move(state);
    return true;
  }

  void refuse_inconsistent() const {
    const std::vector<double> reached = actuated_part(model_, here_.q);
    const std::vector<int> places = actuated_coordinates(model_);
    for (std::size_t k = 0; k < reached.size(); ++k) {
      if (std::abs(reached[k] - target_[k]) <= 1e-6) continue;
      throw Error(
          ErrorCode::data,
          fmt::format(
              "`{}` has more actuated joints than freedoms ({}): where {} are as given, `{}` is {:.9g}, not {:.9g}",
              model_.name, held_.size(), list_velocities(model_, held_), model_.coordinate_names[at(places[k])],
              reached[k], target_[k]));
    }
  }

  // The target itself, closed from where the way ends; throws where it cannot be, and says how near it comes.
  Assembled refuse_open() {
    const std::vector<double> target = led(1.0);
    const Assembled there = assemble_from(model_, work_, target, held_);
    if (there.closed) return there;
    const std::vector<OpenPolygon> open = open_polygons(model_, target, held_);
    if (open.empty()) {
      // Newton's method may have missed it, which a plane tells in closed form
      const LoopGraph graph = loop_graph(model_, target, held_);
      if (!graph.tied && planar_plan(graph).complete) {
        const Assemblies all = all_assemblies(model_, work_, target, held_);
        if (!all.found.empty()) return all.found[0];
      }
    }
    const std::string why = open.empty() ? open_loop(model_, work_, there.q) + " at best" : to_string(open[0]);
    throw Error(ErrorCode::data, fmt::format("`{}` cannot be assembled there: {}", model_.name, why));
  }

  [[noreturn]] void fail(double done) {
    const Assembled there = refuse_open();
    if (!(there.condition < kSingularThere)) {
      throw Error(ErrorCode::data, fmt::format("`{}` can be assembled there in a singular pose only (condition "
                                               "{:.2g}), at which modes meet: {} does not determine how the "
                                               "other joints move",
                                               model_.name, there.condition, list_velocities(model_, held_)));
    }
    throw Error(ErrorCode::data,
                fmt::format("`{}` cannot be led there: at {:.4g} % of the straight line its mode ends in a singularity "
                            "(condition {:.2g}); it can be assembled there, in another of the ways that `linkwright "
                            "assemble` lists, but this one does not lead to it",
                            model_.name, 100.0 * done, condition_of(columns_of(state_, model_.nv, free_))));
  }

  const Model<double>& model_;
  Workspace<double>& work_;
  Assembled here_;
  std::vector<double> start_, target_;
  std::vector<int> held_, free_;
  std::vector<ClosureBlock> blocks_;
  ClosureState state_;
};

}  // namespace

std::vector<int> actuated_velocities(const Model<double>& model) {
  std::vector<int> result;
  for (const JointInfo& joint : model.joints) {
    for (int k = 0; joint.actuated && k < velocities(joint.type); ++k) result.push_back(joint.v + k);
  }
  return result;
}

std::vector<int> actuated_coordinates(const Model<double>& model) {
  std::vector<int> result;
  for (const JointInfo& joint : model.joints) {
    for (int k = 0; joint.actuated && k < coordinates(joint.type); ++k) result.push_back(joint.q + k);
  }
  return result;
}

Assembled assemble_from(const Model<double>& model, Workspace<double>& work, std::vector<double> guess,
                        const std::vector<int>& held, int most_iterations) {
  check_sizes("assemble_from", model, work, {{"guess", guess.size(), model.nq}});
  const std::vector<int> free = free_velocities(model, held);
  Assembled result{std::move(guess), 0.0, 0.0, 0, false};
  ClosureState state = closure_state(model, work, result.q);
  double damping = 0.0;
  while (result.iterations < most_iterations && largest_residual(state) > 1e-15) {
    const VectorXd r = residual_vector(state);
    const MatrixXd Ju = columns_of(state, model.nv, free);
    std::optional<DampedSteps> damped;
    bool fell = false;
    // as near as rounding lets it come a Newton step helps no more, and then nothing does
    const int most_trials = largest_residual(state) < 1e-11 ? 1 : 25;
    for (int trial = 0; trial < most_trials && !fell; ++trial) {
      std::vector<double> q = result.q;
      if (damping > 0.0 && !damped) damped.emplace(Ju);
      advance_free(model, q, free, damped ? (*damped)(r, damping) : newton_step(Ju, r));
      ClosureState next = closure_state(model, work, q);
      fell = residual_vector(next).norm() < r.norm();
      if (!fell && trial + 1 < most_trials && !damped) damped.emplace(Ju);
      const double scale = damped ? damped->scale() : 1.0;
      if (fell) {
        result.q = std::move(q);
        state = std::move(next);
        damping = damping > 1e-8 * scale ? 0.1 * damping : 0.0;
      } else {
        damping = std::max(1e-8 * scale, 10.0 * damping);
      }
    }
    if (!fell) break;  // rounding, or the least that is possible
    ++result.iterations;
    if (largest_residual(state) > kClosedResidual && r.norm() - residual_vector(state).norm() < 1e-9 * r.norm()) break;
  }
  result.residual = largest_residual(state);
  result.closed = result.residual <= kClosedResidual;
  result.condition = condition_of(columns_of(state, model.nv, free));
  return result;
}

std::vector<int> independent_velocities(const Model<double>& model, Workspace<double>& work, In<double> q,
                                        const std::vector<int>& candidates) {
  const ClosureState state = closure_state(model, work, q);
  std::vector<int> all;
  for (int v = 0; v < model.nv; ++v) all.push_back(v);
  const MatrixXd J = columns_of(state, model.nv, all);
  const int whole = J.rows() == 0 ? 0 : numerical_rank(J, kLostDirection);
  std::vector<int> chosen;
  for (const int v : candidates) {
    std::vector<int> held = chosen;
    held.push_back(v);
    const MatrixXd rest = columns_of(state, model.nv, free_velocities(model, held));
    if (rest.size() == 0 ? whole == 0 : numerical_rank(rest, kLostDirection) == whole) chosen.push_back(v);
  }
  return chosen;
}

std::vector<int> driving_velocities(const Model<double>& model, Workspace<double>& work, const Assembled& at_pose) {
  const std::vector<int> held = independent_velocities(model, work, at_pose.q, actuated_velocities(model));
  const std::vector<int> free = free_velocities(model, held);
  const MatrixXd Ju = columns_of(closure_state(model, work, at_pose.q), model.nv, free);
  if (free.empty() || (Ju.rows() > 0 && numerical_rank(Ju, kLostDirection) == Ju.cols())) {
    if (!held.empty() || model.nv == 0) return held;
    throw Error(ErrorCode::model,
                fmt::format("`{}` is locked: its closures have rank {}, as many as it has velocities, so that "
                            "nothing moves",
                            model.name, model.nv));
  }
  const std::vector<int> moving = undetermined(Ju, free);
  const int freedoms = mobility(model).dof, given = static_cast<int>(held.size());
  if (freedoms <= given) {
    throw Error(
        ErrorCode::data,
        fmt::format(
            "`{}` is singular where it starts: {} can begin to move while the actuated joints stand still, so that "
            "its mode is not determined; give it another `home`",
            model.name, list_velocities(model, moving)));
  }
  throw Error(
      ErrorCode::model,
      fmt::format(
          "the actuated joints of `{}` do not determine its motion: it has {}, and with {} held {} can still move; "
          "mark {} more as `actuated`",
          model.name, counted(at(freedoms), "freedom"), given == 0 ? "none" : list_velocities(model, held),
          list_velocities(model, moving), freedoms - given));
}

Assembled assemble_home(const Model<double>& model) {
  Workspace<double> work(model);
  for (std::size_t k = 0; k < model.home.size(); ++k) {
    if (std::isfinite(model.home[k])) continue;
    throw Error(
        ErrorCode::data,
        fmt::format("the home of `{}` is no number: with these lengths `{}` cannot be assembled as its `home` says",
                    model.coordinate_names[k], model.name));
  }
  const std::vector<int> actuated = actuated_velocities(model);
  Assembled home = assemble_from(model, work, model.home, actuated);
  if (home.closed) return home;
  // what the file gives for the actuated joints does not fit: any closed configuration near it
  const Mobility near = mobility(model);
  if (!near.closed) {
    throw Error(ErrorCode::data, fmt::format("`{}` cannot be assembled near its home pose: {}", model.name,
                                             open_loop(model, work, near.q)));
  }
  return assemble_from(model, work, near.q, actuated);
}

Model<double> led_by(Model<double> model, const std::vector<int>& leading) {
  for (JointInfo& joint : model.joints) {
    joint.actuated = std::any_of(leading.begin(), leading.end(),
                                 [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
  }
  return model;
}

Model<double> led_model(const Model<double>& model) {
  Workspace<double> work(model);
  const std::vector<int> leading = driving_velocities(model, work, assemble_home(model));
  Model<double> led = model;
  for (JointInfo& joint : led.joints) {
    joint.actuated = joint.actuated && std::find(leading.begin(), leading.end(), joint.v) != leading.end();
  }
  return led;
}

Assembled continue_to(const Model<double>& model, Workspace<double>& work, const Assembled& from, In<double> actuated) {
  check_sizes("continue_to", model, work,
              {{"q", from.q.size(), model.nq},
               {"actuated", actuated.size(), static_cast<int>(actuated_coordinates(model).size())}});
  return Continuation(model, work, from, actuated).run();
}

Assembled assemble_at(const Model<double>& model, In<double> actuated) {
  Workspace<double> work(model);
  return continue_to(model, work, assemble_home(model), actuated);
}

}  // namespace lw
