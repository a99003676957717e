// What traced functions are checked against: the algorithms over double, in the model's own frames. Derivatives are
// those of rnea by dual numbers, which share no formula with the methods that are checked and keep the digits of small
// entries.
#include <algorithm>
#include <cmath>
#include <memory>

#include "../../base/error.hpp"
#include "../../base/index.hpp"
#include "../../dynamics/friction/forward_friction.hpp"
#include "../../dynamics/loops/random_states.hpp"
#include "../../dynamics/parameters/regressor.hpp"
#include "../../dynamics/tree/aba.hpp"
#include "../../dynamics/tree/crba.hpp"
#include "../../dynamics/tree/energy.hpp"
#include "../../dynamics/tree/kinematics.hpp"
#include "../../dynamics/tree/rnea.hpp"
#include "../../model/coordinate_rates.hpp"
#include "../../model/over.hpp"
#include "methods.hpp"

namespace lw {
namespace {

std::vector<Dual> still(std::span<const double> x) { return {x.begin(), x.end()}; }

// Derivatives of inverse dynamics by columns, along q, q̇, q̈ and the parameters that `moving` has at rate 1 one after
// the other; or of forward dynamics, where a column is −M⁻¹ times that, at the q̈ of the motion, and along τ one of
// M⁻¹.
class SlopesByDuals {
 public:
  SlopesByDuals(const Model<double>& model, bool forward, std::vector<Model<Dual>> moving = {})
      : model_(model),
        twin_(over<Dual>(model)),
        moving_(std::move(moving)),
        work_(model_),
        dual_(twin_),
        forward_(forward) {}

  void operator()(std::span<const double> in, std::span<double> out) {
    const std::size_t nq = at(model_.nq), nv = at(model_.nv);
    const auto q = in.first(nq), qd = in.subspan(nq, nv), last = in.subspan(nq + nv, nv);
    std::vector<double> qdd(last.begin(), last.end()), factors(nv * nv);
    if (forward_) {
      aba<double>(model_, work_, q, qd, last, qdd);
      crba<double>(model_, work_, q, factors);
      factorize_mass_matrix<double>(model_, factors);
    }
    std::vector<Dual> tau(nv);
    std::size_t next = 0;
    const auto column = [&](const Model<Dual>& model, std::span<const Dual> x, std::span<const Dual> xd,
                            std::span<const Dual> xdd) {
      rnea<Dual>(model, dual_, x, xd, xdd, tau);
      const std::span<double> to = out.subspan(nv * next++, nv);
      for (std::size_t i = 0; i < nv; ++i) to[i] = forward_ ? -tau[i].d : tau[i].d;
      if (forward_) solve_mass_matrix<double>(model_, factors, to);
    };
    const std::vector<Dual> x = still(q);
    std::vector<Dual> xd = still(qd), xdd = still(qdd);
    for (int k = 0; k < model_.nv; ++k) column(twin_, moving_along(model_, q, k), xd, xdd);
    for (std::size_t k = 0; k < nv; ++k) {
      xd[k].d = 1.0;
      column(twin_, x, xd, xdd);
      xd[k].d = 0.0;
    }
    for (std::size_t k = 0; k < nv; ++k) {
      if (forward_) {
        const std::span<double> to = out.subspan(nv * next++, nv);
        std::fill(to.begin(), to.end(), 0.0);
        to[k] = 1.0;
        solve_mass_matrix<double>(model_, factors, to);
        continue;
      }
      xdd[k].d = 1.0;
      column(twin_, x, xd, xdd);
      xdd[k].d = 0.0;
    }
    for (const Model<Dual>& m : moving_) column(m, x, xd, xdd);
  }

