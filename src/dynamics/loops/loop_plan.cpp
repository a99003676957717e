#include "loop_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Core>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../base/linear.hpp"
#include "../../base/random.hpp"
#include "../../base/text.hpp"
#include "../../model/directions.hpp"
#include "../assembly/assembly.hpp"
#include "../kinematics/closure.hpp"
#include "../tree/kinematics.hpp"
#include "loop_coordinates.hpp"
#include "loop_position.hpp"

namespace lw {
namespace {

using Eigen::MatrixXd;

constexpr double kDependent = 1e-9;     // of the largest pivot: what counts as dependent
constexpr double kParallelAxes = 1e-9;  // of axes

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }

MatrixXd jacobian_at(const Model<double>& model, Workspace<double>& work, const ClosureEquations& equations,
                     In<double> q) {
  forward_kinematics<double>(model, work, q);
  std::vector<double> J(equations.size() * at(model.nv));
  closure_jacobian<double>(model, work, equations, ClosureAt::closed, J);
  return Eigen::Map<const MatrixXd>(J.data(), index(equations.size()), model.nv);
}

MatrixXd columns(const MatrixXd& J, const std::vector<int>& which) {
  MatrixXd part(J.rows(), index(which.size()));
  for (std::size_t k = 0; k < which.size(); ++k) part.col(index(k)) = J.col(which[k]);
  return part;
}

int rank_of(const MatrixXd& J) { return numerical_rank(J, kDependent); }

// So many rows, the next always the one of which most is left beside those before, in the worst of the poses.
std::vector<std::size_t> independent_rows(std::vector<MatrixXd> poses, std::size_t count) {
  std::vector<std::size_t> chosen;
  const auto rows = static_cast<std::size_t>(poses.front().rows());
  while (chosen.size() < count) {
    std::size_t best = rows;
    double most = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      double least = std::numeric_limits<double>::infinity();
      for (const MatrixXd& J : poses) least = std::min(least, J.row(index(i)).norm());
      if (least <= most * (1.0 + 1e-9)) continue;  // the first of equal ones
      most = least;
      best = i;
    }
    if (best == rows) break;
    chosen.push_back(best);
    for (MatrixXd& J : poses) {
      const Eigen::RowVectorXd unit = J.row(index(best)).normalized();
      J -= J * unit.transpose() * unit;
      J.row(index(best)).setZero();
    }
  }
  return chosen;
}

bool is_free_turn(JointType type) { return type == JointType::spherical || type == JointType::floating; }

class Planner {
 public:
  explicit Planner(const Model<double>& model) : model_(model), work_(model) {
    const Assembled home = assemble_home(model);
    if (!home.closed)
      throw Error(ErrorCode::data,
                  fmt::format("`{}` cannot be assembled: {}", model.name, open_loop(model, work_, home.q)));
    all_ = closure_equations(model);
    // a home that is singular has more freedoms than the mechanism
    poses_ = {home.q};
    int most = rank_of(jacobian_at(model_, work_, all_, home.q));
    for (int k = 0; k < 4; ++k) {
      const std::vector<double> q = closed_near(home.q, {}, 0.1);
      if (q.empty()) continue;
      const int rank = rank_of(jacobian_at(model_, work_, all_, q));
      if (rank > most) poses_ = {q};
      most = std::max(most, rank);
    }
    rank_ = at(most);
  }

