// What traced functions are checked against: the algorithms over double, in the model's own frames.
#include <algorithm>
#include <cmath>
#include <memory>

#include "../base/error.hpp"
#include "../base/index.hpp"
#include "../dynamics/aba.hpp"
#include "../dynamics/crba.hpp"
#include "../dynamics/energy.hpp"
#include "../dynamics/forward_derivatives.hpp"
#include "../dynamics/forward_friction.hpp"
#include "../dynamics/kinematics.hpp"
#include "../dynamics/regressor.hpp"
#include "../dynamics/rnea.hpp"
#include "roads.hpp"

namespace lw {

Reference reference(const Model<double>& model, const std::string& function, const std::string& frame, bool friction) {
  struct Held {
    Model<double> model;
    Workspace<double> work;
    DerivativeWorkspace<double> slopes;
    ParameterTable table;
    Losses<double> losses;
    ForwardWithLosses forward;
    int frame;
    explicit Held(const Model<double>& m)
        : model(m), work(model), slopes(model), table(parameter_table(model)), losses(model), forward(model), frame(0) {}
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
      for (std::size_t k = 0; k < parts.size(); ++k) std::copy(parts[k]->begin(), parts[k]->end(), out.begin() + static_cast<std::ptrdiff_t>(k * nv));
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
    } else if (function == "inverse-derivatives" || function == "forward-derivatives") {
      const auto part = [&](std::size_t k) { return out.subspan(k * nv * nv, nv * nv); };
      if (function == "inverse-derivatives") {
        inverse_derivatives<double>(m, held->slopes, q, qd, third, part(0), part(1), part(2));
      } else {
        forward_derivatives<double>(m, held->slopes, q, qd, third, part(0), part(1), part(2));
      }
    } else {
      throw Error(ErrorCode::usage, "no reference for " + function);
    }
  };
}

State state_for(const Traced& traced, const Model<double>& model, Random& random) {
  State s = random_state(model, random);
  if (!traced.friction || traced.function.name() != "forward") return s;
  Workspace<double> work(model);
  Losses<double> losses(model);
  inverse_with_losses<double>(model, work, s.q, s.qd, s.qdd, losses);
  s.tau = losses.total;
  return s;
}

namespace {

Reference with_parameters(const Traced& traced, const Model<double>& given, const std::vector<Model<Dual>>& moving,
                          bool snapped_model) {
  const double snap = snapped_model ? traced.snap : 0.0;
  const std::string& function = traced.function.name();
  const Model<double> model = snapped(given, snap);
  const Reference plain = reference(model, function, traced.frame, traced.friction);
  if (moving.empty()) return plain;
  // derivatives along kept parameters, behind the others
  struct Held {
    Model<double> model;
    Workspace<double> work;
    std::vector<Model<Dual>> moving;
    std::vector<Workspace<Dual>> dual;
    explicit Held(const Model<double>& m) : model(m), work(model) {}
  };
  auto held = std::make_shared<Held>(model);
  for (const Model<Dual>& m : moving) held->moving.push_back(snapped(m, snap));
  for (const Model<Dual>& m : held->moving) held->dual.emplace_back(m);
  return [held, plain, forward = function == "forward-derivatives"](std::span<const double> in, std::span<double> out) {
    const Model<double>& m = held->model;
    const auto nq = at(m.nq), nv = at(m.nv);
    plain(in, out.first(3 * nv * nv));
    std::vector<double> qdd(in.begin() + static_cast<std::ptrdiff_t>(nq + nv), in.end()), factors(nv * nv);
    if (forward) {
      aba<double>(m, held->work, in.first(nq), in.subspan(nq, nv), in.subspan(nq + nv), qdd);
      crba<double>(m, held->work, in.first(nq), factors);
      factorize_mass_matrix<double>(m, factors);
    }
    const std::vector<Dual> q(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(nq)),
        qd(in.begin() + static_cast<std::ptrdiff_t>(nq), in.begin() + static_cast<std::ptrdiff_t>(nq + nv)),
        last(qdd.begin(), qdd.end());
    std::vector<Dual> tau(nv);
    for (std::size_t k = 0; k < held->moving.size(); ++k) {
      rnea<Dual>(held->moving[k], held->dual[k], q, qd, last, tau);
      const std::span<double> column = out.subspan((3 * nv + k) * nv, nv);
      for (std::size_t i = 0; i < nv; ++i) column[i] = forward ? -tau[i].d : tau[i].d;
      if (forward) solve_mass_matrix<double>(m, factors, column);
    }
  };
}

}  // namespace

Reference reference(const Traced& traced, bool snapped_model) {
  return with_parameters(traced, traced.model, traced.moving, snapped_model);
}
Reference reference(const Traced& traced, const OtherValues& other, bool snapped_model) {
  return with_parameters(traced, other.model, other.moving, snapped_model);
}

}  // namespace lw