 private:
  Model<double> model_;
  Model<Dual> twin_;
  std::vector<Model<Dual>> moving_;
  Workspace<double> work_;
  Workspace<Dual> dual_;
  bool forward_;
};

Reference slopes_by_duals(const Model<double>& model, const std::string& function,
                          std::vector<Model<Dual>> moving = {}) {
  auto held = std::make_shared<SlopesByDuals>(model, function == "forward-derivatives", std::move(moving));
  return [held](std::span<const double> in, std::span<double> out) { (*held)(in, out); };
}

bool is_derivative(const std::string& function) {
  return function == "inverse-derivatives" || function == "forward-derivatives";
}

}  // namespace

Reference reference(const Model<double>& model, const std::string& function, const std::string& frame, bool friction) {
  if (is_derivative(function)) return slopes_by_duals(model, function);
  struct Held {
    Model<double> model;
    Workspace<double> work;
    ParameterTable table;
    Losses<double> losses;
    ForwardWithLosses forward;
    int frame;
    explicit Held(const Model<double>& m)
        : model(m), work(model), table(parameter_table(model)), losses(model), forward(model), frame(0) {}
  };
  auto held = std::make_shared<Held>(model);
  held->frame = frame.empty() ? static_cast<int>(model.frames.size()) - 1 : model.frame_index(frame);
  require(held->frame >= 0, "a reference for a frame of the model");
  const auto nq = at(model.nq), nv = at(model.nv);
  return [held, function, friction, nq, nv](std::span<const double> in, std::span<double> out) {
    const Model<double>& m = held->model;
    Workspace<double>& work = held->work;
    const auto q = in.subspan(0, nq), qd = in.size() >= nq + nv ? in.subspan(nq, nv) : in.subspan(0, 0),
               third = in.size() >= nq + 2 * nv ? in.subspan(nq + nv, nv) : in.subspan(0, 0);
    if (function == "friction" || (friction && function == "inverse")) {
      Losses<double>& l = held->losses;
      inverse_with_losses<double>(m, work, q, qd, third, l);
      std::vector<const std::vector<double>*> parts{&l.total};
      if (function == "friction") parts = {&l.dynamic, &l.bearing, &l.at_joint, &l.transmission, &l.total, &l.motor};
      for (std::size_t k = 0; k < parts.size(); ++k)
        std::copy(parts[k]->begin(), parts[k]->end(), out.begin() + static_cast<std::ptrdiff_t>(k * nv));
    } else if (friction && function == "forward") {
      try {
        held->forward(q, qd, third, out);
      } catch (const Error&) {  // it jams: there is no answer
        std::fill(out.begin(), out.end(), std::nan(""));
      }
    } else if (function == "inverse") {
      rnea<double>(m, work, q, qd, third, out);
    } else if (function == "bias") {
      rnea<double>(m, work, q, qd, work.zero, out);
    } else if (function == "forward") {
      aba<double>(m, work, q, qd, third, out);
    } else if (function == "mass-matrix") {
      crba<double>(m, work, q, out);
    } else if (function == "kinematics" || function == "jacobian") {
      forward_kinematics<double>(m, work, q);
      if (function == "jacobian") return frame_jacobian<double>(m, work, held->frame, out);
      const Transform<double> X = frame_pose<double>(m, work, held->frame);
      for (int c = 0; c < 3; ++c) {
        out[at(c)] = X.p[c];
        for (int r = 0; r < 3; ++r) out[at(3 + 3 * c + r)] = X.R(r, c);
      }
    } else if (function == "energy") {
      forward_velocities<double>(m, work, q, qd);
      const Energy<double> e = energy<double>(m, work, q, qd);
      out[0] = e.kinetic;
      out[1] = e.potential;
    } else if (function == "regressor") {
      regressor<double>(m, held->table, work, q, qd, third, out);
    } else {
      throw Error(ErrorCode::usage, "no reference for " + function);
    }
  };
}

StatesFor::StatesFor(const Traced& traced, const Model<double>& model) : traced_(traced), model_(model) {
  if (traced.loops != nullptr) closed_ = std::make_unique<RandomStates>(model, *traced.loops);
}
StatesFor::~StatesFor() = default;

State StatesFor::next(Random& random) {
  if (closed_ != nullptr) return closed_->next(random);
  State s = random_state(model_, random);
  if (!traced_.friction || traced_.function.name() != "forward") return s;
  Workspace<double> work(model_);
  Losses<double> losses(model_);
  inverse_with_losses<double>(model_, work, s.q, s.qd, s.qdd, losses);
  s.tau = losses.total;
  return s;
}

std::vector<double> inputs_of(const Function& function, const State& state, std::span<const double> p) {
  std::vector<double> in;
  const auto add = [&](std::span<const double> values) { in.insert(in.end(), values.begin(), values.end()); };
  for (const Group& g : function.inputs()) {
    if (g.name == "q")
      add(state.q);
    else if (g.name == "qd")
      add(state.qd);
    else if (g.name == "qdd")
      add(state.qdd);
    else if (g.name == "tau")
      add(state.tau);
    else if (g.name == "guess")
      add(state.guess);
    else
      add(p);
  }
  return in;
}

namespace {

Reference with_parameters(const Traced& traced, const Model<double>& given, const std::vector<Model<Dual>>& moving,
                          bool snapped_model) {
  const double snap = snapped_model ? traced.snap : 0.0;
  const std::string& function = traced.function.name();
  const Model<double> model = snapped(given, snap);
  std::vector<Model<Dual>> there;
  for (const Model<Dual>& m : moving) there.push_back(snapped(m, snap));
  if (traced.loops != nullptr)
    return closed_reference(model, traced.loops, function, traced.frame, traced.friction, std::move(there));
  if (!is_derivative(function)) return reference(model, function, traced.frame, traced.friction);
  return slopes_by_duals(model, function, std::move(there));
}

}  // namespace

Reference reference(const Traced& traced, bool snapped_model) {
  return with_parameters(traced, traced.model, traced.moving, snapped_model);
}
Reference reference(const Traced& traced, const OtherValues& other, bool snapped_model) {
  return with_parameters(traced, other.model, other.moving, snapped_model);
}

}  // namespace lw