  // The first of `given` that are independent, and as many of the others as freedoms are left: those that motors turn
  // through elastic shafts first, and of the rest dependent are the columns of which most is left beside others; a
  // joint of several velocities is so as a whole, where that is possible.
  std::vector<int> independent(std::vector<int> given) {
    for (const ShaftElement<double>& shaft : model_.shafts) {
      const int a = model_.bodies[at(shaft.body_a)].v, b = model_.bodies[at(shaft.body_b)].v;
      for (const auto& [motor, joint] : {std::pair{a, b}, std::pair{b, a}}) {
        const auto has = [&](int v) { return std::find(given.begin(), given.end(), v) != given.end(); };
        if (has(motor) && !has(joint)) given.push_back(joint);
      }
    }
    std::vector<int> chosen = independent_velocities(model_, work_, poses_.front(), given);
    std::sort(chosen.begin(), chosen.end());
    if (chosen.size() == at(model_.nv) - rank_) return chosen;
    MatrixXd J = jacobian_at(model_, work_, all_, poses_.front()).transpose();
    for (const int v : chosen) J.row(v).setZero();
    std::vector<bool> dependent(at(model_.nv), false);
    for (const std::size_t v : independent_rows({J}, rank_)) dependent[v] = true;
    for (const JointInfo& joint : model_.joints) {
      const int n = velocities(joint.type);
      bool any = is_free_turn(joint.type);
      for (int k = 0; k < n; ++k) any = any || dependent[at(joint.v + k)];
      for (int k = 0; k < n && any; ++k) dependent[at(joint.v + k)] = true;
    }
    std::vector<int> candidates = chosen;
    for (const bool last : {false, true}) {
      for (int v = 0; v < model_.nv; ++v) {
        if (dependent[at(v)] == last && std::find(chosen.begin(), chosen.end(), v) == chosen.end())
          candidates.push_back(v);
      }
    }
    chosen = independent_velocities(model_, work_, poses_.front(), candidates);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  LoopPlan run() {
    choose_independent();
    divide_coordinates();
    look_around();
    choose_views();
    choose_rows();
    plan_.velocity = plan_elimination(samples([&](const std::vector<double>& q) {
      return columns(jacobian_at(model_, work_, plan_.equations, q), plan_.dependent);
    }));
    choose_position();
    return std::move(plan_);
  }

  LoopPlan run_for_drivers() {
    plan_.independent = independent({});
    return std::move(plan_);
  }

  LoopPlan run_for_numbers() {
    choose_independent();
    look_around();
    plan_.equations = all_;
    choose_rows();
    plan_.velocity.rows.resize(rank_);
    std::iota(plan_.velocity.rows.begin(), plan_.velocity.rows.end(), std::size_t{0});
    plan_.velocity.columns = plan_.velocity.rows;
    plan_.velocity.blocks = elimination_blocks(model_, plan_, poses_.front());
    return std::move(plan_);
  }

 private:
  // A closed configuration with `moved` velocities displaced at random (all, where none is named); empty where there is
  // none.
  std::vector<double> closed_near(const std::vector<double>& from, const std::vector<int>& moved, double size) {
    for (int attempt = 0; attempt < 4; ++attempt, size *= 0.4) {
      std::vector<double> q = from, step(at(model_.nv), 0.0);
      for (int v = 0; v < model_.nv; ++v) {
        if (moved.empty() || std::find(moved.begin(), moved.end(), v) != moved.end())
          step[at(v)] = random_.between(-size, size);
      }
      advance(model_, q, step);
      const Assembled there = assemble_from(model_, work_, q, moved);
      // with nothing held, freedoms are left, and there is no condition to look at
      if (there.closed && (moved.empty() || there.condition < 1e6)) return there.q;
    }
    return {};
  }

  void choose_independent() {
    const auto freedoms = at(model_.nv) - rank_;
    if (freedoms == 0)
      throw Error(ErrorCode::model, fmt::format("nothing of `{}` can move: its loops hold all joints", model_.name));
    plan_.actuated = actuated_velocities(model_);
    plan_.independent = independent(plan_.actuated);
    std::vector<bool> given(at(model_.nv), false);
    for (const int v : plan_.independent) given[at(v)] = true;
    for (int v = 0; v < model_.nv; ++v) {
      if (!given[at(v)]) plan_.dependent.push_back(v);
    }
    plan_.general_pose = poses_.front();
    plan_.pushed = plan_.actuated;
    for (const int v : plan_.undriven()) plan_.pushed.push_back(v);
  }

  // Other poses, in which the independent joints stand elsewhere.
  void look_around() {
    for (int k = 0; k < 6; ++k) {
      std::vector<double> q = closed_near(poses_.front(), plan_.independent, 0.2);
      if (!q.empty()) poses_.push_back(std::move(q));
    }
  }

  void divide_coordinates() {
    std::vector<bool> given(at(model_.nv), false);
    for (const int v : plan_.independent) given[at(v)] = true;
    for (const JointInfo& joint : model_.joints) {
      const int n = velocities(joint.type);
      int count = 0;
      for (int k = 0; k < n; ++k) count += given[at(joint.v + k)] ? 1 : 0;
      if (count > 0 && count < n && joint.actuated && is_free_turn(joint.type)) {
        throw Error(ErrorCode::model,
                    fmt::format("`{}` is actuated, but of its {} velocities the loops of `{}` leave {}: a {} joint can "
                                "only be driven as a whole",
                                joint.name, n, model_.name, count, to_string(joint.type)));
      }
      if (count > 0 && count < n && !joint.actuated) {
        throw Error(
            ErrorCode::model,
            fmt::format("the actuated joints of `{}` do not determine its motion: `{}` keeps {} of its {} velocities, "
                        "and a {} joint "
                        "can be free only as a whole; actuate another joint, or make it a joint of fewer freedoms",
                        model_.name, joint.name, count, n, to_string(joint.type)));
      }
      for (int k = 0; k < coordinates(joint.type); ++k) {
        (given[at(joint.v + std::min(k, n - 1))] ? plan_.independent_q : plan_.dependent_q).push_back(joint.q + k);
      }
    }
  }

  bool is_independent(const Body<double>& b) const {
    return std::find(plan_.independent.begin(), plan_.independent.end(), b.v) != plan_.independent.end();
  }
  bool carries(int body, int frame_body) const {
    for (int i = frame_body; i >= 0; i = model_.bodies[at(i)].parent) {
      if (i == body) return true;
    }
    return false;
  }

  // The joint at the end of a loop on A's side, if there is one that nothing else depends on.
  std::optional<LoopEnd> end_of(std::size_t loop, const LoopView& view) {
    for (const int i : view.a) {
      const Body<double>& b = model_.bodies[at(i)];
      if (b.mimics) return std::nullopt;
      if (is_independent(b)) continue;
      const bool slides = b.kind == JointKind::prismatic;
      if (b.kind != JointKind::revolute && !slides) return std::nullopt;
      if (slides && i != view.a.front()) return std::nullopt;
      for (const Body<double>& other : model_.bodies) {
        if (other.mimics && other.v == b.v) return std::nullopt;
      }
      for (std::size_t k = 0; k < model_.loops.size(); ++k) {
        const LoopClosure<double>& l = model_.loops[k];
        const bool own = k == loop;
        const int carried = (carries(i, l.a.body) ? 1 : 0) + (carries(i, l.b.body) ? 1 : 0);
        if (carried != (own ? 1 : 0)) return std::nullopt;
      }
      LoopEnd end{loop, i, slides};
      for (const std::vector<double>& q : poses_) {
        const auto [axis, r] = seen_from_end(end, view, q);
        const Vec3<double>& a = model_.loops[loop].axis;
        const double across = norm(cross(axis, a));
        if (slides ? std::abs(dot(axis, a)) > kParallelAxes : across > kParallelAxes) return std::nullopt;
        const double length = slides ? 1.0 : norm(cross(a, r));
        if (&q == &poses_.front()) end.length = length;
        if (!(length > 1e-6)) return std::nullopt;
      }
      return end;
    }
    return std::nullopt;
  }

  struct Seen {
    Vec3<double> axis, r;  // of the joint, and from the joint to A, in A's axes
  };
  Seen seen_from_end(const LoopEnd& end, const LoopView& view, const std::vector<double>& q) {
    forward_kinematics<double>(model_, work_, q);
    const Transform<double> X_WA = frame_pose(work_, first_frame(model_.loops[end.loop], view));
    const Transform<double> X = X_WA.inverse() * work_.X_W[at(end.body)];
    return {X.R * model_.bodies[at(end.body)].axis, -X.p};
  }

  void choose_views() {
    plan_.equations = all_;
    for (std::size_t k = 0; k < model_.loops.size(); ++k) {
      LoopView& view = plan_.equations.loops[k];
      LoopView other = view;
      other.swapped = true;
      std::swap(other.a, other.b);
      const std::optional<LoopEnd> first = end_of(k, view), second = end_of(k, other);
      // the side with the shorter way to the joint
      if (second && (!first || other.a.size() < view.a.size())) view = other;
      const std::optional<LoopEnd>& end = view.swapped ? second : first;
      if (!end) continue;
      // e₁ along the link, or the slide
      const Seen seen = seen_from_end(*end, view, poses_.front());
      const std::array<Vec3<double>, 3> e = loop_basis(model_.loops[k], view);
      const Vec3<double>& along = end->slides ? seen.axis : seen.r;
      const double x = dot(along, e[0]), y = dot(along, e[1]), size = std::hypot(x, y);
      const auto snap = [](double c) { return std::abs(c - std::round(c)) < 1e-12 ? std::round(c) : c; };
      view.cosine = snap(x / size);
      view.sine = snap(y / size);
      plan_.ends.push_back(*end);
    }
  }

  void choose_rows() {
    std::vector<MatrixXd> poses;
    for (const std::vector<double>& q : poses_)
      poses.push_back(columns(jacobian_at(model_, work_, plan_.equations, q), plan_.dependent));
    std::vector<std::size_t> chosen = independent_rows(poses, rank_);
    require(chosen.size() == rank_, "closures have as many independent rows as their rank");
    std::sort(chosen.begin(), chosen.end());
    std::vector<ClosureRow> rows;
    for (const std::size_t k : chosen) rows.push_back(plan_.equations.rows[k]);
    plan_.equations.rows = std::move(rows);
  }

  // The Jacobian wherever the joints may stand, loops open: angles at random, slides near home.
  template <class Evaluate>
  std::vector<MatrixXd> samples(const Evaluate& evaluate) {
    constexpr int kSamples = 16;
    std::vector<MatrixXd> list;
    for (int k = 0; k < kSamples; ++k) {
      std::vector<double> q = poses_.front(), step(at(model_.nv), 0.0);
      for (const Body<double>& b : model_.bodies) {
        if (b.mimics) continue;
        const bool turns = b.kind == JointKind::revolute;
        const double slide = b.kind == JointKind::prismatic ? 0.2 * std::abs(q[at(b.q)]) + 0.01 : 0.5;
        for (int j = 0; j < b.velocities(); ++j) {
          step[at(b.v + j)] =
              turns ? random_.between(-std::numbers::pi, std::numbers::pi) : random_.between(-slide, slide);
        }
      }
      advance(model_, q, step);
      list.push_back(evaluate(q));
    }
    return list;
  }

  void choose_position() {
    // an end belongs to a loop of which the two equations across its axis are left
    std::erase_if(plan_.ends, [&](const LoopEnd& end) {
      std::vector<int> shifts;
      bool others = false;
      for (const ClosureRow& row : plan_.equations.rows) {
        if (row.loop != end.loop) continue;
        if (row.kind == ClosureRow::Kind::shift && row.direction < 2)
          shifts.push_back(row.direction);
        else
          others = true;
      }
      return others || shifts.size() != 2;
    });
    plan_.unknown = plan_.dependent;
    for (const LoopEnd& end : plan_.ends) std::erase(plan_.unknown, model_.bodies[at(end.body)].v);
    for (std::size_t k = 0; k < plan_.equations.size(); ++k) {
      const ClosureRow& row = plan_.equations.rows[k];
      const auto end =
          std::find_if(plan_.ends.begin(), plan_.ends.end(), [&](const LoopEnd& e) { return e.loop == row.loop; });
      if (end == plan_.ends.end())
        plan_.position_rows.push_back({-1, k});
      else if (end->slides && row.direction == 1)
        plan_.position_rows.push_back({-1, k});
      else if (!end->slides && row.direction == 0)
        plan_.position_rows.push_back({static_cast<int>(end - plan_.ends.begin()), k});
    }
    require(plan_.position_rows.size() == plan_.unknown.size(), "an equation for each unknown of the position");
    if (plan_.unknown.empty()) return;
    const auto n = index(plan_.unknown.size());
    plan_.position = plan_elimination(samples([&](const std::vector<double>& q) {
      const std::vector<double> J = position_jacobian(model_, plan_, q);
      return MatrixXd(Eigen::Map<const MatrixXd>(J.data(), n, n));
    }));
  }

  const Model<double>& model_;
  Workspace<double> work_;
  ClosureEquations all_;
  std::vector<std::vector<double>> poses_;
  std::size_t rank_ = 0;
  Random random_{1};
  LoopPlan plan_;
};

}  // namespace

