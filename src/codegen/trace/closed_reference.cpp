// What traced functions of mechanisms with loops are checked against: the algorithms over double, pivots as they come.
#include <algorithm>
#include <cmath>
#include <memory>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/loops/closed_forward_losses.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/joints_alone.hpp"
#include "../../model/over.hpp"
#include "methods.hpp"

namespace lw {
namespace {

// Derivatives by dual numbers through everything: position, velocities, dynamics. Columns along q, q̇, q̈ or τ, and the
// parameters that `moving` has at rate 1 one after the other.
class ClosedSlopes {
 public:
  ClosedSlopes(const Model<double>& model, std::shared_ptr<const LoopPlan> plan, bool forward,
               std::vector<Model<Dual>> moving)
      : plan_(std::move(plan)),
        joints_(joints_alone(model, plan_->independent)),
        twin_(over<Dual>(model)),
        moving_(std::move(moving)),
        work_(twin_, *plan_),
        forward_(forward) {}

  void operator()(std::span<const double> in, std::span<double> out) {
    const LoopPlan& p = *plan_;
    const std::size_t n = p.freedoms(), nq = p.independent_q.size(), third = forward_ ? p.actuated.size() : n,
                      rows = forward_ ? n : p.actuated.size();
    const auto dual = [](std::span<const double> x) { return std::vector<Dual>(x.begin(), x.end()); };
    const std::vector<Dual> q = dual(in.first(nq)), guess = dual(in.last(p.dependent_q.size()));
    std::vector<Dual> qd = dual(in.subspan(nq, n)), last = dual(in.subspan(nq + n, third)), result(rows);
    std::size_t next = 0;
    const auto column = [&](const Model<Dual>& model, std::span<const Dual> x) {
      const LoopPosition<Dual> there = loop_position<Dual>(model, p, x, guess);
      if (forward_)
        forward_dynamics<Dual>(model, p, work_, there.q, qd, last, result);
      else
        inverse_dynamics<Dual>(model, p, work_, there.q, qd, last, result);
      for (std::size_t r = 0; r < rows; ++r) out[rows * next + r] = there.converged ? result[r].d : std::nan("");
      ++next;
    };
    for (int k = 0; k < joints_.nv; ++k) column(twin_, moving_along(joints_, in.first(nq), k));
    for (std::vector<Dual>* part : {&qd, &last}) {
      for (Dual& x : *part) {
        x.d = 1.0;
        column(twin_, q);
        x.d = 0.0;
      }
    }
    for (const Model<Dual>& m : moving_) column(m, q);
  }

 private:
  std::shared_ptr<const LoopPlan> plan_;
  Model<double> joints_;
  Model<Dual> twin_;
  std::vector<Model<Dual>> moving_;
  PlantWorkspace<Dual> work_;
  bool forward_;
};

struct ClosedHeld {
  ClosedHeld(const Model<double>& m, std::shared_ptr<const LoopPlan> p)
      : model(m), plan(std::move(p)), work(model, *plan), losses(model, *plan) {}
  Model<double> model;
  std::shared_ptr<const LoopPlan> plan;
  PlantWorkspace<double> work;
  ClosedLosses<double> losses;
  std::unique_ptr<ClosedForwardLosses> forward;
  int frame = 0;
};

}  // namespace

Reference closed_reference(const Model<double>& model, std::shared_ptr<const LoopPlan> plan,
                           const std::string& function, const std::string& frame, bool friction,
                           std::vector<Model<Dual>> moving) {
  auto held = std::make_shared<ClosedHeld>(model, std::move(plan));
  held->frame = frame.empty() ? static_cast<int>(model.frames.size()) - 1 : model.frame_index(frame);
  require(held->frame >= 0, "a reference for a frame of the model");
  if (friction && function == "forward")
    held->forward = std::make_unique<ClosedForwardLosses>(held->model, *held->plan);
  std::shared_ptr<ClosedSlopes> slopes;
  if (function.ends_with("-derivatives")) {
    slopes = std::make_shared<ClosedSlopes>(model, held->plan, function == "forward-derivatives", std::move(moving));
  }
  return [held, slopes, function, friction](std::span<const double> in, std::span<double> out) {
    const Model<double>& m = held->model;
    const LoopPlan& p = *held->plan;
    PlantWorkspace<double>& work = held->work;
    const std::size_t n = p.freedoms(), nq = p.independent_q.size(), guessed = p.dependent_q.size();
    const LoopPosition<double> there = loop_position<double>(m, p, in.first(nq), in.last(guessed));
    if (!there.converged) {
      std::fill(out.begin(), out.end(), std::nan(""));
      return;
    }
    const std::vector<double>& q = there.q;
    const std::span<const double> rest = in.subspan(nq, in.size() - nq - guessed);
    const auto qd = rest.first(std::min(n, rest.size())), third = rest.subspan(qd.size());
    const std::size_t own = out.size() - guessed - p.unknown.size();
    const std::span<double> results = out.first(own);
    const std::vector<double> zero(n, 0.0);
    if (slopes != nullptr) {
      (*slopes)(in, results);
    } else if (function == "friction" || (friction && function == "inverse")) {
      held->losses.inverse(work, q, qd, third);
      const Losses<double>& l = held->losses.losses;
      std::vector<const std::vector<double>*> parts{&l.total};
      if (function == "friction") parts = {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor};
      for (std::size_t k = 0; k < parts.size(); ++k)
        std::copy(parts[k]->begin(), parts[k]->end(),
                  results.begin() + static_cast<std::ptrdiff_t>(k * parts[k]->size()));
    } else if (friction && function == "forward") {
      (*held->forward)(work, q, qd, third, results);
    } else if (function == "inverse") {
      inverse_dynamics<double>(m, p, work, q, qd, third, results);
    } else if (function == "bias") {
      LoopPlan square = p;  // generalised forces, whoever is actuated
      square.actuated = square.independent;
      inverse_dynamics<double>(m, square, work, q, qd, zero, results);
    } else if (function == "mass-matrix") {
      mass_matrix<double>(m, p, work, q, results);
    } else if (function == "forward") {
      forward_dynamics<double>(m, p, work, q, qd, third, results);
    } else if (function == "kinematics" || function == "jacobian") {
      set_pose<double>(m, p, work, q);
      if (function == "jacobian") {
        frame_jacobian<double>(m, p, work, held->frame, results);
      } else {
        const Transform<double> X = frame_pose<double>(m, work.tree, held->frame);
        for (int c = 0; c < 3; ++c) {
          results[at(c)] = X.p[c];
          for (int r = 0; r < 3; ++r) results[at(3 + 3 * c + r)] = X.R(r, c);
        }
      }
    } else if (function == "energy") {
      set_pose<double>(m, p, work, q);
      tree_velocities<double>(m, p, work, qd);
      forward_velocities<double>(m, work.tree, q, work.qd);
      const Energy<double> e = energy<double>(m, work.tree, q, work.qd);
      results[0] = e.kinetic;
      results[1] = e.potential;
    } else {
      throw Error(ErrorCode::usage, "no reference for " + function);
    }
    for (std::size_t k = 0; k < guessed; ++k) out[own + k] = q[at(p.dependent_q[k])];
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(own + guessed), out.end(), 0.0);
  };
}

}  // namespace lw
