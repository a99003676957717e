#include "tree_backend.hpp"

#include <algorithm>
#include <array>

#include "../../base/index.hpp"
#include "../../dynamics/derivatives/forward_derivatives.hpp"
#include "../../dynamics/derivatives/inverse_derivatives.hpp"
#include "../../dynamics/friction/friction.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../graph/function.hpp"

namespace lw::cli {
namespace {

template <class T>
struct Workspaces {
  explicit Workspaces(const Model<T>& model) : plain(model), derivative(model), losses(model) {}
  Workspace<T> plain;
  DerivativeWorkspace<T> derivative;
  Losses<T> losses;
};

template <class T>
void copy_poses(const Workspace<T>& work, T* out) {
  for (const Transform<T>& X : work.X_W) {
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) *out++ = X.R(row, column);
    }
    for (int row = 0; row < 3; ++row) *out++ = X.p[row];
  }
}

// `last`: qdd or tau. Poses stay in the workspace.
template <class T>
void evaluate(const TimedFunction& f, const Model<T>& model, Workspaces<T>& works, In<T> q, In<T> qd, In<T> last,
              Out<T> out) {
  Workspace<T>& work = works.plain;
  const auto third = [&](std::size_t k) { return out.subspan(k * out.size() / 3, out.size() / 3); };
  switch (f.of_peers) {
    case peer::Function::inverse: rnea<T>(model, work, q, qd, last, out); break;
    case peer::Function::mass_matrix: crba<T>(model, work, q, out); break;
    case peer::Function::forward: aba<T>(model, work, q, qd, last, out); break;
    case peer::Function::bias: bias_forces<T>(model, work, q, qd, out); break;
    case peer::Function::kinematics: forward_kinematics<T>(model, work, q); break;
    case peer::Function::inverse_derivatives:
      inverse_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
    case peer::Function::forward_derivatives:
      forward_derivatives<T>(model, works.derivative, q, qd, last, third(0), third(1), third(2));
      break;
    case peer::Function::inverse_with_friction:
      inverse_with_losses<T>(model, work, q, qd, last, works.losses);
      std::copy(works.losses.total.begin(), works.losses.total.end(), out.begin());
      break;
  }
}

class TreeBackend : public Backend {
 public:
  TreeBackend(const Model<double>& model, const LoopPlan& plan, const std::vector<State>& states, bool friction)
      : Backend("reference"), model_(model), work_(model_), states_(states) {
    for (const TimedFunction& f : timed_functions(friction)) {
      out_[f.index].resize(size_of(plan, model.bodies.size(), f));
      takes_torques_[f.index] = row_of(f.id).takes(kTau);
    }
  }
  bool has(const TimedFunction&) const override { return true; }
  double compute(const TimedFunction& f, int state, double nudge) override {
    State& s = states_[at(state)];
    if (nudge != 0.0) {
      for (double& x : s.q) x += nudge;
    }
    std::vector<double>& out = out_[f.index];
    evaluate<double>(f, model_, work_, s.q, s.qd, takes_torques_[f.index] ? s.tau : s.qdd, out);
    return f.all_poses ? work_.plain.X_W.front().p[0] + work_.plain.X_W.back().p[0] : out.front() + out.back();
  }
  std::vector<double> result(const TimedFunction& f) override {
    if (f.all_poses) copy_poses(work_.plain, out_[f.index].data());
    return out_[f.index];
  }

 private:
  const Model<double> model_;
  Workspaces<double> work_;
  std::vector<State> states_;
  std::array<std::vector<double>, kMostTimed> out_;
  std::array<bool, kMostTimed> takes_torques_{};
};

}  // namespace

std::size_t size_of(const LoopPlan& plan, std::size_t bodies, const TimedFunction& f) {
  if (f.all_poses) return 12 * bodies;
  std::size_t size = 0;
  for (const Group& g : outputs_of(row_of(f.id), plan, 0, 0)) size += g.size;
  return size;
}

lw::Function traced_as_it_stands(const TimedFunction& f, const Model<Expr>& model, std::size_t size) {
  const std::size_t nq = at(model.nq), nv = at(model.nv);
  return trace(f.symbol, {{"q", nq}, {"qd", nv}, {row_of(f.id).takes(kTau) ? "tau" : "qdd", nv}}, {{"out", size}},
               [&](const std::vector<std::vector<Expr>>& in, Results& out) {
                 Workspaces<Expr> work(model);
                 evaluate<Expr>(f, model, work, in[0], in[1], in[2], out[0]);
                 if (f.all_poses) copy_poses(work.plain, out[0].data());
               });
}

std::unique_ptr<Backend> make_tree_backend(const Model<double>& model, const LoopPlan& plan,
                                           const std::vector<State>& states, bool friction) {
  return std::make_unique<TreeBackend>(model, plan, states, friction);
}

}  // namespace lw::cli