std::vector<int> LoopPlan::undriven() const {
  std::vector<int> free;
  for (const int v : independent) {
    if (std::find(actuated.begin(), actuated.end(), v) == actuated.end()) free.push_back(v);
  }
  return free;
}

void refuse_undriven(const LoopPlan& plan, const std::string& mechanism,
                     const std::vector<std::string>& velocity_names) {
  const std::vector<int> free = plan.undriven();
  if (free.empty()) return;
  std::string names;
  for (const int v : free) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", velocity_names[at(v)]);
  throw Error(
      ErrorCode::model,
      fmt::format(
          "the actuated joints of `{}` do not determine its motion: it has {}, they {}; with {} actuated as well they "
          "would. `forward` and `simulate` go without",
          mechanism, counted(plan.freedoms(), "freedom"), plan.freedoms() - free.size(), names));
}

namespace {

LoopPlan planned(const Model<double>& model, LoopPlan (Planner::*run)()) {
  if (!model.loops.empty()) return (Planner(model).*run)();
  LoopPlan plan;
  plan.independent.resize(at(model.nv));
  plan.independent_q.resize(at(model.nq));
  std::iota(plan.independent.begin(), plan.independent.end(), 0);
  std::iota(plan.independent_q.begin(), plan.independent_q.end(), 0);
  plan.actuated = plan.pushed = plan.independent;
  plan.general_pose = model.home;
  return plan;
}

}  // namespace

LoopPlan plan_loops(const Model<double>& model) { return planned(model, &Planner::run); }
LoopPlan plan_coordinates(const Model<double>& model) { return planned(model, &Planner::run_for_numbers); }

Model<double> with_drivers(Model<double> model) {
  if (!actuated_velocities(model).empty()) return model;
  const std::vector<int> drivers = planned(model, &Planner::run_for_drivers).independent;
  for (JointInfo& joint : model.joints) {
    joint.actuated = std::any_of(drivers.begin(), drivers.end(),
                                 [&](int v) { return v >= joint.v && v < joint.v + velocities(joint.type); });
  }
  return model;
}

}  // namespace lw
